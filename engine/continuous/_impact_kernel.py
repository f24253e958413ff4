"""Times of impact of many pairs of packed shapes, by any of the three ways.

What they share is done here once a pair: the relative motion, the window of the circles around the cores, and the target. The cores are
apart by D when

    target "touch":   D = r, the sum of the radii (skins included); the tolerance is `TOI_CONVERGENCE` of the extents and some roundings
    target "box2d":   D = max(slop, r - 3 slop), within a quarter of the slop: where b2TimeOfImpact aims

and every way stops at the first time found at which they are within D + tolerance, having proven that before it they were above D.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel
from engine.common.tolerances import BOX2D_TOI_BACKOFF, BOX2D_TOI_TOLERANCE, LINEAR_SLOP, TOI_CONVERGENCE, TOI_ROUNDINGS
from engine.continuous._advancement_kernel import advance
from engine.continuous._bilateral_kernel import advance_bilaterally
from engine.continuous._halving_kernel import halve
from engine.continuous._motion_kernel import MOTION_SIZE, PLACED_SIZE, motion_window, prepare_motion

__all__ = ["ADVANCEMENT", "BILATERAL", "HALVING", "times_of_impact"]

ADVANCEMENT = 0
HALVING = 1
BILATERAL = 2

MISS = 4


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
    motion, placed = np.empty(MOTION_SIZE), np.empty(PLACED_SIZE)
    for row in range(pairs.shape[0]):
        a, b = pairs[row, 0], pairs[row, 1]
        n_a, n_b, low_a, low_b = n_vertices[a], n_vertices[b], first[a], first[b]
        normals_a, normals_b = normals[low_a : low_a + n_a], normals[low_b : low_b + n_b]
        prepare_motion(
            vertices[low_a : low_a + n_a], extent[a], start_a[row], end_a[row], center_a[row],
            vertices[low_b : low_b + n_b], extent[b], start_b[row], end_b[row], center_b[row], cores, motion,
        )  # fmt: skip
        touch, radii = motion[10], radius[a] + radius[b]
        target, overlap = radii, radii + touch
        tolerance = TOI_CONVERGENCE * (extent[a] + extent[b]) + TOI_ROUNDINGS * touch
        if is_box2d:
            target, overlap = max(LINEAR_SLOP, radii - BOX2D_TOI_BACKOFF), touch
            tolerance = max(BOX2D_TOI_TOLERANCE, TOI_ROUNDINGS * touch)
        t_first, t_last = motion_window(motion, target + tolerance, t_max)
        status[row], fraction[row], iterations[row] = MISS, t_max, 0
        if t_first > t_last:
            continue
        core_a, core_b, moved, moved_normals = cores[0, :n_a], cores[1, :n_b], scratch[0, :n_b], scratch[1, :n_b]
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
