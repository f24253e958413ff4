"""Exact forces: against what is known by hand, and the method that steps small scenes by them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from engine.common.errors import LabError
from engine.dynamics.exact_forces import Resting, exact_contact_forces, pushing_forces, solved_exactly
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings

UNIT = Polygon.box(0.5, 0.5)


def _world(
    *lines: tuple[tuple[float, float], tuple[float, float]], friction: float = 0.6, gravity: tuple[float, float] = (0.0, -10.0)
) -> World:
    world = World(WorldSettings(gravity=gravity, sleeping=False, continuous=False), solver="exact_small")
    for line in lines or (((-50.0, 0.0), (50.0, 0.0)),):
        world.create_body(BodySpec((FixtureSpec(Segment(*line), friction=friction),), "static"))
    return world


def _put(world: World, shape: Polygon | Circle, at: tuple[float, float], **more: float) -> int:
    velocity = (more.pop("speed", 0.0), 0.0)
    return world.create_body(BodySpec((FixtureSpec(shape, **more),), position=at, linear_velocity=velocity))


def _in_groove(friction: float) -> Resting:
    """Return a disc of 1 kg between two walls at 45 degrees."""
    world = _world(((-5.0, 5.0), (0.0, 0.0)), ((0.0, 0.0), (5.0, 5.0)), friction=friction)
    _put(world, Circle(0.5), (0.0, 0.5 * math.sqrt(2.0)), friction=friction, density=4.0 / math.pi)
    world.step()
    return Resting.of(world)


def test_a_disc_in_a_groove() -> None:
    """Each wall bears W cos 45. With friction mu, forces (N, T) of both walls balance if N + T = W cos 45: N from that over 1 + mu up."""
    exact = exact_contact_forces(_in_groove(0.0))
    assert exact.total == pytest.approx([10.0 * math.sqrt(0.5)] * 2) and exact.is_unique.all() and exact.are_points_unique
    assert exact.load[:-1].sum(axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    rough = exact_contact_forces(_in_groove(0.25), has_friction=True)
    assert rough.low == pytest.approx([10.0 * math.sqrt(0.5) / 1.25] * 2) and rough.high == pytest.approx(
        [10.0 * math.sqrt(0.5) / 0.75] * 2
    )
    assert not rough.is_unique.any()


def test_a_plank_on_three_legs_has_many_answers_and_one_load() -> None:
    world = _world(friction=0.0)
    for x in (-1.0, 0.0, 1.0):
        _put(world, Polygon.box(0.1, 0.5), (x, 0.5), friction=0.0)
    plank = _put(world, Polygon.box(1.5, 0.1), (0.0, 1.1), friction=0.0)
    world.step()
    exact = exact_contact_forces(Resting.of(world))
    assert not exact.are_points_unique and not exact.is_unique.any() and exact.normal.min() >= 0.0
    assert exact.load[world.row_of(plank)] == pytest.approx([0.0, 10.0 * world.body(plank).mass, 0.0], abs=1e-12)


def test_what_no_friction_holds_is_said() -> None:
    world = _world(friction=0.2, gravity=(5.0, -10.0))
    _put(world, UNIT, (0.0, 0.5), friction=0.2)
    world.step()
    with pytest.raises(LabError, match="no forces within friction"):
        exact_contact_forces(Resting.of(world), has_friction=True)


def test_sets_are_gone_through_until_one_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the worst of guesses: the sets are those of all changes, and the answer is the same."""
    rng = np.random.default_rng(3)
    lines, inverse, push = rng.normal(size=(6, 9)), np.ones(9), rng.normal(size=9)
    force, acceleration = pushing_forces(lines, inverse, push, 6)
    assert (force > 0.0).any() and (acceleration > 0.0).any() and force @ acceleration == 0.0

    def wrong(a: np.ndarray, b: np.ndarray, bounds: object) -> object:
        return type("Guess", (), {"force": np.where(force > 0.0, 0.0, 1.0)})

    monkeypatch.setattr("engine.dynamics.solvers._dantzig.solve", wrong)
    again, _ = pushing_forces(lines, inverse, push, 6)
    assert again.tolist() == force.tolist()


def test_elimination_is_exact() -> None:
    """Hilbert's matrix of 8 rows, of condition 1.5e10, and one that is singular."""
    hilbert = [[Fraction(1, i + j + 1) for j in range(8)] for i in range(8)]
    assert solved_exactly(hilbert, [sum(row) for row in hilbert]) == [1] * 8
    assert solved_exactly([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4)]], [Fraction(1), Fraction(2)]) is None


def test_it_steps_small_scenes() -> None:
    world = _world()
    for k in range(6):
        _put(world, UNIT, (0.05 * (k % 2), 0.5 + k))
    for _ in range(5):
        world.step()
    assert (60.0 * world.contacts.normal_impulse.sum(axis=1)).tolist() == pytest.approx([60.0, 50.0, 40.0, 30.0, 20.0, 10.0], abs=1e-11)
    assert np.abs(world.velocities).max() < 1e-13


def test_what_slides_slides_and_what_touches_all_at_once_bounces_all_at_once() -> None:
    """mu g less in a second. Of a cradle Newton's law for all pairs at once sends the first ball back: 4 m/s to -2.4 and 1.6."""
    world = _world(friction=0.3)
    box = _put(world, UNIT, (0.0, 0.5), friction=0.3, speed=5.0)
    for _ in range(30):
        world.step()
    assert world.state(box).linear_velocity[0] == pytest.approx(5.0 - 1.5)
    world = _world(gravity=(0.0, 0.0))
    for k in range(5):
        _put(world, Circle(0.5), (float(k), 5.0), restitution=1.0, speed=4.0 if k == 0 else 0.0)
    world.step()
    assert world.velocities[1:, 0].tolist() == pytest.approx([-2.4, 1.6, 1.6, 1.6, 1.6])


def test_a_joint_is_a_row_that_is_held() -> None:
    world = _world()
    rod = _put(world, Polygon.box(0.5, 0.1), (0.5, 3.0))
    hinge = world.create_body(BodySpec((), "static"))
    world.create_joint(RevoluteJointSpec(hinge, rod, anchor=(0.0, 3.0)))
    for _ in range(20):
        world.step()
        (x, y), (vx, vy), spin = world.state(rod).position, world.state(rod).linear_velocity, world.state(rod).angular_velocity
        assert math.hypot(x, y - 3.0) == pytest.approx(0.5, abs=0.01)
    assert vx * vx + vy * vy == pytest.approx((0.5 * spin) ** 2, rel=0.05)


def test_more_contacts_are_refused_in_one_line() -> None:
    world = _world()
    for k in range(13):
        _put(world, Circle(0.2), (k - 6.0, 0.2))
    with pytest.raises(LabError, match=r"contacts must be at most 12 for exact_small, got 13"):
        world.step()
