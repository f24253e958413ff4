"""Batched queries: they match the scalar answers to the bit, columns are read-only, and no bad index reaches a kernel.

`tests/hazards/test_bad_input.py` passes invalid values for every argument of every query.
"""

import dataclasses

import numpy as np
import pytest

from engine import query
from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.query import batch
from tests.hazards.slivers import ask_batch, ask_scalar, cases_of, flat, row_of

SHAPES = batch.ShapeBatch([Polygon.box(0.5, 0.5), Circle(0.5), Capsule((0, 0), (1, 0), 0.1), Segment((0, 0), (1, 0))])
POSES = [(0.0, 0.0, 0.0), (0.3, 0.2, 0.5)]


@pytest.mark.parametrize("family", ["ordinary", "sizes"])
def test_every_query_equals_its_scalar_form_to_the_bit(family):
    cases = cases_of(family, 400, 5)
    for case, rows in zip(cases, ask_batch(cases), strict=True):
        for name, result in ask_scalar(case).items():
            assert np.array_equal(flat(row_of(name, result)), flat(rows[name]), equal_nan=True), (name, str(case))


def test_manifolds_by_box2ds_rule_and_iterations_of_a_distance_match_too():
    cases = case_chunk(5, 0, 400)
    shapes = batch.ShapeBatch([Polygon(s.vertices, 0.01) if isinstance(s, Polygon) else s for s in cases.shapes])
    inputs = shapes, cases.pairs, cases.poses_a, cases.poses_b
    contacts, distances = batch.manifold(*inputs, "box2d"), batch.distance(*inputs)
    for row, (a, b) in enumerate(cases.pairs.tolist()):
        xf_a, xf_b = (Transform((x, y), angle) for x, y, angle in (cases.poses_a[row].tolist(), cases.poses_b[row].tolist()))
        contact = query.manifold(shapes[a], xf_a, shapes[b], xf_b, "box2d")
        columns = (contacts.count, contacts.normal, contacts.position, contacts.separation, contacts.feature_id)
        assert np.array_equal(flat(row_of("manifold", contact)), flat([column[row] for column in columns]))
        assert distances.iterations[row] == query.distance(shapes[a], xf_a, shapes[b], xf_b).iterations


def test_mixed_kinds_in_one_call():
    pairs = [(a, b) for a in range(4) for b in range(4)]
    result = batch.distance(SHAPES, pairs, [(0.0, 0.0, 0.0)] * 16, [(5.0, 0.0, 0.0)] * 16)
    ends = np.array([0.5, 0.5, 1.1, 1.0])  # how far each reaches to the right
    starts = np.array([-0.5, -0.5, -0.1, 0.0])
    expected = 5.0 + starts[[b for _, b in pairs]] - ends[[a for a, _ in pairs]]
    assert result.separation == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("ask", [batch.manifold, batch.distance, batch.penetration])
def test_columns_are_read_only(ask):
    result = ask(SHAPES, [(0, 1)], POSES[:1], POSES[1:])
    for field in dataclasses.fields(result):
        assert not getattr(result, field.name).flags.writeable, field.name
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.normal = None


def test_empty_input_is_accepted():
    assert len(batch.manifold(SHAPES, [], [], []).count) == 0
    assert len(batch.overlap(batch.ShapeBatch([]), [], [], [])) == 0
    assert len(batch.distance(SHAPES, [], [], []).separation) == 0
    assert batch.penetration(batch.ShapeBatch([]), [], [], []).normal.shape == (0, 2)
    assert len(batch.ray_cast(SHAPES, [], [], [], []).fraction) == 0
    assert len(batch.time_of_impact(SHAPES, [], [], [], [], []).fraction) == 0


def test_read_only_and_strided_inputs_are_accepted():
    pairs = np.array([(0, 1, 9), (3, 1, 9)])[:, :2]
    poses = np.array(POSES, dtype=np.float32)
    poses.flags.writeable = False
    assert batch.manifold(SHAPES, pairs, poses, poses).count.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("pairs", "xf_a", "xf_b", "message"),
    [
        ([(0, 4)], POSES[:1], POSES[:1], "pairs must be indices from 0 to 3, got 4"),
        ([(-1, 0)], POSES[:1], POSES[:1], "pairs must be indices from 0 to 3, got -1"),
        ([(0.0, 1.0)], POSES[:1], POSES[:1], "pairs must be an .n, 2. array of whole numbers"),
        ([(0, 1)], POSES, POSES[:1], "xf_a must be a .1, 3. array"),
        ([(0, 1)], POSES[:1], POSES, "xf_b must be a .1, 3. array"),
        ([(0, 1)], [(0.0, 0.0)], POSES[:1], "xf_a must be a .1, 3. array"),
        ([(0, 1)], [(0.0, float("nan"), 0.0)], POSES[:1], r"xf_a\[0\] must be finite"),
    ],
)
def test_the_row_is_named(pairs, xf_a, xf_b, message):
    for ask in (batch.manifold, batch.overlap, batch.distance, batch.penetration):
        with pytest.raises(InvalidInputError, match=message):
            ask(SHAPES, pairs, xf_a, xf_b)


def test_only_shapes_can_be_packed():
    with pytest.raises(InvalidInputError, match=r"shapes\[1\] must be a Circle, Polygon, Capsule or Segment, got 'disc'"):
        batch.ShapeBatch([Circle(1.0), "disc"])
    with pytest.raises(InvalidInputError, match="shapes must be a ShapeBatch"):
        batch.overlap([Circle(1.0)], [(0, 0)], POSES[:1], POSES[:1])
