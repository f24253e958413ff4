"""Exact arithmetic on float64 numbers without fractions: whole numbers over one power of two.

A float is a whole number over a power of two. Bring the numbers of a question over the largest of these powers, 2^bits, and sums and
products are those of Python's integers, which do not round; a fraction would look for a common divisor after each of them, which takes ten
times as long. Only quotients leave the integers: they are compared crosswise, or kept as numerator and denominator.

    corner           x, y       of  (x / 2^bits, y / 2^bits)
    squared length   n          of  n / 4^bits
    squared distance n, d       of  n / d / 4^bits, from a line whose squared length is d

A core is a list of corners, counter-clockwise, two cores of one question over the same power of two; one corner is a point, two are a
segment. That two cores share a point, or are nearer than a bound, is shown by a *witness*, which may be found by rounding, for it is
checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

__all__ = [
    "Corner",
    "aligned",
    "bits_of",
    "core_gap",
    "distance_sq",
    "holds",
    "is_within",
    "nearest_features",
    "placed",
    "real",
    "segment_distance_sq",
    "share_point",
    "to_int",
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


def placed(vertices: Sequence[Sequence[float]], x: float, y: float, cos: float, sin: float) -> tuple[list[Corner], int]:
    """Turn and move vertices; return corners and their bits."""
    bits_local, bits_turn = bits_of(*(number for vertex in vertices for number in vertex)), bits_of(cos, sin)
    bits = max(bits_local + bits_turn, bits_of(x, y))
    up = bits - bits_local - bits_turn
    c, s = to_int(cos, bits_turn) << up, to_int(sin, bits_turn) << up
    x0, y0 = to_int(x, bits), to_int(y, bits)
    corners = []
    for vx, vy in vertices:
        u, v = to_int(vx, bits_local), to_int(vy, bits_local)
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
    normal. Points and segments without area are separated by their distance alone; two segments, which Box2D does not collide,
    are not asked about.
    """
    if max(len(core_a), len(core_b)) > 2:
        if not any(len(core) > 1 and _is_parted(core, other) for core, other in ((core_a, core_b), (core_b, core_a))):
            return 0, 1
    nearest, over = -1, 1
    for core, other in ((core_a, core_b), (core_b, core_a)):
        after = [*core[1:], core[0]]
        for point in other:
            for start, end in zip(core, after, strict=True):
                square, length_sq = segment_distance_sq(point, start, end)
                if nearest < 0 or square * over < nearest * length_sq:
                    nearest, over = square, length_sq
    return nearest, over


def is_within(square: tuple[int, int], bits: int, bound: float) -> bool:
    """Return True if a squared distance is not above that of `bound`, which is not negative."""
    bound_bits = bits_of(bound)
    limit = to_int(bound, bound_bits)
    return square[0] << (2 * bound_bits) <= (limit * limit * square[1]) << (2 * bits)


def _is_parted(polygon: Sequence[Corner], others: Sequence[Corner]) -> bool:
    """Return True if all others lie beyond one of the edges of a polygon, counter-clockwise."""
    for (ax, ay), (bx, by) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        ex, ey = bx - ax, by - ay
        if all(ey * (x - ax) - ex * (y - ay) > 0 for x, y in others):
            return True
    return False


# --- Witnesses


def holds(core: Sequence[Corner], point: Corner) -> bool:
    """Return True if a point lies in a core with an area."""
    x, y = point
    after = [*core[1:], core[0]]
    return all((bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0 for (ax, ay), (bx, by) in zip(core, after, strict=True))


def share_point(core_a: Sequence[Corner], core_b: Sequence[Corner], bits: int) -> bool:
    """Return True if two cores, one of which has an area, share a point that was found; False where none was."""
    thin, other = (core_a, core_b) if len(core_a) <= len(core_b) else (core_b, core_a)
    if len(thin) == 1:
        return holds(other, thin[0])
    common = _point_in_both(_floats(thin, bits), _floats(other, bits))
    if common is None:
        return False
    if len(thin) > 2:
        # the numbers may have more digits than the corners
        point_bits = max(bits, bits_of(*common))
        point = (to_int(common[0], point_bits), to_int(common[1], point_bits))
        return all(holds(aligned(core, point_bits - bits), point) for core in (core_a, core_b))
    (ax, ay), (bx, by) = thin
    (start_x, start_y), (end_x, end_y) = _floats(thin, bits)
    ex, ey = end_x - start_x, end_y - start_y
    along = (ex * (common[0] - start_x) + ey * (common[1] - start_y)) / (ex * ex + ey * ey)
    # a point of the segment is exactly on it, for only its place along is rounded
    place = round(min(1.0, max(0.0, along)) * (1 << _PLACE_BITS))
    point = ((ax << _PLACE_BITS) + place * (bx - ax), (ay << _PLACE_BITS) + place * (by - ay))
    return holds(aligned(other, _PLACE_BITS), point)


def _point_in_both(thin: list[tuple[float, float]], other: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Propose a point in both, the middle of what is left of one core cut by the edges of the other; None where nothing is left."""
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


def nearest_features(core_a: Sequence[Corner], core_b: Sequence[Corner], bits: int) -> tuple[Corner, Corner, Corner]:
    """Return the corner and the two ends of the edge that look nearest in float64: a proposal, to be checked."""
    best, nearest = math.inf, (core_a[0], core_b[0], core_b[0])
    for core, other in ((core_a, core_b), (core_b, core_a)):
        points, starts = _floats(core, bits), _floats(other, bits)
        for edge, ((ax, ay), (bx, by)) in enumerate(zip(starts, starts[1:] + starts[:1], strict=True)):
            ex, ey = bx - ax, by - ay
            length_sq = ex * ex + ey * ey
            for at, (x, y) in enumerate(points):
                wx, wy = x - ax, y - ay
                share = min(1.0, max(0.0, (wx * ex + wy * ey) / length_sq)) if length_sq > 0.0 else 0.0
                wx, wy = wx - share * ex, wy - share * ey
                distance_sq = wx * wx + wy * wy
                if distance_sq < best:
                    best, nearest = distance_sq, (core[at], other[edge], other[(edge + 1) % len(other)])
    return nearest


def core_gap(core_a: Sequence[Corner], core_b: Sequence[Corner], bits: int) -> float:
    """Return a lower bound of the distance of two cores, sharp to float64: their gap along the line between the nearest features.

    Any direction gives a bound, so the direction may be rounded; along it everything is exact. 0 where none parts them.
    """
    (px, py), (ax, ay), (bx, by) = nearest_features(core_a, core_b, bits)
    ex, ey, wx, wy = (real(number, bits) for number in (bx - ax, by - ay, px - ax, py - ay))
    length_sq = ex * ex + ey * ey
    share = min(1.0, max(0.0, (wx * ex + wy * ey) / length_sq)) if length_sq else 0.0
    normal = wx - share * ex, wy - share * ey
    length = math.hypot(*normal)
    if length == 0.0:
        return 0.0
    normal_bits = bits_of(*normal)
    nx, ny = (to_int(number, normal_bits) for number in normal)
    along_a, along_b = ([nx * x + ny * y for x, y in core] for core in (core_a, core_b))
    gap = max(min(along_b) - max(along_a), min(along_a) - max(along_b))
    return max(0.0, real(gap, normal_bits + bits) / length)


def _floats(core: Sequence[Corner], bits: int) -> list[tuple[float, float]]:
    return [(real(x, bits), real(y, bits)) for x, y in core]
