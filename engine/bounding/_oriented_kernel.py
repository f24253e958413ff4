"""Oriented boxes of many bodies; see `engine.bounding.oriented_box`.

The axes of B as A's frame has them are c = |u.v| and s = |u x v|; the four tests are written without a branch between them, for a
branch that is taken half of the time costs more than the products it saves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel
from engine.common.tolerances import BOUNDING_ROUNDING

__all__ = ["oriented_boxes_overlap", "posed_oriented_boxes"]


@kernel
def posed_oriented_boxes(local: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray) -> None:
    """Fill `rows` (n, 6) centre, axis, half width, half height from `local` (s, 7), the same and the reach."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        around = BOUNDING_ROUNDING * (abs(x) + abs(y) + local[shape, 6])
        rows[row, 0] = cos * local[shape, 0] - sin * local[shape, 1] + x
        rows[row, 1] = sin * local[shape, 0] + cos * local[shape, 1] + y
        rows[row, 2] = cos * local[shape, 2] - sin * local[shape, 3]
        rows[row, 3] = sin * local[shape, 2] + cos * local[shape, 3]
        rows[row, 4], rows[row, 5] = local[shape, 4] + around, local[shape, 5] + around


@kernel
def oriented_boxes_overlap(rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Tell of pairs (m, 2) of rows whether the closed boxes share a point."""
    overlapping = np.empty(pairs.shape[0], dtype=np.bool_)
    for at in range(pairs.shape[0]):
        a, b = pairs[at, 0], pairs[at, 1]
        dx, dy = rows[b, 0] - rows[a, 0], rows[b, 1] - rows[a, 1]
        ux, uy, vx, vy = rows[a, 2], rows[a, 3], rows[b, 2], rows[b, 3]
        w_a, h_a, w_b, h_b = rows[a, 4], rows[a, 5], rows[b, 4], rows[b, 5]
        cos, sin = abs(ux * vx + uy * vy), abs(ux * vy - uy * vx)
        around = BOUNDING_ROUNDING * (abs(dx) + abs(dy) + (w_a + h_a + w_b + h_b))
        on_a = (abs(ux * dx + uy * dy) <= w_a + cos * w_b + sin * h_b + around) & (
            abs(ux * dy - uy * dx) <= h_a + sin * w_b + cos * h_b + around
        )
        on_b = (abs(vx * dx + vy * dy) <= w_b + cos * w_a + sin * h_a + around) & (
            abs(vx * dy - vy * dx) <= h_b + sin * w_a + cos * h_a + around
        )
        overlapping[at] = on_a & on_b
    return overlapping
