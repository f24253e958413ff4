"""Rewinding a demo and returning is exact; an action in the past starts a branch; undo and redo."""

import contextlib
import random

import pytest

from engine.box2d import memory
from engine.common.errors import InvalidInputError, LabError
from engine.demo import Demo
from engine.geometry import Circle, Polygon
from engine.sim.actions import (
    CreateBody,
    Drag,
    Grab,
    Join,
    PressKey,
    Release,
    ReleaseAll,
    Restart,
    SetAwake,
)
from engine.sim.history import History, demo_hash
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World
from tests.stepping import steps


class Rain(Demo):
    """Discs fall at random; a key makes the next ones large; parameters that restart are tested elsewhere."""

    id = "rain"

    def build(self):
        world = World()
        world.create_body(BodySpec((FixtureSpec(Polygon.box(4.0, 0.5)),), type="static"))
        self.add_stage(world)
        self.random = self.rng("rain")
        self.radius = 0.2
        self.fallen = []

    def before_step(self):
        if self.steps % 9 == 0:
            place = float(self.random.uniform(-3.0, 3.0)), 5.0
            self.fallen.append(self.stages[0].world.create_body(BodySpec((FixtureSpec(Circle(self.radius)),), position=place)))
        if "left" in self.held:
            self.stages[0].world.apply_impulse(self.fallen[0], (-0.01, 0.0))

    def on_key(self, key):
        self.radius = 0.35
        return True


def played(steps=300):
    memory.load()
    history = History(Rain(3))
    for step in range(steps):
        if step == 40:
            history.act(PressKey("left"))
        if step == 70:
            history.act(ReleaseAll())
        if step == 130:
            assert history.act(Grab(history.demo.stages[0].world.state(history.demo.fallen[2]).position))
        if 130 < step < 160:
            history.act(Drag((0.05 * (step - 130), 3.0)))
        if step == 160:
            history.act(Release())
        history.step()
    return history


def test_every_step_can_be_restored():
    history = played()
    end = demo_hash(history.demo)
    rng = random.Random(1)
    for step in [0, 299, 120, 121, 119, *(rng.randrange(300) for _ in range(8))]:
        history.seek(step)
        assert history.now == step
        assert demo_hash(history.demo) == history.hash_at(step), step
        assert history.demo.steps == step
    history.seek(300)
    assert demo_hash(history.demo) == end
    assert history.divergence is None
    assert history.verify() is None


def test_redo_returns_to_the_old_branch_after_time_has_advanced_in_another():
    history = played(200)
    end = demo_hash(history.demo)
    assert history.undo() and history.now == 130
    steps(history, 130)  # past keyframes that the old line has too
    assert history.undo() and history.now == 40
    steps(history, 90)
    assert history.redo() and history.now == 260 and history.divergence is None
    history.seek(100)
    assert history.redo() and history.now == 200 and demo_hash(history.demo) == end
    assert history.divergence is None and history.verify() is None


def test_undo_reverts_a_gesture_and_redo_restores_it():
    history = played(200)
    end = demo_hash(history.demo)
    assert history.undo()  # the grab at 130, with its drags
    assert history.now == 130 and not history.demo.grabbing
    assert history.undo()  # the key at 40
    assert history.now == 40 and not history.demo.held
    assert not history.undo()
    assert history.redo() and history.now == 130
    assert history.redo() and history.now == 200 and demo_hash(history.demo) == end
    assert not history.redo()
    history.undo()
    history.act(PressKey("a"))
    assert not history.can_redo


def test_visiting_a_step_changes_nothing():
    history = played(200)
    assert history.undo() and history.now == 130
    steps(history, 20)
    here, line, seen = demo_hash(history.demo), history.branch, []
    for step in (0, 40, 149, 150):
        history.visit(step, lambda: seen.append((history.now, history.hash_at(history.now) == demo_hash(history.demo))))
        assert history.now == 150 and demo_hash(history.demo) == here and history.branch is line
    assert [step for step, _ in seen] == [0, 40, 149, 150] and history.divergence is None
    with pytest.raises(LabError, match="nothing there"):
        history.visit(40, lambda: (_ for _ in ()).throw(LabError("nothing there")))
    assert history.now == 150 and demo_hash(history.demo) == here
    with pytest.raises(InvalidInputError):
        history.visit(151, lambda: None)
    assert history.redo() and history.now == 200 and history.verify() is None


def test_undone_actions_do_not_happen_again():
    history, untouched = played(20), played(20)
    spec = BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.0, 3.0))
    history.act(CreateBody.of(0, spec))
    history.step()
    end = demo_hash(history.demo)
    assert history.undo() and history.at_tip and history.last == 20
    for _ in range(100):
        history.step()
        untouched.step()
    assert demo_hash(history.demo) == demo_hash(untouched.demo) != end
    assert history.redo() and history.now == 21 and demo_hash(history.demo) == end
    assert history.divergence is None


def test_keyframes_are_thinned_and_every_step_stays_reachable(monkeypatch):
    memory.load()
    monkeypatch.setattr("engine.sim.keyframes.MAX_BYTES", 20_000)
    history = History(Rain(3))
    steps(history, 500)  # the last keyframe but one is packed in the steps after the newest
    assert history.n_bytes <= 20_000
    assert 2 < len(history.keyframes) < 500 // 60
    history.seek(250)
    assert demo_hash(history.demo) == history.hash_at(250)


def test_verify_replays_everything_from_any_step():
    """At the newest step, it once had nothing to do and therefore never found a fault."""
    history, steps_seen = played(120), []
    history.watchers.append(lambda watched: steps_seen.append(watched.now))
    assert history.verify() is None
    assert steps_seen == list(range(1, 121)) and history.now == 120
    history.branch.states.hashes[50] = b"another"
    divergence = history.verify()
    assert divergence.step == 50


