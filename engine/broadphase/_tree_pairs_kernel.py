"""The overlapping pairs of a tree with itself, and of one tree with another, by descending in both at once.

Two nodes whose boxes are apart have no pair of overlapping boxes below them, and are dropped together. Else the larger of the two
subtrees is opened and both its halves are paired with the other node, until leaves are left, whose boxes are compared one by one::

    (A, B)   apart: done                             A           B
             both leaves: compare their boxes       / \\   x     / \\
             A larger:  (A left, B), (A right, B)  .   .       .   .
             else:      (A, B left), (A, B right)

A tree against itself: two boxes meet at one node only, where one is below its left child and the other below its right one. So
each inner node in turn pairs its two children as above, each leaf compares its boxes with one another, and each pair is seen once.

**Stack.** Opening replaces one waiting pair of nodes by two, one more than before, and goes down one node in one of the trees. On the way
to any pair of nodes at most ``height of A + height of B`` are opened, so that never more than this plus one wait. (The two halves are put
on top and dealt with before what waits below.)

**Leaves.** First those boxes of the left leaf that overlap the right leaf's whole box, then each of these with all of the right leaf.
Places are written in any case and kept if the boxes overlap: cheaper than a branch that nobody can foresee. (`_eight_kernel`, which
writes two lists, takes longer here.)

Sources: C. Ericson, Real-Time Collision Detection, 2005, 6.3 (simultaneous descent), 6.3.2 (opening the larger); E. Catto, Dynamic
bounding volume hierarchies, GDC 2019.
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._key_sort_kernel import KeyArray
from engine.broadphase._sorting_kernel import FIRST_ROOM
from engine.broadphase._tree_kernel import LEAF_SIZE
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["SHIFT", "found_between", "found_within"]

ONE = np.uint64(1)

SHIFT = np.uint64(32)
"""A pair is one word: the place of its first box above, that of the other below."""

Index = int | np.uint64
"""Where it is unsigned, the code that wraps negative ones around is spared."""

MOST_AT_ONCE = LEAF_SIZE * LEAF_SIZE + 1
"""Places that two leaves may add, and the one that is written beyond the end."""


@inlined_kernel
def _apart(a: FloatArray, i: Index, b: FloatArray, j: Index) -> bool:
    """Tell whether two closed boxes share no point."""
    in_x = (a[i, 0] <= b[j, 2]) & (b[j, 0] <= a[i, 2])
    in_y = (a[i, 1] <= b[j, 3]) & (b[j, 1] <= a[i, 3])
    return not (in_x & in_y)


@inlined_kernel
def _longer(found: KeyArray, n_found: np.uint64, length: int) -> KeyArray:
    """Return a copy with so many places."""
    longer = np.empty(length, dtype=np.uint64)
    for k in range(n_found):
        longer[k] = found[k]
    return longer


@inlined_kernel
def _compare(boxes: FloatArray, i: Index, others: FloatArray, low: Index, high: Index, found: KeyArray, n_found: np.uint64) -> np.uint64:
    """Write the place of box `i` with that of each of `others` from `low` up to `high` that overlaps it, and return the new end.

    In one word: written to two lists the pairs take a quarter to two thirds more time (measured).
    """
    x0, y0, x1, y1 = boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3]
    end, own = n_found, np.uint64(i) << SHIFT
    for j in range(np.uint64(low), np.uint64(high)):
        found[end] = own | j
        in_x = (x0 <= others[j, 2]) & (others[j, 0] <= x1)
        in_y = (y0 <= others[j, 3]) & (others[j, 1] <= y1)
        end += np.uint64(in_x & in_y)
    return end


@kernel
def found_within(nodes: FloatArray, sizes: IntArray, first: IntArray, item_boxes: FloatArray, height: int) -> tuple[KeyArray, int]:
    """Return a list whose first words are the places of the items that overlap, and how many; each pair once, in no order."""
    room = FIRST_ROOM * item_boxes.shape[0] + MOST_AT_ONCE
    found: KeyArray = np.empty(room, dtype=np.uint64)
    end = np.uint64(0)
    waiting = np.empty((2 * height + 2, 2), dtype=np.int64)
    for node in range(sizes.shape[0]):
        if end + np.uint64(MOST_AT_ONCE) > np.uint64(room):
            room *= 2
            found = _longer(found, end, room)
        if sizes[node] == 1:
            low, high = first[node], first[node + 1]
            for k in range(low, high):
                end = _compare(item_boxes, k, item_boxes, k + 1, high, found, end)
            continue
        waiting[0, 0], waiting[0, 1] = node + 1, node + 1 + sizes[node + 1]
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            a, b = np.uint64(waiting[n_waiting, 0]), np.uint64(waiting[n_waiting, 1])
            if _apart(nodes, a, nodes, b):
                continue
            size_a, size_b = sizes[a], sizes[b]
            if size_a == 1 and size_b == 1:
                if end + np.uint64(MOST_AT_ONCE) > np.uint64(room):
                    room *= 2
                    found = _longer(found, end, room)
                low, high = first[b], first[b + ONE]
                for k in range(np.uint64(first[a]), np.uint64(first[a + ONE])):
                    if not _apart(item_boxes, k, nodes, b):
                        end = _compare(item_boxes, k, item_boxes, low, high, found, end)
            elif size_a >= size_b:
                left = int(a) + 1
                waiting[n_waiting, 0], waiting[n_waiting, 1] = left, b
                waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = left + sizes[left], b
                n_waiting += 2
            else:
                left = int(b) + 1
                waiting[n_waiting, 0], waiting[n_waiting, 1] = a, left
                waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = a, left + sizes[left]
                n_waiting += 2
    return found, int(end)


@kernel
def found_between(
    nodes_a: FloatArray,
    sizes_a: IntArray,
    first_a: IntArray,
    item_boxes_a: FloatArray,
    height_a: int,
    nodes_b: FloatArray,
    sizes_b: IntArray,
    first_b: IntArray,
    item_boxes_b: FloatArray,
    height_b: int,
) -> tuple[KeyArray, int]:
    """Return a list whose first words are the places of items of tree A and of tree B that overlap, and how many; in no order."""
    room = FIRST_ROOM * min(item_boxes_a.shape[0], item_boxes_b.shape[0]) + MOST_AT_ONCE
    found: KeyArray = np.empty(room, dtype=np.uint64)
    end = np.uint64(0)
    waiting = np.empty((height_a + height_b + 2, 2), dtype=np.int64)
    waiting[0, 0], waiting[0, 1] = 0, 0
    n_waiting = 1 if sizes_a.shape[0] > 0 and sizes_b.shape[0] > 0 else 0
    while n_waiting > 0:
        n_waiting -= 1
        a, b = np.uint64(waiting[n_waiting, 0]), np.uint64(waiting[n_waiting, 1])
        if _apart(nodes_a, a, nodes_b, b):
            continue
        size_a, size_b = sizes_a[a], sizes_b[b]
        if size_a == 1 and size_b == 1:
            if end + np.uint64(MOST_AT_ONCE) > np.uint64(room):
                room *= 2
                found = _longer(found, end, room)
            low, high = first_b[b], first_b[b + ONE]
            for k in range(np.uint64(first_a[a]), np.uint64(first_a[a + ONE])):
                if not _apart(item_boxes_a, k, nodes_b, b):
                    end = _compare(item_boxes_a, k, item_boxes_b, low, high, found, end)
        elif size_a >= size_b:
            left = int(a) + 1
            waiting[n_waiting, 0], waiting[n_waiting, 1] = left, b
            waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = left + sizes_a[left], b
            n_waiting += 2
        else:
            left = int(b) + 1
            waiting[n_waiting, 0], waiting[n_waiting, 1] = a, left
            waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = a, left + sizes_b[left]
            n_waiting += 2
    return found, int(end)
