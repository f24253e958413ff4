"""Compares swept contacts, shape casts, rays and points with brute force in rational arithmetic (`rational`).

The referee does not solve for a time. It takes the reported time as an exact fraction, places the shapes there, and computes their
distance: g(t), negative by the depth if they overlap, is a convex function of t, because the path is straight and the Minkowski difference
is convex. So the interval of contact is where g <= 0, and a time t is its first or last if

    g(t) = 0 within the bound;   t_first <= t_last;   and g is clearly below 0 halfway, if the path goes clearly below 0 at all.

Bound: 4 u for g at a reported time, u = SAT_ROUNDING * scale, the way covered being part of the scale. A separation of u / 2 (derived at
SAT_ROUNDING) and a rate, both rounded, give the time, which errs by so much as the way covered rounds to: 3 u; and 1 u for the
position at that time. Halfway of a chord, g has at least half of its least value. One thing makes it more:

a sharp corner    a ray is met within u of every edge's line; two lines pushed out by u meet u / sin(half the angle) beyond the corner

The contact is judged at the reported time, so that an error of the time, which is large for a graze, is not counted twice.
If one core is moved to the other by the shortest vector d, it then touches it exactly and shares a point or a segment with it. The bounds:

normal            4 u / |d| with radii, the direction of d: the corners and the place along the way err by 3 u together, and a place counts
                  as beside an edge up to u past its end. Without radii: the shadows of the shapes on it just meet, within the bound of g
points            on A's surface within 4 u, as for `contact_set`; on B's within 4 u more, radius times error of the normal, and |g|. No
                  point of the exact contact farther than that from the reported segment. (The reported one may be longer, where edges are
                  parallel within rounding.) Without radii, at a sharp corner, as much more as said above
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from engine.common.tolerances import EPS64, SAT_ROUNDING
from engine.contracts import Status
from engine.geometry import Capsule, Polygon, Segment, Transform
from engine.query import batch
from tests.agreement.adversarial import FAMILIES, pairs_of
from tests.agreement.rational import (
    Pair,
    Path,
    common_part,
    corners_of,
    distance_sq,
    edges_of,
    fractions,
    hull_of,
    nearest_on,
    off_outline,
    reach_of,
    root,
    world_corners,
)

CASES = 200
"""Cases of each family: 3,200 sweeps, throws, rays and points each; fewer where the kernels are not compiled."""

AT_TIME, CLEARLY = 4.0, 32.0
NORMAL = 16.0 * EPS64


def velocities(family, n, rng):
    """Return motions: multiples of a quarter for lattices, so that paths run along edges and through corners, otherwise random."""
    if family in ("lattice", "turned", "hair"):
        moves = rng.integers(-8, 9, (n, 2)) / 4.0
        moves[rng.random(n) < 0.5, int(rng.integers(2))] = 0.0
        return moves
    size = {"millimetres": 1e-3, "kilometres": 1e3}.get(family, 1.0)
    return size * rng.uniform(-4.0, 4.0, (n, 2))


def spread_out(family, listed, rng):
    """B moved farther away, so that there is a path; on the lattice if there is one."""
    size = {"millimetres": 1e-3, "kilometres": 1e3}.get(family, 1.0)
    moved = []
    for a, pose_a, b, pose_b in listed:
        away = size * rng.integers(-8, 9, 2) / 4.0 * (0.0 if rng.random() < 0.2 else 1.0)
        moved.append((a, pose_a, b, (pose_b[0] + float(away[0]), pose_b[1] + float(away[1]), pose_b[2])))
    return moved


def aimed(family, listed, moves, rng):
    """The lattice's pairs, moved apart from positions where they touch or nearly touch, so that edges and corners meet on the path."""
    if family not in ("lattice", "turned", "hair"):
        return listed
    drawn = []
    for (a, pose_a, b, (x, y, angle)), (vx, vy) in zip(listed, moves.tolist(), strict=True):
        time = float(rng.choice((0.0, 0.5, 1.0, 2.0)))
        drawn.append((a, pose_a, b, (x - time * vx, y - time * vy, angle)))
    return drawn


def off_segment(ends, point):
    """Return the distance of a point from a segment or a point."""
    return root(distance_sq(nearest_on(ends[0], ends[-1], point), point))


