"""How pairs come into their lanes and their answers out, for the times of impact.

The next 32 pairs are prepared together, as the scalar form prepares one: the relative motion, the target, the window. Those whose circles
never come near have missed, and need no lane; the others wait in a queue, a row each, for lanes to become free.

Each of the three steps is a function of its own with one plain loop: where a loop may be left in several places, Numba counts the
references to every array once a turn, with locked instructions, and a pair then costs 250 ns more (measured).
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel
from engine.common.tolerances import TOI_MAX_STEPS
from engine.continuous._advancement_kernel import GOES_ON, MISS
from engine.continuous._impact_kernel import prepare_pair
from engine.continuous._lanes_kernel import (
    AFTER,
    ENDED,
    IDLE,
    LANES,
    N_A,
    N_B,
    OF_B,
    OVERLAP,
    ROW,
    STEPS,
    STRIDE,
    T_LAST,
    TARGET,
    TOLERANCE,
    T,
    load_core,
)  # fmt: skip
from engine.continuous._motion_kernel import MOTION_SIZE, note_sweep, reach_about
from engine.narrowphase._sides_kernel import Arrays, Shapes

__all__ = ["QUEUE_WIDTH", "collect_ended", "load_lanes", "prepare_next"]

_CENTER = T_LAST + 1
QUEUE_WIDTH = _CENTER + 4
"""Numbers of a prepared pair: those of `s` up to `T_LAST`, and both centres."""


@kernel
def prepare_next(
    queue: FloatArray, queued: IntArray, rows: IntArray, at: int, end: int, packed: Arrays, reach: FloatArray, pairs: IntArray,
    sweeps: Arrays, t_max: float, is_box2d: bool, motion: FloatArray, ends: FloatArray, columns: Arrays,
) -> int:  # fmt: skip
    """Prepare the pairs rows[at:end]; those whose circles come near join the queue, the others miss. Return the length of the queue."""
    shapes = Shapes(*packed)
    first, n_vertices, vertices, radius, extent = shapes.first, shapes.n_vertices, shapes.vertices, shapes.radius, shapes.extent
    start_a, end_a, center_a, start_b, end_b, center_b = sweeps
    status, fraction, iterations = columns
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
        for number in range(MOTION_SIZE):
            queue[n, number] = motion[number]
        queue[n, TARGET], queue[n, TOLERANCE], queue[n, OVERLAP] = target, tolerance, overlap
        queue[n, T], queue[n, T_LAST] = t_first, t_last
        queue[n, _CENTER], queue[n, _CENTER + 1], queue[n, _CENTER + 2], queue[n, _CENTER + 3] = ends[6], ends[7], ends[14], ends[15]
        queued[n, 0], queued[n, 1], queued[n, 2] = rows[place], a, b
        n += 1 if t_first <= t_last else 0
    return n


@kernel
def load_lanes(
    v: FloatArray, s: FloatArray, k: IntArray, lanes: IntArray, n: int, queue: FloatArray, queued: IntArray, at: int, slots: int,
    slots_b: int, packed: Arrays,
) -> None:  # fmt: skip
    """Load the next `n` pairs of the queue, from `at` on, into the first of the `lanes`."""
    first, n_vertices, vertices, normals = packed[1], packed[2], packed[3], packed[4]
    for place in range(n):
        lane, which = lanes[place], at + place
        for number in range(_CENTER):
            s[number * STRIDE + lane] = queue[which, number]
        a, b = queued[which, 1], queued[which, 2]
        load_core(v, lane, 0, slots, first[a], n_vertices[a], vertices, normals, queue[which, _CENTER], queue[which, _CENTER + 1])
        load_core(v, lane, OF_B, slots_b, first[b], n_vertices[b], vertices, normals, queue[which, _CENTER + 2], queue[which, _CENTER + 3])
        k[ROW * STRIDE + lane], k[STEPS * STRIDE + lane] = queued[which, 0], 0
        k[N_A * STRIDE + lane], k[N_B * STRIDE + lane] = n_vertices[a], n_vertices[b]


@kernel
def collect_ended(
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
