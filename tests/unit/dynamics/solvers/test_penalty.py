"""Penalty springs: how deep they sink, and where they explode."""

from __future__ import annotations

import math

import pytest

from engine.experiments.references import REFERENCES, Lab
from engine.experiments.references.lab import UNIT, body, ground, run
from engine.world import World, WorldSettings


def _world(**options: float | str) -> tuple[World, int]:
    """Return a box of 1 kg on two springs, 1 % above its rest, so that it stays on them while it swings as it should."""
    world = World(WorldSettings(sleeping=False, solver_settings=options), solver="penalty")
    ground(world)
    sunk = 10.0 / (2.0 * float(options["stiffness"]))
    return world, body(world, UNIT, (0.0, 0.5 - 0.99 * sunk))


@pytest.mark.parametrize("state", ["velocities", "momenta"])
def test_a_box_sinks_by_its_weight_over_the_stiffness(state: str) -> None:
    world, box = _world(stiffness=1e4, damping_ratio=0.5, state=state)
    run(world, 1.0)
    assert 0.5 - world.state(box).position[1] == pytest.approx(10.0 / 2e4, rel=1e-6)
    assert 60.0 * world.step().normal_impulse.sum() == pytest.approx(10.0, rel=1e-6)


@pytest.mark.parametrize(("integrator", "limit"), [("semi_implicit_euler", 2.0), ("velocity_verlet", 2.0), ("rk4", 2.0 * math.sqrt(2.0))])
def test_it_stands_below_the_limit_of_its_integrator_and_explodes_above(integrator: str, limit: float) -> None:
    swung = []
    for share in (0.97, 1.03):
        omega = share * limit * 120.0  # of sub-steps of 1/120 s
        world, box = _world(stiffness=0.5 * omega * omega, damping_ratio=0.0, integrator=integrator, sub_steps=2)
        sunk = 10.0 / (omega * omega)
        most = 0.0
        for _ in range(60):
            world.step()
            most = max(most, abs(0.5 - world.state(box).position[1] - sunk) / sunk)
        swung.append(most)
    assert swung[0] < 0.05 and swung[1] > 0.5  # of 0.01 at first; once it leaves the floor nothing is linear


def test_explicit_euler_gains_at_any_step() -> None:
    world, box = _world(stiffness=500.0, damping_ratio=0.0, integrator="explicit_euler", sub_steps=8)
    run(world, 3.0)  # each sub-step takes the swing times sqrt(1 + (h w)^2)
    assert abs(0.5 - world.state(box).position[1] - 0.01) > 2e-4 or abs(world.state(box).linear_velocity[1]) > 2e-4 * math.sqrt(1000.0)


def test_a_box_hangs_on_a_slope_by_its_tangential_spring() -> None:
    (creep,) = REFERENCES["resting"].measure(Lab("penalty"))
    assert creep.measured < 1e-9  # 4e-11 m in 10 s at 30 deg, friction 0.6
