"""How far apart two shapes are along one given direction: a certificate that anyone can check.

    gap(n) = min over B of n.b  -  max over A of n.a  -  radii

Any unit n with a positive gap proves the shapes apart; for any n at all, -gap(n) metres along n part them, so the penetration
is no deeper than that. Nothing is searched here, so this can judge the answers of those who search.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.geometry.kinds import CAPSULE, CIRCLE
from engine.narrowphase._sides_kernel import Arrays, Shapes, side_of

__all__ = ["gaps_along"]


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
    """Fill `gaps` (n,) along the world `directions` (n, 2). Circles and capsules count with their radius, polygons and segments
    without their skins."""
    shapes = Shapes(*packed)
    for row in range(pairs.shape[0]):
        gaps[row] = gap_of(shapes, pairs, poses_a, poses_b, directions, row)
