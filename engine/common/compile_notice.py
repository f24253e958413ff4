"""Notices for somebody who is waiting for the compiler: otherwise the first query might take a minute without any explanation.

A line on standard error names the function being compiled and counts those that are, after two seconds of compiling, and again whenever
that time has doubled. Processes whose parent shows its own progress print none.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import sys
import threading
import time
from functools import cache
from typing import Any

from engine.common.installation import program

__all__ = ["begin", "n_compiled", "wait_in_silence"]

_PATIENCE = 2.0
"""Seconds of compiling after which the first notice is printed."""

_FIRST = "engine: compiling `{}`; this happens once for each algorithm. `{} doctor --compile` compiles all of them in advance."
_NEXT = "engine: compiling `{}`, {} functions so far"

_silent = threading.Event()


def wait_in_silence() -> None:
    """Suppress the notices from now on."""
    _silent.set()


def n_compiled() -> int:
    """Return the number of functions that this process has compiled."""
    return _watch.n


@cache
def begin() -> None:
    """Start watching Numba's compiler."""
    if multiprocessing.parent_process() is not None:
        wait_in_silence()
    event = importlib.import_module("numba.core.event")

    class Listener(event.Listener):  # type: ignore[misc, name-defined]
        def on_start(self, event: Any) -> None:
            _watch.start(event.data["dispatcher"].py_func.__name__)

        def on_end(self, _: object) -> None:
            _watch.end()

    event.register("numba:compile", Listener())


class _Watch:
    """Timer of compilations; a kernel that another one calls is compiled within the caller's time."""

    def __init__(self) -> None:
        self.n = 0
        self._name = ""
        self._spent = self._began = 0.0
        self._next = _PATIENCE
        self._depth = 0
        self._timer: threading.Timer | None = None

    def start(self, name: str) -> None:
        self._depth += 1
        if self._depth == 1:
            self._name, self._began = name, time.monotonic()
            self._wait(self._next - self._spent)

    def end(self) -> None:
        self._depth -= 1
        self.n += 1
        if self._depth == 0:
            self._spent += time.monotonic() - self._began
            if self._timer is not None:
                self._timer.cancel()

    def _wait(self, seconds: float) -> None:
        if not _silent.is_set():
            self._timer = threading.Timer(max(seconds, 0.0), self._print)
            self._timer.daemon = True
            self._timer.start()

    def _print(self) -> None:
        words = _FIRST.format(self._name, program()) if self._next == _PATIENCE else _NEXT.format(self._name, self.n)
        self._next *= 2.0
        if not _silent.is_set() and sys.stderr is not None:
            with contextlib.suppress(OSError, ValueError):  # standard error is closed
                print(words, file=sys.stderr, flush=True)
            self._wait(0.5 * self._next)


_watch = _Watch()
