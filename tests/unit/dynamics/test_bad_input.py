"""Extreme masses and sizes, deep overlaps, crowds and the limits of the world: nothing crashes, and no body is lost."""

import math

import numpy as np
import pytest

from engine.broadphase import BruteForce
from engine.common.errors import WorldLostError
from engine.dynamics._crowd_kernel import crowding
from engine.experiments.scenes import UNIT, body, ground
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec
from tests.unit.dynamics.worlds import make_world


def stands(world):
    """Return whether every body still exists with finite numbers, above the floor's underside and active."""
    poses = world.poses
    is_finite = np.isfinite(poses).all() and np.isfinite(world.velocities).all()
    return bool(is_finite and not world.out_of_range and poses[1:, 1].min() > -1.0)


@pytest.mark.parametrize("densities", [(1.0, 1.0, 1e6), (1e6, 1.0, 1.0), (1.0, 1e6, 1.0)], ids=str)
def test_mass_ratios_of_a_million(densities):
    world = make_world()
    ground(world)
    for k, density in enumerate(densities):
        body(world, UNIT, (0.0, 0.5 + k), density=density)
    for _ in range(300):
        world.step()
    assert stands(world)
    if densities[0] == 1e6:  # the light ones lie on the heavy one, as they should
        assert world.poses[1:, 1] == pytest.approx([0.5, 1.5, 2.5], abs=1e-3)


def test_a_load_of_up_to_a_hundred_times_the_mass_below_it_stands():
    world = make_world()
    ground(world)
    for k, density in enumerate((1.0, 1.0, 100.0)):
        body(world, UNIT, (0.0, 0.5 + k), density=density)
    for _ in range(300):
        world.step()
    assert world.poses[1:, 1] == pytest.approx([0.5, 1.5, 2.5], abs=0.04)


@pytest.mark.parametrize("size", [1e-5, 1e-3, 0.01, 100.0, 7000.0])
def test_stacked_boxes_of_all_sizes(size):
    world = make_world()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(7000.0, 1.0)),), "static", (0.0, -1.0)))
    for k in range(3):
        spec = FixtureSpec(Polygon.box(size, size), density=max(1.0, 1e-7 / size**2))
        world.create_body(BodySpec((spec,), position=(0.0, size * (1.0 + 2.001 * k))))
    for _ in range(200):
        world.step()
    assert stands(world)
    if size >= 0.01:  # below, the 0.1 mm within which shapes touch are no small part of one
        assert world.poses[1:, 1] / size == pytest.approx([1.0, 3.0, 5.0], abs=0.08)


def test_a_stack_at_the_limit_of_the_world():
    world, at = make_world(), 9.99e5
    world.create_body(BodySpec((FixtureSpec(Polygon.box(20.0, 0.5)),), "static", (at, -0.5)))
    for k in range(5):
        body(world, UNIT, (at, 0.5 + k))
    out = body(world, Circle(0.5), (at + 999.0, 5.0), linear_velocity=(300.0, 0.0))
    for _ in range(300):
        world.step()
    assert world.out_of_range == (out,) and not world.body(out).spec.active
    assert world.poses[1:6, 1] == pytest.approx([0.5 + k for k in range(5)], abs=5e-3)


@pytest.mark.xfail(reason="without the speed that relaxation left, some fifty overlaps stay: pushes of several neighbors cancel")
def test_initially_overlapping_bodies_separate():
    world, rng = make_world(), np.random.default_rng(4)
    ground(world)
    kinds = (UNIT, Circle(0.5), Capsule((-0.4, 0.0), (0.4, 0.0), 0.2), Polygon.regular(20, 0.5))
    for k in range(60):
        body(world, kinds[k % 4], tuple(rng.uniform(0.0, 2.0, 2).tolist()), angle=float(k))
    bar = (FixtureSpec(Segment((-1.0, 0.0), (1.0, 0.0))), FixtureSpec(Circle(0.1)))
    world.create_body(BodySpec(bar, position=(1.0, 1.0)))
    deep = [int((world.step().separation < -0.05).sum()) for _ in range(240)]
    assert stands(world) and deep[0] > 500 and max(deep[180:]) <= 5 and abs(world.velocities).max() < 60.0


@pytest.mark.parametrize(("n", "is_refused"), [(60, False), (1_500, True)])
def test_a_world_refuses_more_bodies_at_one_point_than_it_can_part(n, is_refused):
    world = make_world()
    ground(world)
    for _ in range(n):
        body(world, UNIT, (0.0, 5.0))
    if is_refused:
        with pytest.raises(WorldLostError, match=r"bodies must be less crowded: of at most 1,000,000 pairs that overlap, got 1,12[0-9],"):
            world.step()
        assert world.step_index == 0 and len(world.body_ids) == n + 1
    else:
        world.step()


def boxes_at(centers, half):
    return np.concatenate((centers - half, centers + half), axis=1)


def test_the_number_of_pairs_has_a_lower_bound():
    rng = np.random.default_rng(1)
    for spread in (0.0, 1.0, 10.0, 1e3):
        boxes = boxes_at(rng.uniform(-spread, spread, (800, 2)) + 3e5, 0.3)
        exact = len(BruteForce().pairs(boxes))
        assert crowding(boxes) <= exact + len(boxes) / 4
        assert spread > 0.0 or crowding(boxes) == exact == 800 * 799 / 2
    grid = np.stack(np.meshgrid(np.arange(100.0), np.arange(100.0)), axis=2).reshape(-1, 2)
    assert crowding(boxes_at(grid, 0.51)) < 20_000, "ten thousand boxes side by side are no crowd"
    assert crowding(np.zeros((5, 4))) == crowding(np.zeros((0, 4))) == 0
    assert crowding(np.full((3, 4), math.inf)) == 0


@pytest.mark.parametrize("change", ["destroyed", "inactive"])
def test_a_world_that_loses_all_fixtures_continues(change):
    world = make_world()
    for k in range(60):
        body(world, UNIT, (0.9 * (k % 8), 0.9 * (k // 8)))
    world.step()
    for number in world.body_ids:
        if change == "inactive":
            world.set_body(number, active=False)
        else:
            world.destroy_fixture(world.fixtures_of(number)[0])
    world.step()
    assert len(world.contacts) == 0 and len(world.body_ids) == 60
