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

__all__ = ["gaps_along"]


@inlined_kernel
def reach_along(vertices: FloatArray, pose: FloatArray, nx: float, ny: float) -> float:
    """Return the greatest projection of a core, at its pose (x, y, cos, sin) without the position, on (nx, ny)."""
    local_x, local_y = pose[2] * nx + pose[3] * ny, pose[2] * ny - pose[3] * nx
    farthest = -np.inf
    for i in range(vertices.shape[0]):
        farthest = max(farthest, local_x * vertices[i, 0] + local_y * vertices[i, 1])
    return farthest


@kernel
def gaps_along(
    kind: IntArray,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    radius: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    directions: FloatArray,
    gaps: FloatArray,
) -> None:
    """Fill `gaps` (n,) along the world `directions` (n, 2). Circles and capsules count with their radius, polygons and segments
    without their skins."""
    for row in range(pairs.shape[0]):
        a, b = pairs[row, 0], pairs[row, 1]
        nx, ny = directions[row, 0], directions[row, 1]
        between = nx * (poses_b[row, 0] - poses_a[row, 0]) + ny * (poses_b[row, 1] - poses_a[row, 1])
        reach_a = reach_along(vertices[first[a] : first[a] + n_vertices[a]], poses_a[row], nx, ny)
        reach_b = reach_along(vertices[first[b] : first[b] + n_vertices[b]], poses_b[row], -nx, -ny)
        gap = between - reach_a - reach_b
        if kind[a] == CIRCLE or kind[a] == CAPSULE:
            gap -= radius[a]
        if kind[b] == CIRCLE or kind[b] == CAPSULE:
            gap -= radius[b]
        gaps[row] = gap
