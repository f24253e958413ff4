"""Penetration of two shapes by EPA."""

from __future__ import annotations

import numpy as np

from engine.common._record_kernel import checked_trace
from engine.common.arrays import FloatArray
from engine.contracts import PenetrationResult, Status
from engine.geometry import AnyShape, Transform
from engine.narrowphase._distance_kernel import distance_one
from engine.narrowphase._gjk_kernel import TRIANGLE_SIZE
from engine.narrowphase.scratch import core_of

__all__ = ["penetration"]


def penetration(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, trace: FloatArray | None = None) -> PenetrationResult:
    """Find the shortest translation that separates two shapes, radii and skins included.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, meters.
    xf_a, xf_b : Transform
        World poses.
    trace : float64 (k, TRACE_WIDTH), optional
        Receives the steps of GJK, then of EPA; see `engine.common._record_kernel`.

    Returns
    -------
    PenetrationResult
        OVERLAPPING: moving B by ``depth * normal`` leaves the shapes touching, also where one contains the other; the depth is
        exact up to rounding. TOUCHING: the depth is within rounding of 0, never below. SEPARATED: depth 0, the rest None.
        DEGENERATE: depth NaN, the rest None. OUT_OF_ITERATIONS: moving so far parts the shapes, and it may be farther than needed.

    Raises
    ------
    InvalidInputError
        A shape is none, or the trace is no such array.

    References
    ----------
    See `engine.narrowphase._epa_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon
    >>> found = penetration(Polygon.box(2.0, 1.0), Transform(), Circle(0.25), Transform((0.5, 0.5)))
    >>> found.status.name, found.depth, found.normal, found.point_a, found.point_b
    ('OVERLAPPING', 0.75, (0.0, 1.0), (0.5, 1.0), (0.5, 0.25))
    """
    status, _, depth, a_x, a_y, b_x, b_y, nx, ny = distance_one(
        True, (*core_of(a), *xf_a.position, xf_a.cos, xf_a.sin), (*core_of(b), *xf_b.position, xf_b.cos, xf_b.sin),
        np.zeros(TRIANGLE_SIZE, dtype=np.int64), checked_trace(trace),
    )  # fmt: skip
    if nx != nx:
        return PenetrationResult(Status(status), depth, None, None, None)
    return PenetrationResult(Status(status), depth, (nx, ny), (a_x, a_y), (b_x, b_y))
