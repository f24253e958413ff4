"""Progress of the compiler for somebody who waits for it: otherwise the first query might take a minute without any explanation.

After two seconds of compiling, standard error names the function being compiled, and counts functions and seconds: in a line that is
rewritten on a terminal, in a bar in a notebook, and elsewhere in lines, again whenever the time has doubled. Commands show their own
progress, which includes `now`, and processes whose parent shows its own show none.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from html import escape
from typing import Any

from engine.common.installation import is_installed

__all__ = ["began", "begin", "n_compiled", "now", "wait_in_silence"]

_PATIENCE = 2.0
"""Seconds of compiling after which the first notice is shown."""
_PERIOD = 0.25
"""Seconds between two notices on a terminal or in a notebook."""

_ONCE = "Each function is compiled once, at its first call, and kept on disk."
_ADVICE = " `python -m engine doctor --compile` compiles all in advance."

_silent = threading.Event()

_entered: dict[int | None, tuple[int, float]] = {}
"""How deep each thread is in the compiler, and since when."""


def wait_in_silence() -> None:
    """Suppress the notices from now on."""
    _silent.set()


def n_compiled() -> int:
    """Return the number of functions that this process has compiled."""
    return _watch.n


def now() -> str:
    """Return what is being compiled, in a few words; empty if nothing is."""
    return _watch.words() if _watch.began is not None else ""


def began(in_main_thread: bool = False) -> float | None:
    """Return when the compiler was entered, to compile or to load, seconds of `time.monotonic`; None if it is not at work.

    On any thread, or on the main one, also if that waits for another one to leave the compiler.
    """
    if in_main_thread:
        return _entered.get(threading.main_thread().ident, (0, None))[1]
    return min((since for _, since in list(_entered.values())), default=None)


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

    class Entrance(event.Listener):  # type: ignore[misc, name-defined]
        def on_start(self, _: object) -> None:
            depth, since = _entered.get(threading.get_ident(), (0, time.monotonic()))
            _entered[threading.get_ident()] = depth + 1, since

        def on_end(self, _: object) -> None:
            depth, since = _entered.pop(threading.get_ident(), (1, 0.0))
            if depth > 1:
                _entered[threading.get_ident()] = depth - 1, since

    event.register("numba:compile", Listener())
    event.register("numba:compiler_lock", Entrance())


class _Watch:
    """Clock of compilations; a kernel that another one calls is compiled within the caller's time.

    Attributes
    ----------
    n : int
        Number of functions compiled so far.
    began : float or None
        When the present compilation began; None if there is none.
    """

    def __init__(self) -> None:
        self.n = 0
        self.began: float | None = None
        self._names: list[str] = []
        self._spent = 0.0
        self._changed = threading.Event()
        self._follower: threading.Thread | None = None

    def start(self, name: str) -> None:
        self._names.append(name)
        if self.began is None:
            self.began = time.monotonic()
            self._changed.set()
            if self._follower is None and not _silent.is_set():
                self._follower = threading.Thread(target=self._follow, name="compile notice", daemon=True)
                self._follower.start()

    def end(self) -> None:
        self._names.pop()
        self.n += 1
        if not self._names and self.began is not None:
            self._spent += time.monotonic() - self.began
            self.began = None
            self._changed.clear()

    @property
    def seconds(self) -> float:
        """Seconds spent so far."""
        began = self.began
        return self._spent + (0.0 if began is None else time.monotonic() - began)

    def words(self) -> str:
        name = (self._names or [""])[-1]
        return f"compiling `{name}`, {self.n} function{'s' * (self.n != 1)} so far, {self.seconds:.0f} s"

    def _follow(self) -> None:
        show, period = _display()
        wanted = _PATIENCE
        with contextlib.suppress(Exception):  # standard error is closed, or the notebook is gone
            while self._changed.wait() and not _silent.is_set():
                if self.seconds < wanted:
                    time.sleep(min(_PERIOD, wanted - self.seconds + 0.01))
                    continue
                show(self.words(), wanted == _PATIENCE)
                wanted = self.seconds + period if period else 2.0 * self.seconds
                if period:
                    time.sleep(period)
                    if self.began is None:
                        show("", False)


def _advice() -> str:
    return _ONCE + (_ADVICE if is_installed("typer") and is_installed("rich") else "")


def _display() -> tuple[Callable[[str, bool], None], float]:
    """Return a function that shows words, or nothing more, and the seconds between two calls; 0 if each should wait twice as long."""
    if "ipykernel" in sys.modules:
        with contextlib.suppress(ImportError):
            return _in_notebook(), _PERIOD
    stream = sys.stderr

    def rewrite(words: str, is_first: bool) -> None:
        stream.write((f"engine: {_advice()}\n" if is_first else "") + (f"\r\033[Kengine: {words}" if words else "\r\033[K"))
        stream.flush()

    def write(words: str, is_first: bool) -> None:
        stream.write(f"engine: {words}" + (f". {_advice()}" if is_first else "") + "\n")
        stream.flush()

    if stream is None:
        return lambda words, is_first: None, 0.0
    return (rewrite, _PERIOD) if stream.isatty() else (write, 0.0)


def _in_notebook() -> Callable[[str, bool], None]:
    display = importlib.import_module("IPython.display")
    handle: Any = None

    def show(words: str, is_first: bool) -> None:
        nonlocal handle
        over = f"{n_compiled()} functions compiled in {_watch.seconds:.0f} s"
        bar = display.HTML(f"<progress></progress> {escape(words)}. {_advice()}" if words else over)
        if handle is None:
            handle = display.display(bar, display_id=True)
        else:
            handle.update(bar)

    return show


_watch = _Watch()
