"""The times of impact of many pairs at once, by conservative advancement with 32 pairs side by side.

The chapters are `_advancement_kernel`, `_motion_kernel` and `_core_kernel`; read these first, and for a step
`_advancement_simd_kernel`. This is the same, operation for operation, in another shape: the two agree to the bit, as a test holds.

Pairs need unequal numbers of steps, some one, some ten. So a lane whose pair has ended takes the next pair at once, while the others
go on::

    lane 0   | pair 0: step, step, step | pair 34: step, ...
    lane 1   | pair 1: step | pair 32: step, step, ...                 a row is a step of all lanes together
    lane 2   | pair 2: step, step | pair 33: ...

The next 32 pairs are prepared together, as the scalar kernel prepares one: the relative motion, the target, the window. Those whose circles
never come near have missed, and need no lane; the others wait in a queue, a row each, for lanes to become free. None of it counts
references: with locked instructions, once a turn of a loop for every array, a pair would cost 250 ns more (measured). And a function is
handed only what it needs: a tuple of arrays is copied, number by number, at each call.

What remains goes to the scalar kernel, pair by pair: shapes other than polygons and circles, polygons of more than 16 vertices, angles
beyond `MOST_TURNED`, classes with too few pairs to fill a block, and the last lanes when no pair is left to fill the others with.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import borrowing_kernel, inlined_kernel, kernel
from engine.common.tolerances import TOI_MAX_STEPS
from engine.continuous._advancement_kernel import GOES_ON, advance_once
from engine.continuous._advancement_simd_kernel import (
    AFTER,
    BY_POINTS,
    CASE,
    ENDED,
    GAP_ROWS,
    IDLE,
    LANES,
    MOST_SLOTS,
    MOVED_ROWS,
    N_A,
    N_B,
    NUMBER_ROWS,
    OF_B,
    OVERLAP,
    ROW,
    SLOT_GROUP,
    STEPS,
    STRIDE,
    T_LAST,
    TARGET,
    TOLERANCE,
    VERTEX_ROWS,
    WHOLE_ROWS,
    T,
    load_core,
    read_lane,
    step_circles,
    step_polygons,
)
from engine.continuous._impact_kernel import prepare_pair
from engine.continuous._motion_kernel import ENDS_SIZE, MOTION_SIZE, PLACED_SIZE, Moving, Search, note_sweep, reach_about
from engine.contracts.status import MISS
from engine.geometry.kinds import CIRCLE, POLYGON
from engine.geometry.rotation import MOST_TURNED
from engine.narrowphase._sides_kernel import Arrays, Shapes
from engine.narrowphase._simd_kernel import sort_by_class

__all__ = ["FEWEST", "times_of_impact_simd"]

FEWEST = 24
"""Pairs of one class that are worth a block."""

STRAGGLERS = 4
"""Lanes left unfinished when no pair is left to fill the others with."""

# Classes: two polygons of up to 4, 8, 12 and 16 vertices; a circle and a polygon of so many, or a circle; what the scalar kernel gets.
_N_GROUPS = MOST_SLOTS // SLOT_GROUP
_SCALAR = 2 * _N_GROUPS
_N_CLASSES = _SCALAR + 1

# A prepared pair: the numbers of `s` up to `T_LAST`, and both centres.
_CENTER = T_LAST + 1
_QUEUE_WIDTH = _CENTER + 4


class _Query(NamedTuple):
    """The question, and the columns to fill; `reach` of each shape about its origin."""

    shapes: Shapes
    reach: FloatArray
    pairs: IntArray
    sweeps: Arrays
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
def _classify(
    kind: IntArray, n_vertices: IntArray, pairs: IntArray, start_a: FloatArray, end_a: FloatArray, start_b: FloatArray, end_b: FloatArray,
    rows: IntArray,
) -> IntArray:  # fmt: skip
    """Sort the numbers of the `pairs` by class into `rows`, each class in its old order; return where the classes begin."""
    n = pairs.shape[0]
    of_row = np.empty(n, dtype=np.uint8)
    for row in range(n):
        a, b = pairs[row, 0], pairs[row, 1]
        most, found = max(n_vertices[a], n_vertices[b]), _SCALAR
        turned = max(abs(start_a[row, 2]), abs(end_a[row, 2])) + max(abs(start_b[row, 2]), abs(end_b[row, 2]))
        if most <= MOST_SLOTS and turned <= MOST_TURNED:
            group = (most - 1) // SLOT_GROUP
            if kind[a] == POLYGON and kind[b] == POLYGON:
                found = group
            elif kind[a] + kind[b] == CIRCLE + POLYGON or (kind[a] == CIRCLE and kind[b] == CIRCLE):
                found = _N_GROUPS + group
        of_row[row] = found
    return sort_by_class(of_row, _N_CLASSES, rows)


class _Scratch(NamedTuple):
    """Of one pair after the other, for what is done in no lane."""

    cores: FloatArray
    normals: FloatArray
    moved: FloatArray
    motion: FloatArray
    ends: FloatArray
    placed: FloatArray


class _Queue(NamedTuple):
    """The prepared pairs' numbers; row, A and B of each; and the lanes that are free."""

    numbers: FloatArray
    rows: IntArray
    lanes: IntArray


