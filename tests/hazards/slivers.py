"""Adversarial geometry: ``python -m tests.hazards.slivers [CASES] [SEED] [FAMILY ...]`` runs every query and judges it in exact fractions.

The random shapes include polygons with a height of 1e-12 of the width, sizes that differ by a factor of a million, edges parallel within
rounding, positions up to 1,000 km from the origin, capsules, discs and segments; in most pairs, a corner or an edge of one almost touches
one of the other. Each query runs in batches and one by one, with the same bits.

The judge. All input numbers are exact, and so are the world's corners (`tests.agreement.rational`). An answer is correct if it is the exact
answer for some shapes near the given ones, with all points of each moved by at most the rounding of a pair

    u = SAT_ROUNDING (|x| + |y| of both positions + both extents, or the reach of a ray)

`BOUND` = 4 of these for results: u for the definition of touching, and 3 for the steps from an input to a result (derived in
`tests.agreement.test_rational_motion`). Moving every point of a shape by d moves its boundary by at most d, whatever its angles. So a hit
or a contact is correct only if the *distance* is within the bound. It is not enough that each edge's line is, because two lines at an angle
a, each moved by d, meet d / sin(a / 2) away. That is the difference between rounding and error:

    d = 4e-9 m, a = 1e-9:    8 m before the tip of a sliver 1,000 km from the origin

and the answer to the question of what rounding of the inputs explains: a hit so far from the shape is not explained by it.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from engine import query
from engine.common.errors import InvalidShapeError
from engine.common.tolerances import SAT_ROUNDING, TOI_CONVERGENCE, TOI_ROUNDINGS
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Sweep, Transform, convex_hull
from engine.query import batch
from tests.agreement.rational import (
    Pair,
    Path,
    corners_of,
    fractions,
    hull_of,
    off_outline,
    reach_of,
    root,
    signed_distance,
    world_corners,
)

BOUND = 4
"""Roundings of a pair by which a result may be off; see the module."""

FAMILIES = {
    "ordinary": (0.0, 0.0, 0.0),
    "slivers": (12.0, 0.0, 0.0),
    "far": (0.0, 6.0, 0.0),
    "far slivers": (12.0, 6.0, 0.0),
    "sizes": (2.0, 0.0, 6.0),
    "all": (12.0, 6.0, 6.0),
}
"""Powers of ten, at most: how flat shapes are, how far from the origin, how unlike in size."""

ZERO = Fraction(0)


@dataclass(frozen=True)
class Case:
    """Input of the queries: two shapes in the world, a ray at A, and B's start, velocity and rotation."""

    a: object
    xf_a: Transform
    b: object
    xf_b: Transform
    origin: tuple[float, float]
    way: tuple[float, float]
    velocity: tuple[float, float]
    turn: float
    xf_start: Transform

    def __str__(self):
        return (
            f"a, xf_a = {spelled(self.a)}, {self.xf_a}\nb, xf_b = {spelled(self.b)}, {self.xf_b}\n"
            f"origin, way = {self.origin}, {self.way}\nvelocity, turn, xf_start = {self.velocity}, {self.turn}, {self.xf_start}"
        )


def spelled(shape):
    if isinstance(shape, Polygon):
        return f"Polygon({shape.vertices.tolist()}, {shape.skin_radius})"
    return repr(shape)


# -- drawing


