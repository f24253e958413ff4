"""How far two sets of manifolds lie from each other, in one pass: NumPy takes twenty, most of them over rows of two or three numbers."""

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
    """Fill the largest difference of a number of a point, meters, of two points in whichever order is nearer, and of a normal's.

    Parameters
    ----------
    count : int64 (n,); axis : float64 (n, 6); points : float64 (n, 2, 3)
        Ours, as the manifold kernel fills them; no normal without a point.
    their_normal : float64 (n, 2); their_points : float64 (n, 2, 3)
        Zero where there is none.
    point_error, normal_error : float64 (n,)
        Filled; NaN where a number is NaN.
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
