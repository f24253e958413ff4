"""The trace of a manifold tells how it came about, and changes nothing."""

import itertools
import math

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.narrowphase import manifold, sat
from engine.narrowphase.manifold import CLIPPED, INCIDENT, POINT, REFERENCE, TRIED, new_trace
from engine.query import batch

N_CASES = 200
ROOM = 60


def traced(a, xf_a, b, xf_b, rule="exact"):
    trace = new_trace(ROOM)
    trace[:] = 7.0  # what an earlier question left there
    found = manifold.manifold(a, xf_a, b, xf_b, rule, trace)
    used = ~np.isnan(trace[:, 0])
    assert not used[-1] and (np.diff(used.astype(int)) <= 0).all()
    return found, trace[used]


def of_kind(steps, kind):
    return steps[steps[:, 0] == kind]


def points_in(steps):
    """World point, separation and feature id of the points kept, in order."""
    return [(tuple(row[6:8].tolist()), row[3], int(row[2])) for row in of_kind(steps, POINT) if row[1] == 1.0]


def assert_tells(found, steps):
    told = points_in(steps)
    assert len(told) == len(found.points)
    for (position, separation, name), point in zip(told, found.points, strict=True):
        assert position == pytest.approx(point.position, abs=1e-12 * (1.0 + math.hypot(*point.position)))
        assert (separation, name) == (point.separation, point.feature_id)


def posed_cases(seed):
    cases = case_chunk(seed, 0, N_CASES)
    for (a, b), pose_a, pose_b in zip(cases.pairs.tolist(), cases.poses_a.tolist(), cases.poses_b.tolist(), strict=True):
        yield cases.shapes[a], Transform(tuple(pose_a[:2]), pose_a[2]), cases.shapes[b], Transform(tuple(pose_b[:2]), pose_b[2])


@pytest.mark.parametrize("rule", ["exact", "box2d"])
def test_the_trace_ends_in_the_answer(rule):
    n_points = 0
    for a, xf_a, b, xf_b in posed_cases(3):
        found, steps = traced(a, xf_a, b, xf_b, rule)
        assert found == manifold.manifold(a, xf_a, b, xf_b, rule)
        n_points += len(found.points)
        assert_tells(found, steps)
    assert n_points > 0


@pytest.mark.parametrize("rule", ["exact", "box2d"])
def test_polygons_try_axes_choose_one_and_clip(rule):
    n_clipped = n_short_walks = 0
    for a, xf_a, b, xf_b in posed_cases(4):
        if not (isinstance(a, Polygon) and isinstance(b, Polygon)):
            continue
        found, steps = traced(a, xf_a, b, xf_b, rule)
        where = ([(0, 1)], [(*xf_a.position, xf_a.angle)], [(*xf_b.position, xf_b.angle)])
        columns = batch.manifold(batch.ShapeBatch([a, b]), *where, rule=rule)
        tried, (reference,) = of_kind(steps, TRIED), of_kind(steps, REFERENCE)
        assert reference[1:3].tolist() == [columns.reference_side[0], columns.reference_edge[0]]
        assert reference[3] == columns.axis_separation[0]
        for side, shape in enumerate((a, b)):
            separations = dict(tried[tried[:, 1] == side][:, 2:4].tolist())
            assert max(separations.values(), default=math.nan) == pytest.approx(columns.found_separation[0, side], abs=1e-9, nan_ok=True)
            if rule == "exact":
                assert list(separations) == list(range(len(separations))) and len(separations) in (0, len(shape.vertices))
            else:
                n_short_walks += 0 < len(separations) < len(shape.vertices)
            world = np.array([(xf_a, xf_b)[side].apply((x, y)) for x, y in shape.vertices.tolist()])
            for row in tried[tried[:, 1] == side]:
                edge = int(row[2])
                ends = np.concatenate((world[edge], world[(edge + 1) % len(world)]))
                assert row[4:8] == pytest.approx(ends, abs=1e-9)
        planes = of_kind(steps, CLIPPED)
        if len(found.points) == 2:
            (incident,) = of_kind(steps, INCIDENT)
            assert incident[1] == 1.0 - reference[1]
            n = len((a, b)[int(reference[1])].vertices)
            assert planes[:, 1].tolist() == [reference[1]] * 2
            assert planes[:, 2].tolist() == [reference[2], (reference[2] + 1) % n]
            assert planes[:, 3].tolist() == [2.0, 2.0]
            kept = [tuple(row[4:6].tolist()) for row in of_kind(steps, POINT)]
            assert kept == [pytest.approx(planes[-1, at : at + 2].tolist()) for at in (4, 6)]
            n_clipped += (planes[0, 4:8] != incident[4:8]).any()
    assert n_clipped > 0
    assert rule == "exact" or n_short_walks > 0


