"""Two more forms of the separating axis test, for cores with radii: one tests every axis, the other last frame's axis first.

**Every axis.** Two disjoint rounded shapes are separated by the normal of an edge of either core or, if two corners are nearest, by the
line between them (`_core_manifold_kernel`). The plain form projects both cores on all these axes, one for each edge and each pair of
corners, and compares the intervals, widened by the radii. It tests n + m + n m axes and is hard to get wrong.

**Last frame's axis.** Most pairs from a broad phase are disjoint, and the axis that separates them now also did a frame ago, because shapes
move little in 1/60 s. So the axis is cached as a *feature* (edge of A, edge of B or pair of corners), not as a direction, and rotates with
the shapes. If it still separates them, a single projection suffices. If an edge's axis no longer does, the shapes may have rotated further,
and the search continues with its neighbors, and from the better one in the same direction while the separation grows. Only if none of these
axes separates them does the full test run. The best axis is cached::

        frame 1            frame 2            frame 3
        all axes           1 axis             1 axis, fails, then its neighbors, then all
          |  /\\              |  /\\              /\\
        a |  \\/ b          a | \\/ b          a \\/ b

Axes are numbered: edges of A from 0, then edges of B, then pairs of corners (i, j) as i m + j.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 5.2.2 ("caching"); D. Gregorius, "The Separating Axis Test between
Convex Polyhedra", GDC 2013.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, kernel
from engine.narrowphase._core_manifold_kernel import find_axis
from engine.narrowphase._sat_kernel import SatRemembered, SatStart, face_separation

__all__ = ["NO_AXIS", "overlap_cached"]

NO_AXIS = -1
"""No axis is cached."""


@inlined_kernel
def gap_along(vertices_a: FloatArray, vertices_b: FloatArray, nx: float, ny: float) -> float:
    """Return the gap between the end of A's projection on n and the beginning of B's."""
    high_a, low_b = -np.inf, np.inf
    for i in range(vertices_a.shape[0]):
        high_a = max(high_a, nx * vertices_a[i, 0] + ny * vertices_a[i, 1])
    for j in range(vertices_b.shape[0]):
        low_b = min(low_b, nx * vertices_b[j, 0] + ny * vertices_b[j, 1])
    return low_b - high_a


@inlined_kernel
def parting_neighbor(
    vertices: FloatArray, normals: FloatArray, others: FloatArray, edge: int, first: int, gap: float, limit: float,
) -> int:  # fmt: skip
    """Return the axis of an edge that separates two cores by more than `limit`, or `NO_AXIS`.

    The search begins at both neighbors of an edge with the separation `gap`, and continues from the better one while the separation grows.
    The axes of the core's edges begin at `first`.
    """
    n = vertices.shape[0]
    if n < 3:  # a point has no edge, and both normals of a segment are collinear
        return NO_AXIS
    step, best = 1, gap
    for way in (1, -1):
        at = (edge + way) % n
        separation = face_separation(vertices, normals, at, others)
        record(SatRemembered(first + at, separation))
        if separation > limit:
            return int(first + at)
        if separation > best:
            step, best = way, separation
    at = (edge + step) % n
    while best > gap:
        gap, at = best, (at + step) % n
        best = face_separation(vertices, normals, at, others)
        record(SatRemembered(first + at, best))
        if best > limit:
            return int(first + at)
    return NO_AXIS


@kernel
def overlap_cached(
    vertices_a: FloatArray,
    normals_a: FloatArray,
    vertices_b: FloatArray,
    normals_b: FloatArray,
    reach: float,
    touch: float,
    axis: int,
    pair: FloatArray,
) -> tuple[bool, int, bool]:
    """Return whether the cores share a point, testing `axis` first; the axis to cache; and whether the cached one sufficed."""
    n_a, n_b = vertices_a.shape[0], vertices_b.shape[0]
    record(SatStart(reach, touch))
    gap = -np.inf
    if 0 <= axis < n_a:
        gap = face_separation(vertices_a, normals_a, axis, vertices_b)
    elif n_a <= axis < n_a + n_b:
        gap = face_separation(vertices_b, normals_b, axis - n_a, vertices_a)
    elif n_a + n_b <= axis < n_a + n_b + n_a * n_b:
        i, j = (axis - n_a - n_b) // n_b, (axis - n_a - n_b) % n_b
        dx, dy = vertices_b[j, 0] - vertices_a[i, 0], vertices_b[j, 1] - vertices_a[i, 1]
        length = math.hypot(dx, dy)
        if length > 0.0:
            gap = gap_along(vertices_a, vertices_b, dx / length, dy / length)
    if gap > -np.inf:
        record(SatRemembered(axis, gap))
    if gap > reach + touch:
        return False, axis, True
    neighbor = NO_AXIS
    if 0 <= axis < n_a:
        neighbor = parting_neighbor(vertices_a, normals_a, vertices_b, axis, 0, gap, reach + touch)
    elif n_a <= axis < n_a + n_b:
        neighbor = parting_neighbor(vertices_b, normals_b, vertices_a, axis - n_a, n_a, gap, reach + touch)
    if neighbor != NO_AXIS:
        return False, neighbor, False
    is_parted, side, edge, _, _, _, corner_a, corner_b = find_axis(vertices_a, normals_a, vertices_b, normals_b, reach, touch, pair)
    if side == 0:
        return not is_parted, edge, False
    if side == 1:
        return not is_parted, n_a + edge, False
    return not is_parted, n_a + n_b + corner_a * n_b + corner_b, False
