"""The rational arithmetic behind the proofs, and Box2D's rule with its decisions exposed."""

import math
from fractions import Fraction

import numpy as np
import pytest

from engine.box2d.oracle.pairs import PairOracle
from engine.common.errors import InvalidInputError
from engine.compare.proofs._edge_decisions import WorldEdge, replay_edge_circle, replay_edge_polygon
from engine.compare.proofs._polygon_decisions import Bounds, WorldPolygon, all_outcomes, placed_points, replay_outcome
from engine.geometry import Circle, Polygon, Segment, Transform
from engine.geometry.exact.cores import Core, distance_sq
from engine.query import manifold, overlap

NO_ROUNDING = Bounds(0.0, 0.0, 0.0)
FLOAT32 = Bounds(1e-5, 1e-5, 1e-5)
BOX = Polygon.box(0.5, 0.5)


def placed(polygon, xf, number=float):
    *corners, centroid = placed_points([*polygon.vertices.tolist(), polygon.mass().centroid], xf.position, (xf.cos, xf.sin), number)
    return WorldPolygon.of(corners, centroid, number(polygon.skin_radius))


def replaying(a, b):
    return lambda script: replay_outcome(a, b, FLOAT32, script)


@pytest.mark.parametrize("number", [float, Fraction])
def test_the_open_rule_gives_the_kernels_answer(number):
    rng = np.random.default_rng(3)
    shapes = [Polygon.regular(n, 0.7, 0.2 * n, skin_radius=0.01) for n in (3, 4, 5, 7)]
    for _ in range(200 if number is float else 10):
        a, b = (shapes[i] for i in rng.integers(0, 4, 2))
        xf_a, xf_b = (Transform(tuple(rng.uniform(-0.7, 0.7, 2)), float(rng.uniform(-3, 3))) for _ in range(2))
        opened = replay_outcome(placed(a, xf_a, number), placed(b, xf_b, number), NO_ROUNDING)
        kernel = manifold(a, xf_a, b, xf_b, "box2d")
        assert len(opened.points) == len(kernel.points)
        if kernel.points:
            assert [float(part) for part in opened.normal] == pytest.approx(kernel.normal)
            for ours, theirs in zip(opened.points, kernel.points, strict=True):
                assert [float(part) for part in ours] == pytest.approx([*theirs.position, theirs.separation], abs=1e-9)


def test_all_outcomes_of_a_tie_are_followed():
    # one box in another's middle: all four faces are equally deep, and any start of the climb is possible
    a = placed(BOX, Transform())
    normals = {
        (round(float(outcome.normal[0])), round(float(outcome.normal[1])))
        for outcome, _ in all_outcomes(replaying(a, placed(BOX, Transform((1e-7, 0.0)))))
        if outcome.normal is not None
    }
    assert normals == {(1, 0), (-1, 0), (0, 1), (0, -1)}


def test_an_unambiguous_case_has_one_outcome():
    a, b = placed(BOX, Transform()), placed(BOX, Transform((0.8, 0.1), 0.3))
    outcomes = list(all_outcomes(replaying(a, b)))
    assert len(outcomes) == 1
    assert outcomes[0][0].decisions == ()


def test_exact_overlap_agrees_with_the_separating_axes():
    rng = np.random.default_rng(5)
    triangle = Polygon([(0.0, 0.0), (1.0, 0.25), (0.25, 1.0)])
    for _ in range(40):
        xf = Transform(tuple(rng.uniform(-1.5, 1.5, 2)), float(rng.uniform(-math.pi, math.pi)))
        cores = [
            Core.placed(shape.vertices.tolist(), *pose.position, pose.cos, pose.sin) for shape, pose in ((BOX, Transform()), (triangle, xf))
        ]
        assert (distance_sq(*cores) == 0) == overlap(BOX, Transform(), triangle, xf)


@pytest.mark.parametrize("number", [float, Fraction])
def test_the_open_rules_of_edges_give_the_kernels_answers(number):
    rng = np.random.default_rng(5)
    none, skin = Bounds(0.0, 0.0, 0.0), 0.01
    others = [Polygon.regular(5, 0.5, 0.3, skin_radius=skin), Polygon.box(0.7, 0.2, skin_radius=skin), Circle(0.4)]
    touching = 0
    for at in range(300 if number is float else 20):
        p1, p2, g1, g2 = (tuple(point) for point in rng.uniform(-1.0, 1.0, (4, 2)).tolist())
        edge = Segment(p1, p2, skin, g1 if at % 4 in (1, 3) else None, g2 if at % 4 in (2, 3) else None)
        other, xf = others[at % 3], Transform(tuple(rng.uniform(-0.6, 0.6, 2)), float(rng.uniform(-3.0, 3.0)))
        kernel = manifold(edge, Transform(), other, xf, "box2d")
        exact = [None if point is None else (number(point[0]), number(point[1])) for point in (p1, p2, edge.ghost1, edge.ghost2)]
        world = WorldEdge(*exact, number(skin))
        if isinstance(other, Circle):
            center = tuple(number(part) for part in xf.apply(other.center))
            opened = replay_edge_circle(world, center, number(other.radius), 1, none)
        else:
            opened = replay_edge_polygon(world, placed(other, xf, number), 1, none)
        assert len(opened.points) == len(kernel.points), at
        touching += len(opened.points) > 0
        for ours, theirs in zip(opened.points, kernel.points, strict=True):
            assert [float(part) for part in ours] == pytest.approx([*theirs.position, theirs.separation], abs=1e-9)
        if kernel.points:
            assert [float(part) for part in opened.normal] == pytest.approx(kernel.normal)
    assert touching > 5


def test_edges_are_not_collided_with_edges():
    oracle = PairOracle([Segment((0.0, 0.0), (1.0, 0.0))])
    with pytest.raises(InvalidInputError, match="pairs that Box2D collides, got two edges"):
        oracle.manifolds([(0, 0)], [(0.0, 0.0, 0.0)], [(0.0, 0.0, 0.0)])
