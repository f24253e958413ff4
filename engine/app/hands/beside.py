"""Work that a tool leaves to a thread, so that the window goes on: cutting an outline takes milliseconds, but seconds the first time ever.

The first outline that is cut on a machine finds its algorithm not compiled yet. What comes in time is used at once, as if there were no
thread; what comes later is used in the frame that finds it done, if the demo is still the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread
from typing import Any

from engine.app.session import Session

__all__ = ["Beside"]

_AT_ONCE = 0.05
"""Seconds that are waited for an answer: three frames, which nobody feels as the end of a stroke."""
_SWITCH = 0.0005
"""Seconds a thread may keep the interpreter meanwhile; `engine.app.warmup` says why."""


@dataclass(slots=True)
class _Job:
    session: Session
    use: Callable[[Any], None]
    thread: Thread | None = None
    answer: Any = None
    error: Exception | None = None

    def run(self, work: Callable[[], Any]) -> None:
        try:
            self.answer = work()
        except Exception as error:
            self.error = error

    def deliver(self) -> None:
        if self.error is not None:
            raise self.error
        self.use(self.answer)


class Beside:
    """The jobs of one pair of hands."""

    def __init__(self) -> None:
        self._jobs: list[_Job] = []
        self._switch = sys.getswitchinterval()

    @property
    def is_busy(self) -> bool:
        """Whether something is still to come."""
        return bool(self._jobs)

    def do(self, session: Session, work: Callable[[], Any], use: Callable[[Any], None]) -> bool:
        """Let a thread do `work`, and give `use` what it returns; return whether that has happened already.

        `work` must touch nothing of the window or of a world. What it raises, if it is done at once, is raised here, else by `collect`.
        """
        job = _Job(session, use)
        job.thread = Thread(target=job.run, args=(work,), name="beside the window", daemon=True)
        job.thread.start()
        job.thread.join(_AT_ONCE)
        if not job.thread.is_alive():
            job.deliver()
            return True
        if not self._jobs:
            self._switch = sys.getswitchinterval()
        self._jobs.append(job)
        sys.setswitchinterval(min(self._switch, _SWITCH))
        return False

    def collect(self, session: Session) -> None:
        """Use what has come since the last frame, one thing of it; what was asked for in another session is forgotten."""
        done = next((job for job in self._jobs if job.thread is not None and not job.thread.is_alive()), None)
        if done is None:
            return
        self._jobs.remove(done)
        if not self._jobs:
            sys.setswitchinterval(self._switch)
        if done.session is session:
            done.deliver()
