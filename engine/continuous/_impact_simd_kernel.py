"""The times of impact of many pairs, by conservative advancement with 32 pairs in parallel lanes.

The algorithm is described in `_advancement_kernel`, `_motion_kernel` and `_core_kernel`; read these first, and for a step
`_advancement_simd_kernel`. The operations are the same, and a test verifies that the results are bit-identical.

Pairs need different numbers of steps, from one to ten. So a lane whose pair has finished immediately loads the next pair, while the others
continue::

    lane 0   | pair 0: step, step, step | pair 34: step, ...
    lane 1   | pair 1: step | pair 32: step, step, ...                 a row is a step of all lanes together
    lane 2   | pair 2: step, step | pair 33: ...

The next 32 pairs are prepared together, also in lanes: the relative motion, the target, the window. Pairs whose circles never come near are
misses and need no lane; the others wait in a queue for free lanes. Meanwhile the data of the following 32 are prefetched. This code avoids
reference counting, whose atomic instructions in each iteration for every array would take 250 ns more per pair (measured). Functions
receive only the necessary arguments, because a tuple of arrays is copied field by field at each call.

Polygons are sorted by their sizes, and a step has as many slots as the largest A and the largest B in a lane need, so that no lane waits
for the end of its class.

The scalar kernel processes all other pairs: shapes other than polygons and circles, polygons of more than 16 vertices, numbers that are not
finite or too large to square, angles beyond `MAX_TURNED`, too few pairs to fill a block, and the last lanes when no pairs remain for the
others.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common._lanes_kernel import LINE, fetch
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import borrowing_kernel, inlined_kernel, kernel, unlocked_kernel
from engine.common.tolerances import (
    BOX2D_TOI_BACKOFF,
    BOX2D_TOI_TOLERANCE,
    LINEAR_SLOP,
    SAT_ROUNDING,
    TOI_CONVERGENCE,
    TOI_MAX_STEPS,
    TOI_ROUNDINGS,
)
from engine.continuous._advancement_kernel import GOES_ON, advance_once
from engine.continuous._advancement_simd_kernel import (
    AFTER,
    ANGLES_A,
    ANGLES_B,
    BY_POINTS,
    CASE,
    D_0,
    D_1,
    ENDED,
    GAP_END,
    IDLE,
    INTEGER_END,
    IS_DONE,
    LANES,
    MAX_SLOTS,
    MOVED_END,
    N_A,
    N_B,
    NUMBER_END,
    OF_B,
    OVERLAP,
    REACH,
    RHO_A,
    RHO_B,
    ROW,
    SPEED,
    STEPS,
    STRIDE,
    T_LAST,
    TARGET,
    TOLERANCE,
    TOUCH,
    VERTEX_END,
    T,
    load_core,
    put_two,
    read_lane,
    repeat_first,
    step_circles,
    step_polygons,
)
from engine.continuous._motion_kernel import MOTION_SIZE, PLACED_SIZE, Moving, Search, reach_about
from engine.contracts.status import MISS
from engine.geometry._rotation_kernel import cosine_and_sine_of_small
from engine.geometry.kinds import CIRCLE, POLYGON
from engine.geometry.rotation import MAX_TURNED
from engine.narrowphase._sides_kernel import Arrays, Shapes
from engine.narrowphase.packing import GROUP_SIZE, HEAD, RECORD, SLOT_GROUP
from engine.narrowphase.packing import REACH as CORE_REACH

__all__ = ["MIN_PAIRS", "times_of_impact_simd"]

MIN_PAIRS = 24
"""Minimum number of pairs for a block."""

STRAGGLERS = 4
"""Maximum number of unfinished lanes when no pairs remain for the others."""

# Classes: two polygons of up to 4, 8, 12 and 16 vertices each, in an order in which only one of both sizes changes, and by one, from a
# class to the next; a circle and a polygon of so many, or a circle; pairs for the scalar kernel.
_N_GROUPS = MAX_SLOTS // SLOT_GROUP
_WITH_CIRCLE = _N_GROUPS * _N_GROUPS
_SCALAR = _WITH_CIRCLE + _N_GROUPS
_N_CLASSES = _SCALAR + 1

# Places in `p`, prepared pairs: those of `s` up to `T_LAST`, and their inputs. A sweep is x, y, angle at the start and at
# the end, and the center.
_SWEEP_A, _SWEEP_B, _EXTENT_A, _EXTENT_B, _RADII, _PREPARED_END = (T_LAST + row * STRIDE for row in (1, 9, 17, 18, 19, 20))
_START, _END, _CENTER = 0, 3 * STRIDE, 6 * STRIDE

# Places in `q`, integers of the same: the caller's row, A and B; 1 if the pair waits for a lane, if the scalar kernel must process it.
_Q_ROW, _Q_A, _Q_B, _WAITS, _IS_ODD, _QUEUE_END = (row * STRIDE for row in range(6))


class _Query(NamedTuple):
    """The query, and the columns to fill; the shapes' records in one row; 1 for one row of centers per pair, 0 for a common one."""

    shapes: Shapes
    records: FloatArray
    pairs: IntArray
    sweeps: Arrays
    of_center_a: int
    of_center_b: int
    t_max: float
    is_box2d: bool
    columns: Arrays


