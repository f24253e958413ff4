"""Choosing the axis in lanes: the separations of all edges, and by either rule one of them; see `_sat_kernel` and `_climb_kernel`.

Box2D's climb walks from edge to edge. Here all separations are computed first, and the walk, which is a different one in every
lane, only looks them up.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel
from engine.common.tolerances import BOX2D_ABSOLUTE_TOLERANCE, BOX2D_RELATIVE_TOLERANCE
from engine.narrowphase._lanes_kernel import (
    AXIS,
    BEST_A,
    BEST_B,
    CENTROID_A,
    CENTROID_B,
    EDGE,
    EDGE_A,
    EDGE_B,
    FRAME,
    LANES,
    MOST,
    NX,
    NY,
    PARTED,
    RADIUS_A,
    RADIUS_B,
    SIDE,
    SLOT_GROUP,
    SLOT_MASK,
    STRIDE,
    TOUCH,
    X,
    Y,
)
from engine.narrowphase.rules import EXACT

__all__ = ["choose", "move_centroid", "pick_by_climb", "pick_greatest", "separations"]


@inlined_kernel
def _nearest_of_four(v: FloatArray, of: int, nx: float, ny: float, x: float, y: float, nearest: float) -> float:
    """Return the least of `nearest` and of how far the vertex at `of` and the three after it lie in front of an edge."""
    front_0 = nx * (v[X * STRIDE + of] - x) + ny * (v[Y * STRIDE + of] - y)
    front_1 = nx * (v[(X + 1) * STRIDE + of] - x) + ny * (v[(Y + 1) * STRIDE + of] - y)
    front_2 = nx * (v[(X + 2) * STRIDE + of] - x) + ny * (v[(Y + 2) * STRIDE + of] - y)
    front_3 = nx * (v[(X + 3) * STRIDE + of] - x) + ny * (v[(Y + 3) * STRIDE + of] - y)
    nearest = front_0 if front_0 < nearest else nearest
    nearest = front_1 if front_1 < nearest else nearest
    nearest = front_2 if front_2 < nearest else nearest
    return front_3 if front_3 < nearest else nearest


@inlined_kernel
def separations(v: FloatArray, g: FloatArray, base: int, other: int, slots: int) -> None:
    """Fill `g` with the separation of each edge of the polygon at `base` from the vertices of that at `other`.

    One pass takes four vertices, or eight: a pass writes one number and reads one, whatever it compares in between.
    """
    for edge in range(slots):
        row = (base + (edge & SLOT_MASK)) * STRIDE
        if slots == SLOT_GROUP:
            for lane in range(LANES):
                at, of = row + lane, other * STRIDE + lane
                nx, ny, x, y = v[NX * STRIDE + at], v[NY * STRIDE + at], v[X * STRIDE + at], v[Y * STRIDE + at]
                g[at] = _nearest_of_four(v, of, nx, ny, x, y, np.inf)
        else:
            for lane in range(LANES):
                at, of = row + lane, other * STRIDE + lane
                nx, ny, x, y = v[NX * STRIDE + at], v[NY * STRIDE + at], v[X * STRIDE + at], v[Y * STRIDE + at]
                nearest = _nearest_of_four(v, of, nx, ny, x, y, np.inf)
                g[at] = _nearest_of_four(v, of + SLOT_GROUP * STRIDE, nx, ny, x, y, nearest)
            for group in range(2 * SLOT_GROUP, slots, SLOT_GROUP):
                of_row = (other + (group & SLOT_MASK)) * STRIDE
                for lane in range(LANES):
                    at, of = row + lane, of_row + lane
                    nx, ny, x, y = v[NX * STRIDE + at], v[NY * STRIDE + at], v[X * STRIDE + at], v[Y * STRIDE + at]
                    g[at] = _nearest_of_four(v, of, nx, ny, x, y, g[at])


@inlined_kernel
def pick_greatest(g: FloatArray, s: FloatArray, k: IntArray, base: int, slots: int, best_row: int, edge_row: int) -> None:
    """Take of the separations of the polygon at `base` the greatest, the first of those within the touch of each other."""
    for lane in range(LANES):
        s[best_row * STRIDE + lane] = -np.inf
        k[edge_row * STRIDE + lane] = 0
    for edge in range(0, slots, SLOT_GROUP):
        row = (base + (edge & SLOT_MASK)) * STRIDE
        for lane in range(LANES):
            touch, best, at = s[TOUCH * STRIDE + lane], s[best_row * STRIDE + lane], k[edge_row * STRIDE + lane]
            gap_0, gap_1 = g[row + lane], g[row + STRIDE + lane]
            gap_2, gap_3 = g[row + 2 * STRIDE + lane], g[row + 3 * STRIDE + lane]
            is_better = gap_0 > best + touch
            best, at = (gap_0 if is_better else best), (edge if is_better else at)
            is_better = gap_1 > best + touch
            best, at = (gap_1 if is_better else best), (edge + 1 if is_better else at)
            is_better = gap_2 > best + touch
            best, at = (gap_2 if is_better else best), (edge + 2 if is_better else at)
            is_better = gap_3 > best + touch
            best, at = (gap_3 if is_better else best), (edge + 3 if is_better else at)
            s[best_row * STRIDE + lane], k[edge_row * STRIDE + lane] = best, at


@inlined_kernel
def move_centroid(s: FloatArray) -> None:
    """Take B's centroid to A's frame, which `move_b` has found."""
    for lane in range(LANES):
        cos, sin = s[FRAME * STRIDE + lane], s[(FRAME + 1) * STRIDE + lane]
        x, y = s[CENTROID_B * STRIDE + lane], s[(CENTROID_B + 1) * STRIDE + lane]
        s[CENTROID_B * STRIDE + lane] = cos * x - sin * y + s[(FRAME + 2) * STRIDE + lane]
        s[(CENTROID_B + 1) * STRIDE + lane] = sin * x + cos * y + s[(FRAME + 3) * STRIDE + lane]


@inlined_kernel
def pick_by_climb(
    v: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, base: int, sign: float, slots: int, n_row: int, best_row: int, edge_row: int
) -> None:
    """Take of the separations of the polygon at `base` the one at which Box2D's walk ends; see `_climb_kernel`.

    `sign` is -1 where the polygon is B, for the walk starts toward the other one. Lanes walk one by one: few steps, all different.
    """
    for lane in range(LANES):
        s[MOST * STRIDE + lane] = -np.inf
        k[edge_row * STRIDE + lane] = 0
    for edge in range(slots):
        row = (base + (edge & SLOT_MASK)) * STRIDE
        for lane in range(LANES):
            toward_x = sign * (s[CENTROID_B * STRIDE + lane] - s[CENTROID_A * STRIDE + lane])
            toward_y = sign * (s[(CENTROID_B + 1) * STRIDE + lane] - s[(CENTROID_A + 1) * STRIDE + lane])
            along = v[NX * STRIDE + row + lane] * toward_x + v[NY * STRIDE + row + lane] * toward_y
            most = s[MOST * STRIDE + lane]
            s[MOST * STRIDE + lane] = along if along > most else most
            k[edge_row * STRIDE + lane] = edge if along > most else k[edge_row * STRIDE + lane]
    for lane in range(LANES):
        best_edge, n = k[edge_row * STRIDE + lane], k[n_row * STRIDE + lane]
        best = g[(base + best_edge) * STRIDE + lane]
        before, after = (best_edge - 1 if best_edge > 0 else n - 1), (best_edge + 1 if best_edge + 1 < n else 0)
        separation_before, separation_after = g[(base + before) * STRIDE + lane], g[(base + after) * STRIDE + lane]
        step = 0
        if separation_before > best and separation_before > separation_after:
            step, best, best_edge = n - 1, separation_before, before
        elif separation_after > best:
            step, best, best_edge = 1, separation_after, after
        while step > 0:
            edge = best_edge + step
            edge = edge - n if edge >= n else edge
            separation = g[(base + edge) * STRIDE + lane]
            if separation <= best:
                break
            best, best_edge = separation, edge
        s[best_row * STRIDE + lane], k[edge_row * STRIDE + lane] = best, best_edge


@inlined_kernel
def choose(s: FloatArray, k: IntArray, rule: int) -> None:
    """Choose between A's best edge and B's."""
    for lane in range(LANES):
        best_a, touch = s[BEST_A * STRIDE + lane], s[TOUCH * STRIDE + lane]
        limit = s[RADIUS_A * STRIDE + lane] + s[RADIUS_B * STRIDE + lane] + touch
        parted_by_a = best_a > limit
        best_b = np.nan if parted_by_a else s[BEST_B * STRIDE + lane]
        edge_b = 0 if parted_by_a else k[EDGE_B * STRIDE + lane]
        needed = best_a + touch if rule == EXACT else BOX2D_RELATIVE_TOLERANCE * best_a + BOX2D_ABSOLUTE_TOLERANCE
        parted_by_b = best_b > limit
        is_on_b = (best_b > needed) | parted_by_b
        s[(AXIS + 2) * STRIDE + lane] = best_b if is_on_b else best_a
        s[(AXIS + 4) * STRIDE + lane], s[(AXIS + 5) * STRIDE + lane] = best_a, best_b
        k[SIDE * STRIDE + lane] = 1 if is_on_b else 0
        k[EDGE * STRIDE + lane] = edge_b if is_on_b else k[EDGE_A * STRIDE + lane]
        k[PARTED * STRIDE + lane] = 1 if parted_by_a | parted_by_b else 0