@inlined_kernel
def _prepare_next(queue: _Queue, scratch: _Scratch, rows: IntArray, at: int, end: int, query: _Query) -> int:
    """Prepare the pairs rows[at:end]; those whose circles come near join the queue, the others miss. Return the length of the queue."""
    shapes, reach, pairs, sweeps, t_max, is_box2d, (status, fraction, iterations) = query
    first, n_vertices, vertices, radius, extent = shapes.first, shapes.n_vertices, shapes.vertices, shapes.radius, shapes.extent
    motion, ends, numbers, queued = scratch.motion, scratch.ends, queue.numbers, queue.rows
    start_a, end_a, center_a, start_b, end_b, center_b = sweeps
    n = 0
    for place in range(at, end):
        row = np.uint64(rows[place])
        a, b = pairs[row, 0], pairs[row, 1]
        changes = n_vertices[a] == 1 and n_vertices[b] > 1
        of_a, of_b = (8, 0) if changes else (0, 8)
        a, b = (b, a) if changes else (a, b)
        note_sweep(ends, of_a, start_a, end_a, center_a, row)
        note_sweep(ends, of_b, start_b, end_b, center_b, row)
        rho_a, rho_b = reach[a], reach[b]
        if ends[6] != 0.0 or ends[7] != 0.0:
            rho_a = reach_about(vertices, first[a], n_vertices[a], ends[6], ends[7])
        if ends[14] != 0.0 or ends[15] != 0.0:
            rho_b = reach_about(vertices, first[b], n_vertices[b], ends[14], ends[15])
        target, tolerance, overlap, t_first, t_last = prepare_pair(
            ends, rho_a, extent[a], rho_b, extent[b], radius[a] + radius[b], is_box2d, t_max, motion
        )
        status[row], fraction[row], iterations[row] = MISS, t_max, 0
        prepared = numbers[n]
        for number in range(MOTION_SIZE):
            prepared[number] = motion[number]
        prepared[TARGET], prepared[TOLERANCE], prepared[OVERLAP] = target, tolerance, overlap
        prepared[T], prepared[T_LAST] = t_first, t_last
        prepared[_CENTER], prepared[_CENTER + 1], prepared[_CENTER + 2], prepared[_CENTER + 3] = ends[6], ends[7], ends[14], ends[15]
        queued[n, 0], queued[n, 1], queued[n, 2] = rows[place], a, b
        n += 1 if t_first <= t_last else 0
    return n


