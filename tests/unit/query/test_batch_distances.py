"""Batched distance and penetration: the scalar form to the bit on many pairs, frozen columns, and no bad index reaches a kernel."""

import dataclasses

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.query import batch, warming
from engine.query import pairs as scalar
from engine.query.shape_batch import ShapeBatch

SHAPES = ShapeBatch([Polygon.box(0.5, 0.5), Circle(0.5), Capsule((0, 0), (1, 0), 0.1), Segment((0, 0), (1, 0))])
POSES = [(0.0, 0.0, 0.0), (0.3, 0.2, 0.5)]


@pytest.mark.parametrize(("name", "value"), [("distance", "separation"), ("penetration", "depth")])
def test_equal_to_the_scalar_form_to_the_bit(name, value):
    cases = case_chunk(7, 0, 600)
    found = getattr(batch, name)(ShapeBatch(cases.shapes), cases.pairs, cases.poses_a, cases.poses_b)
    for row, (a, b) in enumerate(cases.pairs.tolist()):
        xf_a, xf_b = (Transform((x, y), angle) for x, y, angle in (cases.poses_a[row].tolist(), cases.poses_b[row].tolist()))
        one = getattr(scalar, name)(cases.shapes[a], xf_a, cases.shapes[b], xf_b)
        assert found.status[row] == one.status and getattr(found, value)[row] == getattr(one, value)
        if name == "distance":
            assert found.iterations[row] == one.iterations
        for column in ("point_a", "point_b", "normal"):
            expected, got = getattr(one, column), getattr(found, column)[row]
            assert np.isnan(got).all() if expected is None else tuple(got) == expected


def test_mixed_kinds_in_one_call():
    pairs = [(a, b) for a in range(4) for b in range(4)]
    found = batch.distance(SHAPES, pairs, [(0.0, 0.0, 0.0)] * 16, [(5.0, 0.0, 0.0)] * 16)
    ends = np.array([0.5, 0.5, 1.1, 1.0])  # how far each reaches to the right
    starts = np.array([-0.5, -0.5, -0.1, 0.0])
    expected = 5.0 + starts[[b for _, b in pairs]] - ends[[a for a, _ in pairs]]
    assert found.separation == pytest.approx(expected, abs=1e-14)


def test_columns_are_read_only():
    for found in (
        batch.distance(SHAPES, [(0, 1)], POSES[:1], POSES[1:]),
        batch.penetration(SHAPES, [(0, 1)], POSES[:1], POSES[1:]),
    ):
        for field in dataclasses.fields(found):
            assert not getattr(found, field.name).flags.writeable, field.name


def test_no_pairs_are_no_error():
    assert len(batch.distance(SHAPES, [], [], []).separation) == 0
    assert batch.penetration(ShapeBatch([]), [], [], []).normal.shape == (0, 2)


@pytest.mark.parametrize(
    ("pairs", "xf_a", "xf_b", "message"),
    [
        ([(0, 4)], POSES[:1], POSES[:1], "pairs must be indices from 0 to 3, got 4"),
        ([(-1, 0)], POSES[:1], POSES[:1], "pairs must be indices from 0 to 3, got -1"),
        ([(0.0, 1.0)], POSES[:1], POSES[:1], "pairs must be an .n, 2. array of whole numbers"),
        ([(0, 1)], POSES, POSES[:1], "xf_a must be a .1, 3. array"),
        ([(0, 1)], POSES[:1], [(0.0, float("inf"), 0.0)], r"xf_b\[0\] must be finite"),
    ],
)
def test_bad_input(pairs, xf_a, xf_b, message):
    for ask in (batch.distance, batch.penetration):
        with pytest.raises(InvalidInputError, match=message):
            ask(SHAPES, pairs, xf_a, xf_b)
    with pytest.raises(InvalidInputError, match="shapes must be a ShapeBatch"):
        batch.distance([Circle(1.0)], pairs, xf_a, xf_b)


def test_warm_loads_every_kernel():
    for question in warming.LIBRARY["distances and depths"]():
        question()
