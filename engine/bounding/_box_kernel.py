"""Upright boxes of many bodies, rebuilt and re-fitted; see `engine.bounding.upright_box`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel
from engine.common.tolerances import BOUNDING_ROUNDING

__all__ = ["boxes_overlap", "rebuilt_boxes", "refitted_boxes"]


@kernel
def rebuilt_boxes(
    first: IntArray, count: IntArray, corners: FloatArray, rounded: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray
) -> None:
    """Fill `rows` (n, 4) lower x, lower y, upper x, upper y from the hulls; `rounded` (s, 3) begins with radius and extent."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        low_x, low_y, high_x, high_y = np.inf, np.inf, -np.inf, -np.inf
        for at in range(first[shape], first[shape] + count[shape]):
            world_x = cos * corners[at, 0] - sin * corners[at, 1] + x
            world_y = sin * corners[at, 0] + cos * corners[at, 1] + y
            low_x, high_x = min(low_x, world_x), max(high_x, world_x)
            low_y, high_y = min(low_y, world_y), max(high_y, world_y)
        around = rounded[shape, 0] + BOUNDING_ROUNDING * (abs(x) + abs(y) + rounded[shape, 1])
        rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3] = low_x - around, low_y - around, high_x + around, high_y + around


@kernel
def refitted_boxes(local: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray) -> None:
    """Fill the same from `local` (s, 5): middle x, y, half width, half height, the largest coordinate."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        middle_x = cos * local[shape, 0] - sin * local[shape, 1] + x
        middle_y = sin * local[shape, 0] + cos * local[shape, 1] + y
        around = BOUNDING_ROUNDING * (abs(x) + abs(y) + 2.0 * local[shape, 4])
        half_width = abs(cos) * local[shape, 2] + abs(sin) * local[shape, 3] + around
        half_height = abs(sin) * local[shape, 2] + abs(cos) * local[shape, 3] + around
        rows[row, 0], rows[row, 1] = middle_x - half_width, middle_y - half_height
        rows[row, 2], rows[row, 3] = middle_x + half_width, middle_y + half_height


@kernel
def boxes_overlap(rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Tell of pairs (m, 2) of rows whether the closed boxes share a point."""
    overlapping = np.empty(pairs.shape[0], dtype=np.bool_)
    for at in range(pairs.shape[0]):
        a, b = pairs[at, 0], pairs[at, 1]
        in_x = (rows[a, 0] <= rows[b, 2]) & (rows[b, 0] <= rows[a, 2])
        in_y = (rows[a, 1] <= rows[b, 3]) & (rows[b, 1] <= rows[a, 3])
        overlapping[at] = in_x & in_y
    return overlapping
