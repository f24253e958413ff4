"""Questions about motion: rays, points, thrown shapes, times of impact.

World frame, metres, radians. Shapes are closed and solid, their radii and skins part of them. Everything is checked here, and the
kernels are loaded by the first question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.common.checks import choice, non_negative
from engine.common.checks import point as checked_point
from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Polygon, Sweep, Transform, check_shape
from engine.query._checking import check_pair, check_t_max

if TYPE_CHECKING:
    from engine.contracts import RayHit, SweptContact, TimeOfImpact
    from engine.geometry import AnyShape

__all__ = ["contains", "ray_cast", "shape_cast", "swept_contact", "time_of_impact", "warm"]


def contains(shape: AnyShape, xf: Transform, point: tuple[float, float]) -> bool:
    """Tell whether a world point lies in a shape; the boundary counts, within rounding.

    Raises
    ------
    InvalidInputError
        The shape or pose is none, or the point is not two finite numbers.

    Examples
    --------
    >>> contains(Circle(1.0), Transform((2.0, 0.0)), (3.0, 0.0)), contains(Circle(1.0), Transform((2.0, 0.0)), (3.0, 0.1))
    (True, False)
    """
    _check_posed("shape", shape, "xf", xf)
    where = checked_point("point", point)
    from engine.continuous import ray_cast as chapter

    return chapter.contains(shape, xf, where)


def ray_cast(shape: AnyShape, xf: Transform, origin: tuple[float, float], translation: tuple[float, float]) -> RayHit:
    """Return where a ray first meets a shape; see `engine.continuous.ray_cast.ray_cast`.

    Raises
    ------
    InvalidInputError
        The shape or pose is none, or `origin` or `translation` is not two finite numbers.

    Examples
    --------
    >>> hit = ray_cast(Polygon.box(1.0, 1.0), Transform((4.0, 0.0)), (0.0, 0.5), (6.0, 0.0))
    >>> hit.status.name, hit.fraction, hit.point
    ('HIT', 0.5, (3.0, 0.5))
    """
    _check_posed("shape", shape, "xf", xf)
    start, way = checked_point("origin", origin), checked_point("translation", translation)
    from engine.continuous import ray_cast as chapter

    return chapter.ray_cast(shape, xf, start, way)


def shape_cast(shape: AnyShape, xf: Transform, translation: tuple[float, float], target: AnyShape, xf_target: Transform) -> RayHit:
    """Return where a shape thrown along `translation` first meets a target at rest; see `engine.continuous.shape_cast.shape_cast`.

    Raises
    ------
    InvalidInputError
        A shape or pose is none, or `translation` is not two finite numbers.

    Examples
    --------
    >>> shape_cast(Circle(1.0), Transform(), (8.0, 0.0), Circle(1.0), Transform((6.0, 0.0))).fraction
    0.5
    """
    _check_posed("shape", shape, "xf", xf)
    _check_posed("target", target, "xf_target", xf_target)
    way = checked_point("translation", translation)
    from engine.continuous import shape_cast as chapter

    return chapter.shape_cast(shape, xf, way, target, xf_target)


def swept_contact(
    a: AnyShape,
    xf_a: Transform,
    velocity_a: tuple[float, float],
    b: AnyShape,
    xf_b: Transform,
    velocity_b: tuple[float, float],
    t_max: float,
) -> SweptContact:
    """Return when two shapes that only translate first and last touch, and where; see `engine.continuous.swept.swept_contact`.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one, a velocity is not two finite numbers, or `t_max` is negative or not finite.

    Examples
    --------
    >>> swept_contact(Circle(1.0), Transform(), (2.0, 0.0), Circle(1.0), Transform((6.0, 0.0)), (0.0, 0.0), 5.0).t_first
    2.0
    """
    check_pair(a, xf_a, b, xf_b)
    v_a, v_b = checked_point("velocity_a", velocity_a, "m/s"), checked_point("velocity_b", velocity_b, "m/s")
    duration = non_negative("t_max", t_max, "s")
    from engine.continuous import swept

    return swept.swept_contact(a, xf_a, v_a, b, xf_b, v_b, duration)


def time_of_impact(
    a: AnyShape,
    sweep_a: Sweep,
    b: AnyShape,
    sweep_b: Sweep,
    t_max: float = 1.0,
    target: Literal["touch", "box2d"] = "touch",
) -> TimeOfImpact:
    """Return the first touch of two shapes that move and turn; see `engine.continuous.time_of_impact`.

    Raises
    ------
    InvalidInputError
        A shape or sweep is none, `t_max` is not from 0 to 1, or `target` is neither "touch" nor "box2d".

    Examples
    --------
    >>> bar = Polygon.box(2.0, 0.1)
    >>> turn = Sweep(Transform(), Transform((0.0, 0.0), 3.0))
    >>> still = Sweep(Transform((0.0, 2.0)), Transform((0.0, 2.0)))
    >>> found = time_of_impact(bar, turn, Circle(0.5), still)
    >>> found.status.name, round(found.fraction, 4)
    ('HIT', 0.422)
    """
    for field, shape in (("a", a), ("b", b)):
        check_shape(field, shape)
    for field, sweep in (("sweep_a", sweep_a), ("sweep_b", sweep_b)):
        if not isinstance(sweep, Sweep):
            raise InvalidInputError(field, "a Sweep", sweep)
    end = check_t_max(t_max)
    choice("target", target, ("touch", "box2d"))
    from engine.continuous.time_of_impact import conservative_advancement

    return conservative_advancement(a, sweep_a, b, sweep_b, end, target)


def warm() -> None:
    """Ask each question once: loads its kernels, or compiles them."""
    from engine.continuous.impact_rows import LANES_FROM
    from engine.continuous.time_of_impact import bilateral_advancement, bisection
    from engine.query import batch_casts
    from engine.query.shape_batch import ShapeBatch

    disc, box, here, there = Circle(0.5), Polygon.box(0.5, 0.5), Transform(), Transform((3.0, 0.0))
    contains(disc, here, (0.0, 0.0))
    ray_cast(disc, here, (2.0, 0.0), (-4.0, 0.0))
    shape_cast(disc, there, (-4.0, 0.0), box, here)
    swept_contact(box, here, (1.0, 0.0), disc, there, (0.0, 0.0), 5.0)
    for way in (time_of_impact, bisection, bilateral_advancement):
        way(box, Sweep(here, here), disc, Sweep(there, here))
    many = 2 * LANES_FROM  # half of them two boxes: both kinds of block, and the scalar kernel
    pairs, still = [(1, 1), (0, 1)] * LANES_FROM, np.zeros((many, 3))
    batch_casts.time_of_impact(ShapeBatch([disc, box]), pairs, still, still, still + (3.0, 0.0, 0.0), still + (0.0, 0.0, 1.0))
    rest = np.zeros((many, 2))
    batch_casts.swept_contact(ShapeBatch([disc, box]), pairs, still, rest, still + (3.0, 0.0, 0.0), rest - (1.0, 0.0), 5.0)


def _check_posed(field: str, shape: object, field_xf: str, xf: object) -> None:
    check_shape(field, shape)
    if not isinstance(xf, Transform):
        raise InvalidInputError(field_xf, "a Transform", xf)
