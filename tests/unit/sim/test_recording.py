"""Recordings are written while a demo runs, read back bit for bit, and replayed; damaged ones are rejected."""

import struct
import zlib

import msgspec
import pytest

from engine.box2d import memory
from engine.common.errors import InvalidInputError
from engine.geometry import Circle
from engine.sim.action import Input
from engine.sim.action_codec import encode_action
from engine.sim.actions import (
    ApplyImpulse,
    CreateBody,
    Drag,
    Grab,
    PressKey,
    Release,
    SetParameter,
)
from engine.sim.history import History, demo_hash
from engine.sim.recordings import Recorder, load_recording, recorder
from engine.sim.recordings.loading import recording_of
from engine.sim.recordings.recorder import free_path
from engine.sim.recordings.records import MAGIC, Part, RecordingError, encode_record, frame, records_of, start_of_file
from engine.sim.recordings.verifying import verify
from engine.sim.registry import find_demo
from engine.sim.replaying import demo_kind, record, replay
from engine.sim.scene_demo import scene_class
from engine.sim.state_log import body_digests, body_ids, differing
from engine.world import BodySpec, FixtureSpec, World
from tests.hazards import hostile


def begun(seed=3):
    memory.load()
    return History(find_demo("simple_shapes")(seed, {"count": 8}))


def play(history, steps):
    """Perform all kinds of actions, and step."""
    world = history.demo.stages[0].world
    for step in range(history.now, history.now + steps):
        if step == 10:
            history.act(Grab(world.state(world.body_ids[-1]).position))
        if 10 < step < 30:
            history.act(Drag((0.07 * step, 3.0)))
        if step == 30:
            history.act(Release())
        if step == 40:
            history.act(CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.3)),), position=(0.1, 6.0))))
        if step == 55:
            history.act(SetParameter("friction", 0.7))
            world = history.demo.stages[0].world
        history.step()


@pytest.fixture
def recorded(tmp_path):
    """A recording of 130 steps, with a branch."""
    path = tmp_path / "a.rec"
    history = begun()
    recorder = record(history, path)
    play(history, 100)
    recorder.flush()
    history.seek(80)
    history.act(ApplyImpulse(0, history.demo.stages[0].world.body_ids[-1], (0.5, 2.0)))
    play(history, 50)
    recorder.close()
    assert not recorder.is_open
    return path


def test_a_recording_is_read_back_bit_for_bit_and_replays(tmp_path):
    history = begun()
    play(history, 45)  # what was before it is recorded too
    recorder = record(history, tmp_path / "b.rec")
    play(history, 100)
    recorder.close()
    recording = load_recording(tmp_path / "b.rec")
    mine, line = recording.branch, history.branch
    assert (mine.states.hashes, mine.states.bodies, mine.states.digests) == (line.states.hashes, line.states.bodies, line.states.digests)
    read, written = ([[encode_action(entry.action) for entry in inputs] for inputs in branch.inputs] for branch in (mine, line))
    assert read == written
    assert recording.header.demo == "simple_shapes" and recording.seed == 3 and recording.header.values["count"] == 8
    assert recording.is_ended and recording.branches == 0 and not recording.foreign
    assert mine.states.raw == {step: history.raw_at(step) for step in (60, 120)} and history.raw_at(61) is None
    assert len(mine.states.raw[120]) == 24 * len(mine.states.bodies[120][0])
    again = replay(recording)
    assert again.reached == 0 and again.last == 145
    again.seek(145)
    assert again.divergence is None and demo_hash(again.demo) == demo_hash(history.demo) and again.reached == 145
    assert verify(recording, replay(recording)).words == "all 145 steps were reproduced bit for bit"


def test_undo_and_redo_are_followed(tmp_path):
    history = begun()
    recorder = record(history, tmp_path / "c.rec")
    play(history, 60)
    recorder.flush()
    assert history.undo() and history.undo()  # before the edit
    assert history.now == 40
    recorder.flush()
    assert history.redo()
    play(history, 5)
    history.undo()
    history.undo()
    history.act(PressKey("x"))
    recorder.flush()
    play(history, 9)
    recorder.close()
    recording = load_recording(tmp_path / "c.rec")
    assert recording.branch.states.hashes == history.branch.states.hashes and recording.branches >= 1
    assert verify(recording, replay(recording)).is_same