def draw_shape(rng, flat, size):
    """A shape of about `size` meters; polygons, capsules and segments up to 10^-flat as high as wide."""
    height = size * 10.0 ** -rng.uniform(0.0, flat) if flat else size
    kind = rng.choice(("sliver", "sliver", "hull", "triangle", "disc", "capsule", "segment"))
    skin = float(rng.choice((0.0, 0.0, 0.0, 0.01 * height, 0.01 * size)))
    if kind == "disc":
        return Circle(float(rng.uniform(0.2, 1.0) * height), tuple((size * rng.uniform(-1.0, 1.0, 2)).tolist()))
    if kind in ("capsule", "segment"):
        p, q = (size * rng.uniform(-1.0, 1.0, (2, 2))).tolist()
        ends = tuple(p), tuple(q)
        return Capsule(*ends, float(rng.uniform(0.1, 1.0) * height)) if kind == "capsule" else Segment(*ends, skin)
    while True:
        if kind == "triangle":
            corners = rng.uniform(-1.0, 1.0, (3, 2)) * (size, height)
        elif kind == "hull":
            corners = rng.normal(size=(int(rng.integers(4, 10)), 2)) * (0.6 * size, 0.6 * height)
        else:  # corners on an ellipse, thick or thin, level or not
            at = np.sort(rng.uniform(0.0, 2.0 * math.pi, int(rng.integers(3, 9))))
            corners = np.column_stack((size * np.cos(at), height * np.sin(at)))
        if rng.random() < 0.5:  # turned within its frame: no edge is level to the bit
            turned = Transform((0.0, 0.0), float(rng.uniform(-math.pi, math.pi)))
            corners = turned.apply_array(corners)
        try:
            return Polygon(convex_hull(corners), skin)
        except InvalidShapeError:
            continue


def tangent_of(shape, at):
    """The direction of an edge of a shape's core, by number; arbitrary for a point."""
    corners, _ = corners_of(shape)
    if len(corners) == 1:
        return 1.0, 0.0
    (px, py), (qx, qy) = corners[at % len(corners)], corners[(at + 1) % len(corners)]
    return qx - px, qy - py


def surface_point(rng, shape, at):
    """A corner of the core, or a point on an edge."""
    corners, _ = corners_of(shape)
    (px, py), (qx, qy) = corners[at % len(corners)], corners[(at + 1) % len(corners)]
    share = float(rng.choice((0.0, 0.0, 0.5, rng.random())))
    return px + share * (qx - px), py + share * (qy - py)


def draw_case(rng, family):
    flat, far, unlike = FAMILIES[family]
    sizes = 10.0 ** rng.uniform(-unlike / 2.0, unlike / 2.0, 2)
    a, b = (draw_shape(rng, flat, float(size)) for size in sizes)
    away = 10.0 ** rng.uniform(0.0, far) if far else 1.0
    position = (away * rng.uniform(-1.0, 1.0, 2)).tolist()
    angle = float(rng.choice((0.0, rng.uniform(-math.pi, math.pi))))
    xf_a = Transform(tuple(position), angle)
    on_a, on_b = int(rng.integers(64)), int(rng.integers(64))
    # B against A: any angle, or one edge against another, or along it, but for a hair
    turned = float(rng.uniform(-math.pi, math.pi))
    if rng.random() < 0.6:
        (ux, uy), (vx, vy) = tangent_of(a, on_a), tangent_of(b, on_b)
        hair = float(rng.choice((0.0, -1.0, 1.0)) * 10.0 ** rng.uniform(-16.0, -6.0))
        turned = angle + math.atan2(uy, ux) - math.atan2(vy, vx) + hair + float(rng.choice((0.0, math.pi)))
    x, y = xf_a.apply(surface_point(rng, a, on_a))
    shift = Transform((0.0, 0.0), turned).apply(surface_point(rng, b, on_b))
    radii = corners_of(a)[1] + corners_of(b)[1]
    # out of A by the radii, and into it or out of it by a hair, or anything
    out = float(rng.uniform(-math.pi, math.pi))
    if rng.random() < 0.6:  # out of an edge, or off its end: before the tip of a sliver
        out = angle + math.atan2(tangent_of(a, on_a)[1], tangent_of(a, on_a)[0]) - float(rng.choice((0.5, 0.5, 1.0, 0.0))) * math.pi
    scale = float(min(sizes) if rng.random() < 0.5 else away + sizes.sum())
    off = radii * float(rng.choice((1.0, 1.0, rng.random())))
    off += float(rng.choice((-1.0, 0.0, 1.0))) * scale * 10.0 ** rng.uniform(-17.0, 0.0)
    moved = off * math.cos(out), off * math.sin(out)
    xf_b = Transform((x - shift[0] + moved[0], y - shift[1] + moved[1]), turned)
    # a ray that aims at A, at one of its corners or past it, from outside or from the edge's own line
    target_x, target_y = xf_a.apply(surface_point(rng, a, on_a))
    direction = float(rng.uniform(-math.pi, math.pi))
    if rng.random() < 0.5:
        (ux, uy) = tangent_of(a, on_a)
        direction = angle + math.atan2(uy, ux) + float(rng.choice((-1.0, 0.0, 1.0)) * 10.0 ** rng.uniform(-16.0, -2.0))
    reach = float(sizes[0] * rng.uniform(0.5, 4.0)) * float(rng.choice((1.0, 1.0, 10.0)))
    aside = float(rng.choice((-1.0, 0.0, 1.0))) * scale * 10.0 ** rng.uniform(-17.0, -1.0)
    cos, sin = math.cos(direction), math.sin(direction)
    beyond = float(rng.choice((0.0, 1.0))) * scale * 10.0 ** rng.uniform(-17.0, -1.0)
    target_x, target_y = target_x + beyond * math.cos(out), target_y + beyond * math.sin(out)
    origin = target_x - reach * cos - aside * sin, target_y - reach * sin + aside * cos
    way = float(rng.choice((1.0, 2.0, 1.0 + 1e-15))) * reach
    # B comes from afar to where it stands
    heading, speed = float(rng.uniform(-math.pi, math.pi)), float(sizes.max() * rng.uniform(0.5, 4.0))
    velocity = speed * math.cos(heading), speed * math.sin(heading)
    if rng.random() < 0.5:  # along an edge of A
        velocity = speed * math.cos(direction), speed * math.sin(direction)
    before = float(rng.choice((0.0, 0.5, 1.0, rng.uniform(0.0, 1.5))))
    xf_start = Transform((xf_b.position[0] - before * velocity[0], xf_b.position[1] - before * velocity[1]), turned)
    turn = float(rng.choice((0.0, rng.uniform(-1.0, 1.0))))
    return Case(a, xf_a, b, xf_b, origin, (way * cos, way * sin), velocity, turn, xf_start)


