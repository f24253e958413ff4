"""The bounding capsule: everything within a radius of a segment. It suits limbs and other elongated shapes.

Overlap needs one distance between two segments, whatever the capsules' angles: zero if they cross, otherwise from one of the four ends to
the other segment::

        *-------*           crossing: 0
              *             else the least of the four:  end -> other segment
             /
            *

**Least area.** Every segment defines a capsule that contains the points, with the distance of the farthest one as its radius; its area is
``pi r^2 + 2 r |p2 - p1|``. So there are four unknowns. Unlike calipers for a box, there is no closed form: a radius larger than half the
width can be better, because the caps then extend farther over the corners. So many directions are tried (every edge of the hull, and evenly
spaced ones), each with radii from half the width to half the diagonal; and from the best few starting points, a direct search moves the
ends. The maximum of many distances has creases, where a search along fixed directions stops (a triangle's capsule stayed 0.4 % too large);
so new random directions, with a fixed seed, are used in every iteration. It ends when the step is `CAPSULE_CONVERGENCE` of the extent.
docs/algorithms/bounding.md has measured distances from the optimum. The capsule contains the points in any case.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 4.5; C. Audet, J. E. Dennis, "Mesh adaptive direct search algorithms for
constrained optimization", 2006 (why the directions must not be fixed).
"""

from __future__ import annotations

import math

import numpy as np

from engine.bounding.circles import smallest_circle
from engine.bounding.cloud import Points, cloud_of
from engine.bounding.volume import Volume
from engine.common.arrays import FloatArray, frozen
from engine.common.rng import stream
from engine.common.tolerances import BOUNDING_ROUNDING, CAPSULE_CONVERGENCE

__all__ = ["capsule_around", "least_area_capsule"]

_EVEN_DIRECTIONS = 24
_RADII = 12
_STARTS = 3
"""Number of best starting points that are improved."""
_FIRST_STEP = 0.1
"""First step of the search, as a fraction of the size."""
_SHRINK = 0.7
_DRAWN = 32
"""Number of random directions per iteration of the search."""
_MAX_TURNS = 400

Point = tuple[float, float]


def least_area_capsule(points: Points) -> Volume:
    """Return a capsule of nearly the least area around points, or around a shape with its radius; body frame.

    Examples
    --------
    >>> rod = least_area_capsule([(-2.0, -0.1), (2.0, -0.1), (2.0, 0.1), (-2.0, 0.1)])
    >>> 0.1 < rod.radius < 0.15 and bool(abs(rod.core[0, 1]) < 1e-4)
    True
    """
    cloud = cloud_of(points)
    middle = 0.5 * (cloud.points.min(axis=0) + cloud.points.max(axis=0))
    near = cloud.points - middle
    circle = smallest_circle(near)
    disc = np.tile(circle.core[0], 2)
    best, least = disc, float(_area(disc, near, cloud.radius))
    if len(near) == 2:
        best, least = near.reshape(4), float(_area(near.reshape(4), near, cloud.radius))
    for start in _starts(near, cloud.radius):
        ends, area = _improved(start, near, cloud.radius)
        if area < least:
            best, least = ends, area
    x, y = middle.tolist()
    return capsule_around(cloud, (float(best[0]) + x, float(best[1]) + y), (float(best[2]) + x, float(best[3]) + y))


def capsule_around(points: Points, p1: Point, p2: Point) -> Volume:
    """Return the smallest capsule with this segment as its core."""
    cloud = cloud_of(points)
    away = float(_away(np.array([*p1, *p2]), cloud.points))
    scale = cloud.extent + math.hypot(*p1) + math.hypot(*p2)
    return Volume(frozen(np.array([p1, p2])), away + cloud.radius + BOUNDING_ROUNDING * scale)


