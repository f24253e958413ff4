"""Times of impact of many pairs of packed shapes, by any of the three ways.

What they share is done here once a pair: the relative motion, the window of the circles around the cores, and the target. The cores are
apart by D when

    target "touch":   D = r, the sum of the radii (skins included); the tolerance is `TOI_CONVERGENCE` of the extents and some roundings
    target "box2d":   D = max(slop, r - 3 slop), within a quarter of the slop: where b2TimeOfImpact aims

and every way stops at the first time found at which they are within D + tolerance, having proven that before it they were above D.
Where only A's core is a single point, A and B change places: who is called A changes no answer, and the steps need one case less.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import BOX2D_TOI_BACKOFF, BOX2D_TOI_TOLERANCE, LINEAR_SLOP, TOI_CONVERGENCE, TOI_ROUNDINGS
from engine.continuous._advancement_kernel import advance
from engine.continuous._bilateral_kernel import advance_bilaterally
from engine.continuous._halving_kernel import halve
from engine.continuous._motion_kernel import ENDS_SIZE, MOTION_SIZE, PLACED_SIZE, motion_window, note_sweep, prepare_motion, reach_about

__all__ = ["ADVANCEMENT", "BILATERAL", "HALVING", "prepare_pair", "times_of_impact"]

ADVANCEMENT = 0
HALVING = 1
BILATERAL = 2

MISS = 4


@inlined_kernel
def prepare_pair(
    ends: FloatArray, rho_a: float, extent_a: float, rho_b: float, extent_b: float, radii: float, is_box2d: bool, t_max: float,
    motion: FloatArray,
) -> tuple[float, float, float, float, float]:  # fmt: skip
    """Fill `motion`; return D, the tolerance, the largest gap that is an overlap at 0, and the window, first > last where it is empty."""
    prepare_motion(ends, rho_a, extent_a, rho_b, extent_b, motion)
    touch = motion[10]
    target, overlap = radii, radii + touch
    tolerance = TOI_CONVERGENCE * (extent_a + extent_b) + TOI_ROUNDINGS * touch
    if is_box2d:
        target, overlap = max(LINEAR_SLOP, radii - BOX2D_TOI_BACKOFF), touch
        tolerance = max(BOX2D_TOI_TOLERANCE, TOI_ROUNDINGS * touch)
    t_first, t_last = motion_window(motion, target + tolerance, t_max)
    return target, tolerance, overlap, t_first, t_last


@kernel
def times_of_impact(
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    normals: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    start_a: FloatArray,
    end_a: FloatArray,
    center_a: FloatArray,
    start_b: FloatArray,
    end_b: FloatArray,
    center_b: FloatArray,
    t_max: float,
    way: int,
    is_box2d: bool,
    status: IntArray,
    fraction: FloatArray,
    iterations: IntArray,
    trace: FloatArray,
) -> None:
    """Fill a row of `status`, `fraction` and `iterations` for each pair; `trace` (m, 2) keeps the last pair's steps."""
    most = 0
    for shape in range(n_vertices.shape[0]):
        most = max(most, n_vertices[shape])
    cores, scratch = np.empty((2, most, 2)), np.empty((2, most, 2))
    motion, ends, placed = np.empty(MOTION_SIZE), np.empty(ENDS_SIZE), np.empty(PLACED_SIZE)
    for row in range(pairs.shape[0]):
        a, b = pairs[row, 0], pairs[row, 1]
        changes = n_vertices[a] == 1 and n_vertices[b] > 1
        note_sweep(ends, 8 if changes else 0, start_a, end_a, center_a, row)
        note_sweep(ends, 0 if changes else 8, start_b, end_b, center_b, row)
        a, b = (b, a) if changes else (a, b)
        n_a, n_b, low_a, low_b = n_vertices[a], n_vertices[b], first[a], first[b]
        normals_a, normals_b = normals[low_a : low_a + n_a], normals[low_b : low_b + n_b]
        core_a, core_b, moved, moved_normals = cores[0, :n_a], cores[1, :n_b], scratch[0, :n_b], scratch[1, :n_b]
        for i in range(n_a):
            core_a[i, 0], core_a[i, 1] = vertices[low_a + i, 0] - ends[6], vertices[low_a + i, 1] - ends[7]
        for j in range(n_b):
            core_b[j, 0], core_b[j, 1] = vertices[low_b + j, 0] - ends[14], vertices[low_b + j, 1] - ends[15]
        rho_a, rho_b = reach_about(vertices, low_a, n_a, ends[6], ends[7]), reach_about(vertices, low_b, n_b, ends[14], ends[15])
        target, tolerance, overlap, t_first, t_last = prepare_pair(
            ends, rho_a, extent[a], rho_b, extent[b], radius[a] + radius[b], is_box2d, t_max, motion
        )
        status[row], fraction[row], iterations[row] = MISS, t_max, 0
        if t_first > t_last:
            continue
        if way == HALVING:
            found = halve(
                motion, core_a, normals_a, core_b, normals_b, moved, moved_normals, placed, target, tolerance, overlap,
                t_first, t_last, t_max, trace,
            )  # fmt: skip
        elif way == BILATERAL:
            found = advance_bilaterally(
                motion, core_a, normals_a, core_b, normals_b, moved, moved_normals, placed, target, tolerance, overlap,
                t_first, t_last, t_max, trace,
            )  # fmt: skip
        else:
            found = advance(
                motion, core_a, normals_a, core_b, normals_b, moved, moved_normals, placed, target, tolerance, overlap,
                t_first, t_last, t_max, trace,
            )  # fmt: skip
        status[row], fraction[row], iterations[row] = found
