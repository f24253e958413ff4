"""XPBD: compliance is in meters per newton at any number of sub-steps; static friction holds a point entirely or not at all."""

import math

import pytest

from engine.experiments.references import REFERENCES, Lab
from engine.experiments.references.lab import (
    run,
)
from engine.experiments.scenes import UNIT, body, ground
from engine.geometry import Circle
from engine.world import BodySpec, FixtureSpec, World, WorldSettings


def _world(**options):
    return World(WorldSettings(sleeping=False, solver_settings=options), solver="xpbd")


@pytest.mark.parametrize("sub_steps", [4, 16])
def test_a_box_sinks_by_compliance_times_load(sub_steps):
    world = _world(sub_steps=sub_steps, iterations=20, contact_compliance=1e-3)
    ground(world)
    box = body(world, UNIT, (0.0, 0.5))
    run(world, 1.0)
    assert 0.5 - world.state(box).position[1] == pytest.approx(0.25 * 1e-3 * 5.0, rel=2e-4)  # a quarter against what stands, 5 N a point


def test_a_box_that_needs_the_friction_of_two_points_creeps():
    """At 30 deg, one point would have to carry the load of both; the displacement of a sub-step is lost each time, so half the sub-step
    gives half the creep.
    """

    labs = [Lab("xpbd", settings={"solver_settings": {"sub_steps": n}}) for n in (4, 8)]
    creep = [next(iter(REFERENCES["resting"].measure(lab))).measured for lab in labs]
    assert creep[0] == pytest.approx(0.52, rel=0.01) and creep[1] == pytest.approx(0.5 * creep[0], rel=0.01)
    assert next(iter(REFERENCES["ramp"].measure(labs[1]))).measured < 1e-12


def test_a_ball_keeps_its_restitution_except_for_overlaps():
    (third,) = REFERENCES["bouncing"].measure(Lab("xpbd"))
    assert third.error < 0.05


def _slid(degrees, push=0.0):
    """Return the distance, m, and the final speed, m/s, of a non-rotating disc that slides down a slope for a second; mu_s 0.6, mu 0.4."""
    world, slope = _world(static_ratio=1.5), math.radians(degrees)
    ground(world, friction=0.4)
    disc = world.create_body(BodySpec((FixtureSpec(Circle(0.5), friction=0.4),), position=(0.0, 0.5), fixed_rotation=True))
    run(world, 0.5)  # it settles before the slope is tilted
    world.set_settings(gravity=(10.0 * math.sin(slope), -10.0 * math.cos(slope)))
    world.apply_impulse(disc, (push * world.body(disc).mass, 0.0))
    before = world.state(disc).position[0]
    run(world, 1.0)
    return world.state(disc).position[0] - before, world.state(disc).linear_velocity[0]


def test_static_friction_holds_up_to_its_coefficient_and_sliding_friction_acts_beyond():
    """Issue 33: a separate mu_s. It holds up to atan 0.6 = 30.96 degrees, and once it moves, its acceleration is g (sin - 0.4 cos)."""
    assert _slid(30.8)[0] < 1e-4
    assert _slid(31.1)[0] > 0.5
    slope = math.radians(28.0)
    assert _slid(28.0)[0] < 1e-4
    assert _slid(28.0, push=1.0)[1] == pytest.approx(1.0 + 10.0 * (math.sin(slope) - 0.4 * math.cos(slope)), rel=2e-3)
