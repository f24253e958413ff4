"""Durations of the parts of a step, from `b2Profile`, corrected for a timer that on some systems rounds its start to milliseconds.

On Linux and macOS, Box2D 2.3's `b2Timer` stores its start as an unsigned integer of milliseconds (`Common/b2Timer.cpp`), so each reading is
too large by the fraction of a millisecond that the start lost:

    ms      |        t0   t1 |     t2   t3|         reading = end - floor(start)
            0         |----|------|----|  1         collide = t1 - floor(t0)
                      collide  solve  toi           solve   = t2 - floor(t1)
                                                    toi     = t3 - floor(t2),  step = t3 - floor(t0)

Each part begins where the previous one ends. The reading `collide` has the fraction of t1, and the reading `solve` has that of t2;
subtracting them gives the durations. The fraction lost from `collide` is unknown, so `collide` gets the remainder of the step time measured
externally. If the parts add up to no more than the whole step, the timer is exact and the readings are used unchanged.
"""

from __future__ import annotations

from math import floor

from engine.common.tolerances import PROFILE_RESOLUTION

__all__ = ["phases_of"]


def phases_of(step: float, collide: float, solve: float, toi: float, measured: float) -> tuple[float, float, float]:
    """Return the durations of collision, solving and TOI events in a step, milliseconds.

    Parameters
    ----------
    step, collide, solve, toi : float
        Readings of `b2Profile`, milliseconds; if Box2D has no timer they are 0, and so are the results.
    measured : float
        Duration of the step measured externally, milliseconds.

    Examples
    --------
    A step from 0.5 ms to 1.25 ms: 0.375 ms of collision, 0.25 ms of solving, 0.125 ms of TOI events.

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
    """Return the time between two readings; if a new millisecond began between them, the second one is short by a whole millisecond."""
    passed = end - (start - floor(start))
    return passed if passed >= -PROFILE_RESOLUTION else passed + 1.0
