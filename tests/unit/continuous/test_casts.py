"""Ray casts, points, shape casts and swept contact of all kinds of shapes."""

import math

import numpy as np
import pytest

from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Sweep, Transform
from engine.query import batch_casts, time_of_impact
from engine.query.casts import contains, ray_cast, shape_cast, swept_contact
from engine.query.shape_batch import ShapeBatch

HERE = Transform()
REST = (0.0, 0.0)
NEAR = 1e-9


def point_gaps(shape, xf, points):
    """Signed distance of world points (k, 2) from the surface; some negative number inside a polygon's core. By brute force."""
    if isinstance(shape, Circle):
        core, radius = np.array([shape.center]), shape.radius
    elif isinstance(shape, Polygon):
        core, radius = shape.vertices, shape.skin_radius
    else:
        core, radius = np.array([shape.p1, shape.p2]), shape.radius if isinstance(shape, Capsule) else shape.skin_radius
    a = xf.apply_array(core)
    e = np.roll(a, -1, axis=0) - a
    to = np.asarray(points)[:, None] - a
    length_sq = (e * e).sum(axis=1)
    share = np.clip((to * e).sum(axis=2) / np.where(length_sq > 0.0, length_sq, 1.0), 0.0, 1.0)
    gap = np.linalg.norm(to - share[..., None] * e, axis=2).min(axis=1)
    if len(core) > 2:
        beside = (e[:, 0] * to[..., 1] - e[:, 1] * to[..., 0]) / np.sqrt(length_sq)
        gap = np.where(beside.min(axis=1) >= 0.0, -beside.min(axis=1), gap)
    return gap - radius


def random_shape(rng, size=1.0):
    p1, p2 = (tuple(size * rng.uniform(-0.6, 0.6, 2)) for _ in range(2))
    skin = float(rng.choice([0.0, 0.05 * size]))
    return [
        Circle(size * float(rng.uniform(0.1, 0.6)), p1),
        Capsule(p1, p2, size * float(rng.uniform(0.05, 0.3))),
        Segment(p1, p2, skin),
        Polygon.box(size * float(rng.uniform(0.2, 1.0)), size * float(rng.uniform(0.01, 0.6)), skin_radius=skin),
        Polygon.regular(int(rng.integers(3, 9)), size * float(rng.uniform(0.2, 0.8)), skin_radius=skin),
    ][rng.integers(0, 5)]


def random_pose(rng, size=1.0, origin=0.0):
    return Transform(tuple(origin + size * rng.uniform(-1, 1, 2)), float(rng.uniform(-3, 3)))


BOX = Polygon.box(1.0, 1.0)


