"""Ending a long run from outside: a request to terminate becomes Ctrl-C; and how many processes a run may have."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["MOST_JOBS", "cores", "terminating_as_interrupting"]

MOST_JOBS = 1024


def cores() -> int:
    """Return the processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


@contextlib.contextmanager
def terminating_as_interrupting() -> Iterator[None]:
    """Let a request to terminate end the run as Ctrl-C does, so that the other processes end too and nothing found is lost."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