# -- judging


class WrongError(Exception):
    """An answer is wrong, by a number of rounding units."""

    def __init__(self, what, by=math.inf):
        super().__init__(what)
        self.what, self.by = what, by


class Ray(Path):
    """A path for which a query gave an answer."""

    def least(self, end):
        """The smallest gap up to a time, or, for a polygon without skin that the ray enters, the gap halfway through, which is at least
        half of it.
        """
        low, high = self.crossing() if self.radius == 0 else (None, None)
        if low is not None and low < end and high > 0:
            return self.gap((max(low, ZERO) + min(high, end)) / 2)
        return self.nearest(end)

    def judge(self, is_hit, time, end, u):
        """The first contact is at `time`, or there is none up to `end`."""
        if not is_hit:
            within("a miss of what is hit", -self.least(end), u)
            return
        first = Fraction(time)
        if not 0 <= first <= end:
            raise WrongError("a time outside the interval")
        gap = self.gap(first)
        within("a hit of what is missed" if self.least(end) > BOUND * u else "a hit away from the surface", gap, u)
        within("a hit within", -gap, u)
        within("a hit that is late", -self.least(first), u)


def within(what, off, u):
    if off > BOUND * u:
        raise WrongError(what, float(off / u))


def outward(point, n, by):
    return point[0] + by * n[0], point[1] + by * n[1]


def off_solid(core, point):
    return max(ZERO, signed_distance(core, point))


def turned(u, way, radius):
    """Return the bound on a motion along a normal, if a point on an arc of that radius may be off by u."""
    return u * (1 + root(way[0] ** 2 + way[1] ** 2) / radius) if radius > 0 else u


def unit(normal):
    if abs(math.hypot(*map(float, normal)) - 1.0) > 1e-15:
        raise WrongError("a normal that is not of unit length")


