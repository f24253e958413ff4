"""Friction, motor and gear joints: their effect, exact restoration, and that no gear outlives its joints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from engine.app.editor.clipboard import copy_of, put_down
from engine.app.editor.editor import Chosen
from engine.common.errors import DeadHandleError, InvalidInputError
from engine.common.limits import MAX_COORDINATE
from engine.geometry import Circle, Polygon
from engine.world import (
    BodySpec,
    FixtureSpec,
    GearJointSpec,
    MotorJointSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    WeldJointSpec,
    World,
    WorldSettings,
)
from engine.world.step_pairs import PairRecord
from tests.stepping import steps

BOX = (FixtureSpec(Polygon.box(0.5, 0.5)),)
"""1 kg, 1/6 kg m^2."""


def floating():
    return World(WorldSettings((0.0, 0.0)))


# -- friction and motor -----------------------------------------------------------------------------------------------


def test_a_motor_moves_a_body_to_its_target_within_its_maximum_force():
    world = floating()
    base = world.create_body(BodySpec(type="static", position=(1.0, 1.0), angle=0.5 * math.pi))
    box = world.create_body(BodySpec(BOX, position=(4.0, 1.0)))
    joint = world.create_joint(MotorJointSpec(base, box, (2.0, 0.0), 0.3, 50.0, 50.0))
    assert world.joint_anchors(joint) == ((1.0, 1.0), (4.0, 1.0))
    steps(world, 120)
    assert world.state(box).position == pytest.approx((1.0, 3.0), abs=1e-3)  # 2 m along the x axis of the base, which points up
    assert world.state(box).angle == pytest.approx(0.5 * math.pi + 0.3, abs=1e-3)
    weak = world.create_body(BodySpec(BOX, position=(-5.0, 0.0)))
    world.create_joint(MotorJointSpec(base, weak, (0.0, -90.0), 0.0, 0.5, 0.0))
    steps(world, 60)
    assert math.hypot(*world.state(weak).linear_velocity) == pytest.approx(0.5, rel=1e-3)  # 0.5 N on 1 kg for a second


def test_a_motor_without_a_target_holds_its_body_in_place():
    world = World()
    base, box = world.create_body(BodySpec(type="static", angle=0.7)), world.create_body(BodySpec(BOX, position=(2.0, 1.0), angle=-0.4))
    joint = world.create_joint(MotorJointSpec(base, box, max_force=1e3, max_torque=1e3))
    steps(world, 60)
    assert world.state(box).position == pytest.approx((2.0, 1.0), abs=0.02) and world.state(box).angle == pytest.approx(-0.4, abs=1e-3)
    now = world.joint_now(joint)
    assert isinstance(now, MotorJointSpec) and now.linear_offset is not None and now.angular_offset == pytest.approx(-1.1)


# -- gears ------------------------------------------------------------------------------------------------------------


@dataclass
class Gears:
    """Two wheels, each on an axle, a rack, and gears from the first wheel to both."""

    world: World
    base: int
    bar: int
    wheels: tuple[int, int]
    rack: int
    hinges: tuple[int, int]
    rail: int
    gear: int
    rack_gear: int


def geared(ratio=2.0, **more):
    """The first wheel turns on a swinging bar, and the others on the ground."""
    world = World()
    base = world.create_body(BodySpec(type="static"))
    bar = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.2, 1.0), group=-1),), position=(0.0, 1.0)))
    wheels = tuple(
        world.create_body(BodySpec((FixtureSpec(Circle(r), friction=0.0),), position=(x, 0.0))) for x, r in ((0.0, 0.5), (0.95, 0.5))
    )
    rack = world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.1)),), position=(0.0, -2.0)))
    world.create_joint(RevoluteJointSpec(base, bar, (0.0, 2.0)))
    hinges = (
        world.create_joint(RevoluteJointSpec(bar, wheels[0], (0.0, 0.0), reference_angle=0.25)),
        world.create_joint(RevoluteJointSpec(base, wheels[1], (0.95, 0.0))),
    )
    rail = world.create_joint(PrismaticJointSpec(base, rack, (0.0, -2.0), (1.0, 0.0)))
    gear = world.create_joint(GearJointSpec(*hinges, ratio, **more))
    rack_gear = world.create_joint(GearJointSpec(hinges[0], rail, -0.5))
    world.apply_torque(wheels[1], 300.0)
    return Gears(world, base, bar, wheels, rack, hinges, rail, gear, rack_gear)


@pytest.mark.parametrize("ratio", [2.0, -0.5])
def test_a_gear_keeps_its_sum(ratio):
    made = geared(ratio)
    world = made.world

    def sums():
        turned = world.state(made.wheels[0]).angle - world.state(made.bar).angle
        return turned + ratio * world.state(made.wheels[1]).angle, turned - 0.5 * world.state(made.rack).position[0]

    before = sums()
    steps(world, 120)
    assert abs(world.state(made.wheels[1]).angle) > 0.5 and abs(world.state(made.rack).position[0]) > 0.5
    assert sums() == pytest.approx(before, abs=2e-3)
    assert world.joint_bodies(made.gear) == made.wheels and made.gear in world.body(made.wheels[0]).joints


def test_wheels_of_a_gear_collide_only_if_enabled():
    for collides in (False, True):
        made = geared(collide_connected=collides)
        record = made.world.pair_record()
        assert isinstance(record, PairRecord)
        contacts = made.world.step()
        touching = {(a, b) for a, b in zip(contacts.body_a.tolist(), contacts.body_b.tolist(), strict=True)}
        assert (made.wheels in touching) == collides
        pairs = record.last
        assert (list(made.wheels) in pairs.fixtures.joint_filtered.tolist()) != collides


DEATHS = {
    "its first joint": lambda made: made.world.destroy_joint(made.hinges[0]),
    "its second joint": lambda made: made.world.destroy_joint(made.hinges[1]),
    "a wheel": lambda made: made.world.destroy_body(made.wheels[0]),
    "the other wheel": lambda made: made.world.destroy_body(made.wheels[1]),
    "the bar": lambda made: made.world.destroy_body(made.bar),
    "the base": lambda made: made.world.destroy_body(made.base),
    "a static wheel": lambda made: made.world.set_body(made.wheels[1], type="static"),
    "a kinematic wheel": lambda made: made.world.set_body(made.wheels[0], type="kinematic"),
    "an inactive wheel": lambda made: made.world.set_body(made.wheels[0], active=False),
    "an inactive bar": lambda made: made.world.set_body(made.bar, active=False),
    "a bar that goes astray": lambda made: made.world.set_pose(made.bar, (0.0, MAX_COORDINATE), 0.0),
}


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize("rebuilt", [False, True])
def test_a_gear_is_destroyed_before_its_joints(death, rebuilt):
    made = geared()
    world = made.world
    steps(world, 5)
    if rebuilt:
        world.canonicalize()
    DEATHS[death](made)
    if "astray" in death:
        world.destroy_joint(0)  # the wheel that hangs on it comes along
        world.set_pose(made.wheels[0], (0.0, MAX_COORDINATE - 1.0), 0.0)
        world.set_velocity(made.bar, (0.0, 120.0))
        world.step()
        assert world.out_of_range == (made.bar,)
    assert not world.is_joint(made.gear)
    with pytest.raises(DeadHandleError, match=f"joint {made.gear} was destroyed after step"):
        world.destroy_joint(made.gear)
    assert all(made.gear not in world.body(body).joints for body in world.body_ids)
    steps(world, 60)
    assert len(world._solver._cache._world.joints) == len(world.joint_ids)


def test_a_gear_that_would_break_box2d_is_rejected():
    made = geared()
    world = made.world
    weld = world.create_joint(WeldJointSpec(made.base, made.rack, (0.0, -2.0)))
    still = world.create_joint(RevoluteJointSpec(made.wheels[1], made.base, (2.0, 0.0)))
    twin = world.create_joint(RevoluteJointSpec(made.bar, made.wheels[0], (0.1, 0.0)))
    asleep = world.create_body(BodySpec(BOX, active=False))
    out = world.create_joint(RevoluteJointSpec(made.base, asleep, (0.0, 0.0)))
    for a, b, words in (
        (made.hinges[0], weld, "joint_b must be an older revolute or prismatic joint"),
        (made.gear, made.rail, "joint_a must be an older revolute or prismatic joint"),
        (made.hinges[0], twin, "a joint with a different body_b than joint_a"),
        (made.hinges[0], still, "active bodies and a dynamic body_b"),
        (out, made.rail, "joints with active bodies and a dynamic body_b"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            world.create_joint(GearJointSpec(a, b))
    with pytest.raises(DeadHandleError):
        world.create_joint(GearJointSpec(0, 99))
    for wrong in ({"joint_b": 0}, {"ratio": 0.0}, {"ratio": -1e-4}, {"ratio": 2e3}):
        with pytest.raises(InvalidInputError):
            GearJointSpec(**{"joint_a": 0, "joint_b": 1, **wrong})
    with pytest.raises(InvalidInputError, match="correction_factor"):
        MotorJointSpec(0, 1, correction_factor=1.5)


def test_copied_wheels_have_exactly_their_own_gear():
    made = geared()
    world = made.world
    stage = SimpleNamespace(world=world, offset=(0.0, 0.0))
    gesture = SimpleNamespace(create=lambda _, spec: world.create_body(spec), edit=lambda action: world.create_joint(action.joint_spec))
    hands = SimpleNamespace(stages=[stage], world=lambda _: world, gesture=lambda: gesture)
    every = [Chosen(0, body) for body in (made.base, made.bar, *made.wheels)]
    copied = copy_of(hands, every)
    assert [joint for joint in copied.joints if isinstance(joint, GearJointSpec)] == [GearJointSpec(1, 2, 2.0)]
    bodies = [copy.body for copy in put_down(hands, copied, 0, (10.0, 0.0))]
    newest = world.joint_ids[-1]
    assert world.joint_bodies(newest) == (bodies[2], bodies[3]) and isinstance(world.joint(newest).spec, GearJointSpec)
    alone = copy_of(hands, every[2:])
    assert alone.joints == ()