def test_a_different_force_is_found_in_its_body(recorded):
    recording = load_recording(recorded)
    (entry,) = recording.branch.inputs[80]
    assert isinstance(entry.action, ApplyImpulse)
    recording.branch.inputs[80] = (Input(ApplyImpulse(0, entry.action.body, (0.5, 2.0001))),)
    verdict = verify(recording, replay(recording))
    assert verdict.divergence.step == 81
    assert (0, entry.action.body) in verdict.divergence.bodies and len(verdict.divergence.bodies) <= 3
    assert verdict.measured_at == 120 and 0.0 < verdict.apart < 0.1
    ((stage, body), *_) = verdict.divergence.bodies
    assert f"step 81 is the first to differ: body {body} of world 0" in verdict.words and not verdict.is_same
    assert verdict.as_json()["bodies"][0] == {"stage": stage, "body": body}


def test_a_body_has_the_same_digest_only_in_the_same_state():
    world = World()
    bodies = [world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(3.0 * k, 0.0))) for k in range(300)]
    demo = begun().demo
    demo.stages[0].world = world
    before = body_ids(demo), body_digests(demo)
    for k, body in enumerate(bodies[:200]):
        if k % 2:
            world.set_pose(body, (float(3.0 * k + 1e-6 * k), 1e-7), 0.0)
        else:
            world.set_velocity(body, (0.0, 1e-9), 0.0)
    differences = differing(*before, body_ids(demo), body_digests(demo))
    assert {body for _, body in differences} <= set(bodies[:200]) and len(differences) >= 198
    assert len(set(struct.unpack(f"<{len(bodies)}H", before[1]))) >= 295  # at rest, side by side


def test_no_file_is_overwritten(recorded, tmp_path):
    content = recorded.read_bytes()
    with pytest.raises(InvalidInputError, match="does not exist yet"):
        record(begun(), recorded)
    with pytest.raises(InvalidInputError, match="can be created"):
        record(begun(), tmp_path / "nowhere" / "a.rec")
    assert recorded.read_bytes() == content
    assert free_path(tmp_path, "a", ".rec") == tmp_path / "a-2.rec"


def test_an_unregistered_demo_is_not_recorded(drop, tmp_path):
    with pytest.raises(InvalidInputError, match="registered id"):
        record(History(drop()), tmp_path / "a.rec")
    assert not list(tmp_path.iterdir())


def test_a_scene_file_travels_in_the_recording(tmp_path):
    content = {
        "format": "collision scene",
        "version": 1,
        "bodies": [{"position": [0, 3], "fixtures": [{"shape": {"kind": "circle", "radius": 0.5}}]}],
    }
    kind = scene_class(content)
    history = History(kind())
    recorder = record(history, tmp_path / "s.rec")
    for _ in range(20):
        history.step()
    recorder.close()
    recording = load_recording(tmp_path / "s.rec")
    assert recording.header.scene is not None and demo_kind(recording)().stages[0].world.body_ids == kind().stages[0].world.body_ids
    assert verify(recording, replay(recording)).is_same


def test_a_truncated_file_is_read_up_to_its_last_complete_record(recorded):
    content = recorded.read_bytes()
    ends = [len(start_of_file())]
    for _, written in records_of(content, "a"):
        ends.append(ends[-1] + len(encode_record(written)))
    assert ends[-1] == len(content)
    steps = []
    for end in ends[1:]:
        for cut in (end, end + 1, end + 11):
            recording = recording_of(content[:cut])
            assert recording.is_ended == (cut >= ends[-1])
            steps.append(recording.steps)
    assert steps[0] == 0 and steps[-1] == 130
    for cut in (0, 1, 7, 11, 12, 20, ends[1] - 1):
        with pytest.raises(RecordingError) as refusal:
            recording_of(content[:cut])
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "an empty file"),
        (b"PK\x03\x04 something else", "another file"),
        (MAGIC + struct.pack("<I", 7), "version 7"),
        (MAGIC + struct.pack("<I", 2), "must be a recording of version 3, got version 2"),
        (MAGIC.replace(b"\r\n", b"\n") + struct.pack("<I", 2), "another file"),
        (start_of_file() + encode_record(Part(0, 0, [], b"", [], b"", {})), "must be the header"),
        (start_of_file() + frame(zlib.compress(b"[]")), "must be a record"),
        (start_of_file() + frame(zlib.compress(msgspec.msgpack.encode(["header", "bridge"]))), "must be a record"),
        (start_of_file() + frame(b"{}"), "compressed with zlib"),
        (hostile.recording([], values={"count": float("nan")}), "values must be finite numbers"),
        (hostile.recording([], digests=b"x"), "digests must be two bytes for each body"),
        (hostile.recording([], seed="-1"), "must be a record"),
        (hostile.recording([], solver="newton"), r"record 0: solver must be one of box2d"),
        (start_of_file() + frame(zlib.compress(bytes(70_000_000))), "at most"),
    ],
)
def test_an_invalid_recording_is_rejected_in_one_line(content, words):
    with pytest.raises(RecordingError, match=words) as refusal:
        recording_of(content, "x.rec")
    assert "\n" not in str(refusal.value) and "x.rec" in str(refusal.value)


