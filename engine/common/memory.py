"""Memory for the answers to many questions at once, used again when no caller holds it any more.

A page of fresh memory costs a visit to the operating system, half a microsecond on a virtual machine: for a batch of 10,000 pairs more
than computing the answers. The allocator would keep what was freed, but hands it back as soon as enough of it lies together, and
whether it does depends on what else the program has allocated: the same call then takes twice the time in one program and not in another.

So the pieces that answers lie in are pooled here. An answer is an ordinary array, a view of its piece, and holds a reference to it, as
do all views made of it. When the last of them has gone, only the one from here is left, and the piece may serve again: an answer may
be kept for ever, and nothing is ever written to it meanwhile.

Two threads may ask at once: a piece is taken out of the list while it is looked at, so that no other sees it.
"""

from __future__ import annotations

import sys
from collections import deque

import numpy as np

from engine.common.arrays import FloatArray

__all__ = ["LARGEST", "POOL_SIZE", "SMALLEST", "room"]

SMALLEST = 2**11
"""Numbers. Less, 16 KiB, the allocator serves from what it keeps anyway, and the search here would cost as much."""

LARGEST = 2**21
"""Numbers, 16 MiB: 120,000 manifolds. More is allocated anew each time and not kept, or one large question would hold it for ever."""

POOL_SIZE = 16
"""Pieces in the pool, for two questions in turn with poses and answers, the previous answers still held; at most 96 MiB."""

_SPARE = 8
"""One part in so many is added to a new piece, for the next question may be a little larger."""

_pieces: deque[FloatArray] = deque(maxlen=POOL_SIZE)


def _references_to_a_new_array() -> int:
    piece = np.empty(1)
    return sys.getrefcount(piece)


_ALONE = _references_to_a_new_array()
"""The value of `sys.getrefcount` for an array that only one local variable holds."""


def room(n: int) -> FloatArray:
    """Return a float64 array (n,) to write to, its contents arbitrary. Views of it hold it; a bare address does not."""
    if not SMALLEST <= n <= LARGEST:
        return np.empty(n)
    chosen, passed = None, []
    while chosen is None:
        try:
            piece = _pieces.pop()
        except IndexError:  # all are passed, or another thread has them
            chosen = np.empty(n + n // _SPARE)
        else:
            if n <= len(piece) <= 2 * n and sys.getrefcount(piece) == _ALONE:
                chosen = piece
            else:
                passed.append(piece)
    _pieces.extend(reversed(passed))
    _pieces.append(chosen)  # what has served last is looked at first: it is in the cache still
    return chosen[:n]
