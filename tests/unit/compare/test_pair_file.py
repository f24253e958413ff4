"""Pair files: saved pairs are restored bit for bit, and a mistake in a file is reported in one line with its field."""

from __future__ import annotations

import json
import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk, motion_chunk, ray_chunk
from engine.compare.pair.file import PAIR_QUERIES, Outsider, Pair, Provenance, load_pair, pair_as_json, pair_from_json, save_pair
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform

TRIANGLE = Polygon([(0.0, 0.0), (1.0, 0.1), (0.2, 1.0 / 3.0)], 0.01)
AT = Transform((0.1, -7.3), 2.0 / 3.0)
PAIRS = {
    "manifold": Pair("manifold", TRIANGLE, AT, Circle(0.1, (1e-9, -0.3)), Transform(), provenance=Provenance(3, 5, 17)),
    "overlap": Pair("overlap", Capsule((0.0, 0.1), (1.0, 0.3), 0.7), AT, Segment((0.0, 0.0), (1.0, 0.0), 0.01, (-1.0, 0.2), None)),
    "distance": Pair("distance", Segment((0, 0), (0, 0)), AT, Segment((0, 0), (1, 0), 0.0, (-1, 0), (2.0, 1.0 / 7.0)), note="Kante, é"),
    "toi": Pair("toi", TRIANGLE, AT, TRIANGLE, Transform(), Transform((5.0, 0.1), 7.0), Transform((1e-300, 0.0), -40.0), (0.1, 0.2)),
    "ray_cast": Pair("ray_cast", TRIANGLE, AT, ray=((0.1, 0.2), (1e8, -0.3)), outsider=Outsider("a.py:f", {"points": [(0.1, 2)]}, "wrong")),
    "contains": Pair("contains", Circle(5e-324), point=(-0.0, 0.1)),
}


@pytest.mark.parametrize("query", PAIR_QUERIES)
def test_a_saved_pair_loads_unchanged(query, tmp_path):
    file = tmp_path / "pair.json"
    save_pair(file, PAIRS[query])
    back = load_pair(file)
    assert pair_as_json(back) == pair_as_json(PAIRS[query])
    assert (back.shape_a, back.shape_b, back.sweep_a, back.sweep_b) == (
        PAIRS[query].shape_a, PAIRS[query].shape_b, PAIRS[query].sweep_a, PAIRS[query].sweep_b,
    )  # fmt: skip
    first = file.read_bytes()
    save_pair(file, back)
    assert file.read_bytes() == first
    assert os.listdir(tmp_path) == ["pair.json"]


def test_the_sign_of_zero_is_preserved(tmp_path):
    save_pair(tmp_path / "pair.json", PAIRS["contains"])
    back = load_pair(tmp_path / "pair.json")
    assert back.point is not None
    assert math.copysign(1.0, back.point[0]) == -1.0


_NUMBERS = st.floats(-1e9, 1e9)


@settings(max_examples=60, deadline=None)
@given(st.tuples(_NUMBERS, _NUMBERS, _NUMBERS), st.floats(5e-324, 1e9), st.tuples(_NUMBERS, _NUMBERS))
def test_every_float_is_preserved_exactly(pose, radius, at):
    pair = Pair("contains", Circle(radius, at), Transform(pose[:2], pose[2]), point=at)
    back = pair_from_json(json.loads(json.dumps(pair_as_json(pair))))
    assert isinstance(back.shape_a, Circle)
    numbers = [*pair.pose_a.position, pair.pose_a.angle, radius, *at, *at]
    read = [*back.pose_a.position, back.pose_a.angle, back.shape_a.radius, *back.shape_a.center, *(back.point or ())]
    assert np.array(read).tobytes() == np.array(numbers).tobytes()


