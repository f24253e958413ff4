"""The questions a caller asks, one function each.

World frame, metres, radians. Shapes are closed and solid. The compiled kernels are loaded by the first question, not by the
import: about 0.3 s once their machine code is on disk, some seconds the very first time (`warm_up` brings it forward,
`is_warm` tells which of the two it will be).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.common.checks import non_negative, point
from engine.common.errors import InvalidInputError
from engine.common.jit import cache_is_warm
from engine.geometry import Circle, Polygon, Transform

if TYPE_CHECKING:
    from engine.contracts import Manifold, SweptContact
    from engine.geometry import Shape
    from engine.narrowphase.rules import Rule

__all__ = ["is_warm", "manifold", "overlap", "swept_contact", "warm_up"]


def overlap(a: Shape, xf_a: Transform, b: Shape, xf_b: Transform) -> bool:
    """Tell whether two shapes share a point, radii and skins included; a touch within rounding and containment count.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one.

    Examples
    --------
    >>> overlap(Circle(1.0), Transform(), Circle(1.0), Transform((2.0, 0.0)))
    True
    """
    _check(a, xf_a, b, xf_b)
    from engine.narrowphase import sat

    return sat.overlap(a, xf_a, b, xf_b)


def manifold(a: Shape, xf_a: Transform, b: Shape, xf_b: Transform, rule: Rule = "exact") -> Manifold:
    """Return normal (A to B) and contact points of two shapes; see `engine.narrowphase.manifold.manifold`.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one, or the rule is neither "exact" nor "box2d".

    Examples
    --------
    >>> manifold(Circle(1.0), Transform(), Circle(1.0), Transform((1.5, 0.0))).points[0].separation
    -0.5
    """
    _check(a, xf_a, b, xf_b)
    from engine.narrowphase import manifold as chapter

    return chapter.manifold(a, xf_a, b, xf_b, rule)


def swept_contact(
    a: Shape,
    xf_a: Transform,
    velocity_a: tuple[float, float],
    b: Shape,
    xf_b: Transform,
    velocity_b: tuple[float, float],
    t_max: float,
) -> SweptContact:
    """Return when two shapes that only translate first and last touch; see `engine.continuous.swept.swept_contact`.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one, a velocity is not two finite numbers, or `t_max` is negative or not finite.

    Examples
    --------
    >>> swept_contact(Circle(1.0), Transform(), (2.0, 0.0), Circle(1.0), Transform((6.0, 0.0)), (0.0, 0.0), 5.0).t_first
    2.0
    """
    _check(a, xf_a, b, xf_b)
    v_a, v_b = point("velocity_a", velocity_a, "m/s"), point("velocity_b", velocity_b, "m/s")
    duration = non_negative("t_max", t_max, "s")
    from engine.continuous import swept

    return swept.swept_contact(a, xf_a, v_a, b, xf_b, v_b, duration)


def is_warm() -> bool:
    """Tell, without loading anything, whether the kernels' machine code is on disk already."""
    return cache_is_warm()


def warm_up() -> None:
    """Load every kernel, compiling what is not on disk yet; the first question afterwards costs microseconds."""
    from engine.query import warming

    warming.warm_up()


def _check(a: object, xf_a: object, b: object, xf_b: object) -> None:
    for field, shape in (("a", a), ("b", b)):
        if not isinstance(shape, Circle | Polygon):
            raise InvalidInputError(field, "a Circle or Polygon", shape)
    for field, xf in (("xf_a", xf_a), ("xf_b", xf_b)):
        if not isinstance(xf, Transform):
            raise InvalidInputError(field, "a Transform", xf)
