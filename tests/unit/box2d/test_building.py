"""A world built in advance is, to the last bit, the one that would be built at once; whatever comes, goes or changes in between."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from engine.box2d._cache import Box2DCache
from engine.box2d.building import Building
from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings
from engine.world.specs import BodyType

BOX = Polygon([(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)])
GROUND = BodySpec((FixtureSpec(Segment((-6.0, 0.0), (6.0, 0.0))), FixtureSpec(Segment((6.0, 0.0), (6.0, 8.0)))), type="static")


def some_body(rng: np.random.Generator) -> BodySpec:
    shapes = [BOX, Circle(0.25), Polygon([(0.0, 0.0), (0.6, 0.1), (0.2, 0.5)])]
    fixtures = tuple(FixtureSpec(shapes[k], density=1.0 + k) for k in rng.permutation(3)[: rng.integers(0, 4)])
    kinds: tuple[BodyType, ...] = ("dynamic", "dynamic", "dynamic", "static", "kinematic")
    place = (float(rng.uniform(-4.0, 4.0)), float(rng.uniform(0.5, 6.0)))
    velocity = (0.0, 0.0) if (kind := kinds[rng.integers(5)]) == "static" else (float(rng.normal()), 0.0)
    fixtures = fixtures if kind != "dynamic" else fixtures or (FixtureSpec(BOX),)
    return BodySpec(
        fixtures, type=kind, position=place, angle=float(rng.normal()), linear_velocity=velocity, active=bool(rng.random() < 0.9)
    )


def meddle(world: World, rng: np.random.Generator) -> None:
    """Do one thing to a world that can be done to it."""
    bodies = world.body_ids
    body = int(bodies[rng.integers(1, len(bodies))])
    match int(rng.integers(12)):
        case 0:
            world.create_body(some_body(rng))
        case 1 if len(bodies) > 10:
            world.destroy_body(body)
        case 2:
            world.set_pose(body, (float(rng.normal()), 5.0), -0.0)
        case 3:
            world.create_fixture(body, FixtureSpec(Circle(0.1)))
        case 4 if world.body(body).fixtures:
            world.set_fixture(world.body(body).fixtures[0], friction=float(rng.random()))
        case 5:
            world.set_body(body, gravity_scale=float(rng.random()))
        case 6 if world.body(body).spec.type == "dynamic":
            world.create_joint(RevoluteJointSpec(body_a=bodies[0], body_b=body, anchor=world.state(body).position))
        case 7:
            world.set_settings(gravity=(float(rng.normal()), -10.0))
        case 8:
            world.set_awake(body, False)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_built_ahead_makes_no_difference(seed: int) -> None:
    worlds = [World(WorldSettings()) for _ in range(2)]
    for world in worlds:
        rng = np.random.default_rng(seed)
        world.create_body(GROUND)
        for _ in range(25):
            world.create_body(some_body(rng))
    at_once, ahead = worlds
    n_interval, n_contacts = 10, 0
    for k in range(1, 12 * n_interval):
        for world in worlds:
            rng = np.random.default_rng((seed, k))
            if rng.random() < 0.3:
                meddle(world, rng)
            world.step()
        if k % n_interval:
            ahead.build_ahead(n_interval - k % n_interval)
        else:
            at_once.canonicalize()
            ahead.canonicalize()
        assert ahead.state_hash() == at_once.state_hash()
        assert ahead.snapshot().state.touching == at_once.snapshot().state.touching
        n_contacts += len(ahead.contacts)
    assert n_contacts > 500


def test_a_slice_is_a_share_of_the_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(WorldSettings())
    for k in range(40):
        world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(float(k), 0.0)))
    made: list[int] = []
    go_on = Building.go_on

    def counted(building: Building, *given: Any) -> None:
        before = len(building._made)
        go_on(building, *given)
        made.append(len(building._made) - before)

    monkeypatch.setattr(Building, "go_on", counted)
    for left in range(4, 0, -1):
        world.build_ahead(left)
    world.canonicalize()
    assert made == [10, 10, 10, 10, 0]


def test_what_breaks_off_in_advance_is_not_told() -> None:
    world, calm = (World(WorldSettings()) for _ in range(2))
    for one in (world, calm):
        one.create_body(BodySpec((FixtureSpec(Circle(0.3)),)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Box2DCache, "add_body", lambda *_, **__: 1 / 0)
        world.build_ahead(1)
    for one in (world, calm):
        one.canonicalize()
        one.step()
    assert world.state_hash() == calm.state_hash()


@pytest.mark.parametrize("n_slices", [0, -1, 1.5])
def test_slices_are_one_or_more(n_slices: Any) -> None:
    with pytest.raises(InvalidInputError, match="n_slices must be"):
        World(WorldSettings()).build_ahead(n_slices)


def test_a_world_that_nobody_has_any_more_goes_at_once() -> None:
    world = World(WorldSettings())
    world.create_body(BodySpec((FixtureSpec(Circle(0.3)),)))
    world.step()
    world.build_ahead(2)
    held = weakref.ref(world._solver)
    gc.disable()
    try:
        del world
        assert held() is None
    finally:
        gc.enable()