class _Block(NamedTuple):
    """The lanes' rows; see `_advancement_simd_kernel`."""

    v: FloatArray
    w: FloatArray
    g: FloatArray
    s: FloatArray
    k: IntArray


@kernel
def _classify(kind: IntArray, n_vertices: IntArray, pairs: IntArray, rows: IntArray) -> IntArray:
    """Sort the row numbers of the `pairs` stably by class into `rows`; return where the classes begin.

    Returns an empty result if an index is out of range.
    """
    n, n_shapes = pairs.shape[0], np.uint64(n_vertices.shape[0])
    class_of, begin = np.empty(n, dtype=np.uint8), np.zeros(_N_CLASSES + 1, dtype=np.int64)
    for row in range(n):
        ahead = np.uint64(min(row + LANES, n - 1))
        fetch(kind, pairs[ahead, 0])
        fetch(kind, pairs[ahead, 1])
        fetch(n_vertices, pairs[ahead, 0])
        fetch(n_vertices, pairs[ahead, 1])
        a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
        if a >= n_shapes or b >= n_shapes:
            return np.empty(0, dtype=np.int64)
        n_a, n_b, number = n_vertices[a], n_vertices[b], _SCALAR
        if max(n_a, n_b) <= MAX_SLOTS:
            group_a, group_b = (n_a - 1) // SLOT_GROUP, (n_b - 1) // SLOT_GROUP
            if kind[a] == POLYGON and kind[b] == POLYGON:
                number = _N_GROUPS * group_a + (group_b if group_a % 2 == 0 else _N_GROUPS - 1 - group_b)
            elif kind[a] + kind[b] == CIRCLE + POLYGON or (kind[a] == CIRCLE and kind[b] == CIRCLE):
                number = _WITH_CIRCLE + max(group_a, group_b)
        class_of[row] = number
        begin[number + 1] += 1
    for number in range(_N_CLASSES):
        begin[number + 1] += begin[number]
    at = begin[:_N_CLASSES].copy()
    for row in range(n):
        rows[at[class_of[row]]] = row
        at[class_of[row]] += 1
    return begin


class _Scratch(NamedTuple):
    """Scratch of a single pair, for steps outside the lanes."""

    cores: FloatArray
    normals: FloatArray
    moved: FloatArray
    motion: FloatArray
    placed: FloatArray


class _Queue(NamedTuple):
    """The prepared pairs' numbers `p` and integers `q`; which of them wait, and which lanes are free."""

    p: FloatArray
    q: IntArray
    waiting: IntArray
    lanes: IntArray


@inlined_kernel
def _fetch(row: np.uint64, query: _Query) -> None:
    """Prefetch all data of a pair that will be read or written, its shapes' records up to eight vertices."""
    pairs, records, n_vertices = query.pairs, query.records, query.shapes.n_vertices
    start_a, end_a, _, start_b, end_b, _ = query.sweeps
    status, fraction, iterations = query.columns
    place = int(row)
    fetch(start_a, 3 * place)
    fetch(end_a, 3 * place)
    fetch(start_b, 3 * place)
    fetch(end_b, 3 * place)
    fetch(status, place)
    fetch(fraction, place)
    fetch(iterations, place)
    for side in range(2):
        shape = np.uint64(pairs[row, side])
        of_record, beyond = RECORD * int(shape), GROUP_SIZE if n_vertices[shape] > SLOT_GROUP else 0
        fetch(records, of_record)
        fetch(records, of_record + HEAD)
        fetch(records, of_record + HEAD + LINE)
        fetch(records, of_record + HEAD + beyond)
        fetch(records, of_record + HEAD + LINE + beyond)


