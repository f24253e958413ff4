"""A user's own function compared with an algorithm: the named step is the first that contradicts its answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine import trace
from engine.check.verdicts import Reply
from engine.common.errors import InvalidInputError
from engine.compare.pair.file import Pair
from engine.contracts.trace import ROLES
from engine.geometry import Capsule, Polygon, Transform
from engine.trace.cases import PairCase, PointsCase
from engine.trace.own import OwnFunction, beside, plain_case

EPA, GJK = trace.algorithm("epa"), trace.algorithm("gjk")


def answered(**keys):
    return Reply("answer", True, keys)


def normal_and_depth(algorithm):
    result = algorithm.query(algorithm.example)
    return list(result.normal), result.depth


@pytest.mark.parametrize("algorithm", [EPA], ids=lambda algorithm: algorithm.name)
def test_a_correct_answer_contradicts_no_step(algorithm):
    normal, depth = normal_and_depth(algorithm)
    comparison = beside("manifold", algorithm.example, algorithm.steps(algorithm.example), answered(normal=normal, depth=depth))
    assert comparison.step is None and not comparison.faults and "correct" in comparison.sentence
    steps = algorithm.steps(algorithm.example)
    assert steps[comparison.tried].axis == pytest.approx([-value for value in normal]) and comparison.tried < len(steps) - 1
    arrow = next(mark for mark in comparison.marks if mark.form == "arrow")
    (x0, y0), (x1, y1) = arrow.points
    length = math.hypot(x1 - x0, y1 - y0)
    assert arrow.role == "own" in ROLES and ((x1 - x0) / length, (y1 - y0) / length) == pytest.approx(normal)


def test_a_wrong_depth_contradicts_epa_at_the_first_conflicting_bound():
    case, steps = EPA.example, EPA.steps(EPA.example)
    _, depth = normal_and_depth(EPA)
    edges = [k for k, step in enumerate(steps) if step.kind == "nearest edge"]
    enough = {k: -step.values["w.n"] if "w.n" in step.values else step.bound for k, step in enumerate(steps) if step.kind == "support"}
    assert len(edges) > 2 and len(enough) > 4  # lengths that part the two, some of them GJK's
    for claimed in (0.3 * depth, 0.9 * depth):
        comparison = beside("manifold", case, steps, answered(depth=claimed))
        assert comparison.step == next((k for k in edges if steps[k].bound > claimed), None) and "at least" in comparison.sentence
    for claimed in (1.05 * depth, 3.0 * depth):
        comparison = beside("manifold", case, steps, answered(depth=claimed))
        assert comparison.step == next(k for k, length in enough.items() if length < claimed) and "at most" in comparison.sentence


def test_a_wrong_normal_contradicts_the_step_that_finds_a_better_one():
    case, steps = EPA.example, EPA.steps(EPA.example)
    supports = [step for step in steps if "s.n" in step.values]
    for step in supports[:-1]:
        comparison = beside("manifold", case, steps, answered(normal=[-step.axis[0], -step.axis[1]]))
        enough = [-each.values["w.n"] if "w.n" in each.values else each.values.get("s.n", math.inf) for each in steps]
        better = next((k for k, length in enumerate(enough) if length < step.values["s.n"] - 1e-6), None)
        if not comparison.faults:
            assert comparison.step is None and step.values["s.n"] == pytest.approx(min(enough))
            continue
        assert comparison.tried == steps.index(step) and [fault.reason for fault in comparison.faults] == ["wrong_normal"]
        assert comparison.step == max(comparison.tried, better) and ("had a better one" in comparison.sentence) == (
            better < comparison.tried
        )
    never = beside("manifold", case, steps, answered(normal=[-1.0, 0.0]))
    assert never.tried is None and "No step tried your axis" in never.sentence


def test_next_to_sat_the_tried_axis_and_the_better_one_are_named():
    case, sat = EPA.example, trace.algorithm("sat")
    steps = sat.steps(case)
    axes = {k: step for k, step in enumerate(steps) if step.kind == "axis"}
    gaps = {k: step.values["gap"] for k, step in axes.items()}
    assert {step.looked_at[0].whose for step in axes.values()} == {"a", "b"}
    for k, step in axes.items():
        sign = 1.0 if step.looked_at[0].whose == "a" else -1.0
        comparison = beside("manifold", case, steps, answered(normal=[sign * value for value in step.axis], depth=-gaps[k]))
        better = next((j for j in axes if gaps[j] > gaps[k] + 1e-6), None)
        assert comparison.tried == k and (comparison.step is None) == (better is None)
        if better is not None:
            assert comparison.step == better  # the depth is denied there
            assert f"the axis of step {k + 1}" in comparison.sentence or f"Step {k + 1} tried your axis" in comparison.sentence
    small = beside("manifold", case, steps, answered(depth=0.01))
    assert small.step == len(steps) - 1 and "every step before the answer" in small.sentence


def test_a_reversed_and_a_long_normal_contradict_the_correct_step():
    normal, _ = normal_and_depth(EPA)
    steps = EPA.steps(EPA.example)
    for factor, word in ((-1.0, "the opposite direction"), (2.0, "a length of 1")):
        comparison = beside("manifold", EPA.example, steps, answered(normal=[factor * value for value in normal]))
        assert steps[comparison.step].axis == pytest.approx([-value for value in normal]) and word in comparison.sentence


def test_next_to_clipping_a_wrong_point_contradicts_the_plane_that_removes_it():
    clipping = trace.algorithm("manifold")
    case, steps = clipping.example, clipping.steps(clipping.example)
    result = steps[-1].result
    right = [list(point.position) for point in result.points]
    planes = [k for k, step in enumerate(steps) if step.kind == "clip"]
    assert len(planes) == 2 and len(right) == 2
    assert beside("manifold", case, steps, answered(points=right)).step is None
    ends = list(next(step for step in steps if step.kind == "incident").points)
    cut = set()
    for k, other in zip(planes, reversed(planes), strict=True):
        away = steps[k].axis
        for end in ends:  # what of the incident edge that plane cuts off
            point = [end[0] + 3.0 * away[0], end[1] + 3.0 * away[1]]
            beyond = {j: float(np.dot(steps[j].axis, point) - max(np.dot(steps[j].axis, corner) for corner in box(case))) for j in planes}
            comparison = beside("manifold", case, steps, answered(points=[*right, point]))
            if beyond[k] > 1e-6 and beyond[other] < 0.0:
                assert comparison.step == k and "The side plane" in comparison.sentence
                cut.add(k)
    assert cut == set(planes)
    above = [right[0][0], right[0][1] + 1.0]
    comparison = beside("manifold", case, steps, answered(points=[above]))
    assert steps[comparison.step].kind == "point" and "No side plane cuts off" in comparison.sentence
    assert beside("manifold", case, steps, answered(points=[])).step == len(steps) - 1


def box(case):
    return case.pair.pose_a.apply_array(case.pair.shape_a.core).tolist()


def test_a_wrong_distance_contradicts_gjk_at_the_conflicting_bound():
    case, steps = GJK.example, GJK.steps(GJK.example)
    right = GJK.query(case).separation
    for claimed in (0.5 * right, 0.99 * right, 1.01 * right, 2.0 * right):
        comparison = beside("distance", case, steps, Reply("answer", False, {"distance": claimed}))
        low = [k for k, step in enumerate(steps) if "w.n" in step.values and step.values["w.n"] > claimed + 1e-6]
        high = [k for k, step in enumerate(steps) if step.kind == "nearest" and step.values["|v|"] < claimed - 1e-6]
        assert comparison.step == min([*low, *high]), claimed
    assert beside("distance", case, steps, Reply("answer", False, {"distance": right})).step is None


def test_a_wrong_contact_claim_contradicts_the_step_that_disproves_it():
    none, contact = Reply("answer", False, {}), Reply("answer", True, {})
    missed = beside("manifold", EPA.example, EPA.steps(EPA.example), none)
    assert EPA.steps(EPA.example)[missed.step].line == 0 and "inside" in EPA.steps(EPA.example)[missed.step].sentence
    steps = GJK.steps(GJK.example)
    false = beside("overlap", GJK.example, steps, contact)
    assert steps[false.step].values["w.n"] > 0.0 and all(step.values.get("w.n", 0.0) <= 0.0 for step in steps[: false.step])


def test_a_missing_answer_is_reported_and_contradicts_no_step():
    comparison = beside(
        "manifold", EPA.example, EPA.steps(EPA.example), Reply("raised", message="ValueError: no", where="line 3, in collide")
    )
    assert comparison.step is None and not comparison.marks and "ValueError: no (line 3, in collide)" in comparison.sentence


def test_a_function_of_a_file_runs_in_its_own_process(tmp_path):
    (tmp_path / "mine.py").write_text("def collide(a, b):\n    return {'normal': (2.0, 0.0), 'depth': len(a)}\n")
    with OwnFunction(tmp_path / "mine.py", "collide") as own:
        reply = own.ask(plain_case(EPA.example))
    assert (own.name, own.query) == ("mine.py:collide", "manifold")
    report = beside(own.query, EPA.example, EPA.steps(EPA.example), reply).as_json()
    assert report["answer"] == {"normal": [2.0, 0.0], "depth": 5.0} and report["is_right"] is False
    assert set(report["faults"]) == {"not_unit_normal", "wrong_normal", "wrong_depth"} and report["step"] is not None
    assert [OwnFunction(tmp_path / "x.py", name).query for name in ("my_distance", "overlaps", "f")] == ["distance", "overlap", "manifold"]


def test_unsupported_comparisons_are_rejected():
    capsule = Pair("distance", Polygon.box(1.0, 1.0), Transform(), Capsule((0.0, 0.0), (1.0, 0.0), 0.1), Transform())
    with pytest.raises(InvalidInputError, match=r"case must be a pair of polygons or circles.*got 'Polygon and Capsule'"):
        plain_case(PairCase(capsule))
    with pytest.raises(InvalidInputError, match="got 'PointsCase'"):
        plain_case(PointsCase(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))))