def _starts(points: FloatArray, radius: float) -> list[FloatArray]:
    """Return the ends (4,) of the best capsules on many directions, with many radii on each.

    A point at distance v from the strip's axis is inside a cap of radius r if the segment begins at or before its u + sqrt(r^2 - v^2); so
    the segment extends from the minimum of these to the maximum of u - sqrt(r^2 - v^2).
    """
    edges = np.roll(points, -1, axis=0) - points
    angles = np.concatenate((np.arctan2(edges[:, 1], edges[:, 0]), np.arange(_EVEN_DIRECTIONS) * (math.pi / _EVEN_DIRECTIONS)))
    best: list[tuple[float, int, FloatArray]] = []
    for at, (ux, uy) in enumerate(np.column_stack((np.cos(angles), np.sin(angles))).tolist()):
        along, across = points @ np.array((ux, uy)), points @ np.array((-uy, ux))
        v = 0.5 * float(across.min() + across.max())
        half_width, half_length = float(np.abs(across - v).max()), 0.5 * float(along.max() - along.min())
        radii = np.linspace(half_width, math.hypot(half_width, half_length), _RADII)
        caps = np.sqrt(np.maximum(radii[:, None] ** 2 - (across - v) ** 2, 0.0))
        begins, ends = (along + caps).min(axis=1), (along - caps).max(axis=1)
        lengths = np.maximum(ends - begins, 0.0)
        areas = math.pi * (radii + radius) ** 2 + 2.0 * (radii + radius) * lengths
        k = int(np.argmin(areas))
        u1, u2 = (begins[k], ends[k]) if lengths[k] > 0.0 else (0.5 * (begins[k] + ends[k]),) * 2
        start = np.array((u1 * ux - v * uy, u1 * uy + v * ux, u2 * ux - v * uy, u2 * uy + v * ux))
        best.append((float(areas[k]), at, start))
    return [start for _, _, start in sorted(best, key=lambda one: one[:2])[:_STARTS]]


def _improved(start: FloatArray, points: FloatArray, radius: float) -> tuple[FloatArray, float]:
    """Move the ends while the area decreases along a tried direction, with a growing step; then use a smaller step."""
    rng = stream(0, "least capsule")
    size = float(np.abs(points).max())
    step, ends, area = _FIRST_STEP * size, start, float(_area(start, points, radius))
    for _ in range(_MAX_TURNS):
        if step <= CAPSULE_CONVERGENCE * size:
            break
        directions = np.concatenate((_FIXED, rng.normal(size=(_DRAWN, 4))))
        tried = ends + step * directions
        areas = _area(tried, points, radius)
        k = int(np.argmin(areas))
        if areas[k] < area:
            ends, area = tried[k], float(areas[k])
        else:
            step *= _SHRINK
    return ends, area


_TOGETHER = np.array([(1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 1.0), (1.0, 0.0, -1.0, 0.0), (0.0, 1.0, 0.0, -1.0)])
_FIXED = np.concatenate((np.eye(4), -np.eye(4), _TOGETHER, -_TOGETHER))
"""Directions: each coordinate alone, both ends together, and both ends toward each other."""


def _area(ends: FloatArray, points: FloatArray, radius: float) -> FloatArray:
    """Return the area of the capsules around points for ends (..., 4)."""
    away = _away(ends, points) + radius
    length = np.hypot(ends[..., 2] - ends[..., 0], ends[..., 3] - ends[..., 1])
    areas: FloatArray = math.pi * away * away + 2.0 * away * length
    return areas


def _away(ends: FloatArray, points: FloatArray) -> FloatArray:
    """Return the distance of the farthest point from the segments with ends (..., 4)."""
    p, q = ends[..., None, :2], ends[..., None, 2:]
    core, to = q - p, points - p
    length_sq = (core * core).sum(axis=-1)
    share = np.clip((to * core).sum(axis=-1) / np.where(length_sq > 0.0, length_sq, 1.0), 0.0, 1.0)
    off = to - share[..., None] * core
    farthest: FloatArray = np.hypot(off[..., 0], off[..., 1]).max(axis=-1)
    return farthest
