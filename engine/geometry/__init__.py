"""Shapes and poses: plain immutable values, float64, meters and radians. Collision algorithms are in other packages."""

from engine.geometry.aabb import AABB
from engine.geometry.convex import ConvexShape, check_shape
from engine.geometry.hull import convex_hull
from engine.geometry.mass import MassProperties
from engine.geometry.polygon import Polygon
from engine.geometry.rounded import Capsule, Circle, Segment
from engine.geometry.sweep import Sweep
from engine.geometry.transform import Transform

Shape = Circle | Polygon
"""The solid shapes of Box2D."""

AnyShape = Circle | Polygon | Capsule | Segment
"""Any shape that a query accepts."""

FixtureShape = AnyShape
"""The shapes a fixture may have; a segment is an edge or, with ghost vertices, a link of a chain. Each solver lists those it supports."""

__all__ = [
    "AABB",
    "AnyShape",
    "Capsule",
    "Circle",
    "ConvexShape",
    "FixtureShape",
    "MassProperties",
    "Polygon",
    "Segment",
    "Shape",
    "Sweep",
    "Transform",
    "check_shape",
    "convex_hull",
]