@inlined_kernel
def _read_sweep(
    p: FloatArray, of_sweep: int, lane: int, start: FloatArray, end: FloatArray, center: FloatArray, row: np.uint64, of_center: np.uint64
) -> None:
    """Copy one row of poses at both ends and of centers into the lane."""
    for field in range(3):
        p[of_sweep + _START + field * STRIDE + lane], p[of_sweep + _END + field * STRIDE + lane] = start[row, field], end[row, field]
    for field in range(2):
        p[of_sweep + _CENTER + field * STRIDE + lane] = center[of_center, field]


@inlined_kernel
def _read_next(queue: _Queue, rows: IntArray, at: int, end: int, query: _Query) -> bool:
    """Read the pairs rows[at:end], one per lane, and mark them as misses; return whether any body rotates about a point other than its
    origin.
    """
    shapes, records, pairs, (status, fraction, iterations) = query.shapes, query.records, query.pairs, query.columns
    first, n_vertices, vertices = shapes.first, shapes.n_vertices, shapes.vertices
    start_a, end_a, center_a, start_b, end_b, center_b = query.sweeps
    p, q, is_off_center = queue.p, queue.q, False
    for lane in range(end - at):
        _fetch(np.uint64(rows[np.uint64(min(at + LANES + lane, rows.shape[0] - 1))]), query)
        row = np.uint64(rows[np.uint64(at + lane)])
        a, b = np.uint64(pairs[row, 0]), np.uint64(pairs[row, 1])
        changes = n_vertices[a] == 1 and n_vertices[b] > 1
        of_a, of_b = (_SWEEP_B, _SWEEP_A) if changes else (_SWEEP_A, _SWEEP_B)
        _read_sweep(p, of_a, lane, start_a, end_a, center_a, row, row * np.uint64(query.of_center_a))
        _read_sweep(p, of_b, lane, start_b, end_b, center_b, row, row * np.uint64(query.of_center_b))
        a, b = (b, a) if changes else (a, b)
        head_a, head_b = np.uint64(RECORD) * a, np.uint64(RECORD) * b
        rho_a, rho_b = records[head_a + np.uint64(CORE_REACH)], records[head_b + np.uint64(CORE_REACH)]
        x, y = p[_SWEEP_A + _CENTER + lane], p[_SWEEP_A + _CENTER + STRIDE + lane]
        if x != 0.0 or y != 0.0:
            rho_a, is_off_center = reach_about(vertices, first[a], n_vertices[a], x, y), True
        x, y = p[_SWEEP_B + _CENTER + lane], p[_SWEEP_B + _CENTER + STRIDE + lane]
        if x != 0.0 or y != 0.0:
            rho_b, is_off_center = reach_about(vertices, first[b], n_vertices[b], x, y), True
        p[RHO_A + lane], p[RHO_B + lane] = rho_a, rho_b
        p[_EXTENT_A + lane], p[_EXTENT_B + lane] = records[head_a + np.uint64(3)], records[head_b + np.uint64(3)]
        p[_RADII + lane] = records[head_a + np.uint64(2)] + records[head_b + np.uint64(2)]
        q[_Q_ROW + lane], q[_Q_A + lane], q[_Q_B + lane] = row, a, b
        status[row], fraction[row], iterations[row] = MISS, query.t_max, 0
    return is_off_center


@inlined_kernel
def _read(p: FloatArray, row: int, lane: int) -> tuple[float, float, float]:
    """Return a lane's numbers of a row and the two after it."""
    return p[row + lane], p[row + STRIDE + lane], p[row + 2 * STRIDE + lane]


@inlined_kernel
def _larger(a: float, b: float) -> float:
    return b if b > a else a


