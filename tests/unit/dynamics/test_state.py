"""The state of the soft step consists of its arrays: a snapshot restores it bit for bit at every step, in any world and process."""

import pickle
from dataclasses import fields

import numpy as np
import pytest

from engine.contracts import StepContacts
from engine.experiments.references.lab import run
from engine.experiments.scenes import UNIT, body, ground
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import (
    BodySpec,
    FixtureSpec,
    GearJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    World,
    WorldSettings,
)


def busy_world():
    """Return a world with all features: piles, joints with motors and limits, gears, a sensor, a kinematic body, a mouse joint."""
    world = World(WorldSettings(), solver="soft_step")
    ground(world, restitution=0.3)
    rng = np.random.default_rng(5)
    for k in range(20):
        shape = (UNIT, Circle(0.4), Capsule((-0.3, 0.0), (0.3, 0.0), 0.2), Polygon.regular(5, 0.5))[k % 4]
        body(world, shape, tuple(rng.uniform((-4.0, 1.0), (4.0, 12.0))), float(rng.uniform(0.0, 6.0)), restitution=0.2)
    frame = body(world, Circle(0.1), (10.0, 5.0), type="static")
    wheel, rack = body(world, Circle(0.5), (10.0, 5.0)), body(world, Polygon.box(0.5, 0.1), (12.0, 5.0))
    turns = world.create_joint(RevoluteJointSpec(frame, wheel, (10.0, 5.0), enable_motor=True, motor_speed=1.0, max_motor_torque=9.0))
    slides = world.create_joint(PrismaticJointSpec(frame, rack, (12.0, 5.0), (1.0, 0.0), enable_limit=True, lower_translation=-0.5))
    world.create_joint(GearJointSpec(turns, slides, 0.7))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 1.0), sensor=True),), "static", (0.0, 1.0)))
    body(world, Polygon.box(0.2, 3.0), (-6.0, 0.0), type="kinematic", angular_velocity=2.0)
    pulled = body(world, UNIT, (6.0, 3.0))
    world.create_joint(MouseJointSpec(pulled, (6.0, 5.0), 100.0))
    return world


def everything(world):
    """Return the reports of a world: the bits of its motion and contacts, its events, its joints."""
    columns = [getattr(world.contacts, field.name) for field in fields(StepContacts)]
    contacts = [column.tobytes() if isinstance(column, np.ndarray) else column for column in columns]
    return [world.state_hash(), contacts, [world.joint_state(joint) for joint in world.joint_ids]]


def test_two_runs_are_identical():
    first, second = busy_world(), busy_world()
    for _ in range(90):
        first.step(), second.step()
        assert first.state_hash() == second.state_hash()


@pytest.mark.parametrize("at", [0, 1, 17, 60, 200])
def test_a_snapshot_of_any_step_continues_bit_for_bit(at):
    original = busy_world()
    for _ in range(at):
        original.step()
    snapshot = pickle.loads(pickle.dumps(original.snapshot()))
    other = World.from_snapshot(snapshot)
    for step in range(40):
        if step == 5:
            for each in (original, other):
                each.apply_force(3, (20.0, 50.0), (1.0, 2.0))
                each.set_velocity(6, (1.0, 2.0))
        if step == 9:
            assert original.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 9.0))) == other.create_body(
                BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 9.0))
            )
        original.step(), other.step()
        assert everything(original) == everything(other)
    original.restore(snapshot)
    assert original.state_hash() == World.from_snapshot(snapshot).state_hash()


def test_canonical_form_is_the_state_itself():
    original, other = busy_world(), busy_world()
    for step in range(60):
        original.step(), other.step()
        if step % 7 == 0:
            original.canonicalize()
    assert original.state_hash() == other.state_hash()


def test_an_interrupted_step_leaves_the_world_unchanged():
    world = World(WorldSettings(gravity=(0.0, 0.0)), solver="soft_step")
    ball = body(world, Circle(0.5), (0.0, 0.0), linear_velocity=(1.0, 0.0))
    run(world, 0.5)
    before = world.state_hash()
    with pytest.raises(ValueError, match="position"):
        world.set_pose(ball, (float("nan"), 0.0), 0.0)
    assert world.state_hash() == before
    world.set_pose(ball, (999_999.0, 0.0), 0.0)
    world.set_velocity(ball, (9e5, 0.0))
    world.step()
    assert world.out_of_range == (ball,) and not world.body(ball).spec.active


def test_random_commands_match_the_world_model():
    world = busy_world()
    run(world, 0.3)
    ball = body(world, Circle(0.3), (30.0, 5.0))
    world.set_body(ball, fixed_rotation=True)
    world.apply_torque(ball, 50.0)
    world.step()
    assert world.state(ball).angular_velocity == 0.0 and world.body(ball).inertia == 0.0
    world.set_body(ball, type="static")
    run(world, 0.2)
    assert world.state(ball).linear_velocity == (0.0, 0.0)
    world.set_body(ball, type="kinematic")
    world.set_velocity(ball, (1.0, 0.0))
    x = world.state(ball).position[0]
    run(world, 1.0)
    assert world.state(ball).position[0] - x == pytest.approx(1.0)
    extra = world.create_fixture(ball, FixtureSpec(Segment((-1.0, 0.0), (1.0, 0.0))))
    assert world.body_at((30.9 + world.state(ball).position[0] - 30.0, world.state(ball).position[1]), dynamic_only=False) in (None, ball)
    world.destroy_fixture(extra)
    world.set_body(ball, active=False)
    world.step()
    assert world.is_body(ball)
