"""A pair as passed to a user's function: world coordinates, plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from engine.compare.cases import CaseChunk
from engine.compare.pair.file import Pair
from engine.geometry import Circle, Polygon, Segment, Shape, Transform

__all__ = ["PlainPair", "PlainPolygon", "PlainShape", "Point", "core_of", "is_circle", "pair_of", "plain_pair", "plain_pairs", "shape_of"]

Point: TypeAlias = tuple[float, float]
PlainPolygon: TypeAlias = tuple[Point, ...]
PlainShape: TypeAlias = PlainPolygon | tuple[float, float, float]
"""World vertices, counter-clockwise, or x, y, radius of a circle. Tuples here; the function gets a polygon as a list."""


def is_circle(shape: PlainShape) -> bool:
    """Return True for a circle, False for a polygon."""
    return not isinstance(shape[0], tuple)


@dataclass(frozen=True)
class PlainPair:
    """Two shapes in the world; meters."""

    a: PlainShape
    b: PlainShape

    @cached_property
    def scale(self) -> float:
        """Scale of rounding: the largest ``|x| + |y| + radius`` of A and of B, added."""
        return _reach(self.a) + _reach(self.b)


def core_of(shape: PlainShape) -> tuple[PlainPolygon, float]:
    """Return corners and radius; a circle has one corner."""
    if is_circle(shape):
        x, y, radius = shape
        return ((x, y),), radius  # type: ignore[return-value]
    return shape, 0.0  # type: ignore[return-value]


def plain_pairs(cases: CaseChunk) -> list[PlainPair]:
    """Return the pairs of a chunk in the world."""
    # users' functions get pairs of the solid kinds, which have no edges
    local = [None if isinstance(shape, Segment) else _local(shape) for shape in cases.shapes]
    turned_a, turned_b = (
        np.column_stack((poses[:, :2], np.cos(poses[:, 2]), np.sin(poses[:, 2]))) for poses in (cases.poses_a, cases.poses_b)
    )
    rows = zip(cases.pairs.tolist(), turned_a.tolist(), turned_b.tolist(), strict=True)
    return [PlainPair(_placed(local[a], pose_a), _placed(local[b], pose_b)) for (a, b), pose_a, pose_b in rows]


def plain_pair(a: Shape, xf_a: Transform, b: Shape, xf_b: Transform) -> PlainPair:
    """Return one pair in the world; a polygon's skin is omitted."""
    turned = [(*xf.position, xf.cos, xf.sin) for xf in (xf_a, xf_b)]
    return PlainPair(_placed(_local(a), turned[0]), _placed(_local(b), turned[1]))


def shape_of(shape: PlainShape) -> Shape:
    """Return our shape with the same numbers, for use at the identity pose."""
    corners, radius = core_of(shape)
    return Circle(radius, corners[0]) if is_circle(shape) else Polygon(corners)


def pair_of(pair: PlainPair) -> Pair:
    """Return the pair with our shapes at the identity pose.

    Raises
    ------
    InvalidShapeError
        Rounding into the world left no polygon.
    """
    return Pair("manifold", shape_of(pair.a), shape_b=shape_of(pair.b))


def _local(shape: Shape) -> tuple[PlainPolygon, float]:
    return tuple((x, y) for x, y in shape.core.tolist()), shape.radius - shape.skin_radius


def _placed(local: tuple[PlainPolygon, float] | None, pose: tuple[float, float, float, float]) -> PlainShape:
    assert local is not None
    corners, radius = local
    px, py, c, s = pose
    world = tuple([(c * x - s * y + px, s * x + c * y + py) for x, y in corners])
    return (*world[0], radius) if radius > 0.0 else world


def _reach(shape: PlainShape) -> float:
    corners, radius = core_of(shape)
    return max([abs(x) + abs(y) for x, y in corners]) + radius
