"""Changing an existing joint: which values each kind accepts, keeps and rejects, and exact restoration."""

import math

import pytest

from engine.box2d import memory
from engine.common.errors import DeadHandleError, InvalidInputError
from engine.geometry import Circle, Polygon
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
    WorldSettings,
)
from tests.stepping import steps

BOX = (FixtureSpec(Polygon.box(0.5, 0.5)),)
BASE, BODY = 0, 1
MOTOR = {"enable_motor": True, "motor_speed": 3.0}

KINDS = {
    "revolute": (RevoluteJointSpec(BASE, BODY, (2.0, 0.0)), {**MOTOR, "max_motor_torque": 90.0, "enable_limit": True, "upper_angle": 0.4}),
    "distance": (DistanceJointSpec(BASE, BODY, (0.0, 0.0), (3.0, 0.0)), {"length": 2.5, "frequency": 2.0, "damping_ratio": 0.3}),
    "weld": (WeldJointSpec(BASE, BODY, (2.0, 0.0)), {"frequency": 1.5, "damping_ratio": 0.1}),
    "prismatic": (
        PrismaticJointSpec(BASE, BODY, (3.0, 0.0), (0.6, 0.8)),
        {**MOTOR, "max_motor_force": 90.0, "enable_limit": True, "upper_translation": 0.4},
    ),
    "wheel": (WheelJointSpec(BASE, BODY, (3.0, 0.0)), {**MOTOR, "max_motor_torque": 20.0, "frequency": 4.0, "damping_ratio": 0.2}),
    "rope": (RopeJointSpec(BASE, BODY, (0.0, 0.0), (3.0, 0.0)), {"max_length": 3.5}),
    "pulley": (PulleyJointSpec(BASE, BODY, (0.0, 5.0), (3.0, 5.0), (0.0, 0.0), (3.0, 0.0)), {"ratio": 2.0, "length_b": 6.0}),
    "friction": (FrictionJointSpec(BASE, BODY, (3.0, 0.0), 1.0), {"max_force": 4.0, "max_torque": 2.0}),
    "motor": (MotorJointSpec(BASE, BODY), {"linear_offset": (3.5, 0.5), "angular_offset": 0.2, "max_force": 60.0}),
    "mouse": (MouseJointSpec(BODY, (3.2, 0.3), 50.0), {"max_force": 80.0, "frequency": 3.0}),
}
"""A joint of each kind between a static body and a box 3 m away, and its later changes."""


def hung(spec):
    world = World()
    world.create_body(BodySpec(type="static"))
    world.create_body(BodySpec(BOX, position=(3.0, 0.0)))
    return world, world.create_joint(spec)


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_joint_behaves_like_a_new_one(kind):
    spec, changes = KINDS[kind]
    world, joint = hung(spec)
    anchors = world.joint_anchors(joint)
    world.set_joint(joint, **changes)
    assert world.joint_anchors(joint) == anchors and world.joint_ids == (joint,) and world.body(BODY).joints == (joint,)
    now = world.joint_now(joint)
    assert all(getattr(now, name) == pytest.approx(value) for name, value in changes.items())
    twin, _ = hung(now)
    for each in (world, twin):
        each.canonicalize()
        steps(each, 90)
    assert twin.state_hash() == world.state_hash()
    unchanged, _ = hung(spec)
    steps(unchanged, 90)
    assert unchanged.state_hash() != world.state_hash()


