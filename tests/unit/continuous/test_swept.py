"""Swept contact of translating shapes: worked examples for every pair in both orders, and comparison with dense sampling."""

import math

import numpy as np
import pytest

from engine.common.tolerances import SAT_ROUNDING
from engine.compare.cases import random_shapes
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.query import batch, overlap, swept_contact

BOX = Polygon.box(0.5, 0.5)
DISC = Circle(0.5)
SKINNED = Polygon.box(0.5, 0.5, skin_radius=0.1)
REST = (0.0, 0.0)
HERE = Transform()


@pytest.mark.parametrize(
    ("a", "b", "start", "velocity", "t_first", "t_last", "normal"),
    [
        (BOX, BOX, (3.0, 0.0), (-2.0, 0.0), 1.0, 2.0, (1.0, 0.0)),
        (BOX, BOX, (3.0, 4.5), (-1.0, -1.5), 7.0 / 3.0, 11.0 / 3.0, (0.0, 1.0)),
        (BOX, DISC, (3.0, 0.0), (-2.0, 0.0), 1.0, 2.0, (1.0, 0.0)),
        (BOX, DISC, (3.5, 4.5), (-3.0, -4.0), 0.9, None, (0.6, 0.8)),  # straight at the corner
        (DISC, DISC, (3.0, 0.0), (-2.0, 0.0), 1.0, 2.0, (1.0, 0.0)),
        (DISC, DISC, (3.0, 1.0), (-1.0, 0.0), 3.0, 3.0, (0.0, 1.0)),  # a graze
        (SKINNED, BOX, (3.1, 0.0), (-2.0, 0.0), 1.0, 2.1, (1.0, 0.0)),
        (SKINNED, SKINNED, (3.2, 0.2), (-2.0, 0.0), 1.0, 2.2, (1.0, 0.0)),
        (SKINNED, DISC, (3.1, 0.0), (-2.0, 0.0), 1.0, 2.1, (1.0, 0.0)),
    ],
)
def test_worked_examples(a, b, start, velocity, t_first, t_last, normal):
    hit = swept_contact(a, HERE, REST, b, Transform(start), velocity, 100.0)
    assert hit.status is Status.HIT
    assert hit.t_first == pytest.approx(t_first)
    assert hit.normal == pytest.approx(normal)
    if t_last is not None:
        assert hit.t_last == pytest.approx(t_last)
    # the other way round, and with the motion shared out
    drift = (7.0, -3.0)
    back = swept_contact(b, Transform(start), (velocity[0] + drift[0], velocity[1] + drift[1]), a, HERE, drift, 100.0)
    assert back.t_first == pytest.approx(t_first)
    assert back.normal == pytest.approx((-normal[0], -normal[1]))
    assert back.point == pytest.approx((hit.point[0] + drift[0] * t_first, hit.point[1] + drift[1] * t_first))


@pytest.mark.parametrize("shape", [BOX, DISC, SKINNED])
def test_misses(shape):
    gone = swept_contact(shape, HERE, REST, DISC, Transform((3.0, 0.0)), (1.0, 0.0), 10.0)
    late = swept_contact(shape, HERE, REST, DISC, Transform((3.0, 0.0)), (-1.0, 0.0), 1.0)
    past = swept_contact(shape, HERE, REST, DISC, Transform((3.0, 2.0)), (-1.0, 0.0), 10.0)
    still = swept_contact(shape, HERE, (1.0, 1.0), DISC, Transform((3.0, 2.0)), (1.0, 1.0), 10.0)
    for miss in (gone, late, past, still):
        assert (miss.status, miss.t_first, miss.t_last, miss.normal, miss.point) == (Status.MISS, math.inf, math.inf, None, None)


@pytest.mark.parametrize("shape", [BOX, DISC, SKINNED])
def test_overlap_at_the_start(shape):
    result = swept_contact(shape, HERE, REST, BOX, Transform((0.5, 0.0)), (1.0, 0.0), 1.0)
    assert (result.status, result.t_first, result.normal) == (Status.OVERLAPPING, 0.0, None)
    assert result.t_last == pytest.approx(0.6 if shape is SKINNED else 0.5)
    assert swept_contact(shape, HERE, REST, BOX, HERE, REST, 1.0).t_last == math.inf