def moved_by(core, step):
    return [(x + step[0], y + step[1]) for x, y in core]


class JudgedPath(Path):
    """A path with its rounding allowance."""

    def __init__(self, hull, radius, start, way, rounding):
        super().__init__(hull, radius, start, way)
        self.allowed, self.clearly = AT_TIME * Fraction(rounding), CLEARLY * Fraction(rounding)

    def way_out(self, time):
        """Return the vector from the position at a time to the nearest point of the hull's outline."""
        place = self.at(time)
        x, y = min((nearest_on(p, q, place) for p, q in edges_of(self.hull)), key=lambda point: distance_sq(point, place))
        return x - place[0], y - place[1]

    def judge_interval(self, first, last):
        assert 0 <= first <= last
        assert abs(self.gap(first)) <= self.allowed, ("first", float(self.gap(first)), float(self.allowed))
        assert abs(self.gap(last)) <= self.allowed, ("last", float(self.gap(last)), float(self.allowed))
        # past `last` by the whole of the hull, should it end too early
        size = max(abs(x - u) + abs(y - v) for x, y in self.hull for u, v in self.hull) + 2 * self.radius
        beyond = last + size / max(map(abs, self.way))
        if self.radius and self.nearest(beyond) < -self.clearly:
            assert self.gap((first + last) / 2) < -self.allowed
        if not self.radius:
            entry, leave = self.crossing()
            if entry is not None and self.gap((entry + leave) / 2) < -self.clearly:
                assert self.gap((first + last) / 2) < -self.allowed

    def judge_miss(self, end):
        """The path up to `end` does not clearly enter the hull."""
        assert self.nearest(end) >= -self.clearly if self.radius else True
        if not self.radius:
            entry, leave = self.crossing()
            if entry is not None and entry < end and leave > 0:
                assert self.gap((max(entry, Fraction(0)) + min(leave, end)) / 2) >= -self.clearly


def sharpness(hull):
    """1 / sin of half the sharpest angle of a polygon, as a fraction rounded up."""
    if len(hull) < 3:
        return Fraction(1)
    least = math.pi
    for before, at, after in zip(hull[-1:] + hull[:-1], hull, hull[1:] + hull[:1], strict=True):
        (ax, ay), (bx, by) = ((p[0] - at[0], p[1] - at[1]) for p in (before, after))
        least = min(least, math.atan2(float(abs(ax * by - ay * bx)), float(ax * bx + ay * by)))
    return Fraction(1.001 / math.sin(0.5 * least))


def pair_gap(cores, n):
    """Gap between the projections of two cores onto a direction from A to B."""
    return min(n[0] * x + n[1] * y for x, y in cores[1]) - max(n[0] * x + n[1] * y for x, y in cores[0])


def judge_contact(pair, path, cores, time, normal, ends):
    """The normal and the ends of the contact are those of the two cores, moved to where they are at that time.

    `ends` are one or two ends of the contact, or only its middle; returns how far the exact contact lies from them, and the bound.
    """
    step = path.way_out(time)
    length = root(step[0] ** 2 + step[1] ** 2)
    n = fractions(normal)
    assert abs(math.hypot(*normal) - 1.0) <= 4.0 * EPS64
    gap, error = abs(path.gap(time)), path.allowed
    if pair.radii:
        off = root((step[0] / length - n[0]) ** 2 + (step[1] / length - n[1]) ** 2)
        assert off <= path.allowed / length + NORMAL, ("normal", float(off), float(path.allowed / length))
    else:
        shadow_gap = pair_gap(cores, n)
        assert abs(shadow_gap) <= path.allowed, ("normal", float(shadow_gap), float(path.allowed))
        error = path.allowed * sharpness(path.hull)
    # back along the normal by A's radius a point lies on A's core, and forward by B's on B's
    for x, y in ends:
        on_a = off_outline(cores[0], (x - pair.radius_a * n[0], y - pair.radius_a * n[1]))
        on_b = off_outline(cores[1], (x + pair.radius_b * n[0], y + pair.radius_b * n[1]))
        assert on_a <= error, ("off A", float(on_a), float(error))
        assert on_b <= 2 * error + gap, ("off B", float(on_b), float(error))
    back = pair.radius_b / pair.radii if pair.radii else Fraction(0)
    shared = common_part(moved_by(cores[0], step), cores[1])
    assert 1 <= len(shared) <= 2
    surface = [(x - back * step[0], y - back * step[1]) for x, y in shared]
    return surface, max(off_segment(ends, point) for point in surface), 2 * error + gap


