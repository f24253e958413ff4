"""Compares our manifolds and overlaps with Box2D's on seeded pairs; every difference is proved."""

import itertools

import numpy as np
import pytest

from engine.box2d.oracle.held import held_rotation, round_pose, round_shape
from engine.box2d.oracle.pairs import PairOracle
from engine.common.errors import InvalidInputError
from engine.compare.bulk import comparison
from engine.compare.cases import PAIR_KINDS, case_chunk
from engine.compare.queries import Answers, our_manifolds, posed_pairs
from engine.compare.questions.manifolds import fit
from engine.geometry import Circle, Polygon
from engine.narrowphase.packing import pack


def deterministic(report):
    """Omit measured times."""
    for tally in report["queries"].values():
        del tally["ours_per_s"], tally["box2d_per_s"]
    return report


@pytest.mark.parametrize(
    ("n", "seed", "queries"), [(4_000, 1, comparison.QUERIES), (10_000, 2, ("manifold", "overlap"))], ids=["all", "two"]
)
def test_no_difference_is_unexplained(n, seed, queries):
    report = comparison.compare(n, seed, queries)
    assert report["box2d"] == "2.3.0"
    assert report["unexplained_total"] == 0
    manifold, overlap = report["queries"]["manifold"], report["queries"]["overlap"]
    for tally in (manifold, overlap):
        assert tally["pairs"] == n
        assert tally["pairs"] == tally["agree"] + sum(tally["explained"].values()) + tally["unexplained"]
        assert 0.4 * n < tally["touching"] < 0.6 * n
        assert set(tally["kinds"]) == set(PAIR_KINDS)
        for name in ("pairs", "touching", "agree", "unexplained"):
            assert sum(kind[name] for kind in tally["kinds"].values()) == tally[name]
        for kind in tally["kinds"].values():
            assert kind["pairs"] == kind["agree"] + sum(kind["explained"].values()) > 0.05 * n
    assert manifold["explained"]["local_maximum"] > 0.0025 * n
    assert manifold["kinds"]["edge/polygon"]["explained"].keys() <= {"float32_tie"}
    # polygons are kilometers wide, up to 10 km out, where float32 is spaced by 1e-3 m
    assert manifold["max_point_error"] < 5e-3
    assert manifold["max_normal_error"] < 1e-4
    # without the adversarial families: how often Box2D's axis is not the best, and by how much
    random = manifold["random"]
    assert random["pairs"] > 0.75 * n and 0.0 < random["sizes"]["local_maximum"]["mean"] < random["sizes"]["local_maximum"]["max"] < 2.0


@pytest.mark.parametrize("queries", [("manifold",), pytest.param(comparison.QUERIES[1:], marks=pytest.mark.slow)])
def test_results_do_not_depend_on_the_number_of_jobs(queries):
    single, two = (deterministic(comparison.compare(10_400, 3, queries, jobs)) for jobs in (1, 2))
    assert single == two and single["unexplained_total"] == 0


def test_a_shorter_run_is_a_prefix_of_a_longer_one():
    short, long = case_chunk(9, 1, 100), case_chunk(9, 1, 5000)
    assert np.array_equal(short.pairs, long.pairs[:100])
    assert np.array_equal(short.poses_b, long.poses_b[:100])


def test_box2ds_rule_in_float64_gives_box2ds_manifolds_and_feature_ids():
    cases = case_chunk(4, 0, 10_000)
    oracle = PairOracle(cases.shapes)
    posed = posed_pairs(pack(oracle.shapes, oracle.centroids), cases.pairs, cases.poses_a, cases.poses_b)
    box2d = oracle.manifolds(cases.pairs, cases.poses_a, cases.poses_b)
    replay = our_manifolds(posed, exact=False)
    points = np.concatenate((box2d.position, box2d.separation[:, :, None]), axis=2)
    same = fit(posed, replay, Answers(box2d.count, box2d.normal, points)).is_same
    random = cases.family == -1
    assert same[random].mean() > 0.999
    both = same & random & (box2d.count > 0)
    assert (replay.names[both] == box2d.feature_id[both]).all(axis=1).mean() > 0.999
    assert np.abs(replay.points[both] - points[both]).max() < 1e-4


def test_the_oracle_swaps_circle_and_polygon():
    oracle = PairOracle([round_shape(Polygon.box(0.5, 0.5)), Circle(0.5)])
    here, there = round_pose([(0.0, 0.0, 0.0)]), round_pose([(0.875, 0.0, 0.0)])
    forward, backward = oracle.manifolds([(0, 1)], here, there), oracle.manifolds([(1, 0)], there, here)
    assert forward.normal.tolist() == [[1.0, 0.0]]
    assert backward.normal.tolist() == [[-1.0, 0.0]]
    assert np.array_equal(forward.position, backward.position)
    assert forward.separation[0, 0] == pytest.approx(-0.125, abs=1e-6)


@pytest.mark.parametrize("kinds", list(itertools.product((0, 1), repeat=2)))
def test_the_oracle_on_separated_pairs(kinds):
    oracle = PairOracle([round_shape(Polygon.box(0.5, 0.5)), Circle(0.5)])
    here, there = round_pose([(0.0, 0.0, 0.0)]), round_pose([(5.0, 0.0, 0.0)])
    answers = oracle.manifolds([kinds], here, there)
    assert answers.count.tolist() == [0]
    assert not answers.normal.any() and not answers.position.any() and not answers.separation.any()
    assert oracle.overlaps([kinds], here, there)[0].tolist() == [False]


def test_the_oracle_accepts_only_float32_poses_and_known_shapes():
    oracle, here = PairOracle([Circle(0.5)]), [(0.0, 0.0, 0.0)]
    for ask in (oracle.manifolds, oracle.overlaps, oracle.distances):
        with pytest.raises(InvalidInputError, match="xf_b must be numbers representable in float32"):
            ask([(0, 0)], here, [(0.1, 0.0, 0.0)])
        with pytest.raises(InvalidInputError, match="pairs must be indices from 0 to 0, got 1"):
            ask([(0, 1)], here, here)


def test_box2ds_rotation_is_float32():
    cos, sin = held_rotation(0.5)
    assert cos == float(np.float32(cos)) and abs(cos - np.cos(0.5)) < 1e-7
    assert sin == float(np.float32(sin)) and abs(sin - np.sin(0.5)) < 1e-7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1), "pairs must be a whole number from 1 to 1000000000, got 0"),
        ((10, -1), "seed must be a whole number from 0 to 9223372036854775807, got -1"),
        ((10, 1, ("manifold", "gjk")), "queries must be one or more of manifold, overlap, distance, toi, .*, got 'gjk'"),
        ((10, 1, ()), "queries must be one or more"),
        ((10, 1, ("overlap",), 1, ("edge/edge",)), "kinds must be one or more of circle/circle, .*, got 'edge/edge'"),
        ((10, 1, ("overlap",), 0), "jobs must be a whole number from 1"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        comparison.compare(*arguments)
