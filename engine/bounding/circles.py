"""The bounding circle: unaffected by rotation, and defined by three numbers. The smallest one, by Welzl's incremental algorithm.

A circle is the only volume that is unaffected by a rotation: its center moves, and its radius stays.

**The mean** of the points is the quickest center; the radius is then up to twice the smallest. (Many points in one corner and one far away:
the mean lies at the corner.)

**The box's diagonal** as the diameter takes one pass; the center is that of the upright box. No side of the box is longer than the
points' greatest distance D, so the diagonal is at most sqrt(2) D in the plane and sqrt(3) D in space. The smallest circle's diameter is at
least D, and both sides of the box fit in it, so the radius is at most sqrt(2) times the smallest.

**The smallest.** The smallest circle is unique, and two or three of the points determine it. Points are added one by one, and the smallest
circle of those added is kept. A new point inside changes nothing. A point outside must be *on* the circle of all added so far: this is the
same problem with one known point on the boundary, and then with two::

    all seen are inside     p is outside: so p is on the next circle      so is q         and then r, or two are enough
        .---.                    .---.   p                                 .-----.
       ( . . )                  ( . . )                                   ( p . . )
        `---'                    `---'                                     `--q--'

Point i in random order is outside with a probability of 3 / i, because one of only three points must be the last one added. So the inner
loops are entered rarely, and n points cost about 10 n tests. Here the order is that of the hull's corners, shuffled with a fixed seed.

**The proof.** Rounding can select the wrong branch if points lie nearly on one circle. So the result is verified: the smallest circle of
its own two or three points cannot be larger than that of all, and the circle around its center that contains all cannot be smaller. If the
two radii agree within `WELZL_ROUNDING`, it is the smallest to that accuracy; otherwise, the same algorithm is repeated in exact fractions.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 4.3; E. Welzl, "Smallest enclosing disks (balls and ellipsoids)", 1991; M. de Berg
et al., Computational Geometry, 2008, 4.7 (the three loops).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from engine.bounding.cloud import Points, cloud_of
from engine.bounding.volume import Volume
from engine.common.arrays import FloatArray, frozen
from engine.common.events import record
from engine.common.rng import stream
from engine.common.tolerances import BOUNDING_ROUNDING, WELZL_ROUNDING

__all__ = [
    "Circumscribed",
    "WelzlOrder",
    "WelzlResult",
    "WelzlTest",
    "circle_around",
    "diagonal_circle",
    "mean_circle",
    "smallest_circle",
    "smallest_of",
]


def mean_circle(points: Points) -> Volume:
    """Return the circle around the mean of the points, body frame.

    Examples
    --------
    >>> mean_circle([(-1.0, 0.0), (1.0, 0.0)]).core.tolist()
    [[0.0, 0.0]]
    """
    return circle_around(points, cloud_of(points).mean)


def diagonal_circle(points: Points) -> Volume:
    """Return the circle whose diameter is the diagonal of the points' upright box, body frame.

    Examples
    --------
    >>> diagonal_circle([(-3.0, 0.0), (3.0, 0.0), (0.0, 4.0), (0.0, -4.0)]).core.tolist()
    [[0.0, 0.0]]
    """
    cloud = cloud_of(points)
    lower, upper = cloud.points.min(axis=0), cloud.points.max(axis=0)
    center = 0.5 * (lower + upper)
    scale = math.hypot(*center) + cloud.extent
    radius = 0.5 * math.hypot(*(upper - lower)) + cloud.radius + BOUNDING_ROUNDING * scale
    return _circle((float(center[0]), float(center[1])), radius)


def circle_around(points: Points, center: tuple[float, float]) -> Volume:
    """Return the smallest circle with this center."""
    cloud = cloud_of(points)
    away = float(np.hypot(cloud.points[:, 0] - center[0], cloud.points[:, 1] - center[1]).max())
    scale = math.hypot(*center) + cloud.extent
    return _circle(center, away + cloud.radius + BOUNDING_ROUNDING * scale)


def _circle(center: tuple[float, float], radius: float) -> Volume:
    return Volume(frozen(np.array([center])), radius)


_Number = TypeVar("_Number", float, Fraction)


class Circumscribed(NamedTuple, Generic[_Number]):
    """Center and squared radius, and the indices of the points that determine them."""

    x: _Number
    y: _Number
    radius_sq: _Number
    support: tuple[int, ...]


class WelzlOrder(NamedTuple):
    """The points (n, 2) of a run, in order, in floats or in fractions; the run's circles are relative to `middle`."""

    points: FloatArray
    middle: FloatArray
    is_exact: bool


class WelzlTest(NamedTuple):
    """Whether the next point of the innermost loop is in the current circle."""

    circle: Circumscribed[Any]
    is_in: bool


class WelzlResult(NamedTuple):
    """The circle of a run. It contains all points with the radius `holds_all`, and its own two or three points need `demanded`; in
    fractions both are infinite, because nothing is verified.
    """

    circle: Circumscribed[Any]
    holds_all: float
    demanded: float


