"""A single pair gives the same answers and verdicts as the bulk comparison, for every query and kind of shape."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.compare.cases import case_chunk, motion_chunk, ray_chunk
from engine.compare.pair.answers import ask
from engine.compare.pair.file import PAIR_QUERIES, Pair, load_pair
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform

PAIRS = Path(__file__).resolve().parents[3] / "demos" / "pairs"
BOX = Polygon.box(0.5, 0.5)


def at(pose):
    x, y, angle = pose.tolist()
    return Transform((x, y), angle)


@pytest.mark.parametrize("query", PAIR_QUERIES)
def test_seeded_pairs_agree_or_are_explained(query):
    cases = case_chunk(3, 0, 120)
    motion, rays = motion_chunk(cases, 3, 0), ray_chunk(cases, 3, 0)
    verdicts = set()
    for row, (a, b) in enumerate(cases.pairs.tolist()):
        if query == "toi":
            ends = at(motion.end_a[row]), at(motion.end_b[row])
            pair = Pair(query, cases.shapes[a], at(motion.start_a[row]), cases.shapes[b], at(motion.start_b[row]), *ends)
        elif query in ("ray_cast", "contains"):
            origin, end = tuple(rays.origins[row].tolist()), tuple(rays.ends[row].tolist())
            where = {"ray": (origin, end)} if query == "ray_cast" else {"point": origin}
            pair = Pair(query, cases.shapes[rays.indices[row]], at(rays.poses[row]), **where)
        else:
            pair = Pair(query, cases.shapes[a], at(cases.poses_a[row]), cases.shapes[b], at(cases.poses_b[row]))
        answers = ask(pair)
        verdicts.add(answers.verdict)
        assert answers.verdict in ("agree", "explained") or (answers.verdict == "not judged" and answers.box2d is None)
        assert (answers.reason != "") == (answers.verdict == "explained")
    assert "agree" in verdicts


def test_the_initial_pair_is_a_local_maximum():
    answers = ask(load_pair(PAIRS / "manifold.json"))
    assert answers.box2d is not None and answers.ours.normal is not None and answers.box2d.normal is not None
    assert (answers.verdict, answers.reason) == ("explained", "local_maximum")
    assert answers.box2d.depth > 1.4 * answers.ours.depth > 0.4
    assert np.dot(answers.ours.normal, answers.box2d.normal) < -0.9, "the other way out"


def test_the_initial_motion_is_missed_by_box2d():
    answers = ask(load_pair(PAIRS / "toi.json"))
    assert answers.reason == "toi_missed" and answers.ours.fraction == pytest.approx(0.235, abs=0.01)
    assert answers.box2d is not None and answers.box2d.fraction is None


def test_unsupported_queries_are_answered_only_by_our_library():
    capsule, edge = Capsule((-0.5, 0.0), (0.5, 0.0), 0.2), Segment((-1.0, 0.0), (1.0, 0.0))
    above = Transform((0.0, 0.6))
    for query in ("manifold", "overlap", "distance"):
        answers = ask(Pair(query, capsule, Transform(), BOX, above))
        assert answers.box2d is None and "capsules" in answers.evidence and answers.ours.is_yes
    assert "two edges" in ask(Pair("manifold", edge, Transform(), edge, Transform((0.0, 0.0), 1.0))).evidence
    assert ask(Pair("contains", capsule, point=(0.0, 0.1))).ours.is_yes
    assert ask(Pair("ray_cast", capsule, ray=((0.0, 2.0), (0.0, -2.0)))).ours.fraction == pytest.approx(0.45)
    assert ask(Pair("ray_cast", capsule, ray=((0.0, 2.0), (1.0, 2.0)))).ours.words == "no hit"
    assert ask(Pair("ray_cast", capsule, ray=((0.0, 0.0), (1.0, 2.0)))).ours.fraction == 0.0
    moving = Pair("toi", capsule, Transform((-3.0, 0.0)), BOX, Transform(), Transform((3.0, 0.0)), Transform())
    assert ask(moving).ours.fraction == pytest.approx((3.0 - 0.5 - 0.7) / 6.0, abs=1e-4)
    apart = ask(Pair("distance", capsule, Transform(), BOX, Transform((0.0, 2.0)))).ours
    assert apart.distance == pytest.approx(1.3) and apart.witnesses is not None


def test_a_polygon_that_float32_cannot_represent_is_answered_only_by_our_library():
    speck = Polygon([(0.0, 0.0), (1e-6, 0.0), (0.0, 1e-6)])
    answers = ask(Pair("overlap", speck, Transform(), BOX))
    assert answers.box2d is None and answers.verdict == "not judged" and answers.ours.is_yes
    many = ask(Pair("overlap", Polygon.regular(40, 1.0), Transform(), BOX))
    assert many.box2d is None and many.ours.is_yes


def test_a_motion_about_another_center_is_the_same_motion():
    shifted = Polygon(BOX.vertices + np.array([0.5, 0.0]))
    # a half turn about (0.5, 0) of the body frame, moving 3 m: in the world the center goes from (-3, 0) to (0, 0)
    start, end = Transform((-3.5, 0.0)), Transform((0.5, 0.0), np.pi)
    about = Pair("toi", shifted, start, Circle(0.5), Transform(), end, Transform(), center_a=(0.5, 0.0))
    plain = Pair("toi", BOX, Transform((-3.0, 0.0)), Circle(0.5), Transform(), Transform((0.0, 0.0), np.pi), Transform())
    assert ask(about).ours.fraction == pytest.approx(ask(plain).ours.fraction, abs=1e-5)
    assert ask(about).verdict in ("agree", "explained")


def test_an_edge_with_neighbors_is_judged():
    edge = Segment((-1.0, 0.0), (1.0, 0.0), 0.01, (-2.0, 0.5), (2.0, -0.5))
    answers = ask(Pair("manifold", edge, Transform(), BOX, Transform((0.2, 0.49), 0.05)))
    assert answers.verdict in ("agree", "explained") and answers.box2d is not None and len(answers.ours.points) == 2
