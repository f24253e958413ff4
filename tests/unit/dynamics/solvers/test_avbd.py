"""AVBD: errors melt by alpha a step, forces are remembered, great mass ratios and chains are held."""

from __future__ import annotations

import pytest

from engine.experiments.references import REFERENCES, Lab
from engine.experiments.references.lab import UNIT, body, ground, run
from engine.world import World, WorldSettings


def test_an_overlap_melts_by_alpha_a_step_and_leaves_no_speed() -> None:
    world = World(WorldSettings(sleeping=False, solver_settings={"alpha": 0.9}), solver="avbd")
    ground(world)
    box = body(world, UNIT, (0.0, 0.49))
    run(world, 0.5)
    before = 0.5 - world.state(box).position[1]
    world.step()
    after = 0.5 - world.state(box).position[1]
    assert 0.0 < before < 0.01 * 0.9**24 and after / before == pytest.approx(0.9, abs=0.002)


def test_forces_are_remembered_and_bear_the_weight() -> None:
    world = World(WorldSettings(sleeping=False), solver="avbd")
    ground(world)
    boxes = [body(world, UNIT, (0.0, 0.5 + k)) for k in range(5)]
    run(world, 3.0)
    assert 60.0 * world.step().normal_impulse.sum(axis=1)[0] == pytest.approx(50.0, rel=2e-3)
    assert world.state(boxes[-1]).position[1] == pytest.approx(4.5, abs=0.01)  # an overlap, of which 0.99 is left each step


@pytest.mark.parametrize(("name", "most"), [("mass_ratio_boxes", 20.0), ("mass_ratio_wedges", 25.0), ("far_chain", 5.0)])
def test_a_house_on_two_wedges_and_a_chain_hold(name: str, most: float) -> None:
    *_, last = REFERENCES[name].measure(Lab("avbd"))
    assert last.measured < most  # mm; 13, 19 and 3
