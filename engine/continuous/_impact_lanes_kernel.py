"""The times of impact of many pairs at once, by conservative advancement with 32 pairs side by side.

The chapters are `_advancement_kernel`, `_motion_kernel`, `_core_kernel` and `_step_kernel`; read these first. This is the same, operation
for operation, in another shape: the two agree to the bit, and a test holds them to it.

Pairs need unequal numbers of steps, some one, some ten. So a lane whose pair has ended takes the next pair at once, while the others
go on::

    lane 0   | pair 0: step, step, step | pair 34: step, ...
    lane 1   | pair 1: step | pair 32: step, step, ...                 a row is a step of all lanes together
    lane 2   | pair 2: step, step | pair 33: ...

What remains goes to the scalar kernel, pair by pair: shapes other than polygons and circles, polygons of more than 16 vertices, angles
beyond `MOST_TURNED`, classes with too few pairs to fill a block, and the last lanes when no pair is left to fill the others with.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import borrowing_kernel, kernel
from engine.continuous._advancement_kernel import advance_once
from engine.continuous._lanes_circle_kernel import step_circles
from engine.continuous._lanes_kernel import (
    AFTER,
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
    OVERLAP,
    ROW,
    SLOT_GROUP,
    STRIDE,
    T_LAST,
    TARGET,
    TOLERANCE,
    VERTEX_ROWS,
    WHOLE_ROWS,
    T,
    read_lane,
)  # fmt: skip
from engine.continuous._lanes_polygon_kernel import BY_POINTS, step_polygons
from engine.continuous._lanes_queue_kernel import QUEUE_WIDTH, collect_ended, load_lanes, prepare_next
from engine.continuous._motion_kernel import ENDS_SIZE, MOTION_SIZE, PLACED_SIZE, Moving, Search, reach_about
from engine.geometry.kinds import CIRCLE, POLYGON
from engine.geometry.rotation import MOST_TURNED
from engine.narrowphase._lanes_lists_kernel import sort_by_class
from engine.narrowphase._sides_kernel import Arrays

__all__ = ["FEWEST", "times_of_impact_lanes"]

FEWEST = 24
"""Pairs of one class that are worth a block."""

STRAGGLERS = 4
"""Lanes left unfinished when no pair is left to fill the others with."""

# Classes: two polygons of up to 4, 8, 12 and 16 vertices; a circle and a polygon of so many, or a circle; what the scalar kernel gets.
_N_GROUPS = MOST_SLOTS // SLOT_GROUP
_SCALAR = 2 * _N_GROUPS
_N_CLASSES = _SCALAR + 1


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
    """Of one pair after the other, for what is done in no lane, and of the queue."""

    cores: FloatArray
    normals: FloatArray
    moved: FloatArray
    motion: FloatArray
    ends: FloatArray
    placed: FloatArray
    queue: FloatArray
    queued: IntArray
    lanes: IntArray


@borrowing_kernel
def _step_by_points(v: FloatArray, s: FloatArray, k: IntArray, lane: int, scratch: _Scratch) -> None:
    """Take one lane's step by the scalar form."""
    n_a, n_b = k[N_A * STRIDE + lane], k[N_B * STRIDE + lane]
    cores, normals, moved, motion = scratch.cores, scratch.normals, scratch.moved, scratch.motion
    read_lane(v, s, lane, cores, normals, motion)
    moving = Moving(
        motion, cores[0, :n_a], normals[0, :n_a], cores[1, :n_b], normals[1, :n_b], moved[0, :n_b], moved[1, :n_b], scratch.placed
    )  # fmt: skip
    search = Search(
        s[TARGET * STRIDE + lane], s[TOLERANCE * STRIDE + lane], s[OVERLAP * STRIDE + lane], 0.0, s[T_LAST * STRIDE + lane], 1.0
    )  # fmt: skip
    ended, _, after = advance_once(moving, search, s[T * STRIDE + lane])
    k[ENDED * STRIDE + lane], s[AFTER * STRIDE + lane] = ended, after


