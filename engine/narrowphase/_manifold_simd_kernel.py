"""The manifolds of many pairs at once, side by side: what SIMD lanes are, and what keeps them fast, is in `_simd_kernel`.

This is `_manifold_kernel` again, the same operations in the same order, in another shape; read that one first. The two
agree to the bit, and a test holds them to it.

1. The axis: the separations of all edges, and by either rule one of them; see `_sat_kernel` and `_climb_kernel`. Box2D's climb walks from
   edge to edge. Here all separations are computed first, and the walk, which is a different one in every lane, only looks them up.
2. The reference and the incident edge, what the side planes leave of it, and the points; see `_clip_kernel`.
3. Contact with circles; see `manifold_polygon_circle` and `manifold_circles`.

Pairs wait on lists by their kinds and both sizes; see `_simd_kernel`. Poses are turned into cosine and sine in the lanes, unless they come
so.

What remains goes to the scalar kernel, pair by pair: polygons of more than 16 vertices, kinds other than circle and polygon, the last
pairs, if too few to be worth a block, angles too large for `small_turn`, polygons whose separation is within rounding of 0 or whose
manifold lacks its deepest point, and a center past the end of the edge of greatest separation and beside the next.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import borrowing_kernel, inlined_kernel, kernel, unlocked_kernel
from engine.common.registers import EIGHT, fetch, return_eight
from engine.common.tolerances import BOX2D_ABSOLUTE_TOLERANCE, BOX2D_RELATIVE_TOLERANCE, SAT_ROUNDING
from engine.geometry.kinds import CAPSULE, CIRCLE
from engine.narrowphase._clip_kernel import LACKING_ROUNDINGS, cut_between, name_of
from engine.narrowphase._sides_kernel import Arrays, Shapes, place
from engine.narrowphase._simd_kernel import (
    CENTROID_A,
    CENTROID_B,
    FEWEST,
    FRAME,
    GAP_ROWS,
    INSIDE,
    IS_FINE,
    LANES,
    NUMBER_ROWS,
    NX,
    NY,
    PLACE_A,
    PLACE_B,
    PLACE_POSE_A,
    PLACE_POSE_B,
    POSE_A,
    RADIUS_A,
    RADIUS_B,
    SLOT_MASK,
    STRIDE,
    TO_B,
    TOUCH,
    VERTEX_ROWS,
    WHOLE_ROWS,
    Block,
    X,
    Y,
    fetch_shapes,
    gather,
    load_numbers,
    load_slots,
    move_b,
    n_waiting_up_to,
    separations,
    two,
)
from engine.narrowphase.packing import RECORD, SLOT_GROUP, SLOTS
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = ["SCRATCH", "contact_normals", "manifolds_simd"]


# Rows of `s` beyond those of `_simd_kernel`. The last twelve are results: the two points, the axis.
BEST_A, BEST_B, MOST, DX, DY, LENGTH = (NUMBER_ROWS + row for row in range(6))
REFERENCE, INCIDENT = NUMBER_ROWS + 6, NUMBER_ROWS + 12  # first vertex, second vertex, normal
POINTS, AXIS = NUMBER_ROWS + 18, NUMBER_ROWS + 24
_NUMBER_ROWS = NUMBER_ROWS + 30

# Rows of `k` beyond those of `_simd_kernel`. The last six are results.
N_A, N_B, EDGE_A, EDGE_B, PARTED, OTHER_EDGE, PLACE_RESULT, CORNER = (WHOLE_ROWS + row for row in range(8))
COUNT, NAMES, SIDE, EDGE, AGAIN = WHOLE_ROWS + 8, WHOLE_ROWS + 9, WHOLE_ROWS + 11, WHOLE_ROWS + 12, WHOLE_ROWS + 13
_WHOLE_ROWS = WHOLE_ROWS + 14

POLYGONS, POLYGON_AND_CIRCLE, CIRCLE_AND_POLYGON, CIRCLES = 0, 1, 2, 3
"""Kinds of a pair's shapes; of each, a list for A's size and B's, of up to 4, 8, 12 and 16 vertices."""

_N_KINDS, _N_SIZES = 4, SLOTS // SLOT_GROUP
_LISTS = _N_SIZES * _N_SIZES

FETCHED_FROM = 1024
"""Shapes from which on their records, half a megabyte, are asked for ahead. Of fewer, which the second cache holds, that takes 3 of 40 ns
(measured); of 20,000 it saves a third."""

