"""Our shapes to Box2D's and back, with what Box2D made of them looked at before it is used.

`b2PolygonShape` hulls whatever it is given: it starts at the rightmost vertex and drops what lies on a line at float32
precision. Vertices are read back once and compared, so that a silent change becomes an error, and so that our
algorithms number vertices and edges as Box2D does (feature ids then compare). Its way round nearly collinear vertices may
not end, and would write past its array: so the hull is predicted (`engine.box2d.wrap`) before Box2D is asked.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import Box2D
import numpy as np

from engine.box2d.wrap import wrap
from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidShapeError
from engine.common.tolerances import BOX2D_EPSILON, BOX2D_POLYGON_SKIN
from engine.geometry import Capsule, Circle, FixtureShape, Polygon, Segment, Shape
from engine.geometry.flat_corners import flattest_corner

__all__ = ["KEPT_SHAPES", "Box2DShape", "check_fixture_shape", "fix", "mass_of", "to_box2d", "to_edge", "to_fixture_shape"]

Box2DShape = Circle | Polygon | Segment
"""The shapes that Box2D has, of which it makes fixtures."""

KEPT_SHAPES = 10_000
"""Polygons whose conversion is kept, a count: as many as the largest body of a file has fixtures, some 30 MB. A body's are gone through in
order, and several times, while it is made; of one more than are kept each would be converted every time."""


def to_box2d(shape: Shape) -> tuple[Any, Shape]:
    """Return the Box2D shape and our shape exactly as Box2D holds it.

    Raises
    ------
    InvalidShapeError
        Box2D refuses the polygon (too small an area for float32), would change it, or would never end making it.
    """
    return _polygon_to_box2d(shape) if isinstance(shape, Polygon) else (Box2D.b2CircleShape(pos=shape.center, radius=shape.radius), shape)


@lru_cache(maxsize=KEPT_SHAPES)
def _polygon_to_box2d(shape: Polygon) -> tuple[Any, Polygon]:
    """Predict the hull, make it, look at it; kept, for a polygon is checked when a body is specified, and fixed when it is made."""
    vertices = [(float(x), float(y)) for x, y in shape.vertices]
    corners = wrap(shape.vertices.astype(np.float32))
    if corners is None:
        raise _fragile_corner(shape.vertices)
    n, start = len(vertices), corners[0]
    if corners != [(start + step) % n for step in range(n)]:
        raise _fragile_corner(shape.vertices)
    try:
        made = Box2D.b2PolygonShape(vertices=vertices)
        held = [(float(x), float(y)) for x, y in made.vertices]
    except (AssertionError, ValueError):
        raise InvalidShapeError("vertices", _LARGE_ENOUGH, vertices) from None
    if not _is_rotation(vertices, held):
        raise _fragile_corner(shape.vertices)
    return made, _with_box2d_skin(tuple(held))


def _fragile_corner(corners: FloatArray) -> InvalidShapeError:
    """Return the error for a polygon whose hull in Box2D has other corners, or never ends: it names the critical corner."""
    corner = flattest_corner(corners)
    requirement = "a corner that float32 can distinguish from the line of its neighbors"
    return InvalidShapeError(f"vertices[{corner.number}]", requirement, Described(f"{corner.place}, {corner.offset:.2g} m off it"))


def to_edge(edge: Segment) -> tuple[Any, Segment]:
    """Return the Box2D edge and our segment exactly as Box2D holds it.

    Box2D divides by an edge's length without a look at it, so the two ends must be 1.2e-7 m apart.

    Raises
    ------
    InvalidShapeError
        An edge, or the way to a ghost, without length; a number that float32 does not hold.
    """
    points = [point for point in (edge.p1, edge.p2, edge.ghost1, edge.ghost2) if point is not None]
    if not np.array_equal(points, np.asarray(points, dtype=np.float32)):
        raise InvalidShapeError("edge", "made of numbers that float32 holds", points)
    for end, neighbor in ((edge.p1, edge.p2), (edge.p1, edge.ghost1), (edge.p2, edge.ghost2)):
        if neighbor is not None and not math.dist(end, neighbor) > BOX2D_EPSILON:
            raise InvalidShapeError("edge", "longer than 1.2e-7 m, and so its neighbors", points)
    made = Box2D.b2EdgeShape(vertices=[edge.p1, edge.p2])
    if edge.ghost1 is not None:
        made.vertex0, made.hasVertex0 = edge.ghost1, True
    if edge.ghost2 is not None:
        made.vertex3, made.hasVertex3 = edge.ghost2, True
    return made, Segment(edge.p1, edge.p2, BOX2D_POLYGON_SKIN, edge.ghost1, edge.ghost2)


def to_fixture_shape(shape: FixtureShape) -> tuple[Any, Box2DShape]:
    """Return the Box2D shape of a fixture and our shape exactly as Box2D holds it; errors as in `to_box2d` and `to_edge`.

    Raises
    ------
    InvalidShapeError
        Box2D has no such shape.
    """
    if isinstance(shape, Capsule):
        raise InvalidShapeError("shape", "one that Box2D has: a Circle, a Polygon or a Segment", Described("a Capsule"))
    return to_edge(shape) if isinstance(shape, Segment) else to_box2d(shape)


@lru_cache(maxsize=KEPT_SHAPES)
def _with_box2d_skin(held: tuple[tuple[float, float], ...]) -> Polygon:
    """Return our polygon with Box2D's vertices; asked for when a body is checked and when it is made, and by each oracle."""
    return Polygon(np.array(held), BOX2D_POLYGON_SKIN)


def check_fixture_shape(shape: FixtureShape) -> None:
    """Refuse what cannot be a fixture: besides all that `to_box2d` and `to_edge` refuse, a polygon of which Box2D computes no mass.

    Its test when a polygon is made sums areas about the local origin, and for a small one far from there is passed by rounding
    errors; the test when the mass is computed sums about the polygon's middle, and asserts with the body half built.

    Raises
    ------
    InvalidShapeError
        As said.
    """
    made, held = to_fixture_shape(shape)
    if isinstance(held, Polygon):
        mass_of(made, 1.0)


def mass_of(made: Any, density: float) -> Any:
    """Return the b2MassData of a Box2D shape, inertia about the local origin.

    Raises
    ------
    InvalidShapeError
        Its area is too small; see `check_fixture_shape`.
    """
    try:
        return made.getMass(density)
    except AssertionError:
        raise InvalidShapeError("vertices", _LARGE_ENOUGH, [(float(x), float(y)) for x, y in made.vertices]) from None


_LARGE_ENOUGH = "a polygon large enough for float32 (area > 1.2e-7 m^2)"


def _is_rotation(vertices: list[tuple[float, float]], held: list[tuple[float, float]]) -> bool:
    if len(vertices) != len(held) or held[0] not in vertices:
        return False
    start = vertices.index(held[0])
    return vertices[start:] + vertices[:start] == held


def fix(body: Any, definition: Any, shape: Any) -> Any:
    """Return the new b2Fixture of a b2Body: a copy of `shape`, which is Python's own again, with the rest of the b2FixtureDef.

    In pybox2d ``definition.shape = shape`` gives the shape away (SWIG's DISOWN): Python frees it no more, and nothing else does: Box2D
    copies the shape into the fixture, and a b2FixtureDef owns nothing. So each shape that was ever fixed would stay: 304 bytes of a
    polygon, 64 of an edge, 32 of a disc.
    """
    definition.shape = shape
    try:
        return body.CreateFixture(definition)
    finally:
        definition.shape = None  # it must not point to what Python may free from now on
        shape.thisown = True
