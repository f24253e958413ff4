"""One step of conservative advancement for a block of pairs in which B is a circle and A a polygon, or a circle as well.

The other core is a single point p, so each edge has one separation and a face one line. Near a corner the axis is the line from the nearest
point of A's edges to p, and stays; then the corners of A are lines too, of which the *highest* counts (`_motion_kernel.closing_bound`).
Both cases are computed in every lane. A circle as A is a polygon whose corners are all its centre: it has points, but no faces.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel
from engine.common.tolerances import TOI_MAX_CORNERS
from engine.continuous._advancement_kernel import GOES_ON, HIT, MISS, OVERLAPPING
from engine.continuous._lanes_kernel import (
    AFTER,
    ANGLES_A,
    ANGLES_B,
    AXIS,
    BASE,
    BEND,
    CASE,
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
    N_A,
    NEAREST_SQ,
    NEAREST_TO_A,
    NX,
    NY,
    OVERLAP,
    POINT_AT,
    POINT_SLOPE,
    REACH,
    RHO_A,
    RHO_B,
    SLOPE,
    SLOT_MASK,
    SPEED,
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
    place_in_lanes,
)  # fmt: skip
from engine.continuous._motion_kernel import bend_at
from engine.continuous._step_kernel import bound_at, chord_root, first_root, lines_of_face

__all__ = ["step_circles"]

_BY_FACE = 0
_BY_POINTS = 1


@inlined_kernel
def _measure(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, slots: int) -> None:
    """Find where the point lies on each edge's normal, and the nearest point of the edges; see `_core_kernel.nearest_on_edges`."""
    for lane in range(LANES):
        s[NEAREST_SQ * STRIDE + lane] = np.inf
        s[AXIS * STRIDE + lane] = s[(AXIS + 1) * STRIDE + lane] = 0.0
    for slot in range(slots):
        row = (slot & SLOT_MASK) * STRIDE
        next_row = ((slot + 1 if slot + 1 < slots else 0) & SLOT_MASK) * STRIDE
        shortest = 0.0 if slot > 0 else -1.0  # a padded corner makes no edge; a circle's centre makes one
        for lane in range(LANES):
            x, y = w[X * STRIDE + lane], w[Y * STRIDE + lane]
            nx, ny = v[NX * STRIDE + row + lane], v[NY * STRIDE + row + lane]
            g[NEAREST_TO_A * STRIDE + row + lane] = nx * x + ny * y
            ax, ay = v[X * STRIDE + row + lane], v[Y * STRIDE + row + lane]
            ex, ey = v[X * STRIDE + next_row + lane] - ax, v[Y * STRIDE + next_row + lane] - ay
            along, length_sq = (x - ax) * ex + (y - ay) * ey, ex * ex + ey * ey
            share = along / length_sq
            share = 1.0 if along >= length_sq else share
            share = share if (along > 0.0) & (length_sq > 0.0) else 0.0
            px, py = ax + share * ex, ay + share * ey
            gap_sq = (x - px) * (x - px) + (y - py) * (y - py)
            best = s[NEAREST_SQ * STRIDE + lane]
            takes = (gap_sq < best) & (length_sq > shortest)
            s[NEAREST_SQ * STRIDE + lane] = gap_sq if takes else best
            s[AXIS * STRIDE + lane] = x - px if takes else s[AXIS * STRIDE + lane]
            s[(AXIS + 1) * STRIDE + lane] = y - py if takes else s[(AXIS + 1) * STRIDE + lane]


