"""Pairs of numbers as keys, and a list of keys that grows.

A pair i, j is one integer, ``i << 32 | j``, so that a list of pairs is sorted by `np.sort`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.common.arrays import IntArray
from engine.common.jit import allocating_kernel, inlined_kernel

__all__ = ["FIRST_ROOM", "SHIFT", "key_of", "more_room"]

SHIFT = 32

FIRST_ROOM = 8
"""Initial capacity in keys per box; the capacity doubles when it is exhausted."""


@inlined_kernel
def key_of(i: Any, j: Any) -> np.int64:
    """Return the key of an unordered pair, the smaller number first."""
    return (np.int64(min(i, j)) << SHIFT) | np.int64(max(i, j))


@allocating_kernel
def more_room(keys: IntArray, n_keys: int, wanted: int) -> IntArray:
    """Return `keys`, or a larger array with its first `n_keys` keys if its capacity is too small for `wanted` more."""
    if n_keys + wanted > keys.shape[0]:
        larger = np.empty(2 * keys.shape[0] + wanted, dtype=np.int64)
        for k in range(n_keys):  # a loop, because compiling the error message of a slice assignment takes four seconds
            larger[k] = keys[k]
        return larger
    return keys
