"""The hull that Box2D is about to make of a few points, predicted without compiling anything, for shapes are made at start-up.

The rule, and why its rounded form may go round for ever, are told in `engine.box2d._wrap_kernel`, which wraps many sets at once. Here all
comparisons of one set, n^3 of them, are made in one sweep over arrays of float32, and the way from corner to corner is then read off.
A processor with a fused multiply-add rounds one of the two products less; which one is the compiler's choice, so that there a wrapping
is believed only where all three ways of rounding give the same.
"""

from __future__ import annotations

import platform

import numpy as np
from numpy.typing import NDArray

__all__ = ["wrap"]

_MAY_FUSE = platform.machine().lower() not in ("x86_64", "amd64", "x86")
"""The wheels for x86 are compiled for its common subset, which has no fused multiply-add."""


def wrap(points: NDArray[np.float32], may_fuse: bool = _MAY_FUSE) -> list[int] | None:
    """Return the corners, as indices of `points` (n, 2), that b2PolygonShape makes of them; None where it would not end.

    Where `may_fuse`, None also where the answer depends on how the compiler rounds.
    """
    x, y = points[:, 0], points[:, 1]
    ex, ey = x[None, :] - x[:, None], y[None, :] - y[:, None]  # from the corner (row) to each point
    left, right = ex[:, :, None] * ey[:, None, :], ey[:, :, None] * ex[:, None, :]
    length_sq = ex * ex + ey * ey
    farther = length_sq[:, None, :] > length_sq[:, :, None]
    found = _walk(points, left - right, farther)
    if not may_fuse or found is None:
        return found
    # both factors are float32, so that their product in float64 is exact, and the difference has the right sign
    wide_x, wide_y = ex.astype(np.float64), ey.astype(np.float64)
    for fused in (wide_x[:, :, None] * wide_y[:, None, :] - right, left - wide_y[:, :, None] * wide_x[:, None, :]):
        if _walk(points, fused, farther) != found:
            return None
    return found


def _walk(points: NDArray[np.float32], cross: NDArray[np.floating], farther: NDArray[np.bool_]) -> list[int] | None:
    """Go from corner to corner: `cross` and `farther` (corner, best so far, point) decide as Box2D does."""
    better = ((cross < 0) | ((cross == 0) & farther)).tolist()
    given: list[list[float]] = points.tolist()
    n = len(given)
    at = start = min(range(n), key=lambda i: (-given[i][0], given[i][1]))
    corners: list[int] = []
    while len(corners) < n:
        corners.append(at)
        best, rows = 0, better[at]
        for j in range(1, n):
            if best == at or rows[best][j]:
                best = j
        at = best
        if at == start:
            return corners
    return None