def test_a_grab_of_empty_space_releases_and_is_recorded():
    memory.load()
    history = History(Rain(3))
    for step in range(90):
        if step == 30:
            assert history.act(Grab(history.demo.stages[0].world.state(history.demo.fallen[1]).position))
        if step == 31:
            history.act(Drag((2.0, 6.0)))
        if step == 50:
            assert not history.act(Grab((0.0, 300.0))) and not history.demo.grabbing
        history.step()
    assert not history.act(Grab((0.0, 300.0))) and not history.inputs[90]  # nothing was held: it means nothing
    history.seek(20)
    history.seek(90)
    assert history.divergence is None and history.verify() is None


def test_an_interrupted_step_is_not_a_keyframe():
    """The history ended before its worlds were rebuilt, so returning to that step would have continued differently."""

    class Broken(Rain):
        id = "broken"

        def after_step(self):
            if self.steps == 60:
                raise LabError("broken off")

    history = History(Broken(1))
    steps(history, 59)
    with pytest.raises(LabError, match="broken off"):
        history.step()
    steps(history, 70)
    assert history.now == 130 and history.keyframes == [0, 120]
    assert history.verify() is None


def test_wrong_steps_and_actions_are_rejected():
    history = played(10)
    with pytest.raises(InvalidInputError, match="step must be from 0 to 10"):
        history.seek(11)
    with pytest.raises(InvalidInputError, match=r"SetAwake.body must be int >= 0, got -1"):
        history.act(SetAwake(0, -1, True))
    assert not any(history.inputs), "it is no part of the history"


def test_a_single_user_demo_cannot_be_joined():
    """Issue 30: user 0 joined, and no keyframe after that could be restored."""
    history = History(Rain(0))
    with pytest.raises(InvalidInputError, match=r"user must be .*, got 0"):
        history.act(Join())
    assert not history.demo.sim.is_shared
    steps(history, 2)
    history.seek(1)


class Failing(Rain):
    def on_key(self, key):
        raise KeyError(key)


def test_an_error_of_a_demo_in_an_action_is_recorded():
    """Issue 30: seeking across the action raised the error again."""
    history = History(Failing(0))
    history.step()
    with pytest.raises(KeyError):
        history.act(PressKey("a"))
    assert [entry.is_refused for entry in history.inputs[1]] == [True]
    history.step()
    end = demo_hash(history.demo)
    history.seek(0)
    history.seek(2)
    assert demo_hash(history.demo) == end
    assert history.divergence is None


class Chain(Demo):
    """A disc on a rope: joints whose state cannot be saved while memory is not readable."""

    id = "chain"

    def build(self):
        world = self.add_stage(World()).world
        roof = world.create_body(BodySpec((FixtureSpec(Polygon.box(0.2, 0.2)),), type="static", position=(0.0, 4.0)))
        disc = world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(1.0, 4.0)))
        world.create_joint(RevoluteJointSpec(roof, disc, (0.0, 4.0)))


def test_without_readable_memory_a_rewind_is_slow_and_exact(monkeypatch):
    from engine.app.session import Session

    monkeypatch.setattr("engine.box2d.solver.best_internal_memory", lambda: None)
    session = Session(Chain(0), (0, 0, 640, 480), has_history=True)
    history = session.timeline.history
    steps(history, 150)
    assert history.keyframes == [0]
    session.timeline.seek(130)
    assert history.divergence is None and demo_hash(history.demo) == history.hash_at(130)


def test_after_a_restart_both_counts_of_steps_are_reported():
    from engine.app.session import Session

    session = Session(Rain(0), (0, 0, 640, 480), has_history=True)
    assert session.timeline.history is not None
    steps(session.timeline.history, 30)
    assert session.timeline.moment == "0.50 s, step 30"
    session.act(Restart())
    steps(session.timeline.history, 12)
    assert session.timeline.moment == "0.20 s, step 12 (42 on the timeline)"
    session.timeline.seek(6)
    assert session.timeline.moment == "0.10 s, step 6"


class Stumbling(Demo):
    """Its own code fails at step 5."""

    id = "stumbling"

    def build(self):
        self.add_stage(World()).world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 4.0)))

    def before_step(self):
        if self.steps == 5:
            self.steps += 1
            raise KeyError("of the demo's own")


def test_a_demo_error_is_repeated_silently():
    history = History(Stumbling(0))
    for step in range(12):
        with pytest.raises(KeyError) if step == 5 else contextlib.nullcontext():
            history.step()
    for step in (3, 9, 0, 12):
        history.seek(step)
        assert history.now == step and history.divergence is None
    assert history.verify() is None


class Moody(Demo):
    """A user scene that stores a text, later a number, and a table that appears late."""

    id = "moody"

    def build(self):
        """A disc, without stored data yet."""
        self.add_stage(World()).world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 3.0)))
        self.mood = "idle"

    def after_step(self):
        """Change the stored data and its type."""
        self.mood = "idle" if self.steps < 70 else self.steps
        if self.steps == 80:
            self.late = {"at": [self.steps]}


def test_demo_attributes_may_change_type_or_appear_later():
    history = History(Moody(1))
    steps(history, 130)
    history.seek(65)
    assert history.demo.mood == "idle" and not hasattr(history.demo, "late")
    history.seek(130)
    assert history.demo.mood == 130 and history.demo.late == {"at": [80]} and history.divergence is None
    history.seek(0)
    assert history.demo.mood == "idle" and history.verify() is None
