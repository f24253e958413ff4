"""Memory that a world's steps work in, one after the other, made anew where the world has grown. What a step leaves is not of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.dynamics._soft_step_kernel import Room

__all__ = ["Workspace"]

_SPARE = 4
"""One part in so many is added to a new array, for the next step may want a little more."""


class Workspace:
    """Arrays by name, contents arbitrary; what one step has written another may overwrite."""

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[Any]] = {}
        self._given: dict[str, NDArray[Any]] = {}
        self._bundles: dict[str, tuple[int, tuple[NDArray[Any], ...]]] = {}
        self.room: Room | None = None
        """What the solver works in."""

    def array(self, name: str, shape: tuple[int, ...], dtype: type = np.float64) -> NDArray[Any]:
        """Return the array of a name, which has always the same type, in a shape."""
        given = self._given.get(name)
        if given is not None and given.shape == shape:
            return given
        size = math.prod(shape)
        kept = self._kept.get(name)
        if kept is None or len(kept) < size:
            self._kept[name] = kept = np.empty(size + size // _SPARE, dtype=dtype)
        self._given[name] = given = kept[:size].reshape(shape)
        return given

    def bundle(self, name: str, size: int, make: Callable[[int], tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
        """Return the arrays of a name, which `make` has made of this size."""
        known = self._bundles.get(name)
        if known is None or known[0] != size:
            self._bundles[name] = known = size, make(size)
        return known[1]
