"""One step of conservative advancement for a block of pairs of polygons; the chapters are `_advancement_kernel` and `_step_kernel`.

Where the gap is small and the nearest corner does not lie in front of the face, the distance is that of two corners, or the axis not the
best: `_core_kernel` then tries all corners against all edges. That is rare (see the tests of the lanes), so such a lane is marked
`BY_POINTS` and its step is the scalar form's.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel
from engine.common.tolerances import TOI_MAX_CORNERS
from engine.continuous._advancement_kernel import GOES_ON, HIT, MISS, OVERLAPPING
from engine.continuous._lanes_kernel import (
    AFTER,
    ANGLES_A,
    ANGLES_B,
    BASE,
    BEND,
    CASE,
    CORNER,
    ENDED,
    FACE,
    FACE_AT,
    FACE_TO,
    GAP,
    LANES,
    LEVEL,
    LINE,
    LOWEST,
    LOWEST_AT,
    LOWEST_SLOPE,
    NEAREST,
    NEAREST_TO_A,
    NEAREST_TO_B,
    OVERLAP,
    REACH,
    RHO_A,
    RHO_B,
    SIGN,
    SLOPE,
    SLOT_GROUP,
    SLOT_MASK,
    SPEED,
    SPIN,
    STEP,
    STRIDE,
    T_LAST,
    TARGET,
    TOLERANCE,
    TOUCH,
    D,
    T,
    V,
    X,
    Y,
    begin_faces,
    choose_face,
    find_nearest,
    place_in_lanes,
)  # fmt: skip
from engine.continuous._motion_kernel import bend_at
from engine.continuous._step_kernel import bound_at, chord_root, first_root, lines_of_face

__all__ = ["BY_FACE", "BY_POINTS", "step_polygons"]

BY_FACE = 0
BY_POINTS = 1


@inlined_kernel
def _begin_lines(s: FloatArray) -> None:
    """Prepare the lines of the chosen face and the longest step."""
    for lane in range(LANES):
        omega_a = s[(ANGLES_A + 1) * STRIDE + lane] - s[ANGLES_A * STRIDE + lane]
        omega_b = s[(ANGLES_B + 1) * STRIDE + lane] - s[ANGLES_B * STRIDE + lane]
        sign, fx, fy = s[SIGN * STRIDE + lane], s[FACE * STRIDE + lane], s[(FACE + 1) * STRIDE + lane]
        base, spin = lines_of_face(
            sign, fx, fy, s[D * STRIDE + lane], s[(D + 1) * STRIDE + lane], s[V * STRIDE + lane], s[(V + 1) * STRIDE + lane],
            omega_a, omega_b,
        )  # fmt: skip
        s[BASE * STRIDE + lane], s[SPIN * STRIDE + lane] = base, spin
        rate = omega_a if sign > 0.0 else omega_b
        s[BEND * STRIDE + lane] = bend_at(
            rate, s[REACH * STRIDE + lane], s[SPEED * STRIDE + lane],
            s[RHO_A * STRIDE + lane], omega_a - rate, s[RHO_B * STRIDE + lane], omega_b - rate,
        )  # fmt: skip
        aim = s[TARGET * STRIDE + lane] + 0.5 * s[TOLERANCE * STRIDE + lane]
        s[LEVEL * STRIDE + lane] = (fx * s[FACE_AT * STRIDE + lane] + fy * s[(FACE_AT + 1) * STRIDE + lane]) + aim
        s[STEP * STRIDE + lane] = s[T_LAST * STRIDE + lane] - s[T * STRIDE + lane]
        s[LOWEST * STRIDE + lane], s[NEAREST * STRIDE + lane] = np.inf, np.inf
        s[LOWEST_AT * STRIDE + lane] = s[LOWEST_SLOPE * STRIDE + lane] = 0.0
        s[CORNER * STRIDE + lane] = s[(CORNER + 1) * STRIDE + lane] = 0.0


@inlined_kernel
def _find_lines(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, slots: int) -> None:
    """Find the line of each corner of the body that does not carry the face, the lowest at the longest step, and the nearest corner."""
    for first_slot in range(0, slots, SLOT_GROUP):
        row = (first_slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            is_a = s[SIGN * STRIDE + lane] > 0.0
            fx, fy = s[FACE * STRIDE + lane], s[(FACE + 1) * STRIDE + lane]
            base, spin, step = s[BASE * STRIDE + lane], s[SPIN * STRIDE + lane], s[STEP * STRIDE + lane]
            nearest, corner_x, corner_y = s[NEAREST * STRIDE + lane], s[CORNER * STRIDE + lane], s[(CORNER + 1) * STRIDE + lane]
            lowest, lowest_at, lowest_slope = (
                s[LOWEST * STRIDE + lane], s[LOWEST_AT * STRIDE + lane], s[LOWEST_SLOPE * STRIDE + lane],
            )  # fmt: skip
            for slot in range(SLOT_GROUP):
                x_a, y_a = v[(X + slot) * STRIDE + row + lane], v[(Y + slot) * STRIDE + row + lane]
                x_b, y_b = w[(X + slot) * STRIDE + row + lane], w[(Y + slot) * STRIDE + row + lane]
                x, y = (x_b if is_a else x_a), (y_b if is_a else y_a)
                at, slope = fx * x + fy * y, base + spin * (fy * x - fx * y)
                g[(LINE + slot) * STRIDE + row + lane], g[(SLOPE + slot) * STRIDE + row + lane] = at, slope
                is_nearest = at < nearest
                nearest = at if is_nearest else nearest
                corner_x, corner_y = (x if is_nearest else corner_x), (y if is_nearest else corner_y)
                then = at + step * slope
                is_lowest = then < lowest
                lowest, lowest_at = (then if is_lowest else lowest), (at if is_lowest else lowest_at)
                lowest_slope = slope if is_lowest else lowest_slope
            s[NEAREST * STRIDE + lane], s[CORNER * STRIDE + lane], s[(CORNER + 1) * STRIDE + lane] = nearest, corner_x, corner_y
            s[LOWEST * STRIDE + lane], s[LOWEST_AT * STRIDE + lane], s[LOWEST_SLOPE * STRIDE + lane] = lowest, lowest_at, lowest_slope


@inlined_kernel
def _find_lowest(g: FloatArray, s: FloatArray, slots: int) -> None:
    """Find the line that is lowest at the end of the step."""
    for lane in range(LANES):
        s[LOWEST * STRIDE + lane] = np.inf
    for first_slot in range(0, slots, SLOT_GROUP):
        row = (first_slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            step = s[STEP * STRIDE + lane]
            lowest, lowest_at, lowest_slope = (
                s[LOWEST * STRIDE + lane], s[LOWEST_AT * STRIDE + lane], s[LOWEST_SLOPE * STRIDE + lane],
            )  # fmt: skip
            for slot in range(SLOT_GROUP):
                at, slope = g[(LINE + slot) * STRIDE + row + lane], g[(SLOPE + slot) * STRIDE + row + lane]
                then = at + step * slope
                is_lowest = then < lowest
                lowest, lowest_at = (then if is_lowest else lowest), (at if is_lowest else lowest_at)
                lowest_slope = slope if is_lowest else lowest_slope
            s[LOWEST * STRIDE + lane], s[LOWEST_AT * STRIDE + lane], s[LOWEST_SLOPE * STRIDE + lane] = lowest, lowest_at, lowest_slope


@inlined_kernel
def _take_root(s: FloatArray) -> None:
    """Shorten the step to the root of the lowest line's parabola, unless it is above the aim to its end."""
    for lane in range(LANES):
        above, slope = s[LOWEST_AT * STRIDE + lane] - s[LEVEL * STRIDE + lane], s[LOWEST_SLOPE * STRIDE + lane]
        bend, step = s[BEND * STRIDE + lane], s[STEP * STRIDE + lane]
        root = first_root(above, slope, bend, step)
        s[STEP * STRIDE + lane] = step if bound_at(above, slope, bend, step) >= 0.0 else root


