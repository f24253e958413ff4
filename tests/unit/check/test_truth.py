"""Exact separations, compared with known pairs, sampled directions, and our own float64 answers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from engine.check.allowances import SURE_ROUNDING, rounding
from engine.check.plain import PlainPair, plain_pairs
from engine.check.trial import settled
from engine.check.truth import Truth, direction_of, is_between, is_in, support_separation, unit
from engine.compare.cases import case_chunk

SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))


def shifted(shape, x, y):
    return tuple((px + x, py + y) for px, py in shape)


@pytest.mark.parametrize(
    ("a", "b", "separation", "normal"),
    [
        (SQUARE, shifted(SQUARE, 1.5, 0.25), -0.5, (1.0, 0.0)),
        (SQUARE, shifted(SQUARE, -0.5, 3.0), 1.0, (0.0, 1.0)),
        (SQUARE, shifted(SQUARE, 2.0, 0.0), 0.0, (1.0, 0.0)),
        (SQUARE, shifted(SQUARE, 5.0, 6.0), 5.0, (0.6, 0.8)),
        (SQUARE, (4.0, 5.0, 1.0), 4.0, (0.6, 0.8)),
        ((4.0, 5.0, 1.0), SQUARE, 4.0, (-0.6, -0.8)),
        (SQUARE, (0.75, 0.0, 0.125), -0.375, (1.0, 0.0)),
        ((0.0, 0.0, 1.0), (3.0, 4.0, 2.0), 2.0, (0.6, 0.8)),
        ((0.0, 0.0, 1.0), (0.3, 0.4, 0.25), -0.75, (0.6, 0.8)),
    ],
)
def test_known_pairs(a, b, separation, normal):
    truth = Truth(PlainPair(a, b), with_corners=True)
    assert float(truth.separation) == pytest.approx(separation, abs=1e-15)
    assert truth.best_normal() == pytest.approx(normal, abs=1e-15)


def test_concentric_circles_are_as_deep_as_their_radii():
    truth = Truth(PlainPair((2.0, 3.0, 0.5), (2.0, 3.0, 0.25)))
    assert truth.separation == Fraction(-3, 4)
    assert math.hypot(*truth.best_normal()) == 1.0


def test_a_square_centered_on_another_has_four_shortest_ways_out():
    assert len({unit(direction) for direction in Truth(PlainPair(SQUARE, SQUARE)).best(1e-12)}) == 4


def test_no_direction_is_better_than_the_best():
    """Sampling directions approaches the same largest separation from below."""
    cases = case_chunk(2, 0, 40)
    for pair in plain_pairs(cases):
        best = float(Truth(pair, with_corners=True).separation)
        largest = max(support_separation(pair, math.cos(t), math.sin(t)) for t in np.linspace(0.0, 2.0 * math.pi, 721).tolist())
        allowed = rounding(pair.scale)
        assert largest <= best + allowed
        # half a degree of turn moves a corner by at most this; sampling comes so near
        assert largest >= best - math.radians(0.25) * pair.scale - allowed


def test_our_float64_answers_are_within_the_allowance():
    cases = case_chunk(3, 0, 500)
    for pair, ours in zip(plain_pairs(cases), settled(cases), strict=True):
        exact = float(Truth(pair, with_corners=True).separation)
        assert abs(exact - ours.separation) <= (1.0 - SURE_ROUNDING) * rounding(pair.scale)


def test_a_separation_along_any_direction_is_exact_whatever_its_length():
    truth = Truth(PlainPair(SQUARE, shifted(SQUARE, 3.0, 0.0)))
    for direction in ((1, 0), (7, 0), (10**40, 0), direction_of(1e-300, 0.0)):
        assert direction is not None
        assert truth.along(direction) == 1
    assert direction_of(0.0, -0.0) is None


def test_between_the_surfaces():
    pair = PlainPair(SQUARE, shifted(SQUARE, 1.5, 0.0))
    for point, expected in (((0.75, 0.0), True), ((0.5, 1.0), True), ((1.0, -1.0), True), ((0.4, 0.0), False), ((0.75, 1.1), False)):
        assert is_between(pair, *point, 1.0, 0.0, 1e-12) is expected
        assert is_between(pair, *map(Fraction, point), Fraction(3), Fraction(0), Fraction(0), Fraction) is expected


def test_inside_a_shape():
    slack = Fraction(1, 1000)
    assert is_in(SQUARE, (1.0005, 0.0), slack) and not is_in(SQUARE, (1.002, 0.0), slack)
    assert is_in((0.0, 0.0, 1.0), (0.6, 0.8005), slack) and not is_in((0.0, 0.0, 1.0), (0.8, 0.8), slack)
