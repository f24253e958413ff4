"""The smallest pair that still fails, for artificial failures with a known result."""

from __future__ import annotations

import pytest

from engine.check.plain import PlainPair, core_of, plain_pairs
from engine.check.shrink import Failure, corner_count, is_clear, is_sound, shrink
from engine.check.truth import Truth
from engine.check.verdicts import Reply
from engine.compare.cases import case_chunk
from engine.contracts.agreement import Verdict
from tests.waiting import PATIENCE


def failing(pair):
    return Failure(pair, Reply("answer", False), Verdict("missed_overlap", max(0.0, -float(Truth(pair).separation)), "evidence"))


def first_pair(is_wanted):
    return next(pair for pair in plain_pairs(case_chunk(1, 0, 2000)) if is_sound(pair) and is_clear(pair) and is_wanted(pair))


def both_large(pair):
    return min(len(core_of(pair.a)[0]), len(core_of(pair.b)[0])) >= 4 and Truth(pair).separation < 0


def attempt_where(fails):
    def attempt(pairs):
        return [failing(pair) if fails(pair) else None for pair in pairs]

    return attempt


def overlaps(pair):
    return Truth(pair).separation < 0


def test_an_overlap_becomes_two_triangles_with_round_numbers_and_stays_plain():
    pair = first_pair(both_large)
    smallest = shrink(failing(pair), attempt_where(overlaps), PATIENCE)
    assert corner_count(smallest.pair) == 6
    assert is_sound(smallest.pair) and is_clear(smallest.pair) and overlaps(smallest.pair)
    numbers = [value for shape in (smallest.pair.a, smallest.pair.b) for corner in core_of(shape)[0] for value in corner]
    assert all(value == round(value, 2) for value in numbers)
    assert max(abs(value) for value in numbers) <= 4.0


def test_shrinking_keeps_what_the_failure_needs():
    pair = first_pair(both_large)
    n = len(core_of(pair.a)[0])
    smallest = shrink(failing(pair), attempt_where(lambda candidate: overlaps(candidate) and len(core_of(candidate.a)[0]) == n), PATIENCE)
    assert len(core_of(smallest.pair.a)[0]) == n
    assert len(core_of(smallest.pair.b)[0]) == 3


def test_a_pair_without_a_simpler_failure_stays_unchanged():
    pair = first_pair(both_large)
    assert shrink(failing(pair), attempt_where(lambda candidate: candidate == pair), PATIENCE).pair == pair


def test_shrinking_without_time_keeps_the_pair():
    pair = first_pair(both_large)
    assert overlaps(shrink(failing(pair), attempt_where(overlaps), 0.0).pair)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), True),
        (((0.0, 0.0), (0.0, 1.0), (1.0, 0.0)), False),  # clockwise
        (((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0)), False),  # straight
        (((0.0, 0.0), (1.0, 0.0), (1.0, 0.001)), False),  # a needle
        (((1.0, 0.0), (-0.8, 0.6), (0.3, -1.0), (0.3, 1.0), (-0.8, -0.6)), False),  # a star: left turns only, twice round
        ((0.0, 0.0, 1.0), True),
        ((0.0, 0.0, 0.0), False),
    ],
)
def test_soundness(shape, expected):
    assert is_sound(PlainPair(shape, (0.0, 0.0, 1.0))) is expected
