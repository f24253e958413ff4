"""One number for a pair of ids, the same in either order, so that a set of pairs is a sorted column."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import IntArray

__all__ = ["ids_of", "pair_key", "pair_keys"]

_ID_BITS = 32
"""Room for the larger id, below the smaller one."""


def pair_keys(ids: IntArray) -> IntArray:
    """Return the keys (k,) of pairs (k, 2)."""
    a, b = ids[:, 0], ids[:, 1]
    keys: IntArray = (np.minimum(a, b) << _ID_BITS) | np.maximum(a, b)
    return keys


def pair_key(a: int, b: int) -> int:
    """Return the key of one pair."""
    return (min(a, b) << _ID_BITS) | max(a, b)


def ids_of(keys: IntArray) -> IntArray:
    """Return the pairs (k, 2) of keys, the smaller id first."""
    return np.column_stack((keys >> _ID_BITS, keys & ((1 << _ID_BITS) - 1)))
