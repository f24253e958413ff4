"""Distance and separating axis of two convex cores in one frame.

The greatest separation s over the outward normals of all edges (see `_sat_kernel`) is the distance, if the nearest vertex is in front of
its edge; in front of a corner it is less than the distance d, but never more::

        :  s = d   :
        :    *     :   *  s < d: two corners are nearest, the axis is the line between them
     ---+==========+---
        |   edge   |

So s suffices if it exceeds `near`, because it is a proven gap and no caller needs more at that distance, and if the nearest vertex is in
front of the edge. Otherwise the vertices are tested against the edges: the nearest points of two disjoint convex cores are a vertex of one
and a point of an edge of the other.

A core can be one point (no edge) or two (a segment, whose two normals do not bound its ends). If either is a polygon of three or more
corners, s <= 0 means that they overlap; two collinear segments have s = 0 at any distance, so only s < -touch means that they cross.

Source: C. Ericson, Real-Time Collision Detection, 2005, 5.1.2 and 5.2.1.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import borrowing_kernel, inlined_kernel, kernel

__all__ = [
    "AXIS_FACE_A",
    "AXIS_FACE_B",
    "AXIS_POINTS",
    "core_axis",
    "core_gap",
    "foremost_face",
    "is_inside",
    "nearest_features",
    "nearest_on_edges",
]

AXIS_FACE_A = 0
AXIS_FACE_B = 1
AXIS_POINTS = 2


@inlined_kernel
def nearest_on_edges(x: float, y: float, vertices: FloatArray) -> tuple[float, float, float]:
    """Return the squared distance of a point from the nearest edge (or the only vertex), and the nearest point."""
    n = vertices.shape[0]
    best, best_x, best_y = np.inf, 0.0, 0.0
    for i in range(n):
        ax, ay = vertices[i, 0], vertices[i, 1]
        next_i = i + 1 if i + 1 < n else 0
        ex, ey = vertices[next_i, 0] - ax, vertices[next_i, 1] - ay
        along, length_sq = (x - ax) * ex + (y - ay) * ey, ex * ex + ey * ey
        share = 0.0
        if along >= length_sq > 0.0:
            share = 1.0
        elif along > 0.0 and length_sq > 0.0:
            share = along / length_sq
        px, py = ax + share * ex, ay + share * ey
        gap_sq = (x - px) * (x - px) + (y - py) * (y - py)
        if gap_sq < best:
            best, best_x, best_y = gap_sq, px, py
    return best, best_x, best_y


@borrowing_kernel
def nearest_features(vertices_a: FloatArray, vertices_b: FloatArray) -> tuple[float, float, float]:
    """Return the distance of two disjoint cores and the unit vector from A's nearest point to B's (0, 0 if they touch)."""
    best, nx, ny = np.inf, 0.0, 0.0
    for j in range(vertices_b.shape[0]):
        x, y = vertices_b[j, 0], vertices_b[j, 1]
        gap_sq, px, py = nearest_on_edges(x, y, vertices_a)
        if gap_sq < best:
            best, nx, ny = gap_sq, x - px, y - py
    if vertices_b.shape[0] > 1:
        for i in range(vertices_a.shape[0]):
            x, y = vertices_a[i, 0], vertices_a[i, 1]
            gap_sq, px, py = nearest_on_edges(x, y, vertices_b)
            if gap_sq < best:
                best, nx, ny = gap_sq, px - x, py - y
    distance = math.sqrt(nx * nx + ny * ny)
    if distance > 0.0:
        nx, ny = nx / distance, ny / distance
    return distance, nx, ny


@inlined_kernel
def foremost_face(vertices: FloatArray, normals: FloatArray, others: FloatArray) -> tuple[float, int]:
    """Return the greatest separation over all edges and the first edge with it; see `_sat_kernel.max_separation`.

    Here the edge's offset is subtracted once, from the nearest of the `others`: a third fewer operations, and rounding as large as that of
    the positions themselves.
    """
    best, best_edge = -np.inf, 0
    for edge in range(vertices.shape[0]):
        nx, ny = normals[edge, 0], normals[edge, 1]
        nearest = np.inf
        for j in range(others.shape[0]):
            along = nx * others[j, 0] + ny * others[j, 1]
            if along < nearest:
                nearest = along
        separation = nearest - (nx * vertices[edge, 0] + ny * vertices[edge, 1])
        if separation > best:
            best, best_edge = separation, edge
    return best, best_edge


@inlined_kernel
def is_in_front(vertices: FloatArray, normals: FloatArray, edge: int, others: FloatArray) -> bool:
    """Return whether the nearest of the `others` to the line of an edge is in front of the edge itself."""
    vx, vy, nx, ny = vertices[edge, 0], vertices[edge, 1], normals[edge, 0], normals[edge, 1]
    next_edge = edge + 1 if edge + 1 < vertices.shape[0] else 0
    ex, ey = vertices[next_edge, 0] - vx, vertices[next_edge, 1] - vy
    nearest, px, py = np.inf, 0.0, 0.0
    for j in range(others.shape[0]):
        x, y = others[j, 0], others[j, 1]
        if nx * x + ny * y < nearest:
            nearest, px, py = nx * x + ny * y, x, y
    along = ex * (px - vx) + ey * (py - vy)
    return bool(0.0 <= along <= ex * ex + ey * ey)


@inlined_kernel
def core_axis(
    vertices_a: FloatArray, normals_a: FloatArray, vertices_b: FloatArray, normals_b: FloatArray, near: float, touch: float
) -> tuple[float, float, float, int, int]:
    """Return a gap, its unit axis from A to B, and the features that define the axis: a face and its index, or two points.

    The gap is the distance if it is at most `near`, and otherwise a lower bound of it greater than `near`; it is negative if the cores
    overlap.
    """
    n_a, n_b = vertices_a.shape[0], vertices_b.shape[0]
    gap, side, edge = -np.inf, AXIS_POINTS, 0
    if n_a > 1:
        gap, edge = foremost_face(vertices_a, normals_a, vertices_b)
        side = AXIS_FACE_A
    if n_b > 1:
        gap_b, edge_b = foremost_face(vertices_b, normals_b, vertices_a)
        if gap_b > gap:
            gap, side, edge = gap_b, AXIS_FACE_B, edge_b
    nx, ny = 0.0, 0.0
    if side == AXIS_FACE_A:
        nx, ny = normals_a[edge, 0], normals_a[edge, 1]
    elif side == AXIS_FACE_B:
        nx, ny = -normals_b[edge, 0], -normals_b[edge, 1]
    is_solid = n_a > 2 or n_b > 2
    if side != AXIS_POINTS and (gap > near or gap < -touch or (is_solid and gap <= 0.0)):
        return gap, nx, ny, side, edge
    if gap > touch:
        if side == AXIS_FACE_A and is_in_front(vertices_a, normals_a, edge, vertices_b):
            return gap, nx, ny, side, edge
        if side == AXIS_FACE_B and is_in_front(vertices_b, normals_b, edge, vertices_a):
            return gap, nx, ny, side, edge
    distance, toward_x, toward_y = nearest_features(vertices_a, vertices_b)
    # behind the face by no more than rounding: the face is the better axis, as it does not change as the shapes rotate
    if side != AXIS_POINTS and (distance <= gap + touch or distance <= touch):
        return max(gap, distance), nx, ny, side, edge
    return distance, toward_x, toward_y, AXIS_POINTS, 0


@kernel
def core_gap(vertices_a: FloatArray, normals_a: FloatArray, vertices_b: FloatArray, normals_b: FloatArray, touch: float) -> float:
    """Return the distance of two cores, negative if they overlap."""
    return core_axis(vertices_a, normals_a, vertices_b, normals_b, np.inf, touch)[0]


@inlined_kernel
def is_inside(vertices: FloatArray, normals: FloatArray, radius: float, x: float, y: float, touch: float) -> bool:
    """Return whether a point is in the core or within `radius` of it, including the boundary and points beyond it by up to `touch`.

    If the point is behind all edges or in front of one only by rounding, its distance from the edges decides: in front of a sharp corner
    the lines of both edges are near, but the polygon is not.
    """
    n, near = vertices.shape[0], radius + touch
    if n > 2:
        farthest = -np.inf
        for i in range(n):
            farthest = max(farthest, normals[i, 0] * (x - vertices[i, 0]) + normals[i, 1] * (y - vertices[i, 1]))
        if farthest < -touch:
            return True
        if farthest > near:
            return False
        near += max(0.0, -farthest)
    _, px, py = nearest_on_edges(x, y, vertices)
    return math.hypot(x - px, y - py) <= near
