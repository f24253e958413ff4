"""The overlapping pairs in a spatial hash: of all boxes, chain by chain, or of those that were touched, and the others kept.

**All.** A chain leads all over memory, and each comparison along it would wait for the next box. So a chain is copied first, boxes side by
side, and then each is compared with those after it: every link is followed once.

**Touched.** The pairs of the last time are kept, sorted. The touched boxes look into their cells anew, and what they find takes the place
of their old pairs (`_kept_pairs_kernel`).

What changed nothing costs a pass over the kept pairs; the rest grows with the touched boxes alone.

A pair of boxes is compared in one of the cells that they share; which, and why no rounding matters: `_hash_kernel`. An oversize box is
compared with all others by itself.

Source: see `_hash_kernel`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.broadphase._boxes_kernel import boxes_meet
from engine.broadphase._hash_kernel import END, IN_CELLS, LINKS, OVERSIZE, is_link_of, place
from engine.broadphase._kept_pairs_kernel import merge_pairs
from engine.broadphase._rows_kernel import more_room
from engine.broadphase._sorting_kernel import FIRST_ROOM, sorted_pairs
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["pairs_anew", "pairs_of_touched"]

COLUMN, ROW, FIRST_COLUMN, FIRST_ROW, PROXY = 0, 1, 2, 3, 4
N_FIELDS = 5
"""Of a link in the copy of a chain: the cell it hangs in, the first cell of its box, and the box."""


@inlined_kernel
def _longest(links: IntArray, heads: IntArray) -> int:
    """Return how many links are in the longest chain."""
    longest = 0
    for head in range(heads.shape[0]):
        length, link = 0, heads[head]
        while link != END:
            length += 1
            link = links[link, 0]
        longest = max(longest, length)
    return longest


@kernel
def pairs_anew(
    boxes: FloatArray, cells: IntArray, where: IntArray, links: IntArray, heads: IntArray, oversize: IntArray
) -> tuple[IntArray, int]:
    """Return all pairs, sorted, and how many comparisons within chains it took."""
    n = boxes.shape[0]
    found: IntArray = np.empty((FIRST_ROOM * (n + 1), 2), dtype=np.int64)
    n_found = n_compared = 0
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
        found = more_room(found, n_found, length * (length - 1) // 2 + 1)
        n_compared += length * (length - 1) // 2
        for one in range(length):
            column, row = chain[one, COLUMN], chain[one, ROW]
            first_column, first_row, i = chain[one, FIRST_COLUMN], chain[one, FIRST_ROW], chain[one, PROXY]
            x0, y0, x1, y1 = bounds[one, 0], bounds[one, 1], bounds[one, 2], bounds[one, 3]
            for other in range(one + 1, length):
                j = chain[other, PROXY]
                in_x = (x0 <= bounds[other, 2]) & (bounds[other, 0] <= x1)
                in_y = (y0 <= bounds[other, 3]) & (bounds[other, 1] <= y1)
                in_cell = (chain[other, COLUMN] == column) & (chain[other, ROW] == row)
                is_first_x = max(first_column, chain[other, FIRST_COLUMN]) == column
                is_first_y = max(first_row, chain[other, FIRST_ROW]) == row
                # written in any case, kept if it is a pair: cheaper than a branch that cannot be foreseen
                found[n_found, 0], found[n_found, 1] = min(i, j), max(i, j)
                n_found += int(in_x & in_y & in_cell & is_first_x & is_first_y)
    for k in range(oversize.shape[0]):
        i = oversize[k]
        found = more_room(found, n_found, n)
        for j in range(n):
            # two oversize ones find each other twice
            is_mine = (where[j] == IN_CELLS) | ((where[j] == OVERSIZE) & (j > i))
            found[n_found, 0], found[n_found, 1] = min(i, j), max(i, j)
            n_found += int(is_mine & boxes_meet(boxes, i, boxes, j))
    return sorted_pairs(found, n_found, n), n_compared


@kernel
def pairs_of_touched(
    touched: IntArray,
    is_touched: NDArray[np.bool_],
    kept: IntArray,
    boxes: FloatArray,
    cells: IntArray,
    where: IntArray,
    links: IntArray,
    heads: IntArray,
    oversize: IntArray,
) -> IntArray:
    """Return all pairs, sorted: of `kept` those of boxes not touched, and all that boxes of `touched` are in now."""
    n, n_places = boxes.shape[0], heads.shape[0]
    found: IntArray = np.empty((FIRST_ROOM * (touched.shape[0] + 1), 2), dtype=np.int64)
    n_found = 0
    for at in range(touched.shape[0]):
        i = touched[at]
        if where[i] == IN_CELLS:
            n_columns = cells[i, 2] - cells[i, 0] + 1
            for k in range(n_columns * (cells[i, 3] - cells[i, 1] + 1)):
                column, row = cells[i, 0] + k % n_columns, cells[i, 1] + k // n_columns
                link = heads[place(column, row, n_places)]
                while link != END:
                    j = link // LINKS
                    # two touched boxes find each other twice
                    is_mine = (j != i) & ((j > i) | (not is_touched[j]))
                    is_here = (max(cells[i, 0], cells[j, 0]) == column) & (max(cells[i, 1], cells[j, 1]) == row)
                    if is_mine & is_here and boxes_meet(boxes, i, boxes, j) and is_link_of(link, cells, j, column, row):
                        found = more_room(found, n_found, 1)
                        found[n_found, 0], found[n_found, 1] = min(i, j), max(i, j)
                        n_found += 1
                    link = links[link, 0]
            found = more_room(found, n_found, oversize.shape[0] + 1)
            for k in range(oversize.shape[0]):
                j = oversize[k]
                found[n_found, 0], found[n_found, 1] = min(i, j), max(i, j)
                n_found += int((not is_touched[j]) & boxes_meet(boxes, i, boxes, j))
        elif where[i] == OVERSIZE:
            found = more_room(found, n_found, n)
            for j in range(n):
                # one in cells leaves the comparison to a touched oversize one; two touched oversize ones find each other twice
                is_mine = (where[j] == IN_CELLS) | ((where[j] == OVERSIZE) & (j != i) & ((j > i) | (not is_touched[j])))
                found[n_found, 0], found[n_found, 1] = min(i, j), max(i, j)
                n_found += int(is_mine & boxes_meet(boxes, i, boxes, j))
    new = sorted_pairs(found, n_found, n)
    pairs = np.empty((kept.shape[0] + n_found, 2), dtype=np.int64)
    end = merge_pairs(kept, kept.shape[0], is_touched, new, pairs)
    return pairs[:end].copy()
