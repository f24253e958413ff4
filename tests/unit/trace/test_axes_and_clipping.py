"""Steps of axes and of clipping that random cases do not reach, and the results of the two functions with options."""

import math

import pytest

from engine import trace
from engine.common.errors import InvalidInputError
from engine.compare.pair.file import Pair
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.narrowphase.sat import overlap_cached
from engine.query import manifold
from engine.trace.cases import PairCase
from tests.unit.trace.claims.manifold import check_manifold

HERE, BOX = Transform(), Polygon.box(0.5, 0.5)


def test_a_manifold_without_the_deepest_point_is_recomputed():
    """Two slivers whose edges tie."""
    thin, thick = 4.5549790130582514e-10, 7.288277824529489e-10
    a, b = Polygon([(-1.0, 0.0), (1.0, -thin), (1.1, 0.0), (1.0, thin)]), Polygon.box(1.0, thick)
    xf_a = Transform((63.79419737316592, -63.79419737316592), 1.284803046957495)
    xf_b = Transform((64.01057881135796, -63.05834238254893), 1.2848030526751124)
    steps = trace.steps("manifold", a, xf_a, b, xf_b)
    again = [step for step in steps if step.kind == "reference"][-1]
    assert again.values["again"] == 1.0 and "deepest point is missing" in again.sentence
    assert steps[-1].result == manifold(a, xf_a, b, xf_b)
    check_manifold(PairCase(Pair("manifold", a, xf_a, b, xf_b)), steps)


def test_shapes_without_an_edge_or_a_direction():
    steps = trace.steps("sat", Circle(0.5), HERE, Circle(0.5), Transform((2.0, 0.0)))
    assert [step.kind for step in steps] == ["start", "distance", "answer"] and steps[-1].result is False
    for b in (Capsule((0.0, 0.0), (0.0, 0.0), 0.5), Circle(0.5)):
        one_point = trace.steps("manifold", Circle(0.5), HERE, b, HERE)
        assert any("world's x axis" in step.sentence for step in one_point) and one_point[-1].result.normal == (1.0, 0.0)


@pytest.mark.parametrize("rule", ["exact", "box2d"])
def test_both_rules(rule):
    steps = trace.steps("manifold", BOX, HERE, BOX, Transform((0.3, 0.8), 0.1), rule)
    assert steps[-1].result == manifold(BOX, HERE, BOX, Transform((0.3, 0.8), 0.1), rule)


def test_the_last_step_draws_each_depth_to_scale_and_the_normal_once():
    steps = trace.steps("manifold", BOX, HERE, BOX, Transform((0.3, 0.8), 0.1))
    result, marks = steps[-1].result, [mark for mark in steps[-1].marks if mark.view == "plane"]
    depths = [mark.points for mark in marks if (mark.form, mark.role) == ("path", "result")]
    assert len(depths) == len(result.points) == 2 and sum(mark.form == "arrow" for mark in marks) == 1
    for point, (start, end) in zip(result.points, depths, strict=True):
        way = end[0] - start[0], end[1] - start[1]
        assert way == pytest.approx([point.separation * n for n in result.normal])
        assert [0.5 * (p + q) for p, q in zip(start, end, strict=True)] == pytest.approx(point.position)
    assert "kept" in {mark.role for mark in marks if mark.form == "path"}  # the clipped edge


def test_a_gap_of_a_contact_is_named_with_the_skins_that_it_lies_within():
    skinned = Polygon(BOX.vertices, 0.01)
    steps = trace.steps("manifold", skinned, HERE, skinned, Transform((0.3, 1.015)))
    assert steps[-1].sentence.endswith("The smaller gap is 0.015 m, less than the skins, 0.020 m.")
    assert "gap" not in trace.steps("manifold", BOX, HERE, BOX, Transform((0.3, 0.985)))[-1].sentence


