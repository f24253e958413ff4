"""A line for a script that waits for the compiler: its first question may take a minute, and nothing else would say why.

Said once, on standard error, when two seconds have gone into compiling. The program's own windows and commands show how far they are
and so ask for silence; worker processes are silent too.
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
"""Seconds of compiling after which it is said."""

_WORDS = (
    "engine: the algorithms behind this question are being compiled, once: some seconds, or a minute on a busy machine. "
    "`{} doctor --compile` compiles all of them ahead."
)

_silent = threading.Event()
"""Set once it was said, or is not to be said."""


def wait_in_silence() -> None:
    """Say nothing from now on."""
    _silent.set()


@cache
def begin() -> None:
    """Watch what Numba compiles from now on."""
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
    """How long compiling has taken: a kernel that another one calls is compiled within its time."""

    def __init__(self) -> None:
        self._spent = self._began = 0.0
        self._depth = 0
        self._timer: threading.Timer | None = None

    def start(self) -> None:
        self._depth += 1
        if self._depth == 1 and not _silent.is_set():
            self._began = time.monotonic()
            self._timer = threading.Timer(max(_PATIENCE - self._spent, 0.0), _tell)
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._spent += time.monotonic() - self._began
            self._timer.cancel()
            self._timer = None


def _tell() -> None:
    if not _silent.is_set() and sys.stderr is not None:
        _silent.set()
        with contextlib.suppress(OSError, ValueError):  # no terminal reads it any more
            print(_WORDS.format(program()), file=sys.stderr, flush=True)
