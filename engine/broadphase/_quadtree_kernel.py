"""A quadtree: space is divided into four equal cells, each of which is divided again if it contains many boxes.

A box belongs to the smallest cell that contains it. One that crosses a dividing line stays in the cell that is divided (dark)::

    +---------------+-------+-------+
    |               |       |   o   |        the root keeps X, the cell at the upper right A; all others are in leaves
    |   o         XXXXX     AAA     |
    |               |---o---+-------|        a leaf is divided when it has more than `leaf_size` boxes
    |            o  |       |  o  o |
    +---------------+-------+-------+
    |               |               |
    |       o       |    o     o    |
    +---------------+---------------+

So a box can only overlap boxes of its own cell, of cells inside it, and of cells around it. Each pair is found once, from the outer of its
two cells: every box there is compared with the later ones of the same cell, and with those of the inner cells that it overlaps.

**Half-open cells.** The left half contains boxes with upper x < mid, the right one those with lower x >= mid, and similarly in y. Boxes of
different quarters therefore never touch, regardless of the rounding of mid, and no comparison is missed.

**Layout.** Nodes are in preorder, as in `_tree_kernel`: ``items[first[k] : first[k + 1]]`` are the boxes of node k itself, and those of all
cells inside follow up to ``first[k + sizes[k]]``. Each node has the tight box around all of these; a traversal skips the subtree if the
query misses it. The predicate is monotone (`_boxes_kernel`), so nothing inside is missed.

If all boxes of a cell are in one quarter, the cell shrinks to that quarter without a separate node. Every inner node then has boxes in two
places, and n boxes need fewer than 2 n nodes for any distribution. Cells are divided at most `MAX_LEVELS` times.

**Cost.** Even small boxes on a dividing line of the root are compared with others along it: in a square of n equal boxes, these are about
sqrt(n). A *loose* quadtree (T. Ulrich, 2000) avoids this: its cells overlap, each twice as wide, and the level of a box depends on its size
alone. Then its partners can be in neighboring cells, too. Here, cells are as in the original.

Sources: R. Finkel and J. Bentley, Quad trees: a data structure for retrieval on composite keys, Acta Informatica 4, 1974 (points); G.
Kedem, The quad-CIF tree, 1982 (rectangles, in the smallest cell that contains them); H. Samet, Foundations of Multidimensional and
Metric Data Structures, 2006, 3.4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.broadphase._boxes_kernel import boxes_meet, is_met, query_at
from engine.broadphase._sorting_kernel import FIRST_ROOM, more_room, sorted_pairs, sorted_rows
from engine.common._record_kernel import record
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = [
    "MAX_LEVELS", "QUAD_GROUP", "QUAD_NODE", "QUAD_PAIR", "QUAD_SPLIT", "QUAD_VISIT",
    "Quadtree", "met_boxes", "overlapping_pairs", "quadtree",
]  # fmt: skip

QUAD_GROUP, QUAD_SPLIT, QUAD_NODE, QUAD_VISIT, QUAD_PAIR = 85.0, 86.0, 87.0, 88.0, 89.0
"""Steps recorded in the trace (`engine.common._record_kernel`); world::

    QUAD_GROUP  box, its quarter of the cell that is split next, or `_OWN`
    QUAD_SPLIT  first and last + 1 of the cell's items, the cell, its middle, 1 if the cell is divided (0: shrunk, or left whole)
    QUAD_NODE   first and last + 1 of the items, the cell of a new node
    QUAD_VISIT  box, its own node, the node visited, 1 if the box meets the bounds of that node, first and last + 1 of the items compared
    QUAD_PAIR   box, an item compared that overlaps it
