"""Queries about two shapes at rest.

World frame, meters, radians. Shapes are closed and solid, their radii and skins part of them. Everything is checked here, and the
kernels are loaded by the first question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.query._checking import check_pair

if TYPE_CHECKING:
    from engine.contracts import ContactSet, DistanceResult, Manifold, PenetrationResult
    from engine.geometry import AnyShape, Transform
    from engine.narrowphase.rules import Rule

__all__ = ["contact_set", "distance", "manifold", "overlap", "penetration"]


def overlap(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> bool:
    """Return True if two shapes share a point, radii and skins included; a touch within rounding and containment count.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> overlap(Circle(1.0), Transform(), Circle(1.0), Transform((2.0, 0.0)))
    True
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import sat

    return sat.overlap(a, xf_a, b, xf_b)


def manifold(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, rule: Rule = "exact") -> Manifold:
    """Return normal (A to B) and contact points of two shapes; see `engine.narrowphase.manifold.manifold`.

    Between two polygons skins are square at the corners, by either rule, for separations are measured along a face's normal: corner to
    corner a contact begins up to sqrt 2 as far out as for `overlap`, `distance`, `penetration` and `contact_set`, whose skins are round.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one, the rule is neither "exact" nor "box2d", or it is "box2d" and Box2D does not collide the two.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> manifold(Circle(1.0), Transform(), Circle(1.0), Transform((1.5, 0.0))).points[0].separation
    -0.5
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import manifold as chapter

    return chapter.manifold(a, xf_a, b, xf_b, rule)


def distance(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> DistanceResult:
    """Return the gap between two shapes, radii and skins included, with the nearest points; see `engine.narrowphase.gjk.distance`.

    Where the cores overlap, `separation` is minus both radii, a bound, and normal and points are None: ask `penetration`.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> found = distance(Circle(1.0), Transform(), Circle(1.0), Transform((5.0, 0.0)))
    >>> found.separation, found.point_a, found.point_b, found.normal
    (3.0, (1.0, 0.0), (4.0, 0.0), (1.0, 0.0))
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import gjk

    return gjk.distance(a, xf_a, b, xf_b)


def penetration(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> PenetrationResult:
    """Return the shortest translation that separates two shapes, radii and skins included; see `engine.narrowphase.epa.penetration`.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> found = penetration(Circle(1.0), Transform(), Circle(1.0), Transform((1.5, 0.0)))
    >>> found.status.name, found.depth, found.normal
    ('OVERLAPPING', 0.5, (1.0, 0.0))
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import epa

    return epa.penetration(a, xf_a, b, xf_b)


def contact_set(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> ContactSet:
    """Return the point or the segment where two shapes touch; see `engine.narrowphase.contact_set.contact_set`.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> found = contact_set(Circle(1.0), Transform(), Circle(2.0), Transform((3.0, 0.0)))
    >>> found.status.name, found.normal, found.points
    ('TOUCHING', (1.0, 0.0), ((1.0, 0.0),))
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import contact_set as chapter

    return chapter.contact_set(a, xf_a, b, xf_b)
