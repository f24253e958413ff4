"""A pair as Box2D can represent it: its numbers rounded to float32, and with the skins that Box2D adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from engine.box2d.oracle.held import round_pose
from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError
from engine.compare.pair.file import Pair, Point
from engine.geometry import AnyShape, Capsule, Circle, Segment, Transform

__all__ = ["NotForBox2DError", "held", "made_by_box2d", "pose_row", "rounded_shape"]

_Oracle = TypeVar("_Oracle")


class NotForBox2DError(Exception):
    """Box2D cannot represent the pair, or does not support the query; `why` is the reason in words."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def held(pair: Pair) -> Pair:
    """Return the pair with float32 numbers, each motion about the local origin, as passed to Box2D."""
    for shape in (pair.shape_a, pair.shape_b):
        if isinstance(shape, Capsule):
            raise NotForBox2DError("Box2D has no capsules")
    if isinstance(pair.shape_a, Segment) and isinstance(pair.shape_b, Segment) and pair.query in ("manifold", "overlap", "toi"):
        raise NotForBox2DError("Box2D does not collide two edges")
    if isinstance(pair.shape_a, Segment) and pair.query == "contains":
        raise NotForBox2DError("a Box2D edge contains no points")
    try:
        shape_b = None if pair.shape_b is None else rounded_shape(pair.shape_b, pair.center_b)
        return replace(
            pair,
            shape_a=rounded_shape(pair.shape_a, pair.center_a),
            shape_b=shape_b,
            pose_a=_rounded_pose(pair.pose_a, pair.center_a),
            pose_b=_rounded_pose(pair.pose_b, pair.center_b),
            end_a=None if pair.end_a is None else _rounded_pose(pair.end_a, pair.center_a),
            end_b=None if pair.end_b is None else _rounded_pose(pair.end_b, pair.center_b),
            center_a=(0.0, 0.0),
            center_b=(0.0, 0.0),
            ray=None if pair.ray is None else (_rounded(pair.ray[0]), _rounded(pair.ray[1])),
            point=None if pair.point is None else _rounded(pair.point),
        )
    except InvalidInputError as error:
        raise NotForBox2DError(f"float32 cannot represent the shapes: {error}") from None


def made_by_box2d(kind: Callable[[Any], _Oracle], shapes: tuple[AnyShape, ...]) -> _Oracle:
    """Return an oracle over shapes, unless Box2D rejects them."""
    try:
        return kind(shapes)
    except InvalidInputError as error:
        raise NotForBox2DError(f"Box2D rejects the shapes: {error}") from None


def pose_row(pose: Transform) -> FloatArray:
    """Return a pose as a row (1, 3)."""
    return np.array([(*pose.position, pose.angle)], dtype=np.float64)


def _rounded(point: Point) -> Point:
    x, y = np.array(point, dtype=np.float32).tolist()
    return x, y


def _rounded_pose(pose: Transform, center: Point) -> Transform:
    x, y, angle = round_pose((*pose.apply(center), pose.angle) if center != (0.0, 0.0) else (*pose.position, pose.angle)).tolist()
    return Transform((x, y), angle)


def rounded_shape(shape: AnyShape, center: Point = (0.0, 0.0)) -> AnyShape:
    """Return the shape with float32 numbers and `center` at its origin, without skins, because Box2D adds its own."""
    radius = float(np.float32(shape.radius)) if isinstance(shape, Circle) else 0.0
    return shape.mapped(lambda points: (points - np.array(center)).astype(np.float32).astype(np.float64), radius)