@inlined_kernel
def _choose_axis(w: FloatArray, s: FloatArray, k: IntArray) -> None:
    """Choose between the face and the points, as `_core_kernel.core_axis` does, and prepare the point's line and the longest step."""
    for lane in range(LANES):
        gap, touch, is_single = s[GAP * STRIDE + lane], s[TOUCH * STRIDE + lane], k[N_A * STRIDE + lane] == 1
        gap = -np.inf if is_single else gap
        near = 2.0 * (s[TARGET * STRIDE + lane] + s[TOLERANCE * STRIDE + lane])
        px, py = w[X * STRIDE + lane], w[Y * STRIDE + lane]
        fx, fy = s[FACE * STRIDE + lane], s[(FACE + 1) * STRIDE + lane]
        at_x, at_y, to_x, to_y = (
            s[FACE_AT * STRIDE + lane], s[(FACE_AT + 1) * STRIDE + lane], s[FACE_TO * STRIDE + lane], s[(FACE_TO + 1) * STRIDE + lane],
        )  # fmt: skip
        along = to_x * (px - at_x) + to_y * (py - at_y)
        is_in_front = (gap > touch) & (along >= 0.0) & (along <= to_x * to_x + to_y * to_y)
        is_clear = (not is_single) & ((gap > near) | (gap <= 0.0) | is_in_front)
        qx, qy = s[AXIS * STRIDE + lane], s[(AXIS + 1) * STRIDE + lane]
        distance = math.sqrt(qx * qx + qy * qy)
        is_apart = distance > 0.0
        unit_x, unit_y = qx / distance, qy / distance
        qx, qy = (unit_x if is_apart else qx), (unit_y if is_apart else qy)
        is_behind = (not is_single) & ((distance <= gap + touch) | (distance <= touch))
        is_face = is_clear | is_behind
        measured = distance if distance > gap else gap
        gap = gap if is_clear else (measured if is_behind else distance)

        omega_a = s[(ANGLES_A + 1) * STRIDE + lane] - s[ANGLES_A * STRIDE + lane]
        omega_b = s[(ANGLES_B + 1) * STRIDE + lane] - s[ANGLES_B * STRIDE + lane]
        dx, dy, vx, vy = s[D * STRIDE + lane], s[(D + 1) * STRIDE + lane], s[V * STRIDE + lane], s[(V + 1) * STRIDE + lane]
        base, spin = lines_of_face(1.0, fx, fy, dx, dy, vx, vy, omega_a, omega_b)
        aim = s[TARGET * STRIDE + lane] + 0.5 * s[TOLERANCE * STRIDE + lane]
        face_at, face_slope, level = fx * px + fy * py, base + spin * (fy * px - fx * py), (fx * at_x + fy * at_y) + aim
        point_at, point_slope = qx * px + qy * py, (qx * vx + qy * vy) + omega_b * (qy * (px - dx) - qx * (py - dy))
        rate = omega_a if is_face else 0.0
        s[BEND * STRIDE + lane] = bend_at(
            rate, s[REACH * STRIDE + lane], s[SPEED * STRIDE + lane],
            s[RHO_A * STRIDE + lane], omega_a - rate, s[RHO_B * STRIDE + lane], omega_b - rate,
        )  # fmt: skip
        s[POINT_AT * STRIDE + lane], s[POINT_SLOPE * STRIDE + lane] = (
            (face_at if is_face else point_at),
            (face_slope if is_face else point_slope),
        )
        s[LEVEL * STRIDE + lane] = level if is_face else aim
        s[BASE * STRIDE + lane] = omega_a
        s[AXIS * STRIDE + lane], s[(AXIS + 1) * STRIDE + lane] = qx, qy
        s[GAP * STRIDE + lane] = gap
        s[STEP * STRIDE + lane] = s[T_LAST * STRIDE + lane] - s[T * STRIDE + lane]
        k[CASE * STRIDE + lane] = _BY_FACE if is_face else _BY_POINTS


