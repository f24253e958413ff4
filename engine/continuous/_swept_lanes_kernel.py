"""First and last contact of many pairs of polygons that translate: 32 pairs side by side.

The chapter is `_swept_kernel`; read that one first, and `_lanes_kernel` for the scratch. On each edge's normal the separation is a
straight line in time, so a pair is an intersection of half-lines, one division an edge and no branch: all pairs of a block take the same
path, and none waits for another. A and B have numbers of slots of their own, for every edge of one is held against every corner of the
other.

Answers are the scalar form's to the bit. What remains goes there: skins, circles, capsules and segments, polygons of more than 16 vertices,
classes with too few pairs to fill a block, and pairs that at time 0 are apart by no more than rounding, where the distance decides.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.continuous._lanes_kernel import (
    GAP_ROWS,
    LANES,
    MOST_SLOTS,
    MOVED_ROWS,
    NEAREST_TO_A,
    NEAREST_TO_B,
    NX,
    NY,
    OF_B,
    SLOT_GROUP,
    SLOT_MASK,
    STRIDE,
    VERTEX_ROWS,
    X,
    Y,
    find_nearest,
    load_core,
)  # fmt: skip
from engine.continuous._swept_kernel import HIT, MISS, OVERLAPPING, SWEPT_SIZE, TIMES_SIZE
from engine.narrowphase.packing import POLYGON

__all__ = ["FEWEST", "swept_lanes"]

FEWEST = 12
"""Pairs of one class that are worth a block."""

_N_GROUPS = MOST_SLOTS // SLOT_GROUP
_SCALAR = _N_GROUPS * _N_GROUPS
_N_CLASSES = _SCALAR + 1
"""Classes: A and B of up to 4, 8, 12 or 16 vertices each; and what the scalar kernel gets."""

# Rows of `s`: poses x, y, cos, sin, velocities, extents; w in A's frame; the half-lines so far; the answer, `_RESULT` and following.
_POSE_A, _POSE_B, _VELOCITY_A, _VELOCITY_B, _EXTENT_A, _EXTENT_B = 0, 4, 8, 10, 12, 13
_FRAME, _W, _TOUCH, _GAP, _BLOCKED, _T_FIRST, _T_LAST, _N = 14, 18, 20, 21, 22, 23, 24, 25
_FORWARD_A, _FORWARD_B, _LOW, _HIGH, _LOW_B, _HIGH_B, _SHIFT = 27, 28, 29, 30, 31, 32, 33
_RESULT = 35
_NUMBER_ROWS = _RESULT + SWEPT_SIZE

# Rows of `k`: the status, or `_UNSURE`, and the points of the contact.
_STATUS, _COUNT = 0, 1
_UNSURE = -1


@kernel
def _classify(kind: IntArray, n_vertices: IntArray, radius: FloatArray, pairs: IntArray, rows: IntArray) -> IntArray:
    """Sort the numbers of the `pairs` by class into `rows`, each class in its old order; return where the classes begin."""
    n = pairs.shape[0]
    of_row = np.empty(n, dtype=np.uint8)
    begin = np.zeros(_N_CLASSES + 1, dtype=np.int64)
    for row in range(n):
        a, b = pairs[row, 0], pairs[row, 1]
        found = _SCALAR
        is_sharp = kind[a] == POLYGON and kind[b] == POLYGON and radius[a] + radius[b] == 0.0
        if is_sharp and max(n_vertices[a], n_vertices[b]) <= MOST_SLOTS:
            found = (n_vertices[a] - 1) // SLOT_GROUP * _N_GROUPS + (n_vertices[b] - 1) // SLOT_GROUP
        of_row[row] = found
        begin[found + 1] += 1
    for found in range(_N_CLASSES):
        begin[found + 1] += begin[found]
    at = begin[:_N_CLASSES].copy()
    for row in range(n):
        rows[at[of_row[row]]] = row
        at[of_row[row]] += 1
    return begin


@inlined_kernel
def _place(v: FloatArray, w: FloatArray, s: FloatArray, slots: int) -> None:
    """Write B's core and normals as A sees them, w in A's frame, and the rounding; see `_sat_kernel.move_to_frame`."""
    for lane in range(LANES):
        ax, ay = s[_POSE_A * STRIDE + lane], s[(_POSE_A + 1) * STRIDE + lane]
        cos_a, sin_a = s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane]
        bx, by = s[_POSE_B * STRIDE + lane], s[(_POSE_B + 1) * STRIDE + lane]
        cos_b, sin_b = s[(_POSE_B + 2) * STRIDE + lane], s[(_POSE_B + 3) * STRIDE + lane]
        dx, dy = bx - ax, by - ay
        s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane] = cos_a * cos_b + sin_a * sin_b, cos_a * sin_b - sin_a * cos_b
        s[(_FRAME + 2) * STRIDE + lane], s[(_FRAME + 3) * STRIDE + lane] = cos_a * dx + sin_a * dy, cos_a * dy - sin_a * dx
        vx = s[_VELOCITY_B * STRIDE + lane] - s[_VELOCITY_A * STRIDE + lane]
        vy = s[(_VELOCITY_B + 1) * STRIDE + lane] - s[(_VELOCITY_A + 1) * STRIDE + lane]
        s[_W * STRIDE + lane], s[(_W + 1) * STRIDE + lane] = cos_a * vx + sin_a * vy, cos_a * vy - sin_a * vx
        scale = abs(ax) + abs(ay) + abs(bx) + abs(by) + s[_EXTENT_A * STRIDE + lane] + s[_EXTENT_B * STRIDE + lane]
        s[_TOUCH * STRIDE + lane] = SAT_ROUNDING * scale
        s[_GAP * STRIDE + lane], s[_BLOCKED * STRIDE + lane] = -np.inf, 0.0
        s[_T_FIRST * STRIDE + lane], s[_T_LAST * STRIDE + lane] = -np.inf, np.inf
        s[_N * STRIDE + lane] = s[(_N + 1) * STRIDE + lane] = 0.0
    for first_slot in range(0, slots, SLOT_GROUP):
        row = (first_slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            cos, sin = s[_FRAME * STRIDE + lane], s[(_FRAME + 1) * STRIDE + lane]
            shift_x, shift_y = s[(_FRAME + 2) * STRIDE + lane], s[(_FRAME + 3) * STRIDE + lane]
            for slot in range(SLOT_GROUP):
                at = slot * STRIDE + row + lane
                x, y, nx, ny = (
                    v[(OF_B + X) * STRIDE + at], v[(OF_B + Y) * STRIDE + at], v[(OF_B + NX) * STRIDE + at], v[(OF_B + NY) * STRIDE + at],
                )  # fmt: skip
                w[X * STRIDE + at], w[Y * STRIDE + at] = cos * x - sin * y + shift_x, sin * x + cos * y + shift_y
                w[NX * STRIDE + at], w[NY * STRIDE + at] = cos * nx - sin * ny + 0.0, sin * nx + cos * ny + 0.0


@inlined_kernel
def _clip_by_edges(p: FloatArray, g: FloatArray, s: FloatArray, nearest: int, sign: float, slots: int) -> None:
    """Cut the interval by the half-lines of `p`'s edges; `sign` is 1 for A and -1 for B, whose edges move the other way."""
    for first_edge in range(0, slots, SLOT_GROUP):
        row = (first_edge & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            wx, wy, touch = sign * s[_W * STRIDE + lane], sign * s[(_W + 1) * STRIDE + lane], s[_TOUCH * STRIDE + lane]
            gap, blocked = s[_GAP * STRIDE + lane], s[_BLOCKED * STRIDE + lane]
            t_first, t_last = s[_T_FIRST * STRIDE + lane], s[_T_LAST * STRIDE + lane]
            found_x, found_y = s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane]
            for edge in range(SLOT_GROUP):
                nx, ny = p[(NX + edge) * STRIDE + row + lane], p[(NY + edge) * STRIDE + row + lane]
                x, y = p[(X + edge) * STRIDE + row + lane], p[(Y + edge) * STRIDE + row + lane]
                separation = g[(nearest + edge) * STRIDE + row + lane] - (nx * x + ny * y)
                rate = nx * wx + ny * wy
                crossing = -separation / rate
                gap = separation if separation > gap else gap
                blocked = 1.0 if (rate == 0.0) & (separation > touch) else blocked
                t_last = crossing if (rate > 0.0) & (crossing < t_last) else t_last
                takes = (rate < 0.0) & (crossing > t_first)
                t_first = crossing if takes else t_first
                found_x, found_y = (sign * nx if takes else found_x), (sign * ny if takes else found_y)
            s[_GAP * STRIDE + lane], s[_BLOCKED * STRIDE + lane] = gap, blocked
            s[_T_FIRST * STRIDE + lane], s[_T_LAST * STRIDE + lane] = t_first, t_last
            s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane] = found_x, found_y


