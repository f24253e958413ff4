"""The support function: the point of a shape that lies farthest in a direction.

It is all that GJK and EPA ever ask of a shape, and it adds up: the farthest point of core and disc together is the farthest
vertex of the core plus the radius along the direction::

        d ->             .--.
              core *-----*   *  farthest vertex + r d / |d|
                         `--'

Among vertices equally far the first is taken. All vertices are tried: for the dozen that a polygon has, a search by halves would
cost more than it saves.

Source: G. van den Bergen, Collision Detection in Interactive 3D Environments, 2003, 4.3.
"""

from __future__ import annotations

import math

from engine.common.checks import point
from engine.common.errors import InvalidInputError
from engine.geometry.capsule import Capsule
from engine.geometry.circle import Circle
from engine.geometry.polygon import Polygon
from engine.geometry.segment import Segment
from engine.geometry.transform import Transform

__all__ = ["support"]


def support(shape: Circle | Polygon | Capsule | Segment, xf: Transform, direction: tuple[float, float]) -> tuple[tuple[float, float], int]:
    """Return the point of a shape farthest in a direction, and the index of the core's vertex it belongs to.

    Parameters
    ----------
    shape : Circle, Polygon, Capsule or Segment
        Body frame, metres; radius and skin count.
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
    core, radius = _core(shape)
    farthest = max(range(len(core)), key=lambda at: local_x * core[at][0] + local_y * core[at][1])
    x, y = xf.apply(core[farthest])
    return (x + radius * dx, y + radius * dy), farthest


def _core(shape: Circle | Polygon | Capsule | Segment) -> tuple[list[tuple[float, float]], float]:
    if isinstance(shape, Circle):
        return [shape.center], shape.radius
    if isinstance(shape, Polygon):
        return [(float(x), float(y)) for x, y in shape.vertices], shape.skin_radius
    return [shape.p1, shape.p2], shape.radius if isinstance(shape, Capsule) else shape.skin_radius
