"""Everything that a step needs is compiled in advance, so no scene waits for the compiler later."""

import importlib
import pkgutil

import pytest

import engine.dynamics.methods
from engine.common import jit
from engine.geometry import Circle
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec, World
from engine.world.solver import load_solver


def signatures():
    """Return the number of compiled or loaded signatures of each function."""
    return {
        f"{module.name}.{name}": len(value.signatures)
        for package in (engine.dynamics, engine.dynamics.methods)
        for module in pkgutil.iter_modules(package.__path__, package.__name__ + ".")
        for name, value in vars(importlib.import_module(module.name)).items()
        if hasattr(value, "signatures")
    }


@pytest.mark.skipif(not jit.is_compiling(), reason="nothing is compiled")
@pytest.mark.parametrize("demo", ["bullet", "ragdoll_pile", "walker"])
def test_a_scene_calls_only_prepared_kernels(demo):
    load_solver("soft_step").prepare()
    before = signatures()
    assert sum(before.values()) > 10
    running = find_demo(demo)(1, solver="soft_step")
    for _ in range(40):
        running.sim.step()
    assert signatures() == before


@pytest.mark.skipif(not jit.is_compiling(), reason="nothing is compiled")
def test_a_change_of_solver_calls_only_prepared_kernels():
    """Box2D returns pending forces as columns of a wider table."""
    load_solver("soft_step").prepare()
    before = signatures()
    world = World()
    for k in range(3):
        world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(2.0 * k, 0.0)))
    world.step()
    world.set_solver("soft_step")
    world.step()
    assert signatures() == before
