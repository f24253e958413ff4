"""XPBD: compliance is in meters a newton whatever the sub-steps; static friction holds a point wholly or not at all."""

import pytest

from engine.experiments.references import REFERENCES, Lab
from engine.experiments.references.lab import (
    run,
)
from engine.experiments.scenes import UNIT, body, ground
from engine.world import World, WorldSettings


def _world(**options):
    return World(WorldSettings(sleeping=False, solver_settings=options), solver="xpbd")


@pytest.mark.parametrize("sub_steps", [4, 16])
def test_a_box_sinks_by_compliance_times_load(sub_steps):
    world = _world(sub_steps=sub_steps, iterations=20, contact_compliance=1e-3)
    ground(world)
    box = body(world, UNIT, (0.0, 0.5))
    run(world, 1.0)
    assert 0.5 - world.state(box).position[1] == pytest.approx(0.25 * 1e-3 * 5.0, rel=2e-4)  # a quarter against what stands, 5 N a point


def test_what_friction_of_one_point_cannot_hold_alone_creeps_with_the_sub_step():
    """At 30 deg a point would have to hold what both do; the way of a sub-step is lost each time: half as far by half of it."""

    labs = [Lab("xpbd", settings={"solver_settings": {"sub_steps": n}}) for n in (4, 8)]
    creep = [next(iter(REFERENCES["resting"].measure(lab))).measured for lab in labs]
    assert creep[0] == pytest.approx(0.52, rel=0.01) and creep[1] == pytest.approx(0.5 * creep[0], rel=0.01)
    assert next(iter(REFERENCES["ramp"].measure(labs[1]))).measured < 1e-12


def test_a_ball_keeps_what_restitution_says_up_to_its_overlaps():
    (third,) = REFERENCES["bouncing"].measure(Lab("xpbd"))
    assert third.error < 0.05
