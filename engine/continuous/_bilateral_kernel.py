"""Time of impact by bilateral advancement: fix one separating axis and move *both* ends of the interval.

At t1 the method selects the axis that separates the shapes: a face's normal, which rotates with its body, or the line between the nearest
points, which is fixed. Along it the gap is a function of time alone,

    g(t) = min over all corners of the other core of  n(t) . (corner(t) - face(t))

and while g is above the target the shapes do not touch, regardless of other axes. So the far end t2 is evaluated. If g(t2) is below the
target, there is a root in between, found by alternating secants and bisections; then t1 moves there, and the next axis is selected::

    g | *.                                 .*
      |   `.     root of g           .  '
      |     `.  /                . '       the far end is apart again, and so are
  ----+-------*-----------*-----------> t  all roots between, unless looked for
      t1       `---------'           t2

Box2D 2.3 stops there: if g(t2) is above the target it assumes that [t1, t2] is clear, and otherwise it accepts any root. So it misses
temporary touches. Here [t1, t2] must be *proven* clear. Every corner's distance f along the axis has |f''| <= K, so it exceeds its chord by
at least -K (t - t1)(t2 - t) / 2, and since g is the least of them,

    g(t) >= chord of g(t1), g(t2)  -  K (t - t1)(t2 - t) / 2

a parabola whose minimum is known (`least_between`). If it falls below the target, t2 moves halfway back. If g(t1) - g(t2) >= K (t2 - t1)^2
/ 2 at a root t2, the parabola decreases over the whole interval and immediately proves that the root is the first.

K is that of `_motion_kernel`; g is the gap itself, not a bound of it.

Sources: E. Catto, "Continuous Collision", GDC 2013; Box2D 2.3, b2TimeOfImpact.cpp, for the plan. The proof of the intervals is ours.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.events import record
from engine.common.jit import borrowing_kernel, inlined_kernel
from engine.common.tolerances import TOI_HALVINGS, TOI_MAX_STEPS
from engine.continuous._core_kernel import AXIS_FACE_A, AXIS_FACE_B, core_axis
from engine.continuous._motion_kernel import Moving, Search, largest_bend, place, record_gap, turning_rate
from engine.contracts.status import HIT, MISS, OUT_OF_ITERATIONS, OVERLAPPING
from engine.narrowphase._sat_kernel import face_separation

__all__ = ["BilateralFar", "BilateralProof", "BilateralRoot", "advance_bilaterally"]


class BilateralFar(NamedTuple):
    """The far end, and the gap along the fixed axis there, above the aim, as in all these events."""

    t2: float
    above: float


class BilateralRoot(NamedTuple):
    """A trial for the root of the gap, and the interval that it leaves; by a secant or by halving."""

    t: float
    above: float
    low: float
    high: float
    by_secant: bool


class BilateralProof(NamedTuple):
    """The interval with the gaps at its ends, fall = K (t2 - t1)^2 / 2, the least of the bound, and whether that proves the interval."""

    t1: float
    t2: float
    g1: float
    g2: float
    fall: float
    least: float
    is_proven: bool


@inlined_kernel
def gap_along(moving: Moving, side: int, edge: int, nx: float, ny: float, turn: float) -> float:
    """Return g for cores in A's frame; a fixed axis (nx, ny) is given in A's frame at a time when A's angle was less by `turn`."""
    core_a, moved = moving.core_a, moving.moved
    if side == AXIS_FACE_A:
        return face_separation(core_a, moving.normals_a, edge, moved)
    if side == AXIS_FACE_B:
        return face_separation(moved, moving.moved_normals, edge, core_a)
    cos, sin = math.cos(turn), math.sin(turn)
    x, y = cos * nx + sin * ny, cos * ny - sin * nx
    low, high = np.inf, -np.inf
    for j in range(moved.shape[0]):
        low = min(low, x * moved[j, 0] + y * moved[j, 1])
    for i in range(core_a.shape[0]):
        high = max(high, x * core_a[i, 0] + y * core_a[i, 1])
    return low - high


@inlined_kernel
def least_between(g1: float, g2: float, bend: float) -> float:
    """Return the minimum over x in [0, 1] of g1 + (g2 - g1) x - bend x (1 - x), with bend = K (t2 - t1)^2 / 2."""
    rise = g2 - g1
    if bend <= abs(rise):
        return min(g1, g2)
    return 0.5 * (g1 + g2) - 0.25 * bend - 0.25 * rise * rise / bend


@borrowing_kernel
def advance_bilaterally(moving: Moving, search: Search) -> tuple[int, float, int]:
    """Do what `_advancement_kernel.advance` does; `iterations` counts every evaluation of the poses."""
    target, tolerance, overlap, t_first, t_last, t_max = search
    motion, core_a, normals_a, _, _, moved, moved_normals, _ = moving
    near, touch = 2.0 * (target + tolerance), motion[10]
    aim, floor, content = target + 0.5 * tolerance, target + 0.25 * tolerance, 0.75 * tolerance + target
    omega_a = motion[5] - motion[4]

    t1, n_placed = t_first, 0
    while n_placed < TOI_MAX_STEPS:
        place(moving, t1)
        n_placed += 1
        gap, nx, ny, side, edge = core_axis(core_a, normals_a, moved, moved_normals, near, touch)
        record_gap(moving, t1, gap, nx, ny, side, edge)
        if t1 == 0.0 and gap <= overlap:
            return OVERLAPPING, 0.0, n_placed
        if gap <= target + tolerance:
            return HIT, t1, n_placed
        if t1 >= t_last:
            return MISS, t_max, n_placed
        bend = largest_bend(motion, turning_rate(motion, side))
        g1 = gap_along(moving, side, edge, nx, ny, 0.0)
        longest = t_last - t1
        if 0.5 * bend * longest * longest > 4.0 * (g1 - floor):  # not even a constant gap can be proven that far
            longest = math.sqrt(8.0 * (g1 - floor) / bend)
        t2 = min(t_last, t1 + longest)
        for _ in range(TOI_HALVINGS):
            place(moving, t2)
            n_placed += 1
            g2 = gap_along(moving, side, edge, nx, ny, omega_a * (t2 - t1))
            record(BilateralFar(t2, g2 - aim))
            if g2 < aim:
                low, g_low, high, g_high = t1, g1, t2, g2
                for k in range(2 * TOI_HALVINGS):
                    if g_low <= content or n_placed >= TOI_MAX_STEPS:
                        break
                    middle = 0.5 * (low + high)
                    if k % 2 == 0:
                        middle = low + (g_low - aim) / (g_low - g_high) * (high - low)
                    place(moving, middle)
                    n_placed += 1
                    g = gap_along(moving, side, edge, nx, ny, omega_a * (middle - t1))
                    if g >= aim:
                        low, g_low = middle, g
                    else:
                        high, g_high = middle, g
                    record(BilateralRoot(middle, g - aim, low, high, k % 2 == 0))
                t2, g2 = low, g_low
            fallen = 0.5 * bend * (t2 - t1) * (t2 - t1)
            least = least_between(g1, g2, fallen)
            record(BilateralProof(t1, t2, g1 - aim, g2 - aim, fallen, least - aim, least >= floor))
            if least >= floor:
                t1 = t2
                break
            t2 = 0.5 * (t1 + t2)
    return OUT_OF_ITERATIONS, t1, n_placed
