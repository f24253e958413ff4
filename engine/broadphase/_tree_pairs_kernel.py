"""The overlapping pairs of a tree with itself, and of one tree with another, by descending in both at once.

Two nodes with disjoint boxes have no pair of overlapping boxes below them, and are skipped. Otherwise the larger of the two subtrees is
opened and both its children are paired with the other node, down to the leaves, whose boxes are compared one by one::

    (A, B)   apart: done                             A           B
             both leaves: compare their boxes       / \\   x     / \\
             A larger:  (A left, B), (A right, B)  .   .       .   .
             else:      (A, B left), (A, B right)

A tree against itself begins with the pair of its root and its root. A node paired with itself is opened into three, and its leaves compare
each box with those after it::

    (A, A)   inner:     (A left, A left), (A left, A right), (A right, A right)
             leaf:      compare its boxes with one another

Two boxes are compared at one such node only, where one is below its left child and the other below its right one, or in one leaf: each pair
is found once. (Separate traversals from each inner node's two children take as long with 10,000 boxes and a tenth longer with 100,000.)

**Stack.** Opening a node replaces one pair on the stack by two, and descends one level in one of the trees; opening a node paired with
itself replaces one by three, and descends one level in both. So on the way to any pair of nodes at most ``height of A + height of B`` are
added to the initial one, because the last pair is processed first.

**Leaves.** The boxes of the left leaf that overlap the right leaf's whole box are selected first, then each of these is compared with all
of the right leaf. Places are always written and kept if the boxes overlap, which is cheaper than an unpredictable branch. (Writing two
lists in SIMD lanes takes longer here.)

Sources: C. Ericson, Real-Time Collision Detection, 2005, 6.3 (simultaneous descent, and which of two nodes is opened); E. Catto, Dynamic
bounding volume hierarchies, GDC 2019.
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._boxes_kernel import Index, boxes_meet
from engine.broadphase._radix_kernel import KeyArray
from engine.broadphase._sorting_kernel import FIRST_ROOM
from engine.broadphase.tree import LEAF_SIZE, Tree
from engine.common.arrays import FloatArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel

__all__ = ["SHIFT", "pair_keys"]

ONE = np.uint64(1)

SHIFT = np.uint64(32)
"""A pair in one word: the place of its first box in the upper bits, that of the other in the lower ones."""

MAX_AT_ONCE = LEAF_SIZE * LEAF_SIZE + 1
"""Maximum number of pairs of two leaves, plus the one written beyond the end."""


@allocating_kernel
def _longer(keys: KeyArray, n_keys: np.uint64, length: int) -> KeyArray:
    """Return a copy with the given length."""
    longer = np.empty(length, dtype=np.uint64)
    for k in range(n_keys):
        longer[k] = keys[k]
    return longer


@inlined_kernel
def _compare(boxes: FloatArray, i: Index, others: FloatArray, low: Index, high: Index, keys: KeyArray, n_keys: np.uint64) -> np.uint64:
    """Write the place of box `i` with that of each of `others` from `low` up to `high` that overlaps it, and return the new end.

    Writing the pairs to two lists instead of one word takes a quarter to two thirds more time (measured).
    """
    x0, y0, x1, y1 = boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3]
    end, own = n_keys, np.uint64(i) << SHIFT
    for j in range(np.uint64(low), np.uint64(high)):
        keys[end] = own | j
        in_x = (x0 <= others[j, 2]) & (others[j, 0] <= x1)
        in_y = (y0 <= others[j, 3]) & (others[j, 1] <= y1)
        end += np.uint64(in_x & in_y)
    return end


@kernel
def pair_keys(tree_a: Tree, tree_b: Tree, is_same_tree: bool) -> tuple[KeyArray, int]:
    """Return a list whose first words are the places of overlapping items of tree A and of tree B, unordered, and their number.

    If both are declared to be the same tree, each pair is found once, and no item with itself.
    """
    nodes_a, sizes_a, first_a, _, item_boxes_a, height_a = tree_a
    nodes_b, sizes_b, first_b, _, item_boxes_b, height_b = tree_b
    room = FIRST_ROOM * min(item_boxes_a.shape[0], item_boxes_b.shape[0]) + MAX_AT_ONCE
    keys: KeyArray = np.empty(room, dtype=np.uint64)
    end = np.uint64(0)
    waiting = np.empty((height_a + height_b + 1, 2), dtype=np.int64)
    waiting[0, 0], waiting[0, 1] = 0, 0
    n_waiting = 1 if sizes_a.shape[0] > 0 and sizes_b.shape[0] > 0 else 0
    while n_waiting > 0:
        n_waiting -= 1
        a, b = np.uint64(waiting[n_waiting, 0]), np.uint64(waiting[n_waiting, 1])
        if not boxes_meet(nodes_a, a, nodes_b, b):
            continue
        size_a, size_b = sizes_a[a], sizes_b[b]
        is_itself = is_same_tree and a == b
        if size_a == 1 and size_b == 1:
            if end + np.uint64(MAX_AT_ONCE) > np.uint64(room):
                room *= 2
                keys = _longer(keys, end, room)
            low, high = first_b[b], first_b[b + ONE]
            if is_itself:
                for k in range(low, high):
                    end = _compare(item_boxes_a, k, item_boxes_b, k + 1, high, keys, end)
            else:
                for k in range(np.uint64(first_a[a]), np.uint64(first_a[a + ONE])):
                    if boxes_meet(item_boxes_a, k, nodes_b, b):
                        end = _compare(item_boxes_a, k, item_boxes_b, low, high, keys, end)
        elif size_a >= size_b:
            left = int(a) + 1
            right = left + sizes_a[left]
            if is_itself:
                waiting[n_waiting, 0], waiting[n_waiting, 1] = right, right
                waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = left, right
                waiting[n_waiting + 2, 0], waiting[n_waiting + 2, 1] = left, left
                n_waiting += 3
            else:
                waiting[n_waiting, 0], waiting[n_waiting, 1] = left, b
                waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = right, b
                n_waiting += 2
        else:
            left = int(b) + 1
            waiting[n_waiting, 0], waiting[n_waiting, 1] = a, left
            waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = a, left + sizes_b[left]
            n_waiting += 2
    return keys, int(end)