def posed(pose):
    return Transform(pose[:2], pose[2])


@pytest.mark.parametrize("family", FAMILIES)
def test_swept_contacts_and_shape_casts(family):
    shapes, listed = pairs_of(family, CASES, seed=1)
    rng = np.random.default_rng((7, FAMILIES.index(family)))
    t_max = 4.0
    moves_a, moves_b = velocities(family, CASES, rng), velocities(family, CASES, rng)
    moves_a[rng.random(CASES) < 0.5] = 0.0
    half = CASES // 2
    listed = spread_out(family, listed[:half], rng) + aimed(family, listed[half:], (moves_b - moves_a)[half:], rng)
    pairs = np.array([(a, b) for a, _, b, _ in listed])
    poses_a, poses_b = np.array([pose for _, pose, _, _ in listed]), np.array([pose for _, _, _, pose in listed])
    packed = batch.ShapeBatch(shapes)
    result = batch.swept_contact(packed, pairs, poses_a, moves_a, poses_b, moves_b, t_max)
    # thrown: A along its way of t_max seconds, at B at rest
    thrown = batch.shape_cast(packed, pairs, poses_a, t_max * moves_b, poses_b)
    counted = dict.fromkeys((Status.HIT, Status.MISS, Status.OVERLAPPING), 0)
    n_segments = 0
    for row, (a, pose_a, b, pose_b) in enumerate(listed):
        pair = Pair(shapes[a], posed(pose_a), shapes[b], posed(pose_b))
        v_a, v_b = fractions(moves_a[row]), fractions(moves_b[row])
        farthest = t_max * float(np.abs(moves_a[row]).sum() + np.abs(moves_b[row]).sum())
        for way_a, way_b, status, times, normal, points in (
            (
                v_a,
                v_b,
                Status(int(result.status[row])),
                (result.t_first[row], result.t_last[row]),
                result.normal[row],
                np.vstack((result.point[row], result.contact[row, : int(result.contact_count[row])])),
            ),
            (
                v_b,
                (Fraction(0), Fraction(0)),
                # a start inside is a hit at 0 without a normal
                Status.OVERLAPPING if thrown.fraction[row] == 0.0 and not thrown.normal[row].any() else Status(int(thrown.status[row])),
                (t_max * thrown.fraction[row], None),
                -thrown.normal[row],
                thrown.point[row][None],
            ),
        ):
            velocity = way_b[0] - way_a[0], way_b[1] - way_a[1]
            rounding = pair.rounding + SAT_ROUNDING * farthest
            # the origin moves against the difference q - p, which B's velocity carries along
            path = JudgedPath(pair.difference, pair.radii, (Fraction(0), Fraction(0)), (-velocity[0], -velocity[1]), rounding)
            counted[status] += 1
            if pair.gap <= 0:
                assert status is Status.OVERLAPPING
            elif pair.gap > 2 * pair.rounding:
                assert status is not Status.OVERLAPPING
            if status is Status.OVERLAPPING:
                continue
            if status is Status.MISS:
                path.judge_miss(Fraction(t_max))
                continue
            first = Fraction(times[0])
            assert abs(path.gap(first)) <= path.allowed, (row, a, b, float(path.gap(first)), float(path.allowed))
            if times[1] is not None:
                path.judge_interval(first, Fraction(times[1]))
            assert fractions(normal)[0] * velocity[0] + fractions(normal)[1] * velocity[1] <= path.allowed
            cores = moved_by(pair.a, (way_a[0] * first, way_a[1] * first)), moved_by(pair.b, (way_b[0] * first, way_b[1] * first))
            is_throw = times[1] is None  # which tells the middle only
            ends = [fractions(point) for point in (points if is_throw else points[1:])]
            exact, missed, allowed = judge_contact(pair, path, cores, first, normal, ends)
            if not is_throw:
                assert missed <= allowed, (row, a, b, float(missed), float(allowed))
                assert np.abs(points[1:].mean(axis=0) - points[0]).max() <= float(path.allowed)
                n_segments += len(exact) > 1
    assert min(counted[Status.HIT], counted[Status.MISS]) > CASES // 5
    if family == "lattice":
        assert n_segments > CASES // 100