@inlined_kernel
def _load_lanes(block: _Block, queue: _Queue, free: int, n: int, at: int, slots: int, slots_b: int, shapes: Shapes) -> None:
    """Load the next `n` pairs of the queue, from `at` on, into the lanes that are listed from `free` on."""
    v, s, k = block.v, block.s, block.k
    numbers, queued, lanes = queue
    first, n_vertices, vertices, normals = shapes.first, shapes.n_vertices, shapes.vertices, shapes.normals
    for place in range(n):
        lane, which, prepared = lanes[free + place], at + place, numbers[at + place]
        for number in range(_CENTER):
            s[number * STRIDE + lane] = prepared[number]
        a, b = queued[which, 1], queued[which, 2]
        load_core(v, lane, 0, slots, first[a], n_vertices[a], vertices, normals, prepared[_CENTER], prepared[_CENTER + 1])
        load_core(v, lane, OF_B, slots_b, first[b], n_vertices[b], vertices, normals, prepared[_CENTER + 2], prepared[_CENTER + 3])
        k[ROW * STRIDE + lane], k[STEPS * STRIDE + lane] = queued[which, 0], 0
        k[N_A * STRIDE + lane], k[N_B * STRIDE + lane] = n_vertices[a], n_vertices[b]


@borrowing_kernel
def _collect_ended(
    s: FloatArray, k: IntArray, lanes: IntArray, t_max: float, columns: Arrays, rest: IntArray, n_rest: int
) -> tuple[int, int]:  # fmt: skip
    """Write the answers of the lanes that have ended and list these `lanes`; move the others' times on.

    Return how many have ended, and how many rows `rest` lists by now: those that take too many steps.
    """
    n, (status, fraction, iterations) = 0, columns
    for lane in range(LANES):
        of_row, ended, steps = k[ROW * STRIDE + lane], k[ENDED * STRIDE + lane], k[STEPS * STRIDE + lane] + 1
        k[STEPS * STRIDE + lane] = steps
        if of_row == IDLE:
            continue
        if ended == GOES_ON and steps < TOI_MAX_STEPS:
            s[T * STRIDE + lane] = s[AFTER * STRIDE + lane]
            continue
        if ended == GOES_ON:
            rest[n_rest] = of_row
            n_rest += 1
        else:
            row = np.uint64(of_row)
            status[row], iterations[row] = ended, steps
            fraction[row] = t_max if ended == MISS else s[T * STRIDE + lane]
        k[ROW * STRIDE + lane] = IDLE
        lanes[n] = lane
        n += 1
    return n, n_rest


@borrowing_kernel
def _step_by_points(v: FloatArray, s: FloatArray, k: IntArray, lane: int, scratch: _Scratch) -> None:
    """Take one lane's step by the scalar kernel."""
    n_a, n_b = k[N_A * STRIDE + lane], k[N_B * STRIDE + lane]
    cores, normals, moved, motion = scratch.cores, scratch.normals, scratch.moved, scratch.motion
    read_lane(v, s, lane, cores, normals, motion)
    moving = Moving(
        motion, cores[0, :n_a], normals[0, :n_a], cores[1, :n_b], normals[1, :n_b], moved[0, :n_b], moved[1, :n_b], scratch.placed
    )  # fmt: skip
    search = Search(
        s[TARGET * STRIDE + lane], s[TOLERANCE * STRIDE + lane], s[OVERLAP * STRIDE + lane], 0.0, s[T_LAST * STRIDE + lane], 1.0
    )  # fmt: skip
    ended, _, after = advance_once(moving, search, s[T * STRIDE + lane], None)
    k[ENDED * STRIDE + lane], s[AFTER * STRIDE + lane] = ended, after


