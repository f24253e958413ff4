"""Box2D 2.3.0's own convex hull, repeated in float32: gift wrapping, as b2PolygonShape::Set does it.

From the rightmost point (of those the lowest) it looks for the next corner by holding each point against the best so far::

          j   c < 0: j lies to the right of the line to the best so far, and becomes the best
         /
        o-----> best so far      c = (best - o) x (j - o), each difference, product and sum rounded to float32
                                 c = 0: the farther of the two

and goes on from there until it is back at the start. Exactly computed, that is a hull. Rounded, it need not come back at all: the
start may be passed over, and Box2D then writes past its array of 16 corners. So this runs before Box2D is asked, and where it does not
end within as many corners as there are points, Box2D is not asked.

Source: Box2D 2.3.0, Collision/Shapes/b2PolygonShape.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.common.arrays import IntArray
from engine.common.jit import kernel

__all__ = ["wrap_hulls"]


@kernel
def wrap_hulls(points: Any, counts: IntArray, corners: IntArray) -> IntArray:
    """Wrap float32 `points` (n, m, 2), of which `counts` (n,) are meant; fill `corners` (n, m) with their indices.

    Returns the numbers of corners (n,), -1 where the wrapping does not come back to its start.
    """
    n_sets = points.shape[0]
    found = np.empty(n_sets, dtype=np.int64)
    for row in range(n_sets):
        n = counts[row]
        start = 0
        for i in range(1, n):
            x, first = points[row, i, 0], points[row, start, 0]
            if x > first or (x == first and points[row, i, 1] < points[row, start, 1]):
                start = i
        m, at = 0, start
        found[row] = -1
        while m < n:
            corners[row, m] = at
            m += 1
            best = 0
            for j in range(1, n):
                if best == at:
                    best = j
                    continue
                rx, ry = points[row, best, 0] - points[row, at, 0], points[row, best, 1] - points[row, at, 1]
                vx, vy = points[row, j, 0] - points[row, at, 0], points[row, j, 1] - points[row, at, 1]
                c = np.float32(rx * vy) - np.float32(ry * vx)
                farther = np.float32(vx * vx) + np.float32(vy * vy) > np.float32(rx * rx) + np.float32(ry * ry)
                if c < 0 or (c == 0 and farther):
                    best = j
            at = best
            if at == start:
                found[row] = m
                break
    return found
