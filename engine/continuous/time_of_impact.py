"""Time of impact of two shapes that move and turn, by three methods; each proves what it passes over, and they judge each other.

`query.time_of_impact` takes conservative advancement.
"""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.continuous._impact_kernel import ADVANCEMENT, BILATERAL, BISECTION
from engine.continuous.impact_rows import Target, impact_of_pair
from engine.contracts import TimeOfImpact
from engine.geometry import AnyShape, Sweep

__all__ = ["bilateral_advancement", "bisection", "conservative_advancement"]


def conservative_advancement(
    a: AnyShape, sweep_a: Sweep, b: AnyShape, sweep_b: Sweep, t_max: float = 1.0, target: Target = "touch", trace: FloatArray | None = None
) -> TimeOfImpact:
    """Find when two shapes that move and turn first touch, by steps in which they cannot.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, metres; radii and skins count as part of the shape.
    sweep_a, sweep_b : Sweep
        Motions over the same step; turns of any size.
    t_max : float
        In [0, 1]: how much of the sweeps to look at.
    target : "touch" or "box2d"
        What counts as the impact; see `engine.continuous._impact_kernel`.
    trace : float64 (m, 2), optional
        Takes, for each step as far as there is room, the time and the gap above the target; NaN after the last one.
        Times do not decrease.

    Returns
    -------
    TimeOfImpact
        HIT: at `fraction` the shapes are within the tolerance of touching, and before it they do not touch: it is never after the first
        touch, and a pass nearer than the tolerance (1e-9 of the extents) is a hit. MISS: they do not touch; `fraction` is `t_max`.
        OVERLAPPING: at 0 already. OUT_OF_ITERATIONS: `fraction` is a lower bound of the first touch, which may be none.

    References
    ----------
    See `engine.continuous._advancement_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> still = Sweep(Transform(), Transform())
    >>> found = conservative_advancement(Circle(1.0), still, Circle(1.0), Sweep(Transform((6.0, 0.0)), Transform((-2.0, 0.0))))
    >>> found.status.name, round(found.fraction, 6)
    ('HIT', 0.5)
    """
    return impact_of_pair(ADVANCEMENT, a, sweep_a, b, sweep_b, t_max, target, trace)


def bisection(
    a: AnyShape, sweep_a: Sweep, b: AnyShape, sweep_b: Sweep, t_max: float = 1.0, target: Target = "touch", trace: FloatArray | None = None
) -> TimeOfImpact:
    """Find the same by clearing halves of the interval: slower than the advancement, simpler, and its witness.

    All is as of `conservative_advancement`, but the times of the trace, which are the middles of the intervals. See
    `engine.continuous._bisection_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> still = Sweep(Transform(), Transform())
    >>> found = bisection(Circle(1.0), still, Circle(1.0), Sweep(Transform((6.0, 0.0)), Transform((-2.0, 0.0))))
    >>> found.status.name, round(found.fraction, 6)
    ('HIT', 0.5)
    """
    return impact_of_pair(BISECTION, a, sweep_a, b, sweep_b, t_max, target, trace)


def bilateral_advancement(
    a: AnyShape, sweep_a: Sweep, b: AnyShape, sweep_b: Sweep, t_max: float = 1.0, target: Target = "touch", trace: FloatArray | None = None
) -> TimeOfImpact:
    """Find the same by holding one separating axis while it parts them, as Box2D does it, made safe.

    All is as of `conservative_advancement`, but the trace, which has a row for each axis. See `engine.continuous._bilateral_kernel`,
    which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> still = Sweep(Transform(), Transform())
    >>> found = bilateral_advancement(Circle(1.0), still, Circle(1.0), Sweep(Transform((6.0, 0.0)), Transform((-2.0, 0.0))))
    >>> found.status.name, round(found.fraction, 6)
    ('HIT', 0.5)
    """
    return impact_of_pair(BILATERAL, a, sweep_a, b, sweep_b, t_max, target, trace)