def test_every_kind_of_generated_pair_can_be_saved(tmp_path):
    cases = case_chunk(1, 0, 200)
    motion, rays = motion_chunk(cases, 1, 0), ray_chunk(cases, 1, 0)

    def at(pose):
        x, y, angle = pose.tolist()
        return Transform((x, y), angle)

    for row, (a, b) in enumerate(cases.pairs.tolist()):
        resting = Pair("manifold", cases.shapes[a], at(cases.poses_a[row]), cases.shapes[b], at(cases.poses_b[row]))
        moving = Pair(
            "toi", cases.shapes[a], at(motion.start_a[row]), cases.shapes[b], at(motion.start_b[row]), at(motion.end_a[row]),
            at(motion.end_b[row]),
        )  # fmt: skip
        ray = (tuple(rays.origins[row].tolist()), tuple(rays.ends[row].tolist()))
        for pair in (resting, moving, Pair("ray_cast", cases.shapes[a], at(cases.poses_a[row]), ray=ray)):
            assert pair_from_json(json.loads(json.dumps(pair_as_json(pair)))) == pair


def _good():
    return json.loads(json.dumps(pair_as_json(PAIRS["manifold"])))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("version",), 2, "version must be 1, got 2"),
        (("format",), "pear", "format must be collision pair, got 'pear'"),
        (("query",), "hull", "query must be one of manifold, overlap, distance, toi, ray_cast, contains, got 'hull'"),
        (("a", "shape", "vertices", 2, 0), "x", "a.shape.vertices[2][0] must be a number from -1e+09 to 1e+09, got 'x'"),
        (("a", "shape", "vertices", 2, 0), 1e10, "a.shape.vertices[2][0] must be a number from -1e+09 to 1e+09, got 10000000000.0"),
        (("a", "shape", "vertices", 2, 0), True, "a.shape.vertices[2][0] must be a number from -1e+09 to 1e+09, got True"),
        (("a", "shape", "vertices"), [[0, 0], [1, 0]], "a.shape.vertices must be a list of at least 3, got 2"),
        (("a", "shape", "vertices", 1), [1], "a.shape.vertices[1] must be a list of at least 2, got 1"),
        (("a", "shape", "skin_radius"), -1, "a.shape.skin_radius must be a number >= 0 m, at most 1e+09, got -1"),
        (("a", "shape", "kind"), "star", "a.shape.kind must be one of capsule, circle, polygon, segment, got 'star'"),
        (("a", "shape"), 3, "a.shape must be an object, got 3"),
        (("b", "shape", "radius"), 0, "b.shape.radius must be a number > 0 m, at most 1e+09, got 0"),
        (("b", "shape", "color"), "red", "b.shape.color must be a known field (kind, radius, center), got 'red'"),
        (("b", "pose"), "here", "b.pose must be a list, got 'here'"),
        (("b", "pose"), None, "b.pose must be a list, got None"),
        (("b", "pose"), [1, 2, 3, 4], "b.pose must be a list of at most 3, got 4"),
        (("b", "end_pose"), [0, 0, 0], "b.end_pose must be omitted for this query, got manifold"),
        (("b",), None, "b must be given for this query, got manifold"),
        (("ray",), {"origin": [0, 0]}, "ray.end must be given, got nothing"),
        (("ray",), {"origin": [0, 0], "end": [1, 1]}, "ray must be omitted for this query, got manifold"),
        (("provenance", "row"), -1, "provenance.row must be a whole number >= 0, got -1"),
        (("provenance", "row"), 1.5, "provenance.row must be a whole number >= 0, got 1.5"),
        (("note",), 5, "note must be text of at most 10000 characters, got 5"),
        (("outsider",), {"answer": None}, "outsider.name must be given, got nothing"),
        (("outsider",), {"name": "f", "answer": {"normal": math.nan}}, "outsider.answer must be plain data with finite numbers"),
    ],
)
def test_a_wrong_field_is_named_with_its_requirement(path, value, message):
    plain = _good()
    inner = plain
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    with pytest.raises(InvalidInputError) as caught:
        pair_from_json(plain, "my.json")
    assert str(caught.value).startswith(f"my.json: {message}")
    assert "\n" not in str(caught.value)


