"""Lists of pairs: growing them, sorting them, and merging old pairs with new ones.

**Sorting.** A counting sort by the second index, then one by the first. It is stable, so that after the second one the pairs with equal
first index are still sorted by their second. It takes no longer for a floor that supports everything than for boxes with a few partners
each, and has no mispredicted branches.

Rows of query and proxy already have the queries in order: long lists use the same sort, which takes a step for every box; the rows of each
query are sorted separately in short ones.

**Merging.** If only some of the boxes have changed, the pairs between the others remain valid. The changed boxes are queried again; the
results are sorted, and merged with the remaining old pairs, which are already sorted::

    old    (0,4) (1,2) (2,7) (3,5)      2 has changed: drop (1,2), (2,7)
    new    (2,3) (2,9)                  ask about box 2
    merged (0,4) (2,3) (2,9) (3,5)      one pass over both

Source: D. Knuth, The Art of Computer Programming 3, 5.2 (distribution counting), 5.2.5 (radix sorting) and 5.2.1 (Shell's sort; the gaps).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.common._lanes_kernel import FEW, SOME, write_few, write_some
from engine.common.arrays import IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel

__all__ = ["FIRST_ROOM", "PlaceArray", "merge_pairs", "more_room", "name_pairs", "ordered_pairs", "sorted_pairs", "sorted_rows"]

PlaceArray: TypeAlias = NDArray[np.uint32]
"""Places in a list of boxes: half the memory of 64 bits, and eight per register."""

FIRST_ROOM = 8
"""Initial capacity in pairs per box; the capacity doubles when it is exhausted."""

COUNTING_FROM = 8
"""Number of boxes per row from which the counting sort takes longer (measured: within a tenth from 4 to 16)."""

ONE_32 = np.uint32(1)
N_FEW, N_SOME = np.uint64(FEW), np.uint64(SOME)


@allocating_kernel
def more_room(rows: IntArray, n_rows: int, wanted: int) -> IntArray:
    """Return `rows`, or a larger array with its first `n_rows` rows if its capacity is too small for `wanted` more rows."""
    if n_rows + wanted > rows.shape[0]:
        larger = np.empty((2 * rows.shape[0] + wanted, 2), dtype=np.int64)
        for k in range(n_rows):  # a loop, because compiling the error message of a slice assignment takes four seconds
            larger[k, 0], larger[k, 1] = rows[k, 0], rows[k, 1]
        return larger
    return rows


@inlined_kernel
def name_pairs(rows: IntArray, low: np.uint64, high: np.uint64, i: int, index: IntArray) -> None:
    """Convert rows `low` to `high` to pairs of box `i` with each box whose place in the sorted list is in the second column."""
    for k in range(low, high):
        j = index[rows[k, 1]]
        rows[k, 0], rows[k, 1] = min(i, j), max(i, j)


@allocating_kernel
def _sort_by(column: int, pairs: IntArray, n_pairs: int, n: int, result: IntArray) -> None:
    """Write the first `n_pairs` pairs to `result`, stably sorted by the numbers below `n` in `column`."""
    place = np.zeros(n + 1, dtype=np.int64)
    for k in range(n_pairs):
        place[np.uint64(pairs[k, column]) + np.uint64(1)] += 1
    for i in range(n):
        place[i + 1] += place[i]
    for k in range(n_pairs):
        of = np.uint64(pairs[k, column])
        to = np.uint64(place[of])
        place[of] += 1
        result[to, 0], result[to, 1] = pairs[k, 0], pairs[k, 1]


@kernel
def sorted_pairs(rows: IntArray, n_rows: int, n: int) -> IntArray:
    """Return the first `n_rows` pairs of numbers below `n`, sorted; `rows` is overwritten.

    The first sort writes to the result and the second back: one more array, newly allocated by the operating system, would take longer than
    the copy.
    """
    pairs = np.empty((n_rows, 2), dtype=np.int64)
    _sort_by(1, rows, n_rows, n, pairs)
    _sort_by(0, pairs, n_rows, n, rows)
    for k in range(np.uint64(n_rows)):  # an assignment of slices takes seconds to compile
        pairs[k, 0], pairs[k, 1] = rows[k, 0], rows[k, 1]
    return pairs


@inlined_kernel
def sort_few(numbers: PlaceArray | IntArray, low: int, high: int) -> None:
    """Sort `numbers` from `low` up to `high` in place by Shell's sort: insertion over wide gaps, then over narrower ones.

    So no element moves far by single steps, as it would by insertion alone::

        gaps ... 13, 4, 1:   x . . . x . . . x      the x are sorted among themselves, then the next gap

    With gaps of 3 h + 1, all of them below the length, n numbers take at most about n^1.5 moves.
    """
    gap = 1
    while 3 * gap + 1 < high - low:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(low + gap, high):
            number, to = numbers[k], k
            while to >= low + gap and numbers[to - gap] > number:
                numbers[to] = numbers[to - gap]
                to -= gap
            numbers[to] = number
        gap //= 3


@kernel
def sorted_rows(rows: IntArray, n_rows: int, n: int) -> IntArray:
    """Return the first `n_rows` rows of query and proxy in order; the first column, in order, and the second are below `n`.

    `rows` is overwritten.
    """
    if n_rows * COUNTING_FROM > n:
        return sorted_pairs(rows, n_rows, n)
    low = 0
    for k in range(1, n_rows + 1):
        if k == n_rows or rows[k, 0] != rows[low, 0]:
            sort_few(rows[:, 1], low, k)
            low = k
    return rows[:n_rows].copy()


@kernel
def merge_pairs(kept: IntArray, n_kept: int, is_changed: NDArray[np.uint8] | NDArray[np.bool_], rows: IntArray, merged: IntArray) -> int:
    """Merge the unchanged ones of the first `n_kept` sorted pairs of `kept` and the sorted ones of `rows` into `merged`; return their
    number.

    No pair is in both; `merged` has space for all.
    """
    n_rows = rows.shape[0]
    end = at = 0
    for k in range(n_kept):
        i, j = kept[k, 0], kept[k, 1]
        if (is_changed[i] | is_changed[j]) != 0:
            continue
        while at < n_rows and (rows[at, 0] < i or (rows[at, 0] == i and rows[at, 1] < j)):
            merged[end, 0], merged[end, 1] = rows[at, 0], rows[at, 1]
            end, at = end + 1, at + 1
        merged[end, 0], merged[end, 1] = i, j
        end += 1
    for k in range(at, n_rows):
        merged[end, 0], merged[end, 1] = rows[k, 0], rows[k, 1]
        end += 1
    return end


@kernel
def ordered_pairs(
    first: PlaceArray, second: PlaceArray, n_rows: int, numbers: PlaceArray, n: int, counts: PlaceArray, lists: PlaceArray, pairs: IntArray
) -> None:
    """Write the pairs of boxes ``numbers[first[k]]`` and ``numbers[second[k]]``, below `n`, to `pairs` (n_found + 1, 2), sorted.

    This is for pairs of a search through cells, most of whose boxes have a handful of partners: they are grouped by their smaller number,
    and the partners of each are sorted by their ranks (`_lanes_kernel`). A second counting sort would scatter all pairs over memory once
    more, which takes twice as long with 100,000 boxes. The last row of `pairs` is scratch, as are `counts` (n,) and `lists` (n_found +
    SOME,); `first` and `second` are overwritten.
    """
    n_boxes, n_pairs = np.uint64(n), np.uint64(n_rows)
    for slot in range(n_boxes):
        counts[slot] = 0
    for k in range(n_pairs):
        i, j = np.uint64(numbers[np.uint64(first[k])]), np.uint64(numbers[np.uint64(second[k])])
        smaller, larger = (i, j) if i < j else (j, i)
        first[k], second[k] = smaller, larger
        counts[smaller] += ONE_32
    n_before = np.uint32(0)
    for slot in range(n_boxes):
        n_partners = counts[slot]
        counts[slot] = n_before
        n_before += n_partners
    for k in range(n_pairs):
        owner = np.uint64(first[k])
        lists[np.uint64(counts[owner])] = second[k]
        counts[owner] += ONE_32
    low = np.uint64(0)
    for slot in range(n_boxes):
        high = np.uint64(counts[slot])
        count = high - low
        if count <= N_FEW:
            write_few(lists, low, count, slot, pairs)
        elif count <= N_SOME:
            write_some(lists, low, count, slot, pairs)
        else:
            sort_few(lists, int(np.int64(low)), int(np.int64(high)))
            for k in range(low, high):
                pairs[k, 0], pairs[k, 1] = slot, lists[k]
        low = high
