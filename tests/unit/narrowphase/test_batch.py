"""The batched queries: equal to the scalar ones to the bit, and no bad index reaches a kernel."""

import dataclasses

import numpy as np
import pytest

from engine import query
from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk
from engine.geometry import Circle, Polygon, Transform
from engine.query import batch

SHAPES = batch.ShapeBatch([Polygon.box(0.5, 0.5), Circle(0.5), Polygon.regular(5, 0.5, skin_radius=0.01)])
POSES = [(0.0, 0.0, 0.0), (0.3, 0.2, 0.5)]


@pytest.mark.parametrize("rule", ["exact", "box2d"])
def test_manifolds_equal_the_scalar_form_to_the_bit(rule):
    cases = case_chunk(5, 0, 400)
    shapes = batch.ShapeBatch([Polygon(s.vertices, 0.01) if isinstance(s, Polygon) else s for s in cases.shapes])
    found = batch.manifold(shapes, cases.pairs, cases.poses_a, cases.poses_b, rule)
    for row, (a, b) in enumerate(cases.pairs.tolist()):
        xf_a, xf_b = (Transform((x, y), angle) for x, y, angle in (cases.poses_a[row].tolist(), cases.poses_b[row].tolist()))
        one = query.manifold(shapes[a], xf_a, shapes[b], xf_b, rule)
        assert found.count[row] == len(one.points)
        if one.points:
            assert tuple(found.normal[row]) == one.normal
        for k, point in enumerate(one.points):
            assert tuple(found.position[row, k]) == point.position
            assert found.separation[row, k] == point.separation
            assert found.feature_id[row, k] == point.feature_id
        assert not found.position[row, len(one.points) :].any()


def test_overlap_equals_the_scalar_form():
    cases = case_chunk(6, 0, 400)
    shapes = batch.ShapeBatch(cases.shapes)
    found = batch.overlap(shapes, cases.pairs, cases.poses_a, cases.poses_b)
    for row, (a, b) in enumerate(cases.pairs.tolist()):
        xf_a, xf_b = (Transform((x, y), angle) for x, y, angle in (cases.poses_a[row].tolist(), cases.poses_b[row].tolist()))
        assert found[row] == query.overlap(shapes[a], xf_a, shapes[b], xf_b)


def test_columns_are_read_only():
    found = batch.manifold(SHAPES, [(0, 1)], POSES[:1], POSES[1:])
    for field in dataclasses.fields(found):
        assert not getattr(found, field.name).flags.writeable, field.name
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.count = None


def test_no_pairs_are_no_error():
    assert len(batch.manifold(SHAPES, [], [], []).count) == 0
    assert len(batch.overlap(batch.ShapeBatch([]), [], [], [])) == 0


def test_read_only_and_strided_inputs_do():
    pairs = np.array([(0, 1, 9), (2, 1, 9)])[:, :2]
    poses = np.array(POSES, dtype=np.float32)
    poses.flags.writeable = False
    assert batch.manifold(SHAPES, pairs, poses, poses).count.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("pairs", "xf_a", "xf_b", "message"),
    [
        ([(0, 3)], POSES[:1], POSES[:1], "pairs must be indices from 0 to 2, got 3"),
        ([(-1, 0)], POSES[:1], POSES[:1], "pairs must be indices from 0 to 2, got -1"),
        ([(0.0, 1.0)], POSES[:1], POSES[:1], "pairs must be an .n, 2. array of whole numbers"),
        ([(0, 1)], POSES, POSES[:1], "xf_a must be a .1, 3. array"),
        ([(0, 1)], POSES[:1], POSES, "xf_b must be a .1, 3. array"),
        ([(0, 1)], [(0.0, 0.0)], POSES[:1], "xf_a must be a .1, 3. array"),
        ([(0, 1)], [(0.0, float("nan"), 0.0)], POSES[:1], r"xf_a\[0\] must be finite"),
    ],
)
def test_bad_input(pairs, xf_a, xf_b, message):
    for ask in (batch.manifold, batch.overlap):
        with pytest.raises(InvalidInputError, match=message):
            ask(SHAPES, pairs, xf_a, xf_b)


def test_only_shapes_can_be_packed():
    with pytest.raises(InvalidInputError, match=r"shapes\[1\] must be a Circle, Polygon, Capsule or Segment, got 'disc'"):
        batch.ShapeBatch([Circle(1.0), "disc"])
    with pytest.raises(InvalidInputError, match="shapes must be a ShapeBatch"):
        batch.overlap([Circle(1.0)], [(0, 0)], POSES[:1], POSES[:1])
