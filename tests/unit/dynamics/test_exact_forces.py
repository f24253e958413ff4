"""Compares exact forces with results computed by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

from engine.common.errors import LabError
from engine.dynamics.exact_forces import Resting, exact_contact_forces, pushing_forces, solved_exactly
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

UNIT = Polygon.box(0.5, 0.5)


def _world(*lines, friction=0.6, gravity=(0.0, -10.0)):
    world = World(WorldSettings(gravity=gravity, sleeping=False, continuous=False), solver="contact_forces")
    for line in lines or (((-50.0, 0.0), (50.0, 0.0)),):
        world.create_body(BodySpec((FixtureSpec(Segment(*line), friction=friction),), "static"))
    return world


def _put(world, shape, at, **more):
    return world.create_body(BodySpec((FixtureSpec(shape, **more),), position=at))


def _in_groove(friction):
    """Return a disc of 1 kg between two walls at 45 degrees."""
    world = _world(((-5.0, 5.0), (0.0, 0.0)), ((0.0, 0.0), (5.0, 5.0)), friction=friction)
    _put(world, Circle(0.5), (0.0, 0.5 * math.sqrt(2.0)), friction=friction, density=4.0 / math.pi)
    world.step()
    return Resting.of(world)


def test_a_disc_in_a_groove():
    """Each wall carries W cos 45. With friction mu, forces (N, T) of both walls balance if N + T = W cos 45, with N at least that divided
    by 1 + mu.
    """
    exact = exact_contact_forces(_in_groove(0.0))
    assert exact.total == pytest.approx([10.0 * math.sqrt(0.5)] * 2) and exact.is_unique.all() and exact.are_points_unique
    assert exact.load[:-1].sum(axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    rough = exact_contact_forces(_in_groove(0.25), has_friction=True)
    assert rough.low == pytest.approx([10.0 * math.sqrt(0.5) / 1.25] * 2) and rough.high == pytest.approx(
        [10.0 * math.sqrt(0.5) / 0.75] * 2
    )
    assert not rough.is_unique.any()


def test_a_plank_on_three_legs_has_many_answers_and_one_load():
    world = _world(friction=0.0)
    for x in (-1.0, 0.0, 1.0):
        _put(world, Polygon.box(0.1, 0.5), (x, 0.5), friction=0.0)
    plank = _put(world, Polygon.box(1.5, 0.1), (0.0, 1.1), friction=0.0)
    world.step()
    exact = exact_contact_forces(Resting.of(world))
    assert not exact.are_points_unique and not exact.is_unique.any() and exact.normal.min() >= 0.0
    assert exact.load[world.row_of(plank)] == pytest.approx([0.0, 10.0 * world.body(plank).mass, 0.0], abs=1e-12)


def test_a_scene_that_friction_cannot_hold_is_reported():
    world = _world(friction=0.2, gravity=(5.0, -10.0))
    _put(world, UNIT, (0.0, 0.5), friction=0.2)
    world.step()
    with pytest.raises(LabError, match="friction limits"):
        exact_contact_forces(Resting.of(world), has_friction=True)


def test_sets_are_tried_until_one_solves_the_problem(monkeypatch):
    """From the worst guess, all sets are tried, and the answer is the same."""
    rng = np.random.default_rng(3)
    lines, inverse, push = rng.normal(size=(6, 9)), np.ones(9), rng.normal(size=9)
    force, acceleration = pushing_forces(lines, inverse, push, 6)
    assert (force > 0.0).any() and (acceleration > 0.0).any() and force @ acceleration == 0.0

    def wrong(a, b, bounds):
        return type("Guess", (), {"force": np.where(force > 0.0, 0.0, 1.0)})

    monkeypatch.setattr("engine.dynamics.methods._dantzig.solve", wrong)
    again, _ = pushing_forces(lines, inverse, push, 6)
    assert again.tolist() == force.tolist()


def test_elimination_is_exact():
    """Hilbert's matrix of 8 rows, with condition number 1.5e10, and a singular matrix."""
    hilbert = [[Fraction(1, i + j + 1) for j in range(8)] for i in range(8)]
    assert solved_exactly(hilbert, [sum(row) for row in hilbert]) == [1] * 8
    assert solved_exactly([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4)]], [Fraction(1), Fraction(2)]) is None
