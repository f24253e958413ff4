"""The convex hull of points, by adding one after another: the monotone chain, a check on quickhull.

Points are taken from left to right. The lower hull of those seen so far is a chain that turns left only; a new point, right of
all of them, is its new end, and whatever would then make the chain turn right, or go straight on, is taken off again::

                      o new                          o new
                     /                              /
        *       *---*  popped       becomes   *    /
         \\     /                               \\  /
          *---*                                 *-*

Every point is added once and taken off at most once, so after sorting the cost is linear. The upper hull is the lower hull of the
points taken from right to left.

Source: A. M. Andrew, "Another Efficient Algorithm for Convex Hulls in Two Dimensions", 1979.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidShapeError
from engine.geometry.hull import distinct_points
from engine.geometry.predicates import turn_sign

__all__ = ["convex_hull_chain"]


def convex_hull_chain(points: ArrayLike) -> FloatArray:
    """Return the convex hull of points: the same vertices in the same order, and the same errors, as `convex_hull`.

    Examples
    --------
    >>> convex_hull_chain([(0, 0), (2, 0), (1, 0), (1, 0.5), (2, 2), (0, 2)]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    cloud = distinct_points(points)
    lower, upper = _chain(cloud), _chain(cloud[::-1])
    if len(lower) + len(upper) - 2 < 3:
        raise InvalidShapeError("points", "points that enclose an area", Described("points on one line"))
    return np.array([*lower[:-1], *upper[:-1]])


def _chain(cloud: FloatArray) -> list[FloatArray]:
    chain: list[FloatArray] = []
    for point in cloud:
        while len(chain) > 1 and turn_sign(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain
