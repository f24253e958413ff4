"""What overlaps a region or a ray in a spatial hash: the cells that it covers, and each box of them once.

**Region.** As with pairs, a box that shares several cells with the region is asked only in the one with the larger of the first columns and
the larger of the first rows.

**Ray.** Column for column, the piece of the segment that lies in it, and the rows which that piece covers::

      +-----+-----+-----+
      |     |     |  v /|       Stepping from cell to cell by the nearest side, as is often done, a rounding can pass a corner on the
      +-----+-----+---/-+       wrong side and leave a cell out. Here each column stands for itself, and is taken wider,
      |     |  v  | v/v |       and its piece too, by `MARGIN` of all the numbers involved. The index of a cell, the bounds of
      +-----+----/+-/---+       a column and the point where the segment passes them err by at most some 6 EPS64 of them, and the
      |  v  | v/v |/    |       predicate lets a segment pass a box at 2 RAY_ROUNDING, 8 EPS64, of its way: 14; the margin is 32.
      |   ----- v |     |
      +-----+-----+-----+       A box that hangs in several of those cells is remembered, and asked once.

Where a question covers more cells than there are boxes, or numbers go beyond float64, all boxes are asked instead.

Source: J. Amanatides, A. Woo, A fast voxel traversal algorithm for ray tracing, Eurographics 1987 (the walk that this is not); C.
Ericson, Real-Time Collision Detection, 2005, 7.4.2.
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._boxes_kernel import boxes_meet
from engine.broadphase._hash_kernel import CELL, END, FROM_X, FROM_Y, LAST_INDEX, LINKS, NOWHERE, index, is_link_of, place
from engine.broadphase._ray_kernel import segment_meets_box
from engine.broadphase._rows_kernel import more_room, sorted_rows
from engine.broadphase._sorting_kernel import FIRST_ROOM
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import RAY_ROUNDING

__all__ = ["met_in_cells", "overlapped_in_cells"]

MARGIN = 8.0 * RAY_ROUNDING


@kernel
def overlapped_in_cells(
    regions: FloatArray,
    boxes: FloatArray,
    grid: FloatArray,
    cells: IntArray,
    where: IntArray,
    links: IntArray,
    heads: IntArray,
    oversize: IntArray,
) -> IntArray:
    """Return rows (m, 2) of region and proxy that overlap, sorted."""
    found: IntArray = np.empty((FIRST_ROOM * (regions.shape[0] + 1), 2), dtype=np.int64)
    n_found, n, n_places = 0, boxes.shape[0], heads.shape[0]
    for row in range(regions.shape[0]):
        first_column, last_column = index(regions[row, 0], grid[FROM_X], grid[CELL]), index(regions[row, 2], grid[FROM_X], grid[CELL])
        first_row, last_row = index(regions[row, 1], grid[FROM_Y], grid[CELL]), index(regions[row, 3], grid[FROM_Y], grid[CELL])
        if (last_column - first_column + 1) * (last_row - first_row + 1) > n:
            found = more_room(found, n_found, n)
            for i in range(n):
                found[n_found, 0], found[n_found, 1] = row, i
                n_found += int((where[i] != NOWHERE) & boxes_meet(regions, row, boxes, i))
            continue
        for of_row in range(first_row, last_row + 1):
            for column in range(first_column, last_column + 1):
                link = heads[place(column, of_row, n_places)]
                while link != END:
                    i = link // LINKS
                    is_here = (max(cells[i, 0], first_column) == column) & (max(cells[i, 1], first_row) == of_row)
                    if is_here and boxes_meet(regions, row, boxes, i) and is_link_of(link, cells, i, column, of_row):
                        found = more_room(found, n_found, 1)
                        found[n_found, 0], found[n_found, 1] = row, i
                        n_found += 1
                    link = links[link, 0]
        found = more_room(found, n_found, oversize.shape[0] + 1)
        for k in range(oversize.shape[0]):
            found[n_found, 0], found[n_found, 1] = row, oversize[k]
            n_found += int(boxes_meet(regions, row, boxes, oversize[k]))
    return sorted_rows(found, n_found, max(n, regions.shape[0]))


@inlined_kernel
def _rows_in_column(
    column: int, origin: float, way: float, across: float, way_across: float, begin: float, begin_across: float, cell: float
) -> tuple[int, int]:
    """Return the first and the last row which the segment covers within a column."""
    left, right = begin + column * cell, begin + (column + 1) * cell
    margin = MARGIN * (abs(begin) + (abs(column) + 1) * cell + abs(origin) + abs(way))
    enters, leaves = 0.0, 1.0
    if abs(way) > margin:
        at_left, at_right = (left - margin - origin) / way, (right + margin - origin) / way
        enters, leaves = max(0.0, min(at_left, at_right)), min(1.0, max(at_left, at_right))
        # the last columns have no end
        if column <= -LAST_INDEX or column >= LAST_INDEX or enters > leaves:
            enters, leaves = 0.0, 1.0
    y_enters, y_leaves = across + enters * way_across, across + leaves * way_across
    margin_across = MARGIN * (abs(across) + abs(way_across))
    return (
        index(min(y_enters, y_leaves) - margin_across, begin_across, cell),
        index(max(y_enters, y_leaves) + margin_across, begin_across, cell),
    )


@kernel
def met_in_cells(
    origins: FloatArray,
    translations: FloatArray,
    boxes: FloatArray,
    grid: FloatArray,
    cells: IntArray,
    where: IntArray,
    links: IntArray,
    heads: IntArray,
    oversize: IntArray,
) -> IntArray:
    """Return rows (m, 2) of segment and proxy that meet, sorted."""
    found: IntArray = np.empty((FIRST_ROOM * (origins.shape[0] + 1), 2), dtype=np.int64)
    n_found, n, n_places, cell = 0, boxes.shape[0], heads.shape[0], grid[CELL]
    asked_by = np.full(n, -1, dtype=np.int64)
    for row in range(origins.shape[0]):
        ox, oy, dx, dy = origins[row, 0], origins[row, 1], translations[row, 0], translations[row, 1]
        margin_x, margin_y = MARGIN * (abs(ox) + abs(dx)), MARGIN * (abs(oy) + abs(dy))
        first_column = index(min(ox, ox + dx) - margin_x, grid[FROM_X], cell)
        last_column = index(max(ox, ox + dx) + margin_x, grid[FROM_X], cell)
        first_row = index(min(oy, oy + dy) - margin_y, grid[FROM_Y], cell)
        last_row = index(max(oy, oy + dy) + margin_y, grid[FROM_Y], cell)
        if last_column - first_column + last_row - first_row + 1 > n or not (margin_x < np.inf and margin_y < np.inf):
            found = more_room(found, n_found, n)
            for i in range(n):
                found[n_found, 0], found[n_found, 1] = row, i
                n_found += int((where[i] != NOWHERE) and segment_meets_box(ox, oy, dx, dy, boxes, i))
            continue
        for column in range(first_column, last_column + 1):
            low, high = _rows_in_column(column, ox, dx, oy, dy, grid[FROM_X], grid[FROM_Y], cell)
            for of_row in range(low, high + 1):
                link = heads[place(column, of_row, n_places)]
                while link != END:
                    i = link // LINKS
                    if asked_by[i] != row:
                        # chains that have run together show boxes of other cells: the predicate knows them
                        asked_by[i] = row
                        if segment_meets_box(ox, oy, dx, dy, boxes, i):
                            found = more_room(found, n_found, 1)
                            found[n_found, 0], found[n_found, 1] = row, i
                            n_found += 1
                    link = links[link, 0]
        found = more_room(found, n_found, oversize.shape[0] + 1)
        for k in range(oversize.shape[0]):
            found[n_found, 0], found[n_found, 1] = row, oversize[k]
            n_found += int(segment_meets_box(ox, oy, dx, dy, boxes, oversize[k]))
    return sorted_rows(found, n_found, max(n, origins.shape[0]))