def test_a_flipped_bit_is_detected(recorded):
    content = recorded.read_bytes()
    lengths = [len(start_of_file()) + at for at in range(4)]  # of the header
    for at in (*lengths, len(content) // 2, len(content) - 1):
        damaged = bytearray(content)
        damaged[at] ^= 4
        with pytest.raises(RecordingError, match=r"must be whole, got damage at byte \d+"):
            recording_of(bytes(damaged))


def test_a_write_interrupted_by_ctrl_c_is_not_duplicated(tmp_path, monkeypatch):
    """The signal may arrive after writing but before bookkeeping; a duplicated part made the file unreadable."""
    history = begun()
    recorder = record(history, tmp_path / "c.rec")
    play(history, 20)
    file = recorder._writer._file
    assert file is not None

    class Interrupted:
        def __getattr__(self, name):
            return getattr(file, name)

        def truncate(self):
            raise KeyboardInterrupt

    monkeypatch.setattr(recorder._writer, "_file", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        recorder.flush()
    monkeypatch.setattr(recorder._writer, "_file", file)
    play(history, 5)
    recorder.close()
    recording = load_recording(tmp_path / "c.rec")
    assert recording.steps == 25 and recording.is_ended and verify(recording, replay(recording)).is_same


def test_a_step_interrupted_by_ctrl_c_is_not_recorded(tmp_path, monkeypatch):
    history = begun()
    recorder = record(history, tmp_path / "c.rec")
    play(history, 5)

    def interrupted():
        history.demo.stages[0].advance()
        raise KeyboardInterrupt

    monkeypatch.setattr(history.demo, "after_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        history.step()
    recorder.close()
    recording = load_recording(tmp_path / "c.rec")
    assert recording.steps == 5 and verify(recording, replay(recording)).is_same


def test_a_recording_that_cannot_be_started_leaves_no_file(tmp_path, monkeypatch):
    history = begun()
    play(history, 3)

    def full(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Recorder, "flush", full)
    with pytest.raises(OSError, match="No space left"):
        record(history, tmp_path / "c.rec")
    assert list(tmp_path.iterdir()) == []


def test_a_long_history_is_written_in_one_slice_per_frame(tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "_MAX_WAITING", 20)
    monkeypatch.setattr(recorder, "_SLICE_STEPS", 8)
    history = begun()
    play(history, 60)
    late = Recorder(history, tmp_path / "late.rec")
    n_written = [late.steps]
    while late.steps < history.last:
        play(history, 1)
        late.update()
        n_written.append(late.steps)
    assert n_written[:4] == [8, 16, 24, 32] and n_written[-1] == history.last == 68
    late.close()
    recording = load_recording(tmp_path / "late.rec")
    assert recording.branch.states.hashes == history.branch.states.hashes
    assert verify(recording, replay(recording)).divergence is None


def test_many_bodies_are_written_in_parts_that_can_be_read(tmp_path, monkeypatch):
    history = begun()
    play(history, 30)
    monkeypatch.setattr("engine.sim.recordings.recorder._MAX_DIGEST_BYTES", 7 * len(history.branch.states.digests[1]))
    recorder = record(history, tmp_path / "c.rec")
    recorder.close()
    content = (tmp_path / "c.rec").read_bytes()
    assert sum(isinstance(record, Part) for _, record in records_of(content, "c.rec")) == 5  # of 7 steps, and the rest
    assert load_recording(tmp_path / "c.rec").branch.states.hashes == history.branch.states.hashes


def test_a_recording_begins_with_its_first_state(recorded, monkeypatch):
    """A recording contains its initial state, because what a demo builds may change."""
    kind, build = find_demo("simple_shapes"), find_demo("simple_shapes").build

    def build_elsewhere(demo):
        build(demo)
        world = demo.stages[0].world
        world.set_pose(world.body_ids[-1], (0.0, 9.0), 0.5)

    monkeypatch.setattr(kind, "build", build_elsewhere)
    recording = load_recording(recorded)
    history = replay(recording)
    history.seek(50)
    assert history.divergence is None and history.hash_at(50) == recording.branch.states.hashes[50]
