"""Scratch memory of a world's steps, reallocated when the world grows. Results of a step are never kept in it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Workspace"]

_SPARE = 4
"""Inverse of the fraction by which a new array is enlarged, as the next step can need slightly more."""


class Workspace:
    """Arrays by name, with arbitrary contents; each step can overwrite those of the previous one."""

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[Any]] = {}
        self._given: dict[str, NDArray[Any]] = {}
        self._bundles: dict[str, tuple[int, tuple[NDArray[Any], ...]]] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: type = np.float64) -> NDArray[Any]:
        """Return the array of a name with the given shape; a name always has the same type."""
        kept_array = self._given.get(name)
        if kept_array is not None and kept_array.shape == shape:
            return kept_array
        size = math.prod(shape)
        kept = self._kept.get(name)
        if kept is None or len(kept) < size:
            self._kept[name] = kept = np.empty(size + size // _SPARE, dtype=dtype)
        self._given[name] = kept_array = kept[:size].reshape(shape)
        return kept_array

    def bundle(self, name: str, size: int, make: Callable[[int], tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
        """Return the arrays of a name, created by `make` for this size."""
        known = self._bundles.get(name)
        if known is None or known[0] != size:
            self._bundles[name] = known = size, make(size)
        return known[1]