@pytest.mark.parametrize(
    ("shape", "origin", "translation", "fraction", "normal"),
    [
        (Circle(1.0), (-3.0, 0.0), (4.0, 0.0), 0.5, (-1.0, 0.0)),
        (Circle(1.0), (-3.0, 1.0), (6.0, 0.0), 0.5, (0.0, 1.0)),  # a graze
        (BOX, (-3.0, 0.5), (4.0, 0.0), 0.5, (-1.0, 0.0)),
        (BOX, (-3.0, 1.0), (4.0, 0.0), 0.5, (-1.0, 0.0)),  # along a side
        (BOX, (-2.0, 0.0), (2.0, 2.0), 0.5, None),  # through a corner
        (BOX, (-3.0, 0.0), (2.0, 0.0), 1.0, (-1.0, 0.0)),  # just reaches
        (Polygon.box(1.0, 1.0, skin_radius=0.5), (-3.5, 0.0), (4.0, 0.0), 0.5, (-1.0, 0.0)),
        (Polygon.box(1.0, 1.0, skin_radius=0.5), (-3.0, 3.0), (4.0, -4.0), (2.0 - math.sqrt(0.125)) / 4.0,
         (-math.sqrt(0.5), math.sqrt(0.5))),
        (Capsule((-1.0, 0.0), (1.0, 0.0), 0.5), (0.25, 2.5), (0.0, -4.0), 0.5, (0.0, 1.0)),
        (Capsule((-1.0, 0.0), (1.0, 0.0), 0.5), (3.5, 0.0), (-4.0, 0.0), 0.5, (1.0, 0.0)),
        (Capsule((0.0, 0.0), (0.0, 0.0), 1.0), (3.0, 0.0), (-4.0, 0.0), 0.5, (1.0, 0.0)),
        (Segment((-1.0, 0.0), (1.0, 0.0)), (0.25, 2.0), (0.0, -4.0), 0.5, (0.0, 1.0)),
        (Segment((-1.0, 0.0), (1.0, 0.0)), (0.25, -2.0), (0.0, 4.0), 0.5, (0.0, -1.0)),
        (Segment((-1.0, 0.0), (1.0, 0.0)), (3.0, 0.0), (-4.0, 0.0), 0.5, (1.0, 0.0)),  # along it
        (Segment((0.0, 0.0), (0.0, 0.0)), (3.0, 0.0), (-6.0, 0.0), 0.5, (1.0, 0.0)),
    ],
)  # fmt: skip
def test_rays_computed_by_hand(shape, origin, translation, fraction, normal):
    hit = ray_cast(shape, HERE, origin, translation)
    assert hit.status is Status.HIT
    assert hit.fraction == pytest.approx(fraction, abs=1e-12)
    assert hit.point == pytest.approx(np.add(origin, np.multiply(fraction, translation)), abs=1e-12)
    if normal is not None:
        assert hit.normal == pytest.approx(normal, abs=1e-12)
    assert ray_cast(shape, HERE, origin, np.multiply(fraction * 0.999, translation)).status is Status.MISS


@pytest.mark.parametrize("shape", [Circle(1.0), BOX, Capsule((-1.0, 0.0), (1.0, 0.0), 0.5), Segment((-1.0, 0.0), (1.0, 0.0))])
def test_rays_that_miss_or_start_inside(shape):
    for origin, translation in (((-3.0, 2.0), (6.0, 0.0)), ((-3.0, 0.0), (-4.0, 0.0)), ((-3.0, 0.0), (1.4, 0.0)), ((3.0, 3.0), REST)):
        miss = ray_cast(shape, HERE, origin, translation)
        assert (miss.status, miss.fraction, miss.point, miss.normal) == (Status.MISS, math.inf, None, None)
    for translation in ((1.0, 0.0), REST):
        inside = ray_cast(shape, HERE, REST, translation)
        assert (inside.status, inside.fraction, inside.point, inside.normal) == (Status.HIT, 0.0, REST, None)


@pytest.mark.parametrize(("size", "origin"), [(1.0, 0.0), (1e-3, 0.0), (1e3, 0.0), (1.0, 1e5)])
def test_rays_and_points_against_sampling(size, origin):
    rng = np.random.default_rng(21)
    rounding = 1e-13 * (size + origin)
    n_hits = 0
    for _ in range(200):
        shape, xf = random_shape(rng, size), random_pose(rng, size, origin)
        start = origin + size * rng.uniform(-3, 3, 2)
        way = rng.uniform(0.5, 2.0) * (xf.position - start) + size * rng.uniform(-0.7, 0.7, 2)
        hit = ray_cast(shape, xf, tuple(start), tuple(way))
        t = np.linspace(0.0, 1.0, 1500)
        gap = point_gaps(shape, xf, start + t[:, None] * way)
        if hit.status is Status.MISS:
            assert gap.min() > -rounding
        elif hit.normal is None:
            assert gap[0] <= rounding
        else:
            n_hits += 1
            assert gap[t < hit.fraction].min() >= -rounding
            assert abs(point_gaps(shape, xf, [hit.point])[0]) <= 100.0 * rounding
            assert math.hypot(*hit.normal) == pytest.approx(1.0)
            lifted = np.add(hit.point, np.multiply(0.01 * size, hit.normal))
            assert point_gaps(shape, xf, [lifted])[0] == pytest.approx(0.01 * size, rel=1e-3) or isinstance(shape, Segment)
        for k in (0, 700):
            if abs(gap[k]) > rounding:
                assert contains(shape, xf, tuple(start + t[k] * way)) == bool(gap[k] < 0.0)
    assert n_hits > 20


