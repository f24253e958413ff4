"""Verdicts on correct answers, and on each kind of wrong answer."""

from __future__ import annotations

import math
import random

import pytest

from engine.check.child import read_answer
from engine.check.plain import PlainPair, plain_pairs
from engine.check.trial import settled
from engine.check.verdicts import Reply, judge
from engine.compare.cases import case_chunk

SQUARE = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
TOLERANCE = 1e-9


def square_at(x, y):
    return tuple((px + x, py + y) for px, py in SQUARE)


SIDE = PlainPair(SQUARE, square_at(1.5, 0.5))
APART = PlainPair(SQUARE, square_at(2.5, 0.5))


def said(pair, value, query="manifold"):
    kind, *rest = read_answer(value, query)
    assert kind == "answer", rest
    reply = Reply("answer", rest[0], rest[1], tuple(rest[2]))
    return {fault.reason for fault in judge(query, pair, reply, TOLERANCE)}


RIGHT = {"normal": (1.0, 0.0), "depth": 0.5, "points": [(0.75, -0.5), (0.75, 1.0)]}


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        ({}, set()),
        ({"normal": (-1.0, 0.0)}, {"reversed_normal"}),
        ({"normal": (0.0, 1.0)}, {"wrong_normal"}),
        ({"normal": (math.cos(0.01), math.sin(0.01))}, {"wrong_normal"}),
        ({"normal": (2.0, 0.0)}, {"not_unit_normal"}),
        ({"normal": (-0.5, 0.0)}, {"not_unit_normal", "reversed_normal"}),
        ({"normal": (0.0, 0.0)}, {"not_unit_normal"}),
        ({"normal": (1e200, 1e200)}, {"not_unit_normal", "wrong_normal"}),
        ({"depth": 0.5 + 1e-10}, set()),
        ({"depth": 0.5 + 1e-8}, {"wrong_depth"}),
        ({"depth": -0.5}, {"wrong_depth"}),
        ({"points": []}, {"wrong_points"}),
        ({"points": [(0.5, 0.0)]}, set()),  # on B's surface
        ({"points": [(1.0, 0.0)]}, set()),  # on A's
        ({"points": [(0.75, 0.0), (0.4, 0.0)]}, {"wrong_points"}),
        ({"points": [(0.75, 1.1)]}, {"wrong_points"}),
    ],
)
def test_contacts(change, kinds):
    assert said(SIDE, {**RIGHT, **change}) == kinds


def test_contact_without_details():
    assert said(SIDE, None) == said(SIDE, False) == {"missed_overlap"}
    assert said(APART, {}) == said(APART, True) == {"false_overlap"}
    assert said(SIDE, {}) == said(SIDE, True) == said(APART, None) == set()
    assert said(APART, RIGHT) == {"false_overlap"}  # and nothing more of it


def test_every_equally_short_way_out_is_correct():
    pair = PlainPair(SQUARE, SQUARE)
    for normal in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        assert said(pair, {"normal": normal, "depth": 2.0}) == set()
    assert said(pair, {"normal": (math.sqrt(0.5), math.sqrt(0.5))}) == {"wrong_normal"}
    for turn in (0.0, 1.0, 2.5):
        normal = (math.cos(turn), math.sin(turn))
        rings = PlainPair((0.0, 0.0, 1.0), (0.0, 0.0, 0.1))
        point = (normal[0] * 0.45, normal[1] * 0.45)  # midway between the surfaces
        assert said(rings, {"normal": normal, "points": [point], "depth": 1.1}) == set()
        assert said(rings, {"points": [point]}) == set()


@pytest.mark.parametrize(("gap", "is_judged"), [(1e-10, False), (-1e-10, False), (1e-8, True), (-1e-8, True)])
def test_both_answers_are_correct_for_contact_within_the_allowance(gap, is_judged):
    pair = PlainPair(SQUARE, square_at(2.0 + gap, 0.0))
    wrong = said(pair, None) | said(pair, {"normal": (1.0, 0.0), "depth": max(0.0, -gap)})
    assert bool(wrong) == is_judged


def test_the_allowance_grows_far_from_the_origin():
    far = PlainPair(square_at(1e6, 0.0), square_at(1e6 + 2.0, 0.0))
    assert said(far, None) == set()
    assert said(far, {"normal": (1, 0), "depth": 1e-9}) == set()
    assert said(far, {"normal": (1, 0), "depth": 1e-6}) == {"wrong_depth"}


@pytest.mark.parametrize(
    ("pair", "value", "kinds"),
    [
        (APART, 0.5, set()),
        (APART, {"distance": 0.5, "normal": (1, 0), "point_a": (1, 0), "point_b": (1.5, 0)}, set()),
        (APART, 0.6, {"wrong_distance"}),
        (APART, 0.0, {"false_overlap"}),
        (APART, {"distance": 0.5, "normal": (-1, 0)}, {"reversed_normal"}),
        (APART, {"distance": 0.5, "point_a": (0.9, 2.0)}, {"wrong_points"}),
        (APART, {"distance": 0.5, "point_a": (1, -1), "point_b": (1.5, 1.5)}, {"wrong_points"}),
        (SIDE, 0, set()),
        (SIDE, -0.5, set()),
        (SIDE, -0.25, set()),
        (SIDE, -0.7, {"wrong_distance"}),
        (SIDE, 0.2, {"missed_overlap"}),
        (PlainPair(SQUARE, square_at(5.0, 6.0)), 5.0, set()),
        (PlainPair((0.0, 0.0, 1.0), (5.0, 0.0, 1.5)), 2.5, set()),
    ],
)
def test_distances(pair, value, kinds):
    assert said(pair, value, "distance") == kinds


def test_an_invalid_answer_is_a_kind_of_its_own():
    for kind in ("raised", "wrong_type", "too_slow", "crashed"):
        (fault,) = judge("manifold", SIDE, Reply(kind, message="why", where="line 3"), TOLERANCE)
        assert (fault.reason, fault.evidence) == (kind, "why (line 3)")
    (fault,) = judge("manifold", SIDE, Reply("answer", True, is_repeatable=False), TOLERANCE)
    assert fault.reason == "not_repeatable"


def test_the_fast_and_the_exact_judge_agree():
    """Correct answers, and slightly or strongly perturbed ones, on seeded pairs of all families."""
    rng = random.Random(7)
    cases = case_chunk(11, 0, 300)
    n_wrong = 0
    for pair, ours in zip(plain_pairs(cases), settled(cases), strict=True):
        keys = {}
        if ours.separation <= 0.0:
            nx, ny = ours.normal or (1.0, 0.0)
            turn = rng.choice((0.0, 1e-12, 1e-4, 1.0, math.pi))
            normal = [nx * math.cos(turn) - ny * math.sin(turn), nx * math.sin(turn) + ny * math.cos(turn)]
            keys = {"normal": normal, "depth": -ours.separation + rng.choice((0.0, 1e-12, 1e-10, 1e-8, -0.1))}
        for contact in (True, False):
            reply = Reply("answer", contact, keys if contact else {})
            slow = judge("manifold", pair, reply, TOLERANCE)
            assert judge("manifold", pair, reply, TOLERANCE, ours) == slow
            n_wrong += bool(slow)
        reply = Reply("answer", ours.separation <= 0.0, {"distance": ours.separation + rng.choice((0.0, 1e-12, 1e-7))})
        assert judge("distance", pair, reply, TOLERANCE, ours) == judge("distance", pair, reply, TOLERANCE)
    assert n_wrong > 200
