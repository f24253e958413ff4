"""Extreme masses and sizes, deep overlaps, crowds and the limits of the world: nothing crashes, and no body is lost."""

import math

import numpy as np
import pytest

from engine.broadphase import BruteForce
from engine.compare.live.pairs import LivePairs
from engine.compare.live.referee import LiveReferee
from engine.contracts import PairAgreement
from engine.dynamics._crowd_kernel import CROWD, MAX_PARTNERS, crowding, pairs_of_crowd
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


def crowd(n):
    """Return a world of `n` boxes at one point above a floor, with a tower next to them."""
    world = make_world()
    ground(world)
    for k in range(5):
        body(world, UNIT, (20.0, 0.5 + k))
    for _ in range(n):
        body(world, UNIT, (0.0, 5.0))
    return world


def test_a_crowd_at_one_point_keeps_some_of_its_pairs_and_all_others():
    world = crowd(450)
    assert CROWD < 450 * 449 / 2
    referee, pairs = LiveReferee(world), LivePairs(world)
    for step in range(3):
        contacts = world.step()
        assert len(contacts) < MAX_PARTNERS * 460
        if step != 1:
            assert referee.check(contacts).unexplained == 0
            assert pairs.check(contacts) == PairAgreement(), "of a crowd the pairs are not all there, and are not compared"
        tower = {(int(a), int(b)) for a, b in zip(contacts.body_a, contacts.body_b, strict=True)} & {(k, k + 1) for k in range(5)}
        assert len(tower) == 5
    assert stands(world) and world.poses[1:6, 1] == pytest.approx([0.5 + k for k in range(5)], abs=5e-3)
    assert np.ptp(world.poses[6:, 1]) > 0.1, "it comes apart"


@pytest.mark.slow
def test_ten_thousand_bodies_at_one_point():
    world = crowd(10_000)
    for _ in range(10):
        world.step()
    assert stands(world) and len(world.body_ids) == 10_006 and len(world.contacts) < MAX_PARTNERS * 10_006


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
    assert crowding(boxes_at(grid, 0.51)) < CROWD, "ten thousand boxes side by side are no crowd"
    assert crowding(np.zeros((5, 4))) == crowding(np.zeros((0, 4))) == 0
    assert crowding(np.full((3, 4), math.inf)) == 0


def test_bodies_outside_the_crowd_keep_every_pair():
    rng = np.random.default_rng(2)
    heap, pile = rng.normal(0.0, 0.01, (300, 2)), rng.uniform(5.0, 15.0, (120, 2))
    floor = np.array([[-50.0, -1.0, 50.0, 0.0]])
    boxes = np.concatenate((boxes_at(heap, 0.5), boxes_at(pile, 0.5), floor))
    is_driven, bodies = np.arange(421) < 420, np.arange(421)
    near = pairs_of_crowd(boxes, np.argsort(boxes[:, 0], kind="stable"), bodies, is_driven)
    exact = BruteForce().pairs(boxes)
    keys, every = (set(map(tuple, pairs.tolist())) for pairs in (near, exact))
    assert keys <= every and len(near) == len(keys)
    assert {pair for pair in every if not (pair[0] < 300 and pair[1] < 300)} <= keys
    partners = np.bincount(near[(near < 300).all(axis=1)].ravel(), minlength=300)
    assert 0 < partners.max() <= MAX_PARTNERS
    one_body = pairs_of_crowd(boxes, np.argsort(boxes[:, 0], kind="stable"), np.zeros(421, dtype=np.int64), is_driven)
    assert len(one_body) == 0


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
