"""Changing the solver of a running demo: it is part of the history, and is undone, replayed and recorded bit for bit."""

import pytest

from engine.app.solver_settings import setting_parameters
from engine.common.errors import InvalidInputError
from engine.geometry import Capsule, Polygon
from engine.scenes import Scene
from engine.scenes.scene import SceneWorld
from engine.sim.actions import ChangeWorld, Restart, SetSolver
from engine.sim.comparison import Comparison
from engine.sim.history import History
from engine.sim.recordings.loading import load_recording
from engine.sim.recordings.verifying import verify
from engine.sim.replaying import record, replay
from engine.sim.scene_demo import scene_demo
from engine.world import BodySpec, FixtureSpec, WorldSettings
from engine.world.fields import named_values
from tests.stepping import steps

METHOD = "sequential_impulses"
BOX = FixtureSpec(Polygon.box(0.5, 0.5))
GROUND = BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), "static", (0.0, -0.5))
STACK = (GROUND, *(BodySpec((BOX,), position=(0.1 * k, 0.6 + 1.1 * k)) for k in range(3)))


def history(*worlds, solver=None):
    return History(scene_demo(Scene(bodies=STACK, worlds=worlds))(solver=solver))


def driver(demo):
    world = demo.stages[0].world
    return world.solver, world.settings.solver_settings


def test_a_change_of_solver_is_undone_redone_and_replayed_bit_for_bit(tmp_path):
    past = history()
    recorder = record(past, tmp_path / "a.rec")
    steps(past, 10)
    past.act(SetSolver("soft_step"))
    steps(past, 62)
    past.act(SetSolver(METHOD, (("iterations", 5),)))
    steps(past, 4)
    past.act(ChangeWorld(0, {"solver_settings": {"share": 0.1}}))
    steps(past, 4)
    past.act(SetSolver("box2d"))
    steps(past, 45)
    late = record(past, tmp_path / "b.rec")
    for step, known in ((5, "box2d"), (70, "soft_step"), (79, METHOD), (125, "box2d"), (30, "soft_step"), (125, "box2d")):
        past.seek(step)
        assert driver(past.demo)[0] == past.demo.sim.solvers[0] == known and past.divergence is None
    assert past.verify() is None
    recorder.close()
    late.close()
    for name in ("a.rec", "b.rec"):
        recording = load_recording(tmp_path / name)
        assert (recording.header.solver, recording.header.chosen_solver, recording.solvers) == (
            "box2d",
            None,
            ("box2d", "soft_step", METHOD),
        )
        assert verify(recording, replay(recording)).is_same
    assert past.undo() and driver(past.demo) == (METHOD, (("share", 0.1),)) and past.demo.sim.solver == METHOD
    assert past.undo() and driver(past.demo) == (METHOD, (("iterations", 5),))
    assert past.undo() and driver(past.demo) == ("soft_step", ())
    assert past.redo() and driver(past.demo) == (METHOD, (("iterations", 5),))
    past.act(Restart())
    assert driver(past.demo) == (METHOD, (("iterations", 5),)), "what is built anew is driven so, too"


def test_sleeping_bodies_wake_and_bodies_created_asleep_stay_asleep():
    hung = BodySpec((BOX,), position=(5.0, 5.0), awake=False)
    past = History(scene_demo(Scene(bodies=(*STACK, hung), solver="soft_step"))())
    world = past.demo.stages[0].world
    steps(past, 120)
    assert not world.awake[1:].any()
    past.act(SetSolver("soft_step"))
    assert not world.awake[1:].any(), "nothing has changed"
    for solver in (METHOD, "box2d"):
        past.act(SetSolver(solver))
        assert world.awake[1:].tolist() == [True, True, True, False]
        steps(past, 1)
    past.seek(60)
    past.seek(122)
    assert past.divergence is None and world.state(4).position == (5.0, 5.0)


def test_a_solver_that_one_world_rejects_changes_nothing():
    capsule = BodySpec((FixtureSpec(Capsule((0.0, 0.0), (1.0, 0.0), 0.2)),), position=(0.0, 3.0))
    past = history(SceneWorld(bodies=(GROUND, capsule), solver="soft_step"), solver="soft_step")
    steps(past, 3)
    with pytest.raises(InvalidInputError, match="body 1, fixture 1: shape must be one that Box2D supports"):
        past.act(SetSolver("box2d"))
    assert [stage.world.solver for stage in past.demo.stages] == ["soft_step", "soft_step"] and past.demo.sim.solver == "soft_step"
    past.act(SetSolver(METHOD))
    assert [stage.world.solver for stage in past.demo.stages] == [METHOD, METHOD]
    steps(past, 3)
    past.seek(1)
    past.seek(6)
    assert past.divergence is None


def test_comparison_worlds_keep_their_solvers_and_follow():
    past = history()
    beside = Comparison(past, "soft_step")
    steps(past, 5)
    past.act(SetSolver(METHOD))
    steps(past, 5)
    assert driver(beside.demo)[0] == "soft_step" and beside.now == 10 and beside.skipped == () and driver(past.demo)[0] == METHOD
    late = Comparison(past, METHOD)
    late.follow()
    assert driver(late.demo) == (METHOD, ()) and len(late.distances) == len(beside.distances) == 11
    past.undo()
    beside.follow()
    assert beside.now == past.now == 5 and driver(past.demo)[0] == "box2d"


def test_a_scene_and_a_demo_start_with_solver_settings(tmp_path):
    own = scene_demo(Scene(WorldSettings(solver_settings={"iterations": 7}), STACK, solver=METHOD))
    assert driver(own()) == driver(own(solver=METHOD)) == (METHOD, (("iterations", 7),))
    assert driver(own(solver="soft_step")) == ("soft_step", ())
    past = History(own(solver=METHOD, solver_settings=named_values("", {"share": 0.1})))
    assert driver(past.demo) == (METHOD, (("share", 0.1),))
    recorder = record(past, tmp_path / "a.rec")
    steps(past, 5)
    recorder.close()
    recording = load_recording(tmp_path / "a.rec")
    assert (recording.header.chosen_solver, recording.header.chosen_settings) == (METHOD, (("share", 0.1),))
    assert verify(recording, replay(recording)).is_same


@pytest.mark.parametrize(
    "solver, heeded",
    [
        ("box2d", ["world.velocity_iterations", "world.position_iterations"]),
        ("soft_step", ["world.velocity_iterations"]),
        ("sequential_impulses", ["iterations", "share", "slop"]),
    ],
)
def test_the_panel_shows_world_settings_that_the_solver_uses(solver, heeded):
    assert [parameter.name for parameter in setting_parameters(solver)] == [*heeded, "world.warm_starting"]
