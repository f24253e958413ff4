"""Distance and nearest points of two disjoint convex cores in one frame. The nearest points include a vertex of one core
(`_overlap_kernel`), so each vertex is tested against the other's edges.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import borrowing_kernel, inlined_kernel

__all__ = ["core_distance", "nearest_points"]


@inlined_kernel
def nearest_on_edges(x: float, y: float, vertices: FloatArray) -> tuple[float, float, float, int]:
    """Return the distance of a point from a core's outline, the nearest point on it, and the vertex at or before that."""
    n = vertices.shape[0]
    nearest, nearest_x, nearest_y, nearest_vertex = np.inf, 0.0, 0.0, 0
    for i in range(n):
        after = (i + 1) % n
        ax, ay = vertices[i, 0], vertices[i, 1]
        ex, ey = vertices[after, 0] - ax, vertices[after, 1] - ay
        length_sq = ex * ex + ey * ey
        share = 0.0
        if length_sq > 0.0:
            share = min(1.0, max(0.0, ((x - ax) * ex + (y - ay) * ey) / length_sq))
        px, py = ax + share * ex, ay + share * ey
        distance = math.hypot(x - px, y - py)
        if distance < nearest:
            nearest, nearest_x, nearest_y, nearest_vertex = distance, px, py, (i if share < 1.0 else after)
    return nearest, nearest_x, nearest_y, nearest_vertex


@borrowing_kernel
def core_distance(vertices_a: FloatArray, vertices_b: FloatArray) -> float:
    """Return the distance of two disjoint cores in one frame."""
    nearest = np.inf
    for j in range(vertices_b.shape[0]):
        nearest = min(nearest, nearest_on_edges(vertices_b[j, 0], vertices_b[j, 1], vertices_a)[0])
    for i in range(vertices_a.shape[0]):
        nearest = min(nearest, nearest_on_edges(vertices_a[i, 0], vertices_a[i, 1], vertices_b)[0])
    return nearest


@borrowing_kernel
def nearest_points(vertices_a: FloatArray, vertices_b: FloatArray, pair: FloatArray) -> tuple[float, int, int]:
    """Return the same distance, and the vertices at or before the nearest points, which fill the first two rows of `pair`."""
    nearest, at_a, at_b = np.inf, 0, 0
    for j in range(vertices_b.shape[0]):
        bx, by = vertices_b[j, 0], vertices_b[j, 1]
        distance, x, y, vertex = nearest_on_edges(bx, by, vertices_a)
        if distance < nearest:
            nearest, at_a, at_b = distance, vertex, j
            pair[0, 0], pair[0, 1], pair[1, 0], pair[1, 1] = x, y, bx, by
    for i in range(vertices_a.shape[0]):
        ax, ay = vertices_a[i, 0], vertices_a[i, 1]
        distance, x, y, vertex = nearest_on_edges(ax, ay, vertices_b)
        if distance < nearest:
            nearest, at_a, at_b = distance, i, vertex
            pair[0, 0], pair[0, 1], pair[1, 0], pair[1, 1] = ax, ay, x, y
    return nearest, at_a, at_b
