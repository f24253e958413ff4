"""Randomly played demos are rewound and replayed bit for bit; a planted fault is detected.

Short here. All demos, longer: ``python -m tests.hazards.rewinding``.
"""

import pytest
from hypothesis import Phase

from engine.box2d import memory
from engine.demo import Demo
from engine.geometry import Circle, Polygon
from engine.sim.actions import KeepSolverState
from engine.sim.history import History, demo_hash
from engine.sim.registry import all_demos, find_demo
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World
from tests.hazards.meddling import Meddler, sample_files
from tests.hazards.rewinding import RewindingError, rewind

CHOSEN = ("bounce", "ragdoll_pile")
"""Discs that were let fall, and bodies of many fixtures with joints."""
OTHERS = [pytest.param(kind, id=kind.id) for kind in all_demos() if kind.id not in (*CHOSEN, "bullet", "broadphase")]
"""Those two cost seconds here; `tests/unit/sim/test_history.py` rewinds them too."""


class Forgetful(Demo):
    """Counts in state that is not saved, so the second run pushes differently."""

    id = "forgetful"

    def build(self):
        """A disc, and a counter that neither a restart nor a rewind restores."""
        stage = self.add_stage(World())
        stage.world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 3.0)))
        self.view_state = self.view_state or 0

    def on_key(self, key):
        """Push harder each time."""
        self.view_state += 1
        self.stages[0].world.apply_impulse(0, (0.1 * self.view_state, 0.0))
        return True


class Pendulum(Demo):
    """A chain of rods whose joints carry a weight, so joint state lost in a rebuild becomes visible."""

    id = "pendulum"

    def build(self):
        """Ten rods and a weight, side by side."""
        world = self.add_stage(World()).world
        before = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.2, 0.2)),), type="static"))
        for k in range(10):
            rod = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.1), density=1.0 + 20.0 * (k == 9)),), position=(k + 0.5, 0.0)))
            world.create_joint(RevoluteJointSpec(before, rod, (float(k), 0.0)))
            before = rod


@pytest.mark.parametrize(("id", "examples", "solver"), [("bounce", 2, None), ("ragdoll_pile", 3, None), ("ragdoll_pile", 2, "soft_step")])
def test_edited_demos_are_rewound_exactly(id, examples, solver):
    memory.load()
    kind = find_demo(id)
    seen = rewind(kind, examples, files=sample_files(kind(0)) if id == "bounce" else (), solver=solver)
    assert seen["Edit"] > 2


@pytest.mark.parametrize("kind", OTHERS)
def test_every_other_demo_is_rewound_exactly(kind, monkeypatch):
    memory.load()
    for name in ("_KEYFRAME_STEPS", "_KEYFRAME_STEPS_OF_MANY"):  # half a second or one otherwise
        monkeypatch.setattr(f"engine.sim.demo.{name}", 8)
    history = History(kind(1))
    meddler = Meddler(history, 1, busy=1.0)
    for _ in range(20):
        meddler.step()
    assert len(meddler.tried) >= (2 if kind.no_edits else 8) and len(history.keyframes) > 1
    assert history.verify() is None
    for step in (11, history.last):
        history.seek(step)
        assert demo_hash(history.demo) == history.hash_at(step), step
    assert history.divergence is None


def test_a_demo_with_unsaved_state_is_detected_and_its_actions_are_printed():
    with pytest.raises(RewindingError, match="another") as failed:
        rewind(Forgetful, 20, phases=(Phase.generate,))
    assert any("PressKey" in line for line in failed.value.__notes__)


def test_memory_that_becomes_readable_later_belongs_to_the_history(monkeypatch):
    """A thread loads it while the first demo runs; earlier steps must be repeated without it."""
    if memory.load() is not None:
        pytest.skip("memory is out of reach here")
    ready = memory.best_internal_memory()
    monkeypatch.setattr("engine.box2d.solver.best_internal_memory", lambda: None)
    history = History(Pendulum(0))
    assert not history.demo.sim.keeps_solver_state
    for _ in range(100):
        history.step()
    monkeypatch.setattr("engine.box2d.solver.best_internal_memory", lambda: ready)
    history.step()
    history.act(KeepSolverState())
    for _ in range(100):
        history.step()
    assert history.demo.sim.keeps_solver_state and history.demo.stages[0].world.snapshot().state.is_whole
    history.seek(90)
    assert not history.demo.sim.keeps_solver_state and not history.demo.stages[0].world.snapshot().state.is_whole
    history.seek(history.last)
    assert history.divergence is None and history.verify() is None


@pytest.mark.slow
@pytest.mark.parametrize("kind", all_demos(), ids=lambda kind: kind.id)
def test_every_demo_survives_random_edits_on_our_own_solver(kind):
    rewind(kind, 4, 20, files=sample_files(kind(0)), solver="soft_step")


@pytest.mark.slow
@pytest.mark.parametrize("id", ["simple_shapes", "radial_engine", "ragdoll_pile"])
def test_changes_of_solver_are_rewound_exactly(id):
    assert rewind(find_demo(id), 8, 20, switch=("box2d", "soft_step", "sequential_impulses"))["SetSolver"] > 0
