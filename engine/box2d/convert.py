"""Conversion of our shapes to Box2D's and back, with a check of the result.

`b2PolygonShape` computes the convex hull of its input: it starts at the rightmost vertex and drops vertices that are
collinear in float32. Vertices are read back and compared, so that a silent change becomes an error, and so that our
algorithms use Box2D's numbering of vertices and edges (feature ids then agree). With nearly collinear vertices the hull
algorithm may not terminate and may write past its array, so the hull is predicted first (`engine.box2d.wrap`).
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
"""Shapes that Box2D supports for fixtures."""

KEPT_SHAPES = 10_000
"""Size of the cache of converted polygons: the maximum number of fixtures of a body in a file, about 30 MB. Creating a body traverses its
polygons several times in order, so with a smaller cache every access would miss."""


def to_box2d(shape: Shape) -> tuple[Any, Shape]:
    """Return the Box2D shape, and our shape exactly as Box2D represents it.

    Raises
    ------
    InvalidShapeError
        Box2D rejects the polygon (area too small for float32), would change it, or would never finish its hull.
    """
    return _polygon_to_box2d(shape) if isinstance(shape, Polygon) else (Box2D.b2CircleShape(pos=shape.center, radius=shape.radius), shape)


@lru_cache(maxsize=KEPT_SHAPES)
def _polygon_to_box2d(shape: Polygon) -> tuple[Any, Polygon]:
    """Predict the hull, create the polygon and compare. Cached, because a polygon is validated first and attached to a body later."""
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
    """Return the error for a polygon whose hull in Box2D has different corners or never finishes; it names the critical corner."""
    corner = flattest_corner(corners)
    requirement = "a corner that float32 can distinguish from the line of its neighbors"
    return InvalidShapeError(f"vertices[{corner.number}]", requirement, Described(f"{corner.place}, {corner.offset:.2g} m off it"))


def to_edge(edge: Segment) -> tuple[Any, Segment]:
    """Return the Box2D edge, and our segment exactly as Box2D represents it.

    Box2D divides by an edge's length without a check, so its ends must be more than 1.2e-7 m apart.

    Raises
    ------
    InvalidShapeError
        The edge or an adjacent ghost edge is too short, or a number is not representable in float32.
    """
    points = [point for point in (edge.p1, edge.p2, edge.ghost1, edge.ghost2) if point is not None]
    if not np.array_equal(points, np.asarray(points, dtype=np.float32)):
        raise InvalidShapeError("edge", "numbers representable in float32", points)
    for end, neighbor in ((edge.p1, edge.p2), (edge.p1, edge.ghost1), (edge.p2, edge.ghost2)):
        if neighbor is not None and not math.dist(end, neighbor) > BOX2D_EPSILON:
            raise InvalidShapeError("edge", "longer than 1.2e-7 m, like its ghost edges", points)
    made = Box2D.b2EdgeShape(vertices=[edge.p1, edge.p2])
    if edge.ghost1 is not None:
        made.vertex0, made.hasVertex0 = edge.ghost1, True
    if edge.ghost2 is not None:
        made.vertex3, made.hasVertex3 = edge.ghost2, True
    return made, Segment(edge.p1, edge.p2, BOX2D_POLYGON_SKIN, edge.ghost1, edge.ghost2)


def to_fixture_shape(shape: FixtureShape) -> tuple[Any, Box2DShape]:
    """Return the Box2D shape of a fixture, and our shape exactly as Box2D represents it.

    Raises
    ------
    InvalidShapeError
        Box2D does not support the shape, or `to_box2d` or `to_edge` rejects it.
    """
    if isinstance(shape, Capsule):
        raise InvalidShapeError("shape", "one that Box2D supports: a Circle, a Polygon or a Segment", Described("a Capsule"))
    return to_edge(shape) if isinstance(shape, Segment) else to_box2d(shape)


@lru_cache(maxsize=KEPT_SHAPES)
def _with_box2d_skin(held: tuple[tuple[float, float], ...]) -> Polygon:
    """Return our polygon with Box2D's vertices. Cached, because validation, creation and every oracle need it."""
    return Polygon(np.array(held), BOX2D_POLYGON_SKIN)


def check_fixture_shape(shape: FixtureShape) -> None:
    """Check that a shape can be a fixture, including that Box2D can compute its mass.

    Box2D's check when it creates a polygon sums areas about the local origin, so because of rounding errors a small polygon far from the
    origin may pass. The check in its mass computation sums areas about the polygon's center instead; if that fails, it asserts with the
    body only partly created.

    Raises
    ------
    InvalidShapeError
        `to_fixture_shape` rejects the shape, or Box2D cannot compute its mass.
    """
    made, held = to_fixture_shape(shape)
    if isinstance(held, Polygon):
        mass_of(made, 1.0)


def mass_of(made: Any, density: float) -> Any:
    """Return the b2MassData of a Box2D shape, with the inertia about the local origin.

    Raises
    ------
    InvalidShapeError
        The area is too small; see `check_fixture_shape`.
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
    """Create a b2Fixture on a b2Body from a copy of `shape` and the other values of the b2FixtureDef, and give Python ownership of `shape`.

    In pybox2d ``definition.shape = shape`` takes ownership from Python (SWIG's DISOWN) without anything freeing the shape later: Box2D
    copies it into the fixture, and a b2FixtureDef owns nothing. Every shape used this way would leak: 304 bytes for a polygon, 64 for an
    edge, 32 for a circle.
    """
    definition.shape = shape
    try:
        return body.CreateFixture(definition)
    finally:
        definition.shape = None  # Python may free the shape from now on
        shape.thisown = True
