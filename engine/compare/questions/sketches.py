"""Parts of what a row of a chunk looks like."""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.compare.pair.file import Point
from engine.geometry import AnyShape, Circle, Transform

__all__ = ["box_corners", "box_words", "outline", "point_of", "points_of", "pose_of"]

_AROUND = np.arange(0.0, 2.0 * math.pi, math.radians(5.0))


def outline(shape: AnyShape, pose: Transform) -> tuple[Point, ...]:
    """Return the corners of a shape's core in the world; of a circle as many points as look round."""
    if isinstance(shape, Circle):
        local = np.array(shape.center) + shape.radius * np.column_stack((np.cos(_AROUND), np.sin(_AROUND)))
    else:
        local = shape.core
    return points_of(pose.apply_array(local))


def pose_of(row: FloatArray) -> Transform:
    """Return a row (3,) as a pose."""
    x, y, angle = row.tolist()
    return Transform((x, y), angle)


def point_of(row: FloatArray) -> Point:
    """Return a row (2,) as a point."""
    x, y = row.tolist()
    return x, y


def points_of(rows: FloatArray) -> tuple[Point, ...]:
    """Return rows (n, 2) as points."""
    return tuple((x, y) for x, y in rows.tolist())


def box_corners(row: FloatArray) -> tuple[Point, ...]:
    """Return the corners of a box (4,)."""
    left, bottom, right, top = row.tolist()
    return (left, bottom), (right, bottom), (right, top), (left, top)


def box_words(row: FloatArray) -> str:
    """Return a box (4,) in words."""
    left, bottom, right, top = row.tolist()
    return f"from ({left:.9g}, {bottom:.9g}) to ({right:.9g}, {top:.9g})"
