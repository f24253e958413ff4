"""Times of impact of many pairs of packed shapes, by any of the three methods.

Their common part is computed here once per pair: the relative motion, the window of the circles around the cores, and the target. The
target distance D of the cores is

    target "touch":   D = r, the sum of the radii (skins included); the tolerance is `TOI_CONVERGENCE` of the extents and some roundings
    target "box2d":   D = max(slop, r - 3 slop), within a quarter of the slop: the target of b2TimeOfImpact

and every method stops at the first time found at which the distance is at most D + tolerance, with a proof that it exceeds D before. If
only A's core is a single point, A and B are swapped: the order does not change the result, and the steps need one case less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, unlocked_kernel
from engine.common.tolerances import BOX2D_TOI_BACKOFF, BOX2D_TOI_TOLERANCE, LINEAR_SLOP, TOI_CONVERGENCE, TOI_ROUNDINGS
from engine.continuous._advancement_kernel import advance
from engine.continuous._bilateral_kernel import advance_bilaterally
from engine.continuous._bisection_kernel import bisect
from engine.continuous._motion_kernel import (
    ENDS_SIZE,
    MOTION_SIZE,
    PLACED_SIZE,
    ImpactStart,
    Moving,
    Search,
    motion_window,
    note_sweep,
    prepare_motion,
    reach_about,
)
from engine.contracts.status import MISS
from engine.narrowphase._sides_kernel import Arrays, Shapes, most_vertices

__all__ = ["ADVANCEMENT", "BILATERAL", "BISECTION", "prepare_pair", "times_of_impact"]

ADVANCEMENT = 0
BISECTION = 1
BILATERAL = 2


@inlined_kernel
def prepare_pair(
    ends: FloatArray, rho_a: float, extent_a: float, rho_b: float, extent_b: float, radii: float, is_box2d: bool, t_max: float,
    motion: FloatArray,
) -> tuple[float, float, float, float, float]:  # fmt: skip
    """Fill `motion`; return D, the tolerance, the largest gap that is an overlap at 0, and the window, first > last if it is empty."""
    prepare_motion(ends, rho_a, extent_a, rho_b, extent_b, motion)
    touch = motion[10]
    target, overlap = radii, radii + touch
    tolerance = TOI_CONVERGENCE * (extent_a + extent_b) + TOI_ROUNDINGS * touch
    if is_box2d:
        target, overlap = max(LINEAR_SLOP, radii - BOX2D_TOI_BACKOFF), touch
        tolerance = max(BOX2D_TOI_TOLERANCE, TOI_ROUNDINGS * touch)
    t_first, t_last = motion_window(motion, target + tolerance, t_max)
    return target, tolerance, overlap, t_first, t_last


class _Room(NamedTuple):
    cores: FloatArray
    moved: FloatArray
    motion: FloatArray
    ends: FloatArray
    placed: FloatArray


@inlined_kernel
def time_of_row(
    shapes: Shapes, pairs: IntArray, sweeps: Arrays, row: int, t_max: float, method: int, is_box2d: bool, room: _Room,
) -> tuple[int, float, int]:  # fmt: skip
    """Return status, fraction and iterations of one pair."""
    start_a, end_a, center_a, start_b, end_b, center_b = sweeps
    ends, vertices = room.ends, shapes.vertices
    a, b = pairs[row, 0], pairs[row, 1]
    changes = shapes.n_vertices[a] == 1 and shapes.n_vertices[b] > 1
    note_sweep(ends, 8 if changes else 0, start_a, end_a, center_a, row)
    note_sweep(ends, 0 if changes else 8, start_b, end_b, center_b, row)
    a, b = (b, a) if changes else (a, b)
    n_a, n_b, low_a, low_b = shapes.n_vertices[a], shapes.n_vertices[b], shapes.first[a], shapes.first[b]
    core_a, core_b = room.cores[0, :n_a], room.cores[1, :n_b]
    for i in range(n_a):
        core_a[i, 0], core_a[i, 1] = vertices[low_a + i, 0] - ends[6], vertices[low_a + i, 1] - ends[7]
    for j in range(n_b):
        core_b[j, 0], core_b[j, 1] = vertices[low_b + j, 0] - ends[14], vertices[low_b + j, 1] - ends[15]
    rho_a, rho_b = reach_about(vertices, low_a, n_a, ends[6], ends[7]), reach_about(vertices, low_b, n_b, ends[14], ends[15])
    target, tolerance, overlap, t_first, t_last = prepare_pair(
        ends, rho_a, shapes.extent[a], rho_b, shapes.extent[b], shapes.radius[a] + shapes.radius[b], is_box2d, t_max, room.motion
    )
    record(ImpactStart(changes, target, tolerance, t_first, t_last, (rho_a, rho_b)))
    if t_first > t_last:
        return MISS, t_max, 0
    moving = Moving(
        room.motion, core_a, shapes.normals[low_a : low_a + n_a], core_b, shapes.normals[low_b : low_b + n_b],
        room.moved[0, :n_b], room.moved[1, :n_b], room.placed,
    )  # fmt: skip
    search = Search(target, tolerance, overlap, t_first, t_last, t_max)
    if method == BISECTION:
        return bisect(moving, search)
    if method == BILATERAL:
        return advance_bilaterally(moving, search)
    return advance(moving, search)


@unlocked_kernel
def times_of_impact(
    packed: Arrays, pairs: IntArray, sweeps: Arrays, t_max: float, method: int, is_box2d: bool, columns: Arrays,
) -> None:  # fmt: skip
    """Fill a row of the `columns` status, fraction and iterations for each pair.

    `sweeps` contains the poses at the start, at the end, and the centers of A, then those of B.
    """
    shapes, most = Shapes(*packed), most_vertices(packed[2])
    status, fraction, iterations = columns
    room = _Room(np.empty((2, most, 2)), np.empty((2, most, 2)), np.empty(MOTION_SIZE), np.empty(ENDS_SIZE), np.empty(PLACED_SIZE))
    for row in range(pairs.shape[0]):
        status[row], fraction[row], iterations[row] = time_of_row(
            shapes, pairs, sweeps, row, t_max, method, is_box2d, room
        )  # fmt: skip
