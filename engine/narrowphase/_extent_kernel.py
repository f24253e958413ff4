"""The extent of posed shapes: tight boxes around them, and the gap between two along a given direction.

**Boxes.** The extent of a convex core along an axis is that of one of its vertices, and the radius adds the same in every direction. So a
few vertices are rotated, translated and compared.

**Gaps.** A certificate that is easily verified::

    gap(n) = min over B of n.b  -  max over A of n.a  -  radii

Any unit n with a positive gap proves that the shapes are disjoint; for any n, moving by -gap(n) meters along n separates them, so the
penetration is at most that. Since nothing is searched here, the gap can verify the results of search algorithms.

Source: C. Ericson, Real-Time Collision Detection, 2005, 4.2.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.geometry.kinds import CAPSULE, CIRCLE
from engine.narrowphase._sides_kernel import Arrays, Shapes, place, side_of

__all__ = ["box_around", "gaps_along", "posed_boxes"]


@inlined_kernel
def box_around(
    first: IntArray, n_vertices: IntArray, vertices: FloatArray, radius: FloatArray, shape: int, x: float, y: float, cos: float, sin: float
) -> tuple[float, float, float, float]:
    """Return lower x, lower y, upper x, upper y of one shape."""
    low_x, low_y, high_x, high_y = np.inf, np.inf, -np.inf, -np.inf
    for vertex in range(first[shape], first[shape] + n_vertices[shape]):
        world_x, world_y = place(vertices[vertex, 0], vertices[vertex, 1], cos, sin, x, y)
        low_x, high_x = min(low_x, world_x), max(high_x, world_x)
        low_y, high_y = min(low_y, world_y), max(high_y, world_y)
    around = radius[shape]
    return low_x - around, low_y - around, high_x + around, high_y + around


@kernel
def posed_boxes(
    first: IntArray, n_vertices: IntArray, vertices: FloatArray, radius: FloatArray, which: IntArray, poses: FloatArray
) -> FloatArray:
    """Return boxes (n, 4), lower x, lower y, upper x, upper y, of the packed shapes `which` at `poses` (n, 4) x, y, cos, sin."""
    boxes = np.empty((which.shape[0], 4))
    for row in range(which.shape[0]):
        x, y, cos, sin = poses[row, 0], poses[row, 1], poses[row, 2], poses[row, 3]
        boxes[row, 0], boxes[row, 1], boxes[row, 2], boxes[row, 3] = box_around(
            first, n_vertices, vertices, radius, which[row], x, y, cos, sin
        )
    return boxes


@inlined_kernel
def reach_along(vertices: FloatArray, pose: FloatArray, nx: float, ny: float) -> float:
    """Return the greatest projection of a core, at its pose (x, y, cos, sin) without the position, on (nx, ny)."""
    local_x, local_y = pose[2] * nx + pose[3] * ny, pose[2] * ny - pose[3] * nx
    farthest = -np.inf
    for i in range(vertices.shape[0]):
        farthest = max(farthest, local_x * vertices[i, 0] + local_y * vertices[i, 1])
    return farthest


@inlined_kernel
def gap_of(shapes: Shapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, directions: FloatArray, row: int) -> float:
    """Return the gap of one pair."""
    a, b = side_of(shapes, pairs[row, 0], poses_a, row), side_of(shapes, pairs[row, 1], poses_b, row)
    nx, ny = directions[row, 0], directions[row, 1]
    between = nx * (b.pose[0] - a.pose[0]) + ny * (b.pose[1] - a.pose[1])
    gap = between - reach_along(a.vertices, a.pose, nx, ny) - reach_along(b.vertices, b.pose, -nx, -ny)
    if a.kind == CIRCLE or a.kind == CAPSULE:
        gap -= a.radius
    if b.kind == CIRCLE or b.kind == CAPSULE:
        gap -= b.radius
    return float(gap)


@kernel
def gaps_along(
    packed: Arrays, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, directions: FloatArray, gaps: FloatArray
) -> None:  # fmt: skip
    """Fill `gaps` (n,) along the world `directions` (n, 2). The radius of circles and capsules is included, the skin of polygons and
    segments is not.
    """
    shapes = Shapes(*packed)
    for row in range(pairs.shape[0]):
        gaps[row] = gap_of(shapes, pairs, poses_a, poses_b, directions, row)
