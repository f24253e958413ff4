"""The first intersection of a ray with a shape, and whether a shape contains a point.

All quantities are in the shape's frame, with the ray's start p and its translation w; the shape is the set of points within r of its convex
core.

A polygon without a radius (r = 0): the ray is clipped to each edge's half-plane, and the remainder is the part inside::

            |        |
    p --->--[========]---> p + w       in at the last of the entries, out at the first of the exits
            |        |

Exactly through a corner the last entry *is* the first exit, and rounding decides which comes first. So the half-planes are moved out by the
rounding to decide whether the ray hits the polygon and at which edge, and the hit point is then computed from that edge itself. (Not from
all edges: a ray along an edge, slightly outside it, could cross that edge's line anywhere.)

Two lines at an angle a, each moved out by u, intersect u / sin(a / 2) before their corner, which exceeds any rounding if the corner is
sharp: 8 m before the tip of a sliver 1e-9 as high as wide, 1,000 km from the origin. Moving all points of a shape by u moves its boundary
by u, tips included; so a hit is valid only if it is within rounding of the polygon itself::

        ------------___________  pushed out
    =======================____ ```---.
      sliver             tip  *       .>   u / sin(a / 2) before the tip
    =======================```` ___---`
        ------------```````````

It is valid if the point is beside the edge from which it was computed. Otherwise it can still be that near to the next edge; if not, the
point of closest approach, ends included, is computed for each edge that faces the ray: the first of them within rounding of the ray is the
hit. Then every hit is within `GRAZE_ROUNDINGS` of the polygon for any angles, and no ray through the polygon is missed, because it passes
through an edge that faces it.

All other shapes are rounded; for them `_ray_rounded_kernel` intersects the shifted edges and the circles around the corners, each by the
quadratic in its stable form. A circle is one corner, a capsule two.

A shape contains a point if that is clearly behind all edges of the core, or within r of the nearest edge.

Sources: M. Cyrus, J. Beck, "Generalized two- and three-dimensional clipping", 1978; C. Ericson, Real-Time Collision Detection, 2005,
5.3.2, 5.3.8.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import borrowing_kernel, inlined_kernel, kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.continuous._core_kernel import is_inside, nearest_on_edges
from engine.continuous._ray_rounded_kernel import ray_rounded
from engine.contracts.status import HIT, MISS, OVERLAPPING
from engine.narrowphase._sides_kernel import Arrays, Shapes, Side, most_vertices, side_of

__all__ = ["RAY_SIZE", "RayEdge", "RayEntered", "RayPassed", "RaySettled", "RayStart", "contains_points", "ray_casts"]


class RayStart(NamedTuple):
    """Whether the ray starts inside, and the rounding of a distance; the events' times are in [0, 1] along the ray."""

    is_inside: bool
    touch: float


class RayEdge(NamedTuple):
    """An edge: the distance of the start in front of it, n.w, the time t at which its line, moved out, is crossed (NaN if n.w is 0), and
    the entry and exit so far.
    """

    edge: int
    in_front: float
    rate: float
    t: float
    entry: float
    exit: float


class RayEntered(NamedTuple):
    """The edge and the time of the entry, and the clipped line."""

    edge: int
    t: float
    entry: float
    exit: float


class RayPassed(NamedTuple):
    """Nothing remains of the clipped line, or only a part behind the start."""

    entry: float
    exit: float


class RaySettled(NamedTuple):
    """The point was past the end of the entry's edge: its time before and after the second test, infinite for nowhere."""

    edge: int
    before: float
    after: float


# fraction, world point, world normal
RAY_SIZE = 5

GRAZE_ROUNDINGS = 2.0
"""Rounding, in multiples of the touch: the distance from a corner of 60 degrees at which two planes moved out by the touch intersect."""


@inlined_kernel
def into_frame(pose: FloatArray, x: float, y: float) -> tuple[float, float]:
    """Transform a world point to the frame of a pose x, y, cos, sin."""
    dx, dy = x - pose[0], y - pose[1]
    return pose[2] * dx + pose[3] * dy, pose[2] * dy - pose[3] * dx