@inlined_kernel
def _find_motion(p: FloatArray, q: IntArray, is_off_center: bool) -> None:
    """Fill the rows of the relative motion, and which pairs are odd; see `_motion_kernel.prepare_motion`."""
    for lane in range(LANES):
        (ax_0, ay_0, angle_a_0), (ax_1, ay_1, angle_a_1) = _read(p, _SWEEP_A + _START, lane), _read(p, _SWEEP_A + _END, lane)
        (bx_0, by_0, angle_b_0), (bx_1, by_1, angle_b_1) = _read(p, _SWEEP_B + _START, lane), _read(p, _SWEEP_B + _END, lane)
        put_two(p, D_0, lane, bx_0 - ax_0, by_0 - ay_0)
        put_two(p, D_1, lane, bx_1 - ax_1, by_1 - ay_1)
        put_two(p, ANGLES_A, lane, angle_a_0, angle_a_1)
        put_two(p, ANGLES_B, lane, angle_b_0, angle_b_1)
    if is_off_center:
        for end in range(2):
            for lane in range(LANES):
                x, y = p[D_0 + 2 * end * STRIDE + lane], p[D_0 + 2 * end * STRIDE + STRIDE + lane]
                c_ax, c_ay = p[_SWEEP_A + _CENTER + lane], p[_SWEEP_A + _CENTER + STRIDE + lane]
                c_bx, c_by = p[_SWEEP_B + _CENTER + lane], p[_SWEEP_B + _CENTER + STRIDE + lane]
                cos, sin = cosine_and_sine_of_small(p[ANGLES_A + end * STRIDE + lane])
                is_off = (c_ax != 0.0) | (c_ay != 0.0)
                moved_x, moved_y = x - (cos * c_ax - sin * c_ay), y - (sin * c_ax + cos * c_ay)
                x, y = (moved_x if is_off else x), (moved_y if is_off else y)
                cos, sin = cosine_and_sine_of_small(p[ANGLES_B + end * STRIDE + lane])
                is_off = (c_bx != 0.0) | (c_by != 0.0)
                moved_x, moved_y = x + (cos * c_bx - sin * c_by), y + (sin * c_bx + cos * c_by)
                p[D_0 + 2 * end * STRIDE + lane] = moved_x if is_off else x
                p[D_0 + 2 * end * STRIDE + STRIDE + lane] = moved_y if is_off else y
    for lane in range(LANES):
        (ax_0, ay_0, angle_a_0), (ax_1, ay_1, angle_a_1) = _read(p, _SWEEP_A + _START, lane), _read(p, _SWEEP_A + _END, lane)
        (bx_0, by_0, angle_b_0), (bx_1, by_1, angle_b_1) = _read(p, _SWEEP_B + _START, lane), _read(p, _SWEEP_B + _END, lane)
        c_ax, c_ay = p[_SWEEP_A + _CENTER + lane], p[_SWEEP_A + _CENTER + STRIDE + lane]
        c_bx, c_by = p[_SWEEP_B + _CENTER + lane], p[_SWEEP_B + _CENTER + STRIDE + lane]
        vx = p[D_1 + lane] - p[D_0 + lane]
        vy = p[D_1 + STRIDE + lane] - p[D_0 + STRIDE + lane]
        p[SPEED + lane] = math.sqrt(vx * vx + vy * vy)
        start_a, end_a, start_b, end_b = abs(ax_0) + abs(ay_0), abs(ax_1) + abs(ay_1), abs(bx_0) + abs(by_0), abs(bx_1) + abs(by_1)
        turn_a, turn_b = _larger(abs(angle_a_0), abs(angle_a_1)), _larger(abs(angle_b_0), abs(angle_b_1))
        scale = p[_EXTENT_A + lane] + p[_EXTENT_B + lane] + abs(c_ax) + abs(c_ay) + abs(c_bx) + abs(c_by)
        scale += _larger(start_a, end_a)
        scale += _larger(start_b, end_b)
        scale += p[RHO_A + lane] * turn_a + p[RHO_B + lane] * turn_b
        p[TOUCH + lane] = SAT_ROUNDING * scale
        of_angles = (abs(angle_a_0) + abs(angle_a_1)) + (abs(angle_b_0) + abs(angle_b_1))  # a maximum could drop a NaN
        is_fine = (scale + (start_a + end_a) + (start_b + end_b) + of_angles < np.inf) & (turn_a + turn_b <= MAX_TURNED)
        q[_IS_ODD + lane] = 0 if is_fine else 1


