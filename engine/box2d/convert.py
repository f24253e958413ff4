"""Our shapes to Box2D's and back, with what Box2D made of them looked at before it is used.

`b2PolygonShape` hulls whatever it is given: it starts at the rightmost vertex and drops what lies on a line at float32
precision. Vertices are read back once and compared, so that a silent change becomes an error, and so that our
algorithms number vertices and edges as Box2D does (feature ids then compare). Its way round nearly collinear vertices may
not end, and would write past its array: so the hull is foretold (`engine.box2d.wrap`) before Box2D is asked.
"""

from __future__ import annotations

from typing import Any

import Box2D
import numpy as np

from engine.box2d.wrap import wrap
from engine.common.errors import InvalidShapeError
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle, Polygon, Shape

__all__ = ["check_fixture_shape", "to_box2d"]


def to_box2d(shape: Shape) -> tuple[Any, Shape]:
    """Return the Box2D shape and our shape exactly as Box2D holds it.

    Raises
    ------
    InvalidShapeError
        Box2D refuses the polygon (too small an area for float32), would change it, or would never end making it.
    """
    if isinstance(shape, Circle):
        return Box2D.b2CircleShape(pos=shape.center, radius=shape.radius), shape
    given = [(float(x), float(y)) for x, y in shape.vertices]
    corners = wrap(shape.vertices.astype(np.float32))
    if corners is None:
        raise InvalidShapeError("vertices", "corners whose turns float32 can tell: Box2D's hull of these would never end", given)
    n, start = len(given), corners[0]
    if corners != [(start + step) % n for step in range(n)]:
        raise InvalidShapeError("vertices", "strictly convex at float32 precision", given)
    try:
        made = Box2D.b2PolygonShape(vertices=given)
        held = [(float(x), float(y)) for x, y in made.vertices]
    except (AssertionError, ValueError):
        raise InvalidShapeError("vertices", _LARGE_ENOUGH, given) from None
    if not _is_rotation(given, held):
        raise InvalidShapeError("vertices", "strictly convex at float32 precision", given)
    return made, Polygon(np.array(held), BOX2D_POLYGON_SKIN)


def check_fixture_shape(shape: Shape) -> None:
    """Refuse what cannot be a fixture: besides all that `to_box2d` refuses, a polygon of which Box2D computes no mass.

    Its test when a polygon is made sums areas about the local origin, and for a small one far from there is passed by rounding
    errors; the test when the mass is computed sums about the polygon's middle, and asserts with the body half built.

    Raises
    ------
    InvalidShapeError
        As said.
    """
    made, held = to_box2d(shape)
    if isinstance(held, Polygon):
        try:
            made.getMass(1.0)
        except AssertionError:
            raise InvalidShapeError("vertices", _LARGE_ENOUGH, held.vertices.tolist()) from None


_LARGE_ENOUGH = "a polygon large enough for float32 (area > 1.2e-7 m^2)"


def _is_rotation(given: list[tuple[float, float]], held: list[tuple[float, float]]) -> bool:
    if len(given) != len(held) or held[0] not in given:
        return False
    start = given.index(held[0])
    return given[start:] + given[:start] == held
