"""Short turns for threads that work beside the window.

Python lets a thread keep the interpreter for 5 ms. Each call into pygame lets go of it, and a frame makes fifty such calls: beside a thread
that computes it would take a quarter of a second. How long a turn is holds for all threads of the program, so those that want short ones
are counted, and the last of them puts back what was.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["short_turns"]

_SHORT = 0.0005
"""Seconds."""


class _Turns:
    def __init__(self) -> None:
        self.lock = Lock()
        self.n = 0
        self.before = 0.0


_TURNS = _Turns()


@contextmanager
def short_turns() -> Iterator[None]:
    """Let threads take turns more often while this lasts.

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