@inlined_kernel
def _find_window(p: FloatArray, q: IntArray, is_box2d: bool, t_max: float) -> None:
    """Fill the rows of the search, and which pairs wait; see `_impact_kernel.prepare_pair` and `_motion_kernel.motion_window`."""
    for lane in range(LANES):
        touch, radii = p[TOUCH + lane], p[_RADII + lane]
        extents = p[_EXTENT_A + lane] + p[_EXTENT_B + lane]
        target, overlap, tolerance = radii, radii + touch, TOI_CONVERGENCE * extents + TOI_ROUNDINGS * touch
        if is_box2d:
            target, overlap = _larger(LINEAR_SLOP, radii - BOX2D_TOI_BACKOFF), touch
            tolerance = _larger(BOX2D_TOI_TOLERANCE, TOI_ROUNDINGS * touch)
        dx, dy = p[D_0 + lane], p[D_0 + STRIDE + lane]
        vx, vy = p[D_1 + lane] - dx, p[D_1 + STRIDE + lane] - dy
        reach = p[RHO_A + lane] + p[RHO_B + lane] + (target + tolerance)
        speed_sq, aside = vx * vx + vy * vy, dx * vy - dy * vx
        inside = reach * reach * speed_sq - aside * aside
        nearest, half = -(dx * vx + dy * vy) / speed_sq, math.sqrt(inside if inside >= 0.0 else 0.0) / speed_sq
        enters, leaves = nearest - half, nearest + half
        enters, leaves = (enters if enters > 0.0 else 0.0), (leaves if leaves < t_max else t_max)
        is_still = speed_sq == 0.0
        enters, leaves = (0.0 if is_still else enters), (t_max if is_still else leaves)
        is_near = (dx * dx + dy * dy <= reach * reach) if is_still else (inside >= 0.0)
        p[REACH + lane], p[TARGET + lane], p[TOLERANCE + lane] = reach, target, tolerance
        p[OVERLAP + lane], p[T + lane], p[T_LAST + lane] = overlap, enters, leaves
        is_fine = (q[_IS_ODD + lane] == 0) & (abs(inside) < np.inf)
        q[_IS_ODD + lane] = 0 if is_fine else 1
        q[_WAITS + lane] = 1 if is_near & (enters <= leaves) & is_fine else 0


@inlined_kernel
def _prepare_next(queue: _Queue, rows: IntArray, at: int, end: int, query: _Query, rest: IntArray, n_rest: int) -> tuple[int, int]:
    """Prepare the pairs rows[at:end] and append them to the queue if their circles come near, or mark a miss, or append them to `rest`.
    Return both lengths.
    """
    p, q, waiting = queue.p, queue.q, queue.waiting
    is_off_center = _read_next(queue, rows, at, end, query)
    _find_motion(p, q, is_off_center)
    _find_window(p, q, query.is_box2d, query.t_max)
    n = 0
    for lane in range(end - at):
        waiting[np.uint64(n)], rest[np.uint64(n_rest)] = lane, q[_Q_ROW + lane]
        n += q[_WAITS + lane]
        n_rest += q[_IS_ODD + lane]
    return n, n_rest


@inlined_kernel
def _most_slots(k: IntArray, row: int) -> int:
    """Return the number of slots for the largest polygon of all lanes, whose numbers of vertices are in a row of `k`."""
    most = 1
    for lane in range(LANES):
        most = max(most, k[row + lane])
    return (most + SLOT_GROUP - 1) // SLOT_GROUP * SLOT_GROUP


