"""The manifolds of many pairs in parallel SIMD lanes, which `_simd_kernel` describes.

These are the operations of `_manifold_kernel` in the same order; read that module first. The results are bit-identical, and a test verifies
it.

1. The axis: all edges' separations, and the one selected by the rule; see `_sat_kernel` and `_climb_kernel`. Box2D's climb walks from
   edge to edge. Here all separations are computed first, and the walk, which differs in every lane, only looks them up.
2. The reference and the incident edge, its clipping, and the points; see `_clip_kernel`.
3. Contact with circles; see `manifold_polygon_circle` and `manifold_circles`.

Pairs are collected in lists by their kinds and both sizes; see `_simd_kernel`. Cosine and sine of the poses are computed in the lanes,
unless given.

The scalar kernel processes all other pairs: polygons of more than 16 vertices, kinds other than circle and polygon, the last pairs, if too
few for a block, angles too large for `small_turn`, polygons whose separation is within rounding of 0 or whose manifold lacks its deepest
point, and a center past the end of the edge of greatest separation and beside the next.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common._lanes_kernel import EIGHT, fetch, return_eight
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import borrowing_kernel, inlined_kernel, kernel, unlocked_kernel
from engine.common.tolerances import BOX2D_ABSOLUTE_TOLERANCE, BOX2D_RELATIVE_TOLERANCE, SAT_ROUNDING
from engine.narrowphase._clip_kernel import LACKING_ROUNDINGS, Edge, clip, name_of
from engine.narrowphase._sides_kernel import Arrays, Shapes, place
from engine.narrowphase._simd_kernel import (
    CENTROID_A,
    CENTROID_B,
    CIRCLE_AND_POLYGON,
    CIRCLES,
    FRAME,
    GAP_END,
    INSIDE,
    INTEGER_END,
    IS_FINE,
    LANES,
    N_KINDS,
    N_SIZES,
    NUMBER_END,
    NX,
    NY,
    OUT_OF_RANGE,
    PLACE_A,
    PLACE_B,
    PLACE_POSE_A,
    PLACE_POSE_B,
    POLYGON_AND_CIRCLE,
    POLYGONS,
    POSE_A,
    RADIUS_A,
    RADIUS_B,
    SLOT_MASK,
    STRIDE,
    TO_B,
    TOUCH,
    VERTEX_END,
    Block,
    X,
    Y,
    block_in,
    drive,
    fetch_shapes,
    list_of_kinds,
    load_numbers,
    load_slots,
    move_b,
    put_two,
    separations,
    two,
)
from engine.narrowphase.packing import RECORD, SLOT_GROUP
from engine.narrowphase.rules import BOX2D, EXACT

__all__ = ["SCRATCH", "contact_normals", "manifolds_simd"]


# Places in `s` beyond those of `_simd_kernel`. The last twelve rows are results: the two points, the axis.
BEST_A, BEST_B, MAX, DX, DY, LENGTH = (NUMBER_END + row * STRIDE for row in range(6))
REFERENCE, INCIDENT = NUMBER_END + 6 * STRIDE, NUMBER_END + 12 * STRIDE  # first vertex, second vertex, normal
POINTS, AXIS = NUMBER_END + 18 * STRIDE, NUMBER_END + 24 * STRIDE

# Places in `k` beyond those of `_simd_kernel`. The last six rows are results.
N_A, N_B, EDGE_A, EDGE_B, PARTED, OTHER_EDGE, PLACE_RESULT, CORNER, COUNT, NAMES, _, SIDE, EDGE, AGAIN = (
    INTEGER_END + row * STRIDE for row in range(14)
)  # fmt: skip

FETCHED_FROM = 1024
"""Minimum number of shapes, half a megabyte of records, for prefetching. Fewer fit in the second-level cache, and prefetching takes 3 of 40
ns (measured); with 20,000 it saves a third.
"""

SCRATCH = VERTEX_END + GAP_END + NUMBER_END + 30 * STRIDE
"""Numbers of `v`, `g` and `s` together."""


class _Query(NamedTuple):
    """Arguments of `manifolds_simd`, with records and poses each in one row; `is_scattered` if the records are prefetched."""

    kind: IntArray
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
    is_scattered: bool


# The axis


@inlined_kernel
def _pick_greatest(g: FloatArray, s: FloatArray, k: IntArray, base: int, slots: int, best_row: int, edge_row: int) -> None:
    """Select the greatest separation of the polygon at `base`, the first of those within the touch of each other."""
    for lane in range(LANES):
        s[best_row + lane] = -np.inf
        k[edge_row + lane] = 0
    for edge in range(0, slots, SLOT_GROUP):
        row = base + (edge & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            touch, best, at = s[TOUCH + lane], s[best_row + lane], k[edge_row + lane]
            for of_group in range(SLOT_GROUP):
                gap = g[row + of_group * STRIDE + lane]
                is_better = gap > best + touch
                best, at = (gap if is_better else best), (edge + of_group if is_better else at)
            s[best_row + lane], k[edge_row + lane] = best, at


@inlined_kernel
def _move_centroid(s: FloatArray) -> None:
    """Transform B's centroid to A's frame, which `move_b` computed."""
    for lane in range(LANES):
        (cos, sin), (x, y) = two(s, FRAME, lane), two(s, CENTROID_B, lane)
        s[CENTROID_B + lane] = cos * x - sin * y + s[FRAME + 2 * STRIDE + lane]
        s[CENTROID_B + STRIDE + lane] = sin * x + cos * y + s[FRAME + 3 * STRIDE + lane]


@inlined_kernel
def _pick_by_climb(
    v: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, base: int, sign: float, slots: int, n_row: int, best_row: int, edge_row: int
) -> None:
    """Select the separation of the polygon at `base` at which Box2D's walk ends; see `_climb_kernel`.

    `sign` is -1 if the polygon is B, because the walk starts toward the other one. Lanes are processed one by one, because their steps are
    few and all different.
    """
    for lane in range(LANES):
        s[MAX + lane] = -np.inf
        k[edge_row + lane] = 0
    for edge in range(slots):
        row = base + (edge & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            (ax, ay), (bx, by) = two(s, CENTROID_A, lane), two(s, CENTROID_B, lane)
            toward_x, toward_y = sign * (bx - ax), sign * (by - ay)
            along = v[NX + row + lane] * toward_x + v[NY + row + lane] * toward_y
            most = s[MAX + lane]
            s[MAX + lane] = along if along > most else most
            k[edge_row + lane] = edge if along > most else k[edge_row + lane]
    for lane in range(LANES):
        best_edge, n = k[edge_row + lane], k[n_row + lane]
        best = g[base + best_edge * STRIDE + lane]
        before, after = (best_edge - 1 if best_edge > 0 else n - 1), (best_edge + 1 if best_edge + 1 < n else 0)
        separation_before, separation_after = g[base + before * STRIDE + lane], g[base + after * STRIDE + lane]
        step = 0
        if separation_before > best and separation_before > separation_after:
            step, best, best_edge = n - 1, separation_before, before
        elif separation_after > best:
            step, best, best_edge = 1, separation_after, after
        while step > 0:
            edge = best_edge + step
            edge = edge - n if edge >= n else edge
            separation = g[base + edge * STRIDE + lane]
            if separation <= best:
                break
            best, best_edge = separation, edge
        s[best_row + lane], k[edge_row + lane] = best, best_edge


@inlined_kernel
def _choose(s: FloatArray, k: IntArray, rule: int) -> None:
    """Choose between A's best edge and B's."""
    for lane in range(LANES):
        best_a, touch = s[BEST_A + lane], s[TOUCH + lane]
        limit = s[RADIUS_A + lane] + s[RADIUS_B + lane] + touch
        parted_by_a = best_a > limit
        best_b = np.nan if parted_by_a else s[BEST_B + lane]
        edge_b = 0 if parted_by_a else k[EDGE_B + lane]
        needed = best_a + touch if rule == EXACT else BOX2D_RELATIVE_TOLERANCE * best_a + BOX2D_ABSOLUTE_TOLERANCE
        parted_by_b = best_b > limit
        is_on_b = (best_b > needed) | parted_by_b
        s[AXIS + 2 * STRIDE + lane] = best_b if is_on_b else best_a
        put_two(s, AXIS + 4 * STRIDE, lane, best_a, best_b)
        k[SIDE + lane] = 1 if is_on_b else 0
        k[EDGE + lane] = edge_b if is_on_b else k[EDGE_A + lane]
        k[PARTED + lane] = 1 if parted_by_a | parted_by_b else 0


# Clipping


@inlined_kernel
def _copy_edge(v: FloatArray, s: FloatArray, k: IntArray, side: int, edge_row: int, to: int) -> None:
    """Copy an edge of the reference polygon (`side` 0) or of the other (1): both vertices and the normal.

    The rows differ between lanes, so this loop is not vectorized and contains nothing else.
    """
    for lane in range(LANES):
        on_b = k[SIDE + lane] != side
        edge, n = k[edge_row + lane], (k[N_B + lane] if on_b else k[N_A + lane])
        after = edge + 1 if edge + 1 < n else 0
        base = TO_B if on_b else 0
        at, at_after = base + (edge & SLOT_MASK) * STRIDE + lane, base + (after & SLOT_MASK) * STRIDE + lane
        put_two(s, to, lane, v[X + at], v[Y + at])
        put_two(s, to + 2 * STRIDE, lane, v[X + at_after], v[Y + at_after])
        put_two(s, to + 4 * STRIDE, lane, v[NX + at], v[NY + at])


@inlined_kernel
def _along(v: FloatArray, at: int, is_on_b: bool, nx: float, ny: float) -> float:
    """Return the component along (nx, ny) of A's normal at `at`, or of B's if the axis is not on B."""
    x_a, x_b = v[NX + at], v[NX + TO_B + at]
    y_a, y_b = v[NY + at], v[NY + TO_B + at]
    along: float = (x_a if is_on_b else x_b) * nx + (y_a if is_on_b else y_b) * ny
    return along


@inlined_kernel
def _find_incident(v: FloatArray, s: FloatArray, k: IntArray, slots_a: int, slots_b: int) -> None:
    """Find the first edge of the other polygon whose normal points most against the axis; lanes ignore slots that their polygon lacks."""
    for lane in range(LANES):
        s[MAX + lane] = np.inf
        k[OTHER_EDGE + lane] = 0
    for group in range(0, max(slots_a, slots_b), SLOT_GROUP):
        row, of_a, of_b = (group & SLOT_MASK) * STRIDE, group < slots_a, group < slots_b
        for lane in range(LANES):
            is_on_b = k[SIDE + lane] == 1
            nx, ny = s[REFERENCE + 4 * STRIDE + lane], s[REFERENCE + 5 * STRIDE + lane]
            least, incident = s[MAX + lane], k[OTHER_EDGE + lane]
            nearest, best = incident, least
            for edge in range(SLOT_GROUP):
                along = _along(v, row + edge * STRIDE + lane, is_on_b, nx, ny)
                nearest, best = (group + edge if along < best else nearest), (along if along < best else best)
            counts = of_a if is_on_b else of_b
            s[MAX + lane], k[OTHER_EDGE + lane] = (best if counts else least), (nearest if counts else incident)


@inlined_kernel
def _clip(s: FloatArray, k: IntArray, rule: int) -> None:
    """Clip the incident edge and fill the results that are points; see `clip` and `manifold_polygons`."""
    for lane in range(LANES):
        is_on_b, edge, incident = k[SIDE + lane] == 1, k[EDGE + lane], k[OTHER_EDGE + lane]
        n_a, n_b = k[N_A + lane], k[N_B + lane]
        radius_a, radius_b = s[RADIUS_A + lane], s[RADIUS_B + lane]
        after_edge = edge + 1 if edge + 1 < (n_b if is_on_b else n_a) else 0
        after_incident = incident + 1 if incident + 1 < (n_a if is_on_b else n_b) else 0
        (v1_x, v1_y), (v2_x, v2_y) = two(s, REFERENCE, lane), two(s, REFERENCE + 2 * STRIDE, lane)
        (x0, y0), (x1, y1), (nx, ny) = two(s, INCIDENT, lane), two(s, INCIDENT + 2 * STRIDE, lane), two(s, REFERENCE + 4 * STRIDE, lane)
        side, touch = radius_a + radius_b, s[TOUCH + lane]
        reference = Edge(v1_x, v1_y, v2_x, v2_y, nx, ny, edge, after_edge)
        left = clip(reference, Edge(x0, y0, x1, y1, 0.0, 0.0, incident, after_incident), side, side, 0.0, None)

        # Points.
        is_parted, best = k[PARTED + lane] == 1, s[AXIS + 2 * STRIDE + lane]
        is_none = is_parted | left.is_empty | (left.is_single & (rule == BOX2D))
        gap_0, gap_1 = nx * (left.x0 - v1_x) + ny * (left.y0 - v1_y), nx * (left.x1 - v1_x) + ny * (left.y1 - v1_y)
        keeps_0 = not (is_none | (gap_0 > side + touch))
        keeps_1 = not (is_none | left.is_single | (gap_1 > side + touch))
        base_radius, other_radius = (radius_b if is_on_b else radius_a), (radius_a if is_on_b else radius_b)
        lift_0, lift_1 = 0.5 * (base_radius - other_radius - gap_0), 0.5 * (base_radius - other_radius - gap_1)
        x0, y0, x1, y1 = left.x0 + lift_0 * nx, left.y0 + lift_0 * ny, left.x1 + lift_1 * nx, left.y1 + lift_1 * ny
        (px, py), (cos, sin) = two(s, POSE_A, lane), two(s, POSE_A + 2 * STRIDE, lane)
        (world_x0, world_y0), (world_x1, world_y1) = place(x0, y0, cos, sin, px, py), place(x1, y1, cos, sin, px, py)
        by_plane_0, by_plane_1 = (1 if left.by_plane_0 else 0), (1 if left.by_plane_1 else 0)
        name_0 = name_of(left.on_reference_0, left.on_incident_0, 1 - by_plane_0, by_plane_0, is_on_b)
        name_1 = name_of(left.on_reference_1, left.on_incident_1, 1 - by_plane_1, by_plane_1, is_on_b)

        has_second = keeps_0 & keeps_1
        s[POINTS + lane] = world_x0 if keeps_0 else (world_x1 if keeps_1 else 0.0)
        s[POINTS + STRIDE + lane] = world_y0 if keeps_0 else (world_y1 if keeps_1 else 0.0)
        s[POINTS + 2 * STRIDE + lane] = gap_0 if keeps_0 else (gap_1 if keeps_1 else 0.0)
        s[POINTS + 3 * STRIDE + lane] = world_x1 if has_second else 0.0
        s[POINTS + 4 * STRIDE + lane] = world_y1 if has_second else 0.0
        s[POINTS + 5 * STRIDE + lane] = gap_1 if has_second else 0.0
        cosine = abs(nx * s[INCIDENT + 4 * STRIDE + lane] + ny * s[INCIDENT + 5 * STRIDE + lane])
        amplification = 1.0 / (cosine if cosine > SAT_ROUNDING else SAT_ROUNDING)
        to_b = -1.0 if is_on_b else 1.0
        put_two(s, AXIS, lane, to_b * (cos * nx - sin * ny), to_b * (sin * nx + cos * ny))
        s[AXIS + 3 * STRIDE + lane] = amplification if left.is_cut & (not is_parted) else 0.0
        k[COUNT + lane] = (1 if keeps_0 else 0) + (1 if keeps_1 else 0)
        k[NAMES + lane] = name_0 if keeps_0 else (name_1 if keeps_1 else 0)
        k[NAMES + STRIDE + lane] = name_1 if has_second else 0
        deepest = gap_0 if keeps_0 else np.inf
        deepest = gap_1 if keeps_1 & (gap_1 < deepest) else deepest
        is_lacking, is_at_zero = not (deepest <= best + LACKING_ROUNDINGS * touch), (best <= touch) & (best >= -touch)
        k[AGAIN + lane] = 1 if (is_lacking | is_at_zero) & (not is_parted) & (rule == EXACT) else 0


# Circles


@inlined_kernel
def _find_corner(v: FloatArray, s: FloatArray, k: IntArray, rule: int) -> None:
    """Find the center's Voronoi region: mark the lanes in which it is a corner's, with the vector from there, that corner and the next;
    mark those that the scalar kernel must decide, within rounding of an edge's line and past the edge.
    """
    for lane in range(LANES):
        (v1_x, v1_y), (v2_x, v2_y) = two(s, REFERENCE, lane), two(s, REFERENCE + 2 * STRIDE, lane)
        x, y = v[X + TO_B + lane], v[Y + TO_B + lane]
        past_v1 = (x - v1_x) * (v2_x - v1_x) + (y - v1_y) * (v2_y - v1_y)
        past_v2 = (x - v2_x) * (v1_x - v2_x) + (y - v2_y) * (v1_y - v2_y)
        in_front = s[BEST_A + lane]
        reach = s[RADIUS_B + lane] + s[RADIUS_A + lane] + s[TOUCH + lane]
        in_reach = (s[INSIDE + lane] <= in_front) & (in_front <= reach)
        s[DX + lane] = x - v1_x if past_v1 <= 0.0 else x - v2_x
        s[DY + lane] = y - v1_y if past_v1 <= 0.0 else y - v2_y
        is_past = (past_v1 <= 0.0) | (past_v2 <= 0.0)
        k[CORNER + lane] = 1 if in_reach & is_past else 0
        is_at_zero = (in_front >= -s[TOUCH + lane]) & (in_front < s[INSIDE + lane])
        k[AGAIN + lane] = 1 if is_past & is_at_zero & (rule == EXACT) else 0
        edge, n = k[EDGE + lane], k[N_A + lane]
        after = edge + 1 if edge + 1 < n else 0
        before, next_after = (edge - 1 if edge > 0 else n - 1), (after + 1 if after + 1 < n else 0)
        k[EDGE_A + lane], k[EDGE_B + lane] = (
            (edge if past_v1 <= 0.0 else after), (before if past_v1 <= 0.0 else next_after)
        )  # fmt: skip


@inlined_kernel
def _measure_corner(v: FloatArray, s: FloatArray, k: IntArray, rule: int) -> None:
    """Fill the distance from the corner, and mark the lanes in which the center is beside the next edge; see `edge_beside`."""
    for lane in range(LANES):
        s[LENGTH + lane] = 1.0
        if k[CORNER + lane] == 1:
            dx, dy = s[DX + lane], s[DY + lane]
            s[LENGTH + lane] = math.hypot(dx, dy)
            corner = (k[EDGE_A + lane] & SLOT_MASK) * STRIDE + lane
            beyond = (k[EDGE_B + lane] & SLOT_MASK) * STRIDE + lane
            along = dx * (v[X + beyond] - v[X + corner])
            along += dy * (v[Y + beyond] - v[Y + corner])
            if along > 0.0 and rule == EXACT:
                k[AGAIN + lane] = 1


@inlined_kernel
def _point(s: FloatArray, k: IntArray, lane: int, touches: bool, x: float, y: float, separation: float) -> None:
    """Fill the only point, or none."""
    put_two(s, POINTS, lane, x if touches else 0.0, y if touches else 0.0)
    s[POINTS + 2 * STRIDE + lane] = separation if touches else 0.0
    s[POINTS + 3 * STRIDE + lane] = s[POINTS + 4 * STRIDE + lane] = s[POINTS + 5 * STRIDE + lane] = 0.0
    k[COUNT + lane] = 1 if touches else 0
    k[NAMES + lane] = k[NAMES + STRIDE + lane] = 0


@inlined_kernel
def _touch_circle(v: FloatArray, s: FloatArray, k: IntArray, is_swapped: bool) -> None:
    """Fill the results of polygon and circle from the distance from the corner; see `manifold_polygon_circle`."""
    to_circle, side = (-1.0, 1) if is_swapped else (1.0, 0)
    for lane in range(LANES):
        is_corner, in_front = k[CORNER + lane] == 1, s[BEST_A + lane]
        inverse = 1.0 / s[LENGTH + lane]
        corner_nx, corner_ny = s[DX + lane] * inverse, s[DY + lane] * inverse
        nx = corner_nx if is_corner else s[REFERENCE + 4 * STRIDE + lane]
        ny = corner_ny if is_corner else s[REFERENCE + 5 * STRIDE + lane]
        gap = s[LENGTH + lane] if is_corner else in_front
        radius, skin = s[RADIUS_B + lane], s[RADIUS_A + lane]
        (px, py), (cos, sin) = two(s, POSE_A, lane), two(s, POSE_A + 2 * STRIDE, lane)
        s[AXIS + lane] = to_circle * (cos * nx - sin * ny)
        s[AXIS + STRIDE + lane] = to_circle * (sin * nx + cos * ny)
        put_two(s, AXIS + 2 * STRIDE, lane, gap - radius, inverse if is_corner else 0.0)
        put_two(s, AXIS + 4 * STRIDE, lane, in_front - radius, np.nan)
        k[SIDE + lane] = side
        touches = not (gap > radius + skin + s[TOUCH + lane])
        lift = 0.5 * (skin - gap - radius)
        x, y = v[X + TO_B + lane] + lift * nx, v[Y + TO_B + lane] + lift * ny
        world_x, world_y = place(x, y, cos, sin, px, py)
        _point(s, k, lane, touches, world_x, world_y, gap - radius)


@inlined_kernel
def _touch_circles(v: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Fill the results of two circles from the distance of the centers; see `manifold_circles`."""
    for lane in range(LANES):
        dx, dy, distance = s[DX + lane], s[DY + lane], s[LENGTH + lane]
        (px, py), (cos, sin) = two(s, POSE_A, lane), two(s, POSE_A + 2 * STRIDE, lane)
        has_direction = distance > s[INSIDE + lane]
        inverse = 1.0 / distance
        along_x, along_y = (cos * dx - sin * dy) * inverse, (sin * dx + cos * dy) * inverse
        nx, ny = (along_x if has_direction else 1.0), (along_y if has_direction else 0.0)
        radius_a, radius_b = s[RADIUS_A + lane], s[RADIUS_B + lane]
        gap = distance - radius_a - radius_b
        s[AXIS + lane], s[AXIS + STRIDE + lane], s[AXIS + 2 * STRIDE + lane] = nx, ny, gap
        s[AXIS + 3 * STRIDE + lane] = inverse if has_direction else 0.0
        put_two(s, AXIS + 4 * STRIDE, lane, gap, np.nan)
        k[SIDE + lane], k[EDGE + lane] = -1, 0
        touches = not (gap > s[TOUCH + lane])
        mid_x, mid_y = v[X + lane] + 0.5 * dx, v[Y + lane] + 0.5 * dy
        lift = 0.5 * (radius_a - radius_b)
        world_x, world_y = place(mid_x, mid_y, cos, sin, px, py)
        world_x, world_y = world_x + lift * nx, world_y + lift * ny
        _point(s, k, lane, touches, world_x, world_y, gap)
        k[AGAIN + lane] = 0


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
    """Load a block; lanes past the end of `chosen` repeat its last row. A lane's A is the polygon, if there is one."""
    (v, _, s, k), is_swapped, last = block, kinds == CIRCLE_AND_POLYGON, chosen.shape[0] - 1
    for lane in range(LANES):
        row = chosen[np.uint64(min(lane, last))]
        first, second, first_pose, second_pose = _places_of(query, row)
        a, b = (second, first) if is_swapped else (first, second)
        k[PLACE_A + lane], k[PLACE_B + lane] = a * RECORD, b * RECORD
        k[PLACE_POSE_A + lane] = query.pose_size * (second_pose if is_swapped else first_pose)
        k[PLACE_POSE_B + lane] = query.pose_size * (first_pose if is_swapped else second_pose)
        k[N_A + lane], k[N_B + lane] = query.n_vertices[np.uint64(a)], query.n_vertices[np.uint64(b)]
        k[PLACE_RESULT + lane] = 6 * row
    if is_swapped:
        load_numbers(s, k, query.records, query.poses_b, query.poses_a, query.pose_size, True, query.rule)
    else:
        load_numbers(s, k, query.records, query.poses_a, query.poses_b, query.pose_size, False, query.rule)
    load_slots(v, k, PLACE_A, 0, slots_a, query.records, kinds != CIRCLES)
    load_slots(v, k, PLACE_B, TO_B, slots_b, query.records, kinds == POLYGONS)