SCRATCH = (VERTEX_ROWS + GAP_ROWS + _NUMBER_ROWS) * STRIDE
"""Numbers of `v`, `g` and `s` together."""


class _Query(NamedTuple):
    """The question and the columns to fill: arguments of `manifolds_simd`, records and poses each in one row."""

    n_vertices: IntArray
    records: FloatArray
    which: IntArray
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray
    pose_size: int
    rule: int
    columns: Arrays
    normals: FloatArray
    rest: IntArray


# The axis


@inlined_kernel
def _pick_greatest(g: FloatArray, s: FloatArray, k: IntArray, base: int, slots: int, best_row: int, edge_row: int) -> None:
    """Take of the separations of the polygon at `base` the greatest, the first of those within the touch of each other."""
    for lane in range(LANES):
        s[best_row * STRIDE + lane] = -np.inf
        k[edge_row * STRIDE + lane] = 0
    for edge in range(0, slots, SLOT_GROUP):
        row = (base + (edge & SLOT_MASK)) * STRIDE
        for lane in range(LANES):
            touch, best, at = s[TOUCH * STRIDE + lane], s[best_row * STRIDE + lane], k[edge_row * STRIDE + lane]
            for of_group in range(SLOT_GROUP):
                gap = g[row + of_group * STRIDE + lane]
                is_better = gap > best + touch
                best, at = (gap if is_better else best), (edge + of_group if is_better else at)
            s[best_row * STRIDE + lane], k[edge_row * STRIDE + lane] = best, at


@inlined_kernel
def _move_centroid(s: FloatArray) -> None:
    """Take B's centroid to A's frame, which `move_b` has found."""
    for lane in range(LANES):
        (cos, sin), (x, y) = two(s, FRAME, lane), two(s, CENTROID_B, lane)
        s[CENTROID_B * STRIDE + lane] = cos * x - sin * y + s[(FRAME + 2) * STRIDE + lane]
        s[(CENTROID_B + 1) * STRIDE + lane] = sin * x + cos * y + s[(FRAME + 3) * STRIDE + lane]