"""

MAX_LEVELS = 64
"""Maximum number of divisions from the root to a leaf."""

_OWN = 4
"""Group of the boxes that stay in a divided cell; 0 to 3 are the quarters, from the lower left one, x first."""


class Quadtree(NamedTuple):
    """The tree of n boxes, with m nodes in preorder.

    Attributes
    ----------
    cells, bounds : float64 (m, 4)
        Cell of each node, and the box around all boxes in it; meters, world.
    sizes : int64 (m,)
        Nodes of each subtree; 1 for a leaf.
    first : int64 (m + 1,)
        The first item of each node; at the end, n.
    items : int64 (n,)
        Rows of the boxes.
    item_boxes : float64 (n, 4)
        The boxes in this order.
    """

    cells: FloatArray
    bounds: FloatArray
    sizes: IntArray
    first: IntArray
    items: IntArray
    item_boxes: FloatArray


@inlined_kernel
def _middle(low: float, high: float) -> float:
    """Return the middle of an interval, which may be wider than float64."""
    return 0.5 * low + 0.5 * high


@inlined_kernel
def _group(boxes: FloatArray, i: int, x: float, y: float) -> int:
    """Return the quarter of a cell divided at (x, y) that contains a box, or `_OWN`."""
    is_left, is_right = boxes[i, 2] < x, boxes[i, 0] >= x
    is_low, is_high = boxes[i, 3] < y, boxes[i, 1] >= y
    is_inside = (is_left | is_right) & (is_low | is_high)
    return (1 if is_right else 0) + (2 if is_high else 0) if is_inside else _OWN


@inlined_kernel
def _shrink(cell: FloatArray, group: int, x: float, y: float) -> None:
    """Shrink a cell to one of its quarters."""
    cell[0 if group & 1 else 2] = x
    cell[1 if group & 2 else 3] = y


@kernel
def quadtree(boxes: FloatArray, leaf_size: int, trace: FloatArray | None) -> Quadtree:
    """Return the tree of `boxes` (n, 4), n > 0, whose leaves have at most `leaf_size` boxes, unless they cannot be divided."""
    n = boxes.shape[0]
    items, sorted_items, groups = np.arange(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    cells, first, parents = np.empty((2 * n, 4)), np.empty(2 * n + 1, dtype=np.int64), np.empty(2 * n, dtype=np.int64)
    # Cells that are still to be divided, the next one on top: items from low to high, parent, number of divisions.
    waiting, waiting_cells = np.empty((4 * MAX_LEVELS + 1, 4), dtype=np.int64), np.empty((4 * MAX_LEVELS + 1, 4))
    waiting[0] = (0, n, -1, 0)
    for axis in range(2):
        waiting_cells[0, axis], waiting_cells[0, axis + 2] = boxes[:, axis].min(), boxes[:, axis + 2].max()
    n_waiting, m, counts, cell = 1, 0, np.zeros(_OWN + 1, dtype=np.int64), np.empty(4)
    while n_waiting > 0:
        n_waiting -= 1
        low, high, parent, level = waiting[n_waiting]
        cell[:] = waiting_cells[n_waiting]
        is_divided = False
        while not is_divided and high - low > leaf_size and level < MAX_LEVELS:
            x, y = _middle(cell[0], cell[2]), _middle(cell[1], cell[3])
            counts[:] = 0
            for at in range(low, high):
                groups[at] = _group(boxes, items[at], x, y)
                counts[groups[at]] += 1
                record(trace, QUAD_GROUP, (float(items[at]), float(groups[at])))
            only, level = int(np.argmax(counts)), level + 1
            is_divided = counts[only] < high - low
            record(trace, QUAD_SPLIT, (float(low), float(high), cell[0], cell[1], cell[2], cell[3], x, y, 1.0 if is_divided else 0.0))
            if not is_divided:
                if only == _OWN:  # all of them on its dividing lines
                    break
                _shrink(cell, only, x, y)
        cells[m], first[m], parents[m] = cell, low, parent
        record(trace, QUAD_NODE, (float(low), float(high), cell[0], cell[1], cell[2], cell[3]))
        m += 1
        if is_divided:
            at_group, begin = np.empty(_OWN + 1, dtype=np.int64), low + counts[_OWN]
            at_group[_OWN] = low
            for group in range(_OWN):
                at_group[group] = begin
                begin += counts[group]
            for at in range(low, high):
                sorted_items[at_group[groups[at]]] = items[at]
                at_group[groups[at]] += 1
            items[low:high] = sorted_items[low:high]
            for group in range(_OWN - 1, -1, -1):
                if counts[group] > 0:
                    waiting[n_waiting] = (at_group[group] - counts[group], at_group[group], m - 1, level)
                    waiting_cells[n_waiting] = cell
                    _shrink(waiting_cells[n_waiting], group, x, y)
                    n_waiting += 1
    first[m] = n
    return _with_bounds(cells[:m].copy(), first[: m + 1].copy(), parents, items, boxes[items])


@kernel
def _with_bounds(cells: FloatArray, first: IntArray, parents: IntArray, items: IntArray, item_boxes: FloatArray) -> Quadtree:
    """Return the tree with the sizes and bounds of its subtrees, from the end, so that children come before their parents."""
    m = cells.shape[0]
    bounds, sizes = np.empty((m, 4)), np.ones(m, dtype=np.int64)
    bounds[:, :2], bounds[:, 2:] = np.inf, -np.inf
    for node in range(m - 1, -1, -1):
        parent = parents[node]
        for side in range(2):
            for k in range(first[node], first[node + 1]):
                bounds[node, side] = min(bounds[node, side], item_boxes[k, side])
                bounds[node, side + 2] = max(bounds[node, side + 2], item_boxes[k, side + 2])
            if parent >= 0:
                bounds[parent, side] = min(bounds[parent, side], bounds[node, side])
                bounds[parent, side + 2] = max(bounds[parent, side + 2], bounds[node, side + 2])
        if parent >= 0:
            sizes[parent] += sizes[node]
    return Quadtree(cells, bounds, sizes, first, items, item_boxes)


@kernel
def overlapping_pairs(tree: Quadtree, trace: FloatArray | None) -> IntArray:
    """Return the pairs (k, 2) of the tree's boxes that overlap, sorted."""
    _, bounds, sizes, first, items, boxes = tree
    pairs: IntArray = np.empty((FIRST_ROOM * (items.shape[0] + 1), 2), dtype=np.int64)
    n_pairs = 0
    for own in range(sizes.shape[0]):
        for k in range(first[own], first[own + 1]):
            node = own
            while node < own + sizes[own]:
                is_near, low, high = boxes_meet(boxes, k, bounds, node), max(first[node], k + 1), first[node + 1]
                record(trace, QUAD_VISIT, (float(items[k]), float(own), float(node), 1.0 if is_near else 0.0, float(low), float(high)))
                if not is_near:
                    node += sizes[node]
                    continue
                pairs = more_room(pairs, n_pairs, high - low)
                for other in range(low, high):
                    # always written, kept if they overlap: cheaper than an unpredictable branch
                    pairs[n_pairs, 0], pairs[n_pairs, 1] = min(items[k], items[other]), max(items[k], items[other])
                    meet = boxes_meet(boxes, k, boxes, other)
                    n_pairs += int(meet)
                    if trace is not None:
                        if meet:  # nested: the compiler removes the branch of a missing trace only if it is the whole condition
                            record(trace, QUAD_PAIR, (float(items[k]), float(items[other])))
                node += 1
    return sorted_pairs(pairs, n_pairs, items.shape[0])


@kernel
def met_boxes(tree: Quadtree, queries: FloatArray, n: int) -> IntArray:
    """Return rows (k, 2) of query, as in `query_at`, and overlapping box, sorted; numbers of both are below `n`."""
    _, bounds, sizes, first, items, boxes = tree
    met: IntArray = np.empty((FIRST_ROOM * (queries.shape[0] + 1), 2), dtype=np.int64)
    n_met = 0
    for row in range(queries.shape[0]):
        query, node = query_at(queries, row), 0
        while node < sizes.shape[0]:
            if not is_met(queries, query, bounds, node):
                node += sizes[node]
                continue
            met = more_room(met, n_met, first[node + 1] - first[node])
            for k in range(first[node], first[node + 1]):
                met[n_met, 0], met[n_met, 1] = row, items[k]
                n_met += int(is_met(queries, query, boxes, k))
            node += 1
    return sorted_rows(met, n_met, n)