def test_an_edge_is_not_mistaken_for_the_arc_at_its_end():
    """When the two tied within rounding, the arc's normal was wrong, and the point half a meter from the contact."""
    capsule, segment = Capsule((-0.5, 0.0), (0.5, 0.0), 0.25), Segment((-1.0, 0.0), (1.0, 0.0))
    hit = swept_contact(capsule, Transform((0.5, -1.0)), (0.25, 1.0), segment, Transform((2.0, -1.250000000004223)), (0.0, 1.75), 4.0)
    assert hit.normal == (0.0, -1.0)
    assert hit.point == pytest.approx((1.0, -1.25), abs=1e-11)
    triangle, start = Polygon([(-0.5, 0.0), (0.5, 0.0), (0.0, 0.75)], 0.125), (0.24999999999997408, 0.125000000191729)
    hit = swept_contact(BOX, Transform((0.25, -0.5)), (-2.0, 1.0), triangle, Transform(start, 1.276544150201861e-10), (0.0, -0.75), 4.0)
    assert hit.normal == (0.0, 1.0)
    assert hit.point == pytest.approx((-0.25, 0.0), abs=1e-9)


def test_corners_that_meet_with_a_wide_skin():
    """The arc is so flat that several corners may be foremost along its normal within rounding; the correct one is the arc's center."""
    wide = Polygon.box(0.5, 0.5, skin_radius=1000.0)
    angle = 1e-13
    nx, ny = math.sin(angle), math.cos(angle)
    hit = swept_contact(wide, HERE, REST, BOX, Transform((1.0 + 1000.0 * nx, 1001.0 * ny + 1.0)), (0.0, -1.0), 10.0)
    rounding = 4.0 * SAT_ROUNDING * 4000.0  # scale: a position and two extents of some 1,000 m, rounded up
    assert hit.normal == pytest.approx((nx, ny), abs=rounding / 1000.0)
    assert hit.point == pytest.approx((0.5 + 1000.0 * nx, 1000.5), abs=rounding, rel=0.0)
    assert len(hit.contact_set.points) == 1


def test_a_fast_bullet_keeps_its_precision():
    hit = swept_contact(Circle(1.0), HERE, REST, Circle(1e-3), Transform((1e4, 1.0)), (-1e5, 0.0), 1.0)
    assert hit.t_first == pytest.approx((1e4 - math.sqrt(1.001**2 - 1.0)) / 1e5, rel=1e-14)


def test_against_sampling():
    rng = np.random.default_rng(8)
    shapes = [Polygon(s.vertices, 0.05) if isinstance(s, Polygon) and i % 2 else s for i, s in enumerate(random_shapes(rng, 40))]
    n_hits = 0
    for _ in range(150):
        a, b = (shapes[i] for i in rng.integers(0, len(shapes), 2))
        xf_a = Transform(tuple(rng.uniform(-1, 1, 2)), float(rng.uniform(-3, 3)))
        start, angle, velocity = rng.uniform(-4, 4, 2), float(rng.uniform(-3, 3)), rng.uniform(-3, 3, 2)
        result = swept_contact(a, xf_a, REST, b, Transform(tuple(start), angle), tuple(velocity), 2.0)

        def touches(t, a=a, xf_a=xf_a, b=b, start=start, angle=angle, velocity=velocity):
            return overlap(a, xf_a, b, Transform(tuple(start + t * velocity), angle))

        if result.status is Status.MISS:
            assert not any(touches(t) for t in np.linspace(0.0, 2.0, 60))
        elif result.status is Status.HIT:
            n_hits += 1
            late = min(result.t_last, 2.0)
            assert not any(touches(t) for t in np.linspace(0.0, result.t_first - 1e-9, 20))
            assert not touches(result.t_last + 1e-9)
            inside = np.linspace(result.t_first, late, 7)[1:-1]
            assert all(touches(t) for t in inside)
            there = Transform(tuple(start + result.t_first * velocity), angle)
            assert overlap(Circle(1e-9), Transform(result.point), a, xf_a)
            assert overlap(Circle(1e-9), Transform(result.point), b, there)
        else:
            assert touches(0.0)
    assert n_hits >= 10


def test_points_past_the_count_are_zero():
    rng = np.random.default_rng(10)
    shapes = batch.ShapeBatch(random_shapes(rng, 30))
    pairs, (start_a, start_b) = rng.integers(0, 30, (100, 2)), rng.uniform(-3.0, 3.0, (2, 100, 3))
    moves = rng.uniform(-4.0, 4.0, (2, 100, 2))
    full = batch.swept_contact(shapes, pairs, start_a, moves[0], start_b, moves[1], 1.0)
    past = np.arange(2) >= full.contact_count[:, None]
    assert (full.contact[past] == 0.0).all() and full.contact.any()
