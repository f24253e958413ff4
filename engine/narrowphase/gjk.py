"""Distance of two shapes by GJK."""

from __future__ import annotations

import numpy as np

from engine.common._record_kernel import checked_trace
from engine.common.arrays import FloatArray
from engine.contracts import DistanceResult, Status
from engine.geometry import AnyShape, Transform
from engine.narrowphase._distance_kernel import distance_one
from engine.narrowphase._gjk_kernel import TRIANGLE_SIZE
from engine.narrowphase.scratch import core_of

__all__ = ["distance"]


def distance(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, trace: FloatArray | None = None) -> DistanceResult:
    """Find the gap between two shapes, radii and skins included, and their nearest points.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, meters. A zero-length segment is a point.
    xf_a, xf_b : Transform
        World poses.
    trace : float64 (k, TRACE_WIDTH), optional
        Receives the steps of GJK, and of EPA if it is needed; see `engine.common._record_kernel`.

    Returns
    -------
    DistanceResult
        SEPARATED: `separation` > 0. TOUCHING: within rounding (`SAT_ROUNDING`) of 0. OVERLAPPING: where only the radii overlap,
        or the cores no more than touch, `separation` is exact, and normal and points stand. Where the cores overlap, normal and
        points are None and `separation` is minus both radii, which the true one lies below: `epa.penetration` has it.
        DEGENERATE: lengths whose products float64 does not hold; separation is NaN. OUT_OF_ITERATIONS: an upper bound.

    Raises
    ------
    InvalidInputError
        A shape is none, or the trace is no such array.

    References
    ----------
    See `engine.narrowphase._gjk_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Capsule, Polygon
    >>> found = distance(Polygon.box(0.5, 0.5), Transform(), Capsule((0, 0), (0, 2), 0.25), Transform((2.0, 0.0)))
    >>> found.status.name, found.separation, found.normal
    ('SEPARATED', 1.25, (1.0, 0.0))
    """
    status, iterations, separation, a_x, a_y, b_x, b_y, nx, ny = distance_one(
        False, (*core_of(a), *xf_a.position, xf_a.cos, xf_a.sin), (*core_of(b), *xf_b.position, xf_b.cos, xf_b.sin),
        np.zeros(TRIANGLE_SIZE, dtype=np.int64), checked_trace(trace),
    )  # fmt: skip
    if nx != nx:
        return DistanceResult(Status(status), separation, None, None, None, iterations)
    return DistanceResult(Status(status), separation, (a_x, a_y), (b_x, b_y), (nx, ny), iterations)
