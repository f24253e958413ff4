"""All pairs of boxes, tested one by one; and all boxes against a region or a ray.

Cost grows with the square of the number of boxes. The first pass counts, the second writes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.broadphase._boxes_kernel import boxes_meet
from engine.broadphase._ray_kernel import segment_meets_box
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["met_by_rays", "overlapped_by_regions", "overlapping_pairs"]


@kernel
def overlapping_pairs(boxes: FloatArray) -> IntArray:
    """Return the pairs (n, 2) of `boxes` (m, 4) that overlap, in order."""
    n_boxes, n_pairs = boxes.shape[0], 0
    for i in range(n_boxes):
        for j in range(i + 1, n_boxes):
            if boxes_meet(boxes, i, boxes, j):
                n_pairs += 1
    pairs = np.empty((n_pairs, 2), dtype=np.int64)
    at = 0
    for i in range(n_boxes):
        for j in range(i + 1, n_boxes):
            if boxes_meet(boxes, i, boxes, j):
                pairs[at, 0], pairs[at, 1] = i, j
                at += 1
    return pairs


@kernel
def overlapped_by_regions(boxes: FloatArray, is_live: NDArray[np.bool_], regions: FloatArray) -> IntArray:
    """Return rows (n, 2) of region and live box that overlap, in order."""
    n_found = 0
    for row in range(regions.shape[0]):
        for i in range(boxes.shape[0]):
            if is_live[i] and boxes_meet(regions, row, boxes, i):
                n_found += 1
    found = np.empty((n_found, 2), dtype=np.int64)
    at = 0
    for row in range(regions.shape[0]):
        for i in range(boxes.shape[0]):
            if is_live[i] and boxes_meet(regions, row, boxes, i):
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
