"""First and last contact of two shapes that translate."""

from __future__ import annotations

import numpy as np

from engine.continuous._swept_kernel import swept_pair
from engine.contracts import Status, SweptContact
from engine.geometry import Shape, Transform
from engine.narrowphase.packing import pack
from engine.narrowphase.scratch import pose_row

__all__ = ["swept_contact"]


def swept_contact(
    a: Shape,
    xf_a: Transform,
    velocity_a: tuple[float, float],
    b: Shape,
    xf_b: Transform,
    velocity_b: tuple[float, float],
    t_max: float,
) -> SweptContact:
    """Find when two shapes that translate at constant velocity come to touch, and when they part again.

    Parameters
    ----------
    a, b : Circle or Polygon
        Body frame, metres; skins count as part of the shape.
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
    """
    shapes = pack((a, b))
    n_a = int(shapes.n_vertices[0])
    result = np.empty(6)
    status = Status(
        swept_pair(
            shapes.vertices[:n_a], shapes.normals[:n_a], shapes.radius[0], shapes.extent[0], pose_row(xf_a), np.array(velocity_a),
            shapes.vertices[n_a:], shapes.normals[n_a:], shapes.radius[1], shapes.extent[1], pose_row(xf_b), np.array(velocity_b),
            float(t_max), result,
        )
    )  # fmt: skip
    t_first, t_last, normal_x, normal_y, x, y = result.tolist()
    if status is not Status.HIT:
        return SweptContact(status, t_first, t_last, None, None)
    return SweptContact(status, t_first, t_last, (normal_x, normal_y), (x, y))
