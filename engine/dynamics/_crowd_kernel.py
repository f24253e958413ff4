"""Crowds: so many overlapping boxes that not every pair can be processed.

n bodies at one point have n^2/2 pairs: ten thousand bodies have fifty million, each costing some kilobytes and microseconds. Overlaps so
deep have no correct solution; they only have to be resolved, and a body pushed by some of its neighbors leaves the heap, as do the others.

**Detection.** Each box is put in a cell of a grid whose spacing is the power of two below its shorter side, so two boxes in one cell of one
spacing overlap. A cell of c boxes has ``c (c - 1) / 2`` pairs; their sum is a lower bound of the number of pairs (hash collisions add an
eighth of a pair per box). It costs some nanoseconds per box.

**Selection.** The boxes are swept in the order of their left sides. A box in a cell with more than `MAX_PARTNERS` others is in the crowd
and has `MAX_PARTNERS` partners there; elsewhere a pair is omitted only if both have that many. So a box outside the crowd keeps all its
pairs. Partners that no contact moves are counted separately, so that a floor supports all boxes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["CROWD", "MAX_PARTNERS", "crowding", "pairs_of_crowd"]

CROWD = 20_000
"""Number of pairs of boxes in common cells above which a step has a crowd. 20,000 boxes in a pile have none."""

MAX_PARTNERS = 12
"""Maximum number of partners of a kind for a box in a crowd: twice the six that discs of one size have around them."""


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


@kernel
def pairs_of_crowd(boxes: FloatArray, order: IntArray, body: IntArray, is_driven: NDArray[np.bool_]) -> IntArray:
    """Return overlapping pairs (m, 2) of boxes (n, 4) of different bodies, at least one driven, lower row first; in a crowd, a subset.

    Parameters
    ----------
    order : int64 (n,)
        Rows of the boxes, from left to right.
    body : int64 (n,)
        Row of the body of each box.
    is_driven : bool (n,)
        Boxes of bodies that contacts can move.
    """
    n, n_pairs = len(boxes), 0
    counts, places = np.zeros(_room(n), dtype=np.int64), np.empty(n, dtype=np.int64)
    for row in range(n):
        places[row] = _place(boxes[row], len(counts))
        if places[row] >= 0:
            counts[places[row]] += 1
    partners = np.zeros((n, 2), dtype=np.int64)
    pairs = np.empty((2 * MAX_PARTNERS * n, 2), dtype=np.int64)
    for first in range(n):
        a = order[first]
        for second in range(first + 1, n):
            b = order[second]
            if boxes[b, 0] > boxes[a, 2]:
                break
            if boxes[b, 1] > boxes[a, 3] or boxes[b, 3] < boxes[a, 1] or body[a] == body[b] or not (is_driven[a] or is_driven[b]):
                continue
            kind_a, kind_b = 0 if is_driven[b] else 1, 0 if is_driven[a] else 1
            is_full_a = partners[a, kind_a] >= MAX_PARTNERS or not is_driven[a]
            is_full_b = partners[b, kind_b] >= MAX_PARTNERS or not is_driven[b]
            are_in_it = places[a] >= 0 and places[b] >= 0 and counts[places[a]] > MAX_PARTNERS and counts[places[b]] > MAX_PARTNERS
            if (is_full_a and is_full_b) or (are_in_it and is_driven[a] and is_driven[b] and (is_full_a or is_full_b)):
                continue
            partners[a, kind_a] += 1
            partners[b, kind_b] += 1
            pairs[n_pairs, 0], pairs[n_pairs, 1] = min(a, b), max(a, b)
            n_pairs += 1
    return pairs[:n_pairs]