@inlined_kernel
def _load_lanes(block: _Block, queue: _Queue, free: int, n: int, at: int, before_a: int, before_b: int, query: _Query) -> tuple[int, int]:
    """Load the next `n` pairs of the queue, from `at` on, into the listed lanes, from `free` on; return the slots of A and of B.

    The lanes' previous numbers of slots are `before_a` and `before_b`.
    """
    v, s, k = block.v, block.s, block.k
    p, q, waiting, lanes = queue
    n_vertices, records = query.shapes.n_vertices, query.records
    for place in range(n):
        lane, of = np.uint64(lanes[np.uint64(free + place)]), np.uint64(waiting[np.uint64(at + place)])
        k[np.uint64(N_A) + lane] = n_vertices[np.uint64(q[np.uint64(_Q_A) + of])]
        k[np.uint64(N_B) + lane] = n_vertices[np.uint64(q[np.uint64(_Q_B) + of])]
    slots_a, slots_b = _most_slots(k, N_A), _most_slots(k, N_B)
    repeat_first(v, 0, before_a, slots_a)
    repeat_first(v, OF_B, before_b, slots_b)
    for place in range(n):
        lane, of = lanes[np.uint64(free + place)], waiting[np.uint64(at + place)]
        for place_of_row in range(0, T_LAST + STRIDE, STRIDE):
            s[np.uint64(place_of_row + lane)] = p[np.uint64(place_of_row + of)]
        a, b = q[np.uint64(_Q_A + of)], q[np.uint64(_Q_B + of)]
        x, y = p[np.uint64(_SWEEP_A + _CENTER + of)], p[np.uint64(_SWEEP_A + _CENTER + STRIDE + of)]
        load_core(v, lane, 0, slots_a, RECORD * a, k[np.uint64(N_A + lane)], records, x, y)
        x, y = p[np.uint64(_SWEEP_B + _CENTER + of)], p[np.uint64(_SWEEP_B + _CENTER + STRIDE + of)]
        load_core(v, lane, OF_B, slots_b, RECORD * b, k[np.uint64(N_B + lane)], records, x, y)
        k[np.uint64(ROW + lane)], k[np.uint64(STEPS + lane)] = q[np.uint64(_Q_ROW + of)], 0
    return slots_a, slots_b


@borrowing_kernel
def _collect_ended(
    s: FloatArray, k: IntArray, lanes: IntArray, t_max: float, columns: Arrays, rest: IntArray, n_rest: int
) -> tuple[int, int]:  # fmt: skip
    """Write the results of the finished lanes and list these in `lanes`; advance the others' times.

    Return the number of finished lanes, and of rows now in `rest`, to which pairs with too many steps are appended.
    """
    for lane in range(LANES):
        steps = k[STEPS + lane] + 1
        goes_on = (k[ENDED + lane] == GOES_ON) & (steps < TOI_MAX_STEPS)
        k[STEPS + lane] = steps
        s[T + lane] = s[AFTER + lane] if goes_on else s[T + lane]
        k[IS_DONE + lane] = 0 if goes_on | (k[ROW + lane] == IDLE) else 1
    n, (status, fraction, iterations) = 0, columns
    for lane in range(LANES):
        lanes[np.uint64(n)] = lane
        n += k[IS_DONE + lane]
    for place in range(n):
        lane = lanes[np.uint64(place)]
        row, ended = np.uint64(k[np.uint64(ROW + lane)]), k[np.uint64(ENDED + lane)]
        if ended == GOES_ON:
            rest[n_rest] = row
            n_rest += 1
        else:
            status[row], iterations[row] = ended, k[np.uint64(STEPS + lane)]
            fraction[row] = t_max if ended == MISS else s[np.uint64(T + lane)]
        k[np.uint64(ROW + lane)] = IDLE
        k[np.uint64(N_A + lane)] = k[np.uint64(N_B + lane)] = 0
    return n, n_rest


@borrowing_kernel
def _step_by_points(v: FloatArray, s: FloatArray, k: IntArray, lane: int, scratch: _Scratch) -> None:
    """Compute one lane's step by the scalar kernel."""
    n_a, n_b = k[N_A + lane], k[N_B + lane]
    cores, normals, moved, motion = scratch.cores, scratch.normals, scratch.moved, scratch.motion
    read_lane(v, s, lane, cores, normals, motion)
    moving = Moving(
        motion, cores[0, :n_a], normals[0, :n_a], cores[1, :n_b], normals[1, :n_b], moved[0, :n_b], moved[1, :n_b], scratch.placed
    )  # fmt: skip
    search = Search(
        s[TARGET + lane], s[TOLERANCE + lane], s[OVERLAP + lane], 0.0, s[T_LAST + lane], 1.0
    )  # fmt: skip
    ended, _, after = advance_once(moving, search, s[T + lane], None)
    k[ENDED + lane], s[AFTER + lane] = ended, after


