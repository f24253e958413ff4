"""Queries about motion: ray casts, point tests, shape casts and times of impact.

World frame, meters, radians. Shapes are closed and solid, their radii and skins part of them. Everything is checked here, and the
kernels are loaded by the first question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from engine.common.checks import choice, non_negative
from engine.common.checks import point as checked_point
from engine.common.errors import InvalidInputError
from engine.geometry import Sweep, check_shape
from engine.query._checking import check_pair, check_posed, check_t_max

if TYPE_CHECKING:
    from engine.contracts import RayHit, SweptContact, TimeOfImpact
    from engine.geometry import AnyShape, Transform

__all__ = ["contains", "ray_cast", "shape_cast", "swept_contact", "time_of_impact"]


def contains(shape: AnyShape, xf: Transform, point: tuple[float, float]) -> bool:
    """Return True if a world point lies in a shape; the boundary counts, within rounding.

    Raises
    ------
    InvalidInputError
        The shape or pose is none, or the point is not two finite numbers.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> contains(Circle(1.0), Transform((2.0, 0.0)), (3.0, 0.0)), contains(Circle(1.0), Transform((2.0, 0.0)), (3.0, 0.1))
    (True, False)
    """
    check_posed(shape, xf)
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
    >>> from engine.geometry import Polygon, Transform
    >>> hit = ray_cast(Polygon.box(1.0, 1.0), Transform((4.0, 0.0)), (0.0, 0.5), (6.0, 0.0))
    >>> hit.status.name, hit.fraction, hit.point
    ('HIT', 0.5, (3.0, 0.5))
    """
    check_posed(shape, xf)
    start, way = checked_point("origin", origin), checked_point("translation", translation)
    from engine.continuous import ray_cast as chapter

    return chapter.ray_cast(shape, xf, start, way)


def shape_cast(shape: AnyShape, xf: Transform, translation: tuple[float, float], target: AnyShape, xf_target: Transform) -> RayHit:
    """Return where a shape cast along `translation` first meets a target at rest; see `engine.continuous.swept.shape_cast`.

    Raises
    ------
    InvalidInputError
        A shape or pose is none, or `translation` is not two finite numbers.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> shape_cast(Circle(1.0), Transform(), (8.0, 0.0), Circle(1.0), Transform((6.0, 0.0))).fraction
    0.5
    """
    check_posed(shape, xf)
    check_posed(target, xf_target, "target", "xf_target")
    way = checked_point("translation", translation)
    from engine.continuous import swept

    return swept.shape_cast(shape, xf, way, target, xf_target)


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
    >>> from engine.geometry import Circle, Transform
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
    """Return the first touch of two moving and rotating shapes; see `engine.continuous.time_of_impact`.

    Raises
    ------
    InvalidInputError
        A shape or sweep is none, `t_max` is not from 0 to 1, or `target` is neither "touch" nor "box2d".

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon, Transform
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
