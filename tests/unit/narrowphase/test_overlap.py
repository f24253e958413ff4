"""Overlap by the separating axis test: every pair of shapes in both orders, at and near contact."""

import math

import pytest

from engine.geometry import Circle, Polygon, Transform
from engine.query import overlap

BOX = Polygon.box(0.5, 0.5)
SKINNED = Polygon.box(0.5, 0.5, skin_radius=0.1)
TRIANGLE = Polygon([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
DISC = Circle(0.5)
HERE = Transform()


@pytest.mark.parametrize(
    ("a", "b", "there", "expected"),
    [
        (BOX, BOX, Transform((0.9, 0.0)), True),
        (BOX, BOX, Transform((1.0, 0.0)), True),  # an edge in common
        (BOX, BOX, Transform((1.0, 1.0)), True),  # a corner in common
        (BOX, BOX, Transform((1.001, 0.0)), False),
        (BOX, BOX, Transform((1.1, 0.0), math.pi / 4.0), True),
        (BOX, BOX, Transform((1.25, 0.0), math.pi / 4.0), False),
        (BOX, Polygon.box(0.1, 0.1), Transform((0.05, 0.0), 0.3), True),  # one inside the other
        (TRIANGLE, BOX, Transform((0.85, 0.85), math.pi / 4.0), True),
        (TRIANGLE, BOX, Transform((1.5, 1.5), 0.0), False),  # boxes of both overlap, they do not
        (BOX, DISC, Transform((0.99, 0.0)), True),
        (BOX, DISC, Transform((1.0, 0.0)), True),
        (BOX, DISC, Transform((0.9, 0.9)), False),  # past the corner
        (BOX, DISC, Transform((0.85, 0.85)), True),
        (BOX, DISC, Transform((0.0, 0.1)), True),
        (DISC, DISC, Transform((1.0, 0.0)), True),
        (DISC, DISC, Transform((1.001, 0.0)), False),
        (DISC, DISC, HERE, True),
        (SKINNED, BOX, Transform((1.1, 0.0)), True),
        (SKINNED, BOX, Transform((1.101, 0.0)), False),
        (SKINNED, BOX, Transform((1.09, 1.09)), False),  # the skin is round at the corner
        (SKINNED, BOX, Transform((1.06, 1.08)), True),  # 0.1 m from corner to corner, exactly
        (SKINNED, SKINNED, Transform((1.199, 0.0)), True),
        (SKINNED, DISC, Transform((1.1, 0.0)), True),
    ],
)
def test_worked_examples(a, b, there, expected):
    assert overlap(a, HERE, b, there) is expected
    assert overlap(b, there, a, HERE) is expected


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("away", [0.0, 1.0, 1e5])
def test_touching_counts_as_overlap_at_any_size_and_position(size, away):
    box = Polygon.box(size, size)
    here, touching, apart = (Transform((away + x * size, -away)) for x in (0.0, 2.0, 2.0 + 1e-6))
    assert overlap(box, here, box, touching)
    if size * 1e-6 > 1e-9 * away:
        assert not overlap(box, here, box, apart)
