"""Conversion of specifications to Box2D's representation: float32 numbers, shapes with its skin, and valid body masses.

Every number is rounded here, so that our algorithms use exactly Box2D's numbers. Box2D itself accepts a negative radius and a density of 0,
and turns a concave outline into its hull.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from engine.box2d.body_mass import check_body_mass
from engine.box2d.convert import KEPT_SHAPES, Box2DShape, check_fixture_shape, to_fixture_shape
from engine.common.arrays import FloatArray
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.limits import MAX_POLYGON_VERTICES, MAX_REACH, VELOCITY_THRESHOLD
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle, FixtureShape, Polygon, Segment
from engine.geometry.flat_corners import without_flat_corners
from engine.world.fields import float32, number, rounded, vector
from engine.world.joints.interface import ResolvedJoint
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["accepted"]


def accepted(spec: Any) -> Any:
    """Return a specification or a resolved joint as Box2D represents it.

    Raises
    ------
    InvalidInputError
        A shape is unsupported, a number is not representable in float32, or a body's mass is invalid in Box2D; the message names it.
    """
    if isinstance(spec, FixtureSpec):
        return _accepted_fixture(spec)
    if isinstance(spec, ResolvedJoint):
        return rounded(replace(spec, spec=rounded(spec.spec)))
    if isinstance(spec, WorldSettings) and spec.restitution_threshold not in (None, VELOCITY_THRESHOLD):
        requirement = f"{VELOCITY_THRESHOLD:g} m/s, the only value that Box2D supports"
        raise InvalidInputError("restitution_threshold", requirement, spec.restitution_threshold)
    if isinstance(spec, WorldSettings) and spec.solver_settings:
        raise InvalidInputError("solver_settings", "empty with Box2D, which has no solver-specific settings", dict(spec.solver_settings))
    spec = rounded(spec)
    if isinstance(spec, BodySpec):
        fixtures = tuple(_accepted_fixture(fixture) for fixture in spec.fixtures)
        if any(fixture is not other for fixture, other in zip(fixtures, spec.fixtures, strict=True)):
            spec = replace(spec, fixtures=fixtures)
        if spec.type == "dynamic":
            check_body_mass([(fixture.shape, fixture.density) for fixture in spec.fixtures])
    return spec


def _accepted_fixture(spec: FixtureSpec) -> FixtureSpec:
    spec = rounded(spec)
    shape = _float32_shape(spec.shape)
    if not isinstance(shape, Polygon):  # polygons are checked in `_checked`
        check_fixture_shape(shape)
    return spec if shape == spec.shape else replace(spec, shape=shape)


def _float32_vector(field: str, value: object) -> tuple[float, float]:
    x, y = vector(field, value, "m", MAX_REACH)
    return float32(x), float32(y)


def _float32_edge(edge: Segment) -> Segment:
    if edge.skin_radius not in (0.0, BOX2D_POLYGON_SKIN):
        raise InvalidShapeError("skin_radius", f"0 or {BOX2D_POLYGON_SKIN} m (Box2D's skin is fixed)", edge.skin_radius)
    ends = {name: _float32_vector(name, getattr(edge, name)) for name in ("p1", "p2")}
    ghosts = {name: _float32_vector(name, getattr(edge, name)) for name in ("ghost1", "ghost2") if getattr(edge, name) is not None}
    return Segment(**ends, skin_radius=BOX2D_POLYGON_SKIN, **ghosts)


def _float32_shape(shape: FixtureShape) -> Box2DShape:
    if isinstance(shape, Circle):
        radius = float32(number("radius", shape.radius, "m", 0.0, MAX_REACH))
        if radius == 0.0:
            raise InvalidShapeError("radius", "> 0 m at float32 precision", shape.radius)
        return Circle(radius, _float32_vector("center", shape.center))
    if isinstance(shape, Segment):
        return _float32_edge(shape)
    if not isinstance(shape, Polygon):
        return to_fixture_shape(shape)[1]  # raises an error that lists the supported shapes
    return _float32_polygon(shape)


@lru_cache(maxsize=KEPT_SHAPES)
def _float32_polygon(shape: Polygon) -> Polygon:
    """Return a polygon as Box2D represents it. Cached, because a command is validated both when issued and when applied."""
    if shape.skin_radius not in (0.0, BOX2D_POLYGON_SKIN):
        raise InvalidShapeError("skin_radius", f"0 or {BOX2D_POLYGON_SKIN} m (Box2D's skin is fixed)", shape.skin_radius)
    rows = [_float32_vector(f"vertices[{i}]", row) for i, row in enumerate(shape.vertices.tolist())]

    def made(corners: FloatArray) -> Polygon:
        is_held_so = shape.skin_radius == BOX2D_POLYGON_SKIN and np.array_equal(corners, shape.vertices)
        return _checked(shape if is_held_so else Polygon(corners, BOX2D_POLYGON_SKIN))

    return without_flat_corners(np.array(rows), made)


def _checked(polygon: Polygon) -> Polygon:
    if len(polygon.vertices) > MAX_POLYGON_VERTICES:
        raise InvalidShapeError("vertices", f"at most {MAX_POLYGON_VERTICES}", Described(len(polygon.vertices)))
    check_fixture_shape(polygon)
    return polygon
