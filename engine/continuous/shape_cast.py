"""A shape that is thrown along a line: a ray with a body.

A shape S that translates meets a shape T when its path, a ray, meets the set of all t - s, the Minkowski difference; so this is the
swept contact of `_swept_kernel` with one side at rest, and its answer is read as a ray's: where on T, and which way T faces there.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.continuous.swept import swept_one_by_one, swept_rows
from engine.contracts import RayHit, Status
from engine.geometry import AnyShape, Transform
from engine.narrowphase.packing import PackedShapes, remembered
from engine.narrowphase.scratch import ONE_PAIR, pose_row

__all__ = ["shape_cast", "shape_cast_rows"]


def shape_cast(shape: AnyShape, xf: Transform, translation: tuple[float, float], target: AnyShape, xf_target: Transform) -> RayHit:
    """Throw `shape` from its pose along `translation`, without turning it, at a `target` at rest.

    Parameters
    ----------
    shape, target : Circle, Polygon, Capsule or Segment
        Body frame, metres; radii and skins count as part of the shape.
    xf, xf_target : Transform
        World poses.
    translation : pair of float
        Metres.

    Returns
    -------
    RayHit
        HIT: `fraction` of the translation at the first touch, a point of the target that is touched (of a segment its middle) and
        the target's outward normal there. Overlap at the start is a HIT at 0 with point and normal None. MISS: none.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon
    >>> hit = shape_cast(Circle(0.5), Transform((-4.0, 0.0)), (6.0, 0.0), Polygon.box(0.5, 2.0), Transform())
    >>> hit.fraction, hit.point
    (0.5, (-0.5, 0.0))
    """
    status, _, found = swept_one_by_one(
        remembered(target, shape), ONE_PAIR, pose_row(xf_target)[None], np.zeros((1, 2)),
        pose_row(xf)[None], np.array([translation], dtype=np.float64), 1.0,
    )  # fmt: skip
    results = _ray_columns(found)
    fraction, point_x, point_y, normal_x, normal_y = results[0].tolist()
    if status[0] == Status.HIT:
        return RayHit(Status.HIT, fraction, (point_x, point_y), (normal_x, normal_y))
    if status[0] == Status.OVERLAPPING:
        return RayHit(Status.HIT, 0.0, None, None)
    return RayHit(Status.MISS, fraction, None, None)


def shape_cast_rows(
    shapes: PackedShapes, pairs: IntArray, poses: FloatArray, translations: FloatArray, poses_target: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return status (n,), OVERLAPPING where they do at 0, and fraction, point, normal (n, 5), for pairs of a shape and its target.

    Poses are (n, 3) x, y, angle. Inputs checked and writable.
    """
    turned = np.ascontiguousarray(pairs[:, ::-1])
    status, _, found = swept_rows(shapes, turned, poses_target, np.zeros((len(pairs), 2)), poses, translations, 1.0)
    return status, _ray_columns(found)


def _ray_columns(found: FloatArray) -> FloatArray:
    return np.column_stack((found[:, 0], found[:, 4:6], found[:, 2:4]))
