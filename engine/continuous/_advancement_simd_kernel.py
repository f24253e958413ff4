"""One step of conservative advancement for a block of pairs in parallel lanes: polygons, or a circle and a polygon, or two circles.

`_advancement_kernel` describes the algorithm, and `engine.narrowphase._simd_kernel` SIMD lanes and fast loops over them. A row contains one
number per pair of the block, row r at r * STRIDE.

Polygons of unequal size are padded to the same number of slots with copies of their *first* corner and normal: a copy is no farther out
than the original, the first of equal values is kept, and the edge of the last true corner ends at the first one, as it should.

**Polygons.** If the gap is small and the nearest corner is not in front of the face, the distance is that of two corners, or the axis is
not the best: `_core_kernel` then tests all corners against all edges. That is rare (see the tests), so such a lane is marked `BY_POINTS`
and the scalar kernel takes its step.

**Circles.** The other core is a single point p, so each edge has one separation and a face one line. Near a corner the axis is the line
from the nearest point of A's edges to p, and is constant; then the corners of A are lines too, of which the *highest* counts
(`_motion_kernel.closing_bound`). Both cases are computed in every lane. A circle as A is a polygon whose corners are all its center: it has
points, but no faces.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import borrowing_kernel, inlined_kernel
from engine.common.tolerances import TOI_MAX_CORNERS
from engine.continuous._advancement_kernel import GOES_ON, bound_at, chord_root, first_root, lines_of_face
from engine.continuous._motion_kernel import MOTION_SIZE, bend_at
from engine.contracts.status import HIT, MISS, OVERLAPPING
from engine.geometry._rotation_kernel import cosine_and_sine_of_small
from engine.narrowphase.packing import GROUP_SIZE, HEAD, SLOT_GROUP, SLOTS

LANES = 32
"""Number of pairs in parallel. A finished pair is replaced immediately, so that fewer lanes suffice than if a whole block had to finish."""

STRIDE = LANES + 8
"""Distance between rows, in values; not a power of two, or one lane's column would compete for the same few cache lines."""

MAX_SLOTS = SLOTS
"""Vertices of the largest polygon; a power of 2."""

SLOT_MASK = MAX_SLOTS - 1
"""A slot index masked with this is provably nonnegative; see `engine.narrowphase._simd_kernel`."""

# A row begins at a *place*, a multiple of STRIDE. Places in `v`: A's corners about its center and its normals, and B's in its own frame,
# `OF_B` farther on; in `w`: B's in A's frame at the time.
X, Y, NX, NY, OF_B = (group * MAX_SLOTS * STRIDE for group in range(5))
VERTEX_END = 2 * OF_B
MOVED_END = OF_B

# Places in `g`: for each edge of A and of B the coordinate of the other's nearest corner; for each corner its line, at 0 and its slope.
NEAREST_TO_A, NEAREST_TO_B, LINE, SLOPE, GAP_END = (group * MAX_SLOTS * STRIDE for group in range(5))

# Places in `s`. The first rows are those of `motion`; see `_motion_kernel`. FRAME: cosine and sine from B's frame to A's; D, V: d and v in
# A's frame.
D_0, D_1, ANGLES_A, ANGLES_B, RHO_A, RHO_B, TOUCH, SPEED, REACH = (row * STRIDE for row in (0, 2, 4, 6, 8, 9, 10, 11, 12))
TARGET, TOLERANCE, OVERLAP, T, T_LAST, FRAME, D, V, GAP, SIGN, FACE, FACE_AT, FACE_TO, BASE, SPIN, LEVEL, BEND, STEP = (
    (MOTION_SIZE + row) * STRIDE for row in (0, 1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 15, 17, 19, 20, 21, 22, 23)
)  # fmt: skip
LOWEST, LOWEST_AT, LOWEST_SLOPE, NEAREST, CORNER, AFTER, AXIS, POINT_AT, POINT_SLOPE, NEAREST_SQ, NUMBER_END = (
    (MOTION_SIZE + row) * STRIDE for row in (24, 25, 26, 27, 28, 30, 31, 33, 34, 35, 36)
)  # fmt: skip

