"""A clone continues as its original does, and neither changes the other."""

import pytest

from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, StepHooks, World


@pytest.fixture
def world():
    world = World(solver="soft_step")
    world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), type="static"))
    world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 1.05)))
    for _ in range(8):
        world.step()
    return world


def test_a_clone_continues_to_the_last_bit(world):
    world.apply_force(1, (3.0, 0.0))
    twin = world.clone()
    assert twin.state_hash() == world.state_hash() and repr(twin) == repr(world) == "<World: soft_step, 2 bodies, step 8>"
    assert twin.create_body(BodySpec()) == world.create_body(BodySpec()) == 2
    for _ in range(5):
        assert len(twin.step()) == len(world.step()) == 1
        assert twin.state_hash() == world.state_hash()


def test_a_clone_is_independent_and_has_no_hooks(world):
    world.hooks = StepHooks(end=pytest.fail)
    before, twin = world.state_hash(), world.clone()
    twin.destroy_body(1)
    twin.step()
    assert twin.hooks is None and twin.body_ids == (0,)
    assert (world.state_hash(), world.body_ids, world.step_index) == (before, (0, 1), 8)
