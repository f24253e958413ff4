"""Radix sort: a counting sort by each digit of the bits, lowest first.

A counting sort by one digit is stable, so that after the last digit all are in order. All digits are counted in one pass before the first
sort; a digit that is the same everywhere (often the exponent's) is skipped.

**Floats** (`radix_order`, which returns places). The bits of a float64 as an unsigned integer are in the order of the numbers after a
transformation: all bits of a negative number are inverted, and only the sign bit of another::

    -2.0  11000...0  ->  00111...1        six digits of 11 bits: 2048 counters fit in the first-level cache
    -1.0  10111...0  ->  01000...1
     1.0  00111...0  ->  10111...0        equal numbers keep their order; -0.0 comes before 0.0
     2.0  01000...0  ->  11000...0

**Keys** (`sorted_keys`). The value of a key (the number of a box) is in its lowest bits, which are not compared, so that only one array is
moved.

Source: D. Knuth, The Art of Computer Programming 3, 5.2.5; M. Herf, Radix tricks, 2001 (floats); P. Terdiman, Radix sort revisited, 2000.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["KeyArray", "radix_order", "sorted_keys"]

KeyArray = NDArray[np.uint64]

DIGIT_BITS, N_DIGITS = 11, 6
RADIX = 1 << DIGIT_BITS
MASK = np.uint64(RADIX - 1)
SIGN, SIGN_BIT = np.uint64(1 << 63), np.uint64(63)
ALL_BITS = np.uint64(2**64 - 1)

WIDE_DIGIT, NARROW_DIGIT = 12, 8
"""Bits of a digit: 4,096 counters of 8 bytes just fill a first-level cache; for few numbers clearing them would take longer than sorting.
"""

MANY = 1 << WIDE_DIGIT
"""Minimum count of numbers for wide digits."""


@kernel
def radix_order(keys: FloatArray) -> IntArray:
    """Return the places (n,) of `keys` (n,) from the smallest to the largest, by a stable sort; no key is NaN."""
    n = keys.shape[0]
    raw = keys.view(np.uint64)
    bits: KeyArray = np.empty(n, dtype=np.uint64)
    counts = np.zeros((N_DIGITS, RADIX), dtype=np.int64)
    for i in range(n):
        key = raw[i]
        key = key ^ (ALL_BITS if key >> SIGN_BIT else SIGN)
        bits[i] = key
        for digit in range(N_DIGITS):
            counts[digit, (key >> np.uint64(DIGIT_BITS * digit)) & MASK] += 1
    order = np.arange(n)
    other_bits, other_order = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.int64)
    for digit in range(N_DIGITS if n > 0 else 0):
        shift = np.uint64(DIGIT_BITS * digit)
        count = counts[digit]
        if count[(bits[0] >> shift) & MASK] == n:
            continue
        place = np.int64(0)
        for value in range(RADIX):
            here = count[value]
            count[value] = place
            place += here
        for i in range(n):
            value = (bits[i] >> shift) & MASK
            to = np.uint64(count[value])
            count[value] += 1
            other_bits[to], other_order[to] = bits[i], order[i]
        bits, other_bits = other_bits, bits
        order, other_order = other_order, order
    return order


@kernel
def sorted_keys(keys: KeyArray, low: int, width: int) -> KeyArray:
    """Return `keys` (n,) sorted by the `width` bits above the lowest `low` ones; `keys` is overwritten."""
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
