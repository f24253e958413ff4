"""Clipping in pixels before calling pygame, which overflows beyond 2^31, raises an exception on NaN, and visits every pixel of a long line.

Polygons: Sutherland and Hodgman, "Reentrant polygon clipping", CACM 17, 1974: one half-plane after another. Segments: Liang and
Barsky, "A new concept and method for line clipping", ACM TOG 3, 1984: the parameter interval inside each slab.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["Rectangle", "clip_polygon", "clip_segment", "dashes"]

Rectangle = tuple[float, float, float, float]
"""left, top, right, bottom."""
Point = tuple[float, float]


def clip_segment(a: Point, b: Point, box: Rectangle) -> tuple[Point, Point] | None:
    """Return the part of the segment inside `box`, None if there is none or a number is not finite."""
    if not all(math.isfinite(value) for value in (*a, *b)):
        return None
    enter, leave = 0.0, 1.0
    dx, dy = b[0] - a[0], b[1] - a[1]
    for direction, gap in ((-dx, a[0] - box[0]), (dx, box[2] - a[0]), (-dy, a[1] - box[1]), (dy, box[3] - a[1])):
        if direction == 0.0:
            if gap < 0.0:
                return None
        elif direction < 0.0:
            enter = max(enter, gap / direction)
        else:
            leave = min(leave, gap / direction)
    if enter > leave:
        return None
    return (a[0] + enter * dx, a[1] + enter * dy), (a[0] + leave * dx, a[1] + leave * dy)


def clip_polygon(points: Sequence[Point], box: Rectangle) -> list[Point]:
    """Return the part of a convex polygon inside `box`; empty if there is none or a number is not finite."""
    corners = [(float(x), float(y)) for x, y in points]
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in corners):
        return []
    for axis, limit, side in ((0, box[0], 1.0), (0, box[2], -1.0), (1, box[1], 1.0), (1, box[3], -1.0)):
        corners = _half_plane(corners, axis, limit, side)
        if not corners:
            return []
    return corners


def _half_plane(corners: list[Point], axis: int, limit: float, side: float) -> list[Point]:
    kept: list[Point] = []
    for i, current in enumerate(corners):
        previous = corners[i - 1]
        inside, was_inside = side * (current[axis] - limit) >= 0.0, side * (previous[axis] - limit) >= 0.0
        if inside != was_inside:
            share = (limit - previous[axis]) / (current[axis] - previous[axis])
            other = previous[1 - axis] + share * (current[1 - axis] - previous[1 - axis])
            kept.append((limit, other) if axis == 0 else (other, limit))
        if inside:
            kept.append(current)
    return kept


_MAX_DASHES = 1000


def dashes(a: Point, b: Point, dash: float) -> list[tuple[Point, Point]]:
    """Return the dashes of a line, `dash` pixels long and as far apart."""
    length = math.dist(a, b)
    ends = []
    for k in range(min(int(length / (2.0 * dash)) + 1, _MAX_DASHES)):
        s, t = min(2.0 * dash * k / max(length, 1e-9), 1.0), min(dash * (2.0 * k + 1.0) / max(length, 1e-9), 1.0)
        ends.append(((a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])), (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))))
    return ends