def test_box2ds_climb_walks_from_neighbour_to_neighbour():
    """From the edge that looks toward B it tries both neighbours, and goes on where the separation grows until it no longer does."""
    a, b, n_walks = Polygon.regular(16, 1.0), Polygon.box(0.2, 1.5), 0
    for angle in np.linspace(0.0, 3.0, 40).tolist():
        _, steps = traced(a, Transform(), b, Transform((1.0, 0.3), angle), "box2d")
        tried = of_kind(steps, TRIED)
        tried = tried[tried[:, 1] == 0.0]
        edges, separations = tried[:, 2].astype(int).tolist(), tried[:, 3].tolist()
        assert edges[1:3] == [(edges[0] - 1) % 16, (edges[0] + 1) % 16]
        if len(edges) > 3:
            n_walks += 1
            forward = edges[3] == (edges[2] + 1) % 16
            first = 2 if forward else 1
            assert edges[3:] == [(edges[first] + (1 if forward else -1) * (k + 1)) % 16 for k in range(len(edges) - 3)]
            heights = [separations[0], separations[first], *separations[3:]]
            assert all(lower < higher for lower, higher in itertools.pairwise(heights[:-1])) and heights[-1] <= heights[-2]
    assert n_walks > 0


@pytest.mark.parametrize("rule", ["exact", "box2d"])
def test_rounded_shapes_and_edges_in_both_orders(rule):
    edge = Segment((-2.0, 0.0), (2.0, 0.0), skin_radius=0.01, ghost1=(-4.0, 1.0), ghost2=(4.0, 1.0))
    box, disc, pill = Polygon.box(0.5, 0.5, skin_radius=0.01), Circle(0.5), Capsule((-0.5, 0.0), (0.5, 0.0), 0.25)
    others = (box, disc) if rule == "box2d" else (box, disc, pill, edge)
    n_points = 0
    for other in others:
        for x, y, angle in ((0.3, 0.4, 0.0), (1.9, 0.3, 0.5), (2.3, 0.2, 2.0), (0.0, -0.45, 0.1)):
            for a, b in ((edge, other), (other, edge)):
                xf_other, xf_edge = Transform((x + 3.0, y - 1.0), angle + 0.2), Transform((3.0, -1.0), 0.2)
                xf_a, xf_b = (xf_edge, xf_other) if a is edge else (xf_other, xf_edge)
                found, steps = traced(a, xf_a, b, xf_b, rule)
                assert found == manifold.manifold(a, xf_a, b, xf_b, rule)
                assert_tells(found, steps)
                n_points += len(found.points)
    assert n_points > 0


def test_no_more_rows_are_written_than_there_are():
    box = Polygon.box(0.5, 0.5)
    whole, short = new_trace(40), new_trace(5)
    manifold.manifold(box, Transform(), box, Transform((0.2, 0.9)), trace=whole)
    manifold.manifold(box, Transform(), box, Transform((0.2, 0.9)), trace=short)
    assert np.array_equal(whole[:5], short)
    assert manifold.manifold(box, Transform(), box, Transform((0.2, 0.9)), trace=new_trace(0)).points


@pytest.mark.parametrize("trace", [np.zeros((3, 7)), np.zeros((3, 8), dtype=np.float32), np.zeros((8, 3)).T, [[0.0] * 8]])
def test_what_is_no_trace_is_refused(trace):
    box = Polygon.box(0.5, 0.5)
    with pytest.raises(InvalidInputError, match="trace"):
        manifold.manifold(box, Transform(), box, Transform(), trace=trace)
    with pytest.raises(InvalidInputError, match="trace"):
        sat.overlap_polygons(box, Transform(), box, Transform(), trace=trace)
    with pytest.raises(InvalidInputError, match="trace must be None for the plain form"):
        sat.overlap_polygons(box, Transform(), box, Transform(), "plain", new_trace(4))


def test_the_overlap_test_leaves_at_the_first_edge_that_parts_the_two():
    n_apart = n_overlapping = 0
    for a, xf_a, b, xf_b in posed_cases(5):
        if isinstance(a, Polygon) and isinstance(b, Polygon):
            trace = new_trace(ROOM)
            is_overlapping = sat.overlap_polygons(a, xf_a, b, xf_b, trace=trace)
            assert is_overlapping == sat.overlap_polygons(a, xf_a, b, xf_b)
            separations = trace[~np.isnan(trace[:, 0]), 3]
            if is_overlapping:
                assert len(separations) == len(a.vertices) + len(b.vertices) and separations.max() <= 1e-9
                n_overlapping += 1
            else:
                assert separations[-1] > 0.0 and (separations[:-1] <= 1e-9).all()
                n_apart += 1
    assert n_apart > 0 and n_overlapping > 0
