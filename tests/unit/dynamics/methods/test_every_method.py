"""Properties of every method: reproducible bits, exact snapshots, all shapes and joints, settings rejected by name."""

import json

import numpy as np
import pytest

from engine.cli.main import main
from engine.common.errors import InvalidInputError
from engine.dynamics.solver import solver_of
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.sim.registry import all_demos
from engine.world import BodySpec, DistanceJointSpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings, methods

METHODS = methods()


def _mixed(solver):
    """Return a world with every kind of shape, resting, falling and bouncing, with a rod on one joint and a bar between two."""
    world = World(WorldSettings(), solver=solver)
    world.create_body(BodySpec((FixtureSpec(Segment((-8.0, 0.0), (8.0, 0.0))),), "static"))
    shapes = (Polygon.box(0.5, 0.5), Circle(0.4), Capsule((-0.4, 0.0), (0.4, 0.0), 0.2), Polygon.regular(6, 0.5))
    for row in range(2):
        for column, shape in enumerate(shapes):
            fixture = FixtureSpec(shape, restitution=0.5 * (column % 2))
            world.create_body(BodySpec((fixture,), position=(-3.0 + 2.0 * column + 0.1 * row, 0.55 + 1.2 * row)))
    rod = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.1)),), position=(6.0, 3.0)))
    world.create_joint(RevoluteJointSpec(0, rod, anchor=(5.5, 3.0)))
    world.create_joint(DistanceJointSpec(2, 4, anchor_a=world.state(2).position, anchor_b=world.state(4).position))
    return world


def _states(world, n_steps):
    states = []
    for _ in range(n_steps):
        world.step()
        states.append(world.snapshot().motion.values.tobytes() + world.contacts.normal_impulse.tobytes())
    return states


@pytest.mark.parametrize("solver", METHODS)
def test_a_step_is_reproducible_bit_for_bit_and_from_a_snapshot(solver):
    world = _mixed(solver)
    first = _states(world, 12)
    kept = world.snapshot()
    then = _states(world, 6)
    assert len(set(first + then)) == 18 and np.isfinite(kept.motion.values).all()
    world.restore(kept)
    assert _states(world, 6) == then and _states(World.from_snapshot(kept), 6) == then
    assert _states(_mixed(solver), 18) == first + then


@pytest.mark.parametrize("solver", METHODS)
def test_every_setting_has_a_valid_default_and_rejects_values_out_of_range(solver):
    method = solver_of(solver).method
    assert method.options(()) == {setting.name: setting.default for setting in method.settings}
    for setting in method.settings:
        assert setting.checked(setting.default) == setting.default and setting.title
        for wrong in ["no such choice", 1.0] if setting.choices else [setting.low - 1.0, 2.0 * setting.high + 1.0, float("nan"), "many"]:
            if wrong not in setting.choices:
                with pytest.raises(InvalidInputError, match=f"solver_settings.{setting.name}"):
                    World(WorldSettings(solver_settings={setting.name: wrong}), solver=solver)
    with pytest.raises(InvalidInputError, match="no_such_setting"):
        World(WorldSettings(solver_settings={"no_such_setting": 1.0}), solver=solver)


@pytest.mark.slow
@pytest.mark.parametrize("solver", METHODS)
@pytest.mark.parametrize("demo", [kind.id for kind in all_demos()])
def test_every_demo_runs_with_every_method_and_its_contacts_are_explained(solver, demo, tmp_path):
    out = tmp_path / "out.json"
    assert main(["run", demo, "--headless", "--steps", "60", "--solver", solver, "--json", str(out)]) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["solver"] == solver and report["agreement"]["unexplained"] == 0
