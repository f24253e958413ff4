"""What Box2D hides of bodies and joints is read and written where it lies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.box2d import internal_state, memory
from engine.box2d.solver import Box2DMemory
from engine.geometry import Polygon
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

pytestmark = pytest.mark.skipif(memory.load() is not None, reason="memory is out of reach here")

ARM = FixtureSpec(Polygon([(0.0, -0.1), (0.9, -0.05), (0.8, 0.12)]), density=50.0, group=-1)


def joined():
    """Every kind of joint between a fixed body and an arm on which another hangs, and a gear; one iteration a step solves none exactly."""
    world = World(WorldSettings(gravity=(0.3, -10.0), sleeping=False, velocity_iterations=1))
    joints = []
    for column in range(10):
        x, post, arm = 6.0 * column, 2 * column, 2 * column + 1
        world.create_body(BodySpec(type="static", position=(x, 0.0)))
        world.create_body(BodySpec((ARM,), position=(x + 0.4, 0.0), linear_damping=0.02))
        joints.append(
            (
                RevoluteJointSpec(post, arm, (x, 0.0), True, -0.2, 0.1),
                DistanceJointSpec(post, arm, (x, 1.0), (x + 0.5, 0.0)),
                WeldJointSpec(post, arm, (x + 0.4, 0.0)),
                PrismaticJointSpec(post, arm, (x, 0.0), (0.8, 0.6), True, -0.3, 0.1),
                WheelJointSpec(post, arm, (x + 0.1, 0.1), (0.6, 0.8), 4.0, 0.5, True, 2.0, 60.0),
                RopeJointSpec(post, arm, (x, 1.0), (x + 0.5, 0.0), 1.1),
                PulleyJointSpec(post, arm, (x, 3.0), (x + 1.6, 3.0), (x, 0.0), (x + 0.7, 0.0)),
                FrictionJointSpec(post, arm, (x + 0.4, 0.0), 30.0, 30.0),
                MotorJointSpec(post, arm, (1.3, 0.4), 0.5, 30.0, 30.0),
                MouseJointSpec(arm, (x + 0.7, 0.3), 2000.0),
            )[column]
        )
    for column, joint in enumerate(joints):
        world.create_joint(joint)
        tip = world.create_body(BodySpec((ARM,), position=(6.0 * column + 1.2, 0.0)))
        world.create_joint(RevoluteJointSpec(2 * column + 1, tip, (6.0 * column + 1.2, 0.0)))
    for _ in range(2):
        wheel = world.create_body(BodySpec((ARM,), position=(-9.0, 0.0)))
        world.create_joint(RevoluteJointSpec(0, wheel, (-9.0, 0.1), enable_motor=True, motor_speed=3.0, max_motor_torque=9.0))
    world.create_joint(GearJointSpec(*world.joint_ids[-2:], 0.7))
    for _ in range(50):
        world.step()
    return world


def hash_after(snapshot):
    world = World.from_snapshot(snapshot)
    for _ in range(40):
        world.step()
    return world.state_hash()


def test_every_joint_goes_on_bit_for_bit_and_needs_its_impulses():
    world = joined()
    world.canonicalize()  # as a mouse joint is fixed anew to its body by a point in the world
    snapshot = world.snapshot()
    for _ in range(40):
        world.step()
    assert hash_after(snapshot) == world.state_hash()
    kept = snapshot.state.memory
    assert isinstance(kept, Box2DMemory) and kept.internal is not None
    for row in range(len(kept.internal.joints)):
        words = kept.internal.joints.copy()
        assert words[row].any()
        words[row] = 0
        without = replace(kept, internal=replace(kept.internal, joints=words))
        assert hash_after(replace(snapshot, state=replace(snapshot.state, memory=without))) != world.state_hash(), row


@pytest.mark.parametrize("at", range(len(internal_state.BODY_WORDS)))
def test_a_wrong_offset_in_a_body_is_noticed(at, monkeypatch):
    """Reading only: the words before and after each one are within the body."""
    words = list(internal_state.BODY_WORDS)
    words[at] += 1 if words[at] + 1 not in words else -1 if words[at] - 1 not in words else 5
    monkeypatch.setattr(internal_state, "BODY_WORDS", tuple(words))
    assert internal_state.self_test() is not None


def test_a_wrong_offset_in_a_joint_is_noticed(monkeypatch):
    assert internal_state.self_test() is None
    shifted = tuple(np.array(internal_state.JOINT_WORDS["b2RevoluteJoint"]) - 1)
    monkeypatch.setattr(internal_state, "JOINT_WORDS", {**internal_state.JOINT_WORDS, "b2RevoluteJoint": shifted})
    assert internal_state.self_test() is not None