@inlined_kernel
def _decide(s: FloatArray, k: IntArray) -> None:
    """End the step: how it ended, the time after it, and whether the scalar form must take it; see `advance_once` and `core_axis`."""
    for lane in range(LANES):
        above, slope = s[LOWEST_AT * STRIDE + lane] - s[LEVEL * STRIDE + lane], s[LOWEST_SLOPE * STRIDE + lane]
        bend, step, gap = s[BEND * STRIDE + lane], s[STEP * STRIDE + lane], s[GAP * STRIDE + lane]
        target, tolerance, touch = s[TARGET * STRIDE + lane], s[TOLERANCE * STRIDE + lane], s[TOUCH * STRIDE + lane]
        bound = bound_at(above, slope, bend, step)
        step = step if bound >= 0.0 else chord_root(gap - (target + 0.5 * tolerance), bound, step)
        t, t_last = s[T * STRIDE + lane], s[T_LAST * STRIDE + lane]
        after = t + step
        s[AFTER * STRIDE + lane] = after if after < t_last else t_last

        to_x, to_y = s[FACE_TO * STRIDE + lane], s[(FACE_TO + 1) * STRIDE + lane]
        along = to_x * (s[CORNER * STRIDE + lane] - s[FACE_AT * STRIDE + lane])
        along = along + to_y * (s[(CORNER + 1) * STRIDE + lane] - s[(FACE_AT + 1) * STRIDE + lane])
        is_in_front = (gap > touch) & (along >= 0.0) & (along <= to_x * to_x + to_y * to_y)
        is_clear = (gap > 2.0 * (target + tolerance)) | (gap <= 0.0) | is_in_front
        k[CASE * STRIDE + lane] = BY_FACE if is_clear else BY_POINTS

        is_over, is_hit, is_late = (t == 0.0) & (gap <= s[OVERLAP * STRIDE + lane]), gap <= target + tolerance, t >= t_last
        k[ENDED * STRIDE + lane] = OVERLAPPING if is_over else (HIT if is_hit else (MISS if is_late else GOES_ON))


@inlined_kernel
def step_polygons(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    """Measure the gaps of all lanes at their times, and fill the rows `CASE`, `ENDED` and `AFTER`."""
    place_in_lanes(v, w, s, slots, True)
    find_nearest(v, w, g, NEAREST_TO_A, slots, slots)
    find_nearest(w, v, g, NEAREST_TO_B, slots, slots)
    begin_faces(s)
    choose_face(v, g, s, NEAREST_TO_A, 1.0, slots)
    choose_face(w, g, s, NEAREST_TO_B, -1.0, slots)
    _begin_lines(s)
    _find_lines(v, w, g, s, slots)
    _take_root(s)
    for _ in range(TOI_MAX_CORNERS - 1):
        _find_lowest(g, s, slots)
        _take_root(s)
    _find_lowest(g, s, slots)
    _decide(s, k)