@pytest.mark.parametrize("is_kept", [True, False], ids=["with memory", "without"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_change_in_the_middle_is_restored_to_the_bit(kind, is_kept):
    memory.load()
    spec, changes = KINDS[kind]
    world, joint = hung(spec)
    world.keeps_solver_state = is_kept
    steps(world, 40)
    world.canonicalize()
    kept = world.snapshot()
    runs = []
    for each in (world, World.from_snapshot(kept)):
        steps(each, 10)
        each.set_joint(joint, **changes)
        steps(each, 30)
        each.canonicalize()
        steps(each, 20)
        runs.append(each.state_hash())
    assert runs[0] == runs[1]


def test_a_removed_limit_no_longer_pushes():
    """A bar that rested on its hinge's limit falls like one without a limit, and so does a box on a rail."""
    for spec, limit in (
        (RevoluteJointSpec(BASE, BODY, (2.0, 0.0)), {"lower_angle": -0.001, "upper_angle": 0.001}),
        (PrismaticJointSpec(BASE, BODY, (3.0, 0.0), (0.0, 1.0)), {"lower_translation": -0.001, "upper_translation": 0.001}),
    ):
        world, joint = hung(spec)
        world.set_joint(joint, enable_limit=True, **limit)
        steps(world, 120)
        world.set_joint(joint, enable_limit=False)
        height = world.state(BODY).position[1]
        assert world.state(BODY).awake
        steps(world, 15)
        free, _ = hung(spec)
        steps(free, 15)
        assert world.state(BODY).position[1] - height == pytest.approx(free.state(BODY).position[1], abs=2e-3)


def test_gears_stay_on_a_changed_joint_and_accept_a_new_ratio():
    world = World(WorldSettings((0.0, 0.0)))
    base = world.create_body(BodySpec(type="static"))
    a, b = (world.create_body(BodySpec((FixtureSpec(Circle(0.5), friction=0.0),), position=(x, 0.0))) for x in (0.0, 3.0))
    hinges = [world.create_joint(RevoluteJointSpec(base, wheel, world.state(wheel).position)) for wheel in (a, b)]
    gear = world.create_joint(GearJointSpec(*hinges, 2.0))
    world.set_joint(hinges[0], enable_motor=True, motor_speed=2.0, max_motor_torque=100.0)
    assert world.is_joint(gear)
    steps(world, 60)
    assert world.state(a).angle == pytest.approx(2.0, abs=0.05)
    assert world.state(b).angle == pytest.approx(-1.0, abs=0.05)
    at = world.state(a).angle, world.state(b).angle
    world.set_joint(gear, ratio=-1.0)
    steps(world, 60)
    assert world.state(b).angle - at[1] == pytest.approx(world.state(a).angle - at[0], abs=0.02)  # from where they stood, without a jump
    world.destroy_joint(hinges[1])
    assert not world.is_joint(gear)


def test_a_sleeping_car_drives_off_when_its_motor_is_switched_on():
    world = World()
    world.create_body(BodySpec((FixtureSpec(Polygon.box(30.0, 0.5)),), type="static", position=(0.0, -0.5)))
    chassis = world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.2)),), position=(0.0, 0.8)))
    wheels = [world.create_body(BodySpec((FixtureSpec(Circle(0.4)),), position=(x, 0.4))) for x in (-0.8, 0.8)]
    joints = [world.create_joint(WheelJointSpec(chassis, wheel, world.state(wheel).position)) for wheel in wheels]
    steps(world, 300)
    assert not world.state(chassis).awake
    world.set_joint(joints[0], enable_motor=True, motor_speed=-8.0, max_motor_torque=10.0)
    steps(world, 120)
    assert world.state(chassis).position[0] > 2.5
    state = world.joint_state(joints[0])
    assert state.spin == pytest.approx(-8.0, abs=0.3)


@pytest.mark.parametrize(
    "spec, changes, words",
    [
        (KINDS["revolute"][0], {"motor_sped": 1.0}, "joint.motor_sped must be a known setting \\(motor_speed"),
        (KINDS["revolute"][0], {"anchor": (0.0, 0.0)}, "joint.anchor must be a known setting"),
        (KINDS["wheel"][0], {"frequency": -2.0}, "frequency must be >= 0 Hz"),
        (KINDS["distance"][0], {"length": None}, "length must be given"),
        (KINDS["pulley"][0], {"ratio": 0.0}, "ratio must be from 0.001 to 1000"),
        (KINDS["mouse"][0], {"frequency": 1e-7, "damping_ratio": 0.0}, "body must be heavy enough"),
    ],
)
def test_a_value_out_of_range_is_rejected_by_name(spec, changes, words):
    world, joint = hung(spec)
    before = world.joint(joint)
    with pytest.raises(InvalidInputError, match=words):
        world.set_joint(joint, **changes)
    assert world.joint(joint) == before
    world.destroy_joint(joint)
    with pytest.raises(DeadHandleError):
        world.set_joint(joint, collide_connected=True)


def test_position_and_load_of_a_joint():
    """A box of 1 kg hangs at the limit of a rail: 10 N; another turns on a hinge; a third hangs on a rod."""
    memory.load()
    world, rail = hung(PrismaticJointSpec(BASE, BODY, (3.0, 0.0), (0.0, 1.0), True, -0.5, 0.0))
    steps(world, 12)
    moving = world.joint_state(rail)
    assert moving.speed == pytest.approx(-2.0, rel=0.01) and moving.travel < -0.1
    steps(world, 120)
    state = world.joint_state(rail)
    assert (state.travel, state.speed) == (pytest.approx(-0.5, abs=0.01), pytest.approx(0.0, abs=1e-3))
    assert state.force == pytest.approx((0.0, 10.0), abs=0.05)
    world, hinge = hung(RevoluteJointSpec(BASE, BODY, (3.0, 0.0), enable_motor=True, motor_speed=1.0, max_motor_torque=5.0))
    steps(world, 60)
    state = world.joint_state(hinge)
    assert (state.angle, state.spin) == (pytest.approx(1.0, abs=0.01), pytest.approx(1.0))
    assert state.force == pytest.approx((0.0, 10.0), abs=0.01)
    world, rod = hung(DistanceJointSpec(BASE, BODY, (3.0, 4.0), (3.0, 0.0)))
    steps(world, 30)
    state = world.joint_state(rod)
    assert state.travel == pytest.approx(4.0, abs=0.01) and math.hypot(*state.force) == pytest.approx(10.0, abs=0.01)