def test_the_boundary_is_inside():
    assert contains(BOX, HERE, (1.0, 1.0)) and contains(BOX, HERE, (1.0, 0.3)) and not contains(BOX, HERE, (1.0 + NEAR, 0.0))
    rounded = Polygon.box(1.0, 1.0, skin_radius=0.5)
    corner = 1.0 + 0.5 * math.sqrt(0.5)
    assert contains(rounded, HERE, (corner, corner)) and not contains(rounded, HERE, (corner + NEAR, corner))
    assert contains(Segment((-1.0, 0.0), (1.0, 0.0)), HERE, (0.3, 0.0)) and not contains(Segment((-1.0, 0.0), (1.0, 0.0)), HERE, (1.1, 0.0))
    turned = Transform((1e4, -1e4), 0.7)
    assert contains(BOX, turned, turned.apply((1.0, 0.25)))


@pytest.mark.parametrize(
    ("a", "b", "start", "velocity", "t_first", "points"),
    [
        (BOX, BOX, (4.0, 0.5), (-2.0, 0.0), 1.0, ((1.0, -0.5), (1.0, 1.0))),
        (BOX, Polygon.box(0.25, 0.25), (3.25, 0.5), (-2.0, 0.0), 1.0, ((1.0, 0.25), (1.0, 0.75))),
        (BOX, BOX, (4.0, 2.0), (-2.0, 0.0), 1.0, ((1.0, 1.0),)),  # corner to corner
        (BOX, Circle(1.0), (4.0, 0.5), (-2.0, 0.0), 1.0, ((1.0, 0.5),)),
        (BOX, Capsule((0.0, -0.5), (0.0, 0.5), 0.5), (3.5, 0.0), (-2.0, 0.0), 1.0, ((1.0, -0.5), (1.0, 0.5))),
        (BOX, Capsule((0.0, 0.0), (1.0, 0.0), 0.5), (3.5, 0.0), (-2.0, 0.0), 1.0, ((1.0, 0.0),)),
        (BOX, Segment((0.0, -3.0), (0.0, 3.0)), (3.0, 0.0), (-2.0, 0.0), 1.0, ((1.0, -1.0), (1.0, 1.0))),
        (BOX, Segment((0.0, 0.0), (0.0, 0.0)), (3.0, 0.0), (-2.0, 0.0), 1.0, ((1.0, 0.0),)),
        (Segment((0.0, -1.0), (0.0, 1.0)), Segment((0.0, 0.0), (0.0, 3.0)), (2.0, 0.0), (-2.0, 0.0), 1.0, ((0.0, 0.0), (0.0, 1.0))),
        (Segment((-1.0, 0.0), (1.0, 0.0)), Segment((-1.0, 0.0), (1.0, 0.0)), (4.0, 0.0), (-2.0, 0.0), 1.0, ((1.0, 0.0),)),  # one line
        (Segment((-1.0, 0.0), (1.0, 0.0)), Segment((0.0, -1.0), (0.0, 1.0)), (0.5, 3.0), (0.0, -2.0), 1.0, ((0.5, 0.0),)),
        (Segment((0.0, 0.0), (0.0, 0.0)), Segment((0.0, 0.0), (0.0, 0.0)), (2.0, 0.0), (-2.0, 0.0), 1.0, ((0.0, 0.0),)),
        (Capsule((-1.0, 0.0), (1.0, 0.0), 0.5), Capsule((-1.0, 0.0), (1.0, 0.0), 0.5), (1.0, 3.0), (0.0, -2.0), 1.0,
         ((0.0, 0.5), (1.0, 0.5))),
    ],
)  # fmt: skip
def test_contact_sets(a, b, start, velocity, t_first, points):
    hit = swept_contact(a, HERE, REST, b, Transform(start), velocity, 100.0)
    back = swept_contact(b, Transform(start), velocity, a, HERE, REST, 100.0)
    for result in (hit, back):
        assert result.status is Status.HIT and result.t_first == pytest.approx(t_first)
        assert result.contact_set.status is Status.TOUCHING and result.contact_set.normal == result.normal
        assert np.array(sorted(result.contact_set.points)) == pytest.approx(np.array(sorted(points)), abs=NEAR)
        assert result.point == pytest.approx(np.mean(points, axis=0), abs=NEAR)
    assert back.normal == pytest.approx(np.negative(hit.normal))
    gone = swept_contact(a, HERE, REST, b, Transform(start), np.negative(velocity), 100.0)
    assert (gone.contact_set.status, gone.contact_set.points) == (Status.SEPARATED, ())


