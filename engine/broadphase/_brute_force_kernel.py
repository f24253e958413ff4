"""All pairs of boxes, tested one by one; and all boxes against a region or a ray. The time grows with the square of the number of boxes."""

from __future__ import annotations

import numpy as np

from engine.broadphase._boxes_kernel import boxes_meet, is_met, query_at
from engine.broadphase._keys_kernel import FIRST_ROOM, SHIFT, key_of, more_room
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["met_boxes", "overlapping_pairs"]


@kernel
def overlapping_pairs(boxes: FloatArray) -> IntArray:
    """Return the keys of the pairs of `boxes` (n, 4) that overlap."""
    n = boxes.shape[0]
    keys: IntArray = np.empty(FIRST_ROOM * (n + 1), dtype=np.int64)
    n_keys = 0
    for i in range(n):
        keys = more_room(keys, n_keys, n)
        for j in range(i + 1, n):
            # always written, kept if they overlap: cheaper than an unpredictable branch
            keys[n_keys] = key_of(i, j)
            n_keys += int(boxes_meet(boxes, i, boxes, j))
    return keys[:n_keys]


@kernel
def met_boxes(boxes: FloatArray, queries: FloatArray) -> IntArray:
    """Return keys, ``query << 32 | box``, of queries, as in `query_at`, and the boxes that they meet, in order."""
    keys: IntArray = np.empty(FIRST_ROOM * (queries.shape[0] + 1), dtype=np.int64)
    n_keys = 0
    for row in range(queries.shape[0]):
        query = query_at(queries, row)
        keys = more_room(keys, n_keys, boxes.shape[0])
        for i in range(boxes.shape[0]):
            keys[n_keys] = (np.int64(row) << SHIFT) | np.int64(i)
            n_keys += int(is_met(queries, query, boxes, i))
    return keys[:n_keys]
