"""Box2D 2.3.0's own convex hull, repeated in float32: gift wrapping, as b2PolygonShape::Set does it.

From the rightmost point (of those the lowest) it looks for the next corner by comparing each point with the best so far::

          j   c < 0: j lies to the right of the line to the best so far, and becomes the best
         /
        o-----> best so far      c = (best - o) x (j - o), each difference, product and sum rounded to float32
                                 c = 0: the farther of the two

and goes on from there until it is back at the start. Exactly computed, that is a hull. Rounded, it need not come back at all: the
start may be passed over, and Box2D then writes past its array of 16 corners. So this runs before Box2D is called, and where it does not
end within as many corners as there are points, Box2D is not called.

All comparisons of a set, n^3 of them, are made at once in arrays of float32, and the way from corner to corner is then read off. A
processor with a fused multiply-add rounds one of the two products less; which one is the compiler's choice, so that there a wrapping
is trusted only where all three ways of rounding give the same.

Source: Box2D 2.3.0, Collision/Shapes/b2PolygonShape.cpp.
"""

from __future__ import annotations

import platform

import numpy as np
from numpy.typing import NDArray

__all__ = ["wrap", "wrapping"]

_MAY_FUSE = platform.machine().lower() not in ("x86_64", "amd64", "x86")
"""The wheels for x86 are compiled for its common subset, which has no fused multiply-add."""


def wrap(points: NDArray[np.float32], may_fuse: bool = _MAY_FUSE) -> list[int] | None:
    """Return the corners, as indices of `points` (n, 2), that b2PolygonShape makes of them; None where it would not end.

    With `may_fuse` None is also returned where the answer depends on how the compiler rounds.
    """
    ways = _wrappings(points) if may_fuse else _wrappings(points)[:1]
    corners, is_closed = ways[0]
    return corners if is_closed and all(way == ways[0] for way in ways) else None


def wrapping(points: NDArray[np.float32]) -> tuple[list[int], bool]:
    """Return the corners in their order, at most n of them, and whether the way comes back to its start; without fused operations."""
    return _wrappings(points)[0]


def _wrappings(points: NDArray[np.float32]) -> list[tuple[list[int], bool]]:
    """Return the wrapping with separate products, and both with a fused one."""
    x, y = points[:, 0], points[:, 1]
    ex, ey = x[None, :] - x[:, None], y[None, :] - y[:, None]  # from the corner (row) to each point
    left, right = ex[:, :, None] * ey[:, None, :], ey[:, :, None] * ex[:, None, :]
    length_sq = ex * ex + ey * ey
    farther = length_sq[:, None, :] > length_sq[:, :, None]
    # both factors are float32, so that their product in float64 is exact, and the difference has the right sign
    wide_x, wide_y = ex.astype(np.float64), ey.astype(np.float64)
    fused = wide_x[:, :, None] * wide_y[:, None, :] - right, left - wide_y[:, :, None] * wide_x[:, None, :]
    return [_walk(points, cross, farther) for cross in (left - right, *fused)]


def _walk(points: NDArray[np.float32], cross: NDArray[np.floating], farther: NDArray[np.bool_]) -> tuple[list[int], bool]:
    """Go from corner to corner: `cross` and `farther` (corner, best so far, point) decide as Box2D does."""
    better = ((cross < 0) | ((cross == 0) & farther)).tolist()
    places: list[list[float]] = points.tolist()
    n = len(places)
    at = start = min(range(n), key=lambda i: (-places[i][0], places[i][1]))
    corners: list[int] = []
    while len(corners) < n:
        corners.append(at)
        best, rows = 0, better[at]
        for j in range(1, n):
            if best == at or rows[best][j]:
                best = j
        at = best
        if at == start:
            return corners, True
    return corners, False
