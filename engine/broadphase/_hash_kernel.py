"""A spatial hash: boxes are stored in the cells they cover, cells in a table of chains, and only boxes that changed cells are relinked.

The plane is an unbounded grid of square cells: those in use are found by a hash of column and row. A box is linked into the chain of each
cell that it covers, one to four of them. A box that would cover more is *oversize*: it is in no chain and is compared with all others::

      +-------+-------+-------+
      |       |   b   |   b   |       a covers one cell, b four.
      |       |     +-|-----+ |
      +-------+-----|-+-----|-+       Each box has four links, number 4 i + k for the k-th cell of box i, so that nothing is
      |  +-+  |   b +-|-----+ |       allocated or freed: a box that moves within its cells changes nothing,
      |  |a|  |       |   b   |       and one that leaves them moves its links to other chains.
      +-------+-------+-------+

**Each pair once.** Boxes that share several cells are found in each of them. The lower corner of their intersection is at the larger of
their lower x and of their lower y, and they are compared only in its cell. As the index of a cell is monotone in the coordinate, that is
the larger of their first columns, and of their first rows: integers, without rounding. For the same reason overlapping boxes do share that
cell, regardless of the rounding of the indices.

Chains of different cells can share a place of the table; a traversal compares column and row. Pairs and queries: `_hash_query_kernel`.

Source: M. Teschner et al., Optimized spatial hashing for collision detection of deformable objects, VMV 2003; C. Ericson, Real-Time
Collision Detection, 2005, 7.1.3 (hashed storage and infinite grids); J.-P. Dittrich, B. Seeger, Data redundancy and duplicate detection
in spatial join processing, ICDE 2000 (a pair only in the cell of its reference point).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = [
    "COLUMN_FACTOR",
    "HASH_MASK",
    "IN_CELLS",
    "LINKS",
    "NOWHERE",
    "OVERSIZE",
    "ROW_FACTOR",
    "changed_rows",
    "index",
    "is_link_of",
    "place",
    "relink",
]

COLUMN_FACTOR, ROW_FACTOR = np.uint64(2654435769), np.uint64(1779033703)
"""Odd numbers of 32 bits: 2^32 divided by the golden ratio, and the fractional part of the root of 2. The upper bits of the lower 32 bits
of a multiple are spread evenly (D. Knuth, The Art of Computer Programming 3, 6.4); no product here needs more than 64 bits."""

HASH_BITS = 32
HASH_MASK = np.uint64(2**HASH_BITS - 1)

LINKS = 4
"""Links of a box: two columns by two rows at most."""

NOWHERE, IN_CELLS, OVERSIZE = 0, 1, 2
"""State of a box: removed, in its cells, or compared with all."""

END = -1
"""End of a chain."""

LAST_INDEX = 2**30
"""Maximum distance of columns and rows from the first box in either direction; boxes farther out are in the last."""

FROM_X, FROM_Y, CELL = 0, 1, 2
"""Elements of a grid: the corner of its cell (0, 0), and the width of a cell, meters."""

OFFSET = 2 * LAST_INDEX


@inlined_kernel
def index(x: float, begin: float, cell: float) -> int:
    """Return the index of the column or row that contains `x`; it never decreases with `x`, because every rounded operation is monotone."""
    at = np.floor((x - begin) / cell)
    return int(max(-LAST_INDEX, min(at, LAST_INDEX)))


@inlined_kernel
def place(column: int, row: int, n_places: int) -> int:
    """Return the place of a cell's chain in the table, whose number of places is a power of 2."""
    mixed = (np.uint64(column + OFFSET) * COLUMN_FACTOR + np.uint64(row + OFFSET) * ROW_FACTOR) & HASH_MASK
    # the upper bits of the lower 32 bits of a multiple are distributed evenly
    return int(np.int64((mixed * np.uint64(n_places)) >> np.uint64(HASH_BITS)))


@inlined_kernel
def is_link_of(link: int, cells: IntArray, i: int, column: int, row: int) -> bool:
    """Return whether a link of box `i` is the one in the cell at `column` and `row`, because chains of several cells can share a place."""
    n_columns, k = cells[i, 2] - cells[i, 0] + 1, link % LINKS
    return bool((cells[i, 0] + k % n_columns == column) & (cells[i, 1] + k // n_columns == row))


@kernel
def changed_rows(boxes: FloatArray, before: FloatArray) -> IntArray:
    """Return the rows in which two arrays (n, 4) differ, in order."""
    rows = np.empty(boxes.shape[0], dtype=np.int64)
    n = 0
    for i in range(boxes.shape[0]):
        rows[n] = i
        is_same_x = (boxes[i, 0] == before[i, 0]) & (boxes[i, 2] == before[i, 2])
        is_same_y = (boxes[i, 1] == before[i, 1]) & (boxes[i, 3] == before[i, 3])
        n += int(not (is_same_x & is_same_y))
    return rows[:n].copy()


@kernel
def relink(
    proxies: IntArray, boxes: FloatArray, is_live: NDArray[np.bool_],
    grid: FloatArray, cells: IntArray, where: IntArray, links: IntArray, heads: IntArray,
) -> int:  # fmt: skip
    """Link `proxies` into the cells of their boxes, and return the number of relinked ones.

    `cells` (n, 4), first and last column and row, and `where` (n,) are the location of each box; `links` (LINKS n, 2) are the next and the
    previous link in the chain, which begins in `heads`.
    """
    n_moved, n_places = 0, heads.shape[0]
    for at in range(proxies.shape[0]):
        i = proxies[at]
        column, row = index(boxes[i, 0], grid[FROM_X], grid[CELL]), index(boxes[i, 1], grid[FROM_Y], grid[CELL])
        last_column, last_row = index(boxes[i, 2], grid[FROM_X], grid[CELL]), index(boxes[i, 3], grid[FROM_Y], grid[CELL])
        now = IN_CELLS if (last_column - column <= 1) & (last_row - row <= 1) else OVERSIZE
        if not is_live[i]:
            now = NOWHERE
        is_same = (cells[i, 0] == column) & (cells[i, 1] == row) & (cells[i, 2] == last_column) & (cells[i, 3] == last_row)
        if now == where[i] and (now != IN_CELLS or is_same):
            continue
        n_moved += 1
        if where[i] == IN_CELLS:
            n_columns = cells[i, 2] - cells[i, 0] + 1
            for k in range(n_columns * (cells[i, 3] - cells[i, 1] + 1)):
                link = LINKS * i + k
                after, ahead = links[link, 0], links[link, 1]
                if ahead == END:
                    heads[place(cells[i, 0] + k % n_columns, cells[i, 1] + k // n_columns, n_places)] = after
                else:
                    links[ahead, 0] = after
                if after != END:
                    links[after, 1] = ahead
        where[i] = now
        cells[i, 0], cells[i, 1], cells[i, 2], cells[i, 3] = column, row, last_column, last_row
        if now == IN_CELLS:
            n_columns = last_column - column + 1
            for k in range(n_columns * (last_row - row + 1)):
                link, head = LINKS * i + k, place(column + k % n_columns, row + k // n_columns, n_places)
                links[link, 0], links[link, 1] = heads[head], END
                if heads[head] != END:
                    links[heads[head], 1] = link
                heads[head] = link
    return n_moved
