"""Time of impact by conservative advancement: advance by a time in which no touch is possible, measure the gap, repeat.

    gap | *
        |  `.
        |    *            each step ends where the bound of `_motion_kernel` reaches the target, before the gap does
        |     ` *
        |       `*.
  target|----------***----> t
                    first touch

The axis is that of the greatest separation, or of the nearest points if they are near (`_core_kernel`). Every step is proven, so no touch
can be missed, and the time after any number of steps is a lower bound of the first touch. The aim of the bound is half of the tolerance
above the target: it is reached in finitely many steps, and rounding cannot move the result past the touch.

**The longest safe step** is the first root of the closing bound F of `_motion_kernel`. F is the minimum of a few parabolas, one for each
corner that can be foremost, all with the same curvature K. From the longest step downward::

    F |*.
      |  `*.                         at s0 the foremost corner has a parabola; its root s1 is smaller, and no less than F's root,
      |     `*.                      for F is below every parabola; at s1 another corner may be foremost, and so on
    --+--------x--*-------*--> s
      |        :  s2`*.   s1  s0     after `TOI_MAX_CORNERS` roots the chord from F(0) > 0 to F(s) < 0, which lies below the concave F,
      |        chord   `.            ends the search from the safe side; where F(s) is 0 but for rounding it changes nothing

**On a face.** If the axis f is the outward normal of one body's face, that body is at rest in the rotating frame, and only the other's
corners x are lines in s. With both in A's frame at t, B's center at d, its velocity v, and k x a rotation by 90 degrees,

    f.x  +  s (base + spin f.(k x x))        base = +-(f.v - omega_b f.(k x d)),  spin = +-(omega_b - omega_a)

with + for a face of A and - for one of B. For an axis between points see `closing_bound`.

Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, 2.3; G. van den Bergen, "Ray Casting against
General Convex Objects", 2004; see `_motion_kernel` for the bound.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import record
from engine.common.jit import borrowing_kernel, inlined_kernel
from engine.common.tolerances import TOI_MAX_CORNERS, TOI_MAX_STEPS
from engine.continuous._core_kernel import AXIS_FACE_A, AXIS_POINTS, core_axis
from engine.continuous._motion_kernel import Moving, Search, closing_bound, largest_bend, place, record_gap, turning_rate
from engine.contracts.status import HIT, MISS, OUT_OF_ITERATIONS, OVERLAPPING

__all__ = [
    "GOES_ON",
    "AdvanceRoot",
    "AdvanceStep",
    "advance",
    "advance_once",
    "bound_at",
    "chord_root",
    "first_root",
    "lines_of_face",
]

GOES_ON = -1


class AdvanceRoot(NamedTuple):
    """The parabola of a corner: its value above the aim and its slope at 0, and K."""

    above: float
    slope: float
    bend: float


class AdvanceStep(NamedTuple):
    """The step s from the fraction t, and the fraction after it."""

    t: float
    s: float
    after: float


@inlined_kernel
def bound_at(gap: float, slope: float, bend: float, s: float) -> float:
    """Return gap + slope s - bend s^2 / 2."""
    return (gap + s * slope) - (0.5 * bend) * (s * s)


@inlined_kernel
def first_root(gap: float, slope: float, bend: float, longest: float) -> float:
    """Return the positive root of gap + slope s - bend s^2 / 2, for gap > 0, without cancellation; `longest` if there is none before it."""
    square = slope * slope + 2.0 * bend * gap  # negative only in lanes whose pair overlaps, and whose root is unused
    reach = math.sqrt(square if square > 0.0 else 0.0)
    above, below = (slope + reach if slope > 0.0 else 2.0 * gap), (bend if slope > 0.0 else reach - slope)
    root = above / (below if below > 0.0 else 1.0)
    root = root if below > 0.0 else longest
    return root if root < longest else longest


@inlined_kernel
def chord_root(gap: float, bound: float, s: float) -> float:
    """Return the root of the chord from `gap` > 0 at 0 to `bound` < 0 at s."""
    return s * (gap / (gap - bound))


@inlined_kernel
def lines_of_face(
    sign: float, fx: float, fy: float, dx: float, dy: float, vx: float, vy: float, omega_a: float, omega_b: float
) -> tuple[float, float]:
    """Return base and spin; `sign` is 1 for a face of A and -1 for one of B."""
    return sign * ((fx * vx + fy * vy) - omega_b * (fy * dx - fx * dy)), sign * (omega_b - omega_a)


@inlined_kernel
def foremost(others: FloatArray, fx: float, fy: float, base: float, spin: float, s: float) -> tuple[float, float]:
    """Return the lowest line at s, as its value at 0 and its slope."""
    lowest, at_0, slope = np.inf, 0.0, 0.0
    for j in range(others.shape[0]):
        x, y = others[j, 0], others[j, 1]
        here, rise = fx * x + fy * y, base + spin * (fy * x - fx * y)
        if here + s * rise < lowest:
            lowest, at_0, slope = here + s * rise, here, rise
    return at_0, slope


@borrowing_kernel
def safe_step(moving: Moving, side: int, edge: int, nx: float, ny: float, gap: float, aim: float, longest: float) -> float:
    """Return a step, at most `longest`, up to which F exceeds `aim`: F's root or the smaller one of the chord. `gap` exceeds `aim`."""
    motion, core_a, moved, placed = moving.motion, moving.core_a, moving.moved, moving.placed
    bend = largest_bend(motion, turning_rate(motion, side))
    faces, vertices, others, sign = moving.normals_a, core_a, moved, 1.0
    if side != AXIS_FACE_A:
        faces, vertices, others, sign = moving.moved_normals, moved, core_a, -1.0
    fx, fy = faces[edge, 0], faces[edge, 1]
    base, spin = lines_of_face(sign, fx, fy, placed[0], placed[1], placed[2], placed[3], motion[5] - motion[4], motion[7] - motion[6])
    level = (fx * vertices[edge, 0] + fy * vertices[edge, 1]) + aim
    s, bound = longest, 0.0
    for n_roots in range(TOI_MAX_CORNERS + 1):
        if side == AXIS_POINTS:
            at_0, slope = closing_bound(motion, core_a, moved, placed, 0.0, nx, ny, s)
            above = at_0 - aim
        else:
            at_0, slope = foremost(others, fx, fy, base, spin, s)
            above = at_0 - level
        bound = bound_at(above, slope, bend, s)
        record(AdvanceRoot(above, slope, bend))
        if bound >= 0.0:
            return s
        if n_roots < TOI_MAX_CORNERS:
            s = first_root(above, slope, bend, s)
    return chord_root(gap - aim, bound, s)