class Judge:
    """One case in fractions, with its queries."""

    def __init__(self, case):
        self.case = case
        self.pair = Pair(case.a, case.xf_a, case.b, case.xf_b)
        self.u = Fraction(self.pair.rounding)

    def overlap(self, is_overlapping):
        if is_overlapping:
            within("an overlap of what is apart", self.pair.gap, self.u)
        elif self.pair.gap <= 0:
            raise WrongError("no overlap of what overlaps", float(-self.pair.gap / self.u))

    def distance(self, result):
        pair = self.pair
        self._judge_status(result.status)
        if result.normal is None:
            within("cores that do not overlap", pair.core_separation, self.u)
            return
        within("the separation", abs(Fraction(result.separation) - pair.gap), self.u)
        n = fractions(result.normal)
        unit(n)
        within("the normal", pair.gap - (pair.gap_along(n) - pair.radii), self.u)
        self._judge_witnesses(result.point_a, result.point_b, result.separation, n)

    def penetration(self, result):
        self._judge_status(result.status)
        if result.status is Status.SEPARATED:
            return
        pair = self.pair
        within("the depth", abs(Fraction(result.depth) - max(ZERO, -pair.gap)), self.u)
        n = fractions(result.normal)
        unit(n)
        within("the normal", pair.gap - (pair.gap_along(n) - pair.radii), self.u)
        self._judge_witnesses(result.point_a, result.point_b, -result.depth, n)

    def _judge_status(self, status):
        gap = self.pair.gap
        if status is Status.SEPARATED:
            if gap <= 0:
                raise WrongError("apart, what overlaps", float(-gap / self.u))
        elif status is Status.TOUCHING:
            within("touching, what is apart", gap, self.u)
            within("touching, what overlaps", -gap, self.u)
        elif status is Status.OVERLAPPING:
            within("overlapping, what is apart", gap, self.u)
        else:
            raise WrongError(status.name)

    def _judge_witnesses(self, point_a, point_b, separation, n):
        pair = self.pair
        a, b = fractions(point_a), fractions(point_b)
        step = max(abs(b[k] - a[k] - Fraction(separation) * n[k]) for k in range(2))
        within("points that are not a step along the normal apart", step, self.u)
        for name, core, radius, (x, y), side in (("A", pair.a, pair.radius_a, a, -1), ("B", pair.b, pair.radius_b, b, 1)):
            on_core = x + side * radius * n[0], y + side * radius * n[1]
            within(f"the point off {name}", off_solid(core, on_core), self.u)

    def manifold(self, result):
        pair, case, u = self.pair, self.case, self.u
        if not result.points:
            if pair.gap <= 0 and self._least_edge_gap() <= pair.radii:
                raise WrongError("no contact of what overlaps", float(-pair.gap / u))
            return
        is_polygons = isinstance(case.a, Polygon) and isinstance(case.b, Polygon)
        skins = pair.radii - pair.surface
        n = fractions(result.normal)
        unit(n)
        along = pair.gap_along(n)
        best = self._least_edge_gap() if is_polygons else pair.core_separation
        within("a contact of what is apart", pair.gap - (skins if is_polygons else ZERO), u)
        within("the normal", best - along, u)
        deepest = min(Fraction(point.separation) for point in result.points) + pair.surface
        if pair.gap <= 0 and along <= BOUND * u:
            within("a manifold without its deepest point", deepest - along, u)
        within("a point deeper than the deepest", along - deepest, u)
        lift = (pair.radius_a - pair.radius_b) / 2
        # a disc e past the end of an edge is farther from the end than from the edge's line by e^2 / 2r: for that much rounding decides
        past_end = ZERO if is_polygons else root(2 * pair.radii * BOUND * u)
        for point in result.points:
            x, y = fractions(point.position)
            half = (Fraction(point.separation) + pair.surface) / 2
            on_a = x - (lift + half) * n[0], y - (lift + half) * n[1]
            on_b = x - (lift - half) * n[0], y - (lift - half) * n[1]
            # one is an end of the incident edge, the other its projection on the reference edge or, within skins, on its line; beside
            # the end of a round edge the surface falls away from the line by less than rounding where the core has ended long ago
            off_a = min(off_outline(pair.a, on_a), abs(signed_distance(pair.a, outward(on_a, n, pair.radius_a)) - pair.radius_a))
            off_b = min(off_outline(pair.b, on_b), abs(signed_distance(pair.b, outward(on_b, n, -pair.radius_b)) - pair.radius_b))
            within("a point off both shapes", min(off_a, off_b), u)
            within("a point off one shape", max(off_a, off_b) - skins - past_end, u)

    def _least_edge_gap(self):
        """The greatest separation along an edge normal for two polygons; the distance for other shapes."""
        if not (isinstance(self.case.a, Polygon) and isinstance(self.case.b, Polygon)):
            return self.pair.core_separation
        pair = self.pair
        return max(edge.separation(others) for side, others in ((0, pair.b), (1, pair.a)) for edge in pair.edges(side))

    def contact_set(self, result):
        self._judge_status(result.status)
        if result.status is not Status.TOUCHING:
            return
        pair, u = self.pair, self.u
        n = fractions(result.normal)
        unit(n)
        for point in result.points:
            x, y = fractions(point)
            for name, core, radius, side in (("A", pair.a, pair.radius_a, -1), ("B", pair.b, pair.radius_b, 1)):
                within(f"a contact off {name}", off_outline(core, (x + side * radius * n[0], y + side * radius * n[1])), u)

    # -- rays and points: A alone

    def _alone(self):
        case = self.case
        numbers = (*case.xf_a.position, *case.origin, *case.way)
        u = Fraction(SAT_ROUNDING * (math.fsum(map(abs, numbers)) + reach_of(case.a)))
        return hull_of(world_corners(case.a, case.xf_a)), Fraction(corners_of(case.a)[1]), u

    def contains(self, is_inside):
        hull, radius, u = self._alone()
        gap = signed_distance(hull, fractions(self.case.origin)) - radius
        if is_inside:
            within("a point outside reported as inside", gap, u)
        elif gap <= 0:
            raise WrongError("a point inside reported as outside", float(-gap / u))

    def ray_cast(self, result):
        hull, radius, u = self._alone()
        ray = Ray(hull, radius, fractions(self.case.origin), fractions(self.case.way))
        if result.status is Status.HIT and result.normal is None:  # from inside
            within("a start outside reported as inside", ray.gap(ZERO), u)
            return
        ray.judge(result.status is Status.HIT, result.fraction, Fraction(1), u)
        if result.status is not Status.HIT:
            return
        first = Fraction(result.fraction)
        off = max(abs(p - q) for p, q in zip(fractions(result.point), ray.at(first), strict=True))
        within("a point that is not on the ray", off, u)
        n = fractions(result.normal)
        unit(n)
        within("a normal along the ray", n[0] * ray.way[0] + n[1] * ray.way[1], turned(u, ray.way, radius))
        if not (isinstance(self.case.a, Segment) and radius == 0):  # the bare end of a line faces the ray
            x, y = ray.at(first)
            support = max(n[0] * px + n[1] * py for px, py in hull) + radius
            within("a normal of another side", support - (n[0] * x + n[1] * y), u)

    # -- moving shapes

    def swept_contact(self, result):
        case, velocity = self.case, fractions(self.case.velocity)
        pair = Pair(case.a, case.xf_a, case.b, case.xf_start)
        u = Fraction(pair.rounding + SAT_ROUNDING * math.fsum(map(abs, case.velocity)))
        if result.status is Status.OVERLAPPING:
            within("overlapping, what is apart", pair.gap, u)
            return
        if pair.gap <= 0:
            raise WrongError("not overlapping, what overlaps", float(-pair.gap / u))
        ray = Ray(pair.difference, pair.radii, (ZERO, ZERO), (-velocity[0], -velocity[1]))
        ray.judge(result.status is Status.HIT, result.t_first, Fraction(1), u)
        if result.status is not Status.HIT:
            return
        n, first = fractions(result.normal), Fraction(result.t_first)
        unit(n)
        within("a normal along the way", n[0] * velocity[0] + n[1] * velocity[1], turned(u, velocity, pair.radii))
        moved = [(x + first * velocity[0], y + first * velocity[1]) for x, y in pair.b]
        for point in result.contact_set.points:
            x, y = fractions(point)
            for name, core, radius, side in (("A", pair.a, pair.radius_a, -1), ("B", moved, pair.radius_b, 1)):
                within(f"a contact off {name}", off_outline(core, (x + side * radius * n[0], y + side * radius * n[1])), u)

    def time_of_impact(self, result):
        case = self.case
        sweep = sweep_of(case)
        extents = reach_of(case.a) + reach_of(case.b)
        way = math.fsum(map(abs, case.velocity))
        start = Pair(case.a, case.xf_a, case.b, case.xf_start)
        u = Fraction(TOI_CONVERGENCE * extents + TOI_ROUNDINGS * (start.rounding + SAT_ROUNDING * way))
        if result.status is Status.OVERLAPPING:
            within("overlapping, what is apart", start.gap, u)
            return
        if result.status is Status.OUT_OF_ITERATIONS:
            raise WrongError(result.status.name)
        if result.status is Status.HIT:
            within("a hit away from the surface", self._gap_at(sweep, result.fraction), u)
        for share in range(17):  # nothing deeper before
            within("a touch passed over", -self._gap_at(sweep, result.fraction * share / 16.0), u)

    def _gap_at(self, sweep, fraction):
        return Pair(self.case.a, self.case.xf_a, self.case.b, sweep.at(fraction)).gap


