"""Another solver under a running demo: part of its history, undone, replayed and recorded to the bit."""

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


def test_a_change_of_solver_is_undone_redone_and_played_again_to_the_bit(tmp_path):
    one = history()
    recorder = record(one, tmp_path / "a.rec")
    steps(one, 10)
    one.act(SetSolver("soft_step"))
    steps(one, 62)
    one.act(SetSolver(METHOD, (("iterations", 5),)))
    steps(one, 4)
    one.act(ChangeWorld(0, {"solver_settings": {"share": 0.1}}))
    steps(one, 4)
    one.act(SetSolver("box2d"))
    steps(one, 45)
    late = record(one, tmp_path / "b.rec")
    for step, known in ((5, "box2d"), (70, "soft_step"), (79, METHOD), (125, "box2d"), (30, "soft_step"), (125, "box2d")):
        one.seek(step)
        assert driver(one.demo)[0] == one.demo.sim.solvers[0] == known and one.divergence is None
    assert one.verify() is None
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
    assert one.undo() and driver(one.demo) == (METHOD, (("share", 0.1),)) and one.demo.sim.solver == METHOD
    assert one.undo() and driver(one.demo) == (METHOD, (("iterations", 5),))
    assert one.undo() and driver(one.demo) == ("soft_step", ())
    assert one.redo() and driver(one.demo) == (METHOD, (("iterations", 5),))
    one.act(Restart())
    assert driver(one.demo) == (METHOD, (("iterations", 5),)), "what is built anew is driven so, too"


def test_what_has_fallen_asleep_wakes_and_what_was_made_asleep_sleeps_on():
    hung = BodySpec((BOX,), position=(5.0, 5.0), awake=False)
    one = History(scene_demo(Scene(bodies=(*STACK, hung), solver="soft_step"))())
    world = one.demo.stages[0].world
    steps(one, 120)
    assert not world.awake[1:].any()
    one.act(SetSolver("soft_step"))
    assert not world.awake[1:].any(), "nothing has changed"
    for solver in (METHOD, "box2d"):
        one.act(SetSolver(solver))
        assert world.awake[1:].tolist() == [True, True, True, False]
        steps(one, 1)
    one.seek(60)
    one.seek(122)
    assert one.divergence is None and world.state(4).position == (5.0, 5.0)


def test_a_solver_that_one_world_refuses_leaves_all_as_they_are():
    capsule = BodySpec((FixtureSpec(Capsule((0.0, 0.0), (1.0, 0.0), 0.2)),), position=(0.0, 3.0))
    one = history(SceneWorld(bodies=(GROUND, capsule), solver="soft_step"), solver="soft_step")
    steps(one, 3)
    with pytest.raises(InvalidInputError, match="body 1, fixture 1: shape must be one that Box2D supports"):
        one.act(SetSolver("box2d"))
    assert [stage.world.solver for stage in one.demo.stages] == ["soft_step", "soft_step"] and one.demo.sim.solver == "soft_step"
    one.act(SetSolver(METHOD))
    assert [stage.world.solver for stage in one.demo.stages] == [METHOD, METHOD]
    steps(one, 3)
    one.seek(1)
    one.seek(6)
    assert one.divergence is None


def test_what_runs_beside_keeps_its_solver_and_follows():
    one = history()
    beside = Comparison(one, "soft_step")
    steps(one, 5)
    one.act(SetSolver(METHOD))
    steps(one, 5)
    assert driver(beside.demo)[0] == "soft_step" and beside.now == 10 and beside.skipped == () and driver(one.demo)[0] == METHOD
    late = Comparison(one, METHOD)
    late.set_solver(METHOD, {"iterations": 5})
    late.follow()
    assert driver(late.demo) == (METHOD, (("iterations", 5),)) and len(late.distances) == len(beside.distances) == 11
    one.undo()
    beside.follow()
    assert beside.now == one.now == 5 and driver(one.demo)[0] == "box2d"


def test_a_scene_and_a_demo_begin_with_settings_of_the_solver(tmp_path):
    own = scene_demo(Scene(WorldSettings(solver_settings={"iterations": 7}), STACK, solver=METHOD))
    assert driver(own()) == driver(own(solver=METHOD)) == (METHOD, (("iterations", 7),))
    assert driver(own(solver="soft_step")) == ("soft_step", ())
    one = History(own(solver=METHOD, solver_settings=named_values("", {"share": 0.1})))
    assert driver(one.demo) == (METHOD, (("share", 0.1),))
    recorder = record(one, tmp_path / "a.rec")
    steps(one, 5)
    recorder.close()
    recording = load_recording(tmp_path / "a.rec")
    assert (recording.header.chosen_solver, recording.header.chosen_settings) == (METHOD, (("share", 0.1),))
    assert verify(recording, replay(recording)).is_same


@pytest.mark.parametrize(
    "solver, heeded",
    [
        ("box2d", ["world.velocity_iterations", "world.position_iterations"]),
        ("soft_step", ["world.velocity_iterations", "direct", "firmness"]),
        ("sequential_impulses", ["iterations", "share", "slop"]),
    ],
)
def test_the_panel_has_what_a_solver_heeds_of_the_world_beside_its_own_settings(solver, heeded):
    assert [one.name for one in setting_parameters(solver)] == [*heeded, "world.warm_starting"]
