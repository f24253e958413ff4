"""All pairs of boxes, tested one by one; and all boxes against a region or a ray.

Two boxes share a point exactly when their shadows on both axes do::

      lower_a      upper_a
        |------------|                       lower_b <= upper_a  and  lower_a <= upper_b
                 |----------|                      on x and on y
              lower_b    upper_b

Cost grows with the square of the number of boxes. The first pass counts, the second writes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.broadphase._ray_kernel import segment_meets_box
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["boxes_overlap", "met_by_rays", "overlapped_by_regions", "overlapping_pairs"]


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


@inlined_kernel
def _is_in(regions: FloatArray, row: int, boxes: FloatArray, i: int) -> bool:
    in_x = (regions[row, 0] <= boxes[i, 2]) & (boxes[i, 0] <= regions[row, 2])
    in_y = (regions[row, 1] <= boxes[i, 3]) & (boxes[i, 1] <= regions[row, 3])
    return bool(in_x & in_y)


@kernel
def overlapped_by_regions(boxes: FloatArray, is_live: NDArray[np.bool_], regions: FloatArray) -> IntArray:
    """Return rows (n, 2) of region and live box that overlap, in order."""
    n_found = 0
    for row in range(regions.shape[0]):
        for i in range(boxes.shape[0]):
            if is_live[i] and _is_in(regions, row, boxes, i):
                n_found += 1
    found = np.empty((n_found, 2), dtype=np.int64)
    at = 0
    for row in range(regions.shape[0]):
        for i in range(boxes.shape[0]):
            if is_live[i] and _is_in(regions, row, boxes, i):
                found[at, 0], found[at, 1] = row, i
                at += 1
    return found


@kernel
def met_by_rays(boxes: FloatArray, is_live: NDArray[np.bool_], origins: FloatArray, translations: FloatArray) -> IntArray:
    """Return rows (n, 2) of segment and live box that meet, in order."""
    n_found = 0
    for row in range(origins.shape[0]):
        ox, oy, dx, dy = origins[row, 0], origins[row, 1], translations[row, 0], translations[row, 1]
        for i in range(boxes.shape[0]):
            if is_live[i] and segment_meets_box(ox, oy, dx, dy, boxes, i):
                n_found += 1
    found = np.empty((n_found, 2), dtype=np.int64)
    at = 0
    for row in range(origins.shape[0]):
        ox, oy, dx, dy = origins[row, 0], origins[row, 1], translations[row, 0], translations[row, 1]
        for i in range(boxes.shape[0]):
            if is_live[i] and segment_meets_box(ox, oy, dx, dy, boxes, i):
                found[at, 0], found[at, 1] = row, i
                at += 1
    return found
