"""Whole numbers sorted by some of their bits, digit by digit from the lowest.

A counting sort by one digit keeps the order of equals, so that after the last digit all are in order::

    digit 0 counted and sorted  ->  digit 1  ->  digit 2 ...          each: read n, write n

All digits are counted in one pass before the first sort; a digit that is the same everywhere is passed over. What belongs to a key (the
number of a box) stands in its lowest bits, that are not looked at: so only one array is moved about. (`_radix_kernel` sorts floats, and
returns their places.)

Source: D. Knuth, The Art of Computer Programming 3, 5.2.5 (radix sorting).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.jit import kernel

__all__ = ["KeyArray", "sorted_keys"]

KeyArray = NDArray[np.uint64]

WIDE_DIGIT, NARROW_DIGIT = 12, 8
"""Bits of a digit: 4,096 counters of 8 bytes just fill a first-level cache; for few numbers clearing them would cost more than sorting."""

MANY = 1 << WIDE_DIGIT
"""From so many numbers on digits are wide."""


@kernel
def sorted_keys(keys: KeyArray, low: int, width: int) -> KeyArray:
    """Return `keys` (n,) sorted by the `width` bits above the lowest `low` ones; `keys` is used up."""
    n = keys.shape[0]
    digit = WIDE_DIGIT if n >= MANY else NARROW_DIGIT
    n_digits = (width + digit - 1) // digit
    mask = np.uint64((1 << digit) - 1)
    counts = np.zeros((n_digits, (1 << digit) + 1), dtype=np.int64)
    for i in range(n):
        rest = keys[i] >> np.uint64(low)
        for place in range(n_digits):
            counts[place, np.uint64(rest & mask) + np.uint64(1)] += 1
            rest >>= np.uint64(digit)
    source, target = keys, np.empty(n, dtype=np.uint64)
    for place in range(n_digits):
        begin = counts[place]
        shift = np.uint64(low + place * digit)
        if n > 0 and begin[np.uint64((source[0] >> shift) & mask) + np.uint64(1)] == n:
            continue
        for value in range(1 << digit):
            begin[value + 1] += begin[value]
        for i in range(n):
            value_of = np.uint64((source[i] >> shift) & mask)
            target[np.uint64(begin[value_of])] = source[i]
            begin[value_of] += 1
        source, target = target, source
    return source
