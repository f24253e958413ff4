"""AVBD: errors shrink by alpha per step, forces are stored, and high mass ratios and chains are stable."""

import math

import pytest

from engine.experiments.references import REFERENCES, Lab
from engine.experiments.references.lab import (
    run,
)
from engine.experiments.scenes import UNIT, body, ground, stack
from engine.geometry import Circle
from engine.world import BodySpec, FixtureSpec, MotorJointSpec, RevoluteJointSpec, World, WorldSettings


def test_an_overlap_shrinks_by_alpha_per_step_and_leaves_no_speed():
    world = World(WorldSettings(sleeping=False, solver_settings={"alpha": 0.9}), solver="avbd")
    ground(world)
    box = body(world, UNIT, (0.0, 0.49))
    run(world, 0.5)
    before = 0.5 - world.state(box).position[1]
    world.step()
    after = 0.5 - world.state(box).position[1]
    assert 0.0 < before < 0.01 * 0.9**24 and after / before == pytest.approx(0.9, abs=0.002)


def test_stored_forces_carry_the_weight():
    world = World(WorldSettings(sleeping=False), solver="avbd")
    ground(world)
    boxes = stack(world, 5)
    run(world, 3.0)
    assert 60.0 * world.step().normal_impulse.sum(axis=1)[0] == pytest.approx(50.0, rel=2e-3)
    assert world.state(boxes[-1]).position[1] == pytest.approx(4.5, abs=0.01)  # an overlap, of which 0.99 is left each step


@pytest.mark.parametrize(("name", "most"), [("mass_ratio_boxes", 20.0), ("mass_ratio_wedges", 25.0), ("far_chain", 5.0)])
def test_a_house_on_two_wedges_and_a_chain_hold(name, most):
    *_, last = REFERENCES[name].measure(Lab("avbd"))
    assert last.measured < most  # mm; 13, 19 and 3


def _arm(world):
    """Return a ground, a disc of 1 kg on a hinge 4 m away, with 356 times its central inertia about the hinge, and the hinge."""
    hub = world.create_body(BodySpec(type="static"))
    disc = world.create_body(BodySpec((FixtureSpec(Circle(0.3), density=1.0 / (math.pi * 0.09)),), position=(4.0, 0.0)))
    return hub, disc, world.create_joint(RevoluteJointSpec(hub, disc, (0.0, 0.0), motor_speed=1.0, max_motor_torque=1e4))


def test_the_motor_of_a_hinge_rotates_a_long_arm_at_its_speed():
    """Driven after the descent, like a free body, it oscillated between 0.2 and 1.7 rad/s, and an arm of 40 m separated by 3 m."""
    world = World(WorldSettings(gravity=(0.0, 0.0), sleeping=False), solver="avbd")
    _, disc, hinge = _arm(world)
    world.set_joint(hinge, enable_motor=True)
    run(world, 2.0)
    for _ in range(120):
        before = world.state(disc).position
        world.step()
        after = world.state(disc).position
        turned = math.atan2(before[0] * after[1] - before[1] * after[0], before[0] * after[0] + before[1] * after[1])
        assert 60.0 * turned == pytest.approx(1.0, abs=0.01)
        assert math.hypot(*after) == pytest.approx(4.0, abs=0.001)


def test_a_motor_joint_rotates_a_hinged_body():
    world = World(WorldSettings(gravity=(0.0, 0.0), sleeping=False), solver="avbd")
    hub, disc, _ = _arm(world)
    world.create_joint(MotorJointSpec(hub, disc, angular_offset=1.0, max_force=0.0, max_torque=100.0))
    run(world, 4.0)
    for _ in range(60):
        world.step()
        assert world.state(disc).angle == pytest.approx(1.0, abs=0.01)