@inlined_kernel
def _pick_by_climb(
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
            (ax, ay), (bx, by) = two(s, CENTROID_A, lane), two(s, CENTROID_B, lane)
            toward_x, toward_y = sign * (bx - ax), sign * (by - ay)
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
def _choose(s: FloatArray, k: IntArray, rule: int) -> None:
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


# Clipping


@inlined_kernel
def _fetch_edge(v: FloatArray, s: FloatArray, k: IntArray, side: int, edge_row: int, to: int) -> None:
    """Copy an edge of the reference polygon (`side` 0) or of the other (1): both vertices and the normal.

    Each lane's lies in another row, and such a loop is not vectorized: nothing else is in it.
    """
    for lane in range(LANES):
        on_b = k[SIDE * STRIDE + lane] != side
        edge, n = k[edge_row * STRIDE + lane], (k[N_B * STRIDE + lane] if on_b else k[N_A * STRIDE + lane])
        after = edge + 1 if edge + 1 < n else 0
        base = TO_B if on_b else 0
        at, at_after = (base + (edge & SLOT_MASK)) * STRIDE + lane, (base + (after & SLOT_MASK)) * STRIDE + lane
        s[to * STRIDE + lane], s[(to + 1) * STRIDE + lane] = v[X * STRIDE + at], v[Y * STRIDE + at]
        s[(to + 2) * STRIDE + lane], s[(to + 3) * STRIDE + lane] = v[X * STRIDE + at_after], v[Y * STRIDE + at_after]
        s[(to + 4) * STRIDE + lane], s[(to + 5) * STRIDE + lane] = v[NX * STRIDE + at], v[NY * STRIDE + at]


@inlined_kernel
def _along(v: FloatArray, at: int, is_on_b: bool, nx: float, ny: float) -> float:
    """Return how far A's normal at `at`, or B's where the axis is not on B, points along (nx, ny)."""
    x_a, x_b = v[NX * STRIDE + at], v[(NX + TO_B) * STRIDE + at]
    y_a, y_b = v[NY * STRIDE + at], v[(NY + TO_B) * STRIDE + at]
    along: float = (x_a if is_on_b else x_b) * nx + (y_a if is_on_b else y_b) * ny
    return along


@inlined_kernel
def _find_incident(v: FloatArray, s: FloatArray, k: IntArray, slots_a: int, slots_b: int) -> None:
    """Find on the other polygon the first edge whose normal points most against the axis; slots that only one has are for its lanes."""
    for lane in range(LANES):
        s[MOST * STRIDE + lane] = np.inf
        k[OTHER_EDGE * STRIDE + lane] = 0
    for group in range(0, max(slots_a, slots_b), SLOT_GROUP):
        row, of_a, of_b = (group & SLOT_MASK) * STRIDE, group < slots_a, group < slots_b
        for lane in range(LANES):
            is_on_b = k[SIDE * STRIDE + lane] == 1
            nx, ny = s[(REFERENCE + 4) * STRIDE + lane], s[(REFERENCE + 5) * STRIDE + lane]
            least, incident = s[MOST * STRIDE + lane], k[OTHER_EDGE * STRIDE + lane]
            found, best = incident, least
            for edge in range(SLOT_GROUP):
                along = _along(v, row + edge * STRIDE + lane, is_on_b, nx, ny)
                found, best = (group + edge if along < best else found), (along if along < best else best)
            takes = of_a if is_on_b else of_b
            s[MOST * STRIDE + lane], k[OTHER_EDGE * STRIDE + lane] = (best if takes else least), (found if takes else incident)


@inlined_kernel
def _clip(s: FloatArray, k: IntArray, rule: int) -> None:
    """Clip the incident edge and fill the results that are points; see `clip_incident_edge` and `manifold_polygons`.

    `is_cut` of an end says that a side plane made it: it is then (vertex, face), else (face, vertex).
    """
    for lane in range(LANES):
        is_on_b, edge, incident = k[SIDE * STRIDE + lane] == 1, k[EDGE * STRIDE + lane], k[OTHER_EDGE * STRIDE + lane]
        n_a, n_b = k[N_A * STRIDE + lane], k[N_B * STRIDE + lane]
        radius_a, radius_b = s[RADIUS_A * STRIDE + lane], s[RADIUS_B * STRIDE + lane]
        after_edge = edge + 1 if edge + 1 < (n_b if is_on_b else n_a) else 0
        after_incident = incident + 1 if incident + 1 < (n_a if is_on_b else n_b) else 0
        (v1_x, v1_y), (v2_x, v2_y), (nx, ny) = two(s, REFERENCE, lane), two(s, REFERENCE + 2, lane), two(s, REFERENCE + 4, lane)
        (x0, y0), (x1, y1) = two(s, INCIDENT, lane), two(s, INCIDENT + 2, lane)
        side, touch = radius_a + radius_b, s[TOUCH * STRIDE + lane]

        # First side plane.
        out_0 = ny * (x0 - v1_x) + -nx * (y0 - v1_y) - side
        out_1 = ny * (x1 - v1_x) + -nx * (y1 - v1_y) - side
        is_gone = (out_0 > 0.0) & (out_1 > 0.0)
        cuts = not (is_gone | ((out_0 <= 0.0) & (out_1 <= 0.0)))
        is_one = cuts & (not (out_0 * out_1 < 0.0))
        is_cut = cuts & (not is_one)
        cut_x, cut_y = cut_between(x0, y0, x1, y1, out_0, out_1)
        moves = cuts & (out_0 > 0.0)
        x0, y0, other_0 = (x1 if moves else x0), (y1 if moves else y0), (after_incident if moves else incident)
        x1, y1, other_1 = (cut_x if cuts else x1), (cut_y if cuts else y1), (incident if cuts else after_incident)
        base_0, base_1 = edge, edge
        is_cut_0, is_cut_1 = False, cuts

        # Second side plane.
        out_0 = -ny * (x0 - v2_x) + nx * (y0 - v2_y) - side
        out_1 = -ny * (x1 - v2_x) + nx * (y1 - v2_y) - side
        is_out = (out_0 > 0.0) & (out_1 > 0.0)
        cuts = not (is_out | is_one | is_gone | ((out_0 <= 0.0) & (out_1 <= 0.0)))
        is_gone = is_gone | (is_one & (out_0 > 0.0)) | ((not is_one) & is_out)
        is_single = cuts & (not (out_0 * out_1 < 0.0))
        is_cut = is_cut | (cuts & (not is_single))
        is_one = is_one | is_single
        cut_x, cut_y = cut_between(x0, y0, x1, y1, out_0, out_1)
        moves = cuts & (out_0 > 0.0)
        kept_other = other_0
        x0, y0, other_0 = (x1 if moves else x0), (y1 if moves else y0), (other_1 if moves else other_0)
        base_0, is_cut_0 = (base_1 if moves else base_0), (is_cut_1 if moves else is_cut_0)
        x1, y1, other_1 = (cut_x if cuts else x1), (cut_y if cuts else y1), (kept_other if cuts else other_1)
        base_1, is_cut_1 = (after_edge if cuts else base_1), (cuts | is_cut_1)

        # Points.
        is_parted, best = k[PARTED * STRIDE + lane] == 1, s[(AXIS + 2) * STRIDE + lane]
        is_none = is_parted | is_gone | (is_one & (rule == BOX2D))
        gap_0, gap_1 = nx * (x0 - v1_x) + ny * (y0 - v1_y), nx * (x1 - v1_x) + ny * (y1 - v1_y)
        keeps_0 = not (is_none | (gap_0 > side + touch))
        keeps_1 = not (is_none | is_one | (gap_1 > side + touch))
        base_radius, other_radius = (radius_b if is_on_b else radius_a), (radius_a if is_on_b else radius_b)
        lift_0, lift_1 = 0.5 * (base_radius - other_radius - gap_0), 0.5 * (base_radius - other_radius - gap_1)
        x0, y0, x1, y1 = x0 + lift_0 * nx, y0 + lift_0 * ny, x1 + lift_1 * nx, y1 + lift_1 * ny
        (px, py), (cos, sin) = two(s, POSE_A, lane), two(s, POSE_A + 2, lane)
        (world_x0, world_y0), (world_x1, world_y1) = place(x0, y0, cos, sin, px, py), place(x1, y1, cos, sin, px, py)
        by_plane_0, by_plane_1 = (1 if is_cut_0 else 0), (1 if is_cut_1 else 0)
        name_0 = name_of(base_0, other_0, 1 - by_plane_0, by_plane_0, is_on_b)
        name_1 = name_of(base_1, other_1, 1 - by_plane_1, by_plane_1, is_on_b)

        has_second = keeps_0 & keeps_1
        s[POINTS * STRIDE + lane] = world_x0 if keeps_0 else (world_x1 if keeps_1 else 0.0)
        s[(POINTS + 1) * STRIDE + lane] = world_y0 if keeps_0 else (world_y1 if keeps_1 else 0.0)
        s[(POINTS + 2) * STRIDE + lane] = gap_0 if keeps_0 else (gap_1 if keeps_1 else 0.0)
        s[(POINTS + 3) * STRIDE + lane] = world_x1 if has_second else 0.0
        s[(POINTS + 4) * STRIDE + lane] = world_y1 if has_second else 0.0
        s[(POINTS + 5) * STRIDE + lane] = gap_1 if has_second else 0.0
        cosine = abs(nx * s[(INCIDENT + 4) * STRIDE + lane] + ny * s[(INCIDENT + 5) * STRIDE + lane])
        amplification = 1.0 / (cosine if cosine > SAT_ROUNDING else SAT_ROUNDING)
        to_b = -1.0 if is_on_b else 1.0
        s[AXIS * STRIDE + lane], s[(AXIS + 1) * STRIDE + lane] = to_b * (cos * nx - sin * ny), to_b * (sin * nx + cos * ny)
        s[(AXIS + 3) * STRIDE + lane] = amplification if is_cut & (not is_parted) else 0.0
        k[COUNT * STRIDE + lane] = (1 if keeps_0 else 0) + (1 if keeps_1 else 0)
        k[NAMES * STRIDE + lane] = name_0 if keeps_0 else (name_1 if keeps_1 else 0)
        k[(NAMES + 1) * STRIDE + lane] = name_1 if has_second else 0
        deepest = gap_0 if keeps_0 else np.inf
        deepest = gap_1 if keeps_1 & (gap_1 < deepest) else deepest
        is_lacking, is_at_zero = not (deepest <= best + LACKING_ROUNDINGS * touch), (best <= touch) & (best >= -touch)
        k[AGAIN * STRIDE + lane] = 1 if (is_lacking | is_at_zero) & (not is_parted) & (rule == EXACT) else 0


# Circles


@inlined_kernel
def _find_corner(v: FloatArray, s: FloatArray, k: IntArray, rule: int) -> None:
    """Find the center's Voronoi region: mark the lanes where it is a corner's, with the vector from there, and name that corner and the
    one beyond; mark those that the scalar kernel must decide, within rounding of an edge's line and past the edge.
    """
    for lane in range(LANES):
        (v1_x, v1_y), (v2_x, v2_y) = two(s, REFERENCE, lane), two(s, REFERENCE + 2, lane)
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
def _measure_corner(v: FloatArray, s: FloatArray, k: IntArray, rule: int) -> None:
    """Fill the length from the corner, and mark the lanes where the center lies beside the next edge; see `edge_beside`."""
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
def _point(s: FloatArray, k: IntArray, lane: int, touches: bool, x: float, y: float, separation: float) -> None:
    """Fill the only point, or none."""
    s[POINTS * STRIDE + lane], s[(POINTS + 1) * STRIDE + lane] = (x if touches else 0.0), (y if touches else 0.0)
    s[(POINTS + 2) * STRIDE + lane] = separation if touches else 0.0
    s[(POINTS + 3) * STRIDE + lane] = s[(POINTS + 4) * STRIDE + lane] = s[(POINTS + 5) * STRIDE + lane] = 0.0
    k[COUNT * STRIDE + lane] = 1 if touches else 0
    k[NAMES * STRIDE + lane] = k[(NAMES + 1) * STRIDE + lane] = 0


@inlined_kernel
def _touch_circle(v: FloatArray, s: FloatArray, k: IntArray, is_swapped: bool) -> None:
    """Fill the results of polygon and circle, the length from the corner being known; see `manifold_polygon_circle`."""
    to_circle, side = (-1.0, 1) if is_swapped else (1.0, 0)
    for lane in range(LANES):
        is_corner, in_front = k[CORNER * STRIDE + lane] == 1, s[BEST_A * STRIDE + lane]
        inverse = 1.0 / s[LENGTH * STRIDE + lane]
        corner_nx, corner_ny = s[DX * STRIDE + lane] * inverse, s[DY * STRIDE + lane] * inverse
        nx = corner_nx if is_corner else s[(REFERENCE + 4) * STRIDE + lane]
        ny = corner_ny if is_corner else s[(REFERENCE + 5) * STRIDE + lane]
        gap = s[LENGTH * STRIDE + lane] if is_corner else in_front
        radius, skin = s[RADIUS_B * STRIDE + lane], s[RADIUS_A * STRIDE + lane]
        (px, py), (cos, sin) = two(s, POSE_A, lane), two(s, POSE_A + 2, lane)
        s[AXIS * STRIDE + lane] = to_circle * (cos * nx - sin * ny)
        s[(AXIS + 1) * STRIDE + lane] = to_circle * (sin * nx + cos * ny)
        s[(AXIS + 2) * STRIDE + lane], s[(AXIS + 3) * STRIDE + lane] = gap - radius, (inverse if is_corner else 0.0)
        s[(AXIS + 4) * STRIDE + lane], s[(AXIS + 5) * STRIDE + lane] = in_front - radius, np.nan
        k[SIDE * STRIDE + lane] = side
        touches = not (gap > radius + skin + s[TOUCH * STRIDE + lane])
        lift = 0.5 * (skin - gap - radius)
        x, y = v[(X + TO_B) * STRIDE + lane] + lift * nx, v[(Y + TO_B) * STRIDE + lane] + lift * ny
        world_x, world_y = place(x, y, cos, sin, px, py)
        _point(s, k, lane, touches, world_x, world_y, gap - radius)


@inlined_kernel
def _touch_circles(v: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Fill the results of two circles, the distance of the centers being known; see `manifold_circles`."""
    for lane in range(LANES):
        dx, dy, distance = s[DX * STRIDE + lane], s[DY * STRIDE + lane], s[LENGTH * STRIDE + lane]
        (px, py), (cos, sin) = two(s, POSE_A, lane), two(s, POSE_A + 2, lane)
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
        world_x, world_y = place(mid_x, mid_y, cos, sin, px, py)
        world_x, world_y = world_x + lift * nx, world_y + lift * ny
        _point(s, k, lane, touches, world_x, world_y, gap)
        k[AGAIN * STRIDE + lane] = 0


# The blocks


@inlined_kernel
def _places_of(query: _Query, row: int) -> tuple[int, int, int, int]:
    """Return A's and B's shape, and the rows of their poses."""
    a, b = query.pairs[np.uint64(row), 0], query.pairs[np.uint64(row), 1]
    if query.which.shape[0] == 0:
        return a, b, row, row
    return query.which[np.uint64(a)], query.which[np.uint64(b)], a, b


@inlined_kernel
def _load(block: Block, chosen: IntArray, slots_a: int, slots_b: int, kinds: int, query: _Query) -> None:
    """Load a block; lanes past the end of `chosen` take its last row once more. A lane's A is the polygon, where one is."""
    (v, _, s, k), is_swapped, last = block, kinds == CIRCLE_AND_POLYGON, chosen.shape[0] - 1
    for lane in range(LANES):
        row = chosen[np.uint64(min(lane, last))]
        first, second, first_pose, second_pose = _places_of(query, row)
        a, b = (second, first) if is_swapped else (first, second)
        k[PLACE_A * STRIDE + lane], k[PLACE_B * STRIDE + lane] = a * RECORD, b * RECORD
        k[PLACE_POSE_A * STRIDE + lane] = query.pose_size * (second_pose if is_swapped else first_pose)
        k[PLACE_POSE_B * STRIDE + lane] = query.pose_size * (first_pose if is_swapped else second_pose)
        k[N_A * STRIDE + lane], k[N_B * STRIDE + lane] = query.n_vertices[np.uint64(a)], query.n_vertices[np.uint64(b)]
        k[PLACE_RESULT * STRIDE + lane] = 6 * row
    if is_swapped:
        load_numbers(s, k, query.records, query.poses_b, query.poses_a, query.pose_size, True, query.rule)
    else:
        load_numbers(s, k, query.records, query.poses_a, query.poses_b, query.pose_size, False, query.rule)
    load_slots(v, k, PLACE_A, 0, slots_a, query.records, kinds != CIRCLES)
    load_slots(v, k, PLACE_B, TO_B, slots_b, query.records, kinds == POLYGONS)


@inlined_kernel
def _store(block: Block, chosen: IntArray, query: _Query, n_rest: int) -> int:
    """Write the lanes' results to the caller's rows; return how many rows `rest` lists by now."""
    s, k, (count, points, names, axis, reference) = block.s, block.k, query.columns
    for lane in range(0, LANES, EIGHT):
        for field in range(0, 4, 2):
            return_eight(points, k, PLACE_RESULT * STRIDE + lane, field, s, (POINTS + field) * STRIDE + lane, STRIDE)
            return_eight(axis, k, PLACE_RESULT * STRIDE + lane, field, s, (AXIS + field) * STRIDE + lane, STRIDE)
    for lane in range(chosen.shape[0]):
        row, n = np.uint64(chosen[np.uint64(lane)]), k[COUNT * STRIDE + lane]
        count[row] = n
        names[row, 0], names[row, 1] = k[NAMES * STRIDE + lane], k[(NAMES + 1) * STRIDE + lane]
        reference[row, 0], reference[row, 1] = k[SIDE * STRIDE + lane], k[EDGE * STRIDE + lane]
        if query.normals.shape[0] > 0:
            x, y = two(s, AXIS, lane)
            query.normals[row, 0], query.normals[row, 1] = (x if n > 0 else 0.0), (y if n > 0 else 0.0)
        query.rest[np.uint64(n_rest)] = row
        n_rest += 1 if (k[AGAIN * STRIDE + lane] == 1) | (s[IS_FINE * STRIDE + lane] == 0.0) else 0
    return n_rest


@borrowing_kernel
def _polygons_block(block: Block, chosen: IntArray, slots_a: int, slots_b: int, query: _Query, n_rest: int) -> int:
    """Fill the `chosen` rows, at most `LANES`, of pairs of two polygons; return how many rows `rest` lists by now, to be done over."""
    (v, g, s, k), rule = block, query.rule
    _load(block, chosen, slots_a, slots_b, POLYGONS, query)
    move_b(v, s, slots_b, True)
    separations(v, g, 0, TO_B, slots_a, slots_b)
    separations(v, g, TO_B, 0, slots_b, slots_a)
    if rule == EXACT:
        _pick_greatest(g, s, k, 0, slots_a, BEST_A, EDGE_A)
        _pick_greatest(g, s, k, TO_B, slots_b, BEST_B, EDGE_B)
    else:
        _move_centroid(s)
        _pick_by_climb(v, g, s, k, 0, 1.0, slots_a, N_A, BEST_A, EDGE_A)
        _pick_by_climb(v, g, s, k, TO_B, -1.0, slots_b, N_B, BEST_B, EDGE_B)
    _choose(s, k, rule)
    _fetch_edge(v, s, k, 0, EDGE, REFERENCE)
    _find_incident(v, s, k, slots_a, slots_b)
    _fetch_edge(v, s, k, 1, OTHER_EDGE, INCIDENT)
    _clip(s, k, rule)
    return _store(block, chosen, query, n_rest)


@borrowing_kernel
def _polygon_circle_block(block: Block, chosen: IntArray, slots: int, is_swapped: bool, query: _Query, n_rest: int) -> int:
    """Do the same for a polygon and a circle, in that order or `is_swapped`; the polygon is the lane's A."""
    v, g, s, k = block
    _load(block, chosen, slots, SLOT_GROUP, CIRCLE_AND_POLYGON if is_swapped else POLYGON_AND_CIRCLE, query)
    move_b(v, s, 1, False)
    for edge in range(slots):
        of = (edge & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            nx, ny = v[NX * STRIDE + of + lane], v[NY * STRIDE + of + lane]
            x, y = v[X * STRIDE + of + lane], v[Y * STRIDE + of + lane]
            g[of + lane] = nx * (v[(X + TO_B) * STRIDE + lane] - x) + ny * (v[(Y + TO_B) * STRIDE + lane] - y)
    for lane in range(LANES):
        k[SIDE * STRIDE + lane] = 0
    _pick_greatest(g, s, k, 0, slots, BEST_A, EDGE)
    _fetch_edge(v, s, k, 0, EDGE, REFERENCE)
    _find_corner(v, s, k, query.rule)
    _measure_corner(v, s, k, query.rule)
    _touch_circle(v, s, k, is_swapped)
    return _store(block, chosen, query, n_rest)


@borrowing_kernel
def _circles_block(block: Block, chosen: IntArray, query: _Query, n_rest: int) -> int:
    """Do the same for two circles."""
    v, _, s, k = block
    _load(block, chosen, SLOT_GROUP, SLOT_GROUP, CIRCLES, query)
    move_b(v, s, 1, False)
    for lane in range(LANES):
        s[DX * STRIDE + lane] = v[(X + TO_B) * STRIDE + lane] - v[X * STRIDE + lane]
        s[DY * STRIDE + lane] = v[(Y + TO_B) * STRIDE + lane] - v[Y * STRIDE + lane]
    for lane in range(LANES):
        s[LENGTH * STRIDE + lane] = math.hypot(s[DX * STRIDE + lane], s[DY * STRIDE + lane])
    _touch_circles(v, s, k)
    return _store(block, chosen, query, n_rest)


@inlined_kernel
def _answer_block(block: Block, chosen: IntArray, kinds: int, size_a: int, size_b: int, query: _Query, n_rest: int) -> int:
    """Fill the `chosen` rows, at most `LANES`, of such kinds and no larger sizes; return how many rows `rest` lists by now."""
    slots_a, slots_b = SLOT_GROUP * (size_a + 1), SLOT_GROUP * (size_b + 1)
    if kinds == POLYGONS:
        return _polygons_block(block, chosen, slots_a, slots_b, query, n_rest)
    if kinds == CIRCLES:
        return _circles_block(block, chosen, query, n_rest)
    return _polygon_circle_block(block, chosen, max(slots_a, slots_b), kinds == CIRCLE_AND_POLYGON, query, n_rest)


@inlined_kernel
def _number_of(kind: IntArray, n_vertices: IntArray, a: int, b: int) -> int:
    """Return the number of the list that a pair of shapes waits on, or -1 where the scalar kernel must answer."""
    (kind_a, n_a), (kind_b, n_b) = (kind[np.uint64(a)], n_vertices[np.uint64(a)]), (kind[np.uint64(b)], n_vertices[np.uint64(b)])
    kinds = (CIRCLE_AND_POLYGON if kind_a == CIRCLE else 0) + (POLYGON_AND_CIRCLE if kind_b == CIRCLE else 0)
    number = _LISTS * kinds + _N_SIZES * ((n_a - 1) // SLOT_GROUP) + (n_b - 1) // SLOT_GROUP
    return -1 if (max(kind_a, kind_b) >= CAPSULE) | (max(n_a, n_b) > SLOTS) else number


@inlined_kernel
def _fetch(row: int, query: _Query) -> None:
    """Ask for most of what will be read and written of a pair, and for the pairs that come."""
    fetch(query.pairs, 2 * (row + LANES))
    fetch_shapes(query.records, query.pairs, query.n_vertices, row, True)
    fetch(query.poses_a, query.pose_size * row)
    fetch(query.poses_b, query.pose_size * row)
    _, points, _, axis, _ = query.columns
    fetch(points, 6 * row)
    fetch(axis, 6 * row)


@unlocked_kernel
def manifolds_simd(
    packed: Arrays, records: FloatArray, which: IntArray, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int,
    columns: Arrays, normals: FloatArray, scratch: FloatArray, rest: IntArray,
) -> int:  # fmt: skip
    """Fill the rows of all `pairs` that can go side by side; list the numbers of the others in `rest` and return how many they are.

    Arguments are those of `manifold_pairs`, except: poses (n, 4), or (n, 3) x, y, angle; `records` as in `PackedShapes`; `which`, empty, or
    the shape of each body where pairs are of bodies, whose poses `poses_a` and `poses_b` then both are; `normals`, empty or to be filled as
    by `contact_normals`; `scratch` (SCRATCH,); `rest` (n + 1,). Rows whose poses are not finite are among the others. Returns -1, with some
    rows filled, at an index out of range.
    """
    shapes, n_rest = Shapes(*packed), int(np.int64(0))  # as a literal it would have each block compiled once more
    n_ends = np.uint64(which.shape[0] if which.shape[0] > 0 else shapes.kind.shape[0])
    query = _Query(
        shapes.n_vertices, records.reshape(-1), which, pairs, poses_a.reshape(-1), poses_b.reshape(-1), poses_a.shape[1], rule, columns,
        normals, rest,
    )  # fmt: skip
    is_scattered = which.shape[0] == 0 and shapes.kind.shape[0] >= FETCHED_FROM
    block = Block(
        scratch[: VERTEX_ROWS * STRIDE], scratch[VERTEX_ROWS * STRIDE : (VERTEX_ROWS + GAP_ROWS) * STRIDE],
        scratch[(VERTEX_ROWS + GAP_ROWS) * STRIDE :], np.empty(_WHOLE_ROWS * STRIDE, dtype=np.int64),
    )  # fmt: skip
    waiting, n_waiting = np.empty(_N_KINDS * _LISTS * LANES, dtype=np.int64), np.zeros(_N_KINDS * _LISTS, dtype=np.int64)
    for row in range(pairs.shape[0]):
        if np.uint64(pairs[row, 0]) >= n_ends or np.uint64(pairs[row, 1]) >= n_ends:
            return -1
        a, b, _, _ = _places_of(query, row)
        number = _number_of(shapes.kind, shapes.n_vertices, a, b)
        if number < 0:
            rest[n_rest] = row
            n_rest += 1
            continue
        if is_scattered:
            _fetch(row, query)
        at = n_waiting[np.uint64(number)]
        waiting[np.uint64(number * LANES + at)] = row
        n_waiting[np.uint64(number)] = at + 1
        if at + 1 == LANES:
            n_waiting[np.uint64(number)] = 0
            chosen, sizes = waiting[number * LANES : (number + 1) * LANES], number % _LISTS
            n_rest = _answer_block(block, chosen, number // _LISTS, sizes // _N_SIZES, sizes % _N_SIZES, query, n_rest)
    together = np.empty(LANES, dtype=np.int64)
    for kinds in range(_N_KINDS):  # what waits still: those of up to 4 vertices, of up to 8, then all
        of_kinds, n_of_kinds = waiting[kinds * _LISTS * LANES :], n_waiting[kinds * _LISTS : (kinds + 1) * _LISTS]
        for size in (0, 1, _N_SIZES - 1):
            n_left = LANES
            while n_left == LANES and (size == _N_SIZES - 1 or n_waiting_up_to(n_of_kinds, _N_SIZES, size) >= FEWEST):
                n_left = gather(of_kinds, n_of_kinds, LANES, _N_SIZES, size, together, LANES)
                if n_left >= FEWEST:
                    n_rest = _answer_block(block, together[:n_left], kinds, size, size, query, n_rest)
                else:
                    rest[n_rest : n_rest + n_left] = together[:n_left]
                    n_rest += n_left
    return n_rest


@kernel
def contact_normals(count: IntArray, axis: FloatArray) -> FloatArray:
    """Return the axes (n, 2) of the rows that have a contact, zero for the others."""
    normals = np.empty((count.shape[0], 2))
    for row in range(count.shape[0]):
        touches = count[row] > 0
        normals[row, 0], normals[row, 1] = (axis[row, 0] if touches else 0.0), (axis[row, 1] if touches else 0.0)
    return normals