def test_invalid_shapes_are_rejected_by_their_field():
    plain = _good()
    plain["a"]["shape"]["vertices"] = [[0, 0], [1, 0], [2, 0]]
    with pytest.raises(InvalidInputError, match=r"^my\.json: a\.shape\.vertices must be points that enclose an area"):
        pair_from_json(plain, "my.json")
    plain["a"]["shape"] = {"kind": "segment", "p1": [0, 0], "p2": [1, 0], "ghost1": [0, 0]}
    with pytest.raises(InvalidInputError, match=r"^my\.json: a\.shape\.ghost1 must be a point different"):
        pair_from_json(plain, "my.json")


@pytest.mark.parametrize("plain", [None, 3, [], "pair", {}, {"format": "collision pair"}, [[[]]]])
def test_an_invalid_pair_is_rejected(plain):
    with pytest.raises(InvalidInputError, match=r"^my\.json: (the file must be an object|\w+ must be given)"):
        pair_from_json(plain, "my.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{\n  "format": "collision pair",\n  "version": 1,,\n}', r", line 3, column \d+ must be JSON \(.*\), got '\"version\": 1,,'$"),
        (b"", r", line 1, column 1 must be JSON \(expecting value\), got an empty file$"),
        (b'{"a": NaN}', r" must be JSON with finite numbers only, got 'NaN'$"),
        (b"\xff\xfe\x00", r" must be UTF-8 text, got other bytes$"),
        (b"[" * 100_000, r" must be a pair file, got lists nested too deeply$"),
        (b"1" * 10_000, r" must be a pair file, got a number of thousands of digits$"),
        (b" " * 1_000_001, r" must be a pair file, at most 1000000 bytes, got more$"),
    ],
)
def test_a_broken_file_is_reported_with_its_line(content, message, tmp_path):
    file = tmp_path / "pair.json"
    file.write_bytes(content)
    with pytest.raises(InvalidInputError, match=message) as caught:
        load_pair(file)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["missing.json", ".", "nul\0l"])
def test_an_unreadable_file_is_rejected(name, tmp_path):
    with pytest.raises(InvalidInputError, match=r"^pair file must be a file that can be read \("):
        load_pair(str(tmp_path / name))


def test_a_byte_order_mark_is_accepted(tmp_path):
    file = tmp_path / "pair.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(_good()).encode())
    assert load_pair(file).query == "manifold"


def test_unreadable_output_is_not_written(tmp_path):
    file = tmp_path / "pair.json"
    file.write_bytes(b"before")
    for pair in (
        Pair("contains", Circle(1.0), Transform((1e10, 0.0)), point=(0.0, 0.0)),
        Pair("contains", Circle(1.0), point=(0.0, 0.0), outsider=Outsider("f", {"depth": math.inf})),
        Pair("contains", Circle(1.0), point=(0.0, 0.0), outsider=Outsider("f", object())),
    ):
        with pytest.raises(InvalidInputError):
            save_pair(file, pair)
    assert file.read_bytes() == b"before"


def test_a_save_that_fails_keeps_the_file_that_was_there(tmp_path, monkeypatch):
    file = tmp_path / "pair.json"
    save_pair(file, PAIRS["manifold"])
    before = file.read_bytes()

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="No space"):
        save_pair(file, PAIRS["overlap"])
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["pair.json"]


def test_a_pair_needs_what_its_query_needs():
    with pytest.raises(InvalidInputError, match=r"^b must be given for this query, got manifold"):
        Pair("manifold", Circle(1.0))
    with pytest.raises(InvalidInputError, match=r"^point must be omitted for this query, got ray_cast"):
        Pair("ray_cast", Circle(1.0), ray=((0.0, 0.0), (1.0, 0.0)), point=(0.0, 0.0))
    with pytest.raises(InvalidInputError, match=r"^a\.end_pose must be given"):
        Pair("toi", Circle(1.0), shape_b=Circle(1.0))
    with pytest.raises(InvalidInputError, match=r"^local_center must be omitted"):
        Pair("overlap", Circle(1.0), shape_b=Circle(1.0), center_a=(1.0, 0.0))
    reasked = PAIRS["manifold"].reasked("distance")
    assert (reasked.query, reasked.provenance, reasked.shape_b) == ("distance", None, PAIRS["manifold"].shape_b)
    with pytest.raises(InvalidInputError):
        reasked.reasked("toi")
