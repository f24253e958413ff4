"""All pairs of boxes, tested one by one; and all boxes against a region or a ray.

The time grows with the square of the number of boxes. For pairs, the first pass counts and the second writes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.broadphase._boxes_kernel import boxes_meet, is_met, query_at
from engine.broadphase._sorting_kernel import FIRST_ROOM, more_room
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["met_boxes", "overlapping_pairs"]


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
def met_boxes(boxes: FloatArray, is_live: NDArray[np.bool_], queries: FloatArray) -> IntArray:
    """Return rows (n, 2) of query, as in `query_at`, and overlapping live box, in order."""
    rows: IntArray = np.empty((FIRST_ROOM * (queries.shape[0] + 1), 2), dtype=np.int64)
    n_rows = 0
    for row in range(queries.shape[0]):
        query = query_at(queries, row)
        rows = more_room(rows, n_rows, boxes.shape[0])
        for i in range(boxes.shape[0]):
            # always written, kept if they overlap: cheaper than an unpredictable branch
            rows[n_rows, 0], rows[n_rows, 1] = row, i
            n_rows += int(is_live[i] and is_met(queries, query, boxes, i))
    return rows[:n_rows].copy()
