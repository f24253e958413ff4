"""The support function: the point of a shape that lies farthest in a direction.

It is all that GJK and EPA need from a shape, and it is additive: the farthest point of core plus disc is the farthest vertex of the core
plus the radius along the direction::

        d ->             .--.
              core *-----*   *  farthest vertex + r d / |d|
                         `--'

Among vertices equally far the first is taken. All vertices are tried: for the dozen that a polygon has, a binary search would cost more
than it saves.

Source: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.
"""

from __future__ import annotations

import math

from engine.common.checks import point
from engine.common.errors import InvalidInputError
from engine.geometry.convex import ConvexShape
from engine.geometry.transform import Transform

__all__ = ["support"]


def support(shape: ConvexShape, xf: Transform, direction: tuple[float, float]) -> tuple[tuple[float, float], int]:
    """Return the point of a shape farthest in a direction, and the index of the core's vertex it belongs to.

    Parameters
    ----------
    shape : Circle, Polygon, Capsule or Segment
        Body frame, meters; radius and skin count.
    xf : Transform
        World pose.
    direction : pair of float
        World frame, of any length but 0.

    Raises
    ------
    InvalidInputError
        The direction is 0 or not finite.

    Examples
    --------
    >>> from engine.geometry import Capsule
    >>> support(Capsule((-1.0, 0.0), (1.0, 0.0), 0.5), Transform((10.0, 0.0)), (2.0, 0.0))
    ((11.5, 0.0), 1)
    """
    dx, dy = point("direction", direction, "")
    length = math.hypot(dx, dy)
    if length == 0.0:
        raise InvalidInputError("direction", "not 0", direction)
    dx, dy = dx / length, dy / length
    # the direction seen from the body: turned back
    local_x, local_y = xf.cos * dx + xf.sin * dy, xf.cos * dy - xf.sin * dx
    core = shape.core.tolist()
    farthest = max(range(len(core)), key=lambda at: local_x * core[at][0] + local_y * core[at][1])
    x, y = xf.apply(core[farthest])
    return (x + shape.radius * dx, y + shape.radius * dy), farthest
