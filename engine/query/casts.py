"""Queries about motion: ray casts, point tests, shape casts and times of impact.

World frame, meters, radians. Shapes are closed and solid, and include their radii and skins. All input is checked here, and the kernels are
loaded by the first query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from engine.common.checks import choice, non_negative
from engine.common.checks import point as checked_point
from engine.common.errors import InvalidInputError
from engine.contracts import ContactSet, RayHit, Status, SweptContact, TimeOfImpact
from engine.geometry import Sweep, check_shape
from engine.query._checking import check_pair, check_posed, check_t_max

if TYPE_CHECKING:
    from engine.geometry import AnyShape, Transform

__all__ = ["Method", "contains", "ray_cast", "shape_cast", "swept_contact", "time_of_impact"]

Method: TypeAlias = Literal["advancement", "bisection", "bilateral"]
"""Methods of `time_of_impact`."""


def contains(shape: AnyShape, xf: Transform, point: tuple[float, float]) -> bool:
    """Return True if a world point lies in a shape; the boundary counts, within rounding.

    Raises
    ------
    InvalidInputError
        The shape or pose is invalid, or the point is not two finite numbers.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> contains(Circle(1.0), Transform((2.0, 0.0)), (3.0, 0.0)), contains(Circle(1.0), Transform((2.0, 0.0)), (3.0, 0.1))
    (True, False)
    """
    check_posed(shape, xf)
    where = checked_point("point", point)
    from engine.continuous.ray_cast import contains_rows
    from engine.narrowphase.packing import cached_pack
    from engine.narrowphase.scratch import FIRST, pose_row

    return bool(contains_rows(cached_pack(shape), FIRST, pose_row(xf)[None], np.array([where]))[0])


def ray_cast(shape: AnyShape, xf: Transform, origin: tuple[float, float], translation: tuple[float, float]) -> RayHit:
    """Return where a ray from `origin` to `origin + translation` first meets a shape; both ends belong to the ray.

    Returns
    -------
    RayHit
        HIT: `fraction` of the translation in [0, 1], point and outward unit normal there; a graze counts, within rounding. At a corner the
        normal is that of one edge; at the end of a segment without a skin, it is opposite to the ray. A start inside, or on the boundary,
        is a HIT at 0 with normal None. MISS: fraction infinite.

    Raises
    ------
    InvalidInputError
        The shape or pose is invalid, or `origin` or `translation` is not two finite numbers.

    References
    ----------
    See the derivation in `engine.continuous._ray_kernel`.

    Examples
    --------
    >>> from engine.geometry import Polygon, Transform
    >>> hit = ray_cast(Polygon.box(1.0, 1.0), Transform((4.0, 0.0)), (0.0, 0.5), (6.0, 0.0))
    >>> hit.status.name, hit.fraction, hit.point
    ('HIT', 0.5, (3.0, 0.5))
    """
    check_posed(shape, xf)
    start, way = checked_point("origin", origin), checked_point("translation", translation)
    from engine.continuous.ray_cast import ray_rows
    from engine.narrowphase.packing import cached_pack
    from engine.narrowphase.scratch import FIRST, pose_row

    status, results = ray_rows(cached_pack(shape), FIRST, pose_row(xf)[None], np.array([start]), np.array([way]))
    return _ray_hit(int(status[0]), results[0].tolist(), has_point_inside=True)


def _ray_hit(status: int, numbers: list[float], has_point_inside: bool) -> RayHit:
    """Return the hit from status, fraction, point and normal; a start inside has no normal, and a point only on request."""
    fraction, x, y, normal_x, normal_y = numbers
    if status == Status.HIT:
        return RayHit(Status.HIT, fraction, (x, y), (normal_x, normal_y))
    if status == Status.OVERLAPPING:
        return RayHit(Status.HIT, fraction, (x, y) if has_point_inside else None, None)
    return RayHit(Status.MISS, fraction, None, None)


def shape_cast(
    shape: AnyShape, xf: Transform, translation: tuple[float, float], target: AnyShape, xf_target: Transform,
) -> RayHit:  # fmt: skip
    """Return where a shape cast along `translation`, without rotation, first meets a `target` at rest.

    Returns
    -------
    RayHit
        HIT: `fraction` of the translation at the first touch, a point of the contact on the target (the middle of a segment) and the
        target's outward normal there. Overlap at the start is a HIT at 0 with point and normal None. MISS: no contact.

    Raises
    ------
    InvalidInputError
        A shape or pose is invalid, or `translation` is not two finite numbers.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon, Transform
    >>> hit = shape_cast(Circle(0.5), Transform((-4.0, 0.0)), (6.0, 0.0), Polygon.box(0.5, 2.0), Transform())
    >>> hit.fraction, hit.point
    (0.5, (-0.5, 0.0))
    """
    check_posed(shape, xf)
    check_posed(target, xf_target, "target", "xf_target")
    way = checked_point("translation", translation)
    status, _, results = _swept_numbers(target, xf_target, (0.0, 0.0), shape, xf, way, 1.0)
    return _ray_hit(status, [results[0], *results[4:6], *results[2:4]], has_point_inside=False)


def swept_contact(
    a: AnyShape, xf_a: Transform, velocity_a: tuple[float, float], b: AnyShape, xf_b: Transform, velocity_b: tuple[float, float],
    t_max: float,
) -> SweptContact:  # fmt: skip
    """Return when two shapes that translate at constant velocity, m/s, first touch and when they separate again, and where.

    Parameters
    ----------
    t_max : float
        >= 0, seconds. A first contact later than this is a miss.

    Returns
    -------
    SweptContact
        OVERLAPPING: they touch at time 0 (within rounding). HIT: `t_first` in ``[0, t_max]``; a graze counts. MISS: no contact. `t_last`
        may exceed `t_max`, and is infinite if they never separate.

    Raises
    ------
    InvalidInputError
        A shape or pose is invalid, a velocity is not two finite numbers, or `t_max` is negative or not finite.

    References
    ----------
    See the derivation in `engine.continuous._swept_kernel`.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon, Transform
    >>> wall = Polygon.box(0.5, 5.0)
    >>> hit = swept_contact(wall, Transform(), (0.0, 0.0), Circle(0.25), Transform((-4.75, 1.0)), (8.0, 0.0), 1.0)
    >>> hit.status.name, hit.t_first, hit.point
    ('HIT', 0.5, (-0.5, 1.0))
    >>> box = Polygon.box(1.0, 1.0)
    >>> swept_contact(wall, Transform(), (0.0, 0.0), box, Transform((5.5, 0.0)), (-8.0, 0.0), 1.0).contact_set.points
    ((0.5, -1.0), (0.5, 1.0))
    """
    check_pair(a, xf_a, b, xf_b)
    v_a, v_b = checked_point("velocity_a", velocity_a, "m/s"), checked_point("velocity_b", velocity_b, "m/s")
    number, count, results = _swept_numbers(a, xf_a, v_a, b, xf_b, v_b, non_negative("t_max", t_max, "s"))
    status = Status(number)
    t_first, t_last, normal_x, normal_y, x, y, x1, y1, x2, y2 = results
    if status is not Status.HIT:
        nothing = ContactSet(Status.OVERLAPPING if status is Status.OVERLAPPING else Status.SEPARATED, None, ())
        return SweptContact(status, t_first, t_last, None, None, nothing)
    normal, ends = (normal_x, normal_y), ((x1, y1), (x2, y2)) if count > 1 else ((x, y),)
    return SweptContact(status, t_first, t_last, normal, (x, y), ContactSet(Status.TOUCHING, normal, ends))


def _swept_numbers(
    a: AnyShape, xf_a: Transform, velocity_a: tuple[float, float], b: AnyShape, xf_b: Transform, velocity_b: tuple[float, float],
    t_max: float,
) -> tuple[int, int, list[float]]:  # fmt: skip
    """Return status, points of the contact, and the results of `_swept_kernel`."""
    from engine.continuous.swept import swept_rows
    from engine.narrowphase.packing import cached_pack
    from engine.narrowphase.scratch import ONE_PAIR, pose_row

    moves = pose_row(xf_a)[None], np.array([velocity_a]), pose_row(xf_b)[None], np.array([velocity_b])
    status, counts, results = swept_rows(cached_pack(a, b), ONE_PAIR, *moves, t_max)
    return int(status[0]), int(counts[0]), results[0].tolist()


def time_of_impact(
    a: AnyShape, sweep_a: Sweep, b: AnyShape, sweep_b: Sweep, t_max: float = 1.0, target: Literal["touch", "box2d"] = "touch",
    method: Method = "advancement",
) -> TimeOfImpact:  # fmt: skip
    """Return when two moving and rotating shapes first touch.

    Parameters
    ----------
    sweep_a, sweep_b : Sweep
        Motions over the same step, with rotations of any size.
    t_max : float
        In [0, 1]: the part of the sweeps to search.
    target : "touch" or "box2d"
        Definition of the impact; see `engine.continuous._impact_kernel`.
    method : "advancement", "bisection" or "bilateral"
        Conservative advancement, by steps in which they cannot touch (`_advancement_kernel`); bisection of the interval, simpler and slower
        (`_bisection_kernel`); or a separating axis that is kept while it separates them, as in Box2D, but without missed touches
        (`_bilateral_kernel`). Each proves the intervals that it skips, so the methods verify each other.

    Returns
    -------
    TimeOfImpact
        HIT: at `fraction` the shapes are within the tolerance of touching, and before it they do not touch: it is never after the first
        touch, and a pass nearer than the tolerance (1e-9 of the extents) is a hit. MISS: they do not touch; `fraction` is `t_max`.
        OVERLAPPING: at 0 already. OUT_OF_ITERATIONS: `fraction` is a lower bound of the first touch, which may be none.

    Raises
    ------
    InvalidInputError
        A shape or sweep is invalid, `t_max` is not within 0 to 1, or `target` or `method` is not one of these.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon, Transform
    >>> bar = Polygon.box(2.0, 0.1)
    >>> turn = Sweep(Transform(), Transform((0.0, 0.0), 3.0))
    >>> still = Sweep(Transform((0.0, 2.0)), Transform((0.0, 2.0)))
    >>> for method in ("advancement", "bisection", "bilateral"):
    ...     impact = time_of_impact(bar, turn, Circle(0.5), still, method=method)
    ...     print(impact.status.name, round(impact.fraction, 4))
    HIT 0.422
    HIT 0.422
    HIT 0.422
    """
    for field, shape in (("a", a), ("b", b)):
        check_shape(field, shape)
    for field, sweep in (("sweep_a", sweep_a), ("sweep_b", sweep_b)):
        if not isinstance(sweep, Sweep):
            raise InvalidInputError(field, "a Sweep", sweep)
    end = check_t_max(t_max)
    is_box2d = choice("target", target, ("touch", "box2d")) == "box2d"
    from engine.continuous.time_of_impact import METHODS, impact_rows
    from engine.narrowphase.packing import cached_pack
    from engine.narrowphase.scratch import ONE_PAIR

    sweeps = tuple(
        np.array([row])
        for sweep in (sweep_a, sweep_b)
        for row in ((*sweep.start.position, sweep.start.angle), (*sweep.end.position, sweep.end.angle), sweep.local_center)
    )
    number = METHODS[choice("method", method, tuple(METHODS))]
    rows = impact_rows(cached_pack(a, b), ONE_PAIR, sweeps, end, number, is_box2d)
    return TimeOfImpact(Status(int(rows.status[0])), float(rows.fraction[0]), int(rows.iterations[0]))