@inlined_kernel
def _find_lines(v: FloatArray, g: FloatArray, s: FloatArray, slots: int) -> None:
    """Find the lines of A's corners on the axis between points."""
    for slot in range(slots):
        row = (slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            x, y = v[X * STRIDE + row + lane], v[Y * STRIDE + row + lane]
            qx, qy = s[AXIS * STRIDE + lane], s[(AXIS + 1) * STRIDE + lane]
            g[LINE * STRIDE + row + lane] = qx * x + qy * y
            g[SLOPE * STRIDE + row + lane] = s[BASE * STRIDE + lane] * (qy * x - qx * y)


@inlined_kernel
def _find_highest(g: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    """Find which of A's corners is foremost at the end of the step, and the line of the gap, above the level, in `LOWEST_AT`."""
    for lane in range(LANES):
        s[LOWEST * STRIDE + lane] = -np.inf
        s[LOWEST_AT * STRIDE + lane] = s[LOWEST_SLOPE * STRIDE + lane] = 0.0
    for slot in range(slots):
        row = (slot & SLOT_MASK) * STRIDE
        for lane in range(LANES):
            at, slope = g[LINE * STRIDE + row + lane], g[SLOPE * STRIDE + row + lane]
            then, highest = at + s[STEP * STRIDE + lane] * slope, s[LOWEST * STRIDE + lane]
            is_highest = then > highest
            s[LOWEST * STRIDE + lane] = then if is_highest else highest
            s[LOWEST_AT * STRIDE + lane] = at if is_highest else s[LOWEST_AT * STRIDE + lane]
            s[LOWEST_SLOPE * STRIDE + lane] = slope if is_highest else s[LOWEST_SLOPE * STRIDE + lane]
    for lane in range(LANES):
        is_face = k[CASE * STRIDE + lane] == _BY_FACE
        at, slope, level = s[POINT_AT * STRIDE + lane], s[POINT_SLOPE * STRIDE + lane], s[LEVEL * STRIDE + lane]
        by_points, rise = (at - s[LOWEST_AT * STRIDE + lane]) - level, slope - s[LOWEST_SLOPE * STRIDE + lane]
        s[LOWEST_AT * STRIDE + lane] = at - level if is_face else by_points
        s[LOWEST_SLOPE * STRIDE + lane] = slope if is_face else rise


@inlined_kernel
def _take_root(s: FloatArray) -> None:
    """Shorten the step to the root of the gap's parabola, unless it is above the aim to its end."""
    for lane in range(LANES):
        above, slope = s[LOWEST_AT * STRIDE + lane], s[LOWEST_SLOPE * STRIDE + lane]
        bend, step = s[BEND * STRIDE + lane], s[STEP * STRIDE + lane]
        root = first_root(above, slope, bend, step)
        s[STEP * STRIDE + lane] = step if bound_at(above, slope, bend, step) >= 0.0 else root


@inlined_kernel
def _decide(s: FloatArray, k: IntArray) -> None:
    """End the step: how it ended, and the time after it; see `advance_once`."""
    for lane in range(LANES):
        above, slope = s[LOWEST_AT * STRIDE + lane], s[LOWEST_SLOPE * STRIDE + lane]
        bend, step, gap = s[BEND * STRIDE + lane], s[STEP * STRIDE + lane], s[GAP * STRIDE + lane]
        target, tolerance = s[TARGET * STRIDE + lane], s[TOLERANCE * STRIDE + lane]
        bound = bound_at(above, slope, bend, step)
        step = step if bound >= 0.0 else chord_root(gap - (target + 0.5 * tolerance), bound, step)
        t, t_last = s[T * STRIDE + lane], s[T_LAST * STRIDE + lane]
        after = t + step
        s[AFTER * STRIDE + lane] = after if after < t_last else t_last
        is_over, is_hit, is_late = (t == 0.0) & (gap <= s[OVERLAP * STRIDE + lane]), gap <= target + tolerance, t >= t_last
        k[ENDED * STRIDE + lane] = OVERLAPPING if is_over else (HIT if is_hit else (MISS if is_late else GOES_ON))
        k[CASE * STRIDE + lane] = _BY_FACE


@inlined_kernel
def step_circles(v: FloatArray, w: FloatArray, g: FloatArray, s: FloatArray, k: IntArray, slots: int) -> None:
    """Measure the gaps of all lanes at their times, and fill the rows `ENDED` and `AFTER`."""
    place_in_lanes(v, w, s, 1, False)
    begin_faces(s)
    _measure(v, w, g, s, slots)
    choose_face(v, g, s, NEAREST_TO_A, 1.0, slots)
    _choose_axis(w, s, k)
    _find_lines(v, g, s, slots)
    for _ in range(TOI_MAX_CORNERS):
        _find_highest(g, s, k, slots)
        _take_root(s)
    _find_highest(g, s, k, slots)
    _decide(s, k)
