"""Queries of a spatial hash: its overlapping pairs, of all boxes or of the changed ones; and the boxes that overlap a region or a ray.

**All pairs.** The links of a chain are scattered in memory, and each comparison along it would wait for the next box. So the boxes of a
chain are first copied to contiguous memory, and then each is compared with those after it: every link is followed once.

**Touched boxes.** The previous pairs are cached, sorted. The touched (changed) boxes are searched for again in their cells, and the results
replace their old pairs (`_sorting_kernel.merge_pairs`). Unchanged pairs take one pass over the cache; the remaining time grows with the
number of touched boxes alone.

A pair of boxes is compared in only one of the cells that they share; `_hash_kernel` defines it, and explains why rounding has no effect. An
oversize box is compared with all others separately.

**Region.** As with pairs, a box that shares several cells with the region is tested only in the one with the larger of the first columns
and the larger of the first rows.

**Ray.** For each column, the part of the segment in it, and the rows that this part covers::

      +-----+-----+-----+
      |     |     |  v /|       Stepping from cell to cell by the nearest side, as is often done, a rounding can pass a corner on the
      +-----+-----+---/-+       wrong side and leave a cell out. Here each column stands for itself, and is taken wider,
      |     |  v  | v/v |       and its piece too, by `MARGIN` of all the numbers involved. The index of a cell, the bounds of
      +-----+----/+-/---+       a column and the point where the segment passes them err by at most some 6 EPS64 of them, and the
      |  v  | v/v |/    |       predicate lets a segment pass a box at 2 RAY_ROUNDING, 8 EPS64, of its way: 14; the margin is 32.
      |   ----- v |     |
      +-----+-----+-----+       A box that is in several of those cells is marked, and asked once.

If a query covers more cells than there are boxes, or numbers exceed float64, all boxes are tested instead.

Source: J. Amanatides, A. Woo, A fast voxel traversal algorithm for ray tracing, Eurographics 1987 (the traversal not used here); C.
Ericson, Real-Time Collision Detection, 2005, 7.4.2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.broadphase._boxes_kernel import Query, boxes_meet, is_met, query_at
from engine.broadphase._hash_kernel import (
    CELL,
    END,
    FROM_X,
    FROM_Y,
    IN_CELLS,
    LAST_INDEX,
    LINKS,
    NOWHERE,
    OVERSIZE,
    index,
    is_link_of,
    place,
)  # fmt: skip
from engine.broadphase._sorting_kernel import FIRST_ROOM, merge_pairs, more_room, sorted_pairs, sorted_rows
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.common.tolerances import RAY_ROUNDING

__all__ = ["met_in_cells", "pairs_anew", "pairs_of_touched"]

COLUMN, ROW, FIRST_COLUMN, FIRST_ROW, PROXY = 0, 1, 2, 3, 4
N_FIELDS = 5
"""Columns of a link in the copy of a chain: the cell it is for, the first cell of its box, and the box."""

MARGIN = 8.0 * RAY_ROUNDING


@inlined_kernel
def _longest(links: IntArray, heads: IntArray) -> int:
    """Return the number of links in the longest chain."""
    longest = 0
    for head in range(heads.shape[0]):
        length, link = 0, heads[head]
        while link != END:
            length += 1
            link = links[link, 0]
        longest = max(longest, length)
    return longest


@allocating_kernel
def _with_all(
    i: int, is_touched: NDArray[np.bool_], boxes: FloatArray, where: IntArray, rows: IntArray, n_rows: int
) -> tuple[IntArray, int]:
    """Compare an oversize box with all others, and return the pairs with its own added.

    A box in cells is not compared with oversize ones; two touched oversize boxes are found twice.
    """
    n = boxes.shape[0]
    rows = more_room(rows, n_rows, n)
    for j in range(n):
        is_mine = (where[j] == IN_CELLS) | ((where[j] == OVERSIZE) & (j != i) & ((j > i) | (not is_touched[j])))
        rows[n_rows, 0], rows[n_rows, 1] = min(i, j), max(i, j)
        n_rows += int(is_mine & boxes_meet(boxes, i, boxes, j))
    return rows, n_rows


@kernel
def pairs_anew(
    boxes: FloatArray, oversize: IntArray, cells: IntArray, where: IntArray, links: IntArray, heads: IntArray
) -> tuple[IntArray, int]:
    """Return all pairs, sorted, and the number of comparisons within chains."""
    n = boxes.shape[0]
    rows: IntArray = np.empty((FIRST_ROOM * (n + 1), 2), dtype=np.int64)
    n_rows = n_compared = 0
    room = _longest(links, heads)
    chain, bounds = np.empty((room, N_FIELDS), dtype=np.int64), np.empty((room, 4))
    for head in range(heads.shape[0]):
        link, length = heads[head], 0
        while link != END:
            i, k = link // LINKS, link % LINKS
            n_columns = cells[i, 2] - cells[i, 0] + 1
            chain[length, COLUMN], chain[length, ROW] = cells[i, 0] + k % n_columns, cells[i, 1] + k // n_columns
            chain[length, FIRST_COLUMN], chain[length, FIRST_ROW], chain[length, PROXY] = cells[i, 0], cells[i, 1], i
            bounds[length, 0], bounds[length, 1], bounds[length, 2], bounds[length, 3] = boxes[i, 0], boxes[i, 1], boxes[i, 2], boxes[i, 3]
            length += 1
            link = links[link, 0]
        rows = more_room(rows, n_rows, length * (length - 1) // 2 + 1)
        n_compared += length * (length - 1) // 2
        for k in range(length):
            column, row = chain[k, COLUMN], chain[k, ROW]
            first_column, first_row, i = chain[k, FIRST_COLUMN], chain[k, FIRST_ROW], chain[k, PROXY]
            x0, y0, x1, y1 = bounds[k, 0], bounds[k, 1], bounds[k, 2], bounds[k, 3]
            for other in range(k + 1, length):
                j = chain[other, PROXY]
                in_x = (x0 <= bounds[other, 2]) & (bounds[other, 0] <= x1)
                in_y = (y0 <= bounds[other, 3]) & (bounds[other, 1] <= y1)
                in_cell = (chain[other, COLUMN] == column) & (chain[other, ROW] == row)
                is_first_x = max(first_column, chain[other, FIRST_COLUMN]) == column
                is_first_y = max(first_row, chain[other, FIRST_ROW]) == row
                # always written, kept if it is a pair: cheaper than an unpredictable branch
                rows[n_rows, 0], rows[n_rows, 1] = min(i, j), max(i, j)
                n_rows += int(in_x & in_y & in_cell & is_first_x & is_first_y)
    is_touched = np.ones(n, dtype=np.bool_)
    for k in range(oversize.shape[0]):
        rows, n_rows = _with_all(oversize[k], is_touched, boxes, where, rows, n_rows)
    return sorted_pairs(rows, n_rows, n), n_compared


@kernel
def pairs_of_touched(
    touched: IntArray, is_touched: NDArray[np.bool_], cached: IntArray, boxes: FloatArray, oversize: IntArray,
    cells: IntArray, where: IntArray, links: IntArray, heads: IntArray,
) -> IntArray:  # fmt: skip
    """Return all pairs, sorted: those of `cached` between boxes not touched, and all current pairs of `touched` boxes."""
    n, n_places = boxes.shape[0], heads.shape[0]
    rows: IntArray = np.empty((FIRST_ROOM * (touched.shape[0] + 1), 2), dtype=np.int64)
    n_rows = 0
    for at in range(touched.shape[0]):
        i = touched[at]
        if where[i] == IN_CELLS:
            n_columns = cells[i, 2] - cells[i, 0] + 1
            for k in range(n_columns * (cells[i, 3] - cells[i, 1] + 1)):
                column, row = cells[i, 0] + k % n_columns, cells[i, 1] + k // n_columns
                link = heads[place(column, row, n_places)]
                while link != END:
                    j = link // LINKS
                    # pairs of two touched boxes are found twice
                    is_mine = (j != i) & ((j > i) | (not is_touched[j]))
                    is_here = (max(cells[i, 0], cells[j, 0]) == column) & (max(cells[i, 1], cells[j, 1]) == row)
                    if is_mine & is_here and boxes_meet(boxes, i, boxes, j) and is_link_of(link, cells, j, column, row):
                        rows = more_room(rows, n_rows, 1)
                        rows[n_rows, 0], rows[n_rows, 1] = min(i, j), max(i, j)
                        n_rows += 1
                    link = links[link, 0]
            rows = more_room(rows, n_rows, oversize.shape[0] + 1)
            for k in range(oversize.shape[0]):
                j = oversize[k]
                rows[n_rows, 0], rows[n_rows, 1] = min(i, j), max(i, j)
                n_rows += int((not is_touched[j]) & boxes_meet(boxes, i, boxes, j))
        elif where[i] == OVERSIZE:
            rows, n_rows = _with_all(i, is_touched, boxes, where, rows, n_rows)
    new = sorted_pairs(rows, n_rows, n)
    pairs = np.empty((cached.shape[0] + n_rows, 2), dtype=np.int64)
    end = merge_pairs(cached, cached.shape[0], is_touched, new, pairs)
    return pairs[:end].copy()


@inlined_kernel
def _corners(queries: FloatArray, query: Query) -> Query:
    """Return the lower and the upper corner of a query; for a ray with a margin, infinite if that exceeds float64."""
    if queries.ndim == 3:
        ox, oy, dx, dy = query
        margin_x, margin_y = MARGIN * (abs(ox) + abs(dx)), MARGIN * (abs(oy) + abs(dy))
        x0, y0, x1, y1 = min(ox, ox + dx), min(oy, oy + dy), max(ox, ox + dx), max(oy, oy + dy)
        return x0 - margin_x, y0 - margin_y, x1 + margin_x, y1 + margin_y
    return query


@inlined_kernel
def _rows_in_column(queries: FloatArray, query: Query, column: int, grid: FloatArray, first_row: int, last_row: int) -> tuple[int, int]:
    """Return the first and the last row that a query covers within a column; for a region they are the same in all columns."""
    if queries.ndim == 3:
        ox, oy, dx, dy = query
        begin, begin_across, cell = grid[FROM_X], grid[FROM_Y], grid[CELL]
        left, right = begin + column * cell, begin + (column + 1) * cell
        margin = MARGIN * (abs(begin) + (abs(column) + 1) * cell + abs(ox) + abs(dx))
        enters, leaves = 0.0, 1.0
        if abs(dx) > margin:
            at_left, at_right = (left - margin - ox) / dx, (right + margin - ox) / dx
            enters, leaves = max(0.0, min(at_left, at_right)), min(1.0, max(at_left, at_right))
            # the last columns are unbounded
            if column <= -LAST_INDEX or column >= LAST_INDEX or enters > leaves:
                enters, leaves = 0.0, 1.0
        y_enters, y_leaves = oy + enters * dy, oy + leaves * dy
        margin_across = MARGIN * (abs(oy) + abs(dy))
        low, high = min(y_enters, y_leaves) - margin_across, max(y_enters, y_leaves) + margin_across
        return index(low, begin_across, cell), index(high, begin_across, cell)
    return first_row, last_row


@kernel
def met_in_cells(
    queries: FloatArray, boxes: FloatArray, oversize: IntArray,
    grid: FloatArray, cells: IntArray, where: IntArray, links: IntArray, heads: IntArray,
) -> IntArray:  # fmt: skip
    """Return rows (m, 2) of query, as in `query_at`, and overlapping proxy, sorted."""
    rows: IntArray = np.empty((FIRST_ROOM * (queries.shape[0] + 1), 2), dtype=np.int64)
    n_rows, n, n_places, cell, are_rays = 0, boxes.shape[0], heads.shape[0], grid[CELL], queries.ndim == 3
    asked_by = np.full(n if are_rays else 0, -1, dtype=np.int64)
    for row in range(queries.shape[0]):
        query = query_at(queries, row)
        x0, y0, x1, y1 = _corners(queries, query)
        first_column, last_column = index(x0, grid[FROM_X], cell), index(x1, grid[FROM_X], cell)
        first_row, last_row = index(y0, grid[FROM_Y], cell), index(y1, grid[FROM_Y], cell)
        n_columns, n_high = last_column - first_column + 1, last_row - first_row + 1
        if (n_columns + n_high - 1 if are_rays else n_columns * n_high) > n:
            rows = more_room(rows, n_rows, n)
            for i in range(n):
                rows[n_rows, 0], rows[n_rows, 1] = row, i
                n_rows += int((where[i] != NOWHERE) and is_met(queries, query, boxes, i))
            continue
        for column in range(first_column, last_column + 1):
            low, high = _rows_in_column(queries, query, column, grid, first_row, last_row)
            for of_row in range(low, high + 1):
                link = heads[place(column, of_row, n_places)]
                while link != END:
                    i = link // LINKS
                    if are_rays:
                        # shared chains contain boxes of other cells, which the predicate rejects
                        is_first = asked_by[i] != row
                        asked_by[i] = row
                    else:
                        is_first = (max(cells[i, 0], first_column) == column) & (max(cells[i, 1], first_row) == of_row)
                    if is_first and is_met(queries, query, boxes, i) and (are_rays or is_link_of(link, cells, i, column, of_row)):
                        rows = more_room(rows, n_rows, 1)
                        rows[n_rows, 0], rows[n_rows, 1] = row, i
                        n_rows += 1
                    link = links[link, 0]
        rows = more_room(rows, n_rows, oversize.shape[0] + 1)
        for k in range(oversize.shape[0]):
            rows[n_rows, 0], rows[n_rows, 1] = row, oversize[k]
            n_rows += int(is_met(queries, query, boxes, oversize[k]))
    return sorted_rows(rows, n_rows, max(n, queries.shape[0]))
