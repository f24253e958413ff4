"""All pairs of boxes, tested one by one.

Two boxes share a point exactly when their shadows on both axes do::

      lower_a      upper_a
        |------------|                       lower_b <= upper_a  and  lower_a <= upper_b
                 |----------|                      on x and on y
              lower_b    upper_b

Cost grows with the square of the number of boxes. The first pass counts, the second writes.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["boxes_overlap", "overlapping_pairs"]


@inlined_kernel
def boxes_overlap(boxes: FloatArray, i: int, j: int) -> bool:
    """Tell whether two closed boxes share a point."""
    in_x = (boxes[i, 0] <= boxes[j, 2]) & (boxes[j, 0] <= boxes[i, 2])
    in_y = (boxes[i, 1] <= boxes[j, 3]) & (boxes[j, 1] <= boxes[i, 3])
    return bool(in_x & in_y)


@kernel
def overlapping_pairs(boxes: FloatArray) -> IntArray:
    """Return the pairs (n, 2) of `boxes` (m, 4) that overlap, in order."""
    n_boxes, n_pairs = boxes.shape[0], 0
    for i in range(n_boxes):
        for j in range(i + 1, n_boxes):
            if boxes_overlap(boxes, i, j):
                n_pairs += 1
    pairs = np.empty((n_pairs, 2), dtype=np.int64)
    at = 0
    for i in range(n_boxes):
        for j in range(i + 1, n_boxes):
            if boxes_overlap(boxes, i, j):
                pairs[at, 0], pairs[at, 1] = i, j
                at += 1
    return pairs