# Places in `k`: the caller's row, or `IDLE`; corners of A and B, 0 of an idle lane; gaps measured; how the step ended; which case it is; 1
# where the lane is done with its pair.
ROW, N_A, N_B, STEPS, ENDED, CASE, IS_DONE, INTEGER_END = (row * STRIDE for row in range(8))

IDLE = -1
BY_FACE, BY_POINTS = 0, 1


@inlined_kernel
def load_core(
    v: FloatArray, lane: int, beyond: int, slots: int, place: int, n: int, records: FloatArray, center_x: float, center_y: float
) -> None:
    """Load corners about the center, and normals, of the record at `place` into the lane; `beyond` is 0 for A and `OF_B` for B."""
    to, first = np.uint64(beyond + lane), np.uint64(place + HEAD)
    for first_slot in range(0, slots, SLOT_GROUP):
        group = first + np.uint64(GROUP_SIZE // SLOT_GROUP * first_slot)
        for of_group in range(SLOT_GROUP):
            at = group + np.uint64(of_group) if first_slot + of_group < n else first
            x, y = records[at], records[at + np.uint64(SLOT_GROUP)]
            nx, ny = records[at + np.uint64(2 * SLOT_GROUP)], records[at + np.uint64(3 * SLOT_GROUP)]
            v[to + np.uint64(X)], v[to + np.uint64(Y)] = x - center_x, y - center_y
            v[to + np.uint64(NX)], v[to + np.uint64(NY)] = nx, ny
            to += np.uint64(STRIDE)


@inlined_kernel
def repeat_first(v: FloatArray, beyond: int, slots: int, more: int) -> None:
    """Fill the slots from `slots` up to `more` with copies of the first, in all lanes."""
    for slot in range(slots, more):
        row = (slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            at = beyond + lane
            v[X + row + at], v[Y + row + at] = v[X + at], v[Y + at]
            v[NX + row + at], v[NY + row + at] = v[NX + at], v[NY + at]


@inlined_kernel
def two(s: FloatArray, at: int, lane: int) -> tuple[float, float]:
    """Return a lane's numbers of the row at `at` and of the next, such as an x and a y."""
    return s[at + lane], s[at + STRIDE + lane]


@inlined_kernel
def put_two(s: FloatArray, at: int, lane: int, first: float, second: float) -> None:
    """Write a lane's numbers of the row at `at` and of the next."""
    s[at + lane], s[at + STRIDE + lane] = first, second


@inlined_kernel
def _place_b(v: FloatArray, w: FloatArray, s: FloatArray, slots: int, directions: bool) -> None:
    """Write B's core, and its normals if wanted, in A's frame at each lane's time; see `_motion_kernel.place`."""
    for lane in range(LANES):
        t = s[T + lane]
        angle_a = (1.0 - t) * s[ANGLES_A + lane] + t * s[ANGLES_A + STRIDE + lane]
        angle = (1.0 - t) * s[ANGLES_B + lane] + t * s[ANGLES_B + STRIDE + lane] - angle_a
        cos_a, sin_a = cosine_and_sine_of_small(angle_a)
        cos, sin = cosine_and_sine_of_small(angle)
        (d_0x, d_0y), (d_1x, d_1y) = two(s, D_0, lane), two(s, D_1, lane)
        dx, dy, vx, vy = (1.0 - t) * d_0x + t * d_1x, (1.0 - t) * d_0y + t * d_1y, d_1x - d_0x, d_1y - d_0y
        put_two(s, FRAME, lane, cos, sin)
        put_two(s, D, lane, cos_a * dx + sin_a * dy, cos_a * dy - sin_a * dx)
        put_two(s, V, lane, cos_a * vx + sin_a * vy, cos_a * vy - sin_a * vx)
    for slot in range(slots):
        row = (slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            cos, sin = s[FRAME + lane], s[FRAME + STRIDE + lane]
            dx, dy = s[D + lane], s[D + STRIDE + lane]
            rx, ry = v[OF_B + X + row + lane], v[OF_B + Y + row + lane]
            w[X + row + lane] = cos * rx - sin * ry + dx
            w[Y + row + lane] = sin * rx + cos * ry + dy
            if directions:
                px, py = v[OF_B + NX + row + lane], v[OF_B + NY + row + lane]
                w[NX + row + lane] = cos * px - sin * py
                w[NY + row + lane] = sin * px + cos * py


@inlined_kernel
def _begin_faces(s: FloatArray) -> None:
    """Reset the faces of the last step."""
    for lane in range(LANES):
        s[GAP + lane] = -np.inf
        s[SIGN + lane] = 1.0


@inlined_kernel
def _find_nearest(p: FloatArray, q: FloatArray, g: FloatArray, nearest: int, slots_p: int, slots_q: int) -> None:
    """Find for each edge of `p` the coordinate of `q`'s nearest corner along its normal: four edges and four corners at a time."""
    for first_edge in range(0, slots_p, SLOT_GROUP):
        row = (first_edge & SLOT_MASK) * STRIDE
        for first_corner in range(0, slots_q, SLOT_GROUP):
            corner_row = (first_corner & SLOT_MASK) * STRIDE
            is_first = first_corner == 0
            for lane in range(LANES):
                x_0, y_0 = q[X + corner_row + lane], q[Y + corner_row + lane]
                x_1, y_1 = q[X + STRIDE + corner_row + lane], q[Y + STRIDE + corner_row + lane]
                x_2, y_2 = q[X + 2 * STRIDE + corner_row + lane], q[Y + 2 * STRIDE + corner_row + lane]
                x_3, y_3 = q[X + 3 * STRIDE + corner_row + lane], q[Y + 3 * STRIDE + corner_row + lane]
                for edge in range(SLOT_GROUP):
                    nx, ny = p[NX + edge * STRIDE + row + lane], p[NY + edge * STRIDE + row + lane]
                    at_0, at_1, at_2, at_3 = nx * x_0 + ny * y_0, nx * x_1 + ny * y_1, nx * x_2 + ny * y_2, nx * x_3 + ny * y_3
                    low, high = (at_0 if at_0 < at_1 else at_1), (at_2 if at_2 < at_3 else at_3)
                    low = low if low < high else high
                    before = np.inf if is_first else g[nearest + edge * STRIDE + row + lane]
                    g[nearest + edge * STRIDE + row + lane] = low if low < before else before


@inlined_kernel
def _choose_face(p: FloatArray, g: FloatArray, s: FloatArray, nearest: int, sign: float, slots: int) -> None:
    """Raise the lane's gap by those of the edges of `p`, and store its face: normal, corner, and the vector to the next corner."""
    for first_edge in range(0, slots, SLOT_GROUP):
        row = (first_edge & SLOT_MASK) * STRIDE
        last_row = ((first_edge + SLOT_GROUP if first_edge + SLOT_GROUP < slots else 0) & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            greatest, kept_sign = s[GAP + lane], s[SIGN + lane]
            (fx, fy), (at_x, at_y), (next_x, next_y) = two(s, FACE, lane), two(s, FACE_AT, lane), two(s, FACE_TO, lane)
            after_x, after_y = p[X + last_row + lane], p[Y + last_row + lane]
            for edge in range(SLOT_GROUP):
                nx, ny = p[NX + edge * STRIDE + row + lane], p[NY + edge * STRIDE + row + lane]
                x, y = p[X + edge * STRIDE + row + lane], p[Y + edge * STRIDE + row + lane]
                to_x, to_y = after_x, after_y
                if edge < SLOT_GROUP - 1:
                    to_x, to_y = p[X + edge * STRIDE + STRIDE + row + lane], p[Y + edge * STRIDE + STRIDE + row + lane]
                gap = g[nearest + edge * STRIDE + row + lane] - (nx * x + ny * y)
                wins = gap > greatest
                greatest, kept_sign = (gap if wins else greatest), (sign if wins else kept_sign)
                fx, fy, at_x, at_y = (nx if wins else fx), (ny if wins else fy), (x if wins else at_x), (y if wins else at_y)
                next_x, next_y = (to_x - x if wins else next_x), (to_y - y if wins else next_y)
            s[GAP + lane], s[SIGN + lane] = greatest, kept_sign
            put_two(s, FACE, lane, fx, fy)
            put_two(s, FACE_AT, lane, at_x, at_y)
            put_two(s, FACE_TO, lane, next_x, next_y)


@inlined_kernel
def _is_in_front(s: FloatArray, lane: int, x: float, y: float) -> bool:
    """Return whether a corner, the nearest to the line of the face and disjoint from it, is in front of the face itself."""
    (at_x, at_y), (to_x, to_y) = two(s, FACE_AT, lane), two(s, FACE_TO, lane)
    along = to_x * (x - at_x) + to_y * (y - at_y)
    return bool((s[GAP + lane] > s[TOUCH + lane]) & (along >= 0.0) & (along <= to_x * to_x + to_y * to_y))


@inlined_kernel
def _turning_rates(s: FloatArray, lane: int) -> tuple[float, float]:
    """Return the angular velocities of A and B."""
    (from_a, to_a), (from_b, to_b) = two(s, ANGLES_A, lane), two(s, ANGLES_B, lane)
    return to_a - from_a, to_b - from_b


@inlined_kernel
def _begin_step(s: FloatArray, lane: int, rate: float, omega_a: float, omega_b: float) -> None:
    """Prepare the curvature for an axis that rotates at `rate`, and the longest step."""
    s[BEND + lane] = bend_at(
        rate, s[REACH + lane], s[SPEED + lane],
        s[RHO_A + lane], omega_a - rate, s[RHO_B + lane], omega_b - rate,
    )  # fmt: skip
    s[STEP + lane] = s[T_LAST + lane] - s[T + lane]


@inlined_kernel
def _find_line(g: FloatArray, s: FloatArray, sign: float, slots: int) -> None:
    """Find the lowest line at the end of the step, or the highest if `sign` is -1."""
    for lane in range(LANES):
        s[LOWEST + lane] = np.inf
        s[LOWEST_AT + lane] = s[LOWEST_SLOPE + lane] = 0.0
    for first_slot in range(0, slots, SLOT_GROUP):
        row = (first_slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            step, lowest = s[STEP + lane], s[LOWEST + lane]
            lowest_at, lowest_slope = two(s, LOWEST_AT, lane)
            for slot in range(SLOT_GROUP):
                at, slope = g[LINE + slot * STRIDE + row + lane], g[SLOPE + slot * STRIDE + row + lane]
                then = sign * (at + step * slope)
                is_lowest = then < lowest
                lowest, lowest_at = (then if is_lowest else lowest), (at if is_lowest else lowest_at)
                lowest_slope = slope if is_lowest else lowest_slope
            s[LOWEST + lane], s[LOWEST_AT + lane], s[LOWEST_SLOPE + lane] = lowest, lowest_at, lowest_slope


@inlined_kernel
def _take_root(s: FloatArray) -> None:
    """Shorten the step to the root of the line's parabola, unless that is above the aim up to the end of the step."""
    for lane in range(LANES):
        above, slope = s[LOWEST_AT + lane] - s[LEVEL + lane], s[LOWEST_SLOPE + lane]
        bend, step = s[BEND + lane], s[STEP + lane]
        root = first_root(above, slope, bend, step)
        s[STEP + lane] = step if bound_at(above, slope, bend, step) >= 0.0 else root


@inlined_kernel
def _end_step(s: FloatArray, k: IntArray) -> None:
    """Fill the status of the step and the time after it; see `advance_once`."""
    for lane in range(LANES):
        above, slope = s[LOWEST_AT + lane] - s[LEVEL + lane], s[LOWEST_SLOPE + lane]
        step, gap, target, tolerance = (
            s[STEP + lane], s[GAP + lane], s[TARGET + lane], s[TOLERANCE + lane],
        )  # fmt: skip
        bound = bound_at(above, slope, s[BEND + lane], step)
        step = step if bound >= 0.0 else chord_root(gap - (target + 0.5 * tolerance), bound, step)
        t, t_last = s[T + lane], s[T_LAST + lane]
        after = t + step
        s[AFTER + lane] = after if after < t_last else t_last
        is_over, is_hit, is_late = (t == 0.0) & (gap <= s[OVERLAP + lane]), gap <= target + tolerance, t >= t_last
        k[ENDED + lane] = OVERLAPPING if is_over else (HIT if is_hit else (MISS if is_late else GOES_ON))


@inlined_kernel
def read_lane(v: FloatArray, s: FloatArray, lane: int, cores: FloatArray, normals: FloatArray, motion: FloatArray) -> None:
    """Copy out one lane's cores, normals (2, 16, 2) and motion, for the scalar kernel."""
    for body in range(2):
        for slot in range(MAX_SLOTS):
            row = body * OF_B + slot * STRIDE + lane
            cores[body, slot, 0], cores[body, slot, 1] = v[X + row], v[Y + row]
            normals[body, slot, 0], normals[body, slot, 1] = v[NX + row], v[NY + row]
    for row in range(MOTION_SIZE):
        motion[row] = s[row * STRIDE + lane]


# Polygons


@inlined_kernel
def _begin_lines(s: FloatArray) -> None:
    """Prepare the lines of the chosen face and the longest step."""
    for lane in range(LANES):
        (omega_a, omega_b), (fx, fy), sign = _turning_rates(s, lane), two(s, FACE, lane), s[SIGN + lane]
        (dx, dy), (vx, vy), (at_x, at_y) = two(s, D, lane), two(s, V, lane), two(s, FACE_AT, lane)
        s[BASE + lane], s[SPIN + lane] = lines_of_face(sign, fx, fy, dx, dy, vx, vy, omega_a, omega_b)
        _begin_step(s, lane, omega_a if sign > 0.0 else omega_b, omega_a, omega_b)
        s[LEVEL + lane] = (fx * at_x + fy * at_y) + (s[TARGET + lane] + 0.5 * s[TOLERANCE + lane])
        s[LOWEST + lane], s[NEAREST + lane] = np.inf, np.inf
        s[LOWEST_AT + lane] = s[LOWEST_SLOPE + lane] = 0.0
        s[CORNER + lane] = s[CORNER + STRIDE + lane] = 0.0


@inlined_kernel
def _find_lines_of_face(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, slots_a: int, slots_b: int) -> None:
    """Find the line of each corner of the body without the face, the lowest at the longest step, and the nearest corner.

    The first four slots of the body with fewer slots repeat, without effect.
    """
    for first_slot in range(0, max(slots_a, slots_b), SLOT_GROUP):
        row = (first_slot & SLOT_MASK) * STRIDE
        row_a, row_b = row if first_slot < slots_a else 0, row if first_slot < slots_b else 0
        for lane in range(LANES):
            is_a, (fx, fy), (base, spin) = s[SIGN + lane] > 0.0, two(s, FACE, lane), two(s, BASE, lane)
            step, nearest, (corner_x, corner_y) = s[STEP + lane], s[NEAREST + lane], two(s, CORNER, lane)
            lowest, (lowest_at, lowest_slope) = s[LOWEST + lane], two(s, LOWEST_AT, lane)
            for slot in range(SLOT_GROUP):
                x_a, y_a = v[X + slot * STRIDE + row_a + lane], v[Y + slot * STRIDE + row_a + lane]
                x_b, y_b = w[X + slot * STRIDE + row_b + lane], w[Y + slot * STRIDE + row_b + lane]
                x, y = (x_b if is_a else x_a), (y_b if is_a else y_a)
                at, slope = fx * x + fy * y, base + spin * (fy * x - fx * y)
                g[LINE + slot * STRIDE + row + lane], g[SLOPE + slot * STRIDE + row + lane] = at, slope
                is_nearest = at < nearest
                nearest = at if is_nearest else nearest
                corner_x, corner_y = (x if is_nearest else corner_x), (y if is_nearest else corner_y)
                then = at + step * slope
                is_lowest = then < lowest
                lowest, lowest_at = (then if is_lowest else lowest), (at if is_lowest else lowest_at)
                lowest_slope = slope if is_lowest else lowest_slope
            s[NEAREST + lane], s[CORNER + lane], s[CORNER + STRIDE + lane] = nearest, corner_x, corner_y
            s[LOWEST + lane], s[LOWEST_AT + lane], s[LOWEST_SLOPE + lane] = lowest, lowest_at, lowest_slope


@inlined_kernel
def _mark_points(s: FloatArray, k: IntArray) -> None:
    """Mark the lanes whose step the scalar kernel must compute; see `core_axis`."""
    for lane in range(LANES):
        gap, near = s[GAP + lane], 2.0 * (s[TARGET + lane] + s[TOLERANCE + lane])
        corner_x, corner_y = two(s, CORNER, lane)
        is_clear = (gap > near) | (gap <= 0.0) | _is_in_front(s, lane, corner_x, corner_y)
        k[CASE + lane] = BY_FACE if is_clear else BY_POINTS


@borrowing_kernel
def step_polygons(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, slots_a: int, slots_b: int) -> None:
    """Measure the gaps of all lanes at their times, and fill the rows `CASE`, `ENDED` and `AFTER`."""
    slots = max(slots_a, slots_b)
    _place_b(v, w, s, slots_b, True)
    _find_nearest(v, w, g, NEAREST_TO_A, slots_a, slots_b)
    _find_nearest(w, v, g, NEAREST_TO_B, slots_b, slots_a)
    _begin_faces(s)
    _choose_face(v, g, s, NEAREST_TO_A, 1.0, slots_a)
    _choose_face(w, g, s, NEAREST_TO_B, -1.0, slots_b)
    _begin_lines(s)
    _find_lines_of_face(v, w, g, s, slots_a, slots_b)
    _take_root(s)
    for _ in range(TOI_MAX_CORNERS - 1):
        _find_line(g, s, 1.0, slots)
        _take_root(s)
    _find_line(g, s, 1.0, slots)
    _end_step(s, k)
    _mark_points(s, k)


# Circles


@inlined_kernel
def _measure(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, slots: int) -> None:
    """Find the point's coordinate along each edge's normal, and the nearest point of the edges; see `_core_kernel.nearest_on_edges`."""
    for lane in range(LANES):
        s[NEAREST_SQ + lane] = np.inf
        s[AXIS + lane] = s[AXIS + STRIDE + lane] = 0.0
    for slot in range(slots):
        row = (slot & SLOT_MASK) * STRIDE
        next_row = ((slot + 1 if slot + 1 < slots else 0) & SLOT_MASK) * STRIDE
        shortest = 0.0 if slot > 0 else -1.0  # a padded corner has no edge; a circle's center has one
        for lane in range(LANES):
            x, y = w[X + lane], w[Y + lane]
            nx, ny = v[NX + row + lane], v[NY + row + lane]
            g[NEAREST_TO_A + row + lane] = nx * x + ny * y
            ax, ay = v[X + row + lane], v[Y + row + lane]
            ex, ey = v[X + next_row + lane] - ax, v[Y + next_row + lane] - ay
            along, length_sq = (x - ax) * ex + (y - ay) * ey, ex * ex + ey * ey
            share = along / length_sq
            share = 1.0 if along >= length_sq else share
            share = share if (along > 0.0) & (length_sq > 0.0) else 0.0
            px, py = ax + share * ex, ay + share * ey
            gap_sq = (x - px) * (x - px) + (y - py) * (y - py)
            best = s[NEAREST_SQ + lane]
            is_better = (gap_sq < best) & (length_sq > shortest)
            s[NEAREST_SQ + lane] = gap_sq if is_better else best
            s[AXIS + lane] = x - px if is_better else s[AXIS + lane]
            s[AXIS + STRIDE + lane] = y - py if is_better else s[AXIS + STRIDE + lane]


@inlined_kernel
def _choose_axis(w: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Choose between the face and the points, as `_core_kernel.core_axis` does, and prepare the point's line and the longest step."""
    for lane in range(LANES):
        gap, touch, is_single = s[GAP + lane], s[TOUCH + lane], k[N_A + lane] == 1
        target, tolerance = s[TARGET + lane], s[TOLERANCE + lane]
        (px, py), (fx, fy), (at_x, at_y) = (w[X + lane], w[Y + lane]), two(s, FACE, lane), two(s, FACE_AT, lane)
        is_clear = (not is_single) & ((gap > 2.0 * (target + tolerance)) | (gap <= 0.0) | _is_in_front(s, lane, px, py))
        gap = -np.inf if is_single else gap
        qx, qy = two(s, AXIS, lane)
        distance = math.sqrt(qx * qx + qy * qy)
        is_apart = distance > 0.0
        unit_x, unit_y = qx / distance, qy / distance
        qx, qy = (unit_x if is_apart else qx), (unit_y if is_apart else qy)
        is_behind = (not is_single) & ((distance <= gap + touch) | (distance <= touch))
        is_face = is_clear | is_behind
        measured = distance if distance > gap else gap
        s[GAP + lane] = gap if is_clear else (measured if is_behind else distance)

        (omega_a, omega_b), (dx, dy), (vx, vy) = _turning_rates(s, lane), two(s, D, lane), two(s, V, lane)
        base, spin = lines_of_face(1.0, fx, fy, dx, dy, vx, vy, omega_a, omega_b)
        aim = target + 0.5 * tolerance
        face_at, face_slope, level = fx * px + fy * py, base + spin * (fy * px - fx * py), (fx * at_x + fy * at_y) + aim
        point_at, point_slope = qx * px + qy * py, (qx * vx + qy * vy) + omega_b * (qy * (px - dx) - qx * (py - dy))
        _begin_step(s, lane, omega_a if is_face else 0.0, omega_a, omega_b)
        s[POINT_AT + lane] = face_at if is_face else point_at
        s[POINT_SLOPE + lane] = face_slope if is_face else point_slope
        s[LEVEL + lane], s[BASE + lane] = (level if is_face else aim), omega_a
        put_two(s, AXIS, lane, qx, qy)
        k[CASE + lane] = BY_FACE if is_face else BY_POINTS


@inlined_kernel
def _find_lines_of_points(v: FloatArray, g: FloatArray, s: FloatArray, slots: int) -> None:
    """Find the lines of A's corners on the axis between points."""
    for slot in range(slots):
        row = (slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            x, y = v[X + row + lane], v[Y + row + lane]
            qx, qy = s[AXIS + lane], s[AXIS + STRIDE + lane]
            g[LINE + row + lane] = qx * x + qy * y
            g[SLOPE + row + lane] = s[BASE + lane] * (qy * x - qx * y)


@inlined_kernel
def _find_gap(g: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    """Find the line of the gap: the point's minus that of A's foremost corner at the end of the step."""
    _find_line(g, s, -1.0, slots)
    for lane in range(LANES):
        is_face = k[CASE + lane] == BY_FACE
        at, slope = two(s, POINT_AT, lane)
        by_points, rise = at - s[LOWEST_AT + lane], slope - s[LOWEST_SLOPE + lane]
        s[LOWEST_AT + lane] = at if is_face else by_points
        s[LOWEST_SLOPE + lane] = slope if is_face else rise


@borrowing_kernel
def step_circles(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    """Measure the gaps of all lanes at their times, and fill the rows `ENDED` and `AFTER`."""
    _place_b(v, w, s, 1, False)
    _begin_faces(s)
    _measure(v, w, g, s, slots)
    _choose_face(v, g, s, NEAREST_TO_A, 1.0, slots)
    _choose_axis(w, s, k)
    _find_lines_of_points(v, g, s, slots)
    for _ in range(TOI_MAX_CORNERS):
        _find_gap(g, s, k, slots)
        _take_root(s)
    _find_gap(g, s, k, slots)
    _end_step(s, k)
