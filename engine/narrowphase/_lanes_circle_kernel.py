"""Contact with circles in lanes; see `manifold_polygon_circle` and `manifold_circles`."""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel
from engine.narrowphase._lanes_kernel import (
    AGAIN,
    AXIS,
    BEST_A,
    CORNER,
    COUNT,
    DX,
    DY,
    EDGE,
    EDGE_A,
    EDGE_B,
    INSIDE,
    LANES,
    LENGTH,
    N_A,
    POINTS,
    POSE_A,
    RADIUS_A,
    RADIUS_B,
    REFERENCE,
    SIDE,
    SLOT_MASK,
    STRIDE,
    SWAPPED,
    TO_B,
    TOUCH,
    X,
    Y,
)
from engine.narrowphase.rules import EXACT

__all__ = ["find_corner", "measure_corner", "touch_circle", "touch_circles"]


@inlined_kernel
def find_corner(v: FloatArray, s: FloatArray, k: IntArray, rule: int) -> None:
    """Find the centre's Voronoi region: mark the lanes where it is a corner's, with the vector from there, and name that corner and the
    one beyond; mark those that the scalar kernel must decide, within rounding of an edge's line and past the edge.
    """
    for lane in range(LANES):
        v1_x, v1_y = s[REFERENCE * STRIDE + lane], s[(REFERENCE + 1) * STRIDE + lane]
        v2_x, v2_y = s[(REFERENCE + 2) * STRIDE + lane], s[(REFERENCE + 3) * STRIDE + lane]
        x, y = v[(X + TO_B) * STRIDE + lane], v[(Y + TO_B) * STRIDE + lane]
        past_v1 = (x - v1_x) * (v2_x - v1_x) + (y - v1_y) * (v2_y - v1_y)
        past_v2 = (x - v2_x) * (v1_x - v2_x) + (y - v2_y) * (v1_y - v2_y)
        in_front = s[BEST_A * STRIDE + lane]
        reach = s[RADIUS_B * STRIDE + lane] + s[RADIUS_A * STRIDE + lane] + s[TOUCH * STRIDE + lane]
        in_reach = (s[INSIDE * STRIDE + lane] <= in_front) & (in_front <= reach)
        s[DX * STRIDE + lane] = x - v1_x if past_v1 <= 0.0 else x - v2_x
        s[DY * STRIDE + lane] = y - v1_y if past_v1 <= 0.0 else y - v2_y
        is_past = (past_v1 <= 0.0) | (past_v2 <= 0.0)
        k[CORNER * STRIDE + lane] = 1 if in_reach & is_past else 0
        is_at_zero = (in_front >= -s[TOUCH * STRIDE + lane]) & (in_front < s[INSIDE * STRIDE + lane])
        k[AGAIN * STRIDE + lane] = 1 if is_past & is_at_zero & (rule == EXACT) else 0
        edge, n = k[EDGE * STRIDE + lane], k[N_A * STRIDE + lane]
        after = edge + 1 if edge + 1 < n else 0
        before, next_after = (edge - 1 if edge > 0 else n - 1), (after + 1 if after + 1 < n else 0)
        k[EDGE_A * STRIDE + lane], k[EDGE_B * STRIDE + lane] = (
            (edge if past_v1 <= 0.0 else after), (before if past_v1 <= 0.0 else next_after)
        )  # fmt: skip


@inlined_kernel
def measure_corner(v: FloatArray, s: FloatArray, k: IntArray, rule: int) -> None:
    """Fill the length from the corner, and mark the lanes where the centre lies beside the next edge; see `edge_beside`."""
    for lane in range(LANES):
        s[LENGTH * STRIDE + lane] = 1.0
        if k[CORNER * STRIDE + lane] == 1:
            dx, dy = s[DX * STRIDE + lane], s[DY * STRIDE + lane]
            s[LENGTH * STRIDE + lane] = math.hypot(dx, dy)
            corner = (k[EDGE_A * STRIDE + lane] & SLOT_MASK) * STRIDE + lane
            beyond = (k[EDGE_B * STRIDE + lane] & SLOT_MASK) * STRIDE + lane
            along = dx * (v[X * STRIDE + beyond] - v[X * STRIDE + corner])
            along += dy * (v[Y * STRIDE + beyond] - v[Y * STRIDE + corner])
            if along > 0.0 and rule == EXACT:
                k[AGAIN * STRIDE + lane] = 1


