"""Hidden state of Box2D's bodies and joints is read and written in memory."""

from dataclasses import replace

import numpy as np
import pytest

from engine.box2d import internal_state, memory
from engine.box2d.solver import Box2DMemory
from engine.world import BodySpec, RevoluteJointSpec, World
from tests.stepping import steps
from tests.unit.scenes.samples import BOX, machine

pytestmark = pytest.mark.skipif(memory.load() is not None, reason="memory is out of reach here")


def joined():
    """Every kind of joint on a box from which another hangs; one iteration per step solves none exactly."""
    world = machine()
    for arm in range(1, 20, 2):
        x, y = world.state(arm).position
        tip = world.create_body(BodySpec(BOX, position=(x + 0.6, y)))
        world.create_joint(RevoluteJointSpec(arm, tip, (x + 0.3, y)))
    world.set_settings(sleeping=False, velocity_iterations=1)
    steps(world, 50)
    return world


def hash_after(snapshot):
    world = World.from_snapshot(snapshot)
    steps(world, 40)
    return world.state_hash()


def test_every_joint_continues_bit_for_bit_and_needs_its_impulses():
    world = joined()
    world.canonicalize()  # as a mouse joint is fixed anew to its body by a point in the world
    snapshot = world.snapshot()
    steps(world, 40)
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
def test_a_wrong_offset_in_a_body_is_detected(at, monkeypatch):
    """Reading only: the words before and after each one are within the body."""
    words = list(internal_state.BODY_WORDS)
    words[at] += 1 if words[at] + 1 not in words else -1 if words[at] - 1 not in words else 5
    monkeypatch.setattr(internal_state, "BODY_WORDS", tuple(words))
    assert internal_state.self_test() is not None


def test_a_wrong_offset_in_a_joint_is_detected(monkeypatch):
    assert internal_state.self_test() is None
    shifted = tuple(np.array(internal_state.JOINT_WORDS["b2RevoluteJoint"]) - 1)
    monkeypatch.setattr(internal_state, "JOINT_WORDS", {**internal_state.JOINT_WORDS, "b2RevoluteJoint": shifted})
    assert internal_state.self_test() is not None
