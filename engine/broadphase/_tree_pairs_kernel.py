"""The overlapping pairs of a tree, by descending in it twice at once.

Two nodes with disjoint boxes have no pair of overlapping boxes below them, and are skipped. Otherwise the larger of the two subtrees is
opened and both its children are paired with the other node, down to the leaves, whose boxes are compared one by one::

    (A, B)   apart: done                             A           B
             both leaves: compare their boxes       / \\   x     / \\
             A larger:  (A left, B), (A right, B)  .   .       .   .
             else:      (A, B left), (A, B right)

The descent begins with the pair of the root and itself. A node paired with itself is opened into three, and its leaves compare each box
with those after it::

    (A, A)   inner:     (A left, A left), (A left, A right), (A right, A right)
             leaf:      compare its boxes with one another

Two boxes are compared at one such node only, where one is below its left child and the other below its right one, or in one leaf: each pair
is found once.

**Stack.** Opening a node replaces one pair on the stack by two, and descends one level on one side; opening a node paired with itself
replaces one by three, and descends one level on both. So at most twice the height are added to the initial one.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 6.3 (simultaneous descent, and which of two nodes is opened); E. Catto, Dynamic
bounding volume hierarchies, GDC 2019.
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._boxes_kernel import boxes_meet
from engine.broadphase._keys_kernel import FIRST_ROOM, key_of, more_room
from engine.broadphase.tree import Tree
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["tree_pairs"]


@inlined_kernel
def _compare(items: IntArray, boxes: FloatArray, i: int, low: int, high: int, keys: IntArray, n_keys: int) -> int:
    """Write the keys of box `i` and each from `low` up to `high` that overlaps it, and return the new number of keys."""
    for j in range(low, high):
        # always written, kept if they overlap: cheaper than an unpredictable branch
        keys[n_keys] = key_of(items[i], items[j])
        n_keys += int(boxes_meet(boxes, i, boxes, j))
    return n_keys


@kernel
def tree_pairs(tree: Tree) -> IntArray:
    """Return the keys of the overlapping pairs of a tree's boxes."""
    nodes, sizes, first, items, boxes, height = tree
    keys: IntArray = np.empty(FIRST_ROOM * (items.shape[0] + 1), dtype=np.int64)
    waiting = np.empty((2 * height + 1, 2), dtype=np.int64)
    waiting[0, 0], waiting[0, 1] = 0, 0
    n_keys, n_waiting = 0, 1 if sizes.shape[0] > 0 else 0
    while n_waiting > 0:
        n_waiting -= 1
        a, b = waiting[n_waiting, 0], waiting[n_waiting, 1]
        if not boxes_meet(nodes, a, nodes, b):
            continue
        if sizes[a] == 1 and sizes[b] == 1:
            keys = more_room(keys, n_keys, (first[a + 1] - first[a]) * (first[b + 1] - first[b]) + 1)
            for k in range(first[a], first[a + 1]):
                if boxes_meet(boxes, k, nodes, b):
                    n_keys = _compare(items, boxes, k, k + 1 if a == b else first[b], first[b + 1], keys, n_keys)
        elif a == b:
            left, right = a + 1, a + 1 + sizes[a + 1]
            waiting[n_waiting, 0], waiting[n_waiting, 1] = right, right
            waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = left, right
            waiting[n_waiting + 2, 0], waiting[n_waiting + 2, 1] = left, left
            n_waiting += 3
        else:
            opened, other = (a, b) if sizes[a] >= sizes[b] else (b, a)
            waiting[n_waiting, 0], waiting[n_waiting, 1] = opened + 1, other
            waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = opened + 1 + sizes[opened + 1], other
            n_waiting += 2
    return keys[:n_keys]
