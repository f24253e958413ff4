"""The pairs of overlapping boxes by a uniform grid.

Each box goes into one cell, that of its lower corner. With cells at least as wide and high as the widest and highest box, two
boxes that overlap have their lower corners in the same cell or in neighbouring ones. To see each pair once, a box is compared
with those after it in its own cell and with the boxes of four of the eight neighbours::

      +-----+-----+-----+
      |  v  |  v  |  v  |   next row: three cells side by side
      +-----+-----+-----+
      |     | own |  v  |   own row: the rest of the own cell, and the next
      +-----+-----+-----+
      |     |     |     |   (these look at us)
      +-----+-----+-----+

A counting sort lays the boxes out cell by cell, row by row. The cells to be compared are then just two runs of memory: from
the box itself to the end of the next cell, and the three cells of the next row.

The grid has at most `CELLS_PER_BOX` cells a box, so that clearing it costs no more than sorting; where the boxes lie farther
apart than that, cells grow. Rounding: cells are wider than the widest box by `GRID_MARGIN`, more than the error of a cell's number,
and a box that ends on the border of a cell but one would need an error of a whole margin to be missed.

Before comparing, the counts of boxes in each cell say how many comparisons there will be. Where sizes differ much, or boxes crowd in
few cells, they are many more than the boxes; then `_hierarchy_kernel` finds the pairs.

Source: C. Ericson, Real-Time Collision Detection, 2005, 7.1 (uniform grids; the layout after 7.1.4's).
"""

from __future__ import annotations

import math

import numpy as np

from engine.broadphase._hierarchy_kernel import overlapping_pairs as pairs_by_levels
from engine.broadphase._sorting_kernel import FIRST_ROOM, name_pairs, sorted_pairs
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import GRID_MARGIN

__all__ = ["NO_LIMIT", "overlapping_pairs"]

CELLS_PER_BOX = 2
"""Cells for each box, at most."""

NO_LIMIT = 2**62
"""More comparisons than anybody makes."""


@inlined_kernel
def _cells(span: float, cell: float) -> int:
    """Return how many cells cover `span`: one where all boxes start alike, or where the span is beyond float64."""
    return int(span / cell) + 1 if 0.0 < cell < np.inf and span < np.inf else 1


@kernel
def overlapping_pairs(boxes: FloatArray, limit: int) -> IntArray:
    """Return the pairs (n, 2) of `boxes` (m, 4) that overlap, in order; by `_hierarchy_kernel` where it takes over `limit` comparisons."""
    n = boxes.shape[0]
    if n < 2:
        return np.empty((0, 2), dtype=np.int64)

    # 1. The grid: corner, cell, number of columns and rows.
    low_x, low_y, high_x, high_y = boxes[0, 0], boxes[0, 1], boxes[0, 0], boxes[0, 1]
    widest = highest = 0.0
    for i in range(n):
        low_x, low_y = min(low_x, boxes[i, 0]), min(low_y, boxes[i, 1])
        high_x, high_y = max(high_x, boxes[i, 0]), max(high_y, boxes[i, 1])
        widest, highest = max(widest, boxes[i, 2] - boxes[i, 0]), max(highest, boxes[i, 3] - boxes[i, 1])
    span_x, span_y = high_x - low_x, high_y - low_y
    most = CELLS_PER_BOX * n
    cell_x, cell_y = max(widest * (1.0 + GRID_MARGIN), span_x / most), max(highest * (1.0 + GRID_MARGIN), span_y / most)
    columns, rows = _cells(span_x, cell_x), _cells(span_y, cell_y)
    if columns * rows > most:
        grown = math.sqrt(columns * rows / most)
        cell_x, cell_y = min(cell_x * grown, span_x + cell_x), min(cell_y * grown, span_y + cell_y)
        columns, rows = _cells(span_x, cell_x), _cells(span_y, cell_y)
    per_x = 0.0 if columns == 1 else 1.0 / cell_x
    per_y = 0.0 if rows == 1 else 1.0 / cell_y
    # a border of empty cells to the left, to the right and above: no neighbour is ever outside
    width = columns + 2
    begin = np.zeros(width * (rows + 1) + 2, dtype=np.int64)

    # 2. Sort the boxes by cell.
    cell_of = np.empty(n, dtype=np.int64)
    for i in range(n):
        column = 0 if columns == 1 else min(int((boxes[i, 0] - low_x) * per_x), columns - 1)
        row = 0 if rows == 1 else min(int((boxes[i, 1] - low_y) * per_y), rows - 1)
        cell = row * width + column + 1
        cell_of[i] = cell
        begin[cell + 1] += 1
    for cell in range(begin.shape[0] - 1):
        begin[cell + 1] += begin[cell]
    if limit < NO_LIMIT:
        n_compared = np.int64(0)
        for cell in range(begin.shape[0] - width - 2):
            own, next_row = begin[cell + 1] - begin[cell], begin[cell + width + 2] - begin[cell + width - 1]
            n_compared += own * ((own - 1) // 2 + begin[cell + 2] - begin[cell + 1] + next_row)
        if n_compared > limit:
            return pairs_by_levels(boxes)
    place = begin.copy()
    sorted_boxes, index = np.empty((n, 4)), np.empty(n, dtype=np.int64)
    sorted_cell = np.empty(n, dtype=np.int64)
    for i in range(n):
        at = place[cell_of[i]]
        place[cell_of[i]] += 1
        index[at], sorted_cell[at] = i, cell_of[i]
        for field in range(4):
            sorted_boxes[at, field] = boxes[i, field]

    # 3. Compare each with two runs of the sorted ones.
    found: IntArray = np.empty((FIRST_ROOM * n, 2), dtype=np.int64)
    n_found = np.int64(0)
    for at in range(n):
        x0, y0, x1, y1 = sorted_boxes[at, 0], sorted_boxes[at, 1], sorted_boxes[at, 2], sorted_boxes[at, 3]
        cell, i = sorted_cell[at], index[at]
        for run in range(2):
            low = at + 1 if run == 0 else begin[cell + width - 1]
            high = begin[cell + 2] if run == 0 else begin[cell + width + 2]
            if n_found + high - low > found.shape[0]:
                larger = np.empty((2 * found.shape[0] + high - low, 2), dtype=np.int64)
                larger[:n_found] = found[:n_found]
                found = larger
            end = np.uint64(n_found)
            for other in range(np.uint64(low), np.uint64(high)):
                # written in any case, kept if they overlap: cheaper than a branch that nobody can foresee
                found[end, 1] = other
                in_x = (x0 <= sorted_boxes[other, 2]) & (sorted_boxes[other, 0] <= x1)
                in_y = (y0 <= sorted_boxes[other, 3]) & (sorted_boxes[other, 1] <= y1)
                end += np.uint64(in_x & in_y)
            name_pairs(found, np.uint64(n_found), end, i, index)
            n_found = np.int64(end)

    return sorted_pairs(found, int(n_found), n)
