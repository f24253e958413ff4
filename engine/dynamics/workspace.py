"""Memory that a world's steps work in, one after the other: nothing is allocated within a step, unless the world has grown."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Workspace"]

_SPARE = 4
"""One part in so many is added to a new array, for the next step may want a little more."""


class Workspace:
    """Arrays by name, contents arbitrary; what one step has written another may overwrite."""

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[Any]] = {}
        self._given: dict[str, NDArray[Any]] = {}

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
