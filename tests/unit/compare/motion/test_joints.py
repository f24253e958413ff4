"""The referee models every joint as Box2D does: for a pair of bodies on any joint, no difference is unexplained."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.common.errors import InvalidInputError
from engine.compare.motion import judge_step
from engine.geometry import Capsule, Polygon
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

JOINTS = {
    "revolute": lambda a, b: RevoluteJointSpec(
        a, b, (0.75, 5.0), enable_motor=True, motor_speed=3.0, max_motor_torque=2.0, enable_limit=True, lower_angle=-0.1, upper_angle=0.3
    ),
    "distance": lambda a, b: DistanceJointSpec(a, b, (0.3, 5.0), (1.2, 5.1)),
    "soft distance": lambda a, b: DistanceJointSpec(a, b, (0.3, 5.0), (1.2, 5.1), frequency=3.0, damping_ratio=0.3),
    "soft weld": lambda a, b: WeldJointSpec(a, b, (0.75, 5.0), frequency=4.0, damping_ratio=0.2),
    "prismatic": lambda a, b: PrismaticJointSpec(a, b, (0.75, 5.0), (1.0, 0.2), enable_motor=True, motor_speed=1.0, max_motor_force=3.0),
    "wheel": lambda a, b: WheelJointSpec(a, b, (1.5, 5.0), (0.2, 1.0), enable_motor=True, motor_speed=5.0, max_motor_torque=3.0),
    "rope": lambda a, b: RopeJointSpec(a, b, (0.3, 5.0), (1.2, 5.1), max_length=1.0),
    "pulley": lambda a, b: PulleyJointSpec(a, b, (0.0, 9.0), (1.5, 9.0), (0.0, 5.0), (1.5, 5.0), ratio=1.5),
    "friction": lambda a, b: FrictionJointSpec(a, b, (0.75, 5.0), max_force=2.0, max_torque=1.0),
    "motor": lambda a, b: MotorJointSpec(a, b, max_force=20.0, max_torque=5.0, linear_offset=(1.8, 0.2), angular_offset=0.2),
    "torn revolute": lambda a, b: RevoluteJointSpec(a, b, (0.75, 5.0), anchor_b=(1.5, 5.3)),
    "torn weld": lambda a, b: WeldJointSpec(a, b, (0.75, 5.0), anchor_b=(1.0, 5.2)),
    "equal limits": lambda a, b: RevoluteJointSpec(a, b, (0.75, 5.0), enable_limit=True),
    "rod of 3 mm": lambda a, b: DistanceJointSpec(a, b, (0.75, 5.0), (0.75, 5.0), length=0.003),
    "pulley at its end": lambda a, b: PulleyJointSpec(a, b, (0.0, 9.0), (1.5, 5.03), (0.0, 5.0), (1.5, 5.0)),
    "mouse": lambda a, b: MouseJointSpec(a, target=(2.0, 6.0), grabbed=(0.2, 5.1), max_force=200.0),
}


def pair(solver="box2d"):
    world = World(WorldSettings(sleeping=False), solver)
    ground = world.create_body(BodySpec((FixtureSpec(Polygon.box(20.0, 0.5)),), "static", (0.0, -0.5)))
    part = (FixtureSpec(Polygon.box(0.5, 0.25)),)
    a = world.create_body(BodySpec(part, "dynamic", (0.0, 5.0), linear_velocity=(1.0, 0.0), angular_velocity=1.0))
    return world, ground, a, world.create_body(BodySpec(part, "dynamic", (1.5, 5.0), angular_velocity=-2.0))


def causes(world):
    counts = Counter()
    for step in range(14):
        if step in (3, 13):
            verdict = judge_step(world)
            assert verdict.unexplained == 0, [
                body_verdict.evidence for body_verdict in verdict.bodies if body_verdict.cause == "unexplained"
            ]
            counts += verdict.counts
        world.step()
    return counts


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint(kind):
    world, _, a, b = pair()
    world.create_joint(JOINTS[kind](a, b))
    causes_seen = causes(world)
    if kind == "motor":
        assert set(causes_seen) == {"joints"}, "Box2D pulls the other body at its origin"


def test_gears():
    world, ground, a, b = pair("soft_step")
    first = world.create_joint(RevoluteJointSpec(ground, a, (0.0, 5.0)))
    second = world.create_joint(PrismaticJointSpec(ground, b, (1.5, 5.0), (0.0, 1.0)))
    world.create_joint(GearJointSpec(first, second, ratio=0.5))
    causes(world)


def test_scenes_that_box2d_rejects_are_not_judged():
    world, *_ = pair("soft_step")
    world.create_body(BodySpec((FixtureSpec(Capsule((-1.0, 0.0), (1.0, 0.0), 0.2)),), position=(5.0, 5.0)))
    with pytest.raises(InvalidInputError, match="shape must be"):
        judge_step(world)
