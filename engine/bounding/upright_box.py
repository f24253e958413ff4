"""The upright box (AABB) of a turning body, in two ways.

**Rebuilt** at every pose from the corners of the hull: tight, and costs as many multiplications as there are corners.
**Re-fitted** from the box that was tight in the body's own frame, whatever is inside: four products, but the box of a turned box
is larger than the box of the shape::

        +-----------+              local box, turned: its corners stick out
        |    /\\     |              rebuilt box <= re-fitted box
        |   /  \\    |
        |  / __ \\   |              half width  = |cos| w + |sin| h
        |  \\/  \\/   |              half height = |sin| w + |cos| h
        +-----------+

Turned by 45 degrees the re-fitted box of a square has twice the area of the local one, and that of a long rod of length l and no width,
which lay along an axis, l^2 / 2, as the rebuilt one has. Averaged over all angles the re-fitted box of a w by h box has the area
``4 (w h + (2 / pi) (w^2 + h^2) / 2)`` of half sizes w and h: 1.64 times that of a square.

Source: C. Ericson, Real-Time Collision Detection, 2005, 4.2.4 and 4.2.6 (J. Arvo, "Transforming Axis-Aligned Bounding Boxes", 1990).
"""

from __future__ import annotations

import numpy as np

from engine.bounding.cloud import Points, cloud_of, margin_at
from engine.common.tolerances import BOUNDING_ROUNDING
from engine.geometry import AABB, Transform

__all__ = ["box_area", "fitted_box", "grown_box", "refitted_box"]

_HERE = Transform()


def fitted_box(points: Points, xf: Transform = _HERE) -> AABB:
    """Return the tight box around points, or around a shape with its radius, at a pose.

    Examples
    --------
    >>> box = fitted_box([(-1.0, 0.0), (1.0, 0.0), (0.0, 2.0)])
    >>> round(box.upper[0], 12), round(box.upper[1], 12)
    (1.0, 2.0)
    """
    cloud = cloud_of(points)
    world_x = xf.cos * cloud.points[:, 0] - xf.sin * cloud.points[:, 1] + xf.position[0]
    world_y = xf.sin * cloud.points[:, 0] + xf.cos * cloud.points[:, 1] + xf.position[1]
    around = cloud.radius + margin_at(cloud, xf)
    lower = float(world_x.min()) - around, float(world_y.min()) - around
    return AABB(lower, (float(world_x.max()) + around, float(world_y.max()) + around))


def refitted_box(local: AABB, xf: Transform) -> AABB:
    """Return the upright box of a local box at a pose.

    Examples
    --------
    >>> box = refitted_box(AABB((-1.0, -1.0), (1.0, 1.0)), Transform((10.0, 0.0), 3.141592653589793 / 4))
    >>> round(box.upper[0], 6)
    11.414214
    """
    middle = 0.5 * (local.lower[0] + local.upper[0]), 0.5 * (local.lower[1] + local.upper[1])
    half = np.maximum(np.subtract(local.upper, middle), np.subtract(middle, local.lower)).tolist()
    x, y = xf.apply(middle)
    reach = max(abs(number) for number in (*local.lower, *local.upper))
    around = BOUNDING_ROUNDING * (abs(xf.position[0]) + abs(xf.position[1]) + 2.0 * reach)  # 2 reach: a bound of the farthest corner
    half_width = abs(xf.cos) * half[0] + abs(xf.sin) * half[1] + around
    half_height = abs(xf.sin) * half[0] + abs(xf.cos) * half[1] + around
    return AABB((x - half_width, y - half_height), (x + half_width, y + half_height))


def grown_box(box: AABB, around: float) -> AABB:
    """Return the box, wider by `around` on every side."""
    lower = box.lower[0] - around, box.lower[1] - around
    return AABB(lower, (box.upper[0] + around, box.upper[1] + around))


def box_area(box: AABB) -> float:
    """Return the area, square metres."""
    return (box.upper[0] - box.lower[0]) * (box.upper[1] - box.lower[1])