def smallest_circle(points: Points) -> Volume:
    """Return the smallest circle around points, or around a shape with its radius; body frame.

    Its radius is the smallest, to `WELZL_ROUNDING` of the extent.

    Examples
    --------
    >>> found = smallest_circle([(-3.0, 0.0), (3.0, 0.0), (0.0, 2.9), (0.0, -2.0)])
    >>> found.core.tolist(), round(found.radius, 12)
    ([[0.0, 0.0]], 3.0)
    """
    cloud = cloud_of(points)
    shuffled = cloud.points[stream(0, "smallest circle").permutation(len(cloud.points))]
    middle = 0.5 * (shuffled.min(axis=0) + shuffled.max(axis=0))  # relative coordinates, for accuracy far from the origin
    near = shuffled - middle
    record(WelzlOrder(shuffled, middle, False))
    smallest = smallest_of([(float(x), float(y)) for x, y in near])
    holds_all, demanded = _judged(near, smallest)
    record(WelzlResult(smallest, holds_all, demanded))
    if holds_all - demanded <= WELZL_ROUNDING * float(np.abs(near).max()):
        return circle_around(cloud, (float(smallest.x + middle[0]), float(smallest.y + middle[1])))
    record(WelzlOrder(shuffled, middle, True))
    exact = smallest_of([(Fraction(float(x)), Fraction(float(y))) for x, y in near])
    record(WelzlResult(exact, math.inf, math.inf))
    return circle_around(cloud, (float(exact.x + Fraction(float(middle[0]))), float(exact.y + Fraction(float(middle[1])))))


def smallest_of(points: Sequence[tuple[_Number, _Number]]) -> Circumscribed[_Number]:
    """Return the smallest circle of points in the order given: in floats quickly, in fractions exactly."""
    circle = _of_one(points, 0)
    for i in range(1, len(points)):
        if _is_in(circle, points[i]):
            continue
        circle = _of_one(points, i)
        for j in range(i):
            if _is_in(circle, points[j]):
                continue
            circle = _of_two(points, i, j)
            for k in range(j):
                if not _is_in(circle, points[k]):
                    circle = _of_three(points, i, j, k)
    return circle


def _is_in(circle: Circumscribed[_Number], point: tuple[_Number, _Number]) -> bool:
    dx, dy = point[0] - circle.x, point[1] - circle.y
    is_in = dx * dx + dy * dy <= circle.radius_sq
    record(WelzlTest(circle, is_in))
    return is_in


def _of_one(points: Sequence[tuple[_Number, _Number]], i: int) -> Circumscribed[_Number]:
    x, y = points[i]
    return Circumscribed(x, y, x - x, (i,))


def _of_two(points: Sequence[tuple[_Number, _Number]], i: int, j: int) -> Circumscribed[_Number]:
    (ax, ay), (bx, by) = points[i], points[j]
    dx, dy = (bx - ax) / 2, (by - ay) / 2
    return Circumscribed(ax + dx, ay + dy, dx * dx + dy * dy, (i, j))


def _of_three(points: Sequence[tuple[_Number, _Number]], i: int, j: int, k: int) -> Circumscribed[_Number]:
    """Return the circle through three points; if they are collinear, which only rounding can cause, that of the first two.

    With the vectors p and q from a to the others, and m to the center, 2 p.m = p.p and 2 q.m = q.q: two linear equations.
    """
    (ax, ay), (bx, by), (cx, cy) = points[i], points[j], points[k]
    px, py, qx, qy = bx - ax, by - ay, cx - ax, cy - ay
    turn = 2 * (px * qy - py * qx)
    if turn == 0:
        return _of_two(points, i, j)
    p_sq, q_sq = px * px + py * py, qx * qx + qy * qy
    x, y = (qy * p_sq - py * q_sq) / turn, (px * q_sq - qx * p_sq) / turn
    return Circumscribed(ax + x, ay + y, x * x + y * y, (i, j, k))


def _judged(points: FloatArray, result: Circumscribed[float]) -> tuple[float, float]:
    """Return the radius that contains all points, and the radius that the supporting points alone need; the smallest is in between."""
    holds_all = float(np.hypot(points[:, 0] - result.x, points[:, 1] - result.y).max())
    return holds_all, _demanded([(float(x), float(y)) for x, y in points[list(result.support)]])


def _demanded(support: Sequence[tuple[float, float]]) -> float:
    """Return the radius of the smallest circle of one, two or three points, computed independently, from lengths and an angle."""
    sides = sorted(math.dist(p, q) for at, p in enumerate(support) for q in support[at + 1 :])
    if not sides:
        return 0.0
    if len(sides) < 3 or sides[2] ** 2 >= sides[0] ** 2 + sides[1] ** 2:  # if obtuse, the longest side is the diameter
        return 0.5 * sides[-1]
    (ax, ay), (bx, by), (cx, cy) = support
    twice_area = abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
    return sides[0] * sides[1] * sides[2] / (2.0 * twice_area)