@kernel
def _polygons_step(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    step_polygons(v, w, g, s, k, slots)


@kernel
def _circles_step(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    step_circles(v, w, g, s, k, slots)


@kernel
def _advance_class(
    v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, scratch: _Scratch, rows: IntArray, at: int, end: int,
    slots: int, with_circle: bool, packed: Arrays, reach: FloatArray, pairs: IntArray, sweeps: Arrays, t_max: float, is_box2d: bool,
    columns: Arrays, rest: IntArray, n_rest: int,
) -> int:  # fmt: skip
    """Fill the rows of the pairs rows[at:end], all of one class, but for those that `rest` lists; return how many that are by now."""
    lanes, queue, queued = scratch.lanes, scratch.queue, scratch.queued
    for lane in range(LANES):
        k[ROW * STRIDE + lane], lanes[lane] = IDLE, lane
    n_free, n_queued, next_queued, slots_b = LANES, 0, 0, 1 if with_circle else slots
    while True:
        while n_free > 0 and (next_queued < n_queued or at < end):
            if next_queued == n_queued:
                until = min(at + LANES, end)
                n_queued = prepare_next(
                    queue, queued, rows, at, until, packed, reach, pairs, sweeps, t_max, is_box2d, scratch.motion, scratch.ends, columns
                )  # fmt: skip
                at, next_queued = until, 0
            n = min(n_free, n_queued - next_queued)
            load_lanes(v, s, k, lanes[n_free - n :], n, queue, queued, next_queued, slots, slots_b, packed)
            next_queued, n_free = next_queued + n, n_free - n
        if LANES - n_free <= (STRAGGLERS if at == end else 0):
            break
        if with_circle:
            _circles_step(v, w, g, s, k, slots)
        else:
            _polygons_step(v, w, g, s, k, slots)
            for lane in range(LANES):
                if k[CASE * STRIDE + lane] == BY_POINTS and k[ROW * STRIDE + lane] != IDLE:
                    _step_by_points(v, s, k, lane, scratch)
        n, n_rest = collect_ended(s, k, lanes[n_free:], t_max, columns, rest, n_rest)
        n_free += n
    for lane in range(LANES):
        if k[ROW * STRIDE + lane] != IDLE:
            rest[n_rest] = k[ROW * STRIDE + lane]
            n_rest += 1
    return n_rest


@kernel
def times_of_impact_lanes(
    packed: Arrays, pairs: IntArray, sweeps: Arrays, t_max: float, is_box2d: bool, columns: Arrays
) -> IntArray:  # fmt: skip
    """Fill the rows of all `pairs` that lanes can finish; return the numbers of the others, which are `times_of_impact`'s to fill.

    Arguments are those of `times_of_impact`.
    """
    n = pairs.shape[0]
    sorted_rows, rest, n_rest = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), 0
    kind, first, n_vertices, vertices = packed[0], packed[1], packed[2], packed[3]
    begin = _classify(kind, n_vertices, pairs, sweeps[0], sweeps[1], sweeps[3], sweeps[4], sorted_rows)
    reach = np.empty(first.shape[0])
    for shape in range(first.shape[0]):
        reach[shape] = reach_about(vertices, first[shape], n_vertices[shape], 0.0, 0.0)
    v, w, g = np.zeros(VERTEX_ROWS * STRIDE), np.zeros(MOVED_ROWS * STRIDE), np.zeros(GAP_ROWS * STRIDE)
    s, k = np.zeros(NUMBER_ROWS * STRIDE), np.zeros(WHOLE_ROWS * STRIDE, dtype=np.int64)
    scratch = _Scratch(
        np.empty((2, MOST_SLOTS, 2)), np.empty((2, MOST_SLOTS, 2)), np.empty((2, MOST_SLOTS, 2)), np.empty(MOTION_SIZE),
        np.empty(ENDS_SIZE), np.empty(PLACED_SIZE), np.empty((LANES, QUEUE_WIDTH)), np.empty((LANES, 3), dtype=np.int64),
        np.empty(LANES, dtype=np.int64),
    )  # fmt: skip
    for number in range(_N_CLASSES):
        low, high = begin[number], begin[number + 1]
        if number == _SCALAR or high - low < FEWEST:
            for at in range(low, high):
                rest[n_rest] = sorted_rows[at]
                n_rest += 1
        else:
            n_rest = _advance_class(
                v, w, g, s, k, scratch, sorted_rows, low, high, SLOT_GROUP * (number % _N_GROUPS + 1), number >= _N_GROUPS,
                packed, reach, pairs, sweeps, t_max, is_box2d, columns, rest, n_rest,
            )  # fmt: skip
    return rest[:n_rest]