@inlined_kernel
def _store(block: Block, chosen: IntArray, query: _Query, rest: IntArray, n_rest: int) -> int:
    """Write the lanes' results to the caller's rows; return the number of rows now in `rest`."""
    s, k, (count, points, names, axis, reference) = block.s, block.k, query.columns
    for lane in range(0, LANES, EIGHT):
        for field in range(0, 4, 2):
            return_eight(points, k, PLACE_RESULT + lane, field, s, POINTS + field * STRIDE + lane, STRIDE)
            return_eight(axis, k, PLACE_RESULT + lane, field, s, AXIS + field * STRIDE + lane, STRIDE)
    for lane in range(chosen.shape[0]):
        row, n = np.uint64(chosen[np.uint64(lane)]), k[COUNT + lane]
        count[row] = n
        names[row, 0], names[row, 1] = k[NAMES + lane], k[NAMES + STRIDE + lane]
        reference[row, 0], reference[row, 1] = k[SIDE + lane], k[EDGE + lane]
        if query.normals.shape[0] > 0:
            x, y = two(s, AXIS, lane)
            query.normals[row, 0], query.normals[row, 1] = (x if n > 0 else 0.0), (y if n > 0 else 0.0)
        rest[np.uint64(n_rest)] = row
        n_rest += 1 if (k[AGAIN + lane] == 1) | (s[IS_FINE + lane] == 0.0) else 0
    return n_rest