def sweep_of(case):
    x, y = case.xf_start.position
    return Sweep(case.xf_start, Transform((x + case.velocity[0], y + case.velocity[1]), case.xf_start.angle + case.turn))


# -- asking


def ask_scalar(case):
    """Every query, one case at a time."""
    both, ray = (case.a, case.xf_a, case.b, case.xf_b), (case.origin, case.way)
    return {
        "overlap": query.overlap(*both),
        "distance": query.distance(*both),
        "penetration": query.penetration(*both),
        "manifold": query.manifold(*both),
        "contact_set": query.contact_set(*both),
        "contains": query.contains(case.a, case.xf_a, case.origin),
        "ray_cast": query.ray_cast(case.a, case.xf_a, *ray),
        "swept_contact": query.swept_contact(case.a, case.xf_a, (0.0, 0.0), case.b, case.xf_start, case.velocity, 1.0),
        "time_of_impact": query.time_of_impact(case.a, Sweep(case.xf_a, case.xf_a), case.b, sweep_of(case)),
    }


def ask_batch(cases):
    """The same in batches, with a row of plain numbers for each case and query."""
    shapes = batch.ShapeBatch([shape for case in cases for shape in (case.a, case.b)])
    indices = np.arange(2 * len(cases)).reshape(-1, 2)
    columns = zip(*((case.xf_a, case.xf_b, case.xf_start) for case in cases), strict=True)
    poses = [np.array([(*xf.position, xf.angle) for xf in column]) for column in columns]
    ends = np.array([(*sweep_of(case).end.position, sweep_of(case).end.angle) for case in cases])
    origins, ways, moves = (np.array([getattr(case, name) for case in cases]) for name in ("origin", "way", "velocity"))
    both, alone = (shapes, indices, *poses[:2]), (shapes, indices[:, 0], poses[0])
    columns_by_query = {
        "overlap": (batch.overlap(*both),),
        "contains": (batch.contains(*alone, origins),),
    }
    distance, depth, manifold = batch.distance(*both), batch.penetration(*both), batch.manifold(*both)
    contact, ray = batch.contact_set(*both), batch.ray_cast(*alone, origins, ways)
    swept = batch.swept_contact(*both[:3], np.zeros_like(moves), poses[2], moves, 1.0)
    impact = batch.time_of_impact(shapes, indices, poses[0], poses[0], poses[2], ends)
    columns_by_query["distance"] = (distance.status, distance.separation, distance.point_a, distance.point_b, distance.normal)
    columns_by_query["penetration"] = (depth.status, depth.depth, depth.point_a, depth.point_b, depth.normal)
    columns_by_query["manifold"] = (manifold.count, manifold.normal, manifold.position, manifold.separation, manifold.feature_id)
    columns_by_query["contact_set"] = (contact.status, contact.count, contact.normal, contact.points)
    columns_by_query["ray_cast"] = (ray.status, ray.fraction, ray.point, ray.normal)
    columns_by_query["swept_contact"] = (swept.status, swept.t_first, swept.t_last, swept.normal, swept.contact_count, swept.contact)
    columns_by_query["time_of_impact"] = (impact.status, impact.fraction)
    for row in range(len(cases)):
        yield {name: tuple(np.asarray(column[row]).tolist() for column in columns) for name, columns in columns_by_query.items()}


