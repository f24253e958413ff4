"""A spatial hash: boxes are stored in the cells they cover, cells in a table of chains.

The plane is an unbounded grid of square cells: those in use are found by a hash of column and row. A box is linked into the chain of each
cell that it covers, one to four of them. A box that would cover more is *oversize*: it is in no chain and is compared with all others::

      +-------+-------+-------+
      |       |   b   |   b   |       a covers one cell, b four.
      |       |     +-|-----+ |
      +-------+-----|-+-----|-+       Each box has four links, number 4 i + k for the k-th cell of box i, so that nothing is
      |  +-+  |   b +-|-----+ |       allocated or freed.
      |  |a|  |       |   b   |
      +-------+-------+-------+

Box by box: each is compared with the boxes that are already in the chains of its cells, then linked into them. As the index of a cell is
monotone in the coordinate, overlapping boxes share a cell, regardless of the rounding of the indices. Boxes that share several are found in
each, and chains of different cells can share a place of the table: the caller drops repetitions.

Source: M. Teschner et al., Optimized spatial hashing for collision detection of deformable objects, VMV 2003; C. Ericson, Real-Time
Collision Detection, 2005, 7.1.3 (hashed storage and infinite grids).
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._boxes_kernel import boxes_meet
from engine.broadphase._keys_kernel import FIRST_ROOM, key_of, more_room
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["COLUMN_FACTOR", "HASH_MASK", "ROW_FACTOR", "hashed_pairs", "index", "place"]

COLUMN_FACTOR, ROW_FACTOR = np.uint64(2654435769), np.uint64(1779033703)
"""Odd numbers of 32 bits: 2^32 divided by the golden ratio, and the fractional part of the root of 2. The upper bits of the lower 32 bits
of a multiple are spread evenly (D. Knuth, The Art of Computer Programming 3, 6.4); no product here needs more than 64 bits."""

HASH_BITS = 32
HASH_MASK = np.uint64(2**HASH_BITS - 1)

LINKS = 4
"""Links of a box: two columns by two rows at most."""

END = -1
"""End of a chain."""

LAST_INDEX = 2**30
"""Maximum distance of columns and rows from the first box in either direction; boxes farther out are in the last."""

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


@kernel
def hashed_pairs(boxes: FloatArray, low_x: float, low_y: float, cell: float) -> IntArray:
    """Return the keys of the overlapping pairs of `boxes` (n, 4), some more than once.

    The corner of cell (0, 0) is at (low_x, low_y); `cell` is the width of a cell, meters.
    """
    n, n_places = boxes.shape[0], 1
    while n_places < LINKS * n:
        n_places *= 2
    heads, after = np.full(n_places, END, dtype=np.int64), np.empty(LINKS * n, dtype=np.int64)
    oversize = np.empty(n, dtype=np.int64)
    keys: IntArray = np.empty(FIRST_ROOM * (n + 1), dtype=np.int64)
    n_oversize = n_keys = 0
    for i in range(n):
        column, row = index(boxes[i, 0], low_x, cell), index(boxes[i, 1], low_y, cell)
        n_columns, n_rows = index(boxes[i, 2], low_x, cell) - column + 1, index(boxes[i, 3], low_y, cell) - row + 1
        if n_columns > 2 or n_rows > 2:
            oversize[n_oversize] = i
            n_oversize += 1
            continue
        for k in range(n_columns * n_rows):
            head = place(column + k % n_columns, row + k // n_columns, n_places)
            link = heads[head]
            while link != END:
                if boxes_meet(boxes, i, boxes, link // LINKS):
                    keys = more_room(keys, n_keys, 1)
                    keys[n_keys] = key_of(i, link // LINKS)
                    n_keys += int(link // LINKS != i)  # two cells of one box may share a place
                link = after[link]
            after[LINKS * i + k], heads[head] = heads[head], LINKS * i + k
    for k in range(n_oversize):
        keys = more_room(keys, n_keys, n)
        for j in range(n):
            keys[n_keys] = key_of(oversize[k], j)
            n_keys += int(boxes_meet(boxes, oversize[k], boxes, j) and j != oversize[k])
    return keys[:n_keys]
