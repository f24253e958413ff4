"""GJK: worked examples for every pair of shapes in both orders, all statuses, warm start, trace, and bad input."""

import dataclasses
import math

import numpy as np
import pytest

from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.narrowphase._distance_kernel import distance_one
from engine.narrowphase._gjk_kernel import TRIANGLE_SIZE
from engine.narrowphase.scratch import core_of
from engine.query.pairs import distance

HERE = Transform()
BOX = Polygon.box(0.5, 0.5)
SKINNED = Polygon.box(0.5, 0.5, skin_radius=0.1)
NEEDLE = Polygon.box(1.0, 0.001)
DISC = Circle(0.5)
ROD = Capsule((-1.0, 0.0), (1.0, 0.0), 0.25)
LINE = Segment((-1.0, 0.0), (1.0, 0.0))
POINT = Segment((0.0, 0.0), (0.0, 0.0))
BALL = Capsule((0.0, 0.0), (0.0, 0.0), 0.5)
EPS = 1e-14  # meters: some roundings of numbers about 5


@pytest.mark.parametrize(
    ("a", "b", "there", "separation", "normal"),
    [
        (DISC, DISC, Transform((3.0, 4.0)), 4.0, (0.6, 0.8)),
        (BOX, DISC, Transform((3.0, 0.25)), 2.0, (1.0, 0.0)),
        (BOX, DISC, Transform((3.5, 4.5)), 4.5, (0.6, 0.8)),
        (BOX, BOX, Transform((3.0, 0.25)), 2.0, (1.0, 0.0)),  # parallel edges
        (BOX, BOX, Transform((4.0, 5.0)), 5.0, (0.6, 0.8)),  # corner to corner
        (BOX, BOX, Transform((2.0, 0.0), math.pi / 4.0), 1.5 - math.sqrt(0.5), (1.0, 0.0)),
        (SKINNED, SKINNED, Transform((0.0, -3.0)), 1.8, (0.0, -1.0)),
        (BOX, ROD, Transform((0.0, 2.0)), 1.25, (0.0, 1.0)),
        (DISC, ROD, Transform((4.0, 4.0)), 4.25, (0.6, 0.8)),
        (ROD, ROD, Transform((0.5, 2.0)), 1.5, (0.0, 1.0)),
        (LINE, LINE, Transform((0.0, 2.0), math.pi / 2.0), 1.0, (0.0, 1.0)),
        (LINE, LINE, Transform((5.0, 0.0)), 3.0, (1.0, 0.0)),  # on one line
        (LINE, ROD, Transform((0.0, 1.0)), 0.75, (0.0, 1.0)),
        (POINT, POINT, Transform((3.0, 4.0)), 5.0, (0.6, 0.8)),
        (POINT, BOX, Transform((1.5, 0.0)), 1.0, (1.0, 0.0)),
        (BALL, DISC, Transform((3.0, 4.0)), 4.0, (0.6, 0.8)),
        (NEEDLE, NEEDLE, Transform((0.5, 1.0)), 0.998, (0.0, 1.0)),
        # only the radii overlap: exact, negative, with its normal
        (DISC, DISC, Transform((0.6, 0.8)), 0.0, (0.6, 0.8)),
        (DISC, DISC, Transform((0.3, 0.4)), -0.5, (0.6, 0.8)),
        (SKINNED, BOX, Transform((1.05, 0.25)), -0.05, (1.0, 0.0)),
        (ROD, DISC, Transform((0.5, 0.5)), -0.25, (0.0, 1.0)),
        # cores that touch have a normal all the same
        (BOX, BOX, Transform((1.0, 0.25)), 0.0, (1.0, 0.0)),
        (SKINNED, BOX, Transform((1.0, 0.25)), -0.1, (1.0, 0.0)),
        (LINE, ROD, Transform((2.0, 0.0), math.pi / 2.0), 0.75, (1.0, 0.0)),
    ],
)
def test_worked_examples(a, b, there, separation, normal):
    for result, sign in ((distance(a, HERE, b, there), 1.0), (distance(b, there, a, HERE), -1.0)):
        assert result.separation == pytest.approx(separation, abs=EPS)
        assert result.normal == pytest.approx((sign * normal[0], sign * normal[1]), abs=EPS)
        expected = Status.SEPARATED if separation > 0.0 else Status.TOUCHING if separation == 0.0 else Status.OVERLAPPING
        assert result.status is expected
        moved = [p + result.separation * n for p, n in zip(result.point_a, result.normal, strict=True)]
        assert result.point_b == pytest.approx(moved, abs=EPS)


