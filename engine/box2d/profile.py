"""Durations of the parts of a step, from `b2Profile`: readings of a clock that, on some systems, begins at the last whole millisecond.

On Linux and macOS, Box2D 2.3's `b2Timer` keeps its start as an unsigned integer of milliseconds (`Common/b2Timer.cpp`), so that each
reading has the fraction of a millisecond that was lost at the start on top:

    ms      |        t0   t1 |     t2   t3|         reading = end - floor(start)
            0         |----|------|----|  1         collide = t1 - floor(t0)
                      collide  solve  toi           solve   = t2 - floor(t1)
                                                    toi     = t3 - floor(t2),  step = t3 - floor(t0)

One part begins where another ends. The fraction of t1 is that of the reading `collide`, the fraction of t2 that of `solve`; taken off,
they leave the times themselves. Of `collide` it is not known what was lost: what the whole step took, measured from outside, is what is
left for it. A clock that loses nothing is recognized by its parts, which are together not longer than the whole.
"""

from __future__ import annotations

from math import floor

from engine.common.tolerances import PROFILE_RESOLUTION

__all__ = ["phases_of"]


def phases_of(step: float, collide: float, solve: float, toi: float, measured: float) -> tuple[float, float, float]:
    """Return what colliding, solving and the impacts inside the step took.

    Parameters
    ----------
    step, collide, solve, toi : float
        As `b2Profile` has them, milliseconds; all 0 where Box2D has no clock, and then so are the results.
    measured : float
        The step as measured from outside, milliseconds.

    Examples
    --------
    A step from 0.5 ms to 1.25 ms: 0.375 of colliding, 0.25 of solving, 0.125 of impacts.

    >>> phases_of(1.25, 0.875, 1.125, 0.25, 0.75)
    (0.375, 0.25, 0.125)
    """
    if step <= 0.0:
        return 0.0, 0.0, 0.0
    if collide + solve + toi > step + PROFILE_RESOLUTION:
        solve, toi = _since(collide, solve), _since(solve, toi)
        collide = measured - solve - toi
    return max(collide, 0.0), max(solve, 0.0), max(toi, 0.0)


def _since(start: float, end: float) -> float:
    """Return the time from one reading to the next; where a millisecond ended between the two, the second one lost it whole."""
    passed = end - (start - floor(start))
    return passed if passed >= -PROFILE_RESOLUTION else passed + 1.0
