"""Crowds: so many overlapping boxes that their pairs cannot be processed.

n bodies at one point have n^2/2 pairs: ten thousand bodies have fifty million, each costing some kilobytes and microseconds.

Each box is put in a cell of a grid whose spacing is the power of two below its shorter side, so two boxes in one cell of one spacing
overlap. A cell of c boxes has ``c (c - 1) / 2`` pairs; their sum is a lower bound of the number of pairs (hash collisions add an eighth of
a pair per box). It costs some nanoseconds per box.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["MOST_PAIRS", "crowding"]

MOST_PAIRS = 1_000_000
"""Maximum number of pairs of boxes in common cells: 1,400 bodies at one point. 20,000 boxes in a pile have none."""


@kernel
def crowding(boxes: FloatArray) -> int:
    """Return a lower bound of the number of overlapping pairs of boxes (n, 4), plus at most n / 8 on average."""
    counts, n_pairs = np.zeros(_room(len(boxes)), dtype=np.int64), 0
    for row in range(len(boxes)):
        place = _place(boxes[row], len(counts))
        if place >= 0:
            n_pairs += counts[place]
            counts[place] += 1
    return n_pairs


@inlined_kernel
def _room(n: int) -> int:
    size = 64
    while size < 4 * n:
        size *= 2
    return size


@inlined_kernel
def _place(box: FloatArray, size: int) -> int:
    """Return the index of the cell of a box (4,) in a hash table of `size` entries, a power of two; -1 if the box has no cell."""
    side = min(box[2] - box[0], box[3] - box[1])
    if not side > 0.0:
        return -1
    _, power = math.frexp(side)
    x = math.floor(math.ldexp(0.5 * (box[0] + box[2]), 1 - power))
    y = math.floor(math.ldexp(0.5 * (box[1] + box[3]), 1 - power))
    if not (abs(x) < 2.0**52 and abs(y) < 2.0**52):
        return -1
    place = (np.int64(x) * 73856093) ^ (np.int64(y) * 19349663) ^ (np.int64(power) * 83492791)
    place ^= place >> 17
    return int(place & (size - 1))