def test_swept_contact_of_all_shapes_against_the_time_of_impact():
    rng = np.random.default_rng(5)
    n_hits = 0
    for _ in range(400):
        a, b, xf_a, xf_b = random_shape(rng), random_shape(rng), random_pose(rng, 1.5), random_pose(rng, 1.5)
        way = rng.uniform(-4, 4, 2)
        swept = swept_contact(a, xf_a, REST, b, xf_b, tuple(way), 1.0)
        there = Transform(tuple(np.add(xf_b.position, way)), xf_b.angle)
        impact = time_of_impact(a, Sweep(xf_a, xf_a), b, Sweep(xf_b, there))
        assert swept.status is impact.status
        if swept.status is Status.HIT:
            n_hits += 1
            assert impact.fraction <= swept.t_first + 1e-14
            # the advancement stops where the gap is a nanometer: at a graze that is some time before
            at = Transform(tuple(np.add(xf_b.position, swept.t_first * way)), xf_b.angle)
            for p in swept.contact_set.points:
                assert abs(point_gaps(a, xf_a, [p])[0]) < NEAR and abs(point_gaps(b, at, [p])[0]) < NEAR
            cast = shape_cast(b, xf_b, tuple(way), a, xf_a)
            assert (cast.status, cast.fraction, cast.point, cast.normal) == (Status.HIT, swept.t_first, swept.point, swept.normal)
            assert swept.t_first - impact.fraction < 1e-4
    assert n_hits > 40


def test_shape_cast_from_inside_and_past():
    inside = shape_cast(Circle(1.0), HERE, (5.0, 0.0), BOX, HERE)
    assert (inside.status, inside.fraction, inside.point, inside.normal) == (Status.HIT, 0.0, None, None)
    past = shape_cast(Circle(1.0), Transform((-5.0, 2.5)), (10.0, 0.0), BOX, HERE)
    assert (past.status, past.fraction, past.point, past.normal) == (Status.MISS, math.inf, None, None)


def test_a_batch_of_shape_casts_matches_the_scalar_form_to_the_bit():
    """`tests/unit/query/test_batch.py` checks the other queries."""
    rng = np.random.default_rng(6)
    n = 120
    listed = [random_shape(rng) for _ in range(30)]
    pairs, ways = rng.integers(0, 30, (n, 2)), rng.uniform(-5, 5, (n, 2))
    xfs_a, xfs_b = ([random_pose(rng, 2.0) for _ in range(n)] for _ in range(2))
    rows_a, rows_b = ([(*xf.position, xf.angle) for xf in xfs] for xfs in (xfs_a, xfs_b))
    casts = batch_casts.shape_cast(ShapeBatch(listed), pairs, rows_a, ways, rows_b)
    for i, (a, b) in enumerate(pairs.tolist()):
        alone = shape_cast(listed[a], xfs_a[i], tuple(ways[i]), listed[b], xfs_b[i])
        assert (casts.status[i], casts.fraction[i]) == (alone.status, alone.fraction)
        assert tuple(casts.normal[i]) == (alone.normal or (0.0, 0.0))
        assert alone.point is None or tuple(casts.point[i]) == alone.point
