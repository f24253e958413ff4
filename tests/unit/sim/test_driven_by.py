"""Demos with a solver chosen for the run: each builds and steps, is recorded and replayed, and rewinds and continues."""

import pytest

from engine.common.errors import InvalidInputError
from engine.sim.actions import PressKey
from engine.sim.history import History, demo_hash
from engine.sim.recordings import load_recording
from engine.sim.registry import find_demo
from engine.sim.replaying import record, replay
from engine.world import World, default_solver, driven_by

OURS = "soft_step"
SOME = ("bullet", "breakable", "ragdoll")


def driven(kind, solver=OURS):
    return kind(0, solver=solver)


def test_a_world_uses_the_solver_of_its_context():
    with driven_by(OURS):
        assert World().solver == OURS and World(solver="box2d").solver == "box2d"
        with driven_by(None):
            assert World().solver == OURS
        with pytest.raises(RuntimeError), driven_by("box2d"):
            assert World().solver == "box2d"
            raise RuntimeError
        assert World().solver == OURS
    assert World().solver == default_solver() == "box2d"
    with pytest.raises(InvalidInputError, match="solver must be one of box2d, soft_step"), driven_by("newton"):
        pass
    with pytest.raises(InvalidInputError, match="solver must be one of box2d, soft_step"):
        find_demo("bounce")(solver="newton")


def test_worlds_created_later_use_the_same_solver(twins):
    class Late(twins):
        def after_step(self):
            self.add_stage(World())

        def on_key(self, key):
            self.add_stage(World())
            return True

    demo = driven(Late)
    demo.sim.step()
    demo.sim.act(PressKey("space"))
    assert len(demo.stages) == 4 and demo.sim.solvers == (OURS,) and default_solver() == "box2d"


@pytest.mark.parametrize("name", SOME)
def test_a_recording_replays_with_its_solver(name, tmp_path):
    history = History(driven(find_demo(name)))
    recorder = record(history, tmp_path / "run.rec")
    for key in ("space", "left"):
        history.act(PressKey(key))
        for _ in range(40):
            history.step()
    recorder.close()
    recording = load_recording(tmp_path / "run.rec")
    assert (recording.header.solver, recording.header.chosen_solver) == (OURS, OURS)
    again = replay(recording)
    for step in (again.last, 33, 70, 5, again.last):
        again.seek(step)
        assert again.demo.sim.solvers == (OURS,)
    assert again.divergence is None and demo_hash(again.demo) == demo_hash(history.demo)


def test_complete_states_come_from_the_active_solver(monkeypatch):
    from engine.world import load_solver

    monkeypatch.setattr(load_solver("box2d"), "has_whole_states", classmethod(lambda _: False))
    assert not find_demo("bridge")().sim.keeps_solver_state
    assert driven(find_demo("bridge")).sim.keeps_solver_state


@pytest.mark.parametrize("solver", ["box2d", OURS])
def test_resting_bodies_stay_where_they_were_built(solver):
    """Bricks are built with the gaps of the solver's skin: 15 mm for Box2D, which falls all of that elsewhere."""
    demo = find_demo("tower_hit")(0, {"speed": 20.0}, solver=solver)
    (bricks, *_), world = demo.bricks, demo.stages[0].world
    lowest = bricks[0]
    height = world.state(lowest).position[1]
    for _ in range(10):
        demo.sim.step()
    assert world.state(lowest).position[1] == pytest.approx(height, abs=0.001)  # the weight of eight others, taken up within those steps