@inlined_kernel
def advance_once(moving: Moving, search: Search, t: float) -> tuple[int, float, float]:
    """Measure the gap at t; return the final status or `GOES_ON`, the gap, and the next time."""
    place(moving, t)
    gap, nx, ny, side, edge = core_axis(
        moving.core_a, moving.normals_a, moving.moved, moving.moved_normals, 2.0 * (search.target + search.tolerance), moving.motion[10]
    )
    record_gap(moving, t, gap, nx, ny, side, edge)
    if t == 0.0 and gap <= search.overlap:
        return OVERLAPPING, gap, t
    if gap <= search.target + search.tolerance:
        return HIT, gap, t
    if t >= search.t_last:
        return MISS, gap, t
    aim = search.target + 0.5 * search.tolerance
    step = safe_step(moving, side, edge, nx, ny, gap, aim, search.t_last - t)
    after = min(search.t_last, t + step)
    record(AdvanceStep(t, step, after))
    return GOES_ON, gap, after


@borrowing_kernel
def advance(moving: Moving, search: Search) -> tuple[int, float, int]:
    """Return status, fraction and the number of measured gaps.

    The cores are relative to their centers, the window [t_first, t_last] is that of `motion_window`, and a gap of at most `overlap` at 0 is
    an overlap.
    """
    t = search.t_first
    for step in range(TOI_MAX_STEPS):
        ended, _, after = advance_once(moving, search, t)
        if ended != GOES_ON:
            return ended, search.t_max if ended == MISS else t, step + 1
        t = after
    return OUT_OF_ITERATIONS, t, TOI_MAX_STEPS
