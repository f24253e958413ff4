"""Questions to a tree that changes, and its pairs, kept from one time to the next.

Fat boxes lead the way down; whether a leaf is meant is decided by its tight box, so that the answers are those of brute force. What waits
on the way are right siblings, one for each level, and the last left child: the stack has as many places as the root's height says, plus
two.

**Pairs that are kept** (`_kept_pairs_kernel`). Only the boxes that moved are asked about; two that both moved meet when the one with
the smaller number is.

A few that moved are asked about one by one. Of more a tree is made, and asked against the whole (`_tree_pairs_kernel`): one by
one they come in the order of their numbers, from all over the plane, and what one has fetched into the cache is of no use to the next.

Sources: E. Catto, Box2D's b2BroadPhase (move buffer); C. Ericson, Real-Time Collision Detection, 2005, 6.3.
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._boxes_kernel import boxes_meet
from engine.broadphase._dynamic_tree_kernel import LEFT, RIGHT, ROOT, MarkArray
from engine.broadphase._ray_kernel import segment_meets_box
from engine.broadphase._rows_kernel import more_room, sorted_rows
from engine.broadphase._tree_query_kernel import ROOM
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, kernel

__all__ = ["met_leaves", "once_each", "overlapped_leaves", "pairs_of_moved"]


@allocating_kernel
def _stack(heights: IntArray, state: IntArray) -> IntArray:
    return np.empty((heights[state[ROOT]] if state[ROOT] >= 0 else 0) + 2, dtype=np.int64)


@kernel
def overlapped_leaves(
    regions: FloatArray, tight: FloatArray, boxes: FloatArray, links: IntArray, heights: IntArray, state: IntArray, n: int
) -> IntArray:
    """Return the rows of region and proxy that overlap, in order; numbers of both are below `n`."""
    found: IntArray = np.empty((ROOM, 2), dtype=np.int64)
    waiting = _stack(heights, state)
    n_found = 0
    for row in range(regions.shape[0] if state[ROOT] >= 0 else 0):
        waiting[0], n_waiting = state[ROOT], 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            if not boxes_meet(boxes, node, regions, row):
                continue
            if node & 1:
                waiting[n_waiting], waiting[n_waiting + 1] = links[node, RIGHT], links[node, LEFT]
                n_waiting += 2
            elif boxes_meet(tight, node >> 1, regions, row):
                found = more_room(found, n_found, 1)
                found[n_found, 0], found[n_found, 1] = row, node >> 1
                n_found += 1
    return sorted_rows(found, n_found, n)


@kernel
def met_leaves(
    origins: FloatArray,
    translations: FloatArray,
    tight: FloatArray,
    boxes: FloatArray,
    links: IntArray,
    heights: IntArray,
    state: IntArray,
    n: int,
) -> IntArray:
    """Return the rows of ray and proxy that meet, in order; numbers of both are below `n`."""
    found: IntArray = np.empty((ROOM, 2), dtype=np.int64)
    waiting = _stack(heights, state)
    n_found = 0
    for row in range(origins.shape[0] if state[ROOT] >= 0 else 0):
        ox, oy, dx, dy = origins[row, 0], origins[row, 1], translations[row, 0], translations[row, 1]
        waiting[0], n_waiting = state[ROOT], 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            if not segment_meets_box(ox, oy, dx, dy, boxes, node):
                continue
            if node & 1:
                waiting[n_waiting], waiting[n_waiting + 1] = links[node, RIGHT], links[node, LEFT]
                n_waiting += 2
            elif segment_meets_box(ox, oy, dx, dy, tight, node >> 1):
                found = more_room(found, n_found, 1)
                found[n_found, 0], found[n_found, 1] = row, node >> 1
                n_found += 1
    return sorted_rows(found, n_found, n)


@kernel
def pairs_of_moved(
    moved: IntArray,
    is_moved: MarkArray,
    tight: FloatArray,
    boxes: FloatArray,
    links: IntArray,
    heights: IntArray,
    state: IntArray,
) -> tuple[IntArray, int]:
    """Return rows whose first ones are all pairs with a box of `moved` in them, smaller number first, in no order, and how many."""
    found: IntArray = np.empty((ROOM, 2), dtype=np.int64)
    waiting = _stack(heights, state)
    n_found = 0
    for k in range(moved.shape[0]):
        i = moved[k]
        waiting[0], n_waiting = state[ROOT], 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            if not boxes_meet(boxes, node, tight, i):
                continue
            if node & 1:
                waiting[n_waiting], waiting[n_waiting + 1] = links[node, RIGHT], links[node, LEFT]
                n_waiting += 2
                continue
            j = node >> 1
            if boxes_meet(tight, i, tight, j) and (i < j or (is_moved[j] == 0 and i != j)):
                found = more_room(found, n_found, 1)
                found[n_found, 0], found[n_found, 1] = min(i, j), max(i, j)
                n_found += 1
    return found, n_found


@kernel
def once_each(found: IntArray, n_found: int, is_moved: MarkArray) -> int:
    """Keep of pairs (one that moved, any) each once, the smaller number first, and return how many; two that moved were found twice."""
    end = 0
    for k in range(n_found):
        i, j = found[k, 0], found[k, 1]
        if i < j or (is_moved[j] == 0 and i != j):
            found[end, 0], found[end, 1] = min(i, j), max(i, j)
            end += 1
    return end