def row_of(name, result):
    """The batch row equivalent to a single answer."""
    if name in ("overlap", "contains"):
        return (result,)
    nowhere, nan = [0.0, 0.0], [math.nan, math.nan]
    if name in ("distance", "penetration"):
        value = result.separation if name == "distance" else result.depth
        points = (nan if p is None else list(p) for p in (result.point_a, result.point_b, result.normal))
        return int(result.status), value, *points
    if name == "manifold":
        rest = 2 - len(result.points)
        return (
            len(result.points), list(result.normal or nowhere), [list(p.position) for p in result.points] + rest * [nowhere],
            [p.separation for p in result.points] + rest * [0.0], [p.feature_id for p in result.points] + rest * [0],
        )  # fmt: skip
    if name == "contact_set":
        points = [list(p) for p in result.points]
        return int(result.status), len(points), list(result.normal or nowhere), points + (2 - len(points)) * [nowhere]
    if name == "ray_cast":
        return int(result.status), result.fraction, list(result.point or nowhere), list(result.normal or nowhere)
    if name == "swept_contact":
        points = [list(p) for p in result.contact_set.points]
        count = len(points)
        return int(result.status), result.t_first, result.t_last, list(result.normal or nowhere), count, points + (2 - count) * [nowhere]
    return int(result.status), result.fraction


