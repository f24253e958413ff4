"""Notice for a script that is waiting for the compiler: otherwise its first query might take a minute without any explanation.

The notice is printed once, on standard error, after two seconds of compiling. The program's own windows and commands show their progress
and therefore suppress it; worker processes do not print it either.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import sys
import threading
import time
from functools import cache

from engine.common.installation import program

__all__ = ["begin", "wait_in_silence"]

_PATIENCE = 2.0
"""Seconds of compiling after which the notice is printed."""

_WORDS = (
    "engine: compiling the algorithms used here; this happens once and takes a few seconds, or a minute on a busy machine. "
    "`{} doctor --compile` compiles all of them in advance."
)

_silent = threading.Event()
"""Set once the notice has been printed or suppressed."""


def wait_in_silence() -> None:
    """Suppress the notice from now on."""
    _silent.set()


@cache
def begin() -> None:
    """Start measuring Numba's compile time, for the notice."""
    if _silent.is_set() or multiprocessing.parent_process() is not None:
        return
    event = importlib.import_module("numba.core.event")
    watch = _Watch()

    class Listener(event.Listener):  # type: ignore[misc, name-defined]
        def on_start(self, _: object) -> None:
            watch.start()

        def on_end(self, _: object) -> None:
            watch.end()

    event.register("numba:compile", Listener())


class _Watch:
    """Timer of compilations; a kernel that another one calls is compiled within the caller's time."""

    def __init__(self) -> None:
        self._spent = self._began = 0.0
        self._depth = 0
        self._timer: threading.Timer | None = None

    def start(self) -> None:
        self._depth += 1
        if self._depth == 1 and not _silent.is_set():
            self._began = time.monotonic()
            self._timer = threading.Timer(max(_PATIENCE - self._spent, 0.0), _print_notice)
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._spent += time.monotonic() - self._began
            self._timer.cancel()
            self._timer = None


def _print_notice() -> None:
    if not _silent.is_set() and sys.stderr is not None:
        _silent.set()
        with contextlib.suppress(OSError, ValueError):  # standard error is closed
            print(_WORDS.format(program()), file=sys.stderr, flush=True)
