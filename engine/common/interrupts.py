"""Handling of Ctrl-C so that it does not interrupt a step or the loading of a kernel, and does not get lost in native code.

Python runs signal handlers between two bytecodes, including at the entry of a callback from C, before its `try` is reached. An exception
from a Box2D listener aborts the interpreter; one from llvmlite's object cache is printed and lost. While either runs, SIGINT (and a
termination request handled by `interrupt`) is therefore only recorded.

Elsewhere, an extension module may silently discard the exception: ``PyObject_HasAttr`` and ``PyDict_GetItem`` clear any error raised during
the lookup, SWIG wrappers clear conversion errors, and an optional import that fails is treated as a missing module. During the imports for
a run, one interrupt in eighty was lost this way. Therefore `heed_interrupts` records every interrupt, and each long loop calls `raise_lost`
once per iteration. Python reports an exception in a finalizer or in a weak reference callback, which cannot be caught, on standard error
("Exception ignored in"); an interrupt there is not an error of the program, and is recorded without a report.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the C module behind `signal`
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any

__all__ = ["DeferredInterrupt", "forget_interrupts", "heed_interrupts", "interrupt", "raise_lost"]


_get_handler, _set_handler = _signal.getsignal, _signal.signal
"""CPython's C functions, which take 0.1 us per call. Those in `signal` also look up each handler in an enumeration, which takes 10 us."""

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals handled here, if the platform has them (Windows has no SIGHUP)."""


class _Pending:
    """Records whether an interrupt has arrived that `raise_lost` has not raised again yet."""

    __slots__ = ("is_set",)

    def __init__(self) -> None:
        self.is_set = False


_pending = _Pending()


def interrupt(number: int, frame: FrameType | None) -> None:
    """Signal handler: record the interrupt and raise KeyboardInterrupt."""
    _pending.is_set = True
    raise KeyboardInterrupt


_report = sys.unraisablehook


def _report_errors(unraisable: sys.UnraisableHookArgs) -> None:
    """Report an uncatchable exception, unless it is an interrupt, which `raise_lost` raises again."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        _report(unraisable)


def heed_interrupts() -> None:
    """Install `interrupt` as handler of SIGINT unless the signal is ignored. Call it on the main thread, before slow imports."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
        sys.unraisablehook = _report_errors


def raise_lost() -> None:
    """Raise KeyboardInterrupt again if one was lost, that is, if it was raised since the last call but did not end the caller's loop.

    This function has no effect outside the main thread.
    """
    if _pending.is_set and threading.current_thread() is threading.main_thread():
        _pending.is_set = False
        raise KeyboardInterrupt


def forget_interrupts() -> None:
    """Clear the flag at the end of a run, so that it does not affect the next run in this process."""
    _pending.is_set = False


class DeferredInterrupt:
    """Context manager that defers SIGINT, and termination requests handled by `interrupt`, to the end of the with block.

    The last deferred signal is then passed to its previous handler. Signals without a Python handler are not deferred. The context
    manager has no effect outside the main thread.
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
