import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.render.clip import clip_polygon, clip_segment

BOX = (0.0, 0.0, 100.0, 50.0)
far = st.floats(-1e12, 1e12)
points = st.tuples(far, far)


def test_segment_inside_is_kept_as_it_is():
    assert clip_segment((1.0, 2.0), (99.0, 49.0), BOX) == ((1.0, 2.0), (99.0, 49.0))


def test_segment_across_the_box_is_cut_at_both_sides():
    cut = clip_segment((-50.0, 25.0), (150.0, 25.0), BOX)
    assert cut[0] == pytest.approx((0.0, 25.0)) and cut[1] == pytest.approx((100.0, 25.0))


@pytest.mark.parametrize("a, b", [((-5, -5), (-5, 60)), ((0, 60), (100, 51)), ((-30, 10), (10, -30))])
def test_segment_outside_vanishes(a, b):
    assert clip_segment(a, b, BOX) is None


@given(points, points)
def test_the_clipped_segment_lies_in_the_box(a, b):
    cut = clip_segment(a, b, BOX)
    slack = 1e-3 + 1e-15 * max(abs(value) for value in (*a, *b)) * 16
    for x, y in cut or ():
        assert -slack <= x <= 100.0 + slack and -slack <= y <= 50.0 + slack


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_non_finite_segments_vanish(bad):
    assert clip_segment((bad, 0.0), (1.0, 1.0), BOX) is None
    assert clip_polygon([(0, 0), (10, bad), (5, 5)], BOX) == []


def test_polygon_around_the_box_becomes_the_box():
    cut = clip_polygon([(-1e9, -1e9), (1e9, -1e9), (1e9, 1e9), (-1e9, 1e9)], BOX)
    assert sorted(cut) == [(0.0, 0.0), (0.0, 50.0), (100.0, 0.0), (100.0, 50.0)]


def test_polygon_beside_the_box_vanishes():
    assert clip_polygon([(200, 0), (300, 0), (250, 20)], BOX) == []


def test_triangle_over_a_corner_keeps_the_part_inside():
    cut = clip_polygon([(-10, -10), (30, -10), (-10, 30)], BOX)
    area = 0.5 * abs(sum(cut[i - 1][0] * p[1] - p[0] * cut[i - 1][1] for i, p in enumerate(cut)))
    assert area == pytest.approx(0.5 * 20 * 20)