def test_gjk_names_no_distance_of_shapes_that_overlap():
    steps = trace.steps("gjk", BOX, HERE, BOX, Transform((0.3, 0.4)))
    assert steps[-1].sentence == "The shapes overlap. EPA computes the depth."
    steps = trace.steps("gjk", BOX, HERE, Capsule((0.0, 0.0), (1.0, 0.0), 0.25), HERE)
    assert steps[-1].sentence == "The shapes overlap by at least the radii, 0.250 m. EPA computes the depth."


def test_an_axis_has_one_color_in_the_picture_and_in_the_chart():
    steps = [step for step in trace.steps("manifold", BOX, HERE, BOX, Transform((0.3, 1.8), 0.1)) if step.kind in ("axis", "reference")]
    for at, step in enumerate(steps[:-1]):
        shadow = next(mark.role for mark in step.marks if mark.view == "axis" and mark.text == f"{step.values['gap']:.3f} m")
        chart = {mark.role for mark in step.marks if mark.view == "gaps" and (at + 1.0, step.values["gap"]) in mark.points}
        assert chart == {shadow, "looked_at"}
    assert "still tries A's other edges" in steps[2].sentence and len(steps) == 4 + 1
    assert "looked_at" not in {mark.role for mark in steps[-1].marks if mark.view == "gaps"}


def test_pairs_that_box2d_does_not_collide_are_not_accepted():
    case = PairCase(Pair("manifold", BOX, HERE, Capsule((0.0, 0.0), (1.0, 0.0), 0.1), HERE))
    assert trace.algorithm("manifold").takes(case) and not trace.algorithm("manifold_box2d").takes(case)
    with pytest.raises(InvalidInputError, match="rule must be 'exact' for a pair with a capsule"):
        trace.steps("manifold", BOX, HERE, case.pair.shape_b, HERE, "box2d")
    with pytest.raises(InvalidInputError, match="rule must be one of"):
        trace.steps("manifold", BOX, HERE, BOX, HERE, "bullet")


def test_a_chain_joint_leaves_the_contact_to_the_neighbor():
    edge = Segment((-1.0, 0.0), (1.0, 0.0), 0.01, (-2.0, 0.5), (2.0, 0.5))
    steps = trace.steps("manifold", edge, HERE, Circle(0.5), Transform((1.2, 0.3)), "box2d")
    assert [step.kind for step in steps][-2:] == ["neighbor", "answer"] and steps[-1].result.points == ()


def test_the_cached_axis_comes_first_and_is_dropped_when_it_fails():
    there = Transform((1.5, 0.2), 0.1)
    axis = overlap_cached(BOX, HERE, BOX, there).axis
    apart = trace.steps("sat", BOX, HERE, BOX, Transform((1.4, 0.2), 0.1), axis)
    assert [step.kind for step in apart] == ["start", "remembered", "answer"] and apart[-1].cost["axes"] == 1
    near = trace.steps("sat", BOX, HERE, BOX, Transform((0.9, 0.2), 0.1), axis)
    assert near[1].kind == "remembered" and near[-1].cost["axes"] == 1 + 2 + 8 and near[-1].result.is_overlapping
    assert [step.kind for step in near[1:4]] == ["remembered"] * 3  # the axis, its neighbors, then all
    above = trace.steps("sat", BOX, HERE, BOX, Transform((0.1, 1.5), 0.1), axis)
    assert {step.kind for step in above[1:-1]} == {"remembered"} and 1 < above[-1].cost["axes"] < 4
    assert not above[-1].result.is_overlapping and not above[-1].result.was_enough
    corners = trace.steps("sat_cached", BOX, HERE, Circle(0.1), Transform((0.9, 0.9)), 4 + 1 + 2)  # the line from corner 2 to the center
    assert corners[1].axis == pytest.approx((math.sqrt(0.5), math.sqrt(0.5))) and corners[-1].result.was_enough


def test_a_case_stores_its_original_shapes():
    case = trace.algorithm("sat").example
    moved = case.moved("b", 0.1, 0.0)
    assert moved.before == case.pair and trace.algorithm("sat_cached").steps(moved)[1].kind == "remembered"
