"""The state of the soft step is its arrays: a snapshot restores it to the bit at every step, in any world and any process."""

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
    """Return a world with everything in it: piles, joints with motors and limits, gears, a sensor, a kinematic body, a mouse."""
    one = World(WorldSettings(), solver="soft_step")
    ground(one, restitution=0.3)
    rng = np.random.default_rng(5)
    for k in range(20):
        shape = (UNIT, Circle(0.4), Capsule((-0.3, 0.0), (0.3, 0.0), 0.2), Polygon.regular(5, 0.5))[k % 4]
        body(one, shape, tuple(rng.uniform((-4.0, 1.0), (4.0, 12.0))), float(rng.uniform(0.0, 6.0)), restitution=0.2)
    frame = body(one, Circle(0.1), (10.0, 5.0), type="static")
    wheel, rack = body(one, Circle(0.5), (10.0, 5.0)), body(one, Polygon.box(0.5, 0.1), (12.0, 5.0))
    turns = one.create_joint(RevoluteJointSpec(frame, wheel, (10.0, 5.0), enable_motor=True, motor_speed=1.0, max_motor_torque=9.0))
    slides = one.create_joint(PrismaticJointSpec(frame, rack, (12.0, 5.0), (1.0, 0.0), enable_limit=True, lower_translation=-0.5))
    one.create_joint(GearJointSpec(turns, slides, 0.7))
    one.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 1.0), sensor=True),), "static", (0.0, 1.0)))
    body(one, Polygon.box(0.2, 3.0), (-6.0, 0.0), type="kinematic", angular_velocity=2.0)
    pulled = body(one, UNIT, (6.0, 3.0))
    one.create_joint(MouseJointSpec(pulled, (6.0, 5.0), 100.0))
    return one


def everything(world):
    """Return what a world tells: the bits of its motion and of its contacts, its events, its joints."""
    columns = [getattr(world.contacts, one.name) for one in fields(StepContacts)]
    contacts = [column.tobytes() if isinstance(column, np.ndarray) else column for column in columns]
    return [world.state_hash(), contacts, [world.joint_state(joint) for joint in world.joint_ids]]


def test_two_runs_are_alike():
    first, second = busy_world(), busy_world()
    for _ in range(90):
        first.step(), second.step()
        assert first.state_hash() == second.state_hash()


@pytest.mark.parametrize("at", [0, 1, 17, 60, 200])
def test_a_snapshot_of_any_step_goes_on_to_the_bit(at):
    one = busy_world()
    for _ in range(at):
        one.step()
    snapshot = pickle.loads(pickle.dumps(one.snapshot()))
    other = World.from_snapshot(snapshot)
    for step in range(40):
        if step == 5:
            for each in (one, other):
                each.apply_force(3, (20.0, 50.0), (1.0, 2.0))
                each.set_velocity(6, (1.0, 2.0))
        if step == 9:
            assert one.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 9.0))) == other.create_body(
                BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 9.0))
            )
        one.step(), other.step()
        assert everything(one) == everything(other)
    one.restore(snapshot)
    assert one.state_hash() == World.from_snapshot(snapshot).state_hash()


def test_canonical_form_is_the_state_itself():
    one, other = busy_world(), busy_world()
    for step in range(60):
        one.step(), other.step()
        if step % 7 == 0:
            one.canonicalize()
    assert one.state_hash() == other.state_hash()


def test_what_breaks_off_leaves_the_world_as_it_stood():
    one = World(WorldSettings(gravity=(0.0, 0.0)), solver="soft_step")
    ball = body(one, Circle(0.5), (0.0, 0.0), linear_velocity=(1.0, 0.0))
    run(one, 0.5)
    before = one.state_hash()
    with pytest.raises(ValueError, match="position"):
        one.set_pose(ball, (float("nan"), 0.0), 0.0)
    assert one.state_hash() == before
    one.set_pose(ball, (999_999.0, 0.0), 0.0)
    one.set_velocity(ball, (9e5, 0.0))
    one.step()
    assert one.out_of_range == (ball,) and not one.body(ball).spec.active


def test_rays_of_commands_leave_what_the_truth_says():
    one = busy_world()
    run(one, 0.3)
    ball = body(one, Circle(0.3), (30.0, 5.0))
    one.set_body(ball, fixed_rotation=True)
    one.apply_torque(ball, 50.0)
    one.step()
    assert one.state(ball).angular_velocity == 0.0 and one.body(ball).inertia == 0.0
    one.set_body(ball, type="static")
    run(one, 0.2)
    assert one.state(ball).linear_velocity == (0.0, 0.0)
    one.set_body(ball, type="kinematic")
    one.set_velocity(ball, (1.0, 0.0))
    x = one.state(ball).position[0]
    run(one, 1.0)
    assert one.state(ball).position[0] - x == pytest.approx(1.0)
    extra = one.create_fixture(ball, FixtureSpec(Segment((-1.0, 0.0), (1.0, 0.0))))
    assert one.body_at((30.9 + one.state(ball).position[0] - 30.0, one.state(ball).position[1]), dynamic_only=False) in (None, ball)
    one.destroy_fixture(extra)
    one.set_body(ball, active=False)
    one.step()
    assert one.is_body(ball)