@inlined_kernel
def _decide(s: FloatArray, k: IntArray, t_max: float) -> None:
    """Fill the status, the times and the world's normal; see `swept_pair`."""
    for lane in range(LANES):
        gap, touch, blocked = s[_GAP * STRIDE + lane], s[_TOUCH * STRIDE + lane], s[_BLOCKED * STRIDE + lane]
        t_first, t_last = s[_T_FIRST * STRIDE + lane], s[_T_LAST * STRIDE + lane]
        is_still = (s[_W * STRIDE + lane] == 0.0) & (s[(_W + 1) * STRIDE + lane] == 0.0)
        is_inside, is_unsure = gap <= 0.0, (gap > 0.0) & (gap <= touch)
        misses = is_still | (blocked > 0.0) | (t_first > t_last) | (t_first < 0.0) | (t_first > t_max)
        status = OVERLAPPING if is_inside else (MISS if misses else HIT)
        k[_STATUS * STRIDE + lane] = _UNSURE if is_unsure else status
        ends = np.inf if is_still else (t_last if t_last > 0.0 else 0.0)
        is_hit = status == HIT
        cos, sin = s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane]
        nx, ny = s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane]
        s[_RESULT * STRIDE + lane] = t_first if is_hit else (0.0 if is_inside else np.inf)
        s[(_RESULT + 1) * STRIDE + lane] = t_last if is_hit else (ends if is_inside else np.inf)
        s[(_RESULT + 2) * STRIDE + lane] = cos * nx - sin * ny if is_hit else 0.0
        s[(_RESULT + 3) * STRIDE + lane] = sin * nx + cos * ny if is_hit else 0.0


