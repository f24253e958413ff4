"""Box2D 2.3.0's convex hull algorithm, repeated in float32: the gift wrapping of b2PolygonShape::Set.

Starting at the rightmost point (the lowest of several), it determines the next corner by comparing each point with the best so far::

          j   c < 0: j lies to the right of the line to the best so far, and becomes the best
         /
        o-----> best so far      c = (best - o) x (j - o), each difference, product and sum rounded to float32
                                 c = 0: the farther of the two

and continues until it is back at the start. In exact arithmetic the result is the convex hull. With rounding the algorithm may skip the
start and never terminate, and Box2D then writes past its array of 16 corners. This module therefore runs first, and if it does not
terminate after as many corners as there are points, Box2D is not called.

All n^3 comparisons of a set are computed at once in float32 arrays, and the sequence of corners is then read from them. A processor with
fused multiply-add does not round one of the two products. The compiler chooses which one, so a result is then only trusted if all three
rounding variants agree.

Source: Box2D 2.3.0, Collision/Shapes/b2PolygonShape.cpp.
"""

from __future__ import annotations

import platform

import numpy as np
from numpy.typing import NDArray

__all__ = ["wrap", "wrapping"]

_MAY_FUSE = platform.machine().lower() not in ("x86_64", "amd64", "x86")
"""The x86 wheels are compiled for the baseline instruction set, which has no fused multiply-add."""


def wrap(points: NDArray[np.float32], may_fuse: bool = _MAY_FUSE) -> list[int] | None:
    """Return the corners that b2PolygonShape computes, as indices of `points` (n, 2), or None if it would not terminate.

    With `may_fuse`, also return None if the result depends on the compiler's rounding.
    """
    ways = _wrappings(points) if may_fuse else _wrappings(points)[:1]
    corners, is_closed = ways[0]
    return corners if is_closed and all(way == ways[0] for way in ways) else None


def wrapping(points: NDArray[np.float32]) -> tuple[list[int], bool]:
    """Return the corners in order, at most n, and whether the algorithm returns to its start; without fused operations."""
    return _wrappings(points)[0]


def _wrappings(points: NDArray[np.float32]) -> list[tuple[list[int], bool]]:
    """Return the results with both products rounded, and with either of them fused."""
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
    """Return the corners and whether they close; `cross` and `farther` (corner, best so far, point) are Box2D's comparisons."""
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