@borrowing_kernel
def _advance_listed(
    block: _Block, queue: _Queue, scratch: _Scratch, rows: IntArray, with_circle: bool, query: _Query, rest: IntArray, n_rest: int
) -> int:  # fmt: skip
    """Fill the `rows` of pairs, of polygons or of all with a circle, except those appended to `rest`; return the length of `rest`."""
    v, w, g, s, k = block
    lanes, at, end = queue.lanes, 0, rows.shape[0]
    for lane in range(LANES):
        k[ROW + lane], lanes[lane] = IDLE, lane
        k[N_A + lane] = k[N_B + lane] = 0
    n_free, n_queued, next_queued, slots_a, slots_b = LANES, 0, 0, 0, 0
    while True:
        while n_free > 0 and (next_queued < n_queued or at < end):
            if next_queued == n_queued:
                until = min(at + LANES, end)
                n_queued, n_rest = _prepare_next(queue, rows, at, until, query, rest, n_rest)
                at, next_queued = until, 0
            n = min(n_free, n_queued - next_queued)
            n_free -= n
            slots_a, slots_b = _load_lanes(block, queue, n_free, n, next_queued, slots_a, slots_b, query)
            next_queued += n
        if LANES - n_free <= (STRAGGLERS if at == end else 0):
            break
        if with_circle:
            step_circles(v, w, g, s, k, slots_a)
        else:
            step_polygons(v, w, g, s, k, slots_a, slots_b)
            for lane in range(LANES):
                if k[CASE + lane] == BY_POINTS and k[ROW + lane] != IDLE:
                    _step_by_points(v, s, k, lane, scratch)
        n, n_rest = _collect_ended(s, k, lanes[n_free:], query.t_max, query.columns, rest, n_rest)
        n_free += n
    for lane in range(LANES):
        if k[ROW + lane] != IDLE:
            rest[n_rest] = k[ROW + lane]
            n_rest += 1
    return n_rest


@unlocked_kernel
def times_of_impact_simd(
    packed: Arrays, records: FloatArray, pairs: IntArray, sweeps: Arrays, t_max: float, is_box2d: bool, columns: Arrays, rest: IntArray
) -> int:
    """Fill the rows of all `pairs` that can be completed in lanes; list the others in `rest` and return their number.

    Arguments are those of `times_of_impact`, `records` as in `PackedShapes`, and `rest` (n + 1,); a single row of centers applies to all
    pairs. Returns -1 if an index is out of range. Rows with numbers that are not finite are among the others.
    """
    n, shapes, n_rest = pairs.shape[0], Shapes(*packed), 0
    sorted_rows = np.empty(n, dtype=np.int64)
    begin = _classify(shapes.kind, shapes.n_vertices, pairs, sorted_rows)
    if begin.shape[0] == 0:
        return -1
    of_center_a, of_center_b = 1 if sweeps[2].shape[0] > 1 else 0, 1 if sweeps[5].shape[0] > 1 else 0
    query = _Query(shapes, records.reshape(-1), pairs, sweeps, of_center_a, of_center_b, t_max, is_box2d, columns)
    block = _Block(
        np.zeros(VERTEX_END), np.zeros(MOVED_END), np.zeros(GAP_END), np.zeros(NUMBER_END),
        np.zeros(INTEGER_END, dtype=np.int64),
    )  # fmt: skip
    queue = _Queue(
        np.zeros(_PREPARED_END), np.zeros(_QUEUE_END, dtype=np.int64),
        np.empty(LANES + 1, dtype=np.int64), np.empty(LANES + 1, dtype=np.int64),
    )  # fmt: skip
    scratch = _Scratch(
        np.empty((2, MAX_SLOTS, 2)),
        np.empty((2, MAX_SLOTS, 2)),
        np.empty((2, MAX_SLOTS, 2)),
        np.empty(MOTION_SIZE),
        np.empty(PLACED_SIZE),
    )
    for first, end, with_circle in ((0, _WITH_CIRCLE, False), (_WITH_CIRCLE, _SCALAR, True)):
        chosen = sorted_rows[begin[first] : begin[end]]
        if chosen.shape[0] < MIN_PAIRS:
            rest[n_rest : n_rest + chosen.shape[0]] = chosen
            n_rest += chosen.shape[0]
        else:
            n_rest = _advance_listed(block, queue, scratch, chosen, with_circle, query, rest, n_rest)
    for row in sorted_rows[begin[_SCALAR] :]:
        rest[n_rest] = row
        n_rest += 1
    return n_rest