@inlined_kernel
def point_rounding(pose: FloatArray, extent: float, x: float, y: float) -> float:
    """Return the rounding of a point's distance from a shape, meters."""
    return float(SAT_ROUNDING * (abs(pose[0]) + abs(pose[1]) + abs(x) + abs(y) + extent))


@borrowing_kernel
def settle(
    vertices: FloatArray, normals: FloatArray, px: float, py: float, wx: float, wy: float, touch: float, t: float, nx: float, ny: float
) -> tuple[float, float, float]:
    """Return the time t of a point past the end of its edge, and its normal, if the point is still near the polygon; otherwise the time of
    closest approach to the first edge facing the ray that it passes within `touch`, and that edge's normal.
    """
    if t >= 0.0 and nearest_on_edges(px + t * wx, py + t * wy, vertices)[0] <= GRAZE_ROUNDINGS * touch * GRAZE_ROUNDINGS * touch:
        return t, nx, ny
    first = np.inf
    speed_sq = wx * wx + wy * wy
    speed = math.sqrt(speed_sq)
    for edge in range(vertices.shape[0]):
        out_x, out_y = normals[edge, 0], normals[edge, 1]
        rate = out_x * wx + out_y * wy
        if rate < 0.0:
            after = edge + 1 if edge + 1 < vertices.shape[0] else 0
            vx, vy = vertices[edge, 0] - px, vertices[edge, 1] - py
            length = out_x * (vertices[after, 1] - vertices[edge, 1]) - out_y * (vertices[after, 0] - vertices[edge, 0])
            # coordinate of the crossing along the edge from its first corner, clamped to its ends
            time = (out_x * vx + out_y * vy) / rate
            along = min(length, max(0.0, out_x * (time * wy - vy) - out_y * (time * wx - vx)))
            x, y = vx - along * out_y, vy + along * out_x
            time = (x * wx + y * wy) / speed_sq
            if abs(x * wy - y * wx) <= touch * speed and time * speed >= -touch and time < first:
                first, nx, ny = max(0.0, time), out_x, out_y
    return first, nx, ny


@borrowing_kernel
def clip_ray(
    vertices: FloatArray, normals: FloatArray, px: float, py: float, wx: float, wy: float, touch: float
) -> tuple[float, float, float]:
    """Return the time at which the ray enters a polygon, and the normal of the edge there; infinite if it does not."""
    entry, exit_time, true_entry = -np.inf, np.inf, -np.inf
    nx, ny, entered = 0.0, 0.0, 0
    for edge in range(vertices.shape[0]):
        out_x, out_y = normals[edge, 0], normals[edge, 1]
        in_front = out_x * (px - vertices[edge, 0]) + out_y * (py - vertices[edge, 1])
        rate = out_x * wx + out_y * wy
        if rate == 0.0:
            if in_front > touch:
                record(RayEdge(edge, in_front, rate, np.nan, entry, exit_time))
                record(RayPassed(entry, exit_time))
                return np.inf, nx, ny
        elif rate > 0.0:
            exit_time = min(exit_time, (touch - in_front) / rate)
        else:
            if (touch - in_front) / rate > entry:
                entry, nx, ny, entered = (touch - in_front) / rate, out_x, out_y, edge
                true_entry = -in_front / rate
        crossing = (touch - in_front) / rate if rate != 0.0 else np.nan
        record(RayEdge(edge, in_front, rate, crossing, entry, exit_time))
    if entry > exit_time or exit_time < 0.0:
        record(RayPassed(entry, exit_time))
        return np.inf, nx, ny
    t = max(entry, min(true_entry, exit_time))
    record(RayEntered(entered, t, entry, exit_time))
    # beside the edge, or at a corner that is not sharp: otherwise the planes alone are not sufficient
    x, y, near = px + t * wx, py + t * wy, GRAZE_ROUNDINGS * touch
    after = entered + 1 if entered + 1 < vertices.shape[0] else 0
    along = nx * (y - vertices[entered, 1]) - ny * (x - vertices[entered, 0])
    beyond = nx * (y - vertices[after, 1]) - ny * (x - vertices[after, 0])
    if t >= 0.0 and along >= -near and beyond <= near:
        return t, nx, ny
    settled, nx, ny = settle(vertices, normals, px, py, wx, wy, touch, t, nx, ny)
    record(RaySettled(entered, t, settled))
    return settled, nx, ny


