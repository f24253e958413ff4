"""Shared code of algorithms on points."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray
from engine.common.errors import LabError
from engine.contracts.trace import Feature, Mark, Point, Role
from engine.geometry.hull import convex_hull
from engine.trace.cases import PointsCase

__all__ = ["as_points", "away_from_line", "between", "dots", "features", "hull_mark", "named", "names"]


def as_points(rows: ArrayLike) -> tuple[Point, ...]:
    """Return rows (n, 2) as points."""
    return tuple((x, y) for x, y in np.asarray(rows, dtype=np.float64).reshape(-1, 2).tolist())


def features(case: PointsCase, *points: Point) -> tuple[Feature, ...]:
    """Return which of the case's points these are."""
    return tuple(Feature("point", "", case.points.index(point)) for point in points)


def dots(role: Role, points: Iterable[Point]) -> tuple[Mark, ...]:
    """Mark points, if there are any."""
    places = tuple(points)
    return (Mark("point", role, places),) if places else ()


def away_from_line(p: Point, q: Point, point: Point) -> tuple[float, Point]:
    """Return how far a point lies left of the line from p to q, and its foot on the line."""
    dx, dy, x, y = q[0] - p[0], q[1] - p[1], point[0] - p[0], point[1] - p[1]
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    along = x * ux + y * uy
    return ux * y - uy * x, (p[0] + along * ux, p[1] + along * uy)


def between(p: Point, q: Point, share: float = 0.5) -> Point:
    """Return the point at a share of the way from p to q."""
    return p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])


def named(case: PointsCase, role: Role, point: Point) -> Mark:
    """Mark one point, with its name where the scenery has none."""
    return Mark("point", role, (point,), text="" if case.is_named else case.name(point))


def hull_mark(points: FloatArray, view: str, radius: float = 0.0) -> Mark:
    """Mark the hull of points (n, 2) as a ghost, grown by a radius; of points on one line the segment, of one point the circle."""
    try:
        return Mark("polygon", "ghost", as_points(convex_hull(points)), view, radius=radius)
    except LabError:
        ends = as_points([min(points.tolist()), max(points.tolist())])
        is_point = ends[0] == ends[1]
        return Mark("circle" if is_point else "path", "ghost", ends[:1] if is_point else ends, view, radius=radius)


def names(case: PointsCase, points: Iterable[Point]) -> str:
    """Return the names of points, for a sentence."""
    return ", ".join(map(case.name, points))