@borrowing_kernel
def _polygons_block(block: Block, chosen: IntArray, slots_a: int, slots_b: int, query: _Query, rest: IntArray, n_rest: int) -> int:
    """Fill the `chosen` rows, at most `LANES`, of two polygons each, except those it appends to `rest`; return the length of `rest`."""
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
    _copy_edge(v, s, k, 0, EDGE, REFERENCE)
    _find_incident(v, s, k, slots_a, slots_b)
    _copy_edge(v, s, k, 1, OTHER_EDGE, INCIDENT)
    _clip(s, k, rule)
    return _store(block, chosen, query, rest, n_rest)


@borrowing_kernel
def _polygon_circle_block(
    block: Block, chosen: IntArray, slots: int, is_swapped: bool, query: _Query, rest: IntArray, n_rest: int
) -> int:  # fmt: skip
    """Do the same for a polygon and a circle, in that order or `is_swapped`; the polygon is the lane's A."""
    v, g, s, k = block
    _load(block, chosen, slots, SLOT_GROUP, CIRCLE_AND_POLYGON if is_swapped else POLYGON_AND_CIRCLE, query)
    move_b(v, s, 1, False)
    for edge in range(slots):
        of = (edge & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            nx, ny, x, y = v[NX + of + lane], v[NY + of + lane], v[X + of + lane], v[Y + of + lane]
            g[of + lane] = nx * (v[X + TO_B + lane] - x) + ny * (v[Y + TO_B + lane] - y)
    for lane in range(LANES):
        k[SIDE + lane] = 0
    _pick_greatest(g, s, k, 0, slots, BEST_A, EDGE)
    _copy_edge(v, s, k, 0, EDGE, REFERENCE)
    _find_corner(v, s, k, query.rule)
    _measure_corner(v, s, k, query.rule)
    _touch_circle(v, s, k, is_swapped)
    return _store(block, chosen, query, rest, n_rest)


@borrowing_kernel
def _circles_block(block: Block, chosen: IntArray, query: _Query, rest: IntArray, n_rest: int) -> int:
    """Do the same for two circles."""
    v, _, s, k = block
    _load(block, chosen, SLOT_GROUP, SLOT_GROUP, CIRCLES, query)
    move_b(v, s, 1, False)
    for lane in range(LANES):
        put_two(s, DX, lane, v[X + TO_B + lane] - v[X + lane], v[Y + TO_B + lane] - v[Y + lane])
    for lane in range(LANES):
        s[LENGTH + lane] = math.hypot(s[DX + lane], s[DY + lane])
    _touch_circles(v, s, k)
    return _store(block, chosen, query, rest, n_rest)


@inlined_kernel
def _answer_block(
    block: Block, chosen: IntArray, kinds: int, size_a: int, size_b: int, query: _Query, rest: IntArray, n_rest: int
) -> int:  # fmt: skip
    """Fill the `chosen` rows; see `drive`."""
    slots_a, slots_b = SLOT_GROUP * (size_a + 1), SLOT_GROUP * (size_b + 1)
    if kinds == POLYGONS:
        return _polygons_block(block, chosen, slots_a, slots_b, query, rest, n_rest)
    if kinds == CIRCLES:
        return _circles_block(block, chosen, query, rest, n_rest)
    return _polygon_circle_block(block, chosen, max(slots_a, slots_b), kinds == CIRCLE_AND_POLYGON, query, rest, n_rest)


@inlined_kernel
def _list_of(row: int, query: _Query) -> int:
    """Return the number of the list for a row; see `drive`."""
    n_ends = np.uint64(query.kind.shape[0] if query.which.shape[0] == 0 else query.which.shape[0])
    if np.uint64(query.pairs[row, 0]) >= n_ends or np.uint64(query.pairs[row, 1]) >= n_ends:
        return OUT_OF_RANGE
    a, b, _, _ = _places_of(query, row)
    return list_of_kinds(query.kind, query.n_vertices, a, b)


@inlined_kernel
def _fetch(row: int, query: _Query) -> None:
    """Prefetch most data of a pair that will be read or written, and the next pairs."""
    if query.is_scattered:
        fetch(query.pairs, 2 * (row + LANES))
        fetch_shapes(query.records, query.pairs, query.n_vertices, row, True)
        fetch(query.poses_a, query.pose_size * row)
        fetch(query.poses_b, query.pose_size * row)
        fetch(query.columns[1], 6 * row)
        fetch(query.columns[3], 6 * row)


@unlocked_kernel
def manifolds_simd(
    packed: Arrays, records: FloatArray, which: IntArray, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int,
    columns: Arrays, normals: FloatArray, scratch: FloatArray, rest: IntArray,
) -> int:  # fmt: skip
    """Fill the rows of all `pairs` that can be processed in lanes; list the others in `rest` and return their number.

    Arguments are those of `manifold_pairs`, except: poses (n, 4), or (n, 3) x, y, angle; `records` as in `PackedShapes`; `which`, empty, or
    the shape of each body if pairs are of bodies, with their poses as both `poses_a` and `poses_b`; `normals`, empty or to be filled as by
    `contact_normals`; `scratch` (SCRATCH,); `rest` (n + 1,). Rows whose poses are not finite are among the others. Returns -1, with some
    rows filled, at an index out of range.
    """
    shapes = Shapes(*packed)
    query = _Query(
        shapes.kind, shapes.n_vertices, records.reshape(-1), which, pairs, poses_a.reshape(-1), poses_b.reshape(-1), poses_a.shape[1],
        rule, columns, normals, which.shape[0] == 0 and shapes.kind.shape[0] >= FETCHED_FROM,
    )  # fmt: skip
    block = block_in(scratch, np.empty(AGAIN + STRIDE, dtype=np.int64))
    return drive(_list_of, _fetch, _answer_block, N_KINDS, N_SIZES, block, query, pairs, rest)


@kernel
def contact_normals(count: IntArray, axis: FloatArray) -> FloatArray:
    """Return the axes (n, 2) of the rows that have a contact, zero for the others."""
    normals = np.empty((count.shape[0], 2))
    for row in range(count.shape[0]):
        touches = count[row] > 0
        normals[row, 0], normals[row, 1] = (axis[row, 0] if touches else 0.0), (axis[row, 1] if touches else 0.0)
    return normals
