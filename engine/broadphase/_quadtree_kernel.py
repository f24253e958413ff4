"""A quadtree as a tree of boxes: space, not the set of boxes, is divided in the middle.

A cell is divided into four quarters: into a left and a right half, then each of these into a lower and an upper one. A box belongs to the
quarter that contains its center, and the node's box is the tight one around its boxes, so that it may extend beyond the cell::

    +---------------+-------+-------+
    |               |       |   o   |
    |   o           |       |       |        a cell is divided if it has more than `leaf_size` boxes
    |               |---o---+-------|
    |            o  |       |  o  o |
    +---------------+-------+-------+
    |               |               |
    |       o       |    o     o    |
    +---------------+---------------+

If all centers are in one half, the cell shrinks to it without a node. After `MAX_LEVELS` divisions the set is halved in its current order.

Sources: R. Finkel and J. Bentley, Quad trees: a data structure for retrieval on composite keys, Acta Informatica 4, 1974; H. Samet,
Foundations of Multidimensional and Metric Data Structures, 2006, 1.4 and 3.4 (bintrees; tight boxes instead of boxes on dividing lines).
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["MAX_LEVELS", "quadtree_order"]

MAX_LEVELS = 64
"""Maximum number of halvings from the root to a leaf, 32 on each axis."""


@inlined_kernel
def _center(boxes: FloatArray, i: int, axis: int) -> float:
    return float(0.5 * boxes[i, axis] + 0.5 * boxes[i, axis + 2])


@kernel
def quadtree_order(boxes: FloatArray, leaf_size: int) -> tuple[IntArray, IntArray]:
    """Return the tree of `boxes` (n, 4), n > 0, as arguments of `closed_tree`: the counts in preorder, the items in the leaves' order."""
    n = boxes.shape[0]
    items, counts, n_nodes = np.arange(n), np.empty(2 * n - 1, dtype=np.int64), 0
    # first item, end and number of halvings of the pending sets, and their cells
    waiting, cells = np.empty((MAX_LEVELS + 66, 3), dtype=np.int64), np.empty((MAX_LEVELS + 66, 4))
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, n, 0
    for axis in range(2):
        cells[0, axis], cells[0, axis + 2] = np.inf, -np.inf
        for i in range(n):
            cells[0, axis] = min(cells[0, axis], _center(boxes, i, axis))
            cells[0, axis + 2] = max(cells[0, axis + 2], _center(boxes, i, axis))
    n_waiting, cell = 1, np.empty(4)
    while n_waiting > 0:
        n_waiting -= 1
        low, high, level = waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2]
        for field in range(4):
            cell[field] = cells[n_waiting, field]
        if high - low <= leaf_size:
            counts[n_nodes] = high - low
            n_nodes += 1
            continue
        counts[n_nodes] = 0
        n_nodes += 1
        split, axis, middle = low, 0, 0.0
        while level < MAX_LEVELS and (split in (low, high)):
            axis = level & 1
            middle = 0.5 * cell[axis] + 0.5 * cell[axis + 2]
            split, end = low, high
            while split < end:
                if _center(boxes, items[split], axis) < middle:
                    split += 1
                else:
                    end -= 1
                    items[split], items[end] = items[end], items[split]
            level += 1
            if split == low:
                cell[axis] = middle
            elif split == high:
                cell[axis + 2] = middle
        if split in (low, high):
            split = (low + high) // 2
        for side in range(2):
            at = n_waiting + side  # the left one on top
            waiting[at, 0], waiting[at, 1], waiting[at, 2] = (split, high, level) if side == 0 else (low, split, level)
            for field in range(4):
                cells[at, field] = cell[field]
            if side == 0:
                cells[at, axis] = middle
            else:
                cells[at, axis + 2] = middle
        n_waiting += 2
    return counts[:n_nodes].copy(), items