@inlined_kernel
def touch_circle(v: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Fill the results of polygon and circle, the length from the corner being known; see `manifold_polygon_circle`."""
    for lane in range(LANES):
        is_corner, in_front = k[CORNER * STRIDE + lane] == 1, s[BEST_A * STRIDE + lane]
        inverse = 1.0 / s[LENGTH * STRIDE + lane]
        corner_nx, corner_ny = s[DX * STRIDE + lane] * inverse, s[DY * STRIDE + lane] * inverse
        nx = corner_nx if is_corner else s[(REFERENCE + 4) * STRIDE + lane]
        ny = corner_ny if is_corner else s[(REFERENCE + 5) * STRIDE + lane]
        gap = s[LENGTH * STRIDE + lane] if is_corner else in_front
        radius, skin = s[RADIUS_B * STRIDE + lane], s[RADIUS_A * STRIDE + lane]
        cos, sin = s[(POSE_A + 2) * STRIDE + lane], s[(POSE_A + 3) * STRIDE + lane]
        to_circle = -1.0 if k[SWAPPED * STRIDE + lane] == 1 else 1.0
        s[AXIS * STRIDE + lane] = to_circle * (cos * nx - sin * ny)
        s[(AXIS + 1) * STRIDE + lane] = to_circle * (sin * nx + cos * ny)
        s[(AXIS + 2) * STRIDE + lane], s[(AXIS + 3) * STRIDE + lane] = gap - radius, (inverse if is_corner else 0.0)
        s[(AXIS + 4) * STRIDE + lane], s[(AXIS + 5) * STRIDE + lane] = in_front - radius, np.nan
        k[SIDE * STRIDE + lane] = k[SWAPPED * STRIDE + lane]
        touches = not (gap > radius + skin + s[TOUCH * STRIDE + lane])
        lift = 0.5 * (skin - gap - radius)
        x, y = v[(X + TO_B) * STRIDE + lane] + lift * nx, v[(Y + TO_B) * STRIDE + lane] + lift * ny
        world_x, world_y = cos * x - sin * y + s[POSE_A * STRIDE + lane], sin * x + cos * y + s[(POSE_A + 1) * STRIDE + lane]
        s[POINTS * STRIDE + lane] = world_x if touches else 0.0
        s[(POINTS + 1) * STRIDE + lane] = world_y if touches else 0.0
        s[(POINTS + 2) * STRIDE + lane] = gap - radius if touches else 0.0
        k[COUNT * STRIDE + lane] = 1 if touches else 0


@inlined_kernel
def touch_circles(v: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Fill the results of two circles, the distance of the centres being known; see `manifold_circles`."""
    for lane in range(LANES):
        dx, dy, distance = s[DX * STRIDE + lane], s[DY * STRIDE + lane], s[LENGTH * STRIDE + lane]
        cos, sin = s[(POSE_A + 2) * STRIDE + lane], s[(POSE_A + 3) * STRIDE + lane]
        has_direction = distance > s[INSIDE * STRIDE + lane]
        inverse = 1.0 / distance
        along_x, along_y = (cos * dx - sin * dy) * inverse, (sin * dx + cos * dy) * inverse
        nx, ny = (along_x if has_direction else 1.0), (along_y if has_direction else 0.0)
        radius_a, radius_b = s[RADIUS_A * STRIDE + lane], s[RADIUS_B * STRIDE + lane]
        gap = distance - radius_a - radius_b
        s[AXIS * STRIDE + lane], s[(AXIS + 1) * STRIDE + lane], s[(AXIS + 2) * STRIDE + lane] = nx, ny, gap
        s[(AXIS + 3) * STRIDE + lane] = inverse if has_direction else 0.0
        s[(AXIS + 4) * STRIDE + lane], s[(AXIS + 5) * STRIDE + lane] = gap, np.nan
        k[SIDE * STRIDE + lane], k[EDGE * STRIDE + lane] = -1, 0
        touches = not (gap > s[TOUCH * STRIDE + lane])
        mid_x, mid_y = v[X * STRIDE + lane] + 0.5 * dx, v[Y * STRIDE + lane] + 0.5 * dy
        lift = 0.5 * (radius_a - radius_b)
        world_x = cos * mid_x - sin * mid_y + s[POSE_A * STRIDE + lane] + lift * nx
        world_y = sin * mid_x + cos * mid_y + s[(POSE_A + 1) * STRIDE + lane] + lift * ny
        s[POINTS * STRIDE + lane] = world_x if touches else 0.0
        s[(POINTS + 1) * STRIDE + lane] = world_y if touches else 0.0
        s[(POINTS + 2) * STRIDE + lane] = gap if touches else 0.0
        k[COUNT * STRIDE + lane] = 1 if touches else 0
