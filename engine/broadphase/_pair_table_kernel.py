"""A set of pairs of numbers, by hashing: into it, out of it, all of it.

A pair i < j is one whole number, i 2^32 + j. Its place in the table is a hash of it, or the next one free after that::

      hash(p) = hash(q) = 3        3    4    5    6
                                  [p]  [q]  [r]  [ ]        q is looked for from 3 up to the first empty place

When one is taken out, those after it up to the next empty place may stand where they do only because it was there. Each of them
whose hash lies at or before the hole moves into the hole and leaves its own; no marks remain that would fill the table up in time::

      p out:                      [q]  [r]  [ ]  [ ]        (the hash of r is 4)

At most half of the table is full; then it is made twice as large.

Source: D. Knuth, The Art of Computer Programming 3, 6.4 (linear probing, algorithm R: deletion).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.broadphase._hierarchy_kernel import COLUMN_FACTOR, HASH_MASK, ROW_FACTOR
from engine.broadphase._sorting_kernel import sorted_pairs
from engine.common.arrays import IntArray
from engine.common.jit import kernel

__all__ = ["added", "all_pairs", "removed", "table_of", "without"]

EMPTY = -1
FEWEST_PLACES = 64
SHIFT = 32
PART = 2**SHIFT - 1

FOLD = np.uint64(15)


@kernel
def _home(i: int, j: int, n_places: int) -> int:
    """Return the hash of a pair in a table whose number of places is a power of 2."""
    mixed = (np.uint64(i) * COLUMN_FACTOR + np.uint64(j) * ROW_FACTOR) & HASH_MASK
    # the upper bits are the well mixed ones
    return int(np.int64((mixed ^ (mixed >> FOLD)) & np.uint64(n_places - 1)))


@kernel
def _put(table: IntArray, i: int, j: int) -> bool:
    """Put a pair into a table with room, and tell whether it is new."""
    key, last = (np.int64(i) << SHIFT) | np.int64(j), table.shape[0] - 1
    at = _home(i, j, table.shape[0])
    while table[at] != EMPTY:
        if table[at] == key:
            return False
        at = (at + 1) & last
    table[at] = key
    return True


@kernel
def table_of(pairs: IntArray) -> IntArray:
    """Return a table of pairs (n, 2), each i < j and no two the same, with room for at least as many again."""
    n_places = FEWEST_PLACES
    while n_places < 4 * pairs.shape[0]:
        n_places *= 2
    table = np.full(n_places, EMPTY, dtype=np.int64)
    for k in range(pairs.shape[0]):
        _put(table, pairs[k, 0], pairs[k, 1])
    return table


@kernel
def added(table: IntArray, n_pairs: int, i: int, j: int) -> tuple[IntArray, int]:
    """Put the pair of `i` and `j` in, if it is not there; return the table, a larger one if need be, and how many pairs are in it."""
    if 2 * (n_pairs + 1) > table.shape[0]:
        larger = np.full(2 * table.shape[0], EMPTY, dtype=np.int64)
        for at in range(table.shape[0]):
            if table[at] != EMPTY:
                _put(larger, table[at] >> SHIFT, table[at] & PART)
        table = larger
    return table, n_pairs + int(_put(table, min(i, j), max(i, j)))


@kernel
def removed(table: IntArray, n_pairs: int, i: int, j: int) -> int:
    """Take the pair of `i` and `j` out, if it is there; return how many pairs are left."""
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
        # as far from its home, round the end of the table, as from the hole, or farther: then the hole is not before its home
        if ((at - home) & last) >= ((at - hole) & last):
            table[hole] = table[at]
            hole = at
        at = (at + 1) & last
    table[hole] = EMPTY
    return n_pairs - 1


@kernel
def all_pairs(table: IntArray, n_pairs: int, n: int) -> IntArray:
    """Return the pairs (n_pairs, 2) of numbers below `n`, sorted."""
    found = np.empty((n_pairs, 2), dtype=np.int64)
    k = 0
    for at in range(table.shape[0]):
        if table[at] != EMPTY:
            found[k, 0], found[k, 1] = table[at] >> SHIFT, table[at] & PART
            k += 1
    return sorted_pairs(found, n_pairs, n)


@kernel
def without(table: IntArray, n_pairs: int, is_gone: NDArray[np.bool_]) -> tuple[IntArray, int]:
    """Return a table without the pairs of which one number is gone, and how many are in it."""
    kept = np.empty((n_pairs, 2), dtype=np.int64)
    k = 0
    for at in range(table.shape[0]):
        if table[at] != EMPTY:
            i, j = table[at] >> SHIFT, table[at] & PART
            kept[k, 0], kept[k, 1] = i, j
            k += int(not (is_gone[i] or is_gone[j]))
    return table_of(kept[:k]), k
