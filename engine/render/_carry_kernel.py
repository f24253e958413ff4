"""Contact points that move with the drawn bodies, contact by contact; see `packing.carried_points`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["carry_points"]


@kernel
def carry_points(
    position: FloatArray,
    held: tuple[FloatArray, FloatArray],
    rows: IntArray,
    carries: NDArray[np.bool_],
    poses: FloatArray,
    cos: FloatArray,
    sin: FloatArray,
    carried: FloatArray,
) -> None:
    """Fill `carried` (n, 2, 2) with the points `position` (n, 2, 2), meters.

    Parameters
    ----------
    held : two of float64 (n, 3)
        Poses of A and B at which the points were computed.
    rows : int64 (2, n); poses : float64 (b, 3)
        Indices of the bodies A and B, and the poses at which these are drawn.
    carries : bool (2, n)
        Whether a point moves with A, with B; if both, by the mean.
    cos, sin : float64 (2, n)
        Of the rotation of A and B since then.
    """
    for row in range(len(position)):
        by_a, by_b = carries[0, row], carries[1, row]
        for k in range(2):
            x, y = position[row, k, 0], position[row, k, 1]
            at_x, at_y, on_x, on_y = x, y, x, y
            if by_a:
                body, dx, dy = rows[0, row], x - held[0][row, 0], y - held[0][row, 1]
                at_x = cos[0, row] * dx - sin[0, row] * dy + poses[body, 0]
                at_y = sin[0, row] * dx + cos[0, row] * dy + poses[body, 1]
            if by_b:
                body, dx, dy = rows[1, row], x - held[1][row, 0], y - held[1][row, 1]
                on_x = cos[1, row] * dx - sin[1, row] * dy + poses[body, 0]
                on_y = sin[1, row] * dx + cos[1, row] * dy + poses[body, 1]
            carried[row, k, 0] = 0.5 * (at_x + on_x) if by_a and by_b else on_x if by_b else at_x
            carried[row, k, 1] = 0.5 * (at_y + on_y) if by_a and by_b else on_y if by_b else at_y
