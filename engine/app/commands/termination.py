"""Ending a run from outside: a request to terminate becomes Ctrl-C; and how many processes a run may have."""

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
    """Let a request to terminate, or a terminal that is closed, end the run as Ctrl-C does.

    So other processes end too, nothing found is lost, and no half-written file stays. A signal that whoever started us wants ignored
    (``nohup``) stays so.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]  # Windows has no terminals to hang up
    before = {number: signal.signal(number, interrupt) for number in numbers if signal.getsignal(number) is signal.SIG_DFL}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
