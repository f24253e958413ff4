"""Distance of two shapes by GJK."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common._record_kernel import checked_trace
from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.contracts import DistanceResult, Status
from engine.geometry import AnyShape, Transform
from engine.narrowphase._distance_kernel import distance_one
from engine.narrowphase._gjk_kernel import TRIANGLE_SIZE
from engine.narrowphase.scratch import core_of

__all__ = ["SimplexCache", "distance", "distance_from"]


@dataclass(frozen=True, slots=True)
class SimplexCache:
    """The vertices of both cores that were nearest last time, where the next query of the same two shapes starts.

    Where shapes move little between queries, one support then confirms what it took several to find.
    """

    indices_a: tuple[int, ...] = ()
    indices_b: tuple[int, ...] = ()


def distance(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, trace: FloatArray | None = None) -> DistanceResult:
    """Find the gap between two shapes, radii and skins included, and their nearest points.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, metres. A zero-length segment is a point.
    xf_a, xf_b : Transform
        World poses.
    trace : float64 (k, TRACE_WIDTH), optional
        Is told what GJK does, and EPA where it is asked; see `engine.common._record_kernel`.

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
    return _query(a, xf_a, b, xf_b, np.zeros(TRIANGLE_SIZE, dtype=np.int64), trace)


def distance_from(
    cache: SimplexCache, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, trace: FloatArray | None = None
) -> tuple[DistanceResult, SimplexCache]:
    """Find the same from the simplex of an earlier query of these shapes, and return the new one beside the result.

    Any cache gives a right answer; a good one gives it sooner.

    Raises
    ------
    InvalidInputError
        A shape is none, or the cache names a vertex that a core does not have.

    Examples
    --------
    >>> from engine.geometry import Polygon
    >>> box, here = Polygon.regular(16, 1.0), Transform()
    >>> first, cache = distance_from(SimplexCache(), box, here, box, Transform((3.0, 1.0)))
    >>> again, _ = distance_from(cache, box, here, box, Transform((3.0, 1.001)))
    >>> again.iterations <= first.iterations, again.iterations
    (True, 1)
    """
    simplex = _start(cache, len(core_of(a)[0]), len(core_of(b)[0]))
    result = _query(a, xf_a, b, xf_b, simplex, trace)
    n, *indices = simplex.tolist()
    return result, SimplexCache(tuple(indices[0 : 2 * n : 2]), tuple(indices[1 : 2 * n : 2]))


def _start(cache: SimplexCache, n_a: int, n_b: int) -> IntArray:
    if not isinstance(cache, SimplexCache):
        raise InvalidInputError("cache", "a SimplexCache", cache)
    n = len(cache.indices_a)
    if n > 3 or len(cache.indices_b) != n:
        raise InvalidInputError("cache", "at most three vertices of each shape, as many of both", cache)
    simplex = np.zeros(TRIANGLE_SIZE, dtype=np.int64)
    simplex[0] = n
    for k, (at_a, at_b) in enumerate(zip(cache.indices_a, cache.indices_b, strict=True)):
        simplex[1 + 2 * k] = integer("cache.indices_a", at_a, 0, n_a - 1)
        simplex[2 + 2 * k] = integer("cache.indices_b", at_b, 0, n_b - 1)
    return simplex


def _query(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, simplex: IntArray, trace: FloatArray | None) -> DistanceResult:
    status, iterations, separation, a_x, a_y, b_x, b_y, nx, ny = distance_one(
        False, (*core_of(a), *xf_a.position, xf_a.cos, xf_a.sin), (*core_of(b), *xf_b.position, xf_b.cos, xf_b.sin),
        simplex, checked_trace(trace),
    )  # fmt: skip
    if nx != nx:
        return DistanceResult(Status(status), separation, None, None, None, iterations)
    return DistanceResult(Status(status), separation, (a_x, a_y), (b_x, b_y), (nx, ny), iterations)
