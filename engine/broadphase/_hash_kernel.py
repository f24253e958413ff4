"""A spatial hash: boxes in the cells they cover, cells in a table of chains, and only boxes that changed their cells relinked.

The plane is cut into square cells, without an end: those in use are found by a hash of column and row. A box is linked into the
chain of each cell that it covers, one to four of them. One that would cover more is *oversize*: it is in no chain and compared with all::

      +-------+-------+-------+
      |       |   b   |   b   |       a covers one cell, b four.
      |       |     +-|-----+ |
      +-------+-----|-+-----|-+       Each box has four links, number 4 i + k for the k-th cell of box i, so that nothing is
      |  +-+  |   b +-|-----+ |       ever asked for or given back: a box that moves within its cells changes nothing,
      |  |a|  |       |   b   |       and one that leaves them takes its links out and puts them in elsewhere.
      +-------+-------+-------+

**Each pair once.** Boxes that share several cells meet in each of them. The lower corner of what they have in common is at the
larger of their lower x and of their lower y, and they are compared only in its cell. As the number of a cell never falls with
the coordinate, that is the larger of their first columns, and of their first rows: whole numbers, and no rounding in the matter. For
the same reason boxes that overlap do share that cell, whatever the rounding of the numbers did.

Chains of different cells may run together in one place of the table; a walk along compares column and row. How the pairs are
found, and queries answered: `_hash_query_kernel`.

Source: M. Teschner et al., Optimized spatial hashing for collision detection of deformable objects, VMV 2003; C. Ericson, Real-Time
Collision Detection, 2005, 7.1.3 (hashed storage and infinite grids); J.-P. Dittrich, B. Seeger, Data redundancy and duplicate detection
in spatial join processing, ICDE 2000 (a pair only where its reference point lies).
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
"""Columns and rows are at most this far from the first box, either way; what lies farther out is in the last."""

FROM_X, FROM_Y, CELL = 0, 1, 2
"""Elements of a grid: the corner of its cell (0, 0), and the width of a cell, meters."""

OFFSET = 2 * LAST_INDEX


@inlined_kernel
def index(x: float, begin: float, cell: float) -> int:
    """Return the number of the column or row that holds `x`; it never decreases with `x`, for no rounded operation here does."""
    at = np.floor((x - begin) / cell)
    return int(max(-LAST_INDEX, min(at, LAST_INDEX)))


@inlined_kernel
def place(column: int, row: int, n_places: int) -> int:
    """Return where in the table, whose number of places is a power of 2, the chain of a cell begins."""
    mixed = (np.uint64(column + OFFSET) * COLUMN_FACTOR + np.uint64(row + OFFSET) * ROW_FACTOR) & HASH_MASK
    # of the lower 32 bits of a multiple the upper ones are spread evenly
    return int(np.int64((mixed * np.uint64(n_places)) >> np.uint64(HASH_BITS)))


@inlined_kernel
def is_link_of(link: int, cells: IntArray, i: int, column: int, row: int) -> bool:
    """Return whether a link of box `i` is the one in the cell at `column` and `row`: another cell's chain may have run into this one."""
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
    """Link `proxies` into the cells of their boxes, and return how many had to be moved.

    `cells` (n, 4), first and last column and row, and `where` (n,) say where each box is; `links` (LINKS n, 2) are the next and the
    one before in the chain, which begins in `heads`.
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
