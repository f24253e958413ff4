"""Conversion of our shapes to Box2D 3.1's, with its limits: float32, at most eight corners, and a hull that drops corners too close to
others.

Boxes of any thickness are created by `b2MakeOffsetBox`, which builds no hull.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pyb2d3

from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.tolerances import LINEAR_SLOP
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment
from engine.world.fields import float32, rounded
from engine.world.specs import FixtureSpec

__all__ = ["MAX_VERTICES", "accepted_fixture", "create_shapes", "rotation"]

MAX_VERTICES = 8
"""`B2_MAX_POLYGON_VERTICES`."""
_SQUARE = 1.0e-6
"""Share of its largest coordinate by which a box, rounded to float32, may be off."""


def accepted_fixture(spec: FixtureSpec) -> FixtureSpec:
    """Return a fixture with its numbers rounded as in Box2D 3.1.

    Raises
    ------
    InvalidInputError
        Box2D 3.1 does not support the shape; the message says why.
    """
    spec = rounded(spec)
    shape = _accepted(spec.shape)
    if isinstance(shape, Segment) and shape.ghost1 is not None and spec.sensor:
        raise InvalidInputError("sensor", "False for a link of a chain with Box2D 3.1", True)
    return spec if shape == spec.shape else replace(spec, shape=shape)


@lru_cache(maxsize=10_000)
def _accepted(shape: AnyShape) -> AnyShape:
    match shape:
        case Circle():
            return Circle(float32(shape.radius), _point(shape.center))
        case Capsule():
            p1, p2 = _point(shape.p1), _point(shape.p2)
            _check_length(p1, p2)
            return Capsule(p1, p2, float32(shape.radius))
        case Segment():
            if shape.skin_radius != 0.0:
                raise InvalidShapeError("skin_radius", "0 m for a segment with Box2D 3.1", shape.skin_radius)
            p1, p2 = _point(shape.p1), _point(shape.p2)
            _check_length(p1, p2)
            ghosts = (None if ghost is None else _point(ghost) for ghost in (shape.ghost1, shape.ghost2))
            return Segment(p1, p2, 0.0, *ghosts)
        case Polygon():
            n = len(shape.vertices)
            if n > MAX_VERTICES:
                raise InvalidShapeError("vertices", f"at most {MAX_VERTICES} with Box2D 3.1", Described(n))
            corners = shape.vertices.astype(np.float32)
            kept = pyb2d3.compute_hull(corners).count
            if kept != n and not _is_box(shape):
                requirement = (
                    f"corners more than {4.0 * LINEAR_SLOP} m from each other and more than {2.0 * LINEAR_SLOP} m from the line of their "
                    "neighbors with Box2D 3.1, unless they form a box"
                )
                raise InvalidShapeError("vertices", requirement, Described(f"{n}, of which its hull keeps {kept}"))
            return Polygon(corners.astype(np.float64), shape.skin_radius)


def _is_thin(polygon: Polygon) -> bool:
    """Return whether Box2D's hull would drop a corner."""
    return int(pyb2d3.compute_hull(polygon.vertices.astype(np.float32)).count) != len(polygon.vertices)


def _is_box(polygon: Polygon) -> bool:
    """Return whether the corners form a rectangle."""
    if len(polygon.vertices) != 4:
        return False
    a, b, c, d = polygon.vertices
    allowed = _SQUARE * float(np.abs(polygon.vertices).max())
    return bool(np.abs(a + c - b - d).max() <= allowed and abs(np.linalg.norm(c - a) - np.linalg.norm(d - b)) <= allowed)


def _point(point: tuple[float, float]) -> tuple[float, float]:
    return float32(point[0]), float32(point[1])


def _check_length(p1: tuple[float, float], p2: tuple[float, float]) -> None:
    if (p2[0] - p1[0]) ** 2 + (p2[1] - p1[1]) ** 2 <= LINEAR_SLOP**2:
        raise InvalidShapeError("p2", f"more than {LINEAR_SLOP} m from p1 with Box2D 3.1", p2)


def create_shapes(body: pyb2d3.Body, spec: FixtureSpec) -> tuple[pyb2d3.Shape, ...]:
    """Create the shapes of a fixture. A link of a chain becomes an open chain with this one link, which collides on its left side."""
    shape = spec.shape
    material = pyb2d3.surface_material(friction=spec.friction, restitution=spec.restitution)
    bits = pyb2d3.make_filter(category_bits=spec.category, mask_bits=spec.mask, group_index=spec.group)
    if isinstance(shape, Segment) and (shape.ghost1 is not None or shape.ghost2 is not None):
        made = pyb2d3.chain_def(_chain_points(shape), material=material)
        made.filter = bits
        links: tuple[pyb2d3.Shape, ...] = tuple(body.create_chain(made).get_segments())
        for link in links:
            link.contact_events_enabled = True
        return links
    definition = pyb2d3.shape_def(
        density=0.0 if isinstance(shape, Segment) else spec.density,
        is_sensor=spec.sensor,
        enable_contact_events=not spec.sensor,
        enable_sensor_events=True,
        material=material,
        filter=bits,
    )
    return (body.create_shape(definition, _made(shape)),)


def _chain_points(shape: Segment) -> FloatArray:
    """Return the four points of an open chain with this one link, from p2 to p1, because Box2D 3.1's chains collide on their right side; a
    missing ghost vertex extends the link straight."""
    p1, p2 = np.array(shape.p1), np.array(shape.p2)
    before = 2.0 * p1 - p2 if shape.ghost1 is None else np.array(shape.ghost1)
    after = 2.0 * p2 - p1 if shape.ghost2 is None else np.array(shape.ghost2)
    points: FloatArray = np.array([after, p2, p1, before], dtype=np.float32)
    return points


def _made(shape: AnyShape) -> object:
    match shape:
        case Circle():
            return pyb2d3.circle(shape.center, shape.radius)
        case Capsule():
            return pyb2d3.capsule(shape.p1, shape.p2, shape.radius)
        case Segment():
            return pyb2d3.segment(shape.p1, shape.p2)
        case Polygon() if _is_thin(shape):
            a, b, c, _ = shape.vertices
            width, height = b - a, c - b
            half, center = (0.5 * float(np.hypot(*side)) for side in (width, height)), 0.5 * (a + c)
            turned = rotation(float(np.arctan2(width[1], width[0])))
            return pyb2d3.make_offset_rounded_box(*half, tuple(center.tolist()), turned, shape.skin_radius)
        case Polygon():
            return pyb2d3.polygon(points=shape.vertices.astype(np.float32), radius=shape.skin_radius)


def rotation(angle: float) -> pyb2d3.Rot:
    """Return an angle as a rotation; `make_rot` would approximate its sine and cosine to 1e-3."""
    made = pyb2d3.Rot()
    made.c, made.s = float(np.cos(angle)), float(np.sin(angle))
    return made
