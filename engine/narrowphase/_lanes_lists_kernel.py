"""How pairs of like sizes come together in the lanes: sorted before, or on lists as they come.

On lists pairs wait until as many of like sizes have come as there are lanes. They are looked at in the order in which they come, and each
is put on the list of its two sizes, A's and B's counted apart; as soon as a list is full its pairs go through. So all that a block needs is
in the cache still, and the only memory gone through is the caller's. What the lists hold at the end goes together, as many as there are
lanes at a time, with the slots of the largest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import IntArray
from engine.common.jit import allocating_kernel, inlined_kernel

__all__ = ["gather", "sort_by_class"]


@allocating_kernel
def sort_by_class(of_row: NDArray[np.uint8], n_classes: int, rows: IntArray) -> IntArray:
    """Sort the numbers of all rows by their class into `rows`, each class in its old order; return where the classes begin and end."""
    begin = np.zeros(n_classes + 1, dtype=np.int64)
    for row in range(of_row.shape[0]):
        begin[of_row[row] + 1] += 1
    for found in range(n_classes):
        begin[found + 1] += begin[found]
    at = begin[:n_classes].copy()
    for row in range(of_row.shape[0]):
        rows[at[of_row[row]]] = row
        at[of_row[row]] += 1
    return begin


@inlined_kernel
def gather(waiting: IntArray, n_waiting: IntArray, room_of_list: int, n_sizes: int, largest: int, together: IntArray, most: int) -> int:
    """Move rows of no larger sizes than `largest` from all lists into `together`, at most `most`; return how many.

    List ``n_sizes * size_a + size_b`` holds its `n_waiting` rows in `waiting` from ``room_of_list`` times its number on.
    """
    n = 0
    for number in range(n_sizes * n_sizes):
        if max(number // n_sizes, number % n_sizes) <= largest:
            while n_waiting[number] > 0 and n < most:
                n_waiting[number] -= 1
                together[n] = waiting[number * room_of_list + n_waiting[number]]
                n += 1
    return n
