"""Rows of question and proxy put in order, where the questions come one after the other and the proxies of each in any order.

Many rows go through the counting sort of `_sorting_kernel`, which takes a step for every box there is; few are sorted by themselves.
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._sorting_kernel import sort_few, sorted_pairs
from engine.common.arrays import IntArray
from engine.common.jit import allocating_kernel, kernel

__all__ = ["more_room", "sorted_rows"]

COUNTING_FROM = 8
"""Boxes to a row, from which the counting sort takes longer (measured: within a tenth from 4 to 16)."""


@allocating_kernel
def more_room(found: IntArray, n_found: int, wanted: int) -> IntArray:
    """Return `found`, or a larger array with its first `n_found` rows if it has no room for `wanted` rows more."""
    if n_found + wanted > found.shape[0]:
        larger = np.empty((2 * found.shape[0] + wanted, 2), dtype=np.int64)
        for k in range(n_found):  # written out: to assign a slice, the compiler builds its error's text for four seconds
            larger[k, 0], larger[k, 1] = found[k, 0], found[k, 1]
        return larger
    return found


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
            sort_few(found[:, 1], low, k)
            low = k
    return found[:n_found].copy()
