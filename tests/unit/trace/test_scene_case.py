"""A world as a stepper case: taken from a world or a scene, edited by hand, with any solver, and a bit-identical step."""

from __future__ import annotations

import numpy as np
import pytest

from engine import trace
from engine.common.errors import InvalidInputError, LabError, WorldLostError
from engine.dynamics.methods.sequential_impulses import SequentialImpulses
from engine.geometry import Polygon
from engine.scenes.scene import SceneWorld
from engine.trace import scene_case
from engine.trace.from_world import case_of_step
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


@pytest.fixture(scope="module")
def tower():
    """Two boxes that rest, one on the other, in Box2D: 15 mm apart, and asleep."""
    made = World(solver="box2d")
    for spec in (*BODIES, BodySpec((BOX,), position=(0.0, 1.52))):
        made.create_body(spec)
    for _ in range(200):
        made.step()
    assert not made.awake[1:].any() and made.contacts.separation.min() > 0.01
    return made


@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_step"])
def test_what_rests_in_box2d_rests_in_the_step_shown(solver, tower):
    before = tower.state_hash()
    case = case_of_step(tower, solver)
    assert case.start.solver == solver and case.note.startswith(f"{solver} ran ") and tower.state_hash() == before
    steps = trace.algorithm(solver).steps(case)
    contacts = World.from_snapshot(case.before(solver)).step()
    assert len(contacts) == 2 and (contacts.normal_impulse > 0.0).all()  # both points of both contacts
    for body, state in zip(tower.body_ids, steps[-1].result, strict=True):
        assert abs(state.linear_velocity[1]) < 0.03 < 10.0 / 60.0  # g dt is free fall
        assert state.position == pytest.approx(tower.state(body).position, abs=0.035)
    assert dict(case.handles)["2"] == case.states(case.before(solver))[2].position


def test_what_does_not_rest_is_shown_where_it_is(tower):
    flying = tower.clone()
    flying.set_velocity(1, (0.0, 5.0), 0.0)
    flying.set_velocity(2, (0.0, 9.0), 0.0)
    case = case_of_step(flying, "sequential_impulses")
    assert case.note == "" and case.states(case.before("sequential_impulses"))[2].position == flying.state(2).position


def test_a_step_without_an_impulse_under_bodies_that_rest_is_refused(tower, monkeypatch):
    monkeypatch.setattr(scene_case, "_MAX_SETTLING", 1)
    with pytest.raises(LabError, match=r"^no step to show: bodies that rest .* do not push within 1 steps of sequential_impulses$"):
        case_of_step(tower, "sequential_impulses")


def test_rows_that_change_nothing_are_one_step():
    row = [BodySpec((BOX,), position=(1.01 * k, 2.0)) for k in range(6)]  # side by side, in the air
    case = SceneCase.of_scene(SceneWorld(WorldSettings(), tuple(row), solver="sequential_impulses"))
    steps = trace.algorithm("sequential_impulses").steps(case)
    idle = [step for step in steps if step.kind == "idle"]
    assert len(idle) >= 2 and not {"normal", "tangent"} & {step.kind for step in steps}
    assert idle[0].sentence == "Sweep 1: 20 rows of 5 contacts change nothing." and idle[0].values == {"rows": 20.0}
    assert [step.cost["steps"] for step in steps] == list(range(len(steps)))
    assert [step.cost["rows solved"] for step in steps if step.kind == "idle"] == [20 * (k + 1) for k in range(len(idle))]
