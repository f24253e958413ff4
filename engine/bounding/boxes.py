"""Boxes: the AABB of a rotating body, computed in two ways, and the OBB, which rotates with it, of minimum area by rotating calipers.

**Rebuilt** at every pose from the corners of the hull: tight, and costs as many multiplications as there are corners.
**Refitted** from the box that is tight in the body's own frame, which takes four products for any shape; but the box of a rotated box is
larger than the box of the shape::

        +-----------+              local box, rotated: its corners stick out
        |    /\\     |              rebuilt box <= refitted box
        |   /  \\    |
        |  / __ \\   |              half width  = |cos| w + |sin| h
        |  \\/  \\/   |              half height = |sin| w + |cos| h
        +-----------+

At 45 degrees the refitted box of a square has twice the area of the local one, and that of a long rod of length l and no width, along a
local axis, l^2 / 2, as has the rebuilt one. Averaged over all angles the refitted box of a w by h box has the area ``4 (w h + (2 / pi) (w^2
+ h^2) / 2)`` with half sizes w and h: 1.64 times that of a square.

**Least area.** A rectangle of least area around a convex polygon has a side along one of its edges. While no side lies along an edge,
rotating the rectangle by t keeps the same four corners in contact, and its width and height are ``w = |p| cos(t - a)`` and ``h = |q| cos(t
- b)``, p and q the diagonals between opposite corners. With a radius r around the polygon, ``area = (w + 2 r)(h + 2 r)``; each factor is
concave (w'' = -w < 0) and positive, so the logarithm of the product is concave, and a concave function has its minimum over an interval at
an end, where the next edge is on a side.

**Rotating calipers.** So one rectangle per edge is a candidate. As the edges advance around the polygon, the three other touching corners
only move forward, and go around once in total::

         top ->
        +----*------+
        |   /  \\    |           e: the edge on the box's base
     <- *  /    \\   * right     right, top, left: the farthest corners along e, away from e, against e;
        |  \\    /   |           each advances while the next edge points that way
        +---*--*----+
              e

O(n) instead of O(n^2) after the hull. A caliper advances by the sign of a product with the *edge*, not by comparing two corners'
projections, which can differ by less than their rounding on a tiny edge, where the caliper would stop forever.

**Overlap** is the separating axis test with the four axes of both: |d| along an axis against the sum of both half extents along it.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 4.2.4, 4.2.6 (J. Arvo, "Transforming Axis-Aligned Bounding Boxes", 1990) and 4.4;
H. Freeman, R. Shapira, "Determining the minimum-area encasing rectangle", 1975; G. Toussaint, "Solving geometric problems with the rotating
calipers", 1983; M. I. Shamos, "Computational Geometry", thesis, 1978 (antipodal pairs).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.bounding.cloud import Cloud, Points, cloud_of, margin_at
from engine.bounding.volume import Volume
from engine.common.arrays import FloatArray, frozen
from engine.common.events import record
from engine.common.tolerances import BOUNDING_ROUNDING
from engine.geometry import AABB, Transform

__all__ = ["Caliper", "box_area", "calipers", "fitted_box", "least_area_box", "refitted_box"]

_HERE = Transform()
_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
"""Corners of a rectangle, counter-clockwise, in half sizes."""


def fitted_box(points: Points, xf: Transform = _HERE) -> AABB:
    """Return the tight box around points, or around a shape with its radius, at a pose.

    Examples
    --------
    >>> box = fitted_box([(-1.0, 0.0), (1.0, 0.0), (0.0, 2.0)])
    >>> round(box.upper[0], 12), round(box.upper[1], 12)
    (1.0, 2.0)
    """
    cloud = cloud_of(points)
    world_x = xf.cos * cloud.points[:, 0] - xf.sin * cloud.points[:, 1] + xf.position[0]
    world_y = xf.sin * cloud.points[:, 0] + xf.cos * cloud.points[:, 1] + xf.position[1]
    around = cloud.radius + margin_at(cloud, xf)
    lower = float(world_x.min()) - around, float(world_y.min()) - around
    return AABB(lower, (float(world_x.max()) + around, float(world_y.max()) + around))


def refitted_box(local: AABB, xf: Transform) -> AABB:
    """Return the upright box of a local box at a pose.

    Examples
    --------
    >>> box = refitted_box(AABB((-1.0, -1.0), (1.0, 1.0)), Transform((10.0, 0.0), 3.141592653589793 / 4))
    >>> round(box.upper[0], 6)
    11.414214
    """
    middle = 0.5 * (local.lower[0] + local.upper[0]), 0.5 * (local.lower[1] + local.upper[1])
    half = np.maximum(np.subtract(local.upper, middle), np.subtract(middle, local.lower)).tolist()
    x, y = xf.apply(middle)
    reach = max(abs(number) for number in (*local.lower, *local.upper))
    around = BOUNDING_ROUNDING * (abs(xf.position[0]) + abs(xf.position[1]) + 2.0 * reach)  # 2 reach is a bound for the farthest corner
    half_width = abs(xf.cos) * half[0] + abs(xf.sin) * half[1] + around
    half_height = abs(xf.sin) * half[0] + abs(xf.cos) * half[1] + around
    return AABB((x - half_width, y - half_height), (x + half_width, y + half_height))


def box_area(box: AABB) -> float:
    """Return the area, square meters."""
    return (box.upper[0] - box.lower[0]) * (box.upper[1] - box.lower[1])


class Caliper(NamedTuple):
    """A candidate rectangle: the edge from corner `edge` to the next one, its direction, and the corners that touch the other sides."""

    edge: int
    axis: tuple[float, float]
    right: int
    top: int
    left: int
    width: float
    height: float


def least_area_box(points: Points) -> Volume:
    """Return the rectangle of least area around points, or around a shape with its radius; body frame.

    Examples
    --------
    >>> tilted = [(0.0, 0.0), (2.0, 2.0), (1.0, 3.0), (-1.0, 1.0)]
    >>> round(least_area_box(tilted).area, 12)
    4.0
    """
    cloud = cloud_of(points)
    corners, twice = cloud.points, 2.0 * cloud.radius
    if len(corners) == 1:
        return _box_along(cloud, (1.0, 0.0))
    if len(corners) == 2:
        return _box_along(cloud, _direction(corners[0], corners[1]))
    rectangles = list(calipers(corners))
    for caliper in rectangles:
        record(caliper)
    best = min(rectangles, key=lambda caliper: (caliper.width + twice) * (caliper.height + twice))
    return _box_along(cloud, best.axis)


def calipers(corners: FloatArray) -> Iterator[Caliper]:
    """Yield the rectangle on each edge of a strictly convex polygon (n, 2), n >= 3, counter-clockwise, in order."""
    n = len(corners)
    xs, ys = corners[:, 0].tolist(), corners[:, 1].tolist()
    edges = [(xs[(i + 1) % n] - xs[i], ys[(i + 1) % n] - ys[i]) for i in range(n)]
    right = top = left = 0
    for i in range(n):
        ux, uy = _direction(corners[i], corners[(i + 1) % n])
        # indices are not wrapped to 0, so that no caliper is behind the one before it
        right = _moved(edges, max(right, i + 1), (ux, uy), i + n)
        top = _moved(edges, max(top, right), (-uy, ux), i + n)
        left = _moved(edges, max(left, top), (-ux, -uy), i + n)
        r, t, f = right % n, top % n, left % n
        width = ux * (xs[r] - xs[f]) + uy * (ys[r] - ys[f])
        height = ux * (ys[t] - ys[i]) - uy * (xs[t] - xs[i])
        yield Caliper(i, (ux, uy), r, t, f, width, height)


def _moved(edges: list[tuple[float, float]], at: int, direction: tuple[float, float], last: int) -> int:
    """Advance a caliper while the next edge still points along the direction, at most one full turn."""
    dx, dy = direction
    n = len(edges)
    while at < last and dx * edges[at % n][0] + dy * edges[at % n][1] > 0.0:
        at += 1
    return at


def _direction(p: FloatArray, q: FloatArray) -> tuple[float, float]:
    dx, dy = float(q[0] - p[0]), float(q[1] - p[1])
    length = math.hypot(dx, dy)
    return dx / length, dy / length


def _box_along(cloud: Cloud, axis: tuple[float, float]) -> Volume:
    """Return the tight box of a cloud whose width runs along `axis`."""
    ux, uy = axis
    along, across = cloud.points @ np.array((ux, uy)), cloud.points @ np.array((-uy, ux))
    u, v = 0.5 * float(along.min() + along.max()), 0.5 * float(across.min() + across.max())
    around = cloud.radius + BOUNDING_ROUNDING * cloud.extent
    w, h = float(np.abs(along - u).max()) + around, float(np.abs(across - v).max()) + around
    corners = [((u + a * w) * ux - (v + b * h) * uy, (u + a * w) * uy + (v + b * h) * ux) for a, b in _CORNERS]
    return Volume(frozen(np.array(corners)), BOUNDING_ROUNDING * (cloud.extent + w + h))
