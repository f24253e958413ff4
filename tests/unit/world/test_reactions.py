"""The reaction of pulleys and gears on body B: what a breakable joint compares with its strength, the same in every solver."""

import math

import pytest

from engine.geometry import Polygon
from engine.world import BodySpec, FixtureSpec, GearJointSpec, PrismaticJointSpec, PulleyJointSpec, RevoluteJointSpec, World, WorldSettings

SOLVERS = ("box2d", "soft_step")


def box(world, place, mass, **settings):
    return world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5), density=mass),), position=place, **settings))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("degrees", [0.0, 40.0])
def test_a_pulley_in_balance_carries_the_weight_of_b(solver, ratio, degrees):
    world = World(WorldSettings(gravity=(10.0 * math.sin(math.radians(degrees)), -10.0 * math.cos(math.radians(degrees)))), solver)
    up = math.sin(math.radians(-degrees)), math.cos(math.radians(degrees))
    a, b = (box(world, (x, 0.0), mass, fixed_rotation=True) for x, mass in ((-4.0, 2.0 / ratio), (4.0, 2.0)))
    over = [(x + 5.0 * up[0], 5.0 * up[1]) for x in (-4.0, 4.0)]
    pulley = world.create_joint(PulleyJointSpec(a, b, over[0], over[1], (-4.0, 0.0), (4.0, 0.0), ratio))
    for _ in range(30):
        world.step()
    assert world.joint_state(pulley).force == pytest.approx((20.0 * up[0], 20.0 * up[1]), abs=0.05)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("ratio", [0.5, -2.0])
@pytest.mark.parametrize("slides", [(False, False), (True, False), (False, True), (True, True)])
def test_a_gear_in_balance_holds_the_load_on_b(solver, ratio, slides):
    """A load of 3 N m or N on A needs ratio times as much on B; the gear takes up both."""
    world = World(WorldSettings(gravity=(0.0, 0.0)), solver)
    world.create_body(BodySpec(type="static"))
    axes = (0.6, 0.8), (-0.28, 0.96)
    bodies = [box(world, (x, 0.0), 1.0) for x in (-3.0, 3.0)]
    joints = [
        world.create_joint(PrismaticJointSpec(0, body, (x, 0.0), axis) if slide else RevoluteJointSpec(0, body, (x, 0.0)))
        for body, x, axis, slide in zip(bodies, (-3.0, 3.0), axes, slides, strict=True)
    ]
    gear = world.create_joint(GearJointSpec(*joints, ratio))
    for _ in range(20):
        for body, axis, slide, load in zip(bodies, axes, slides, (3.0, 3.0 * ratio), strict=True):
            if slide:
                world.apply_force(body, (load * axis[0], load * axis[1]))
            else:
                world.apply_torque(body, load)
        world.step()
    state, held = world.joint_state(gear), -3.0 * ratio
    force, torque = ((held * axes[1][0], held * axes[1][1]), 0.0) if slides[1] else ((0.0, 0.0), held)
    assert state.force == pytest.approx(force, abs=0.01) and state.torque == pytest.approx(torque, abs=0.01)
