"""What makes a pair simpler to look at: fewer digits, corners that are plainly corners. For whoever makes a failing pair small."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["APART", "GRIDS", "digits", "is_on_edge", "is_plain_polygon", "rounded"]

Point = tuple[float, float]

GRIDS = (1.0, 0.5, 0.25, 0.2, 0.1, 0.05, 0.01)
"""Metres, of numbers to round to; a pair is brought to a size of some metres first."""

APART = 0.04
"""Share of the smaller shape's extent that corners keep from the other's edges, and centres from each other: a corner on an edge looks
like the reason."""

_SHORTEST_EDGE = 0.1
_LEAST_TURN = 0.1
"""Of the polygons tried: an edge against the shape's extent, and the sine between neighbouring edges. Flatter ones look like mistakes."""


def digits(value: float) -> int:
    """Return how many characters a number takes; none for zero, and its sign is free.

    Examples
    --------
    >>> [digits(value) for value in (0.0, -2.0, 0.25)]
    [0, 1, 4]
    """
    return 0 if value == 0.0 else len(repr(abs(value)).removesuffix(".0"))


def rounded(value: float, grid: float) -> float:
    """Return the multiple of `grid` next to a value, with as few digits as it has; never a negative zero.

    Examples
    --------
    >>> rounded(0.333, 0.05), rounded(-0.1, 1.0)
    (0.35, 0.0)
    """
    return round(round(value / grid) * grid, 6) + 0.0


def is_plain_polygon(corners: Sequence[Point], farthest: float) -> bool:
    """Tell whether corners go once round a convex shape, counter-clockwise, nowhere thin or nearly straight, and near the origin."""
    edges = [(qx - px, qy - py) for (px, py), (qx, qy) in zip(corners, [*corners[1:], corners[0]], strict=True)]
    lengths = [math.hypot(*edge) for edge in edges]
    if min(lengths) <= 0.0 or min(lengths) < _SHORTEST_EDGE * max(lengths) or max(max(abs(x), abs(y)) for x, y in corners) > farthest:
        return False
    around = 0.0
    for k, (ex, ey) in enumerate(edges):
        before, length = edges[k - 1], lengths[k] * lengths[k - 1]
        cross, dot = before[0] * ey - before[1] * ex, before[0] * ex + before[1] * ey
        if cross < _LEAST_TURN * length:
            return False
        around += math.atan2(cross, dot)
    return around < 3.0 * math.pi  # once round, not twice


def is_on_edge(point: Point, corners: Sequence[Point], near: float) -> bool:
    """Tell whether a point lies on an edge or corner of a closed outline, for the eye; a circle has its centre."""
    for (px, py), (qx, qy) in zip(corners, [*corners[1:], corners[0]], strict=True):
        ex, ey = qx - px, qy - py
        length_sq = ex * ex + ey * ey
        share = min(1.0, max(0.0, ((point[0] - px) * ex + (point[1] - py) * ey) / length_sq)) if length_sq > 0.0 else 0.0
        if math.hypot(point[0] - px - share * ex, point[1] - py - share * ey) < near:
            return True
    return False
