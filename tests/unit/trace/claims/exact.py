"""On which side of a line a point lies, decided in fractions where floats are not sure: what the hulls' claims are judged by."""

from __future__ import annotations

from fractions import Fraction


def turn(p, q, r):
    """Return 1 where r lies left of the line from p to q, -1 right of it, 0 on it."""
    left, right = (q[0] - p[0]) * (r[1] - p[1]), (q[1] - p[1]) * (r[0] - p[0])
    if abs(left - right) > 1e-12 * (abs(left) + abs(right)):
        return 1 if left > right else -1
    value = twice_area(p, q, r)
    return (value > 0) - (value < 0)


def twice_area(p, q, r):
    """Return the determinant itself."""
    (px, py), (qx, qy), (rx, ry) = (tuple(map(Fraction, point)) for point in (p, q, r))
    return (qx - px) * (ry - py) - (qy - py) * (rx - px)


def is_hull_of(corners, points):
    """Tell whether a ring turns left at each corner, and no point lies right of any edge."""
    n = len(corners)
    edges = [(corners[k], corners[(k + 1) % n]) for k in range(n)]
    strict = all(turn(p, q, corners[(k + 2) % n]) == 1 for k, (p, q) in enumerate(edges))
    return strict and all(turn(p, q, point) >= 0 for p, q in edges for point in points)
