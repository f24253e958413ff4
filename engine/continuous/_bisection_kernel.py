"""Time of impact by bisection, with a bound of the gap over each half.

The gap is measured in the middle of an interval. If the bound of `_motion_kernel`, which holds for both directions of time and is concave,
is above the target at both ends, it is so in between, and the interval is clear. If not, its first half is tested, then its second::

    [---------------?---------------]
    [-------clear---][-------?------]
                     [clear-][---?--]
                             [?-] ...      the first one still undecided at the finest level contains the touch

Intervals are k / 2^level, so the traversal needs no stack: a clear one is followed by the next, k + 1, and two clear halves (k even) are
replaced by their parent. An interval in which the bodies move by less than a quarter of the tolerance is not halved further: the shapes
touch there, within the tolerance. Each halving takes one measurement, whereas the advancement's steps double the number of digits.
Bisection is slower, but solves no equation, and serves as an independent check with a single comparison.

Source: C. Ericson, Real-Time Collision Detection, 2005, 5.5.3 (which bounds the distance by the classical, linear bound).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.events import record
from engine.common.jit import borrowing_kernel
from engine.common.tolerances import TOI_HALVINGS, TOI_MAX_STEPS
from engine.continuous._core_kernel import core_axis
from engine.continuous._motion_kernel import Moving, Search, closing_bound, largest_bend, place, record_gap, turning_rate
from engine.contracts.status import HIT, MISS, OUT_OF_ITERATIONS, OVERLAPPING

__all__ = ["BISECT_CLEAR", "BISECT_HALVED", "BISECT_TOUCH", "BisectInterval", "bisect"]

BISECT_CLEAR, BISECT_HALVED, BISECT_TOUCH = 0, 1, 2
"""Next action: the interval is clear, it is halved, or it is short enough to be the touch."""


class BisectInterval(NamedTuple):
    """An interval: the bound F - aim at its start and end (NaN if the middle is below), the least of both, and the next action."""

    start: float
    width: float
    at_start: float
    at_end: float
    least: float
    follows: int


@borrowing_kernel
def bisect(moving: Moving, search: Search) -> tuple[int, float, int]:
    """Do what `_advancement_kernel.advance` does."""
    target, tolerance, overlap, t_first, t_last, t_max = search
    motion, core_a, normals_a, _, _, moved, moved_normals, placed = moving
    near, touch, aim = 2.0 * (target + tolerance), motion[10], target + 0.5 * tolerance
    omega_a, omega_b = motion[5] - motion[4], motion[7] - motion[6]
    speed = motion[11] + motion[8] * abs(omega_a) + motion[9] * abs(omega_b)

    place(moving, t_first)
    gap, nx, ny, side, edge = core_axis(core_a, normals_a, moved, moved_normals, near, touch)
    record_gap(moving, t_first, gap, nx, ny, side, edge)
    if t_first == 0.0 and gap <= overlap:
        return OVERLAPPING, 0.0, 1
    if gap <= target + tolerance:
        return HIT, t_first, 1

    length, k, level = t_last - t_first, 0, 0
    for step in range(1, TOI_MAX_STEPS):
        width = length * 0.5**level
        start, half = t_first + k * width, 0.5 * width
        place(moving, start + half)
        gap, nx, ny, side, edge = core_axis(core_a, normals_a, moved, moved_normals, near, touch)
        record_gap(moving, start + half, gap, nx, ny, side, edge)
        least, fallen, at_start, at_end = -np.inf, 0.0, np.nan, np.nan
        if gap > aim:
            rate = turning_rate(motion, side)
            before, slope_before = closing_bound(motion, core_a, moved, placed, rate, nx, ny, -half)
            after, slope_after = closing_bound(motion, core_a, moved, placed, rate, nx, ny, half)
            fallen = 0.5 * largest_bend(motion, rate) * half * half
            at_start, at_end = before - half * slope_before, after + half * slope_after
            least = min(at_start, at_end) - fallen
        follows = BISECT_CLEAR if least > aim else BISECT_HALVED
        if least <= aim and (width * speed <= 0.25 * tolerance or level == TOI_HALVINGS):
            follows = BISECT_TOUCH
        record(BisectInterval(start, width, at_start - fallen - aim, at_end - fallen - aim, least - aim, follows))
        if least > aim:
            k += 1
            while level > 0 and k % 2 == 0:
                k, level = k // 2, level - 1
            if level == 0:
                return MISS, t_max, step + 1
        elif width * speed <= 0.25 * tolerance or level == TOI_HALVINGS:
            return HIT, start, step + 1
        else:
            k, level = 2 * k, level + 1
    return OUT_OF_ITERATIONS, t_first + k * length * 0.5**level, TOI_MAX_STEPS
