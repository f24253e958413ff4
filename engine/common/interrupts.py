"""Ctrl-C waits until a step, or the loading of a kernel, is over; and it is not lost where native code drops it.

Python delivers a signal between two bytecodes, also at the entry of a callback that C called, before its `try` is reached. Out of
a Box2D listener the exception aborts the interpreter; out of llvmlite's object cache it is printed and lost. So while either
runs, SIGINT (and a request to terminate that `interrupt` handles) is only noted.

Elsewhere an extension module may drop the exception without a word: ``PyObject_HasAttr`` and ``PyDict_GetItem`` clear whatever was
raised while they looked, SWIG's wrappers clear what went wrong in a conversion, and an optional import that fails is taken for
one that is not there. Importing what a run needs, one interrupt in eighty was lost so. Therefore `heed_interrupts` remembers
that one came, and every long loop asks `raise_lost` once a round.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what `signal` is written around
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

__all__ = ["DeferredInterrupt", "forget_interrupts", "heed_interrupts", "interrupt", "raise_lost"]


_get_handler, _set_handler = _signal.getsignal, _signal.signal
"""CPython's own functions. Those of `signal` look for each handler among the members of an enumeration: 10 us a call, these 0.1."""

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that exist here: Windows has no terminals to hang up."""


class _Asked:
    """True if an interrupt came that `raise_lost` has not raised yet."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False


_asked = _Asked()


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal: remember that it came, and raise KeyboardInterrupt."""
    _asked.is_set = True
    raise KeyboardInterrupt


def heed_interrupts() -> None:
    """Let SIGINT be remembered, unless the caller of the program wants it ignored; to be called on the main thread, before slow imports."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)


def raise_lost() -> None:
    """Raise KeyboardInterrupt if one was raised since the last call, and therefore lost: who catches one stops its loop.

    On another thread than the main one it does nothing.
    """
    if _asked.is_set and threading.current_thread() is threading.main_thread():
        _asked.is_set = False
        raise KeyboardInterrupt


def forget_interrupts() -> None:
    """The run is over: what came while it lasted does not count for the next one in this process."""
    _asked.is_set = False


class DeferredInterrupt:
    """Context that notes SIGINT, and requests to terminate that count as one, and hands it to the previous handler on leaving.

    A signal whose handler is not Python's is left alone. Outside the main thread it does nothing.
    """

    __slots__ = ("_previous", "_received")

    def __enter__(self) -> DeferredInterrupt:
        self._received: tuple[int, FrameType | None] | None = None
        self._previous: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                handler = _get_handler(number)
                if handler is interrupt or (callable(handler) and number == signal.SIGINT):
                    self._previous[number] = handler
                    _set_handler(number, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._previous.items():
            _set_handler(number, handler)
        if self._received is not None:
            self._previous[self._received[0]](*self._received)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._received = (number, frame)
