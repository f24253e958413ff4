"""Handling of Ctrl-C so that it does not interrupt a step or the loading of a kernel, and does not get lost in native code.

Python runs signal handlers between two bytecodes, including at the entry of a callback from C, before its `try` is reached. An exception
from a Box2D listener aborts the interpreter; one from llvmlite's object cache is printed and lost. While either runs, SIGINT (and a
termination request handled by `interrupt`) is therefore only recorded.

Elsewhere, an extension module may silently discard the exception: ``PyObject_HasAttr`` and ``PyDict_GetItem`` clear any error raised during
the lookup, SWIG wrappers clear conversion errors, and an optional import that fails is treated as a missing module. During the imports for
a run, one interrupt in eighty was lost this way. Therefore `heed_interrupts` records every interrupt, and each long loop calls `raise_lost`
once per iteration. Python reports an exception in a finalizer or in a weak reference callback, which cannot be caught, on standard error
("Exception ignored in"); an interrupt there is not an error of the program, and is recorded without a report.

Numba's compiler may not return to Python for many seconds, and runs inside deferred steps and callbacks that lose an exception. So
`ending_with_compiler` ends the process if an interrupt has not ended the compilation within 0.7 s.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the C module behind `signal`
import contextlib
import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from engine.common import compile_notice

__all__ = ["DeferredInterrupt", "ending_with_compiler", "forget_interrupts", "heed_interrupts", "interrupt", "raise_lost"]


_get_handler, _set_handler = _signal.getsignal, _signal.signal
"""CPython's C functions, which take 0.1 us per call. Those in `signal` also look up each handler in an enumeration, which takes 10 us."""

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals handled here, if the platform has them (Windows has no SIGHUP)."""


class _Pending:
    """Records whether an interrupt has arrived that `raise_lost` has not raised again yet, and when the last one was raised."""

    __slots__ = ("is_set", "raised_at")

    def __init__(self) -> None:
        self.is_set, self.raised_at = False, math.inf


_pending = _Pending()


def interrupt(number: int, frame: FrameType | None) -> None:
    """Signal handler: record the interrupt and raise KeyboardInterrupt."""
    _pending.is_set, _pending.raised_at = True, time.monotonic()
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
    _pending.is_set, _pending.raised_at = False, math.inf


_GRACE, _WATCHED, _DEFERRED = 0.7, 1.7, 60.0
"""Seconds after an interrupt during which a compilation may still end by itself, and after which none is looked for any more: the second is
for an interrupt that has been raised, the third for one that has not."""
INTERRUPTED = 130
"""Exit status of an interrupted command."""


@contextlib.contextmanager
def ending_with_compiler() -> Iterator[None]:
    """During the with block, end the process with status 130 if an interrupt cannot end a compilation.

    The signal itself is noticed by a thread, because the main thread may be in the compiler. The compiler's machine code calls release the
    interpreter, so that this thread can run. For the main thread only.
    """
    (wakes, woken), is_over = socket.socketpair(), threading.Event()
    woken.setblocking(False)
    before = signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch_compiler, args=(wakes, is_over), name="interrupts", daemon=True).start()
    try:
        yield
    finally:
        is_over.set()  # a later compilation in this process is not the interrupted one
        signal.set_wakeup_fd(before)
        woken.close()


def _watch_compiler(wakes: socket.socket, is_over: threading.Event) -> None:
    with wakes:
        while wakes.recv(64):
            arrived = time.monotonic()
            is_over.wait(_GRACE)
            while not is_over.is_set() and time.monotonic() < arrived + (_WATCHED if _pending.raised_at < math.inf else _DEFERRED):
                if _is_stuck():
                    with contextlib.suppress(OSError, ValueError, AttributeError):
                        sys.stderr.write("interrupted\n")
                        sys.stderr.flush()
                    os._exit(INTERRUPTED)
                is_over.wait(0.05)


def _is_stuck() -> bool:
    """Return whether a compilation outlasts an interrupt: one that has not been raised yet, or was raised within it and is lost."""
    if _pending.raised_at == math.inf:
        return compile_notice.began() is not None
    began = compile_notice.began(in_main_thread=True)
    return began is not None and began < _pending.raised_at


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