def nearly_parallel(n, rng):
    """Nearly parallel edges, at angles of 1e-14 to 1e-8 rad, that meet within 1e-13 to 0.1 m of their ends, or exactly there."""
    shapes = [
        Polygon.box(0.5, 0.5), Polygon.box(2.0, 0.5), Polygon.box(0.25, 0.5), Polygon.box(0.5, 0.5, skin_radius=0.125),
        Polygon.box(0.5, 0.25, skin_radius=0.25), Capsule((-0.5, 0.0), (0.5, 0.0), 0.25), Capsule((-1.0, 0.0), (1.0, 0.0), 0.25),
        Segment((-1.0, 0.0), (1.0, 0.0)), Segment((-0.5, 0.0), (0.5, 0.0), 0.125),
    ]  # fmt: skip
    halves = [max(x for x, _ in corners_of(shape)[0]) for shape in shapes]
    rises = [max(y for _, y in corners_of(shape)[0]) + corners_of(shape)[1] for shape in shapes]
    pairs = rng.integers(0, len(shapes), (n, 2))
    tilt = 10.0 ** rng.uniform(-14.0, -8.0, n) * rng.choice((-1.0, 1.0), n)
    aside = 10.0 ** rng.uniform(-13.0, -1.0, n) * rng.choice((-1.0, 0.0, 1.0), n)
    moves = np.column_stack((rng.integers(-8, 9, n), rng.integers(-8, 0, n))) / 4.0
    poses = np.empty((n, 3))
    for row, (a, b) in enumerate(pairs.tolist()):
        reach = halves[a] + halves[b] if rng.random() < 0.7 else halves[a] - halves[b]
        x, y = float(rng.choice((-1.0, 1.0))) * reach + aside[row], rises[a] + rises[b] + 3.0 * abs(tilt[row]) * rng.random()
        time = float(rng.integers(0, 4)) / 2.0
        poses[row] = x - time * moves[row, 0], y - time * moves[row, 1], tilt[row]
    return shapes, pairs, poses, moves


@pytest.mark.parametrize("seed", [1, 2])
def test_swept_contacts_of_nearly_parallel_edges(seed):
    shapes, pairs, poses, moves = nearly_parallel(CASES, np.random.default_rng((9, seed)))
    t_max, rest = 4.0, np.zeros((CASES, 3))
    result = batch.swept_contact(batch.ShapeBatch(shapes), pairs, rest, rest[:, :2], poses, moves, t_max)
    hits = np.flatnonzero(result.status == Status.HIT).tolist()
    for row in hits:
        a, b = pairs[row].tolist()
        pair = Pair(shapes[a], Transform(), shapes[b], posed(poses[row]))
        (vx, vy), first = fractions(moves[row]), Fraction(result.t_first[row])
        rounding = pair.rounding + SAT_ROUNDING * t_max * float(np.abs(moves[row]).sum())
        path = JudgedPath(pair.difference, pair.radii, (Fraction(0), Fraction(0)), (-vx, -vy), rounding)
        path.judge_interval(first, Fraction(result.t_last[row]))
        cores, ends = (pair.a, moved_by(pair.b, (vx * first, vy * first))), result.contact[row, : int(result.contact_count[row])]
        _, missed, allowed = judge_contact(pair, path, cores, first, result.normal[row], [fractions(end) for end in ends])
        assert missed <= allowed, (row, a, b, float(missed), float(allowed))
    assert len(hits) > CASES // 2