@borrowing_kernel
def _advance_class(
    block: _Block, queue: _Queue, scratch: _Scratch, rows: IntArray, slots: int, with_circle: bool, query: _Query, rest: IntArray,
    n_rest: int,
) -> int:  # fmt: skip
    """Fill the `rows` of pairs, all of one class, but for those that `rest` lists; return how many that are by now."""
    v, w, g, s, k = block
    lanes, at, end = queue.lanes, 0, rows.shape[0]
    for lane in range(LANES):
        k[ROW * STRIDE + lane], lanes[lane] = IDLE, lane
    n_free, n_queued, next_queued, slots_b = LANES, 0, 0, 1 if with_circle else slots
    while True:
        while n_free > 0 and (next_queued < n_queued or at < end):
            if next_queued == n_queued:
                until = min(at + LANES, end)
                n_queued = _prepare_next(queue, scratch, rows, at, until, query)
                at, next_queued = until, 0
            n = min(n_free, n_queued - next_queued)
            n_free -= n
            _load_lanes(block, queue, n_free, n, next_queued, slots, slots_b, query.shapes)
            next_queued += n
        if LANES - n_free <= (STRAGGLERS if at == end else 0):
            break
        if with_circle:
            step_circles(v, w, g, s, k, slots)
        else:
            step_polygons(v, w, g, s, k, slots)
            for lane in range(LANES):
                if k[CASE * STRIDE + lane] == BY_POINTS and k[ROW * STRIDE + lane] != IDLE:
                    _step_by_points(v, s, k, lane, scratch)
        n, n_rest = _collect_ended(s, k, lanes[n_free:], query.t_max, query.columns, rest, n_rest)
        n_free += n
    for lane in range(LANES):
        if k[ROW * STRIDE + lane] != IDLE:
            rest[n_rest] = k[ROW * STRIDE + lane]
            n_rest += 1
    return n_rest


@kernel
def times_of_impact_simd(packed: Arrays, pairs: IntArray, sweeps: Arrays, t_max: float, is_box2d: bool, columns: Arrays) -> IntArray:
    """Fill the rows of all `pairs` that can go side by side to their end; return the numbers of the others, `times_of_impact`'s to fill.

    Arguments are those of `times_of_impact`.
    """
    n, shapes = pairs.shape[0], Shapes(*packed)
    sorted_rows, rest, n_rest = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), 0
    begin = _classify(shapes.kind, shapes.n_vertices, pairs, sweeps[0], sweeps[1], sweeps[3], sweeps[4], sorted_rows)
    reach = np.empty(shapes.first.shape[0])
    for shape in range(reach.shape[0]):
        reach[shape] = reach_about(shapes.vertices, shapes.first[shape], shapes.n_vertices[shape], 0.0, 0.0)
    query = _Query(shapes, reach, pairs, sweeps, t_max, is_box2d, columns)
    block = _Block(
        np.zeros(VERTEX_ROWS * STRIDE), np.zeros(MOVED_ROWS * STRIDE), np.zeros(GAP_ROWS * STRIDE), np.zeros(NUMBER_ROWS * STRIDE),
        np.zeros(WHOLE_ROWS * STRIDE, dtype=np.int64),
    )  # fmt: skip
    queue = _Queue(np.empty((LANES, _QUEUE_WIDTH)), np.empty((LANES, 3), dtype=np.int64), np.empty(LANES, dtype=np.int64))
    scratch = _Scratch(
        np.empty((2, MOST_SLOTS, 2)), np.empty((2, MOST_SLOTS, 2)), np.empty((2, MOST_SLOTS, 2)), np.empty(MOTION_SIZE),
        np.empty(ENDS_SIZE), np.empty(PLACED_SIZE),
    )  # fmt: skip
    for number in range(_N_CLASSES):
        chosen = sorted_rows[begin[number] : begin[number + 1]]
        if number == _SCALAR or chosen.shape[0] < FEWEST:
            rest[n_rest : n_rest + chosen.shape[0]] = chosen
            n_rest += chosen.shape[0]
        else:
            slots = SLOT_GROUP * (number % _N_GROUPS + 1)
            n_rest = _advance_class(block, queue, scratch, chosen, slots, number >= _N_GROUPS, query, rest, n_rest)
    return rest[:n_rest]
