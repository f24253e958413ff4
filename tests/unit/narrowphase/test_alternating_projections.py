"""Alternating projections: where the method works, and where it fails."""

import math

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.common.tolerances import CLOSEST_MAX_ITERATIONS
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.narrowphase import alternating_projections as iteration
from engine.query.pairs import distance
from engine.trace import steps

HERE = Transform()
BOX = Polygon.box(0.5, 0.5)
LONG = Polygon.box(10.0, 0.5)
DISC = Circle(0.5)
ROD = Capsule((-1.0, 0.0), (1.0, 0.0), 0.25)
LINE = Segment((-1.0, 0.0), (1.0, 0.0))


@pytest.mark.parametrize("a", [BOX, DISC, ROD, LINE, Polygon.box(0.5, 0.5, skin_radius=0.1)])
@pytest.mark.parametrize("b", [BOX, DISC, ROD, LINE])
@pytest.mark.parametrize("there", [Transform((3.0, 0.1)), Transform((2.0, 2.0), 0.6), Transform((-0.2, -2.0), 1.5)])
def test_it_agrees_with_gjk_for_well_separated_shapes(a, b, there):
    result, gjk = iteration.distance(a, HERE, b, there), distance(a, HERE, b, there)
    assert result.status is Status.SEPARATED
    assert result.separation == pytest.approx(gjk.separation, abs=1e-11)
    assert result.normal == pytest.approx(gjk.normal, abs=1e-5)  # the angle errs by the root of what the distance does


def test_parallel_edges_converge_at_once():
    result = iteration.distance(LONG, HERE, LONG, Transform((3.0, 2.0)))
    assert result.status is Status.SEPARATED and result.separation == pytest.approx(1.0) and result.iterations <= 2


def wedge(angle, gap):
    """A long box above another, rotated by `angle`, with its lower right corner `gap` above the middle of the other's upper edge."""
    corner = Transform((0.0, 0.0), angle).apply((10.0, -0.5))
    return Transform((-corner[0], 0.5 + gap - corner[1]), angle)


@pytest.mark.parametrize("angle", [0.7, 0.35, 0.18])
def test_the_error_falls_by_the_squared_cosine_per_iteration(angle):
    # two lines through one point are what sets the rate: there is no gap to jump over and the corner is never reached
    ray = Segment((10.0, 0.0), (0.0, 0.0))
    turns = [step for step in steps("alternating_projections", ray, HERE, ray, Transform((0.0, 0.0), angle)) if step.kind == "turn"][:12]
    length = np.hypot(*np.array([step.points[0] for step in turns]).T)
    assert length[1:] / length[:-1] == pytest.approx(math.cos(angle) ** 2, rel=1e-9)


def test_it_fails_at_small_angles():
    meeting = Transform((0.0, 0.0), 0.01)
    ray = Segment((10.0, 0.0), (0.0, 0.0))
    result = iteration.distance(ray, HERE, ray, meeting)
    assert result.status is Status.OUT_OF_ITERATIONS and result.iterations == CLOSEST_MAX_ITERATIONS
    assert result.separation > 0.05  # of a true distance of 0
    exact = distance(ray, HERE, ray, meeting)
    assert exact.status is Status.TOUCHING and exact.iterations <= 8


def test_it_is_slow_for_edges_that_meet_at_a_small_angle():
    slow = iteration.distance(LONG, HERE, LONG, wedge(-0.05, 1e-3))
    exact = distance(LONG, HERE, LONG, wedge(-0.05, 1e-3))
    assert exact.separation == pytest.approx(1e-3, abs=1e-12) and exact.iterations <= 4
    assert slow.iterations > 10 * exact.iterations
    assert slow.separation >= exact.separation - 1e-11


@pytest.mark.parametrize("there", [HERE, Transform((0.4, 0.3), 0.2), Transform((0.9, 0.0))])
@pytest.mark.parametrize("b", [BOX, DISC, ROD])
def test_it_gives_no_depth(b, there):
    result = iteration.distance(BOX, HERE, b, there)
    assert result.status is Status.OVERLAPPING
    assert result.separation == 0.0 and result.normal is result.point_a is result.point_b is None


def test_degenerate_and_bad_input():
    assert iteration.distance(Circle(1e200), HERE, Circle(1e200), HERE).status is Status.DEGENERATE
    with pytest.raises(InvalidInputError, match="shape must be a Circle"):
        iteration.distance("disc", HERE, BOX, HERE)
