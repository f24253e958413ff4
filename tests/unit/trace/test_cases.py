"""Cases edited by hand: grabbing, moving and rotating their parts."""

import math

import pytest

from engine.trace.cases import OutlineCase, PointsCase

POINTS = PointsCase(((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (0.0, 0.0)))
FRAME = OutlineCase((((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)), ((1.0, 1.0), (1.0, 2.0), (2.0, 2.0), (2.0, 1.0))))


def test_a_single_point_is_grabbed_before_all_points():
    assert POINTS.part_at((1.95, 0.02), 0.1) == "1"
    assert POINTS.part_at((1.0, 0.9), 0.1) == "all"
    assert POINTS.part_at((3.0, 1.0), 0.1) is None


def test_points_move_alone_or_together():
    assert POINTS.moved("1", 1.0, -1.0).points == ((0.0, 0.0), (3.0, -1.0), *POINTS.points[2:])
    assert POINTS.moved("all", 1.0, -1.0).points[2] == (3.0, 1.0)
    turned = POINTS.moved("4", 1.0, 1.0).turned("all", math.pi).points
    assert turned == tuple(pytest.approx((2.0 - x, 2.0 - y)) for x, y in POINTS.moved("4", 1.0, 1.0).points)
    assert POINTS.points[0] == (0.0, 0.0)  # the case itself stays


def test_equal_points_have_one_name():
    assert [mark.text for mark in POINTS.scenery] == ["P0", "P1", "P2", "P3"]
    assert [mark.text for mark in PointsCase(tuple((float(k), 0.0) for k in range(30))).scenery] == [""]


def test_a_corner_a_hole_or_the_whole_outline_can_be_grabbed():
    assert FRAME.part_at((3.98, 0.0), 0.1) == "0.1"
    assert FRAME.part_at((1.5, 1.5), 0.1) == "1"
    assert FRAME.part_at((3.0, 3.0), 0.1) == "0"
    assert FRAME.part_at((5.0, 3.0), 0.1) is None


def test_a_hole_moves_inside_and_follows_the_outline():
    assert FRAME.moved("1", 1.0, 1.0).rings == (FRAME.rings[0], ((2.0, 2.0), (2.0, 3.0), (3.0, 3.0), (3.0, 2.0)))
    assert FRAME.moved("1", 3.0, 0.0) is FRAME  # it would stick out
    assert FRAME.moved("0", 10.0, 0.0).rings[1][0] == (11.0, 1.0)
    assert FRAME.moved("0.2", -3.5, -3.5) is FRAME  # its edges would cross the hole
    turned = FRAME.turned("0.1", 0.5 * math.pi).rings  # a corner turns what it belongs to
    assert turned[1][0] == pytest.approx((3.0, 1.0)) and turned[0][0] == pytest.approx((4.0, 0.0))
    assert FRAME.turned("1", 0.5 * math.pi).rings[0] == FRAME.rings[0]
