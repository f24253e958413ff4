"""The correct answer, in exact arithmetic on the numbers passed to the function.

All answers follow from one quantity. The *separation* of two shapes along a direction d is the gap between their projections on it,

    s(d) = ( min over B of d.b  -  max over A of d.a ) / |d|  -  radius_a - radius_b

negative if the projections overlap. The maximum of the separation over all directions is the distance of the shapes, or minus the depth of
their overlap; its direction is the normal from A to B. Few directions are candidates, because between two of them the extreme corners stay
the same and s is a cosine, whose only maximum is in its own direction::

    edges        the normals of A's edges, and the reversed normals of B's
    corners      from a corner (or center) of A to one of B: only if one shape is round, or for the distance of two polygons

All candidates are evaluated, which is slow but simple. Coordinates are integers after multiplication by a power of two, and so are all
products; only |d| is irrational. It is computed by an integer root with `_ROOT_BITS` fractional bits, so that a separation is exact to
2**-90 m; float64 has 2**-50.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from engine.check.plain import PlainPair, PlainShape, core_of
from engine.geometry.exact.cores import Core

__all__ = ["Direction", "Truth", "direction_of", "is_between", "is_in", "support_separation", "unit"]

Direction: TypeAlias = tuple[int, int]
"""A direction of any length except 0."""

_ROOT_BITS = 128
_VALUE_BITS = 100


class Truth:
    """The correct answers for one pair.

    Parameters
    ----------
    pair : PlainPair
        Convex, counter-clockwise.
    with_corners : bool
        True if directions between corners are also tried for two polygons; the distance needs them, the overlap does not.

    Attributes
    ----------
    separation : Fraction
        Meters; negative when overlapping. Without `with_corners`, the separation of the best edge for separated polygons.
    """

    def __init__(self, pair: PlainPair, with_corners: bool = False) -> None:
        (core_a, radius_a), (core_b, radius_b) = core_of(pair.a), core_of(pair.b)
        both = Core.of([*core_a, *core_b, (radius_a, radius_b)])
        self._bits, self._radii = both.bits, sum(both.corners.pop())
        self._a, self._b = both.corners[: len(core_a)], both.corners[len(core_a) :]
        is_round = len(core_a) == 1 or len(core_b) == 1
        self._ways = [(self.along(direction), direction) for direction in self._directions(with_corners or is_round)]
        self.separation = max(separation for separation, _ in self._ways)

    def along(self, direction: Direction) -> Fraction:
        """Return the separation along a direction."""
        dx, dy = direction
        gap = min([dx * x + dy * y for x, y in self._b]) - max([dx * x + dy * y for x, y in self._a])
        root = math.isqrt((dx * dx + dy * dy) << (2 * _ROOT_BITS))
        value = (gap << (_ROOT_BITS + _VALUE_BITS)) // root - (self._radii << _VALUE_BITS)
        return Fraction(value, 1 << (self._bits + _VALUE_BITS))

    def best(self, slack: float = 0.0) -> list[Direction]:
        """Return the directions whose separation is within `slack` meters of the largest; for concentric circles, an arbitrary one."""
        least = self.separation - Fraction(slack)
        return [direction for separation, direction in self._ways if separation >= least]

    def best_normal(self) -> tuple[float, float]:
        """Return a unit vector along the largest separation, in float64."""
        return unit(max(self._ways, key=lambda way: way[0])[1])

    def _directions(self, with_corners: bool) -> list[Direction]:
        normals = [(y1 - y0, x0 - x1) for (x0, y0), (x1, y1) in _edges(self._a)]
        normals += [(y0 - y1, x1 - x0) for (x0, y0), (x1, y1) in _edges(self._b)]
        if with_corners:
            normals += [(bx - ax, by - ay) for ax, ay in self._a for bx, by in self._b]
        kept = [normal for normal in normals if normal != (0, 0)]
        return kept or [(1, 0)]  # concentric circles


def direction_of(x: float, y: float) -> Direction | None:
    """Return a vector of floats as integers with the same direction; None for the zero vector."""
    if x == 0.0 and y == 0.0:
        return None
    return Core.of([(x, y)]).corners[0]


def unit(direction: Direction) -> tuple[float, float]:
    """Return the unit vector in float64."""
    x, y = direction
    shift = max(0, max(abs(x), abs(y)).bit_length() - 60)
    fx, fy = float(x >> shift), float(y >> shift)
    length = math.hypot(fx, fy)
    return fx / length, fy / length


def support_separation(pair: PlainPair, nx: float, ny: float) -> float:
    """Return the separation along a unit vector, in float64."""
    (core_a, radius_a), (core_b, radius_b) = core_of(pair.a), core_of(pair.b)
    return min([nx * x + ny * y for x, y in core_b]) - max([nx * x + ny * y for x, y in core_a]) - radius_a - radius_b


def is_between(pair: PlainPair, x: Any, y: Any, dx: Any, dy: Any, slack: Any, number: Any = float) -> bool:
    """Return True if a point lies between the two surfaces along the direction (dx, dy): behind A's, before B's, and within both extents.

    That is, the point is in A swept along the direction and in B swept against it, at most `slack` meters outside an edge. This region
    contains the common points of both shapes and those of a manifold, on either surface or midway. `number` converts all coordinates to
    float or Fraction.
    """
    return _in_drawn_out(pair.a, x, y, -dx, -dy, slack, number) and _in_drawn_out(pair.b, x, y, dx, dy, slack, number)


def is_in(shape: PlainShape, point: Sequence[float], slack: Fraction) -> bool:
    """Return True if a point is in a shape, or at most `slack` meters outside an edge."""
    x, y = Fraction(point[0]), Fraction(point[1])
    corners, radius = core_of(shape)
    if len(corners) == 1:
        (cx, cy), reach = corners[0], Fraction(radius) + slack
        return (x - Fraction(cx)) ** 2 + (y - Fraction(cy)) ** 2 <= reach * reach
    for (px, py), (qx, qy) in _edges(corners):
        mx, my = Fraction(qy) - Fraction(py), Fraction(px) - Fraction(qx)
        beyond = mx * (x - Fraction(px)) + my * (y - Fraction(py))
        if beyond > 0 and beyond * beyond > slack * slack * (mx * mx + my * my):
            return False
    return True


def _in_drawn_out(shape: Any, x: Any, y: Any, dx: Any, dy: Any, slack: Any, number: Any) -> bool:
    """Return True if a point lies in the region that a shape sweeps when it moves forever along (dx, dy).

    ::

              ____ ....            the edges that face against the direction stay,
             |    |    ->          and two lines through the outermost corners bound the rest
              \\___|....
    """
    corners, radius = core_of(shape)
    world = [(number(px), number(py)) for px, py in corners]
    length_sq = dx * dx + dy * dy
    if len(world) == 1:
        rx, ry, reach = x - world[0][0], y - world[0][1], number(radius) + slack
        if rx * dx + ry * dy < 0:
            return bool(rx * rx + ry * ry <= reach * reach)
        aside = rx * dy - ry * dx
        return bool(aside * aside <= reach * reach * length_sq)
    aside = dx * y - dy * x
    sides = [dx * py - dy * px for px, py in world]
    if not (_at_most(min(sides) - aside, slack, length_sq) and _at_most(aside - max(sides), slack, length_sq)):
        return False
    for (px, py), (qx, qy) in _edges(world):
        mx, my = qy - py, px - qx
        if mx * dx + my * dy < 0 and not _at_most(mx * (x - px) + my * (y - py), slack, mx * mx + my * my):
            return False
    return True


def _at_most(value: Any, slack: Any, length_sq: Any) -> bool:
    """Return ``value <= slack * length`` without a root."""
    return bool(value <= 0 or value * value <= slack * slack * length_sq)


def _edges(core: Any) -> list[Any]:
    return [] if len(core) == 1 else list(zip(core, core[1:] + core[:1], strict=True))
