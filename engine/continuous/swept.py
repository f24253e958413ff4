"""First and last contact of two shapes that translate, and what they share at the first."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.continuous._swept_kernel import SWEPT_SIZE, swept_pairs
from engine.contracts import ContactSet, Status, SweptContact
from engine.geometry import AnyShape, Transform
from engine.narrowphase.packing import PackedShapes, remembered
from engine.narrowphase.scratch import ONE_PAIR, pose_row

__all__ = ["swept_contact", "swept_rows"]


def swept_contact(
    a: AnyShape,
    xf_a: Transform,
    velocity_a: tuple[float, float],
    b: AnyShape,
    xf_b: Transform,
    velocity_b: tuple[float, float],
    t_max: float,
) -> SweptContact:
    """Find when two shapes that translate at constant velocity come to touch, where, and when they part again.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, metres; radii and skins count as part of the shape.
    xf_a, xf_b : Transform
        World poses at time 0; the angles stay.
    velocity_a, velocity_b : pair of float
        m/s.
    t_max : float
        >= 0, seconds. A first contact later than this is a miss.

    Returns
    -------
    SweptContact
        OVERLAPPING: they touch at time 0 (within rounding). HIT: `t_first` in ``[0, t_max]``; a graze counts. MISS: neither.
        `t_last` may exceed `t_max`, and is infinite where they never part.

    References
    ----------
    See `engine.continuous._swept_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon
    >>> wall = Polygon.box(0.5, 5.0)
    >>> hit = swept_contact(wall, Transform(), (0.0, 0.0), Circle(0.25), Transform((-4.75, 1.0)), (8.0, 0.0), 1.0)
    >>> hit.status.name, hit.t_first, hit.point
    ('HIT', 0.5, (-0.5, 1.0))
    >>> box = Polygon.box(1.0, 1.0)
    >>> swept_contact(wall, Transform(), (0.0, 0.0), box, Transform((5.5, 0.0)), (-8.0, 0.0), 1.0).contact_set.points
    ((0.5, -1.0), (0.5, 1.0))
    """
    status, results = swept_rows(
        remembered(a, b), ONE_PAIR, pose_row(xf_a)[None], np.array([velocity_a], dtype=np.float64),
        pose_row(xf_b)[None], np.array([velocity_b], dtype=np.float64), float(t_max),
    )  # fmt: skip
    ended = Status(int(status[0]))
    t_first, t_last, normal_x, normal_y, x, y, x1, y1, x2, y2, n_points = results[0].tolist()
    if ended is not Status.HIT:
        nothing = ContactSet(Status.OVERLAPPING if ended is Status.OVERLAPPING else Status.SEPARATED, None, ())
        return SweptContact(ended, t_first, t_last, None, None, nothing)
    normal = (normal_x, normal_y)
    ends = ((x1, y1), (x2, y2)) if n_points > 1.0 else ((x, y),)
    return SweptContact(ended, t_first, t_last, normal, (x, y), ContactSet(Status.TOUCHING, normal, ends))


def swept_rows(
    shapes: PackedShapes,
    pairs: IntArray,
    poses_a: FloatArray,
    velocities_a: FloatArray,
    poses_b: FloatArray,
    velocities_b: FloatArray,
    t_max: float,
) -> tuple[IntArray, FloatArray]:
    """Return status (n,) and results (n, `SWEPT_SIZE`) of `pairs` at poses (n, 4) x, y, cos, sin; inputs checked and writable."""
    n = len(pairs)
    status, results = np.zeros(n, dtype=np.int64), np.zeros((n, SWEPT_SIZE))
    swept_pairs(
        shapes.first, shapes.n_vertices, shapes.vertices, shapes.normals, shapes.radius, shapes.extent,
        pairs, poses_a, velocities_a, poses_b, velocities_b, t_max, status, results,
    )  # fmt: skip
    return status, results
