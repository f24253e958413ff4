"""Moves a tool's slow work to a thread, so that the window stays responsive: cutting an outline takes seconds the first time.

The first outline on a machine has to wait until the cutting algorithm is compiled. A result that arrives in time is used immediately, as if
there were no thread; a later one is used in the frame that finds it, if the demo is still the same. Results are used in the order of their
requests, whichever thread ends first: bodies enter the world in the order in which they were drawn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, NamedTuple

from engine.app.session import Session
from engine.sim.background import in_background

__all__ = ["BackgroundJobs"]

_AT_ONCE = 0.05
"""Time to wait for a result, seconds: three frames, which go unnoticed at the end of a stroke."""


class _Job(NamedTuple):
    session: Session
    work: Future[Any]
    use: Callable[[Any], None]

    def deliver(self) -> None:
        """Apply the result, or raise the exception of the work."""
        self.use(self.work.result())


class BackgroundJobs:
    """The jobs of one user, in the order in which they were submitted."""

    def __init__(self) -> None:
        self._jobs: deque[_Job] = deque()

    @property
    def is_busy(self) -> bool:
        """True if jobs are unfinished."""
        return bool(self._jobs)

    def do(self, session: Session, work: Callable[[], Any], use: Callable[[Any], None]) -> bool:
        """Run `work` in a thread and pass its result to `use`; return True if that has happened already.

        `work` must not use the window or a world. Its exception is raised here if it ends in time, otherwise by `collect`.
        """
        job = _Job(session, in_background(work, "background work of the window"), use)
        if not self.is_busy and wait((job.work,), _AT_ONCE).done:
            job.deliver()
            return True
        self._jobs.append(job)
        return False

    def collect(self, session: Session) -> None:
        """Apply at most one finished result per frame; results for another session are discarded."""
        while self._jobs and (self._jobs[0].session is not session or self._jobs[0].work.done()):
            job = self._jobs.popleft()
            if job.session is session:
                job.deliver()
                return
