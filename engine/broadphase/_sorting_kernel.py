"""Pairs found in any order, put in order: a counting sort by the second index, then one by the first.

A counting sort keeps the order of equals, so that after the second one the pairs of one first index are still sorted by their
second. It takes no longer for a floor that everything lies on than for boxes with a few partners each, and has no branch for the
processor to guess wrong.

Source: D. Knuth, The Art of Computer Programming 3, 5.2 (distribution counting) and 5.2.5 (radix sorting).
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["FIRST_ROOM", "name_pairs", "sorted_pairs"]

FIRST_ROOM = 8
"""Pairs for each box that whoever looks for them has room for at first; the room doubles when it is used up."""


@inlined_kernel
def name_pairs(found: IntArray, low: np.uint64, high: np.uint64, i: int, index: IntArray) -> None:
    """Make pairs of rows `low` to `high`: of box `i` with each box whose place in the sorted list stands in the second column."""
    for k in range(low, high):
        j = index[found[k, 1]]
        found[k, 0], found[k, 1] = min(i, j), max(i, j)


@inlined_kernel
def _sort_by(column: int, pairs: IntArray, n_pairs: int, n: int, result: IntArray) -> None:
    """Write the first `n_pairs` pairs to `result`, by the numbers below `n` in `column`, equal ones in their old order."""
    place = np.zeros(n + 1, dtype=np.int64)
    for k in range(n_pairs):
        place[np.uint64(pairs[k, column]) + np.uint64(1)] += 1
    for i in range(n):
        place[i + 1] += place[i]
    for k in range(n_pairs):
        of = np.uint64(pairs[k, column])
        to = np.uint64(place[of])
        place[of] += 1
        result[to, 0], result[to, 1] = pairs[k, 0], pairs[k, 1]


@kernel
def sorted_pairs(found: IntArray, n_found: int, n: int) -> IntArray:
    """Return the first `n_found` pairs of numbers below `n`, sorted; `found` is used up.

    The first sort goes to the result and the second back: one more array, fresh from the operating system, would cost more than the copy.
    """
    pairs = np.empty((n_found, 2), dtype=np.int64)
    _sort_by(1, found, n_found, n, pairs)
    _sort_by(0, pairs, n_found, n, found)
    pairs[:, :] = found[:n_found]
    return pairs
