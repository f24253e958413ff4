"""A server's recording replays tick by tick bit for bit, never exceeds the readable size, and does not delay the server."""

import pytest

from engine.app.session import Session
from engine.common.errors import InvalidInputError
from engine.geometry import Circle
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.actions import CreateBody, Drag, GoAlone, Grab, Join, Leave, Pause, PressKey, Restart, SetSolver, SetSpeed
from engine.sim.recordings import load_recording, records
from engine.sim.recordings.verifying import verify
from engine.sim.registry import find_demo
from engine.sim.replaying import new_demo, record_ticks, replay
from engine.world import BodySpec, FixtureSpec

DISC = BodySpec((FixtureSpec(Circle(0.3), density=1.0),), position=(0.5, 7.0))
ACTS = {
    17: UserAction(2, 0, Join()),
    20: UserAction(2, 1, CreateBody.of(0, DISC)),
    25: UserAction(2, 2, Grab((0.5, 6.9))),
    26: UserAction(2, 3, Drag((3.0, 8.0))),
    40: UserAction(2, 4, Pause(True)),
    47: UserAction(2, 5, Pause(False)),
    48: UserAction(2, 6, SetSpeed(0.25)),
    63: UserAction(2, 7, Restart()),
    70: UserAction(2, 8, SetSolver("soft_step")),
    75: UserAction(2, 9, Leave()),
}


def recorded(demo, path, acts, n_ticks, flushes=()):
    """Return a demo after these actions at these ticks, its recorder, and its recording as read."""
    simulation, recorder = SharedSimulation(demo), record_ticks(demo, path / "a.rec")
    for tick in range(n_ticks):
        for act in acts.get(tick, ()):
            simulation.add(tick, act)
        simulation.step()
        recorder.tick(simulation.inputs(tick), simulation.digests[tick + 1])
        if tick in flushes:
            recorder.flush()
    recorder.close()
    return simulation, recorder, load_recording(recorder.path)


def test_it_replays_bit_for_bit(tmp_path):
    demo = find_demo("simple_shapes")(3, {"count": 6})
    _, recorder, recording = recorded(demo, tmp_path, {tick: [act] for tick, act in ACTS.items()}, 100, (50,))
    assert (recording.steps, recording.n_inputs, recording.is_ended, recorder.ended) == (100, len(ACTS), True, "")
    assert new_demo(recording).sim.is_shared and recording.solvers == ("box2d", "soft_step")
    history = replay(recording)
    assert verify(recording, history).is_same
    assert list(history.keyframes) == [0, 30, 60, 90] and demo.steps < 60
    assert history.marks == (20, 25, 40, 47, 48, 63, 70), "of a user that comes, goes or drags no mark is made"
    history.seek(44)
    history.seek(99)
    assert history.divergence is None


def test_an_unreadable_recording_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MAX_RECORDED_INPUTS", 3)
    demo = find_demo("simple_shapes")(0, {"count": 2})
    acts = {tick: [UserAction(1, 1 + tick, Drag((0.0, 0.0)))] for tick in range(20)}
    _, recorder, recording = recorded(demo, tmp_path, acts | {0: [UserAction(1, 0, Join()), *acts[0]]}, 20, (1, 9))
    assert not recorder.is_open and "at most 3 inputs" in recorder.ended
    assert (recording.steps, recording.n_inputs, recording.is_ended) == (2, 3, True)
    assert verify(recording, replay(recording)).is_same
    with pytest.raises(InvalidInputError, match="a file that does not exist yet"):
        record_ticks(demo, recorder.path)


def test_a_failing_demo_fails_again_on_replay(tmp_path, monkeypatch):
    kind = find_demo("simple_shapes")

    def fail(demo, *_):
        if len(demo.stages[0].world.body_ids) % 5 == 0:
            raise ZeroDivisionError("a demo's mistake")
        demo.stages[0].world.create_body(DISC)
        return True

    monkeypatch.setattr(kind, "on_key", fail)
    monkeypatch.setattr(kind, "after_step", lambda demo: fail(demo) if demo.sim.users.ticks % 7 == 2 else None, raising=False)
    acts = {tick: [UserAction(1, tick, PressKey("a") if tick else Join())] for tick in range(70)}
    simulation, _, recording = recorded(kind(0, {"count": 2}), tmp_path, acts, 70)
    assert any("PressKey by user 1 failed: ZeroDivisionError" in fault for fault in simulation.faults) and any(
        "the step" in fault for fault in simulation.faults
    )
    assert verify(recording, replay(recording)).is_same and len(set(recording.branch.states.hashes)) > 60


def test_continuing_from_a_recording_is_offline(tmp_path):
    demo = find_demo("simple_shapes")(0, {"count": 3})
    done = [Join(), Grab(demo.stages[0].world.state(3).position), Pause(True)]
    *_, recording = recorded(demo, tmp_path, {tick: [UserAction(1, tick, action)] for tick, action in enumerate(done)}, 40)
    session = Session(new_demo(recording), (0.0, 0.0, 640.0, 480.0), has_history=True)
    session.play(recording)
    history = session.timeline.history
    session.timeline.seek(40)
    session.timeline.finish()
    session.advance(0.0)  # the frame that says that the recording ends here
    demo, world = session.demo, session.demo.stages[0].world
    assert (history.now, demo.steps, len(world.joint_ids)) == (40, 2, 1) and history.divergence is None
    session.clock.paused = True
    session.clock.request_step()
    session.advance(0.02)
    assert demo.steps == 3 and not demo.sim.users.users and world.joint_ids == () and demo.sim.users.away
    assert [entry.action for entry in history.branch.inputs[40]] == [GoAlone()]
    session.timeline.seek(20)
    session.timeline.finish()
    session.act(Grab(world.state(3).position))
    assert [type(entry.action) for entry in history.branch.inputs[20]] == [GoAlone, Grab] and history.at_tip
    assert history.verify() is None
