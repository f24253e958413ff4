"""Points that are difficult for bounding volumes, and an exact containment test."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from engine.bounding import KDop, Volume
from engine.bounding.kdop import kdop_axes
from engine.common.rng import stream
from engine.geometry import AABB, Transform

__all__ = ["CLOUDS", "FAR", "POSES", "brute_force_circle_sq", "exact_world", "holds"]


def _clouds():
    rng = stream(0, "bounding clouds")
    turn = np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False)
    circle = np.column_stack((np.cos(turn), np.sin(turn)))
    line = np.linspace(-1.0, 1.0, 9)
    thin = np.column_stack((line, 1e-9 * rng.normal(size=9)))
    return {
        "one point": np.array([(0.3, -0.2)]),
        "one point twice": np.array([(0.3, -0.2), (0.3, -0.2)]),
        "two points": np.array([(-1.0, 0.3), (0.7, 0.1)]),
        "on a line": np.column_stack((0.1 * line, 0.3 * line)),
        "almost on a line": thin,
        "on a circle": circle,
        "square": np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
        "rod": np.array([(-3.0, -0.01), (3.0, -0.01), (3.0, 0.01), (-3.0, 0.01)]),
        "triangle": np.array([(0.0, 0.0), (4.0, 0.1), (1.0, 2.0)]),
        "obtuse": np.array([(0.0, 0.0), (4.0, 0.0), (2.0, 0.3)]),
        "cloud": rng.normal(size=(40, 2)) * (1.0, 0.4),
        "corner and one far": np.concatenate((0.01 * rng.normal(size=(20, 2)), [(5.0, 2.0)])),
        "millimetres": 1e-3 * rng.normal(size=(15, 2)),
        "kilometres": 1e3 * rng.normal(size=(15, 2)),
        "off the origin": rng.normal(size=(15, 2)) + (1e6, -3e5),
        "tiny edge": np.array([(0.0, 0.0), (1.0, 0.0), (1.0 + 1e-15, 1e-15), (1.5, 1.0), (0.2, 1.1)]),
    }


CLOUDS = _clouds()
FAR = Transform((3.0e6, -7.0e5), 2.5)
POSES = (Transform(), Transform((0.7, -2.0), 0.9), Transform((-40.0, 1.0e3), -30.0), FAR)


def exact_world(point, xf):
    """Return R p + t without rounding."""
    x, y, cos, sin = (Fraction(float(number)) for number in (*point, xf.cos, xf.sin))
    return cos * x - sin * y + Fraction(xf.position[0]), sin * x + cos * y + Fraction(xf.position[1])


def holds(volume, point, radius=0.0):
    """Return exactly whether the disc of `radius` around a point lies in a volume."""
    x, y = point
    r = Fraction(radius)
    if isinstance(volume, AABB):
        (x0, y0), (x1, y1) = volume.lower, volume.upper
        return x0 + r <= x <= x1 - r and y0 + r <= y <= y1 - r
    if isinstance(volume, KDop):
        for (ux, uy), low, high in zip(kdop_axes(volume.k).tolist(), volume.lower.tolist(), volume.upper.tolist(), strict=True):
            along, length_sq = Fraction(ux) * x + Fraction(uy) * y, Fraction(ux) ** 2 + Fraction(uy) ** 2
            if any(gap < 0 or gap * gap < r * r * length_sq for gap in (along - Fraction(low), Fraction(high) - along)):
                return False
        return True
    assert isinstance(volume, Volume)
    ring = [_exact(corner) for corner in volume.core.tolist()]
    edges = list(zip(ring, ring[1:] + ring[:1], strict=True))
    inside = len(ring) > 2 and all((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= 0 for p, q in edges)
    room = Fraction(volume.radius) - r
    if inside and room < 0:  # in a polygon, as far from every edge
        return all(
            ((q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])) ** 2 >= room**2 * ((q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2)
            for p, q in edges
        )
    return room >= 0 and (inside or min(_distance_sq(point, p, q) for p, q in edges) <= room * room)


def brute_force_circle_sq(points):
    """Return the exact squared radius of the smallest circle: the least over all pairs and triples that contains all points."""
    cloud = sorted({_exact(point) for point in points.tolist()})
    if len(cloud) == 1:
        return Fraction(0)
    radii_sq = []
    for p, q in combinations(cloud, 2):
        radii_sq += _if_holding(((p[0] + q[0]) / 2, (p[1] + q[1]) / 2), p, cloud)
    for p, q, r in combinations(cloud, 3):
        ax, ay, bx, by = q[0] - p[0], q[1] - p[1], r[0] - p[0], r[1] - p[1]
        turn = 2 * (ax * by - ay * bx)
        if turn != 0:
            a_sq, b_sq = ax * ax + ay * ay, bx * bx + by * by
            radii_sq += _if_holding((p[0] + (by * a_sq - ay * b_sq) / turn, p[1] + (ax * b_sq - bx * a_sq) / turn), p, cloud)
    return min(radii_sq)


def _if_holding(center, on, cloud):
    radius_sq = (on[0] - center[0]) ** 2 + (on[1] - center[1]) ** 2
    return [radius_sq] if all((x - center[0]) ** 2 + (y - center[1]) ** 2 <= radius_sq for x, y in cloud) else []


def _within(distance_sq, room):
    return room >= 0 and distance_sq <= room * room


def _exact(point):
    return Fraction(float(point[0])), Fraction(float(point[1]))


def _distance_sq(at, p, q):
    ex, ey, tx, ty = q[0] - p[0], q[1] - p[1], at[0] - p[0], at[1] - p[1]
    length_sq = ex * ex + ey * ey
    share = min(max((tx * ex + ty * ey) / length_sq, Fraction(0)), Fraction(1)) if length_sq > 0 else Fraction(0)
    return (tx - share * ex) ** 2 + (ty - share * ey) ** 2
