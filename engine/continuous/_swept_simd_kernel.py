"""First and last contact of many pairs of translating polygons: 64 pairs in parallel lanes.

The algorithm is described in `_swept_kernel`, and lanes in `engine.narrowphase._simd_kernel`; read these first. On each edge's normal the
separation is linear in time, so each pair is an intersection of half-lines, with one division per edge and no branches: all pairs of a
block take the same path, and none waits for another. A and B have separate numbers of slots, because every edge of one is tested against
every corner of the other; pairs are collected in lists by both sizes.

A block reads the caller's arrays: indices are checked when a pair is appended to its list, numbers and poses in the lanes, where cosine and
sine are computed too.

Results are bit-identical to the scalar kernel's, which processes all other pairs: skins, circles, capsules and segments, polygons of more
than 16 vertices, angles too large for `small_turn`, and pairs whose separation at time 0 is within rounding, so that the distance decides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common._lanes_kernel import EIGHT, fetch, return_eight, turn_eight
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel, unlocked_kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.continuous._swept_kernel import SWEPT_SIZE, TIMES_SIZE
from engine.contracts.status import HIT, MISS, OVERLAPPING
from engine.geometry._rotation_kernel import cosine_and_sine_of_small
from engine.geometry.rotation import MAX_TURNED
from engine.narrowphase._sides_kernel import place, relative_pose
from engine.narrowphase._simd_kernel import (
    LANES,
    N_SIZES,
    NX,
    NY,
    OUT_OF_RANGE,
    SCALAR,
    SLOT_MASK,
    STRIDE,
    TO_B,
    VERTEX_END,
    Block,
    X,
    Y,
    drive,
    fetch_shapes,
    load_short,
    load_slots,
    move_slots,
    put_two,
    two,
)
from engine.narrowphase.packing import RECORD, SLOT_GROUP, SLOTS

__all__ = ["SCRATCH", "swept_simd"]

# Places in `g`: the coordinate of the other's nearest corner along the normals of one polygon's edges.
_NEAREST_END = SLOTS * STRIDE

# Places in `s`: poses x, y, angle, of A then cos, sin; velocities; the records' first four, of which radius and extent are used; the
# frame; w in A's frame; the half-lines so far; the answer.
_POSE_A, _POSE_B, _VELOCITY_A, _VELOCITY_B, _HEAD_A, _HEAD_B, _FRAME, _W, _TOUCH, _GAP, _BLOCKED, _T_FIRST, _T_LAST, _N = (
    row * STRIDE for row in (0, 4, 8, 10, 12, 16, 20, 24, 26, 27, 28, 29, 30, 31)
)  # fmt: skip
_RADIUS_A, _EXTENT_A, _RADIUS_B, _EXTENT_B = _HEAD_A + 2 * STRIDE, _HEAD_A + 3 * STRIDE, _HEAD_B + 2 * STRIDE, _HEAD_B + 3 * STRIDE
_FORWARD_A, _FORWARD_B, _LOW, _HIGH, _LOW_B, _HIGH_B, _SHIFT, _, _ODD, _RESULT = (row * STRIDE for row in range(33, 43))

SCRATCH = VERTEX_END + _NEAREST_END + _RESULT + SWEPT_SIZE * STRIDE
"""Numbers of `v`, `g` and `s` together."""

# Places in `k`: the status, or `_UNSURE`; the points of the contact; the places of records, poses, velocities and the result in memory.
_STATUS, _COUNT, _AT_A, _AT_B, _AT_POSE, _AT_VELOCITY, _AT_RESULT, _INTEGER_END = (row * STRIDE for row in range(8))
_POSE, _VELOCITY = 3, 2
"""Numbers of a pose, x, y, angle, and of a velocity."""
_UNSURE = -1


_MIN_CORNERS = 3
"""Minimum number of vertices of a polygon."""


class _Query(NamedTuple):
    """Arguments of `swept_simd`, with records, poses and velocities each in one row."""

    n_vertices: IntArray
    records: FloatArray
    pairs: IntArray
    poses_a: FloatArray
    velocities_a: FloatArray
    poses_b: FloatArray
    velocities_b: FloatArray
    t_max: float
    with_contact: bool
    status: IntArray
    counts: IntArray
    results: FloatArray


@inlined_kernel
def _load(v: FloatArray, s: FloatArray, k: IntArray, chosen: IntArray, slots_a: int, slots_b: int, query: _Query) -> None:
    """Load a block; lanes past the end of `chosen` repeat its last row and write the same result to the same place."""
    last, width = chosen.shape[0] - 1, SWEPT_SIZE if query.with_contact else TIMES_SIZE
    records, pairs, last_row = query.records, query.pairs, 0
    for lane in range(LANES):
        row = np.uint64(chosen[np.uint64(min(lane, last))])
        last_row = max(last_row, int(row))
        k[_AT_A + lane], k[_AT_B + lane] = RECORD * pairs[row, 0], RECORD * pairs[row, 1]
        k[_AT_POSE + lane], k[_AT_VELOCITY + lane] = _POSE * row, _VELOCITY * row
        k[_AT_RESULT + lane] = width * row
    load_short(s, k, _POSE_A, _AT_POSE, query.poses_a, _POSE, last_row)
    load_short(s, k, _POSE_B, _AT_POSE, query.poses_b, _POSE, last_row)
    load_short(s, k, _VELOCITY_A, _AT_VELOCITY, query.velocities_a, _VELOCITY, last_row)
    load_short(s, k, _VELOCITY_B, _AT_VELOCITY, query.velocities_b, _VELOCITY, last_row)
    for lane in range(0, LANES, EIGHT):
        turn_eight(s, _HEAD_A + lane, STRIDE, records, k, _AT_A + lane, 0)
        turn_eight(s, _HEAD_B + lane, STRIDE, records, k, _AT_B + lane, 0)
    load_slots(v, k, _AT_A, 0, slots_a, records)
    load_slots(v, k, _AT_B, TO_B, slots_b, records)


@inlined_kernel
def _place(v: FloatArray, s: FloatArray, slots: int) -> None:
    """Transform B's core and normals, and w, to A's frame, and compute the rounding; see `move_to_frame`."""
    for lane in range(LANES):
        (ax, ay), (bx, by), (vx_a, vy_a), (vx_b, vy_b) = (
            two(s, _POSE_A, lane), two(s, _POSE_B, lane), two(s, _VELOCITY_A, lane), two(s, _VELOCITY_B, lane),
        )  # fmt: skip
        angle_a, angle_b = s[_POSE_A + 2 * STRIDE + lane], s[_POSE_B + 2 * STRIDE + lane]
        cos_a, sin_a = cosine_and_sine_of_small(angle_a)
        cos_b, sin_b = cosine_and_sine_of_small(angle_b)
        put_two(s, _POSE_A + 2 * STRIDE, lane, cos_a, sin_a)
        cos, sin, shift_x, shift_y = relative_pose(ax, ay, cos_a, sin_a, bx, by, cos_b, sin_b)
        put_two(s, _FRAME, lane, cos, sin)
        put_two(s, _FRAME + 2 * STRIDE, lane, shift_x, shift_y)
        vx, vy = vx_b - vx_a, vy_b - vy_a
        put_two(s, _W, lane, cos_a * vx + sin_a * vy, cos_a * vy - sin_a * vx)
        scale = abs(ax) + abs(ay) + abs(bx) + abs(by) + s[_EXTENT_A + lane] + s[_EXTENT_B + lane]
        s[_TOUCH + lane] = SAT_ROUNDING * scale
        all_numbers = scale + (abs(vx_a) + abs(vy_a)) + (abs(vx_b) + abs(vy_b))
        is_fine = (all_numbers < np.inf) & (abs(angle_a) <= MAX_TURNED) & (abs(angle_b) <= MAX_TURNED)
        is_fine = is_fine & (s[_RADIUS_A + lane] + s[_RADIUS_B + lane] == 0.0)
        s[_ODD + lane] = 0.0 if is_fine else 1.0
        s[_GAP + lane], s[_BLOCKED + lane] = -np.inf, 0.0
        s[_T_FIRST + lane], s[_T_LAST + lane] = -np.inf, np.inf
        s[_N + lane] = s[_N + STRIDE + lane] = 0.0
    move_slots(v, s, _FRAME, slots, True)


@inlined_kernel
def _nearest_of_four(v: FloatArray, at: int, nx: float, ny: float, nearest: float) -> float:
    """Return the least of `nearest` and of the coordinates of the corner at `at` and the next three along the normal."""
    along_0 = nx * v[X + at] + ny * v[Y + at]
    along_1 = nx * v[X + STRIDE + at] + ny * v[Y + STRIDE + at]
    along_2 = nx * v[X + 2 * STRIDE + at] + ny * v[Y + 2 * STRIDE + at]
    along_3 = nx * v[X + 3 * STRIDE + at] + ny * v[Y + 3 * STRIDE + at]
    low, high = (along_0 if along_0 < along_1 else along_1), (along_2 if along_2 < along_3 else along_3)
    low = low if low < high else high
    return low if low < nearest else nearest


@inlined_kernel
def _find_nearest(v: FloatArray, g: FloatArray, of_edges: int, of_corners: int, slots: int, others: int) -> None:
    """Find for each edge the coordinate of the other's nearest corner along its normal.

    One pass processes four edges and four or eight corners, in half the time of a pass per edge, because a corner is read once for four.
    """
    corners = of_corners
    for first_edge in range(0, slots, SLOT_GROUP):
        row = (first_edge & SLOT_MASK) * STRIDE
        if others == SLOT_GROUP:
            for lane in range(LANES):
                for edge in range(SLOT_GROUP):
                    at = of_edges + edge * STRIDE + row + lane
                    nx, ny = v[NX + at], v[NY + at]
                    g[edge * STRIDE + row + lane] = _nearest_of_four(v, corners + lane, nx, ny, np.inf)
        else:
            for lane in range(LANES):
                for edge in range(SLOT_GROUP):
                    at = of_edges + edge * STRIDE + row + lane
                    nx, ny = v[NX + at], v[NY + at]
                    nearest = _nearest_of_four(v, corners + lane, nx, ny, np.inf)
                    g[edge * STRIDE + row + lane] = _nearest_of_four(v, corners + SLOT_GROUP * STRIDE + lane, nx, ny, nearest)
            for corner in range(2 * SLOT_GROUP, others, SLOT_GROUP):
                corner_row = corners + (corner & SLOT_MASK) * STRIDE
                for lane in range(LANES):
                    for edge in range(SLOT_GROUP):
                        at, to = of_edges + edge * STRIDE + row + lane, edge * STRIDE + row + lane
                        g[to] = _nearest_of_four(v, corner_row + lane, v[NX + at], v[NY + at], g[to])


@inlined_kernel
def _clip_by_edges(v: FloatArray, g: FloatArray, s: FloatArray, of_edges: int, sign: float, slots: int) -> None:
    """Clip the interval to the half-lines of one polygon's edges; `sign` is 1 for A and -1 for B, whose edges see the opposite motion."""
    for first_edge in range(0, slots, SLOT_GROUP):
        row = (first_edge & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            wx, wy, touch = sign * s[_W + lane], sign * s[_W + STRIDE + lane], s[_TOUCH + lane]
            gap, blocked = s[_GAP + lane], s[_BLOCKED + lane]
            (t_first, t_last), (normal_x, normal_y) = two(s, _T_FIRST, lane), two(s, _N, lane)
            for edge in range(SLOT_GROUP):
                at = of_edges + edge * STRIDE + row + lane
                nx, ny, x, y = v[NX + at], v[NY + at], v[X + at], v[Y + at]
                separation = g[edge * STRIDE + row + lane] - (nx * x + ny * y)
                rate = nx * wx + ny * wy
                crossing = -separation / rate
                gap = separation if separation > gap else gap
                blocked = 1.0 if (rate == 0.0) & (separation > touch) else blocked
                t_last = crossing if (rate > 0.0) & (crossing < t_last) else t_last
                is_later = (rate < 0.0) & (crossing > t_first)
                t_first = crossing if is_later else t_first
                normal_x, normal_y = (sign * nx if is_later else normal_x), (sign * ny if is_later else normal_y)
            s[_GAP + lane], s[_BLOCKED + lane] = gap, blocked
            s[_T_FIRST + lane], s[_T_LAST + lane] = t_first, t_last
            put_two(s, _N, lane, normal_x, normal_y)


@inlined_kernel
def _decide(s: FloatArray, k: IntArray, t_max: float) -> None:
    """Fill the status, the times and the normal in the world frame; see `swept_pair`."""
    for lane in range(LANES):
        gap, touch, blocked = s[_GAP + lane], s[_TOUCH + lane], s[_BLOCKED + lane]
        (t_first, t_last), (wx, wy) = two(s, _T_FIRST, lane), two(s, _W, lane)
        is_still = (wx == 0.0) & (wy == 0.0)
        is_inside, is_unsure = gap <= 0.0, (gap > 0.0) & (gap <= touch)
        misses = is_still | (blocked > 0.0) | (t_first > t_last) | (t_first < 0.0) | (t_first > t_max)
        status = OVERLAPPING if is_inside else (MISS if misses else HIT)
        k[_STATUS + lane] = _UNSURE if is_unsure | (s[_ODD + lane] > 0.0) else status
        ends = np.inf if is_still else (t_last if t_last > 0.0 else 0.0)
        is_hit = status == HIT
        (cos, sin), (nx, ny) = two(s, _POSE_A + 2 * STRIDE, lane), two(s, _N, lane)
        s[_RESULT + lane] = t_first if is_hit else (0.0 if is_inside else np.inf)
        s[_RESULT + STRIDE + lane] = t_last if is_hit else (ends if is_inside else np.inf)
        s[_RESULT + 2 * STRIDE + lane] = cos * nx - sin * ny if is_hit else 0.0
        s[_RESULT + 3 * STRIDE + lane] = sin * nx + cos * ny if is_hit else 0.0


@inlined_kernel
def _find_forward(v: FloatArray, s: FloatArray, of_core: int, forward: int, sign: float, slots: int) -> None:
    """Find the extent of a core along the normal, or against it."""
    for lane in range(LANES):
        s[forward + lane] = -np.inf
    for first_slot in range(0, slots, SLOT_GROUP):
        row = of_core + (first_slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            nx, ny, best = sign * s[_N + lane], sign * s[_N + STRIDE + lane], s[forward + lane]
            for slot in range(SLOT_GROUP):
                along = nx * v[X + slot * STRIDE + row + lane] + ny * v[Y + slot * STRIDE + row + lane]
                best = along if along > best else best
            s[forward + lane] = best


@inlined_kernel
def _find_interval(v: FloatArray, s: FloatArray, of_core: int, forward: int, low_row: int, sign: float, slots: int) -> None:
    """Find the interval on the tangent of the foremost corners, B's translated to the contact; see `touching_interval`."""
    for lane in range(LANES):
        put_two(s, low_row, lane, np.inf, -np.inf)
        s[_SHIFT + lane] = s[_T_FIRST + lane] * s[_W + lane] if sign < 0.0 else 0.0
        s[_SHIFT + STRIDE + lane] = s[_T_FIRST + lane] * s[_W + STRIDE + lane] if sign < 0.0 else 0.0
    for first_slot in range(0, slots, SLOT_GROUP):
        row = of_core + (first_slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            (nx, ny), (shift_x, shift_y), (low, high) = two(s, _N, lane), two(s, _SHIFT, lane), two(s, low_row, lane)
            least = s[forward + lane] - s[_TOUCH + lane]
            for slot in range(SLOT_GROUP):
                x, y = v[X + slot * STRIDE + row + lane], v[Y + slot * STRIDE + row + lane]
                counts = (sign * nx) * x + (sign * ny) * y >= least
                x, y = x + shift_x, y + shift_y
                along = nx * y - ny * x
                low, high = (along if counts & (along < low) else low), (along if counts & (along > high) else high)
            put_two(s, low_row, lane, low, high)


@inlined_kernel
def _find_contact(v: FloatArray, s: FloatArray, k: IntArray, slots_a: int, slots_b: int) -> None:
    """Fill the points of the contact: its middle and its ends."""
    _find_forward(v, s, 0, _FORWARD_A, 1.0, slots_a)
    _find_forward(v, s, TO_B, _FORWARD_B, -1.0, slots_b)
    _find_interval(v, s, 0, _FORWARD_A, _LOW, 1.0, slots_a)
    _find_interval(v, s, TO_B, _FORWARD_B, _LOW_B, -1.0, slots_b)
    for lane in range(LANES):
        (low_a, high_a), (low_b, high_b) = two(s, _LOW, lane), two(s, _LOW_B, lane)
        low, high = (low_a if low_a > low_b else low_b), (high_a if high_a < high_b else high_b)
        touch, is_edge_a = s[_TOUCH + lane], high_a - low_a > s[_TOUCH + lane]
        is_at_end = (low - high > touch) & (is_edge_a != (high_b - low_b > touch))
        end = high if (low_b > high_a) == is_edge_a else low
        low, high = (end if is_at_end else low), (end if is_at_end else high)
        is_hit, is_segment = k[_STATUS + lane] == HIT, high - low > touch
        (nx, ny), forward, t = two(s, _N, lane), s[_FORWARD_A + lane], s[_T_FIRST + lane]
        (ax, ay), (cos, sin), (vx, vy) = two(s, _POSE_A, lane), two(s, _POSE_A + 2 * STRIDE, lane), two(s, _VELOCITY_A, lane)
        for point in range(3):
            along = 0.5 * (low + high)
            if point > 0:
                along = (low if point == 1 else high) if is_segment else along
            x, y = place(nx * forward - ny * along, ny * forward + nx * along, cos, sin, ax, ay)
            is_there = is_hit & ((point < 2) | is_segment)
            s[_RESULT + 4 * STRIDE + 2 * point * STRIDE + lane] = x + t * vx if is_there else 0.0
            s[_RESULT + 5 * STRIDE + 2 * point * STRIDE + lane] = y + t * vy if is_there else 0.0
        k[_COUNT + lane] = (2 if is_segment else 1) if is_hit else 0


@inlined_kernel
def _store(s: FloatArray, k: IntArray, chosen: IntArray, query: _Query, rest: IntArray, n_rest: int) -> int:
    """Write the results to the caller's rows; return the number of rows now in `rest`."""
    results, last = query.results, SWEPT_SIZE - SLOT_GROUP
    for lane in range(0, LANES, EIGHT):
        return_eight(results, k, _AT_RESULT + lane, 0, s, _RESULT + lane, STRIDE)
        if query.with_contact:
            return_eight(results, k, _AT_RESULT + lane, TIMES_SIZE, s, _RESULT + TIMES_SIZE * STRIDE + lane, STRIDE)
            return_eight(results, k, _AT_RESULT + lane, last, s, _RESULT + last * STRIDE + lane, STRIDE)
    for lane in range(chosen.shape[0]):
        row, status = np.uint64(chosen[np.uint64(lane)]), k[_STATUS + lane]
        query.status[row] = status
        if query.with_contact:
            query.counts[row] = k[_COUNT + lane]
        rest[np.uint64(n_rest)] = row
        n_rest += 1 if status == _UNSURE else 0
    return n_rest


@kernel
def _find_times(v: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, slots_a: int, slots_b: int, t_max: float) -> None:
    """Compute the results of one block except the points of contact."""
    _place(v, s, slots_b)
    _find_nearest(v, g, 0, TO_B, slots_a, slots_b)
    _clip_by_edges(v, g, s, 0, 1.0, slots_a)
    _find_nearest(v, g, TO_B, 0, slots_b, slots_a)
    _clip_by_edges(v, g, s, TO_B, -1.0, slots_b)
    _decide(s, k, t_max)


@inlined_kernel
def _answer_block(
    block: Block, chosen: IntArray, kind: int, size_a: int, size_b: int, query: _Query, rest: IntArray, n_rest: int
) -> int:  # fmt: skip
    """Fill the `chosen` rows; see `drive`."""
    return _polygons_block(block, chosen, SLOT_GROUP * (size_a + 1), SLOT_GROUP * (size_b + 1), query, rest, n_rest)


@kernel
def _polygons_block(block: Block, chosen: IntArray, slots_a: int, slots_b: int, query: _Query, rest: IntArray, n_rest: int) -> int:
    """Fill the `chosen` rows, at most `LANES`, except those it appends to `rest`; return the length of `rest`."""
    v, g, s, k = block
    _load(v, s, k, chosen, slots_a, slots_b, query)
    _find_times(v, g, s, k, slots_a, slots_b, query.t_max)
    if query.with_contact:
        _find_contact(v, s, k, slots_a, slots_b)
    return _store(s, k, chosen, query, rest, n_rest)


@inlined_kernel
def _fetch(row: int, query: _Query) -> None:
    """Prefetch all data of a pair that will be read or written, and the next pairs."""
    fetch_shapes(query.records, query.pairs, query.n_vertices, row, True)
    fetch(query.pairs, 2 * (row + LANES))
    fetch(query.poses_a, 3 * row)
    fetch(query.poses_b, 3 * row)
    fetch(query.velocities_a, 2 * row)
    fetch(query.velocities_b, 2 * row)
    fetch(query.status, row)
    if query.with_contact:
        fetch(query.counts, row)
        fetch(query.results, SWEPT_SIZE * row)
        fetch(query.results, SWEPT_SIZE * (row + 1) - 1)
    else:
        fetch(query.results, TIMES_SIZE * row)


@inlined_kernel
def _list_of(row: int, query: _Query) -> int:
    """Return the number of the list for a row; see `drive`."""
    a, b = np.uint64(query.pairs[row, 0]), np.uint64(query.pairs[row, 1])
    if a >= np.uint64(query.n_vertices.shape[0]) or b >= np.uint64(query.n_vertices.shape[0]):
        return OUT_OF_RANGE
    n_a, n_b = query.n_vertices[a], query.n_vertices[b]
    number = N_SIZES * ((n_a - 1) // SLOT_GROUP) + (n_b - 1) // SLOT_GROUP
    return SCALAR if (min(n_a, n_b) < _MIN_CORNERS) | (max(n_a, n_b) > SLOTS) else number


@unlocked_kernel
def swept_simd(
    n_vertices: IntArray, records: FloatArray, pairs: IntArray, poses_a: FloatArray, velocities_a: FloatArray, poses_b: FloatArray,
    velocities_b: FloatArray, t_max: float, with_contact: bool, status: IntArray, counts: IntArray, results: FloatArray,
    scratch: FloatArray, rest: IntArray,
) -> int:  # fmt: skip
    """Fill the rows of all `pairs` that can be processed in lanes; list the others in `rest` and return their number.

    Arguments are those of `swept_pairs`, except poses (n, 3) x, y, angle, `records` as in `PackedShapes`, `scratch` (SCRATCH,) and `rest`
    (n + 1,); without contact `results` has `TIMES_SIZE` columns. Returns -1, with some rows filled, if an index is out of range. Rows with
    numbers that are not finite are among the others.
    """
    query = _Query(
        n_vertices, records.reshape(-1), pairs, poses_a.reshape(-1), velocities_a.reshape(-1), poses_b.reshape(-1),
        velocities_b.reshape(-1), t_max, with_contact, status, counts, results,
    )  # fmt: skip
    v, rows = scratch[:VERTEX_END], scratch[VERTEX_END:]
    block = Block(v, rows[:_NEAREST_END], rows[_NEAREST_END:], np.empty(_INTEGER_END, dtype=np.int64))
    return drive(_list_of, _fetch, _answer_block, 1, N_SIZES, block, query, pairs, rest)
