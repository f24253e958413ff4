"""Pairs kept from one time to the next, where only some of the boxes have changed.

Of the pairs found last time those between boxes that have not changed still hold. Those that changed are asked about again, what they
find is sorted, and merged with what is left of the old ones, which is sorted already::

    old    (0,4) (1,2) (2,7) (3,5)      2 has changed: drop (1,2), (2,7)
    found  (2,3) (2,9)                  ask about box 2
    new    (0,4) (2,3) (2,9) (3,5)      one pass over both
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import IntArray
from engine.common.jit import kernel

__all__ = ["merge_pairs"]


@kernel
def merge_pairs(kept: IntArray, n_kept: int, is_changed: NDArray[np.uint8] | NDArray[np.bool_], found: IntArray, merged: IntArray) -> int:
    """Write to `merged` the first `n_kept` sorted pairs of `kept` in which nothing has changed, and the sorted ones of `found`, in order;
    return how many.

    No pair is in both; `merged` has room for all.
    """
    n_found = found.shape[0]
    end = at = 0
    for k in range(n_kept):
        i, j = kept[k, 0], kept[k, 1]
        if (is_changed[i] | is_changed[j]) != 0:
            continue
        while at < n_found and (found[at, 0] < i or (found[at, 0] == i and found[at, 1] < j)):
            merged[end, 0], merged[end, 1] = found[at, 0], found[at, 1]
            end, at = end + 1, at + 1
        merged[end, 0], merged[end, 1] = i, j
        end += 1
    for k in range(at, n_found):
        merged[end, 0], merged[end, 1] = found[k, 0], found[k, 1]
        end += 1
    return end