@pytest.mark.parametrize("family", FAMILIES)
def test_rays_and_points(family):
    shapes, listed = pairs_of(family, CASES, seed=2)
    rng = np.random.default_rng((8, FAMILIES.index(family)))
    indices = np.array([a for a, _, _, _ in listed])
    poses = np.array([pose for _, pose, _, _ in listed])
    # from where B would stand
    origins = np.array([pose[:2] for _, _, _, pose in listed])
    ways = velocities(family, CASES, rng)
    packed = batch.ShapeBatch(shapes)
    result = batch.ray_cast(packed, indices, poses, origins, ways)
    inside = batch.contains(packed, indices, poses, origins)
    hits = 0
    for row, (a, pose, _, _) in enumerate(listed):
        shape, radius = shapes[a], Fraction(corners_of(shapes[a])[1])
        corners = world_corners(shape, posed(pose))
        start, way = fractions(origins[row]), fractions(ways[row])
        u = SAT_ROUNDING * (np.abs(poses[row, :2]).sum() + np.abs(origins[row]).sum() + np.abs(ways[row]).sum() + reach_of(shape))
        path = JudgedPath(hull_of(corners), radius, start, way, u)
        gap = path.gap(Fraction(0))
        if gap <= 0:
            assert inside[row]
        elif gap > 2 * Fraction(u):
            assert not inside[row]
        if inside[row]:
            assert (result.status[row], result.fraction[row], result.normal[row].tolist()) == (Status.HIT, 0.0, [0.0, 0.0])
            continue
        if result.status[row] == Status.MISS:
            path.judge_miss(Fraction(1))
            continue
        hits += 1
        first = Fraction(result.fraction[row])
        at_corner = path.allowed * sharpness(path.hull) if not radius else path.allowed
        assert -path.allowed <= path.gap(first) <= at_corner, (row, a, float(path.gap(first)), float(path.allowed))
        point = path.at(first)
        assert all(abs(Fraction(result.point[row, k]) - point[k]) <= path.allowed for k in range(2))
        # the first touch: no earlier part of the way enters
        if path.radius:
            assert path.nearest(first) >= -path.allowed
        nx, ny = fractions(result.normal[row])
        assert abs(math.hypot(*result.normal[row]) - 1.0) <= 4.0 * EPS64
        assert nx * way[0] + ny * way[1] <= path.allowed
        if isinstance(shape, Segment) and not radius:
            continue  # the bare end of a line faces the ray
        support = max(nx * x + ny * y for x, y in corners)
        assert abs(nx * point[0] + ny * point[1] - support - radius) <= at_corner, (row, a)
    assert hits > CASES // 25


def test_the_referee_finds_faults():
    """The referee rejects a first contact that is late by more than the bound, the last contact in its place, and a false miss."""
    box = hull_of([(Fraction(x), Fraction(y)) for x, y in ((0, 0), (2, 0), (2, 2), (0, 2))])
    for radius in (Fraction(0), Fraction(1)):
        path = JudgedPath(box, radius, (Fraction(-3), Fraction(1)), (Fraction(1), Fraction(0)), 1e-15)
        first, last = 3 - radius, 5 + radius
        path.judge_interval(first, last)
        for wrong in ((first + Fraction(1, 10**12), last), (first, last - Fraction(1, 10**12)), (last, last), (first, first)):
            with pytest.raises(AssertionError):
                path.judge_interval(*wrong)
        with pytest.raises(AssertionError):
            path.judge_miss(Fraction(10))
        path.judge_miss(Fraction(1))
    assert root(Fraction(4)) == 2


def test_the_referee_finds_wrong_contacts():
    """The referee rejects a normal off by 1e-9, a point that far from a surface, and half of a contact."""
    pair = Pair(Capsule((-1.0, 0.0), (1.0, 0.0), 0.25), Transform(), Segment((-0.5, 0.0), (0.5, 0.0)), Transform((0.0, 1.25)))
    path = JudgedPath(pair.difference, pair.radii, (Fraction(0), Fraction(0)), (Fraction(0), Fraction(1)), pair.rounding)
    time, level, half = Fraction(1), Fraction(1, 4), Fraction(1, 2)
    cores, right = (pair.a, moved_by(pair.b, (Fraction(0), -time))), [(-half, level), (half, level)]
    exact, missed, allowed = judge_contact(pair, path, cores, time, (0.0, 1.0), right)
    assert (exact, missed) == (right, 0)
    assert judge_contact(pair, path, cores, time, (0.0, 1.0), right[:1])[1] > allowed
    off = Fraction(1, 10**9)
    for normal, ends in (((1e-9, 1.0), right), ((0.0, 1.0), [(-half, level), (half + off, level)]), ((0.0, 1.0), [(-half, level + off)])):
        with pytest.raises(AssertionError):
            judge_contact(pair, path, cores, time, normal, ends)
