"""Bounding circles of many bodies; see `engine.bounding.circle`, whose operations these are.

Of a pose only the centre is turned, and the radius takes the rounding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.bounding.circle import SQUARES_ROUNDING
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel
from engine.common.tolerances import BOUNDING_ROUNDING, SAFE_PRODUCT

__all__ = ["circles_overlap", "posed_circles"]


@kernel
def posed_circles(local: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray) -> None:
    """Fill `rows` (n, 3) x, y, radius from `local` (s, 4) x, y, radius, reach, the shapes `which` (n,) and poses (n, 4)."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        rows[row, 0] = cos * local[shape, 0] - sin * local[shape, 1] + x
        rows[row, 1] = sin * local[shape, 0] + cos * local[shape, 1] + y
        rows[row, 2] = local[shape, 2] + BOUNDING_ROUNDING * (abs(x) + abs(y) + local[shape, 3])


@kernel
def circles_overlap(rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Tell of pairs (m, 2) of rows whether the closed discs share a point."""
    overlapping = np.empty(pairs.shape[0], dtype=np.bool_)
    for at in range(pairs.shape[0]):
        a, b = pairs[at, 0], pairs[at, 1]
        dx, dy, reach = rows[b, 0] - rows[a, 0], rows[b, 1] - rows[a, 1], rows[a, 2] + rows[b, 2]
        overlapping[at] = dx * dx + dy * dy <= SQUARES_ROUNDING * reach * reach + SAFE_PRODUCT
    return overlapping
