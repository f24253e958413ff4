"""A shorter thread switch interval while worker threads run at the same time as the window.

By default, Python lets a thread keep the GIL for 5 ms. Each call into pygame releases the GIL, and a frame makes fifty such calls, so a
frame would take a quarter of a second while another thread computes. The interval applies to all threads of the program; users of the short
interval are therefore counted, and the last one restores the previous interval.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["short_turns"]

_SHORT = 0.0005
"""Switch interval, seconds."""


class _Turns:
    def __init__(self) -> None:
        self.lock = Lock()
        self.n = 0
        self.before = 0.0


_TURNS = _Turns()


@contextmanager
def short_turns() -> Iterator[None]:
    """Shorten the thread switch interval for the duration of the with block.

    Examples
    --------
    >>> before = sys.getswitchinterval()
    >>> with short_turns():
    ...     with short_turns():
    ...         pass
    ...     round(1e6 * sys.getswitchinterval())
    500
    >>> sys.getswitchinterval() == before
    True
    """
    with _TURNS.lock:
        if _TURNS.n == 0:
            _TURNS.before = sys.getswitchinterval()
            sys.setswitchinterval(min(_SHORT, _TURNS.before))
        _TURNS.n += 1
    try:
        yield
    finally:
        with _TURNS.lock:
            _TURNS.n -= 1
            if _TURNS.n == 0:
                sys.setswitchinterval(_TURNS.before)
