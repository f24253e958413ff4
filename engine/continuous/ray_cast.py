"""Ray casts against a shape, and point containment."""

from __future__ import annotations

import numpy as np

from engine.common._record_kernel import checked_trace
from engine.common.arrays import FloatArray, IntArray
from engine.continuous._ray_kernel import RAY_SIZE, contains_points, ray_casts
from engine.contracts import RayHit, Status
from engine.geometry import AnyShape, Transform
from engine.narrowphase.packing import PackedShapes, cached_pack
from engine.narrowphase.scratch import pose_row

__all__ = ["contains", "contains_rows", "ray_cast", "ray_rows"]

_FIRST = np.array([0], dtype=np.int64)


def ray_cast(
    shape: AnyShape, xf: Transform, origin: tuple[float, float], translation: tuple[float, float], trace: FloatArray | None = None
) -> RayHit:
    """Find where a ray from `origin` to `origin + translation` first meets a shape.

    Parameters
    ----------
    shape : Circle, Polygon, Capsule or Segment
        Body frame, meters; a radius or skin counts as part of the shape.
    xf : Transform
        World pose.
    origin, translation : pair of float
        World frame, meters. Both ends belong to the ray.
    trace : float64 (k, TRACE_WIDTH), optional
        Receives the steps; see `engine.common._record_kernel`; the answer is the same to the bit.

    Returns
    -------
    RayHit
        HIT: `fraction` of the translation in [0, 1], point and outward unit normal there; a graze counts, within rounding. On a
        corner the normal is one edge's; the end of a bare segment faces the ray. A start inside, or on the boundary, is a HIT at 0
        with normal None. MISS: fraction infinite.

    References
    ----------
    See `engine.continuous._ray_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> ray_cast(Circle(1.0), Transform((4.0, 0.0)), (0.0, 0.0), (6.0, 0.0))
    RayHit(status=<Status.HIT: 3>, fraction=0.5, point=(3.0, 0.0), normal=(-1.0, 0.0))
    """
    status, results = ray_rows(
        cached_pack(shape), _FIRST, pose_row(xf)[None], np.array([origin], dtype=np.float64), np.array([translation], dtype=np.float64),
        checked_trace(trace),
    )  # fmt: skip
    fraction, x, y, normal_x, normal_y = results[0].tolist()
    if status[0] == Status.MISS:
        return RayHit(Status.MISS, fraction, None, None)
    return RayHit(Status.HIT, fraction, (x, y), (normal_x, normal_y) if status[0] == Status.HIT else None)


def contains(shape: AnyShape, xf: Transform, point: tuple[float, float]) -> bool:
    """Return True if a world point lies in a shape, radius and skin included; the boundary counts, within rounding.

    Examples
    --------
    >>> from engine.geometry import Polygon
    >>> contains(Polygon.box(1.0, 1.0), Transform((5.0, 0.0)), (4.0, 1.0))
    True
    """
    return bool(contains_rows(cached_pack(shape), _FIRST, pose_row(xf)[None], np.array([point], dtype=np.float64))[0])


def ray_rows(
    shapes: PackedShapes,
    indices: IntArray,
    poses: FloatArray,
    origins: FloatArray,
    translations: FloatArray,
    trace: FloatArray | None = None,
) -> tuple[IntArray, FloatArray]:
    """Return status (n,), OVERLAPPING for a start inside, and fraction, point, normal (n, 5); inputs checked and writable."""
    n = len(indices)
    status, results = np.zeros(n, dtype=np.int64), np.zeros((n, RAY_SIZE))
    ray_casts(shapes.arrays, indices, poses, origins, translations, status, results, trace)
    return status, results


def contains_rows(shapes: PackedShapes, indices: IntArray, poses: FloatArray, points: FloatArray) -> IntArray:
    """Return 1 or 0 (n,) for shapes named by `indices` (n,) at poses (n, 4) and world points (n, 2)."""
    contained = np.zeros(len(indices), dtype=np.int64)
    contains_points(shapes.arrays, indices, poses, points, contained)
    return contained
