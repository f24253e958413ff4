"""Exact arithmetic on float64 numbers without fractions: whole numbers over one power of two.

A float is a whole number over a power of two. Bring the numbers of a question over the largest of these powers, 2^bits, and sums and
products are those of Python's integers, which do not round; a fraction would look for a common divisor after each of them, which takes ten
times as long. Only quotients leave the integers: they are compared crosswise, or kept as numerator and denominator.

    corner           x, y       of  (x / 2^bits, y / 2^bits)
    squared length   n          of  n / 4^bits
    squared distance n, d       of  n / d / 4^bits, from a line whose squared length is d
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

__all__ = ["Corner", "aligned", "bits_of", "distance_sq", "is_within", "placed", "real", "segment_distance_sq", "whole"]

Corner: TypeAlias = tuple[int, int]


def bits_of(*numbers: float) -> int:
    """Return the least power of two over which all numbers are whole."""
    return max((number.as_integer_ratio()[1].bit_length() for number in numbers), default=1) - 1


def whole(number: float, bits: int) -> int:
    """Return a number times 2^bits, which must be whole."""
    numerator, denominator = number.as_integer_ratio()
    return numerator << (bits + 1 - denominator.bit_length())


def real(number: int, bits: int) -> float:
    """Return number / 2^bits, rounded once."""
    return number / (1 << bits)


def placed(vertices: Sequence[Sequence[float]], x: float, y: float, cos: float, sin: float) -> tuple[list[Corner], int]:
    """Turn and move vertices; return corners and their bits."""
    bits_local, bits_turn = bits_of(*(number for vertex in vertices for number in vertex)), bits_of(cos, sin)
    bits = max(bits_local + bits_turn, bits_of(x, y))
    up = bits - bits_local - bits_turn
    c, s = whole(cos, bits_turn) << up, whole(sin, bits_turn) << up
    x0, y0 = whole(x, bits), whole(y, bits)
    corners = []
    for vx, vy in vertices:
        u, v = whole(vx, bits_local), whole(vy, bits_local)
        corners.append((c * u - s * v + x0, s * u + c * v + y0))
    return corners, bits


def aligned(core: Sequence[Corner], bits: int) -> list[Corner]:
    """Return the corners over a power of two larger by `bits`."""
    return [(x << bits, y << bits) for x, y in core] if bits else list(core)


def segment_distance_sq(point: Corner, start: Corner, end: Corner) -> tuple[int, int]:
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


def distance_sq(core_a: Sequence[Corner], core_b: Sequence[Corner]) -> tuple[int, int]:
    """Return the squared distance of two convex cores over the same bits, as a quotient; 0 where they overlap.

    They overlap exactly when no edge of either parts them, provided that one of them has an area; a cross product's sign needs no unit
    normal. Points and segments without area are told apart by their distance alone; two segments, which Box2D does not collide,
    are not asked about.
    """
    if max(len(core_a), len(core_b)) > 2:
        if not any(len(one) > 1 and _is_parted(one, other) for one, other in ((core_a, core_b), (core_b, core_a))):
            return 0, 1
    nearest, over = -1, 1
    for one, other in ((core_a, core_b), (core_b, core_a)):
        after = [*one[1:], one[0]]
        for point in other:
            for start, end in zip(one, after, strict=True):
                square, length_sq = segment_distance_sq(point, start, end)
                if nearest < 0 or square * over < nearest * length_sq:
                    nearest, over = square, length_sq
    return nearest, over


def is_within(square: tuple[int, int], bits: int, bound: float) -> bool:
    """Tell whether a squared distance is not above that of `bound`, which is not negative."""
    bound_bits = bits_of(bound)
    limit = whole(bound, bound_bits)
    return square[0] << (2 * bound_bits) <= (limit * limit * square[1]) << (2 * bits)


def _is_parted(polygon: Sequence[Corner], others: Sequence[Corner]) -> bool:
    """Tell whether all others lie beyond one of the edges of a polygon, counter-clockwise."""
    for (ax, ay), (bx, by) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        ex, ey = bx - ax, by - ay
        if all(ey * (x - ax) - ex * (y - ay) > 0 for x, y in others):
            return True
    return False
