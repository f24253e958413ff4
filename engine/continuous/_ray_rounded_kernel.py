"""The time at which a ray hits a rounded convex polygon, the set of points within r of P, and the surface normal there.

The point t w moves from the origin::

              _______________
             /               \\          rounded P: edges shifted out by r,
         ray ----> * entry    |         joined by arcs of radius r about the corners
            |     +-------+   |
            |     |   P   |   |
            |     +-------+   |
             \\_______________/

It is convex, so the intersection with the ray is one interval, whose ends are the least and the greatest of all times at which the ray
crosses a shifted edge between its ends or a circle around a corner (a crossing of a circle's inner half is within the interval and has no
effect).

That gives the time, but not the feature: at e from the end of a shifted edge the circle is only e^2 / 2r behind it, so for e up to sqrt(2 r
touch), 1e-8 m, rounding decides which of the two is crossed first, and the circle's normal has an error of e / r. So the normal is computed
from the point p = t_first w instead, by the feature of P nearest to it::

          n |  along   |  n       beside an edge (within rounding), and before it: the edge's own normal
            |    p     | /
         ---+==========+          else the nearest corner c: (p - c) / |p - c|, with the contact at the corner of A that c was made of
           c    edge    c

This direction is as accurate as the point: an error of u in p rotates it by at most u / r. At a point within rounding of P itself (r = 0,
the end of a segment without a radius) the direction is undefined, and the normal is against the ray.

The circle's quadratic |c + t w|^2 = r^2 in its stable form: with the time of closest approach t0 = -c.w / w.w and the perpendicular
distance (c x w) / |w|, half the chord takes h = sqrt(r^2 w.w - (c x w)^2) / w.w. The cross product keeps its digits, whereas the textbook
discriminant (c.w)^2 - w.w (c.c - r^2) subtracts two nearly equal squares.

Source: C. Ericson, Real-Time Collision Detection, 2005, 5.5.2 to 5.5.6.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, Point
from engine.common.events import record
from engine.common.jit import borrowing_kernel
from engine.common.tolerances import SAT_ROUNDING

__all__ = ["RoundedCorner", "RoundedEdge", "RoundedEnd", "facing", "ray_rounded"]


class RoundedEdge(NamedTuple):
    """An edge, its first corner relative to the start of the moving point, its normal and length; n.w; t and the coordinate along the edge
    of the crossing, all three NaN if n.w is 0; and the times so far.
    """

    edge: int
    vertex: Point
    n: Point
    length: float
    rate: float
    t: float
    along: float
    first: float
    last: float


class RoundedCorner(NamedTuple):
    """A corner and its position; the distance of the path, the time when it is nearest, half that of the chord (NaN: no crossing)."""

    corner: int
    vertex: Point
    away: float
    nearest: float
    half: float
    first: float
    last: float


class RoundedEnd(NamedTuple):
    """The times of the entry and the exit, and the normal and the corner (-1 for an edge) of the entry."""

    first: float
    last: float
    n: Point
    corner: int


@borrowing_kernel
def ray_rounded(
    polygon: FloatArray, normals: FloatArray, radius: float, wx: float, wy: float, touch: float
) -> tuple[float, float, float, float, int]:
    """Return the times at which the point t w enters and leaves the rounded `polygon`; the outward normal and the corner at the entry.

    The corner is -1 beside an edge. `normals` are those of the edges from each corner to the next.
    """
    n = polygon.shape[0]
    t_first, t_last = np.inf, -np.inf
    speed_sq = wx * wx + wy * wy
    speed = math.sqrt(speed_sq)
    for i in range(n):
        vx, vy = polygon[i, 0], polygon[i, 1]
        out_x, out_y = normals[i, 0], normals[i, 1]
        rate = out_x * wx + out_y * wy
        if rate != 0.0:
            after = i + 1 if i + 1 < n else 0
            length = out_x * (polygon[after, 1] - vy) - out_y * (polygon[after, 0] - vx)
            t = (radius + out_x * vx + out_y * vy) / rate
            along = out_x * (t * wy - vy) - out_y * (t * wx - vx)
            if 0.0 <= along <= length:
                t_last = max(t_last, t)
                if rate < 0.0:
                    t_first = min(t_first, t)
            record(RoundedEdge(i, (vx, vy), (out_x, out_y), length, rate, t, along, t_first, t_last))
        else:
            record(RoundedEdge(i, (vx, vy), (out_x, out_y), np.nan, rate, np.nan, np.nan, t_first, t_last))
        aside = vx * wy - vy * wx
        if abs(aside) <= (radius + touch) * speed:
            half = math.sqrt(max(0.0, radius * radius * speed_sq - aside * aside)) / speed_sq
            nearest = (vx * wx + vy * wy) / speed_sq
            t_last = max(t_last, nearest + half)
            t_first = min(t_first, nearest - half)
            record(RoundedCorner(i, (vx, vy), abs(aside) / speed, nearest, half, t_first, t_last))
        else:
            nearest = (vx * wx + vy * wy) / speed_sq
            record(RoundedCorner(i, (vx, vy), abs(aside) / speed, nearest, np.nan, t_first, t_last))
    if t_first > t_last:
        record(RoundedEnd(t_first, t_last, (np.nan, np.nan), -1))
        return t_first, t_last, 0.0, 0.0, -1
    nx, ny, corner = facing(polygon, normals, radius, t_first * wx, t_first * wy, wx, wy, touch)
    record(RoundedEnd(t_first, t_last, (nx, ny), corner))
    return t_first, t_last, nx, ny, corner


@borrowing_kernel
def facing(
    polygon: FloatArray, normals: FloatArray, radius: float, x: float, y: float, wx: float, wy: float, touch: float
) -> tuple[float, float, int]:
    """Return the outward normal of the rounded `polygon` at the point (x, y) where a ray along w enters, and the corner, or -1.

    A point beside an edge and within rounding of its line is that near to P, so with a radius it is in front of the right edge only.
    Without a radius, the foremost edge is selected. An edge parallel to the ray within rounding cannot be the entry.
    """
    n = polygon.shape[0]
    speed = math.sqrt(wx * wx + wy * wy)
    nx, ny = 0.0, 0.0
    foremost = 0.0 if radius > touch else -np.inf
    nearest_sq, nearest = np.inf, 0
    is_edge = False
    for i in range(n):
        off_x, off_y = x - polygon[i, 0], y - polygon[i, 1]
        off_sq = off_x * off_x + off_y * off_y
        if off_sq < nearest_sq:
            nearest_sq, nearest = off_sq, i
        out_x, out_y = normals[i, 0], normals[i, 1]
        ahead = out_x * off_x + out_y * off_y
        if out_x * wx + out_y * wy < -SAT_ROUNDING * speed and ahead > foremost:
            after = i + 1 if i + 1 < n else 0
            along = out_x * off_y - out_y * off_x
            beyond = out_x * (y - polygon[after, 1]) - out_y * (x - polygon[after, 0])
            if along >= -touch and beyond <= touch:
                is_edge = True
                foremost, nx, ny = ahead, out_x, out_y
    if is_edge:
        return nx, ny, -1
    nx, ny = x - polygon[nearest, 0], y - polygon[nearest, 1]
    reach = math.hypot(nx, ny)
    if reach > touch:
        return nx / reach, ny / reach, nearest
    return -wx / speed, -wy / speed, nearest