@inlined_kernel
def _find_forward(p: FloatArray, s: FloatArray, forward: int, sign: float, slots: int) -> None:
    """Find how far a core reaches along the normal, or against it."""
    for lane in range(LANES):
        s[forward * STRIDE + lane] = -np.inf
    for first_slot in range(0, slots, SLOT_GROUP):
        row = (first_slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            nx, ny, best = sign * s[_N * STRIDE + lane], sign * s[(_N + 1) * STRIDE + lane], s[forward * STRIDE + lane]
            for slot in range(SLOT_GROUP):
                along = nx * p[(X + slot) * STRIDE + row + lane] + ny * p[(Y + slot) * STRIDE + row + lane]
                best = along if along > best else best
            s[forward * STRIDE + lane] = best


@inlined_kernel
def _find_interval(p: FloatArray, s: FloatArray, forward: int, low_row: int, sign: float, slots: int) -> None:
    """Find the interval on the tangent of the corners that reach as far forward, B's moved on to the contact; see `touching_interval`."""
    for lane in range(LANES):
        s[low_row * STRIDE + lane], s[(low_row + 1) * STRIDE + lane] = np.inf, -np.inf
        s[_SHIFT * STRIDE + lane] = s[_T_FIRST * STRIDE + lane] * s[_W * STRIDE + lane] if sign < 0.0 else 0.0
        s[(_SHIFT + 1) * STRIDE + lane] = s[_T_FIRST * STRIDE + lane] * s[(_W + 1) * STRIDE + lane] if sign < 0.0 else 0.0
    for first_slot in range(0, slots, SLOT_GROUP):
        row = (first_slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            nx, ny = s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane]
            shift_x, shift_y = s[_SHIFT * STRIDE + lane], s[(_SHIFT + 1) * STRIDE + lane]
            least = s[forward * STRIDE + lane] - s[_TOUCH * STRIDE + lane]
            low, high = s[low_row * STRIDE + lane], s[(low_row + 1) * STRIDE + lane]
            for slot in range(SLOT_GROUP):
                x, y = p[(X + slot) * STRIDE + row + lane], p[(Y + slot) * STRIDE + row + lane]
                counts = (sign * nx) * x + (sign * ny) * y >= least
                x, y = x + shift_x, y + shift_y
                along = nx * y - ny * x
                low, high = (along if counts & (along < low) else low), (along if counts & (along > high) else high)
            s[low_row * STRIDE + lane], s[(low_row + 1) * STRIDE + lane] = low, high


@inlined_kernel
def _find_contact(v: FloatArray, w: FloatArray, s: FloatArray, k: IntArray, slots_a: int, slots_b: int) -> None:
    """Fill the points of the contact: its middle and its ends."""
    _find_forward(v, s, _FORWARD_A, 1.0, slots_a)
    _find_forward(w, s, _FORWARD_B, -1.0, slots_b)
    _find_interval(v, s, _FORWARD_A, _LOW, 1.0, slots_a)
    _find_interval(w, s, _FORWARD_B, _LOW_B, -1.0, slots_b)
    for lane in range(LANES):
        low_a, high_a, low_b, high_b = (
            s[_LOW * STRIDE + lane], s[_HIGH * STRIDE + lane], s[_LOW_B * STRIDE + lane], s[_HIGH_B * STRIDE + lane],
        )  # fmt: skip
        low, high = (low_a if low_a > low_b else low_b), (high_a if high_a < high_b else high_b)
        is_hit, is_segment = k[_STATUS * STRIDE + lane] == HIT, high - low > s[_TOUCH * STRIDE + lane]
        nx, ny, forward, t = s[_N * STRIDE + lane], s[(_N + 1) * STRIDE + lane], s[_FORWARD_A * STRIDE + lane], s[_T_FIRST * STRIDE + lane]
        cos, sin = s[(_POSE_A + 2) * STRIDE + lane], s[(_POSE_A + 3) * STRIDE + lane]
        ax, ay = s[_POSE_A * STRIDE + lane], s[(_POSE_A + 1) * STRIDE + lane]
        vx, vy = s[_VELOCITY_A * STRIDE + lane], s[(_VELOCITY_A + 1) * STRIDE + lane]
        for point in range(3):
            along = 0.5 * (low + high)
            if point > 0:
                along = (low if point == 1 else high) if is_segment else along
            x, y = nx * forward - ny * along, ny * forward + nx * along
            is_there = is_hit & ((point < 2) | is_segment)
            s[(_RESULT + 4 + 2 * point) * STRIDE + lane] = cos * x - sin * y + ax + t * vx if is_there else 0.0
            s[(_RESULT + 5 + 2 * point) * STRIDE + lane] = sin * x + cos * y + ay + t * vy if is_there else 0.0
        k[_COUNT * STRIDE + lane] = (2 if is_segment else 1) if is_hit else 0


@kernel
def _swept_block(
    v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, slots_a: int, slots_b: int, t_max: float, with_contact: bool
) -> None:  # fmt: skip
    """Answer for the pairs of one block."""
    _place(v, w, s, slots_b)
    find_nearest(v, w, g, NEAREST_TO_A, slots_a, slots_b)
    find_nearest(w, v, g, NEAREST_TO_B, slots_b, slots_a)
    _clip_by_edges(v, g, s, NEAREST_TO_A, 1.0, slots_a)
    _clip_by_edges(w, g, s, NEAREST_TO_B, -1.0, slots_b)
    _decide(s, k, t_max)
    if with_contact:
        _find_contact(v, w, s, k, slots_a, slots_b)


@kernel
def _load_block(
    v: FloatArray, s: FloatArray, rows: IntArray, low: int, end: int, slots_a: int, slots_b: int,
    first: IntArray, n_vertices: IntArray, vertices: FloatArray, normals: FloatArray, extent: FloatArray, pairs: IntArray,
    poses_a: FloatArray, velocities_a: FloatArray, poses_b: FloatArray, velocities_b: FloatArray,
) -> None:  # fmt: skip
    """Load the pairs rows[low:end], as far as there are lanes, the last one over and over into lanes that are left."""
    for lane in range(LANES):
        row = np.uint64(rows[min(low + lane, end - 1)])
        a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
        for field in range(4):
            s[(_POSE_A + field) * STRIDE + lane], s[(_POSE_B + field) * STRIDE + lane] = poses_a[row, field], poses_b[row, field]
        for field in range(2):
            s[(_VELOCITY_A + field) * STRIDE + lane] = velocities_a[row, field]
            s[(_VELOCITY_B + field) * STRIDE + lane] = velocities_b[row, field]
        s[_EXTENT_A * STRIDE + lane], s[_EXTENT_B * STRIDE + lane] = extent[a], extent[b]
        load_core(v, lane, 0, slots_a, first[a], n_vertices[a], vertices, normals, 0.0, 0.0)
        load_core(v, lane, OF_B, slots_b, first[b], n_vertices[b], vertices, normals, 0.0, 0.0)


@kernel
def _store_block(
    s: FloatArray, k: IntArray, rows: IntArray, low: int, end: int, with_contact: bool,
    status: IntArray, counts: IntArray, results: FloatArray, rest: IntArray, n_rest: int,
) -> int:  # fmt: skip
    """Write the answers to the caller's rows; return how many rows `rest` lists by now."""
    width = SWEPT_SIZE if with_contact else TIMES_SIZE
    for lane in range(min(LANES, end - low)):
        row = np.uint64(rows[low + lane])
        status[row] = k[_STATUS * STRIDE + lane]
        for field in range(width):
            results[row, field] = s[(_RESULT + field) * STRIDE + lane]
        if with_contact:
            counts[row] = k[_COUNT * STRIDE + lane]
        if k[_STATUS * STRIDE + lane] == _UNSURE:
            rest[n_rest] = rows[low + lane]
            n_rest += 1
    return n_rest


@kernel
def swept_lanes(
    kind: IntArray,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    normals: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    velocities_a: FloatArray,
    poses_b: FloatArray,
    velocities_b: FloatArray,
    t_max: float,
    with_contact: bool,
    status: IntArray,
    counts: IntArray,
    results: FloatArray,
) -> IntArray:
    """Fill the rows of all `pairs` that lanes can answer; return the numbers of the others, which are `swept_pairs`'s to fill.

    Arguments are those of `swept_pairs`; without contact `results` has `TIMES_SIZE` columns.
    """
    n = pairs.shape[0]
    rows, rest, n_rest = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), 0
    begin = _classify(kind, n_vertices, radius, pairs, rows)
    v, w, g = np.zeros(VERTEX_ROWS * STRIDE), np.zeros(MOVED_ROWS * STRIDE), np.zeros(GAP_ROWS * STRIDE)
    s, k = np.zeros(_NUMBER_ROWS * STRIDE), np.zeros(2 * STRIDE, dtype=np.int64)
    for number in range(_N_CLASSES):
        start, end = begin[number], begin[number + 1]
        if number == _SCALAR or end - start < FEWEST:
            for at in range(start, end):
                rest[n_rest] = rows[at]
                n_rest += 1
            continue
        slots_a, slots_b = SLOT_GROUP * (number // _N_GROUPS + 1), SLOT_GROUP * (number % _N_GROUPS + 1)
        for low in range(start, end, LANES):
            _load_block(
                v, s, rows, low, end, slots_a, slots_b, first, n_vertices, vertices, normals, extent, pairs,
                poses_a, velocities_a, poses_b, velocities_b,
            )  # fmt: skip
            _swept_block(v, w, g, s, k, slots_a, slots_b, t_max, with_contact)
            n_rest = _store_block(s, k, rows, low, end, with_contact, status, counts, results, rest, n_rest)
    return rest[:n_rest]
