"""Sweep and prune on two axes: the ends of all intervals in order, and the set of overlapping pairs, updated by their swaps.

On each axis all ends are kept in order, begins (b) and ends (e) together; at equal coordinates begins come first, because boxes are closed
and a touch counts. Insertion sort updates the order by swaps of neighbors, and each pair of ends in the wrong order is swapped just once.
Only two kinds of swap change whether two intervals overlap::

      b_i ...... e_i  b_j ...... e_j        b_j passes e_i to the left: they overlap here from now on.
      b_i ...... b_j  e_i ...... e_j        If their boxes do, by all four current intervals, the pair is added.

      b_i ...... b_j  e_i ...... e_j        e_i passes b_j to the left: they overlap here no longer.
      b_i ...... e_i  b_j ...... e_j        The pair is removed, if present.

**Why the set is right after both axes.** A pair that overlaps now and did not before begins to overlap on at least one axis; its swap there
runs the test with the current boxes, which adds it, and no swap removes it, since it is separated on no axis. A pair that overlapped and
does not now has been separated on an axis, and that swap removed it; a swap on the other axis can have tested it, and found it disjoint. A
pair that was not in the set and is disjoint now is never added, because each test uses the current boxes.

If the number of boxes changes, everything is rebuilt. A frame takes one comparison for every end, and a step for each swap; unchanged pairs
are not visited. But a box that crosses the scene swaps with all that it passes, even with those it never comes near, on each of the two
axes, and a step here takes a test or a table lookup: the time grows with the number of moving boxes. After `STEPS_PER_BOX` swaps per box
all is rebuilt, by a sort and a sweep.

**The set of pairs** is a hash table. A pair i < j is one integer, i 2^32 + j. Its place in the table is a hash of it, or the next free one
after that::

      hash(p) = hash(q) = 3        3    4    5    6
                                  [p]  [q]  [r]  [ ]        q is searched for from 3 up to the first empty place

When one is removed, those after it up to the next empty place can be displaced by it. Each of them whose hash is at or before the hole
moves into the hole and leaves a new one; so there are no deletion markers that would gradually fill the table::

      p out:                      [q]  [r]  [ ]  [ ]        (the hash of r is 4)

When half of the table is full, its size is doubled.

Source: D. Baraff, Dynamic simulation of non-penetrating rigid bodies, thesis, Cornell 1992; J. Cohen, M. Lin, D. Manocha, M.
Ponamgi, I-COLLIDE, Symposium on Interactive 3D Graphics 1995 (a list for each axis, pairs by swaps); P. Terdiman, Sweep-and-prune,
2007; D. Tracy, S. Buss, B. Woods, Efficient large-scale sweep and prune methods with AABB insertion and removal, IEEE VR 2009 (what a
swap costs as scenes grow); D. Knuth, The Art of Computer Programming 3, 6.4 (linear probing, algorithm R: deletion).
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._boxes_kernel import boxes_meet
from engine.broadphase._hash_kernel import COLUMN_FACTOR, HASH_MASK, ROW_FACTOR
from engine.broadphase._keys_kernel import SHIFT
from engine.broadphase._sweep_kernel import columns_of, swept_pairs
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["EMPTY", "STEPS_PER_BOX", "added", "begins_of", "followed", "removed", "table_of"]

EMPTY = -1
"""A free place of the table."""

MIN_PLACES = 64
PART = 2**SHIFT - 1

FOLD = np.uint64(15)

STEPS_PER_BOX = 4
"""Maximum number of swaps per box, both axes together, before everything is rebuilt."""


@kernel
def _home(i: int, j: int, n_places: int) -> int:
    """Return the hash of a pair for a table whose number of places is a power of 2."""
    mixed = (np.uint64(i) * COLUMN_FACTOR + np.uint64(j) * ROW_FACTOR) & HASH_MASK
    # the upper bits are well mixed
    return int(np.int64((mixed ^ (mixed >> FOLD)) & np.uint64(n_places - 1)))


@kernel
def _put(table: IntArray, i: int, j: int) -> bool:
    """Insert a pair into a table with free places, and return whether it is new."""
    key, last = (np.int64(i) << SHIFT) | np.int64(j), table.shape[0] - 1
    at = _home(i, j, table.shape[0])
    while table[at] != EMPTY:
        if table[at] == key:
            return False
        at = (at + 1) & last
    table[at] = key
    return True


@kernel
def table_of(keys: IntArray) -> IntArray:
    """Return a table of the pairs with these keys, with at least as many free places."""
    n_places = MIN_PLACES
    while n_places < 4 * keys.shape[0]:
        n_places *= 2
    table = np.full(n_places, EMPTY, dtype=np.int64)
    for k in range(keys.shape[0]):
        _put(table, keys[k] >> SHIFT, keys[k] & PART)
    return table


@kernel
def added(table: IntArray, n_pairs: int, i: int, j: int) -> tuple[IntArray, int]:
    """Add the pair of `i` and `j`, if it is not present; return the table, a larger one if necessary, and its number of pairs."""
    if 2 * (n_pairs + 1) > table.shape[0]:
        larger = np.full(2 * table.shape[0], EMPTY, dtype=np.int64)
        for at in range(table.shape[0]):
            if table[at] != EMPTY:
                _put(larger, table[at] >> SHIFT, table[at] & PART)
        table = larger
    return table, n_pairs + int(_put(table, min(i, j), max(i, j)))


@kernel
def removed(table: IntArray, n_pairs: int, i: int, j: int) -> int:
    """Remove the pair of `i` and `j`, if it is present; return the number of remaining pairs."""
    low, high, last = min(i, j), max(i, j), table.shape[0] - 1
    key = (np.int64(low) << SHIFT) | np.int64(high)
    hole = _home(low, high, table.shape[0])
    while table[hole] != key:
        if table[hole] == EMPTY:
            return n_pairs
        hole = (hole + 1) & last
    at = (hole + 1) & last
    while table[at] != EMPTY:
        home = _home(table[at] >> SHIFT, table[at] & PART, table.shape[0])
        # its distance from its home, modulo the table, is at least that from the hole: the hole is not before its home
        if ((at - home) & last) >= ((at - hole) & last):
            table[hole] = table[at]
            hole = at
        at = (at + 1) & last
    table[hole] = EMPTY
    return n_pairs - 1


@inlined_kernel
def _value(boxes: FloatArray, end: int, axis: int) -> float:
    """Return the coordinate of an end; the ends of box i are 2 i, its begin, and 2 i + 1."""
    return float(boxes[end >> 1, axis + 2 * (end & 1)])


@kernel
def _anew(boxes: FloatArray, axis: int) -> IntArray:
    """Return all ends in order, by a stable sort with begins before ends."""
    n = boxes.shape[0]
    ends, values = np.empty(2 * n, dtype=np.int64), np.empty(2 * n)
    for side in range(2):
        for i in range(n):
            ends[side * n + i] = 2 * i + side
            values[side * n + i] = boxes[i, axis + 2 * side]
    return ends[np.argsort(values, kind="mergesort")]


@kernel
def begins_of(ends: IntArray) -> IntArray:
    """Return the boxes in the order of their begins."""
    order = np.empty(ends.shape[0] // 2, dtype=np.int64)
    n = 0
    for k in range(ends.shape[0]):
        if ends[k] & 1 == 0:
            order[n] = ends[k] >> 1
            n += 1
    return order


@kernel
def _sort_by_swaps(
    boxes: FloatArray, ends: IntArray, axis: int, table: IntArray, n_pairs: int, most_steps: int
) -> tuple[IntArray, int, int]:
    """Sort `ends`, and return the table with new pairs added and ended ones removed, its number of pairs, and that of swaps.

    Stops after `most_steps`, with an incomplete result.
    """
    n = ends.shape[0]
    values = np.empty(n)
    for k in range(n):
        values[k] = _value(boxes, ends[k], axis)
    steps = 0
    for k in range(1, n):
        end, value, to = ends[k], values[k], k
        is_end = end & 1
        # a begin precedes an end at the same coordinate
        while to > 0 and (values[to - 1] > value or (values[to - 1] == value and is_end < (ends[to - 1] & 1))):
            passed = ends[to - 1]
            if is_end != passed & 1:
                i, j = end >> 1, passed >> 1
                if is_end:
                    n_pairs = removed(table, n_pairs, i, j)
                elif boxes_meet(boxes, i, boxes, j):
                    table, n_pairs = added(table, n_pairs, i, j)
            ends[to], values[to] = passed, values[to - 1]
            to -= 1
        ends[to], values[to] = end, value
        steps += k - to
        if steps > most_steps:
            break
    return table, n_pairs, steps


@kernel
def followed(
    boxes: FloatArray, ends_x: IntArray, ends_y: IntArray, table: IntArray, n_pairs: int, most_steps: int
) -> tuple[IntArray, IntArray, IntArray, int, int]:
    """Return ends on x and on y, table and number of pairs for the current boxes, and the number of swaps.

    Beyond `most_steps` swaps, or for another number of boxes, everything is rebuilt, and their number is -1.
    """
    steps = 0 if ends_x.shape[0] == 2 * boxes.shape[0] else most_steps + 1
    if steps <= most_steps:
        table, n_pairs, steps = _sort_by_swaps(boxes, ends_x, 0, table, n_pairs, most_steps)
    if steps <= most_steps:
        table, n_pairs, more = _sort_by_swaps(boxes, ends_y, 1, table, n_pairs, most_steps - steps)
        steps += more
    if steps <= most_steps:
        return ends_x, ends_y, table, n_pairs, steps
    ends_x, ends_y = _anew(boxes, 0), _anew(boxes, 1)
    order = begins_of(ends_x)
    keys = swept_pairs(columns_of(boxes, order, 0), order)
    return ends_x, ends_y, table_of(keys), keys.shape[0], -1
