"""Convex cores with exact coordinates: their placement, their distance, and witnesses for it.

A float is a whole number over a power of two. With all numbers of a question over the largest of these powers, 2^bits, sums and products
are those of Python's integers, which do not round. A fraction would look for a common divisor after each operation, which takes ten times
as long. Only quotients are returned as fractions.

A core lists its corners counter-clockwise; one corner is a point, two are a segment. A *witness* shows that two cores share a point, or are
nearer than a bound. It may be proposed by rounded arithmetic because it is checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

__all__ = [
    "Core",
    "Corner",
    "aligned",
    "bits_of",
    "core_gap",
    "distance_sq",
    "holds",
    "real",
    "share_point",
    "to_int",
    "witness_distance_sq",
]

Corner: TypeAlias = tuple[int, int]

_PLACE_BITS = 60
"""A witness on a segment is rounded to a 2^60th of it: finer than float64 knows it."""


def bits_of(*numbers: float) -> int:
    """Return the least power of two over which all numbers are whole."""
    return max((number.as_integer_ratio()[1].bit_length() for number in numbers), default=1) - 1


def to_int(number: float, bits: int) -> int:
    """Return a number times 2^bits, which must be whole."""
    numerator, denominator = number.as_integer_ratio()
    return numerator << (bits + 1 - denominator.bit_length())


def real(number: int, bits: int) -> float:
    """Return number / 2^bits, rounded once."""
    return number / (1 << bits)


class Core(NamedTuple):
    """A convex core: the corners (x, y) are at x / 2^bits and y / 2^bits, meters."""

    corners: list[Corner]
    bits: int

    @classmethod
    def of(cls, vertices: Sequence[Sequence[float]], bits: int = 0) -> Core:
        """Return the core with these vertices over 2^bits, or a larger power of two if they need it."""
        bits = max(bits, bits_of(*(number for vertex in vertices for number in vertex)))
        return cls([(to_int(x, bits), to_int(y, bits)) for x, y in vertices], bits)

    @classmethod
    def placed(cls, vertices: Sequence[Sequence[float]], x: float, y: float, cos: float, sin: float) -> Core:
        """Return the core with these vertices, turned and moved."""
        local, bits_turn = cls.of(vertices), bits_of(cos, sin)
        bits = max(local.bits + bits_turn, bits_of(x, y))
        up = bits - local.bits - bits_turn
        c, s, x0, y0 = to_int(cos, bits_turn) << up, to_int(sin, bits_turn) << up, to_int(x, bits), to_int(y, bits)
        return cls([(c * u - s * v + x0, s * u + c * v + y0) for u, v in local.corners], bits)

    @property
    def edges(self) -> list[tuple[Corner, Corner]]:
        """Both ends of each edge, the closing one included; of a point the point twice."""
        return list(zip(self.corners, self.corners[1:] + self.corners[:1], strict=True))

    @property
    def floats(self) -> list[tuple[float, float]]:
        """The corners, each number rounded once, meters."""
        return [(real(x, self.bits), real(y, self.bits)) for x, y in self.corners]

    @property
    def fractions(self) -> list[tuple[Fraction, Fraction]]:
        """The corners, meters."""
        return [(Fraction(x, 1 << self.bits), Fraction(y, 1 << self.bits)) for x, y in self.corners]

    def over(self, bits: int) -> Core:
        """Return the same core over 2^bits, which must not be smaller."""
        more = bits - self.bits
        return Core([(x << more, y << more) for x, y in self.corners], bits) if more else self


def aligned(a: Core, b: Core) -> tuple[Core, Core]:
    """Return two cores over the same power of two."""
    bits = max(a.bits, b.bits)
    return a.over(bits), b.over(bits)


def distance_sq(a: Core, b: Core) -> Fraction:
    """Return the squared distance of two convex cores, square meters; 0 where they overlap.

    They overlap exactly when no edge of either parts them, provided that one of them has an area; a cross product's sign needs no unit
    normal. A point and a segment, or two points, have only their distance; two segments, which Box2D does not collide, are not
    supported.
    """
    a, b = aligned(a, b)
    sides = (a, b), (b, a)
    if max(len(a.corners), len(b.corners)) > 2 and not any(len(core.corners) > 1 and _is_parted(core, other) for core, other in sides):
        return Fraction(0)
    nearest, over = -1, 1
    for core, other in sides:
        edges = core.edges
        for point in other.corners:
            for edge in edges:
                square, length_sq = _segment_distance_sq(point, *edge)
                if nearest < 0 or square * over < nearest * length_sq:
                    nearest, over = square, length_sq
    return Fraction(nearest, over << (2 * a.bits))


def _segment_distance_sq(point: Corner, start: Corner, end: Corner) -> tuple[int, int]:
    """Return the squared distance of a point from a segment, as a quotient."""
    ex, ey, px, py = end[0] - start[0], end[1] - start[1], point[0] - start[0], point[1] - start[1]
    along, length_sq = px * ex + py * ey, ex * ex + ey * ey
    if along <= 0:
        return px * px + py * py, 1
    if along >= length_sq:
        px, py = px - ex, py - ey
        return px * px + py * py, 1
    across = px * ey - py * ex
    return across * across, length_sq


def _is_parted(polygon: Core, others: Core) -> bool:
    """Return True if all others lie beyond one of the edges of a polygon, counter-clockwise."""
    for (ax, ay), (bx, by) in polygon.edges:
        ex, ey = bx - ax, by - ay
        if all(ey * (x - ax) - ex * (y - ay) > 0 for x, y in others.corners):
            return True
    return False


# --- Witnesses


def holds(core: Core, point: Core) -> bool:
    """Return True if a point lies in a core with an area."""
    core, point = aligned(core, point)
    ((x, y),) = point.corners
    return all((bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0 for (ax, ay), (bx, by) in core.edges)


def share_point(a: Core, b: Core) -> bool:
    """Return True if a point was found that two cores share, one of which has an area."""
    thin, other = (a, b) if len(a.corners) <= len(b.corners) else (b, a)
    if len(thin.corners) == 1:
        return holds(other, thin)
    common = _point_in_both(thin.floats, other.floats)
    if common is None:
        return False
    if len(thin.corners) > 2:
        return all(holds(core, Core.of([common])) for core in (a, b))
    (ax, ay), (bx, by) = thin.corners
    (start_x, start_y), (end_x, end_y) = thin.floats
    ex, ey = end_x - start_x, end_y - start_y
    along = (ex * (common[0] - start_x) + ey * (common[1] - start_y)) / (ex * ex + ey * ey)
    # a point of the segment is exactly on it, for only its place along is rounded
    place = round(min(1.0, max(0.0, along)) * (1 << _PLACE_BITS))
    point = (ax << _PLACE_BITS) + place * (bx - ax), (ay << _PLACE_BITS) + place * (by - ay)
    return holds(other, Core([point], thin.bits + _PLACE_BITS))


def _point_in_both(thin: list[tuple[float, float]], other: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Return a proposed point in both: the middle of one core clipped by the edges of the other; None if nothing is left."""
    left = thin
    for (cx, cy), (dx, dy) in zip(other, other[1:] + other[:1], strict=True):
        inside = [(dx - cx) * (y - cy) - (dy - cy) * (x - cx) for x, y in left]
        kept: list[tuple[float, float]] = []
        n_sides = len(left) if len(left) > 2 else 1
        for at in range(n_sides):
            (x0, y0), (x1, y1), in0, in1 = left[at], left[(at + 1) % len(left)], inside[at], inside[(at + 1) % len(left)]
            if in0 >= 0.0:
                kept.append((x0, y0))
            if (in0 > 0.0 > in1) or (in0 < 0.0 < in1):
                share = in0 / (in0 - in1)
                kept.append((x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
            if n_sides == 1 and in1 >= 0.0:
                kept.append((x1, y1))
        left = kept
        if len(left) < 2:
            return None
    return math.fsum(x for x, _ in left) / len(left), math.fsum(y for _, y in left) / len(left)


def witness_distance_sq(a: Core, b: Core) -> Fraction:
    """Return an upper bound of `distance_sq`: the squared distance of the corner and the edge that look nearest in float64."""
    a, b = aligned(a, b)
    square, over = _segment_distance_sq(*_nearest_features(a, b))
    return Fraction(square, over << (2 * a.bits))


def _nearest_features(a: Core, b: Core) -> tuple[Corner, Corner, Corner]:
    """Return the corner and both ends of the edge that are nearest according to float64; the caller must check them."""
    best, nearest = math.inf, (a.corners[0], b.corners[0], b.corners[0])
    floats = a.floats, b.floats
    for core, other, points, starts in ((a, b, *floats), (b, a, *floats[::-1])):
        for edge, ((ax, ay), (bx, by)) in enumerate(zip(starts, starts[1:] + starts[:1], strict=True)):
            ex, ey = bx - ax, by - ay
            length_sq = ex * ex + ey * ey
            for at, (x, y) in enumerate(points):
                wx, wy = x - ax, y - ay
                share = min(1.0, max(0.0, (wx * ex + wy * ey) / length_sq)) if length_sq > 0.0 else 0.0
                wx, wy = wx - share * ex, wy - share * ey
                distance_sq = wx * wx + wy * wy
                if distance_sq < best:
                    best, nearest = distance_sq, (core.corners[at], other.corners[edge], other.corners[(edge + 1) % len(starts)])
    return nearest


def core_gap(a: Core, b: Core) -> float:
    """Return a lower bound of the distance of two cores, sharp to float64: their gap along the line between the nearest features.

    Any direction gives a bound, so the direction may be rounded; along it everything is exact. 0 where none parts them.
    """
    a, b = aligned(a, b)
    (px, py), (ax, ay), (bx, by) = _nearest_features(a, b)
    ex, ey, wx, wy = (real(number, a.bits) for number in (bx - ax, by - ay, px - ax, py - ay))
    length_sq = ex * ex + ey * ey
    share = min(1.0, max(0.0, (wx * ex + wy * ey) / length_sq)) if length_sq else 0.0
    normal = wx - share * ex, wy - share * ey
    length = math.hypot(*normal)
    if length == 0.0:
        return 0.0
    direction = Core.of([normal])
    ((nx, ny),) = direction.corners
    along_a, along_b = ([nx * x + ny * y for x, y in core.corners] for core in (a, b))
    gap = max(min(along_b) - max(along_a), min(along_a) - max(along_b))
    return max(0.0, real(gap, direction.bits + a.bits) / length)
