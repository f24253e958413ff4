"""Hulls of many bodies; see `engine.bounding.hull`.

A row contains the number of corners, the radius, the span (the largest distance of a corner from the first), then the corners in world
coordinates. The separating axis of a pair is not cached: most volumes of a broad phase are disjoint, and one of the first edges separates
them.

Normals are not normalized: an edge's separation from a corner, times the edge's length, is a product of differences. Most edges do not face
the other hull, which any one of its corners proves: the corner that excluded the last edge is tested first for the next, so that hulls of n
corners take about 2 n products, not n^2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.bounding._volumes_kernel import distance_sq
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import BOUNDING_ROUNDING

__all__ = ["hulls_overlap", "posed_hulls"]


@kernel
def posed_hulls(
    first: IntArray, count: IntArray, corners: FloatArray, rounded: FloatArray, which: IntArray, poses: FloatArray, rows: FloatArray
) -> None:
    """Fill `rows` (n, 3 + 2 c): the number of corners, radius, span, x and y of each; `rounded` (s, 3) has radius, reach and span."""
    for row in range(which.shape[0]):
        shape = which[row]
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        n, begin = count[shape], first[shape]
        rows[row, 0] = n
        rows[row, 1] = rounded[shape, 0] + BOUNDING_ROUNDING * (abs(x) + abs(y) + rounded[shape, 1])
        rows[row, 2] = rounded[shape, 2]
        for at in range(n):
            local_x, local_y = corners[begin + at, 0], corners[begin + at, 1]
            rows[row, 3 + 2 * at] = cos * local_x - sin * local_y + x
            rows[row, 4 + 2 * at] = sin * local_x + cos * local_y + y


@inlined_kernel
def _largest_gap(rows: FloatArray, a: int, b: int, limit: float) -> float:
    """Return the largest separation of B from an edge's line of A, or the first that is above the limit.

    A negative result is only an upper bound: one corner of B behind an edge's line suffices, and it is tested first for the next edge.
    """
    n_a, n_b = int(rows[a, 0]), int(rows[b, 0])
    largest, k = -np.inf, 0
    for i in range(n_a):
        j = i + 1 if i + 1 < n_a else 0
        px, py = rows[a, 3 + 2 * i], rows[a, 4 + 2 * i]
        nx, ny = rows[a, 4 + 2 * j] - py, px - rows[a, 3 + 2 * j]
        length = math.sqrt(nx * nx + ny * ny)
        if length == 0.0:  # a single point has no edge, and two corners can coincide if the hull is too far from the world's origin
            continue
        nearest = np.inf
        for _ in range(n_b):
            nearest = min(nearest, nx * (rows[b, 3 + 2 * k] - px) + ny * (rows[b, 4 + 2 * k] - py))
            if nearest < 0.0:
                break
            k = k + 1 if k + 1 < n_b else 0
        largest = max(largest, nearest / length)
        if largest > limit:
            break
    return largest


@inlined_kernel
def _least_distance_sq(rows: FloatArray, a: int, b: int) -> float:
    """Return the least squared distance of a corner of B from an edge of A."""
    n_a, n_b = int(rows[a, 0]), int(rows[b, 0])
    least = np.inf
    for i in range(n_a):
        j = i + 1 if i + 1 < n_a else 0
        px, py, qx, qy = rows[a, 3 + 2 * i], rows[a, 4 + 2 * i], rows[a, 3 + 2 * j], rows[a, 4 + 2 * j]
        for k in range(n_b):
            least = min(least, distance_sq(rows[b, 3 + 2 * k], rows[b, 4 + 2 * k], px, py, qx, qy))
    return least


@kernel
def hulls_overlap(rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Return for pairs (m, 2) of rows whether the closed hulls share a point."""
    overlapping = np.empty(pairs.shape[0], dtype=np.bool_)
    for at in range(pairs.shape[0]):
        a, b = pairs[at, 0], pairs[at, 1]
        radius = rows[a, 1] + rows[b, 1]
        apart = abs(rows[b, 3] - rows[a, 3]) + abs(rows[b, 4] - rows[a, 4])
        limit = radius + BOUNDING_ROUNDING * (apart + rows[a, 2] + rows[b, 2] + radius)
        gap = _largest_gap(rows, a, b, limit)
        if gap <= limit:
            gap = max(gap, _largest_gap(rows, b, a, limit))
        both_solid = rows[a, 0] > 2.0 and rows[b, 0] > 2.0
        if gap > limit:
            overlapping[at] = False
        elif gap <= 0.0 and both_solid:
            overlapping[at] = True
        else:
            near = min(_least_distance_sq(rows, a, b), _least_distance_sq(rows, b, a)) <= limit * limit
            # no corner is near an edge: for two crossing segments, or one inside a polygon, the gap is strictly negative
            overlapping[at] = near or (gap < 0.0 and rows[a, 0] + rows[b, 0] > 2.0)
    return overlapping
