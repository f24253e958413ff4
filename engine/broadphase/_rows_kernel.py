"""Rows of question and proxy put in order, where the questions come one after the other and the proxies of each in any order.

Many rows go through the counting sort of `_sorting_kernel`, which takes a step for every box there is; few are sorted by themselves, by
Shell's sort: insertion first over wide gaps, then over narrower ones, so that nothing creeps far::

    gaps ... 13, 4, 1:   x . . . x . . . x      each x in order among themselves, then the next gap

Source: D. Knuth, The Art of Computer Programming 3, 5.2.1 (Shell's sort; gaps 3 h + 1: at most about n^1.5 steps).
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._sorting_kernel import sorted_pairs
from engine.common.arrays import IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["more_room", "sorted_rows"]

COUNTING_FROM = 8
"""Boxes to a row, from which the counting sort takes longer (measured: within a tenth from 4 to 16)."""


@inlined_kernel
def more_room(found: IntArray, n_found: int, wanted: int) -> IntArray:
    """Return `found`, or a larger array with its first `n_found` rows if it has no room for `wanted` rows more."""
    if n_found + wanted > found.shape[0]:
        larger = np.empty((2 * found.shape[0] + wanted, 2), dtype=np.int64)
        for k in range(n_found):  # written out: to assign a slice, the compiler builds its error's text for four seconds
            larger[k, 0], larger[k, 1] = found[k, 0], found[k, 1]
        return larger
    return found


@inlined_kernel
def _sort_column(found: IntArray, low: int, high: int) -> None:
    """Sort the second column of rows `low` to `high`."""
    gap = 1
    while gap < (high - low) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(low + gap, high):
            proxy, to = found[k, 1], k
            while to >= low + gap and found[to - gap, 1] > proxy:
                found[to, 1] = found[to - gap, 1]
                to -= gap
            found[to, 1] = proxy
        gap //= 3


@kernel
def sorted_rows(found: IntArray, n_found: int, n: int) -> IntArray:
    """Return the first `n_found` rows of question and proxy in order; the first column, in order, and the second are below `n`.

    `found` is used up.
    """
    if n_found * COUNTING_FROM > n:
        return sorted_pairs(found, n_found, n)
    low = 0
    for k in range(1, n_found + 1):
        if k == n_found or found[k, 0] != found[low, 0]:
            _sort_column(found, low, k)
            low = k
    return found[:n_found].copy()
