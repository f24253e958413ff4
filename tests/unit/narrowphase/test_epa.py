"""EPA: worked examples for every pair of shapes, containment, degenerate starts, SAT's depth, trace and bad input."""

import itertools
import math

import numpy as np
import pytest

from engine.compare.cases import case_chunk
from engine.contracts import PenetrationResult, Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.query import batch
from engine.query.pairs import distance, penetration

HERE = Transform()
BOX = Polygon.box(0.5, 0.5)
SKINNED = Polygon.box(0.5, 0.5, skin_radius=0.1)
SMALL = Polygon.box(0.1, 0.1)
NEEDLE = Polygon.box(1.0, 0.001)
DISC = Circle(0.5)
ROD = Capsule((-1.0, 0.0), (1.0, 0.0), 0.25)
LINE = Segment((-1.0, 0.0), (1.0, 0.0))
POINT = Segment((0.0, 0.0), (0.0, 0.0))
EPS = 1e-14  # meters


@pytest.mark.parametrize(
    ("a", "b", "there", "depth", "normal"),
    [
        (BOX, BOX, Transform((0.75, 0.1)), 0.25, (1.0, 0.0)),
        (BOX, BOX, Transform((-0.1, -0.75)), 0.25, (0.0, -1.0)),
        (BOX, SMALL, Transform((0.3, 0.0)), 0.3, (1.0, 0.0)),  # one inside the other
        (BOX, DISC, Transform((0.25, 0.1)), 0.75, (1.0, 0.0)),
        (SKINNED, SKINNED, Transform((0.0, 0.9)), 0.3, (0.0, 1.0)),
        (SKINNED, BOX, Transform((1.05, 0.0)), 0.05, (1.0, 0.0)),  # skins only
        (ROD, ROD, Transform((0.0, 0.1), 0.0), 0.4, (0.0, 1.0)),
        (ROD, ROD, Transform((0.5, 0.0), math.pi / 2.0), 1.0, (1.0, 0.0)),  # crossed: half a length and both radii
        (ROD, DISC, Transform((0.2, 0.0)), 0.75, None),  # a center on the core: either side
        (LINE, LINE, Transform((0.25, 0.5), math.pi / 2.0), 0.5, (0.0, 1.0)),
        (LINE, LINE, HERE, 0.0, None),  # one on the other: no depth
        (LINE, BOX, Transform((0.2, 0.4)), 0.1, (0.0, 1.0)),
        (POINT, BOX, Transform((0.4, 0.1)), 0.1, (1.0, 0.0)),
        (POINT, DISC, Transform((0.3, 0.4)), 0.0, (0.6, 0.8)),
        (DISC, DISC, Transform((0.3, 0.4)), 0.5, (0.6, 0.8)),
        (DISC, DISC, HERE, 1.0, None),  # concentric: any direction
        (NEEDLE, NEEDLE, Transform((0.5, 0.0)), 0.002, None),
        (NEEDLE, BOX, Transform((0.0, 0.25)), 0.251, (0.0, 1.0)),
        (BOX, BOX, HERE, 1.0, None),
        (BOX, BOX, Transform((1.0, 1.0)), 0.0, None),  # corners touch
        (BOX, BOX, Transform((1.0, 0.0)), 0.0, (1.0, 0.0)),
    ],
)
def test_worked_examples(a, b, there, depth, normal):
    for result, sign in ((penetration(a, HERE, b, there), 1.0), (penetration(b, there, a, HERE), -1.0)):
        assert result.depth == pytest.approx(depth, abs=EPS) and result.depth >= 0.0
        assert result.status is (Status.OVERLAPPING if depth > 0.0 else Status.TOUCHING)
        assert math.hypot(*result.normal) == pytest.approx(1.0, abs=EPS)
        if normal is not None:
            assert result.normal == pytest.approx((sign * normal[0], sign * normal[1]), abs=EPS)
        moved = [p - result.depth * n for p, n in zip(result.point_a, result.normal, strict=True)]
        assert result.point_b == pytest.approx(moved, abs=EPS)


def test_witness_points_are_the_middle_of_the_common_part_of_two_edges():
    result = penetration(BOX, HERE, Polygon.box(1.0, 0.25), Transform((0.75, 0.6)))
    assert result.point_a == pytest.approx((0.125, 0.5)) and result.point_b == pytest.approx((0.125, 0.35))


@pytest.mark.parametrize(("a", "b"), [(BOX, BOX), (BOX, DISC), (ROD, LINE), (POINT, POINT)])
def test_separated_shapes_have_no_depth(a, b):
    result = penetration(a, HERE, b, Transform((5.0, 1.0)))
    assert result == PenetrationResult(Status.SEPARATED, 0.0, None, None, None)


def test_the_depth_equals_that_of_sat():
    """The greatest separation over all edges of both, by the exact rule of manifolds, is minus the depth."""
    for seed in (1, 2):
        cases = case_chunk(seed, 0)
        shapes = batch.ShapeBatch(cases.shapes)
        result = batch.penetration(shapes, cases.pairs, cases.poses_a, cases.poses_b)
        sat = batch.manifold(shapes, cases.pairs, cases.poses_a, cases.poses_b)
        overlapping = (result.status == Status.OVERLAPPING) & (sat.axis_separation < 0.0)
        assert overlapping.sum() > 4000
        assert not (result.status == Status.OUT_OF_ITERATIONS).any()
        assert np.array_equal(result.status != Status.SEPARATED, batch.overlap(shapes, cases.pairs, cases.poses_a, cases.poses_b))
        far = np.abs(cases.poses_a[:, :2]).sum(axis=1) + np.abs(cases.poses_b[:, :2]).sum(axis=1)
        error = np.abs(result.depth + sat.axis_separation)[overlapping]
        assert (error <= 1e-14 * (4.0 + far[overlapping])).all()


def test_polygons_of_many_corners():
    for n in (3, 16, 64, 200):
        round_one = Polygon.regular(n, 1.0)
        for x, y, angle in ((0.0, 0.0, 0.0), (0.1, 0.05, 0.3), (1.0, 0.3, 0.1), (1.9, 0.1, 0.0)):
            result = penetration(round_one, HERE, round_one, Transform((x, y), angle))
            assert result.status in (Status.OVERLAPPING, Status.SEPARATED, Status.TOUCHING)
            if n == 200:
                assert result.depth == pytest.approx(max(0.0, 2.0 - math.hypot(x, y)), abs=1e-3)


def test_moving_deeply_overlapping_shapes_by_the_depth_leaves_contact():
    big = Polygon.regular(9, 5.0)
    for shape, x, angle in itertools.product((SMALL, DISC, ROD, LINE, NEEDLE, POINT, big), (0.0, 1.0, 3.3), (0.0, 0.5)):
        there = Transform((x, 0.2), angle)
        result = penetration(big, HERE, shape, there)
        moved = [p + result.depth * n for p, n in zip(there.position, result.normal, strict=True)]
        assert distance(big, HERE, shape, Transform(tuple(moved), angle)).status is Status.TOUCHING


def test_lengths_whose_squares_overflow_or_underflow_are_reported():
    result = penetration(Circle(1e200), HERE, Circle(1e200), HERE)
    assert result.status is Status.DEGENERATE and math.isnan(result.depth) and result.normal is None
