"""Joints in methods that solve for positions or forces: the same mechanisms, and the properties that each must preserve."""

import math

import pytest

from engine.geometry import Circle, Polygon
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    GearJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    World,
    WorldSettings,
)

METHODS = ("avbd", "penalty", "xpbd")
_BOX = Polygon.box(0.5, 0.5)
_SOFT = 1e-2
"""Meters or radians that a joint gives way: most by a penalty of 1e4 N/m, 1 mm a box and what its lever makes of it."""


def _world(solver):
    world = World(WorldSettings(sleeping=False), solver=solver)
    return world, world.create_body(BodySpec((FixtureSpec(Circle(0.1)),), "static"))


def _box(world, x, y):
    return world.create_body(BodySpec((FixtureSpec(_BOX, mask=0),), position=(x, y)))


def _run(world, seconds):
    for _ in range(round(60 * seconds)):
        world.step()


@pytest.mark.parametrize("solver", METHODS)
def test_springs_ropes_and_pulleys_hold_their_weights(solver):
    world, post = _world(solver)
    sprung, roped, left, right = (_box(world, x, -2.0) for x in (0.0, 5.0, 10.0, 14.0))
    world.create_joint(DistanceJointSpec(post, sprung, anchor_a=(0.0, 0.0), anchor_b=(0.0, -2.0), frequency=2.0, damping_ratio=0.7))
    world.create_joint(RopeJointSpec(post, roped, anchor_a=(5.0, 0.0), anchor_b=(5.0, -2.0), max_length=2.5))
    world.create_joint(PulleyJointSpec(left, right, (10.0, 0.0), (14.0, 0.0), anchor_a=(10.0, -2.0), anchor_b=(14.0, -2.0)))
    _run(world, 4.0)
    assert world.state(sprung).position[1] == pytest.approx(-2.0 - 10.0 / (4.0 * math.pi) ** 2, abs=1e-4)  # m g / (m w^2)
    assert world.state(roped).position[1] == pytest.approx(-2.5, abs=_SOFT)
    assert world.state(left).position[1] + world.state(right).position[1] == pytest.approx(-4.0, abs=_SOFT)


@pytest.mark.parametrize("solver", METHODS)
def test_limits_motors_and_gears_stay_within_their_bounds(solver):
    world, post = _world(solver)
    slid, lifted, turned, geared, welded = (_box(world, x, 0.0) for x in (0.0, 4.0, 8.0, 12.0, 16.0))
    world.create_joint(PrismaticJointSpec(post, slid, (0.0, 0.0), (0.0, 1.0), enable_limit=True, lower_translation=-0.5))
    strong = {"enable_motor": True, "motor_speed": 1.0, "max_motor_force": 40.0}
    world.create_joint(PrismaticJointSpec(post, lifted, (4.0, 0.0), (0.0, 1.0), **strong))
    driven = {"enable_motor": True, "motor_speed": 2.0, "max_motor_torque": 50.0}
    first = world.create_joint(RevoluteJointSpec(post, turned, (8.0, 0.0), **driven))
    second = world.create_joint(RevoluteJointSpec(post, geared, (12.0, 0.0)))
    world.create_joint(GearJointSpec(first, second, ratio=2.0))
    world.create_joint(WeldJointSpec(post, welded, (16.0, 0.0)))
    _run(world, 2.0)
    assert world.state(slid).position[1] == pytest.approx(-0.5, abs=_SOFT)
    assert world.state(lifted).linear_velocity[1] == pytest.approx(1.0, abs=0.05)
    assert world.state(turned).angular_velocity == pytest.approx(2.0, abs=0.1)
    assert world.state(turned).angle + 2.0 * world.state(geared).angle == pytest.approx(0.0, abs=_SOFT)
    assert world.state(welded).position == pytest.approx((16.0, 0.0), abs=_SOFT) and abs(world.state(welded).angle) < _SOFT


@pytest.mark.parametrize("solver", METHODS)
def test_a_mouse_joint_stays_within_its_maximum_force(solver):
    world, _ = _world(solver)
    held, dropped = _box(world, 0.0, 0.0), _box(world, 5.0, 0.0)
    world.create_joint(MouseJointSpec(held, (0.0, 0.0), 100.0))
    world.create_joint(MouseJointSpec(dropped, (5.0, 0.0), 5.0))
    _run(world, 2.0)
    assert abs(world.state(held).position[1]) < 0.05
    assert world.state(dropped).position[1] == pytest.approx(-10.0, rel=0.02)  # half its weight, 2 s
