"""A world as a stepper case: taken from a world or a scene, edited by hand, with any solver, and a bit-identical step."""

from __future__ import annotations

import numpy as np
import pytest

from engine import trace
from engine.common.errors import InvalidInputError, WorldLostError
from engine.dynamics.methods.sequential_impulses import SequentialImpulses
from engine.geometry import Polygon
from engine.scenes.scene import SceneWorld
from engine.trace.scene_case import SceneCase
from engine.world import BodySpec, FixtureSpec, World, WorldSettings, methods

BOX = FixtureSpec(Polygon.box(0.5, 0.5))
BODIES = (BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), "static", (0.0, -0.5)), BodySpec((BOX,), position=(0.0, 0.5)))


@pytest.fixture
def world():
    made = World(solver="sequential_impulses")
    for spec in BODIES:
        made.create_body(spec)
    for _ in range(5):
        made.step()
    return made


def test_tracing_the_next_step_leaves_the_world_unchanged(world):
    before = world.state_hash()
    steps = trace.steps("sequential_impulses", world)
    assert world.state_hash() == before
    world.step()
    assert steps[-1].result == tuple(world.state(body) for body in world.body_ids)
    warm = next(step for step in steps if step.kind == "warm")
    assert warm.values["P0.0n"] > 0.0  # the impulses that the world itself had left


def test_a_scene_runs_the_requested_number_of_steps():
    case = SceneCase.of_scene(SceneWorld(WorldSettings(), BODIES, solver="xpbd"), taken=3)
    world = World(solver="xpbd")
    for spec in BODIES:
        world.create_body(spec)
    for _ in range(3):
        world.step()
    assert np.array_equal(case.before("xpbd").motion.values, world.snapshot().motion.values)
    assert case.before("sequential_impulses").solver == "sequential_impulses"


def test_dragging_moves_and_rotates_bodies_only(world):
    case = SceneCase.of_world(world)
    assert [name for name, _ in case.handles] == ["1"]
    (x, y), angle = world.state(1).position, world.state(1).angle
    assert case.part_at((x + 0.4, y), 0.1) == case.part_at((x, y), 0.1) == "1"
    assert case.part_at((3.0, -0.5), 0.1) is None  # the ground
    moved = case.moved("1", 0.25, 2.0)
    assert moved.handles[0][1] == (x + 0.25, y + 2.0) and case.handles[0][1] == (x, y)
    assert moved.states(moved.start)[1].angle == angle
    turned = case.turned("1", 0.5)
    assert turned.states(turned.start)[1].angle == angle + 0.5 and turned.handles == case.handles
    assert case.moved("7", 1.0, 0.0) is case.moved("1", float("nan"), 0.0) is case
    steps = trace.algorithm("sequential_impulses").steps(moved)  # in the air: nothing to solve, and that is said
    assert not any(step.kind == "normal" for step in steps) and "nothing to solve" in steps[-1].sentence


def test_every_method_of_ours_can_be_traced():
    assert set(methods()) <= set(trace.algorithms())


def test_a_world_of_box2d_is_traced_with_another_solver():
    world = World(solver="box2d")
    for spec in BODIES:
        world.create_body(spec)
    case = SceneCase.of_world(world)
    algorithm = trace.algorithm("sequential_impulses")
    assert algorithm.takes(case) and algorithm.steps(case)[-1].result == algorithm.query(case)
    with pytest.raises(InvalidInputError, match="solver must be"):
        case.before("box3d")


def test_a_trace_rejects_what_the_solver_rejects(monkeypatch):
    def refuse(self, step, options):
        raise InvalidInputError("contacts", "none", len(step.contacts.n_points))

    monkeypatch.setattr(SequentialImpulses, "solve", refuse)
    case = SceneCase.of_scene(SceneWorld(WorldSettings(), BODIES, solver="sequential_impulses"))
    algorithm = trace.algorithm("sequential_impulses")
    for ask in (algorithm.steps, algorithm.query):
        with pytest.raises(WorldLostError, match="contacts must be none, got 1"):
            ask(case)
