"""Our shapes to Box2D's and back, with what Box2D made of them looked at before it is used.

`b2PolygonShape` hulls whatever it is given: it starts at the rightmost vertex and drops what lies on a line at float32
precision. Vertices are read back once and compared, so that a silent change becomes an error, and so that our
algorithms number vertices and edges as Box2D does (feature ids then compare).
"""

from __future__ import annotations

from typing import Any

import Box2D
import numpy as np

from engine.common.errors import InvalidShapeError
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle, Polygon, Shape

__all__ = ["to_box2d"]


def to_box2d(shape: Shape) -> tuple[Any, Shape]:
    """Return the Box2D shape and our shape exactly as Box2D holds it.

    Raises
    ------
    InvalidShapeError
        Box2D refuses the polygon (too small an area for float32) or would change it.
    """
    if isinstance(shape, Circle):
        return Box2D.b2CircleShape(pos=shape.center, radius=shape.radius), shape
    given = [(float(x), float(y)) for x, y in shape.vertices]
    try:
        made = Box2D.b2PolygonShape(vertices=given)
        held = [(float(x), float(y)) for x, y in made.vertices]
    except (AssertionError, ValueError):
        raise InvalidShapeError("vertices", "a polygon large enough for float32 (area > 1.2e-7 m^2)", given) from None
    if not _is_rotation(given, held):
        raise InvalidShapeError("vertices", "strictly convex at float32 precision", given)
    return made, Polygon(np.array(held), BOX2D_POLYGON_SKIN)


def _is_rotation(given: list[tuple[float, float]], held: list[tuple[float, float]]) -> bool:
    if len(given) != len(held) or held[0] not in given:
        return False
    start = given.index(held[0])
    return given[start:] + given[:start] == held
