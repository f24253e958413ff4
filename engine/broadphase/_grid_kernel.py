"""The pairs of overlapping boxes by a uniform grid: rows, and columns within them.

Each box belongs to one cell, that of its lower corner. A box searches for its partners to the right in its own row and in the rows above,
up to the one in which it ends; boxes below search for it. In a row, an overlapping box has its lower corner between the box's left end
minus the width of the row's widest box, and the box's right end. Cells of a row are contiguous in memory, so that this is one run::

           widest of    x0             x1
           this row  .   |              |
      +-----+-----+--|--+-----+-----+-----+-----+
      |     |     |  v  |  v  |  v  |  v  |     |   rows above, to that of y1: from x0 - widest to x1
      +-----+-----+-----+-----+-----+-----+-----+
      |     |     |     | own |  v  |  v  |     |   own row: the boxes after it in the own cell, to x1
      +-----+-----+-----+-----+-----+-----+-----+
      |     |     |     |     |     |     |     |   (these search for us)

Each pair is found once: by its lower box, within a row by the left one, within a cell by the first. Cells can be smaller than boxes: a tall
box searches more rows, and a wide one only extends the search of the boxes that reach its row. Columns are narrow and rows high: the runs
are short, and few.

A counting sort orders the boxes cell by cell, row by row. There are at most `CELLS_PER_BOX` cells per box, so that clearing them takes no
longer than sorting; if the boxes are sparser, cells are enlarged.

Rounding: the column index is monotone in x, even with rounding, so that a box whose lower corner is left of x1 is in x1's column or before
it. The greatest width is increased by `GRID_MARGIN`, more than the error of a width and of its difference with x0.

Cost: if boxes are concentrated in few cells, or in rows with very large boxes, runs are long. `search` therefore estimates the number of
comparisons from `SAMPLES` boxes, and does not start if it exceeds the caller's limit.

Source: C. Ericson, Real-Time Collision Detection, 2005, 7.1 (uniform grids; the layout after 7.1.4's).
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np

from engine.broadphase._keys_kernel import FIRST_ROOM, key_of, more_room
from engine.common.arrays import FloatArray, IntArray, Point
from engine.common.events import record
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.common.tolerances import GRID_MARGIN

__all__ = [
    "CELLS_PER_BOX",
    "NO_LIMIT",
    "BoxAsks",
    "BoxPut",
    "GridLaid",
    "OtherTested",
    "RowSearched",
    "cells_of_boxes",
    "grid_of",
    "grid_pairs",
]


class GridLaid(NamedTuple):
    """The lower corner, the cells per meter on both axes (0: one cell), and the numbers of columns and rows."""

    low: Point
    per: tuple[float, float]
    columns: int
    rows: int


class BoxPut(NamedTuple):
    """A box and the cell of its lower corner."""

    item: int
    column: int
    row: int


class BoxAsks(NamedTuple):
    """A box, its row, and the column after its last one."""

    item: int
    row: int
    beyond: int


class RowSearched(NamedTuple):
    """A row, and the column where the search begins."""

    row: int
    column: int


class OtherTested(NamedTuple):
    """A box in the row, and whether it overlaps."""

    other: int
    is_met: bool


CELLS_PER_BOX = 2
"""Maximum number of cells per box."""

ROW_HEIGHT, COLUMN_WIDTH = 1.5, 0.25
"""Height and width of a cell over the means of the boxes. Rows a third as high take 30 % longer to search, columns twice as wide 10 %
(10,000 boxes of similar size, 5 partners each).
"""

GROWTH = 1.25
"""Minimum factor by which cells grow at a time: rounding up rows and columns can require more than one iteration."""

SAMPLES = 128
"""Maximum number of boxes sampled before the search; each takes about 10 ns."""

SAMPLED_FROM = 8
"""Minimum number of boxes per sample."""

NO_LIMIT = math.inf
"""No limit to the comparisons."""

Grid: TypeAlias = tuple[float, float, float, float, int, int]
"""Lower corner, cells per meter on both axes (0 if there is only one), columns and rows."""


@inlined_kernel
def _number(x: float, low: float, per: float, last: float) -> int:
    """Return the index of the column that contains `x`, 0 to `last`; it never decreases with x."""
    at = (x - low) * per
    at = at if at < last else last  # this includes NaN, in a grid of one column
    return int(at if at > 0.0 else 0.0)


@inlined_kernel
def _wanted(total: float, n: int, factor: float, span: float) -> float:
    """Return the width of a cell from that of the mean box; if that is 0 or not finite, from the span; 0 if that is 0 too, or NaN."""
    mean = factor * (total / n)
    if not 0.0 < mean < np.inf:
        mean = span / n
    return mean if mean < np.inf else 0.0


@inlined_kernel
def _cells(span: float, cell: float) -> int:
    """Return the number of cells that cover `span`: one if all boxes start at the same coordinate, or if the span is beyond float64."""
    return int(span / cell) + 1 if 0.0 < cell < np.inf and span < np.inf else 1


@kernel
def grid_of(boxes: FloatArray) -> Grid:
    """Return the grid of `boxes` (n, 4), n > 0."""
    n = boxes.shape[0]
    (low_x, low_y), (high_x, high_y) = (boxes[0, 0], boxes[0, 1]), (boxes[0, 0], boxes[0, 1])
    total_x = total_y = 0.0
    for i in range(n):
        x0, y0, x1, y1 = boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3]
        low_x, low_y = x0 if x0 < low_x else low_x, y0 if y0 < low_y else low_y
        high_x, high_y = x0 if x0 > high_x else high_x, y0 if y0 > high_y else high_y
        total_x, total_y = total_x + (x1 - x0), total_y + (y1 - y0)
    span_x, span_y = high_x - low_x, high_y - low_y
    most = CELLS_PER_BOX * n
    cell_x = max(_wanted(total_x, n, COLUMN_WIDTH, span_x), span_x / most)
    cell_y = max(_wanted(total_y, n, ROW_HEIGHT, span_y), span_y / most)
    columns, rows = _cells(span_x, cell_x), _cells(span_y, cell_y)
    while columns * rows > most:
        growth = max(GROWTH, math.sqrt(columns * rows / most))
        cell_x, cell_y = cell_x * growth, cell_y * growth
        columns, rows = _cells(span_x, cell_x), _cells(span_y, cell_y)
    per_x = 0.0 if columns == 1 else 1.0 / cell_x
    per_y = 0.0 if rows == 1 else 1.0 / cell_y
    return low_x, low_y, per_x, per_y, columns, rows


@allocating_kernel
def _lay_out(
    boxes: FloatArray, grid: Grid, cells: IntArray, items: IntArray, row_of: IntArray, placed: FloatArray, widest: FloatArray,
) -> None:  # fmt: skip
    """Write the boxes cell by cell: place k contains box ``items[k]``, in row ``row_of[k]``; cell c ends at place ``cells[c + 1]``."""
    low_x, low_y, per_x, per_y, columns, rows = grid
    n = boxes.shape[0]
    cells[:] = 0
    widest[:] = 0.0
    cell_of = np.empty(n, dtype=np.int64)
    for i in range(n):
        row, column = _number(boxes[i, 1], low_y, per_y, rows - 1.0), _number(boxes[i, 0], low_x, per_x, columns - 1.0)
        record(BoxPut(i, column, row))
        cell_of[i] = row * columns + column
        cells[cell_of[i] + 2] += 1
        widest[row] = max(widest[row], boxes[i, 2] - boxes[i, 0])
    for in_row in range(rows):
        widest[in_row] *= 1.0 + GRID_MARGIN
    # while the boxes are written, cells[c + 1] is the next free place of cell c
    for at in range(1, cells.shape[0]):
        cells[at] += cells[at - 1]
    for i in range(n):
        place = cells[cell_of[i] + 1]
        cells[cell_of[i] + 1] += 1
        items[place], row_of[place] = i, cell_of[i] // columns
        for field in range(4):
            placed[place, field] = boxes[i, field]


@inlined_kernel
def _comparisons(n: int, grid: Grid, cells: IntArray, row_of: IntArray, placed: FloatArray, widest: FloatArray) -> float:
    """Return the mean number of boxes with which a box is compared, over a sample."""
    low_x, low_y, per_x, per_y, columns, rows = grid
    n_samples = max(1, min(SAMPLES, n // SAMPLED_FROM))
    n_compared = 0
    for sample in range(n_samples):
        place = sample * n // n_samples
        to_column = _number(placed[place, 2], low_x, per_x, columns - 1.0) + 1
        for row in range(row_of[place], _number(placed[place, 3], low_y, per_y, rows - 1.0) + 1):
            from_column = _number(placed[place, 0] - widest[row], low_x, per_x, columns - 1.0)
            low = place if row == row_of[place] else cells[row * columns + from_column]
            n_compared += cells[row * columns + to_column] - low
    return n_compared / n_samples


@kernel
def grid_pairs(boxes: FloatArray, limit: float) -> tuple[IntArray, bool]:
    """Return the keys of the overlapping pairs of `boxes` (n, 4), and whether they are complete.

    Nothing is compared if a box would be compared with more than `limit` others on average.
    """
    n = boxes.shape[0]
    keys: IntArray = np.empty(FIRST_ROOM * (n + 1), dtype=np.int64)
    if n < 2:
        return keys[:0], True
    grid = grid_of(boxes)
    low_x, low_y, per_x, per_y, columns, rows = grid
    record(GridLaid((low_x, low_y), (per_x, per_y), columns, rows))
    cells, widest = np.empty(columns * rows + 2, dtype=np.int64), np.empty(rows)
    items, row_of, placed = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty((n, 4))
    _lay_out(boxes, grid, cells, items, row_of, placed, widest)
    if limit < NO_LIMIT and _comparisons(n, grid, cells, row_of, placed, widest) > limit:
        return keys[:0], False
    n_keys = 0
    for place in range(n):
        x0, x1, y0, y1 = placed[place, 0], placed[place, 2], placed[place, 1], placed[place, 3]
        own_row, beyond_row = row_of[place], _number(y1, low_y, per_y, rows - 1.0) + 1
        to_column = _number(x1, low_x, per_x, columns - 1.0) + 1
        record(BoxAsks(items[place], own_row, to_column))
        for row in range(own_row, beyond_row):
            if row == own_row:
                from_column, at = _number(x0, low_x, per_x, columns - 1.0), place + 1
            else:
                from_column = _number(x0 - widest[row], low_x, per_x, columns - 1.0)
                at = cells[row * columns + from_column]
            high = cells[row * columns + to_column]
            record(RowSearched(row, from_column))
            keys = more_room(keys, n_keys, high - at)
            for other in range(at, high):
                # always written, kept if they overlap: cheaper than an unpredictable branch
                keys[n_keys] = key_of(items[place], items[other])
                in_x = (x0 <= placed[other, 2]) & (placed[other, 0] <= x1)
                is_met = in_x & (y0 <= placed[other, 3]) & (placed[other, 1] <= y1)
                record(OtherTested(items[other], is_met))
                n_keys += int(is_met)
    return keys[:n_keys], True


@kernel
def cells_of_boxes(boxes: FloatArray) -> FloatArray:
    """Return the cell (n, 4) of each of `boxes` (n, 4), n > 0, as a box, for a drawing; the only column or row spans all boxes."""
    low_x, low_y, per_x, per_y, columns, rows = grid_of(boxes)
    high_x, high_y = boxes[:, 2].max(), boxes[:, 3].max()
    cells = np.empty(boxes.shape)
    for i in range(boxes.shape[0]):
        column, row = float(_number(boxes[i, 0], low_x, per_x, columns - 1.0)), float(_number(boxes[i, 1], low_y, per_y, rows - 1.0))
        cells[i, 0], cells[i, 2] = (low_x, high_x) if columns == 1 else (low_x + column / per_x, low_x + (column + 1.0) / per_x)
        cells[i, 1], cells[i, 3] = (low_y, high_y) if rows == 1 else (low_y + row / per_y, low_y + (row + 1.0) / per_y)
    return cells