@pytest.mark.parametrize(
    ("a", "b", "there", "radii"),
    [
        (BOX, BOX, HERE, 0.0),
        (BOX, Polygon.box(0.1, 0.1), Transform((0.05, 0.0), 0.3), 0.0),
        (SKINNED, DISC, Transform((0.4, 0.0)), 0.6),
        (LINE, BOX, Transform((0.2, 0.1)), 0.0),
        (NEEDLE, NEEDLE, Transform((0.0, 0.0), 1.0), 0.0),
    ],
)
def test_overlapping_cores_give_a_bound_and_no_normal(a, b, there, radii):
    for result in (distance(a, HERE, b, there), distance(b, there, a, HERE)):
        assert result.status is Status.OVERLAPPING
        assert result.separation == -radii
        assert result.normal is result.point_a is result.point_b is None


@pytest.mark.parametrize(
    ("a", "b", "there"),
    [
        (BOX, BOX, Transform((1.0, 1.0))),  # corners
        (BOX, BOX, Transform((1.0, 0.0), 0.0)),  # edges
        (LINE, LINE, Transform((2.0, 0.0))),  # ends
        (LINE, LINE, HERE),  # one on the other
        (LINE, LINE, Transform((0.5, 0.0), math.pi)),
        (POINT, POINT, HERE),
        (POINT, BOX, Transform((0.5, 0.5))),
        (NEEDLE, NEEDLE, Transform((0.0, 0.002))),
        (BOX, DISC, Transform((1.0, 0.0))),
    ],
)
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_contact_at_any_size(a, b, there, size):
    def at(shape):
        if isinstance(shape, Polygon):
            return Polygon(shape.vertices * size)
        if isinstance(shape, Circle):
            return Circle(shape.radius * size)
        return Segment(*(tuple(c * size for c in end) for end in (shape.p1, shape.p2)))

    xf = Transform((there.position[0] * size, there.position[1] * size), there.angle)
    for result in (distance(at(a), HERE, at(b), xf), distance(at(b), xf, at(a), HERE)):
        assert result.status is Status.TOUCHING
        assert abs(result.separation) <= EPS * size
        assert math.hypot(*result.normal) == pytest.approx(1.0, abs=EPS)


def from_simplex(simplex, a, b, there):
    """Return status, iterations and separation of a query that starts from `simplex`, which receives the nearest vertices."""
    placed = ((*core_of(shape), *xf.position, xf.cos, xf.sin) for shape, xf in ((a, HERE), (b, there)))
    status, iterations, separation, *_ = distance_one(False, *placed, simplex)
    return Status(status), iterations, separation


def test_a_stored_simplex_saves_steps_and_changes_nothing():
    disc = Polygon.regular(64, 1.0)
    simplex, cold, warm = np.zeros(TRIANGLE_SIZE, dtype=np.int64), 0, 0
    for step in range(50):
        there = Transform((3.0 + 0.01 * step, 0.02 * step), 0.01 * step)
        _, iterations, separation = from_simplex(simplex, disc, disc, there)
        fresh = distance(disc, HERE, disc, there)
        assert separation == pytest.approx(fresh.separation, abs=EPS)
        cold, warm = cold + fresh.iterations, warm + iterations
    assert warm < 0.6 * cold


def test_any_initial_simplex_gives_a_correct_answer():
    for there in (Transform((2.5, 0.3), 0.2), Transform((1.0, 1.0)), Transform((0.3, 0.2)), Transform((1.0, 0.0)), HERE):
        fresh = distance(BOX, HERE, BOX, there)
        for i in range(4):
            for j in range(4):
                for vertices in ([(i, j)], [(i, j), (j, i)], [(i, j), (i, j)], [(0, j), (i, 1), (j, i)]):
                    simplex = np.zeros(TRIANGLE_SIZE, dtype=np.int64)
                    simplex[: 1 + 2 * len(vertices)] = (len(vertices), *np.ravel(vertices))
                    status, _, separation = from_simplex(simplex, BOX, BOX, there)
                    assert status is fresh.status
                    if fresh.normal is not None:
                        assert separation == pytest.approx(fresh.separation, abs=EPS)


@pytest.mark.parametrize("size", [1e155, 1e200, 1e-150, 1e-300])
def test_lengths_whose_squares_overflow_or_underflow_are_reported(size):
    result = distance(Circle(size), HERE, Circle(size), Transform((3.0 * size, 0.0)))
    assert result.status is Status.DEGENERATE and math.isnan(result.separation) and result.normal is None


def test_results_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        distance(BOX, HERE, BOX, HERE).separation = 1.0
