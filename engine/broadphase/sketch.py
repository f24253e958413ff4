"""Drawable parts of a broad phase, as plain arrays in the world frame, meters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray

__all__ = ["AxisSketch", "CellSketch", "PlainSketch", "Sketch", "TreeSketch"]


@dataclass(frozen=True, slots=True)
class PlainSketch:
    """Only the boxes: all pairs are tested."""


@dataclass(frozen=True, slots=True)
class CellSketch:
    """The occupied cells (m, 4), the number of boxes in each (m,), and True (m,) for an oversize box that is in no cell."""

    cells: FloatArray
    counts: IntArray
    is_oversize: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AxisSketch:
    """The boxes as sorted on one or two axes.

    ``axes[k]`` is 0 (x) or 1 (y); ``proxies[k]`` (n,) the order along it by lower bound, ``lower[k]`` and ``upper[k]`` (n,) the
    intervals in that order.
    """

    axes: tuple[int, ...]
    proxies: tuple[IntArray, ...]
    lower: tuple[FloatArray, ...]
    upper: tuple[FloatArray, ...]


@dataclass(frozen=True, slots=True)
class TreeSketch:
    """The boxes of a tree's nodes (m, 4), the level of each (m,), the root's being 0, and the proxy of a leaf (m,), -1 for inner nodes."""

    boxes: FloatArray
    levels: IntArray
    proxies: IntArray


Sketch = PlainSketch | CellSketch | AxisSketch | TreeSketch
