"""A referee in rational arithmetic: brute force, independent of our code and Box2D's, and without rounding.

A pose's position, cosine and sine are the engine's float64 numbers, taken as exact, so every corner in the world is a fraction. Everything
is then decided by comparing fractions: which of all differences q - p are corners of the hull (all of them are tried), how far the origin
is from its edges, and which part of an edge lies between two planes. For an irrational length, the square is stored; a displayed number is
a root accurate to 2^-200.

Corners are pairs of fractions. A hull is a list of corners, counterclockwise and strictly convex, with only one or two if it has no area.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from engine.common.tolerances import SAT_ROUNDING
from engine.geometry import Capsule, Circle, Polygon

ROOT_BITS = 200

ZERO = Fraction(0)


def root(number):
    """Square root of a fraction, as a fraction, with a relative error of about 2^-ROOT_BITS."""
    if number == 0:
        return ZERO
    # brought to about 2^(2 ROOT_BITS) by an even shift, so that the whole-number root has ROOT_BITS digits whatever the size
    shift = ROOT_BITS + (number.denominator.bit_length() - number.numerator.bit_length()) // 2 + 1
    scaled = number * Fraction(4) ** shift
    return Fraction(math.isqrt(scaled.numerator // scaled.denominator)) / Fraction(2) ** shift


def corners_of(shape):
    """The core's local corners and its radius, read from the shape's own fields instead of the engine's packed form."""
    if isinstance(shape, Circle):
        return [shape.center], shape.radius
    if isinstance(shape, Polygon):
        return shape.vertices.tolist(), shape.skin_radius
    ends = [shape.p1] if shape.p1 == shape.p2 else [shape.p1, shape.p2]
    return ends, shape.radius if isinstance(shape, Capsule) else shape.skin_radius


def surface_of(shape):
    """Return the part of the radius that belongs to the surface, not to the skin."""
    return Fraction(shape.radius) if isinstance(shape, Circle | Capsule) else ZERO


def reach_of(shape):
    corners, radius = corners_of(shape)
    return max(math.hypot(*corner) for corner in corners) + radius


def world_corners(shape, xf):
    cos, sin, x, y = (Fraction(number) for number in (xf.cos, xf.sin, *xf.position))
    corners = [(Fraction(u), Fraction(v)) for u, v in corners_of(shape)[0]]
    return [(cos * u - sin * v + x, sin * u + cos * v + y) for u, v in corners]


def cross(o, p, q):
    return (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])


def hull_of(points):
    """Andrew's monotone chain on fractions, computed in integers over their common denominator."""
    unit = math.lcm(*(part.denominator for point in points for part in point))
    corners = sorted({(int(x * unit), int(y * unit)) for x, y in points})
    if len(corners) > 2:
        halves = []
        for run in (corners, corners[::-1]):
            half = []
            for point in run:
                while len(half) > 1 and cross(half[-2], half[-1], point) <= 0:
                    half.pop()
                half.append(point)
            halves.append(half[:-1])
        corners = halves[0] + halves[1]
    return [(Fraction(x, unit), Fraction(y, unit)) for x, y in corners]


def edges_of(hull):
    """Pairs of corners; a line has two edges, and a point has one without length."""
    return list(zip(hull, hull[1:] + hull[:1], strict=True))


def nearest_on(p, q, point):
    """The point of a segment nearest to `point`."""
    ex, ey = q[0] - p[0], q[1] - p[1]
    length_sq = ex * ex + ey * ey
    if length_sq == 0:
        return p
    share = min(Fraction(1), max(ZERO, ((point[0] - p[0]) * ex + (point[1] - p[1]) * ey) / length_sq))
    return p[0] + share * ex, p[1] + share * ey


def distance_sq(p, q):
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2


def is_within(hull, point):
    return len(hull) > 2 and all(cross(p, q, point) > 0 for p, q in edges_of(hull))


def signed_distance(hull, point):
    """Return the distance of a point from a hull; negative by the depth inside."""
    nearest = min(distance_sq(nearest_on(p, q, point), point) for p, q in edges_of(hull))
    return -root(nearest) if is_within(hull, point) else root(nearest)


def path_distance(hull, start, end):
    """Return the smallest distance of a straight path from a hull; 0 if it enters."""
    edges = edges_of(hull)
    for p, q in edges:
        turns = cross(p, q, start), cross(p, q, end), cross(start, end, p), cross(start, end, q)
        if turns[0] * turns[1] < 0 and turns[2] * turns[3] < 0:
            return ZERO
    if is_within(hull, start) or is_within(hull, end):
        return ZERO
    near = [distance_sq(nearest_on(p, q, tip), tip) for p, q in edges for tip in (start, end)]
    return root(min(near + [distance_sq(nearest_on(start, end, corner), corner) for corner in hull]))


def off_outline(core, point):
    """Return the distance of a point from the outline of a core; inside a polygon, that is the depth."""
    return root(min(distance_sq(nearest_on(p, q, point), point) for p, q in edges_of(core)))


def fractions(row):
    return tuple(Fraction(float(number)) for number in row)