@inlined_kernel
def ray_cast(shape: Side, origin: FloatArray, translation: FloatArray, around: FloatArray, result: FloatArray) -> int:
    """Fill `result` (`RAY_SIZE`,) and return HIT, MISS or OVERLAPPING for a start inside; `around` (n, 2) is scratch."""
    vertices, normals, radius, pose = shape.vertices, shape.normals, shape.radius, shape.pose
    touch = point_rounding(pose, shape.extent, origin[0], origin[1])
    px, py = into_frame(pose, origin[0], origin[1])
    tx, ty = translation[0], translation[1]
    wx, wy = pose[2] * tx + pose[3] * ty, pose[2] * ty - pose[3] * tx
    result[:] = 0.0
    starts_inside = is_inside(vertices, normals, radius, px, py, touch)
    record(RayStart(starts_inside, touch))
    if starts_inside:
        result[1], result[2] = origin[0], origin[1]
        return OVERLAPPING
    result[0] = np.inf
    length = math.hypot(wx, wy)
    if length == 0.0:
        return MISS
    n = vertices.shape[0]
    if radius == 0.0 and n > 2:
        t, nx, ny = clip_ray(vertices, normals, px, py, wx, wy, touch)
    else:
        for i in range(n):
            around[i, 0], around[i, 1] = vertices[i, 0] - px, vertices[i, 1] - py
        t, t_last, nx, ny, _ = ray_rounded(around[:n], normals, radius, wx, wy, touch)
        if t > t_last:
            t = np.inf
        if radius == 0.0 and n == 2:
            # a segment without a radius is hit on a side, even at its very end, unless the ray is along it
            across = normals[0, 0] * wx + normals[0, 1] * wy
            if abs(across) > SAT_ROUNDING * length:
                side = 1 if across > 0.0 else 0
                nx, ny = normals[side, 0], normals[side, 1]
    if t < 0.0 or not (t - 1.0) * length <= touch:
        return MISS
    t = min(t, 1.0)
    result[0] = t
    result[1], result[2] = origin[0] + t * tx, origin[1] + t * ty
    result[3], result[4] = pose[2] * nx - pose[3] * ny, pose[3] * nx + pose[2] * ny
    return HIT


@inlined_kernel
def ray_cast_row(
    shapes: Shapes, indices: IntArray, poses: FloatArray, origins: FloatArray, translations: FloatArray, row: int, around: FloatArray,
    results: FloatArray,
) -> int:  # fmt: skip
    """Fill a row of `results` and return its status."""
    return ray_cast(side_of(shapes, indices[row], poses, row), origins[row], translations[row], around, results[row])


@kernel
def ray_casts(
    packed: Arrays, indices: IntArray, poses: FloatArray, origins: FloatArray, translations: FloatArray, status: IntArray,
    results: FloatArray,
) -> None:  # fmt: skip
    """Fill a row of `status` and `results` for each shape in `indices`, at its pose, and its ray."""
    shapes, around = Shapes(*packed), np.empty((most_vertices(packed[2]), 2))
    for row in range(indices.shape[0]):
        status[row] = ray_cast_row(shapes, indices, poses, origins, translations, row, around, results)


@inlined_kernel
def contains_row(shapes: Shapes, indices: IntArray, poses: FloatArray, points: FloatArray, row: int) -> bool:
    """Return whether a row's shape contains its point."""
    shape = side_of(shapes, indices[row], poses, row)
    touch = point_rounding(shape.pose, shape.extent, points[row, 0], points[row, 1])
    x, y = into_frame(shape.pose, points[row, 0], points[row, 1])
    return is_inside(shape.vertices, shape.normals, shape.radius, x, y, touch)


@kernel
def contains_points(packed: Arrays, indices: IntArray, poses: FloatArray, points: FloatArray, contained: IntArray) -> None:
    """Fill a row, 1 or 0, for each shape in `indices`, at its pose, and its point."""
    shapes = Shapes(*packed)
    for row in range(indices.shape[0]):
        contained[row] = 1 if contains_row(shapes, indices, poses, points, row) else 0
