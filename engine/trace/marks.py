"""Marks, and the points and names that they need."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray
from engine.common.errors import LabError
from engine.contracts.trace import Mark, Point, Role
from engine.geometry import AABB
from engine.geometry.hull import convex_hull

__all__ = ["Marks", "Points", "along", "arrow", "as_points", "away_from_line", "between", "dot", "dots", "hull_mark", "normal_mark", "path"]

Marks: TypeAlias = tuple[Mark, ...]
Points: TypeAlias = tuple[Point, ...]


def as_points(rows: ArrayLike) -> Points:
    """Return rows (n, 2) as points."""
    return tuple((x, y) for x, y in np.asarray(rows, dtype=np.float64).reshape(-1, 2).tolist())


def dots(role: Role, points: Iterable[Point]) -> Marks:
    """Mark points, if there are any."""
    places = tuple(points)
    return (Mark("point", role, places),) if places else ()


def dot(role: Role, *points: Point, view: str = "plane", text: str = "") -> Mark:
    """Mark points."""
    return Mark("point", role, points, view, text)


def path(role: Role, *points: Point, view: str = "plane", text: str = "") -> Mark:
    """Mark an open path."""
    return Mark("path", role, points, view, text)


def arrow(role: Role, start: Point, way: Point, length: float = 1.0, view: str = "plane", text: str = "") -> Mark:
    """Mark an arrow from a point along `way`, scaled by `length`."""
    return Mark("arrow", role, (start, along(start, way, length)), view, text)


def normal_mark(role: Role, normal: Point, points: Points, box: AABB, share: float, text: str = "") -> Mark:
    """Mark a normal at the middle of points, or of the picture's box if there are none; it is as long as a share of the box."""
    (left, bottom), (right, top) = box.lower, box.upper
    x, y = (sum(numbers) / len(numbers) for numbers in zip(*(points or (box.lower, box.upper)), strict=True))
    return arrow(role, (x, y), normal, share * max(right - left, top - bottom), text=text)


def along(start: Point, way: Point, length: float = 1.0) -> Point:
    """Return the point at `length` times a vector from another."""
    return start[0] + length * way[0], start[1] + length * way[1]


def away_from_line(p: Point, q: Point, point: Point) -> tuple[float, Point]:
    """Return how far a point lies left of the line from p to q, and its foot on the line."""
    dx, dy, x, y = q[0] - p[0], q[1] - p[1], point[0] - p[0], point[1] - p[1]
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    along = x * ux + y * uy
    return ux * y - uy * x, (p[0] + along * ux, p[1] + along * uy)


def between(p: Point, q: Point, share: float = 0.5) -> Point:
    """Return the point at a fraction of the line from p to q."""
    return p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])


def hull_mark(points: FloatArray, view: str, radius: float = 0.0) -> Mark:
    """Mark the hull of points (n, 2) as a ghost, grown by a radius; of points on one line the segment, of one point the circle."""
    try:
        return Mark("polygon", "ghost", as_points(convex_hull(points)), view, radius=radius)
    except LabError:
        ends = as_points([min(points.tolist()), max(points.tolist())])
        is_point = ends[0] == ends[1]
        return Mark("circle" if is_point else "path", "ghost", ends[:1] if is_point else ends, view, radius=radius)
