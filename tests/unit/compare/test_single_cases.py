"""Known single cases of the queries, Box2D's results, and inputs that its oracles reject."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.box2d.oracle.points import PointOracle
from engine.common.errors import InvalidInputError
from engine.compare.pair.file import Pair
from engine.compare.pair.held import held
from engine.compare.questions.registry import QUESTIONS
from engine.contracts import Status
from engine.geometry import Circle, Polygon, Segment, Transform
from tests.unit.compare.asked import reasons

EDGE = Segment((-1.0, 0.0), (1.0, 0.0))
HERE, DISC = [(0.0, 0.0, 0.0)], [Circle(1.0)]


def verdict(pair, **changes):
    """Return the reasons of the only row, with Box2D's answer or a replacement."""
    question = QUESTIONS[pair.query]
    cases, _ = question.from_pair(held(pair))
    columns, (box2d, _) = question.columns(cases), question.box2d(cases)
    changed = replace(box2d, **{name: np.array([value]) for name, value in changes.items()})
    return list(reasons(question.judge(columns, changed, question.ours(columns)))), box2d


def pose(x, y, angle):
    return Transform((x, y), angle)


# --- Pairs


def test_box2d_gives_up_on_a_spin_and_says_so():
    shapes = Polygon.box(0.86059177, 0.59905213), Polygon.box(0.66287559, 0.6689862)
    start_a, end_a = (
        pose(-6.90324592590332, -2.6846764087677, 5.511681079864502),
        pose(-6.314976692199707, -0.5768146514892578, -17.071619033813477),
    )
    start_b, end_b = (
        pose(-9.055325508117676, -1.9328974485397339, 11.399102210998535),
        pose(-11.418701171875, -4.277660846710205, -29.572479248046875),
    )
    reasons_given, box2d = verdict(Pair("toi", shapes[0], start_a, shapes[1], start_b, end_a, end_b))
    assert box2d.status.tolist() == [Status.OUT_OF_ITERATIONS] and reasons_given in (["gave_up"], ["toi_missed"])


def test_a_circle_between_an_edge_and_its_corner():
    # Box2D took the direction from the corner, 6 cm away, which float32 knows to 1e-5 only; ours is the edge's
    circle = Circle(0.2146996557712555, (0.04516003280878067, -0.19965966045856476))
    box = Polygon.box(1.246233224868774, 0.009396977722644806)
    reasons_seen = set()
    for step in range(-40, 41):
        pair = Pair("manifold", circle, pose(-4.01622343, 6.82024574, 0.0), box, pose(-5.27561808 + 1e-6 * step, 6.62998295, 0.0))
        seen, box2d = verdict(pair)
        reasons_seen |= set(seen)
        assert verdict(pair, normal=box2d.normal[0] + np.array([0.0, 1e-3]))[0] == ["unexplained"]
    assert reasons_seen == {"float32_tie"}


@pytest.mark.parametrize(
    ("angle", "origin", "end", "changes", "expected"),
    [
        (0.0, (0.25, 1.0), (0.0, -1.0), {}, []),
        (0.5, (0.25, 1.0), (0.0, -1.0), {}, ["local_normal"]),
        (0.5, (0.25, 1.0), (0.0, -1.0), {"normal": (0.0, -1.0)}, ["unexplained"]),  # the other side, whichever frame
        (0.5, (0.25, 1.0), (0.0, -1.0), {"fraction": 0.25}, ["unexplained"]),
        (0.0, (-2.0, 0.0), (2.0, 0.0), {}, ["float32_tie"]),  # along it
        (0.0, (1.5, 1.0), (1.5, -1.0), {}, []),  # past its end
    ],
)
def test_rays_at_an_edge(angle, origin, end, changes, expected):
    assert verdict(Pair("ray_cast", EDGE, pose(0.0, 0.0, angle), ray=(origin, end)), **changes)[0] == expected


@pytest.mark.parametrize("ray", [((1.0, 1.0), (1.0, -1.0)), ((0.5, 1.0), (0.5, 0.0)), ((1.0, 0.0), (1.0, 0.0))])
def test_rays_through_the_ends_of_an_edge_are_ties_at_most(ray):
    assert set(verdict(Pair("ray_cast", EDGE, ray=ray))[0]) <= {"float32_tie"}


@pytest.mark.parametrize(("length", "expected"), [(2.0**-12, ["short_ray"]), (2.0**-10, [])])
def test_circles_ignore_short_rays(length, expected):
    assert verdict(Pair("ray_cast", Circle(0.5), ray=((0.5 + length / 2, 0.0), (0.5 - length / 2, 0.0))))[0] == expected


# --- What the oracles reject


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PointOracle(DISC).contains([0], HERE, [(0.1, 0.0)]), "points must be numbers representable in float32"),
        (lambda: PointOracle(DISC).rays([1], HERE, [(0.5, 0.0)], [(1.0, 0.0)]), "indices must be indices from 0 to 0, got 1"),
    ],
)
def test_the_oracles_accept_only_float32_numbers_and_known_shapes(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_an_edge_has_no_inside():
    assert PointOracle(DISC).contains([0], HERE, [(0.5, 0.5)])[0].tolist() == [True]
    assert PointOracle([EDGE]).contains([0], HERE, [(0.5, 0.0)])[0].tolist() == [False]
