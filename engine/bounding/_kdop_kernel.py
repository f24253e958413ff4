"""k-DOPs of many bodies, by a walk around the hull, or for small hulls by projecting all corners; see `engine.bounding.kdop`.

The axes are rotated to the body's frame, once for each pose, and processed in order; the extreme corner advances while the next edge points
along the direction::

        direction i+1   direction i
               \\      ^
                \\     |
            *----*-----*            from the extreme corner of i to that of i + 1: along the edges whose
           /            \\           product with direction i + 1 is above 0

**Rounding.** The product with an edge has the right sign unless the edge is perpendicular to the direction within 5 halves of EPS64: three
of the product, two of the difference of its corners. The walk can then stop one edge early; every later edge turns further from the
direction, so the error is at most that angle times the remaining distance to the true corner, which is at most half the hull's perimeter,
pi times the extent: 16 halves of EPS64 of it. `BOUNDING_ROUNDING` includes that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import BOUNDING_ROUNDING

__all__ = ["kdops_overlap", "posed_kdops"]

WALK_FROM = 256
"""Minimum of corners times sides for the walk. Below, projecting every corner on every axis is faster, because its loop has no
data-dependent branches: 14 ns against 36 for a square with k = 8; 289 against 133 for 64 corners with k = 16 (measured).
"""


@inlined_kernel
def _walked(corners: FloatArray, begin: int, n: int, axes: FloatArray, pose: FloatArray, around: float, ends: FloatArray) -> None:
    """Fill `ends` (k,) by a walk around the hull of n corners from `begin` on."""
    m = axes.shape[0]
    x, y, cos, sin = pose[0], pose[1], pose[2], pose[3]
    at, farthest = 0, -np.inf
    seen_x, seen_y = cos * axes[0, 0] + sin * axes[0, 1], cos * axes[0, 1] - sin * axes[0, 0]
    for corner in range(n):
        along = seen_x * corners[begin + corner, 0] + seen_y * corners[begin + corner, 1]
        if along > farthest:
            at, farthest = corner, along
    for half in range(2):
        side = 1.0 if half == 0 else -1.0
        for i in range(m):
            seen_x = cos * axes[i, 0] + sin * axes[i, 1]
            seen_y = cos * axes[i, 1] - sin * axes[i, 0]
            corner_x, corner_y = corners[begin + at, 0], corners[begin + at, 1]
            for _ in range(n):
                after = at + 1 if at + 1 < n else 0
                next_x, next_y = corners[begin + after, 0], corners[begin + after, 1]
                if side * (seen_x * (next_x - corner_x) + seen_y * (next_y - corner_y)) <= 0.0:
                    break
                at, corner_x, corner_y = after, next_x, next_y
            along = seen_x * corner_x + seen_y * corner_y + (axes[i, 0] * x + axes[i, 1] * y)
            if half == 0:
                ends[m + i] = along + around
            else:
                ends[i] = along - around


@inlined_kernel
def _projected(corners: FloatArray, begin: int, n: int, axes: FloatArray, pose: FloatArray, around: float, ends: FloatArray) -> None:
    """Fill `ends` (k,) by projecting every corner on every axis."""
    m = axes.shape[0]
    x, y, cos, sin = pose[0], pose[1], pose[2], pose[3]
    for i in range(m):
        seen_x = cos * axes[i, 0] + sin * axes[i, 1]
        seen_y = cos * axes[i, 1] - sin * axes[i, 0]
        low, high = np.inf, -np.inf
        for corner in range(begin, begin + n):
            along = seen_x * corners[corner, 0] + seen_y * corners[corner, 1]
            low, high = min(low, along), max(high, along)
        shift = axes[i, 0] * x + axes[i, 1] * y
        ends[i], ends[m + i] = low + shift - around, high + shift + around


@kernel
def posed_kdops(
    first: IntArray, count: IntArray, corners: FloatArray, rounded: FloatArray, axes: FloatArray,
    which: IntArray, poses: FloatArray, rows: FloatArray, walk_from: int = WALK_FROM,
) -> None:  # fmt: skip
    """Fill `rows` (n, k): the lower ends on all `axes` (k / 2, 2), then the upper ones; `rounded` (s, 3) begins with radius and extent.

    The walk is used if the hull's corners times k are `walk_from` or more.
    """
    for row in range(which.shape[0]):
        shape = which[row]
        n, pose = count[shape], poses[row]
        around = rounded[shape, 0] + BOUNDING_ROUNDING * (abs(pose[0]) + abs(pose[1]) + rounded[shape, 1])
        if 2 * n * axes.shape[0] >= walk_from:
            _walked(corners, first[shape], n, axes, pose, around, rows[row])
        else:
            _projected(corners, first[shape], n, axes, pose, around, rows[row])


@kernel
def kdops_overlap(rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Return for pairs (m, 2) of rows (n, k) whether the closed intervals overlap on every axis, with an early exit."""
    m = rows.shape[1] // 2
    overlapping = np.empty(pairs.shape[0], dtype=np.bool_)
    for at in range(pairs.shape[0]):
        a, b = pairs[at, 0], pairs[at, 1]
        is_overlapping = True
        for i in range(m):
            if rows[a, i] > rows[b, m + i] or rows[b, i] > rows[a, m + i]:
                is_overlapping = False
                break
        overlapping[at] = is_overlapping
    return overlapping
