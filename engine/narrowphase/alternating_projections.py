"""Distance between two shapes by alternating projections: the simplest method, and why it should not be used."""

from __future__ import annotations

import math

from engine.common.events import traced
from engine.common.tolerances import SAT_ROUNDING
from engine.contracts import DistanceResult, Status
from engine.geometry import AnyShape, Transform
from engine.narrowphase._projections_kernel import closest_by_projections
from engine.narrowphase.scratch import core_of

__all__ = ["distance"]


def distance(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> DistanceResult:
    """Find the gap between two shapes by alternating projections onto A and B until the points no longer change.

    It is a dozen lines, needs no simplex, and supports any shape onto which a point can be projected. It fails for:

    * edges that meet at a small angle theta: each turn leaves cos^2 theta of the error, so that 0.01 rad takes tens of thousands of
      turns where GJK takes three steps: OUT_OF_ITERATIONS, with points that are too far apart;
    * shapes that overlap: it finds a common point, and nothing of the depth;
    * shapes that touch: one at a corner is found, one at a small angle is not, as above.

    Parameters
    ----------
    a, b, xf_a, xf_b
        As in `engine.query.distance`.

    Returns
    -------
    DistanceResult
        SEPARATED: `separation` is right within `CLOSEST_CONVERGENCE` of the pair's size. OVERLAPPING: the shapes share a point, be
        it only one; separation 0, normal and points None. OUT_OF_ITERATIONS: an upper bound. DEGENERATE as in `engine.query.distance`.

    Raises
    ------
    InvalidInputError
        A shape is invalid.

    References
    ----------
    See `engine.narrowphase._projections_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon
    >>> found = distance(Polygon.box(1.0, 1.0), Transform(), Circle(0.5), Transform((4.0, 5.0)))
    >>> found.status.name, found.separation, found.iterations
    ('SEPARATED', 4.5, 2)
    """
    extent_a, extent_b = core_of(a)[2], core_of(b)[2]
    (ax, ay), (bx, by) = xf_a.position, xf_b.position
    size = extent_a + extent_b + math.hypot(bx - ax, by - ay)
    touch = SAT_ROUNDING * (extent_a + extent_b + abs(ax) + abs(ay) + abs(bx) + abs(by))
    if not math.isfinite(size * size) or (touch > 0.0 and touch * touch == 0.0):
        return DistanceResult(Status.DEGENERATE, math.nan, None, None, None, 0)
    number, turns, gap, a_x, a_y, b_x, b_y = traced(closest_by_projections)(
        (*core_of(a), *xf_a.position, xf_a.cos, xf_a.sin), (*core_of(b), *xf_b.position, xf_b.cos, xf_b.sin),
        touch, size,
    )  # fmt: skip
    status = Status(number)
    if status is Status.OVERLAPPING:
        return DistanceResult(status, 0.0, None, None, None, turns)
    return DistanceResult(status, gap, (a_x, a_y), (b_x, b_y), ((b_x - a_x) / gap, (b_y - a_y) / gap), turns)
