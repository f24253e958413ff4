"""Work that a tool leaves to a thread, so that the window goes on: cutting an outline takes milliseconds, but seconds the first time ever.

The first outline that is cut on a machine finds its algorithm not compiled yet. What comes in time is used at once, as if there were no
thread; what comes later is used in the frame that finds it done, if the demo is still the same. What was asked for first is used first,
whichever thread ends sooner: bodies come into the world in the order in which they were drawn.
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
"""Seconds that are waited for an answer: three frames, which are not felt at the end of a stroke."""


class _Job(NamedTuple):
    session: Session
    work: Future[Any]
    use: Callable[[Any], None]

    def deliver(self) -> None:
        """Use the answer, or raise what there is instead."""
        self.use(self.work.result())


class BackgroundJobs:
    """The jobs of one pair of hands, in the order in which they were given."""

    def __init__(self) -> None:
        self._jobs: deque[_Job] = deque()

    @property
    def is_busy(self) -> bool:
        """Whether something is still to come."""
        return bool(self._jobs)

    def do(self, session: Session, work: Callable[[], Any], use: Callable[[Any], None]) -> bool:
        """Let a thread do `work`, and give `use` what it returns; return whether that has happened already.

        `work` must touch nothing of the window or of a world. What it raises, if it is done at once, is raised here, else by `collect`.
        """
        job = _Job(session, in_background(work, "beside the window"), use)
        if not self.is_busy and wait((job.work,), _AT_ONCE).done:
            job.deliver()
            return True
        self._jobs.append(job)
        return False

    def collect(self, session: Session) -> None:
        """Use what has come since the last frame, one thing of it; what was asked for in another session is forgotten."""
        while self._jobs and (self._jobs[0].session is not session or self._jobs[0].work.done()):
            job = self._jobs.popleft()
            if job.session is session:
                job.deliver()
                return
