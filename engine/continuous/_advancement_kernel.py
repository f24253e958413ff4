"""Time of impact by conservative advancement: go on by a time in which nothing can touch, measure, repeat.

    gap | *
        |  `.
        |    *            each step ends where the bound of `_motion_kernel` reaches the target: before the shapes do
        |     ` *
        |       `*.
  target|----------***----> t
                    first touch

The axis is that of the greatest separation, or of the nearest points where they are near (`_core_kernel`). Every step is proven,
so no touch can be stepped over, and the time after any number of steps is a lower bound of the first touch. The bound is aimed at
half of the tolerance above the target: it is reached in finitely many steps, and rounding cannot carry the answer past the touch.

Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, 2.3; G. van den Bergen, "Ray Casting against
General Convex Objects", 2004; see `_motion_kernel` for the bound.
"""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.common.jit import borrowing_kernel, inlined_kernel
from engine.common.tolerances import TOI_MAX_STEPS
from engine.continuous._core_kernel import core_axis
from engine.continuous._motion_kernel import Moving, Search, place
from engine.continuous._step_kernel import safe_step

__all__ = ["GOES_ON", "HIT", "MISS", "OVERLAPPING", "advance", "advance_once"]

GOES_ON = -1
OVERLAPPING = 2
HIT = 3
MISS = 4
OUT_OF_ITERATIONS = 6


@inlined_kernel
def advance_once(moving: Moving, search: Search, t: float) -> tuple[int, float, float]:
    """Measure the gap at t; return how that ends the advancement, or `GOES_ON`, the gap, and the time to look at next."""
    place(moving, t)
    gap, nx, ny, side, edge = core_axis(
        moving.core_a, moving.normals_a, moving.moved, moving.moved_normals, 2.0 * (search.target + search.tolerance), moving.motion[10]
    )
    if t == 0.0 and gap <= search.overlap:
        return OVERLAPPING, gap, t
    if gap <= search.target + search.tolerance:
        return HIT, gap, t
    if t >= search.t_last:
        return MISS, gap, t
    aim = search.target + 0.5 * search.tolerance
    step = safe_step(moving, side, edge, nx, ny, gap, aim, search.t_last - t)
    return GOES_ON, gap, min(search.t_last, t + step)


@borrowing_kernel
def advance(moving: Moving, search: Search, trace: FloatArray) -> tuple[int, float, int]:
    """Return status, fraction and the number of gaps measured; `trace` (m, 2) takes time and gap above the target of each.

    The cores are about their centres, the window [t_first, t_last] is `motion_window`'s, a gap of at most `overlap` at 0 is an overlap.
    """
    t = search.t_first
    for step in range(TOI_MAX_STEPS):
        ended, gap, after = advance_once(moving, search, t)
        if step < trace.shape[0]:
            trace[step, 0], trace[step, 1] = t, gap - search.target
        if ended != GOES_ON:
            return ended, search.t_max if ended == MISS else t, step + 1
        t = after
    return OUT_OF_ITERATIONS, t, TOI_MAX_STEPS