class Path:
    """A point that moves from `start` by `way` per unit of time, and the set of points within `radius` of a hull."""

    def __init__(self, hull, radius, start, way):
        self.hull, self.radius, self.start, self.way = hull, radius, start, way

    def at(self, time):
        return self.start[0] + time * self.way[0], self.start[1] + time * self.way[1]

    def gap(self, time):
        return signed_distance(self.hull, self.at(time)) - self.radius

    def nearest(self, end):
        """The smallest gap up to a time, unless it is negative by more than the radius."""
        return path_distance(self.hull, self.start, self.at(end)) - self.radius

    def crossing(self):
        """The interval of times inside the hull's edges, computed in fractions; None if it is empty or the hull has no area."""
        low, high = None, None
        if len(self.hull) < 3:
            return None, None
        for p, q in edges_of(self.hull):
            ex, ey = q[0] - p[0], q[1] - p[1]
            inside = ex * (self.start[1] - p[1]) - ey * (self.start[0] - p[0])
            rate = ex * self.way[1] - ey * self.way[0]
            if rate == 0:
                if inside < 0:
                    return None, None
            elif rate > 0:
                low = -inside / rate if low is None else max(low, -inside / rate)
            else:
                high = -inside / rate if high is None else min(high, -inside / rate)
        return (None, None) if low is None or high is None or low > high else (low, high)


@dataclass(frozen=True)
class Edge:
    """One edge of a core with its outward unit normal: `along` and `ahead` are coordinates on it, in meters."""

    p: tuple[Fraction, Fraction]
    q: tuple[Fraction, Fraction]
    length: Fraction
    tangent: tuple[Fraction, Fraction]
    normal: tuple[Fraction, Fraction]

    @classmethod
    def between(cls, p, q):
        ex, ey = q[0] - p[0], q[1] - p[1]
        length = root(ex * ex + ey * ey)
        return cls(p, q, length, (ex / length, ey / length), (ey / length, -ex / length))

    def along(self, point):
        return (point[0] - self.p[0]) * self.tangent[0] + (point[1] - self.p[1]) * self.tangent[1]

    def ahead(self, point):
        return (point[0] - self.p[0]) * self.normal[0] + (point[1] - self.p[1]) * self.normal[1]

    def separation(self, others):
        return min(self.ahead(other) for other in others)


class Pair:
    """Two shapes in the world, in fractions."""

    def __init__(self, a, xf_a, b, xf_b):
        self.a, self.b = world_corners(a, xf_a), world_corners(b, xf_b)
        self.radius_a, self.radius_b = Fraction(corners_of(a)[1]), Fraction(corners_of(b)[1])
        self.radii = self.radius_a + self.radius_b
        self.surface = surface_of(a) + surface_of(b)
        self.difference = hull_of([(q[0] - p[0], q[1] - p[1]) for p in self.a for q in self.b])
        scale = sum(map(abs, (*xf_a.position, *xf_b.position))) + reach_of(a) + reach_of(b)
        self.rounding = SAT_ROUNDING * scale
        self.core_separation = signed_distance(self.difference, (ZERO, ZERO))
        self.gap = self.core_separation - self.radii

    def edges(self, side):
        core = self.b if side else self.a
        return [Edge.between(p, q) for p, q in edges_of(core)] if len(core) > 1 else []

    def gap_along(self, normal):
        """Gap between the projections of the two cores onto a direction from A to B, which need not be of unit length."""
        nx, ny = map(Fraction, normal)
        gap = min(nx * x + ny * y for x, y in self.b) - max(nx * x + ny * y for x, y in self.a)
        return gap / root(nx * nx + ny * ny)

    def nearest_corners(self):
        """The nearest points of two disjoint cores, from the first of the nearest pairs of a corner and an edge."""
        of_b = [(nearest_on(p, q, tip), tip) for tip in self.b for p, q in edges_of(self.a)]
        of_a = [(tip, nearest_on(p, q, tip)) for tip in self.a for p, q in edges_of(self.b)]
        return min(of_b + of_a, key=lambda points: distance_sq(*points))


def common_part(first, second):
    """Corners of the intersection of two convex sets, by clipping one with every edge of the other (Sutherland-Hodgman, in fractions)."""
    first, second = hull_of(first), hull_of(second)
    if len(first) < len(second):
        first, second = second, first
    left = second
    if len(first) == 1:
        return [first[0]] if first == second else []
    if len(first) == 2:  # two lines: cut the second by both sides of the first, and by its two ends
        end, other = first
        ex, ey = other[0] - end[0], other[1] - end[1]
        cuts = [
            lambda v: cross(end, other, v),
            lambda v: -cross(end, other, v),
            lambda v: (v[0] - end[0]) * ex + (v[1] - end[1]) * ey,
            lambda v: (other[0] - v[0]) * ex + (other[1] - v[1]) * ey,
        ]
    else:
        cuts = [lambda v, p=p, q=q: cross(p, q, v) for p, q in edges_of(first)]
    for inside in cuts:
        kept = []
        for p, q in zip(left, left[1:] + left[:1], strict=True):
            at_p, at_q = inside(p), inside(q)
            if at_p >= 0:
                kept.append(p)
            if at_p * at_q < 0:
                share = at_p / (at_p - at_q)
                kept.append((p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])))
        left = kept
        if not left:
            return []
    return hull_of(left)
