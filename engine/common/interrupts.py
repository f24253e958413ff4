"""Ctrl-C waits until a step, or the loading of a kernel, is over.

Python delivers a signal between two bytecodes, also at the entry of a callback that C called, before its `try` is reached. Out of
a Box2D listener the exception aborts the interpreter; out of llvmlite's object cache it is printed and lost. So while either
runs, SIGINT is only noted.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

__all__ = ["DeferredInterrupt"]


class DeferredInterrupt:
    """Context that notes SIGINT and hands it to the previous handler on leaving; outside the main thread it does nothing."""

    __slots__ = ("_active", "_previous", "_received")

    def __enter__(self) -> DeferredInterrupt:
        self._received: tuple[int, FrameType | None] | None = None
        self._active = threading.current_thread() is threading.main_thread()
        if self._active:
            self._previous: Any = signal.getsignal(signal.SIGINT)
            self._active = callable(self._previous)
        if self._active:
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._active:
            return
        signal.signal(signal.SIGINT, self._previous)
        if self._received is not None:
            self._previous(*self._received)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._received = (number, frame)
