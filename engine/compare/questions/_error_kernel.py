"""Largest differences between two sets of manifolds, in one pass: NumPy needs twenty, mostly over rows of two or three numbers."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["manifold_errors"]


@kernel
def manifold_errors(
    count: IntArray,
    axis: FloatArray,
    points: FloatArray,
    their_normal: FloatArray,
    their_points: FloatArray,
    point_error: FloatArray,
    normal_error: FloatArray,
) -> None:
    """Fill the largest differences of the points' values, meters, with two points in the nearer order, and of the normals' components.

    Parameters
    ----------
    count : int64 (n,); axis : float64 (n, 6); points : float64 (n, 2, 3)
        Our results, as filled by the manifold kernel; without a point the normal is ignored.
    their_normal : float64 (n, 2); their_points : float64 (n, 2, 3)
        Zero if there is none.
    point_error, normal_error : float64 (n,)
        Filled; NaN if a number is NaN.
    """
    for row in range(len(count)):
        turned, straight, crossed = 0.0, 0.0, 0.0
        for k in range(2):
            ours = axis[row, k] if count[row] > 0 else 0.0
            turned = np.maximum(turned, abs(ours - their_normal[row, k]))
            for i in range(3):
                straight = np.maximum(straight, abs(points[row, k, i] - their_points[row, k, i]))
                crossed = np.maximum(crossed, abs(points[row, k, i] - their_points[row, 1 - k, i]))
        normal_error[row] = turned
        point_error[row] = np.minimum(straight, crossed) if count[row] == 2 else straight
