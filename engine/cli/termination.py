"""Ending a run from outside: a request to terminate becomes Ctrl-C; and how many processes a run may have."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

from engine.common.interrupts import forget_interrupts, interrupt

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
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    if hasattr(signal, "SIGHUP"):  # Windows has no terminals to hang up
        usual[signal.SIGHUP] = signal.SIG_DFL
    before = {number: signal.signal(number, interrupt) for number, handler in usual.items() if signal.getsignal(number) is handler}
    try:
        yield
    finally:
        forget_interrupts()
        for number, handler in before.items():
            signal.signal(number, handler)
