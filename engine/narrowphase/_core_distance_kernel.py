"""The distance of two disjoint convex cores in one frame: that of some vertex of one from some edge of the other (`_overlap_kernel`)."""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import borrowing_kernel, inlined_kernel

__all__ = ["core_distance"]


@inlined_kernel
def distance_to_edges(x: float, y: float, vertices: FloatArray) -> float:
    """Return the distance of a point from the nearest edge of a polygon; one vertex is a point."""
    n = vertices.shape[0]
    nearest = np.inf
    for i in range(n):
        ax, ay = vertices[i, 0], vertices[i, 1]
        ex, ey = vertices[(i + 1) % n, 0] - ax, vertices[(i + 1) % n, 1] - ay
        length_sq = ex * ex + ey * ey
        share = 0.0
        if length_sq > 0.0:
            share = min(1.0, max(0.0, ((x - ax) * ex + (y - ay) * ey) / length_sq))
        nearest = min(nearest, math.hypot(x - (ax + share * ex), y - (ay + share * ey)))
    return nearest


@borrowing_kernel
def core_distance(vertices_a: FloatArray, vertices_b: FloatArray) -> float:
    """Return the distance of two disjoint cores in one frame."""
    nearest = np.inf
    for j in range(vertices_b.shape[0]):
        nearest = min(nearest, distance_to_edges(vertices_b[j, 0], vertices_b[j, 1], vertices_a))
    for j in range(vertices_a.shape[0]):
        nearest = min(nearest, distance_to_edges(vertices_a[j, 0], vertices_a[j, 1], vertices_b))
    return nearest
