"""The pairs of overlapping boxes by a hierarchy of grids, for boxes of very different sizes, or a few crowds in a wide world.

One grid must have cells as large as the largest box, and then the small ones crowd in them. Here each box goes to the grid of its
size: level 0 has cells as large as the smallest box, each level after it cells four times as wide and high, and a box goes to the
first level in whose cells it fits, into the cell of its lower corner. Cells of all levels nest, for their numbers are those of level
0 without the last bits (in the picture two, not four, go into one)::

    level 1    +-------+-------+       a box is compared with
               |  v    |  v    |         - those of its own level as in a uniform grid: its own cell, and four of
    level 0    +-+-+---+-------+           the eight neighbours (the other four look at it);
               |a|v|  v|       |         - those of every coarser level in use: all boxes that overlap it have their lower
               +-+-+---+-------+           corner in the cells from one before its own to that of its upper corner.

Each pair is seen once: by the box on the finer level, or within one level by one of the two. A box covers at most two cells of a coarser
level each way, so that it looks into two or three columns and as many rows of each.

No array could hold all cells of all levels, and nearly all are empty. Cells are hashed instead: boxes are sorted by the hash
of their cell's number into twice as many buckets as there are boxes, and a look into a cell compares with those in its
bucket whose cell has the same number.

Rounding: as in `_grid_kernel`, cells are wider than the boxes in them by `GRID_MARGIN`; there are at most 2^`INDEX_BITS` of them each way.

Source: C. Ericson, Real-Time Collision Detection, 2005, 7.2.1 (hierarchical grids, hashed).
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._brute_force_kernel import overlapping_pairs as pairs_by_brute_force
from engine.broadphase._sorting_kernel import FIRST_ROOM, more_room, name_pairs, sorted_pairs
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import GRID_MARGIN

__all__ = ["COLUMN_FACTOR", "HASH_BITS", "HASH_MASK", "ROW_FACTOR", "cells_of_boxes", "overlapping_pairs"]

LEVEL_BITS = 2
"""Doublings of the cell from level to level. With one, a box looks into twice as many levels and compares fewer of other cells in each
(measured on log-normal sizes: a fifth to two thirds slower)."""

INDEX_BITS = 28
"""Cells each way on level 0 are at most 2 to this."""

N_LEVELS = INDEX_BITS // LEVEL_BITS + 1
"""On the last all boxes are in one cell, however large they are."""

LAST_INDEX = 2**INDEX_BITS - 1

ROW_SHIFT, LEVEL_SHIFT = np.uint64(INDEX_BITS + 1), np.uint64(2 * INDEX_BITS + 2)
"""Where the number of a cell, 64 bits, has its row and its level; the column is in the lowest bits."""

COLUMN_FACTOR, ROW_FACTOR, LEVEL_FACTOR = np.uint64(2654435769), np.uint64(1779033703), np.uint64(3144134277)
"""Odd numbers of 32 bits: 2^32 divided by the golden ratio, and the fractional parts of the roots of 2 and 3. The upper ones of the lower
32 bits of a multiple are spread evenly (D. Knuth, The Art of Computer Programming 3, 6.4); no product here needs more than 64."""

HASH_BITS = 32
HASH_MASK = np.uint64(2**HASH_BITS - 1)

MOST_RUNS = 5 + 9 * N_LEVELS
"""Cells that a box looks into, at most: five of its own level, nine of each coarser one."""


@inlined_kernel
def _index(x: float, low: float, per: float) -> int:
    """Return the number of the column of level 0 that holds `x`; it never decreases with `x`. The last one where it is not a number."""
    at = (x - low) * per
    return int(at) if at < LAST_INDEX else LAST_INDEX


@inlined_kernel
def _cell(level: int, column: int, row: int) -> np.uint64:
    """Return the number of a cell, different for different ones; column and row may be -1."""
    number = np.uint64(column + 1) | (np.uint64(row + 1) << ROW_SHIFT)
    return np.uint64(number | (np.uint64(level) << LEVEL_SHIFT))


@inlined_kernel
def _bucket(level: int, column: int, row: int, unused: np.uint64) -> np.uint64:
    """Return the hash of a cell without its `unused` lower bits."""
    mixed = np.uint64(column + 1) * COLUMN_FACTOR + np.uint64(row + 1) * ROW_FACTOR + np.uint64(level) * LEVEL_FACTOR
    return np.uint64((mixed & HASH_MASK) >> unused)


@inlined_kernel
def _finest(smallest: float, span: float, n: int) -> float:
    """Return the cell of level 0: that of the smallest box, or where all are points a share of the span; not too small for the span."""
    wanted = smallest * (1.0 + GRID_MARGIN) if smallest < np.inf else span / n
    cell: float = max(wanted, span / LAST_INDEX)
    return cell


@inlined_kernel
def _finest_cells(boxes: FloatArray) -> tuple[float, float, float, float, float, float]:
    """Return the lowest corner, how far the lower corners span, and the cells of level 0."""
    n = boxes.shape[0]
    low_x, low_y, high_x, high_y = boxes[0, 0], boxes[0, 1], boxes[0, 0], boxes[0, 1]
    narrowest = lowest = np.inf
    for i in range(n):
        low_x, low_y = min(low_x, boxes[i, 0]), min(low_y, boxes[i, 1])
        high_x, high_y = max(high_x, boxes[i, 0]), max(high_y, boxes[i, 1])
        width, height = boxes[i, 2] - boxes[i, 0], boxes[i, 3] - boxes[i, 1]
        narrowest = width if 0.0 < width < narrowest else narrowest
        lowest = height if 0.0 < height < lowest else lowest
    span_x, span_y = high_x - low_x, high_y - low_y
    return low_x, low_y, span_x, span_y, _finest(narrowest, span_x, n), _finest(lowest, span_y, n)


@inlined_kernel
def _level(box: FloatArray, cell_x: float, cell_y: float) -> int:
    """Return the first level in whose cells a box fits."""
    width, height = (box[2] - box[0]) * (1.0 + GRID_MARGIN), (box[3] - box[1]) * (1.0 + GRID_MARGIN)
    level, wide, high = 0, cell_x, cell_y
    while level < N_LEVELS - 1 and (width > wide or height > high):
        level, wide, high = level + 1, wide * 2.0**LEVEL_BITS, high * 2.0**LEVEL_BITS
    return level


@kernel
def overlapping_pairs(boxes: FloatArray) -> IntArray:
    """Return the pairs (n, 2) of `boxes` (m, 4) that overlap, in order."""
    n = boxes.shape[0]
    if n < 2:
        return np.empty((0, 2), dtype=np.int64)

    # 1. The finest cells.
    low_x, low_y, span_x, span_y, cell_x, cell_y = _finest_cells(boxes)
    if not (span_x < np.inf and span_y < np.inf):
        return pairs_by_brute_force(boxes)
    per_x = 1.0 / cell_x if span_x > 0.0 else 0.0
    per_y = 1.0 / cell_y if span_y > 0.0 else 0.0

    # 2. Each box's cell, and the boxes sorted by its hash.
    bits = 1
    while (1 << bits) < 2 * n:
        bits += 1
    unused = np.uint64(HASH_BITS - bits)
    begin = np.zeros((1 << bits) + 1, dtype=np.int64)
    is_used = np.zeros(N_LEVELS, dtype=np.bool_)
    level_of, cell_of, bucket_of = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    for i in range(n):
        level = _level(boxes[i], cell_x, cell_y)
        shift = LEVEL_BITS * level
        column, row = _index(boxes[i, 0], low_x, per_x) >> shift, _index(boxes[i, 1], low_y, per_y) >> shift
        level_of[i], cell_of[i], bucket_of[i] = level, _cell(level, column, row), _bucket(level, column, row, unused)
        is_used[level] = True
        begin[bucket_of[i] + np.uint64(1)] += 1
    for bucket in range(begin.shape[0] - 1):
        begin[bucket + 1] += begin[bucket]
    place = begin.copy()
    sorted_boxes, index = np.empty((n, 4)), np.empty(n, dtype=np.int64)
    sorted_cell, sorted_level = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.int64)
    for i in range(n):
        at = place[bucket_of[i]]
        place[bucket_of[i]] += 1
        index[at], sorted_cell[at], sorted_level[at] = i, cell_of[i], level_of[i]
        for field in range(4):
            sorted_boxes[at, field] = boxes[i, field]

    # 3. Compare each with the boxes of some cells.
    found: IntArray = np.empty((FIRST_ROOM * n, 2), dtype=np.int64)
    run_low, run_high = np.empty(MOST_RUNS, dtype=np.int64), np.empty(MOST_RUNS, dtype=np.int64)
    run_cell = np.empty(MOST_RUNS, dtype=np.uint64)
    n_found = np.int64(0)
    for at in range(n):
        x0, y0, x1, y1 = sorted_boxes[at, 0], sorted_boxes[at, 1], sorted_boxes[at, 2], sorted_boxes[at, 3]
        i, own_level = index[at], sorted_level[at]
        first_column, first_row = _index(x0, low_x, per_x), _index(y0, low_y, per_y)
        last_column, last_row = _index(x1, low_x, per_x), _index(y1, low_y, per_y)
        # the rest of the own cell, and where the other cells' boxes are
        run_low[0], run_high[0], run_cell[0] = at + 1, begin[bucket_of[i] + np.uint64(1)], sorted_cell[at]
        n_runs, n_boxes = 1, run_high[0] - run_low[0]
        for level in range(own_level, N_LEVELS):
            if not is_used[level]:
                continue
            shift = LEVEL_BITS * level
            column, row = first_column >> shift, first_row >> shift
            is_own = level == own_level
            # it fits into a cell of its level: beyond the next one lies only what is no number any more
            beyond_row = row + 1 if is_own else min(last_row >> shift, row + 1)
            beyond_column = column + 1 if is_own else min(last_column >> shift, column + 1)
            for of_row in range(row if is_own else row - 1, beyond_row + 1):
                for of_column in range(column + 1 if is_own and of_row == row else column - 1, beyond_column + 1):
                    looked_at = _bucket(level, of_column, of_row, unused)
                    low, high = begin[looked_at], begin[looked_at + np.uint64(1)]
                    run_low[n_runs], run_high[n_runs], run_cell[n_runs] = low, high, _cell(level, of_column, of_row)
                    n_boxes += high - low
                    n_runs += 1 if high > low else 0
        found = more_room(found, int(n_found), n_boxes)
        end = np.uint64(n_found)
        for run in range(n_runs):
            cell_of_run = run_cell[run]
            for other in range(np.uint64(run_low[run]), np.uint64(run_high[run])):
                # written in any case, kept if they overlap: cheaper than a branch that cannot be foreseen
                found[end, 1] = other
                in_x = (x0 <= sorted_boxes[other, 2]) & (sorted_boxes[other, 0] <= x1)
                in_y = (y0 <= sorted_boxes[other, 3]) & (sorted_boxes[other, 1] <= y1)
                end += np.uint64(in_x & in_y & (sorted_cell[other] == cell_of_run))
        name_pairs(found, np.uint64(n_found), end, i, index)
        n_found = np.int64(end)
    return sorted_pairs(found, int(n_found), n)


@kernel
def cells_of_boxes(boxes: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the cell (n, 4) of each of `boxes` (n, 4), n > 1, as a box, and its level (n,); -1 and the box itself where it is in none."""
    low_x, low_y, span_x, span_y, cell_x, cell_y = _finest_cells(boxes)
    per_x = 1.0 / cell_x if span_x > 0.0 else 0.0
    per_y = 1.0 / cell_y if span_y > 0.0 else 0.0
    cells, levels = boxes.copy(), np.full(boxes.shape[0], -1, dtype=np.int64)
    if span_x < np.inf and span_y < np.inf:
        for i in range(boxes.shape[0]):
            levels[i] = _level(boxes[i], cell_x, cell_y)
            shift = LEVEL_BITS * levels[i]
            column, row = _index(boxes[i, 0], low_x, per_x) >> shift, _index(boxes[i, 1], low_y, per_y) >> shift
            wide, high = cell_x * 2.0**shift, cell_y * 2.0**shift
            cells[i, 0], cells[i, 1] = low_x + column * wide, low_y + row * high
            cells[i, 2], cells[i, 3] = cells[i, 0] + wide, cells[i, 1] + high
    return cells, levels
