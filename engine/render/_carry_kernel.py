"""Contact points as they ride on the bodies that are drawn: what `packing.carried_points` says, contact by contact."""

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
        Poses of A and B at which the points were found.
    rows : int64 (2, n); poses : float64 (b, 3)
        Of the bodies A and B, and where these are drawn.
    carries : bool (2, n)
        Whether a point rides on A, on B; halfway on both.
    cos, sin : float64 (2, n)
        Of what A and B have turned by since.
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
