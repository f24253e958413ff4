"""Recordings that decompress to an excessive size are rejected during decompression, in one line that names the limit."""

import pytest

from engine.common import json_file
from engine.common.errors import InvalidInputError
from engine.sim.recordings import records
from engine.sim.recordings.loading import recording_of
from engine.sim.recordings.records import Back, End, RecordingError, encode_record
from tests.hazards import hostile


@pytest.mark.parametrize(
    ("kind", "size", "limit", "value", "words"),
    [
        ("many_inputs", 300, "MAX_RECORDED_INPUTS", 200, "a recording of at most 200 inputs"),
        ("many_parts_of_inputs", 30_000, "MAX_RECORDED_INPUTS", 15_000, "a recording of at most 15000 inputs"),
        ("many_steps", 3_000, "MAX_RECORDED_STEPS", 2_000, "a recording of at most 2000 steps"),
        ("many_bodies", 1_000, "MAX_UNPACKED", 100_000, "unpacks to at most 100000 bytes"),
        ("many_ids", 300, "MAX_RECORDED_MEMORY", 2_000_000, "a recording of at most 2000000 bytes of memory"),
        ("many_lists", 3_000, "MAX_RECORDED_MEMORY", 200_000, "a recording of at most 200000 bytes of memory"),
        ("many_lists", 3_000_000, "MAX_UNPACKED", 100_000_000, "a record that decodes to at most 200 MB"),
        ("bomb", 3_000_000, "MAX_UNPACKED", 1_000_000, "unpacks to at most 1000000 bytes"),
    ],
)
def test_is_rejected(monkeypatch, kind, size, limit, value, words):
    content = hostile.KINDS[kind].make(size)
    monkeypatch.setattr(records, limit, value)
    with pytest.raises(RecordingError, match=words):
        recording_of(content)


def test_decompression_is_limited_to_the_remaining_budget(monkeypatch):
    monkeypatch.setattr(records, "MAX_UNPACKED", 1_000)
    room = records.Room()
    with pytest.raises(RecordingError, match="unpacks to at most"):
        list(records.records_of(hostile.KINDS["bomb"].make(50_000_000), "a.rec", room))
    assert room.n_bytes == -1


def test_what_is_within_the_limits_is_read():
    assert recording_of(hostile.KINDS["many_steps"].make(3_000)).steps == 3_000
    assert recording_of(hostile.KINDS["many_inputs"].make(300)).n_inputs == 300
    assert recording_of(hostile.KINDS["many_ways_back"].make(50)).branches == 50


def test_a_back_record_is_charged_for_the_removed_data(monkeypatch):
    monkeypatch.setattr("engine.sim.branch.Branch.until", None)  # a copy of all that stays
    there = hostile.recording([hostile._part(0, 40, [(k, 0, {"type": "Release"}) for k in range(41)])])
    backs = b"".join(encode_record(Back(step, 1)) for step in (30, 20))
    recording = recording_of(there[: -len(encode_record(End()))] + backs)
    assert (recording.steps, recording.n_inputs, recording.branches) == (20, 21, 2)
    assert {len(kept) for kept in (recording.branch.states.hashes, recording.branch.states.bodies, recording.branch.states.digests)} == {21}


def test_json_with_too_many_values_is_rejected_before_it_is_read(monkeypatch):
    monkeypatch.setattr(json_file, "MAX_JSON_VALUES", 100)
    monkeypatch.setattr(json_file.json, "loads", None)
    for text in (b"[" + b"[]," * 100 + b"[]]", b"{" + b'"a":1,' * 200 + b'"b":1}', b"[" * 200):
        with pytest.raises(InvalidInputError, match=r"scene\.json must be JSON of at most 100 values, got about \d+"):
            json_file._parsed(text, "scene file", "scene.json")


def test_shared_world_actions_are_rejected_in_a_single_user_demo():
    alone = hostile.recording([hostile._part(0, 1, [(0, 0, {"type": "SetSpeed", "speed": 2.0})])])
    with pytest.raises(RecordingError, match="must be by a user from 1 to"):
        recording_of(alone)
