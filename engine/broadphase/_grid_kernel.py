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
box searches more rows, and a wide one only extends the search of the boxes that reach its row. A run is compared eight at a time
(`_lanes_kernel`), which favors narrow columns and high rows: the runs are short, and few.

A counting sort orders the boxes cell by cell, row by row. There are at most `CELLS_PER_BOX` cells per box, so that clearing them takes no
longer than sorting; if the boxes are sparser, cells are enlarged.

Rounding: the column index is monotone in x, even with rounding, so that a box whose lower corner is left of x1 is in x1's column or before
it. The greatest width is increased by `GRID_MARGIN`, more than the error of a width and of its difference with x0.

Cost: if boxes are concentrated in few cells, or in rows with very large boxes, runs are long. `search` therefore estimates the number of
comparisons, in groups of eight, from `SAMPLES` boxes, and does not start if it exceeds the caller's limit.

Source: C. Ericson, Real-Time Collision Detection, 2005, 7.1 (uniform grids; the layout after 7.1.4's).
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from engine.broadphase._sorting_kernel import PlaceArray
from engine.common._lanes_kernel import EIGHT, append_overlapping
from engine.common._record_kernel import record
from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import GRID_MARGIN

__all__ = [
    "CELLS_PER_BOX",
    "GRID_ASK",
    "GRID_COMPARED",
    "GRID_PAIR",
    "GRID_PUT",
    "GRID_RUN",
    "GRID_START",
    "NO_LIMIT",
    "TOO_CROWDED",
    "cells_of_boxes",
    "grid_of",
    "padded",
    "search",
]

GRID_START, GRID_PUT, GRID_ASK, GRID_RUN, GRID_COMPARED, GRID_PAIR = 71.0, 72.0, 73.0, 74.0, 75.0, 76.0
"""Steps recorded in the trace (`engine.common._record_kernel`); world::

    GRID_START     lower corner, cells per meter on both axes (0: one cell), columns, rows
    GRID_PUT       item, its column, its row
    GRID_ASK       place, item, its row, the row after its last one, the column after its last one
    GRID_RUN       row, the column where the run begins, its first place and the place after its last
    GRID_COMPARED  the first compared place, the number of places
    GRID_PAIR      item, an item of the run that overlaps it
"""

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

TOO_CROWDED = -1
"""Returned by `search` if it would compare more than the limit."""

Grid: TypeAlias = tuple[float, float, float, float, int, int]
"""Lower corner, cells per meter on both axes (0 if there is only one), columns and rows."""

ONE, TWO, STEP, ONE_32 = np.uint64(1), np.uint64(2), np.uint64(EIGHT), np.uint32(1)


def padded(n: int) -> int:
    """Return the padded length of a column for `n` boxes, because eight are read starting at the last one."""
    return n + EIGHT


@inlined_kernel
def _number(x: float, low: float, per: float, last: float) -> np.uint64:
    """Return the index of the column that contains `x`, 0 to `last`; it never decreases with x."""
    at = (x - low) * per
    at = at if at < last else last  # this includes NaN, in a grid of one column
    return np.uint64(at if at > 0.0 else 0.0)


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
    low_x, low_y, high_x, high_y = boxes[0, 0], boxes[0, 1], boxes[0, 0], boxes[0, 1]
    total_x = total_y = 0.0
    for i in range(np.uint64(n)):
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


@inlined_kernel
def _lay_out(
    boxes: FloatArray, grid: Grid, cells: PlaceArray, numbers: PlaceArray, columns_of_boxes: FloatArray, widest: FloatArray,
    trace: FloatArray | None,
) -> None:  # fmt: skip
    """Write the boxes cell by cell: place k contains box ``numbers[k]``, in row ``numbers[2 n + k]``; ``cells[c + 1]`` is the end of c."""
    low_x, low_y, per_x, per_y, columns, rows = grid
    last_column, last_row, width, n_rows = columns - 1.0, rows - 1.0, np.uint64(columns), np.uint64(rows)
    n, n_cells, stride = np.uint64(boxes.shape[0]), np.uint64(columns * rows), np.uint64(columns_of_boxes.shape[0] // 4)
    for at in range(n_cells + TWO):
        cells[at] = 0
    for in_row in range(n_rows):
        widest[in_row] = 0.0
    for i in range(n):
        row = _number(boxes[i, 1], low_y, per_y, last_row)
        column = _number(boxes[i, 0], low_x, per_x, last_column)
        record(trace, GRID_PUT, (float(i), float(column), float(row)))
        cell = row * width + column
        numbers[n + i] = cell
        cells[cell + TWO] += ONE_32
        extent = boxes[i, 2] - boxes[i, 0]
        widest[row] = extent if extent > widest[row] else widest[row]
    for in_row in range(n_rows):
        widest[in_row] *= 1.0 + GRID_MARGIN
    # while the boxes are written, cells[c + 1] is the next free place of cell c
    total = np.uint32(0)
    for at in range(n_cells + TWO):
        total += cells[at]
        cells[at] = total
    for i in range(n):
        its_cell = np.uint64(numbers[n + i])
        place = np.uint64(cells[its_cell + ONE])
        cells[its_cell + ONE] = place + ONE
        numbers[place], numbers[n + n + place] = i, its_cell // width
        columns_of_boxes[place], columns_of_boxes[place + stride] = boxes[i, 0], boxes[i, 1]
        columns_of_boxes[place + stride + stride], columns_of_boxes[place + stride + stride + stride] = boxes[i, 2], boxes[i, 3]


@inlined_kernel
def _eights(n: int, grid: Grid, cells: PlaceArray, numbers: PlaceArray, columns_of_boxes: FloatArray, widest: FloatArray) -> float:
    """Return the mean number of groups of eight that a box compares, over a sample."""
    low_x, low_y, per_x, per_y, columns, rows = grid
    last_column, last_row, width, stride = columns - 1.0, rows - 1.0, np.uint64(columns), np.uint64(columns_of_boxes.shape[0] // 4)
    n_samples = max(1, min(SAMPLES, n // SAMPLED_FROM))
    n_eights = 0.0
    for sample in range(n_samples):
        place = np.uint64(sample * n // n_samples)
        x0, x1, y1 = columns_of_boxes[place], columns_of_boxes[place + stride + stride], columns_of_boxes[place + stride + stride + stride]
        own_row, to_column = np.uint64(numbers[np.uint64(2 * n) + place]), _number(x1, low_x, per_x, last_column) + ONE
        for row in range(own_row, _number(y1, low_y, per_y, last_row) + ONE):
            from_column = _number(x0 - widest[row], low_x, per_x, last_column)
            run_low = place if row == own_row else np.uint64(cells[row * width + from_column])
            n_eights += 1.0 + (np.uint64(cells[row * width + to_column]) - run_low) // STEP
    return n_eights / n_samples


@kernel
def search(
    boxes: FloatArray,
    limit: float,
    cells: PlaceArray,
    numbers: PlaceArray,
    columns_of_boxes: FloatArray,
    widest: FloatArray,
    first: PlaceArray,
    second: PlaceArray,
    trace: FloatArray | None,
) -> int:
    """Find the overlapping pairs of `boxes` (n, 4), and return their number, or `TOO_CROWDED`.

    Pairs are places in the order of cells, in `first` and `second`; ``numbers[place]`` is the box. If there are more pairs than their
    length minus `EIGHT`, only the count is valid. `limit` is the maximum mean number of groups of eight that a box compares.

    Scratch, with arbitrary contents: `cells` (`CELLS_PER_BOX` n + 2,), `numbers` (3 n,), `columns_of_boxes` (4 padded(n),), `widest`
    (`CELLS_PER_BOX` n,).
    """
    n = boxes.shape[0]
    if n < 2:
        return 0
    grid = grid_of(boxes)
    record(trace, GRID_START, (grid[0], grid[1], grid[2], grid[3], float(grid[4]), float(grid[5])))
    _lay_out(boxes, grid, cells, numbers, columns_of_boxes, widest, trace)
    if limit < NO_LIMIT and _eights(n, grid, cells, numbers, columns_of_boxes, widest) > limit:
        return TOO_CROWDED
    low_x, low_y, per_x, per_y, columns, rows = grid
    last_column, last_row, width, stride = columns - 1.0, rows - 1.0, np.uint64(columns), np.uint64(columns_of_boxes.shape[0] // 4)
    room, end = np.uint64(first.shape[0] - EIGHT), np.uint64(0)
    for place in range(np.uint64(n)):
        x0, y0 = columns_of_boxes[place], columns_of_boxes[place + stride]
        x1, y1 = columns_of_boxes[place + stride + stride], columns_of_boxes[place + stride + stride + stride]
        row, beyond_row = np.uint64(numbers[np.uint64(2 * n) + place]), _number(y1, low_y, per_y, last_row) + ONE
        to_column = _number(x1, low_x, per_x, last_column) + ONE
        at, high = place + ONE, np.uint64(cells[row * width + to_column])
        own = float(numbers[place])
        record(trace, GRID_ASK, (float(place), own, float(row), float(beyond_row), float(to_column)))
        from_column = _number(x0, low_x, per_x, last_column)
        while True:
            record(trace, GRID_RUN, (float(row), float(from_column), float(at), float(high)))
            while at < high:
                to = end if end < room else room
                behind = append_overlapping(columns_of_boxes, stride, at, high - at, x0, y0, x1, y1, place, first, second, to)
                end += behind - to
                if trace is not None:
                    record(trace, GRID_COMPARED, (float(at), float(min(STEP, high - at))))
                    for at_pair in range(to, behind):
                        record(trace, GRID_PAIR, (own, float(numbers[np.uint64(second[at_pair])])))
                at += STEP
            row += ONE
            if row >= beyond_row:
                break
            from_column = _number(x0 - widest[row], low_x, per_x, last_column)
            at, high = np.uint64(cells[row * width + from_column]), np.uint64(cells[row * width + to_column])
    return int(np.int64(end))


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