def cases_of(family, count, seed):
    rng = np.random.default_rng((seed, list(FAMILIES).index(family)))
    return [draw_case(rng, family) for _ in range(count)]


@dataclass
class Tally:
    """Counts of one family's answers to one query."""

    n_queries: int = 0
    positive: int = 0
    wrong: Counter = None
    worst: dict = None
    example: dict = None

    def __post_init__(self):
        self.wrong, self.worst, self.example = Counter(), {}, {}


_POSITIVE = {
    "overlap": bool,
    "contains": bool,
    "manifold": lambda result: bool(result.points),
    "distance": lambda result: result.status is not Status.SEPARATED,
    "penetration": lambda result: result.status is not Status.SEPARATED,
    "contact_set": lambda result: result.status is Status.TOUCHING,
    "ray_cast": lambda result: result.status is Status.HIT,
    "swept_contact": lambda result: result.status is Status.HIT,
    "time_of_impact": lambda result: result.status is Status.HIT,
}


def judge_family(family, count, seed, block=500):
    """Generate, query and judge `count` cases; count wrong answers by kind and keep the worst of each."""
    tallies = defaultdict(Tally)
    cases = cases_of(family, count, seed)
    for low in range(0, count, block):
        some = cases[low : low + block]
        for number, (case, rows) in enumerate(zip(some, ask_batch(some), strict=True), start=low):
            judge = Judge(case)
            for name, result in ask_scalar(case).items():
                tally = tallies[name]
                tally.n_queries += 1
                tally.positive += _POSITIVE[name](result)
                try:
                    getattr(judge, name)(result)
                    if not np.array_equal(flat(row_of(name, result)), flat(rows[name]), equal_nan=True):
                        raise WrongError("another answer in a batch")
                except WrongError as wrong:
                    tally.wrong[wrong.what] += 1
                    if wrong.by >= tally.worst.get(wrong.what, -1.0):
                        tally.worst[wrong.what], tally.example[wrong.what] = wrong.by, number
    return tallies


def flat(row):
    return np.concatenate([np.ravel(np.asarray(part, dtype=np.float64)) for part in row])


def main(arguments):
    count, seed = int(arguments[0]) if arguments else 1000, int(arguments[1]) if len(arguments) > 1 else 0
    report, n_wrong = {}, 0
    print(f"{'family':12} {'query':16} {'queries':>7} {'positive':>8} {'wrong':>6}")
    for family in arguments[2:] or FAMILIES:
        tallies = judge_family(family, count, seed)
        for name, tally in tallies.items():
            wrong = tally.wrong.total()
            n_wrong += wrong
            print(f"{family:12} {name:16} {tally.n_queries:7} {tally.positive:8} {wrong:6}")
            for what, times in tally.wrong.most_common():
                print(f"{'':12}   {times:5} {what}: by up to {tally.worst[what]:.3g} u, case {tally.example[what]}")
        report[family] = {name: {"queries": t.n_queries, "positive": t.positive, "wrong": dict(t.wrong)} for name, t in tallies.items()}
    print(json.dumps({"seed": seed, "cases": count, "wrong_total": n_wrong, "families": report}))
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
