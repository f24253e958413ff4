"""Answers to be shown: one side's answer to a pair, in words and points."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.compare.pair.file import Point
from engine.geometry import AnyShape, Circle, Transform

__all__ = ["Answer", "finite_point", "length_words", "outline", "point_of", "points_of", "pose_of"]

_AROUND = np.arange(0.0, 2.0 * math.pi, math.radians(5.0))


@dataclass(frozen=True, slots=True)
class Answer:
    """One side's answer, summarized in `words` in one line; fields that the query does not have are None or empty.

    `normal` is a unit vector from A to B, or outward at a ray's hit; `points` are those of a manifold or a hit, with the `separations`
    there, meters, of the shapes without skins, negative where they overlap. `witnesses` are the points of A and of B of a `distance`,
    meters; `fraction` is of the motion or the ray. `is_yes` where they overlap, touch, hit or contain.
    """

    words: str
    normal: Point | None = None
    points: tuple[Point, ...] = ()
    separations: tuple[float, ...] = ()
    witnesses: tuple[Point, Point] | None = None
    distance: float | None = None
    fraction: float | None = None
    is_yes: bool = False

    @property
    def depth(self) -> float:
        """Distance that B must move along the normal until the deepest point just touches, without skins; 0 if none overlaps."""
        return max(0.0, -min(self.separations, default=0.0))


def length_words(meters: float) -> str:
    """Return a length in words, with its unit."""
    return f"{1e3 * meters:.4g} mm" if abs(meters) < 1.0 else f"{meters:.5g} m"


def finite_point(row: FloatArray) -> Point:
    """Return a row (2,) as a point, the origin where it is not finite."""
    x, y = float(row[0]), float(row[1])
    return (x, y) if math.isfinite(x + y) else (0.0, 0.0)


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
