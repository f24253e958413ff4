"""Exact witnesses: that two cores share a point, are nearer than a bound, or are as far apart as this.

A core is a list of corners in whole numbers (`exact`), counter-clockwise, both cores over the same power of two; one corner is a point, two
are a segment. Whoever finds a witness may round, for it is checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.compare.proofs.exact import Corner, aligned, bits_of, real, whole

__all__ = ["core_gap", "holds", "nearest_features", "share_point"]

_PLACE_BITS = 60
"""A place on a segment is rounded to a 2^60th of it: finer than float64 knows it."""


def holds(core: Sequence[Corner], point: Corner) -> bool:
    """Tell whether a point lies in a core with an area."""
    x, y = point
    after = [*core[1:], core[0]]
    return all((bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0 for (ax, ay), (bx, by) in zip(core, after, strict=True))


def share_point(core_a: Sequence[Corner], core_b: Sequence[Corner], bits: int) -> bool:
    """Tell whether two cores, one of which has an area, share a point that was found; False where none was."""
    thin, other = (core_a, core_b) if len(core_a) <= len(core_b) else (core_b, core_a)
    if len(thin) == 1:
        return holds(other, thin[0])
    found = _point_in_both(_floats(thin, bits), _floats(other, bits))
    if found is None:
        return False
    if len(thin) > 2:
        # the numbers may have more digits than the corners
        point_bits = max(bits, bits_of(*found))
        point = (whole(found[0], point_bits), whole(found[1], point_bits))
        return all(holds(aligned(core, point_bits - bits), point) for core in (core_a, core_b))
    (ax, ay), (bx, by) = thin
    (start_x, start_y), (end_x, end_y) = _floats(thin, bits)
    ex, ey = end_x - start_x, end_y - start_y
    along = (ex * (found[0] - start_x) + ey * (found[1] - start_y)) / (ex * ex + ey * ey)
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
    best, found = math.inf, (core_a[0], core_b[0], core_b[0])
    for one, other in ((core_a, core_b), (core_b, core_a)):
        points, starts = _floats(one, bits), _floats(other, bits)
        for edge, ((ax, ay), (bx, by)) in enumerate(zip(starts, starts[1:] + starts[:1], strict=True)):
            ex, ey = bx - ax, by - ay
            length_sq = ex * ex + ey * ey
            for at, (x, y) in enumerate(points):
                wx, wy = x - ax, y - ay
                share = min(1.0, max(0.0, (wx * ex + wy * ey) / length_sq)) if length_sq > 0.0 else 0.0
                wx, wy = wx - share * ex, wy - share * ey
                distance_sq = wx * wx + wy * wy
                if distance_sq < best:
                    best, found = distance_sq, (one[at], other[edge], other[(edge + 1) % len(other)])
    return found


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
    nx, ny = (whole(number, normal_bits) for number in normal)
    along_a, along_b = ([nx * x + ny * y for x, y in core] for core in (core_a, core_b))
    gap = max(min(along_b) - max(along_a), min(along_a) - max(along_b))
    return max(0.0, real(gap, normal_bits + bits) / length)


def _floats(core: Sequence[Corner], bits: int) -> list[tuple[float, float]]:
    return [(real(x, bits), real(y, bits)) for x, y in core]
