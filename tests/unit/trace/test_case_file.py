"""Stepper cases as files: bit-identical round trips, and one line for unreadable files."""

from __future__ import annotations

import json
import math

import pytest

from engine import trace
from engine.common.errors import InvalidInputError
from engine.compare.pair.file import Pair, save_pair
from engine.geometry import Circle, Polygon, Transform
from engine.trace.case_file import SavedCase, case_as_json, case_from_json, load_case, save_case
from engine.trace.cases import PairCase
from engine.trace.scene_case import SceneCase

THIRD = 1.0 / 3.0
PAIR = Pair("distance", Polygon.regular(5, THIRD), Transform((math.pi, 0.1), 2.0), Circle(0.1), Transform((0.0, 1e-300)))
HEAD = {"format": "stepper case", "version": 1, "algorithm": "gjk"}


@pytest.mark.parametrize("name", trace.algorithms())
def test_every_example_is_restored_unchanged(name, tmp_path):
    saved = SavedCase(name, trace.algorithm(name).example)
    save_case(tmp_path / "case.json", saved)
    loaded = load_case(tmp_path / "case.json")
    assert loaded.algorithm == name
    assert case_as_json(loaded) == case_as_json(saved)
    if not isinstance(saved.case, SceneCase):  # of which the scenery is where a solver brings it
        assert loaded.case.scenery == saved.case.scenery


def test_a_pair_file_is_a_case_of_the_algorithm_for_its_query(tmp_path):
    save_pair(tmp_path / "pair.json", PAIR)
    loaded = load_case(tmp_path / "pair.json")
    assert loaded.algorithm == "gjk"
    assert loaded.case.scenery == case_from_json({**HEAD, "pair": case_as_json(loaded)["pair"]}).case.scenery


def test_algorithms_for_shapes_at_rest_use_the_start_of_a_motion():
    moving = Pair("toi", PAIR.shape_a, PAIR.pose_a, PAIR.shape_b, PAIR.pose_b, Transform((1.0, 0.0)), Transform((2.0, 0.0)), (0.5, 0.0))
    for name in ("swept_sat", "shape_cast"):  # which know no turning, and one of them no motion of B
        plain = trace.algorithm(name).fitted(PairCase(moving))
        assert isinstance(plain, PairCase) and trace.algorithm(name).takes(plain)
    start = trace.algorithm("gjk").fitted(PairCase(moving))
    assert isinstance(start, PairCase) and start.pair.pose_a == PAIR.pose_a
    assert trace.algorithm("gjk").query(start).separation == trace.algorithm("gjk").query(PairCase(PAIR)).separation


FRAME = [[0.0, 0.0], [101.0, 0.0], [101.0, 2.0], [0.0, 2.0]]
HOLES = [[[k + 0.2, 0.5], [k + 0.2, 1.5], [k + 0.8, 0.5]] for k in range(100)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "pear"}, "format must be"),
        ({"version": 2}, "version must be"),
        ({"algorithm": "gkj"}, "algorithm must be one of"),
        ({"pair": None}, "a case with one of pair, points, rings, boxes, scene, got none"),
        ({"points": [[0.0, 0.0]]}, "got pair and points"),
        ({"region": [0.0, 0.0, 1.0, 1.0]}, "region must be given with boxes, .*got a region with pair"),
        (
            {"pair": None, "boxes": [[0.0, 0.0, 1.0, 1.0]]},
            "region must be given with boxes, .*got boxes without a region",
        ),
        ({"pair": None, "points": [[0.0, 1.0]] * 501}, "points must be a list of at most 500, got 501"),
        ({"pair": None, "boxes": [[0.0, 0.0, 1.0, 1.0]] * 129, "region": [0.0, 0.0, 1.0, 1.0]}, "boxes must be a list of at most 128"),
        ({"pair": None, "rings": [FRAME, *HOLES]}, "rings must be at most 250 corners together .*got 304"),
        ({"pair": {}}, "pair: format must be given"),
        ({"before": {}}, "before: format must be given"),
        ({"pair": None, "points": [[0.0, 1.0]], "before": {}}, "before must be given only with a pair"),
        ({"taken": 3}, "taken must be given only with a scene, got pair"),
        ({"pair": None, "scene": {}}, "scene: format must be given, got nothing"),
        ({"pair": None, "scene": {"format": "collision scene", "version": 1}, "taken": -1}, "taken must be a whole number from 0 to"),
        ({"other": 1}, "other must be a known field"),
        ({"pair": None, "points": [[0.0, "x"]]}, r"points\[0\]\[1\] must be a number"),
        ({"pair": None, "points": [[0.0, 1e99]]}, r"points\[0\]\[1\] must be a number from -1e\+09"),
        ({"pair": None, "points": [[0.0, 1.0]]}, "a case that gjk accepts, got points"),
        ({"pair": None, "rings": [[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]]}, "rings: "),
        ({"pair": None, "boxes": [[0.0, 0.0, -1.0, 1.0]], "region": [0.0, 0.0, 1.0, 1.0]}, r"boxes\[0\] must be x0, y0, x1, y1"),
    ],
)
def test_an_error_in_a_file_is_named(changes, message):
    plain = {**case_as_json(SavedCase("gjk", trace.algorithm("gjk").example)), **changes}
    with pytest.raises(InvalidInputError, match=message) as refused:
        case_from_json({name: value for name, value in plain.items() if value is not None}, "x.json")
    assert str(refused.value).startswith("x.json") and "\n" not in str(refused.value)


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", '"words"', json.dumps({"format": ["stepper case"]}), '{"format": "stepper case"}'])
def test_a_broken_file_is_reported_in_one_line(content, tmp_path):
    file = tmp_path / "broken.json"
    file.write_text(content)
    with pytest.raises(InvalidInputError) as refused:
        load_case(file)
    assert "broken.json" in str(refused.value) and "\n" not in str(refused.value)
