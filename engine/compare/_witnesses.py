"""Witnesses in rational arithmetic: that two cores share a point, are nearer than a bound, or are as far apart as this.

A core is a list of corners in fractions, counter-clockwise; one corner is a point, two are a segment. Whoever finds a witness may round,
for it is checked exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

import numpy as np

__all__ = ["Corner", "core_gap", "holds", "is_nearer", "nearest_features", "point_in_both"]

Corner: TypeAlias = tuple[Fraction, Fraction]


def holds(core: list[Corner], point: Corner) -> bool:
    """Tell whether a point lies in a core with an area."""
    x, y = point
    after = core[1:] + core[:1]
    return all((bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0 for (ax, ay), (bx, by) in zip(core, after, strict=True))


def point_in_both(thin: list[Corner], other: list[Corner]) -> Corner | None:
    """Propose a point in both, the middle of what is left of one core cut by the edges of the other; None where nothing is left.

    A point of a segment is exactly on it, for only its place along is rounded.
    """
    left = [(float(x), float(y)) for x, y in thin]
    cutting = [(float(x), float(y)) for x, y in other]
    for (cx, cy), (dx, dy) in zip(cutting, cutting[1:] + cutting[:1], strict=True):
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
    middle = tuple(Fraction(math.fsum(point[k] for point in left) / len(left)) for k in range(2))
    if len(thin) > 2:
        return middle[0], middle[1]
    (ax, ay), (bx, by) = thin
    ex, ey = bx - ax, by - ay
    along = float((ex * (middle[0] - ax) + ey * (middle[1] - ay)) / (ex * ex + ey * ey))
    place = Fraction(min(1.0, max(0.0, along)))
    return ax + place * ex, ay + place * ey


def nearest_features(core_a: list[Corner], core_b: list[Corner]) -> tuple[Corner, Corner, Corner]:
    """Return the corner and the two ends of the edge that look nearest in float64: a proposal, to be checked."""
    best, found = math.inf, (core_a[0], core_b[0], core_b[0])
    for one, other in ((core_a, core_b), (core_b, core_a)):
        points = np.array([(float(x), float(y)) for x, y in one])
        starts = np.array([(float(x), float(y)) for x, y in other])
        edges = np.roll(starts, -1, axis=0) - starts
        length_sq = np.maximum((edges * edges).sum(axis=1), np.finfo(np.float64).tiny)
        away = points[:, None] - starts[None]
        share = np.clip((away * edges).sum(axis=2) / length_sq, 0.0, 1.0)
        distance_sq = ((away - share[:, :, None] * edges) ** 2).sum(axis=2)
        at, edge = divmod(int(distance_sq.argmin()), len(other))
        if distance_sq[at, edge] < best:
            best, found = float(distance_sq[at, edge]), (one[at], other[edge], other[(edge + 1) % len(other)])
    return found


def is_nearer(point: Corner, start: Corner, end: Corner, bound: Fraction) -> bool:
    """Tell whether a point is nearer to a segment than `bound`, by one place on it."""
    ex, ey, px, py = end[0] - start[0], end[1] - start[1], point[0] - start[0], point[1] - start[1]
    length_sq = ex * ex + ey * ey
    # any point of the edge will do, so its place may be rounded
    share = Fraction(min(1.0, max(0.0, float((px * ex + py * ey) / length_sq)))) if length_sq else Fraction(0)
    px, py = px - share * ex, py - share * ey
    return px * px + py * py <= bound * bound


def core_gap(core_a: list[Corner], core_b: list[Corner]) -> float:
    """Return a lower bound of the distance of two cores, sharp to float64: their gap along the line between the nearest features.

    Any direction gives a bound, so the direction may be rounded; along it everything is exact. 0 where none parts them.
    """
    (px, py), (ax, ay), (bx, by) = nearest_features(core_a, core_b)
    ex, ey, wx, wy = float(bx - ax), float(by - ay), float(px - ax), float(py - ay)
    length_sq = ex * ex + ey * ey
    share = min(1.0, max(0.0, (wx * ex + wy * ey) / length_sq)) if length_sq else 0.0
    nx, ny = Fraction(wx - share * ex), Fraction(wy - share * ey)
    length = math.hypot(nx, ny)
    if length == 0.0:
        return 0.0
    along_a, along_b = ([nx * x + ny * y for x, y in core] for core in (core_a, core_b))
    return max(0.0, float(max(min(along_b) - max(along_a), min(along_a) - max(along_b))) / length)
