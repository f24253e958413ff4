"""Faults planted in the manifolds of edges, of either side, must come out as unexplained."""

from fractions import Fraction

import numpy as np
import pytest

from engine.box2d.oracle.pairs import PairOracle
from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk
from engine.compare.proofs._edge_decisions import WorldEdge, replay_edge_circle, replay_edge_polygon
from engine.compare.proofs._polygon_decisions import Bounds, world_polygon
from engine.compare.queries import Answers, our_manifolds, posed_pairs
from engine.compare.questions.manifolds import judge_manifolds
from engine.geometry import Circle, Polygon, Segment, Transform
from engine.narrowphase.batched import ManifoldRows
from engine.narrowphase.packing import pack
from engine.query import manifold

KINDS = ("edge/polygon", "edge/circle")
CASES = case_chunk(8, 0, 3000, KINDS)
ORACLE = PairOracle(CASES.shapes)
POSED = posed_pairs(pack(ORACLE.shapes, ORACLE.centroids), CASES.pairs, CASES.poses_a, CASES.poses_b)
BOX2D = ORACLE.manifolds(CASES.pairs, CASES.poses_a, CASES.poses_b)
POINTS = np.concatenate((BOX2D.position, BOX2D.separation[:, :, None]), axis=2)
CLEAR = np.flatnonzero((BOX2D.count > 0) & (CASES.family < 0) & (BOX2D.separation.min(axis=1) < -0.02))


def verdict_of(rows, count=None, normal=None, points=None, ours=None):
    answers = Answers(
        BOX2D.count[rows] if count is None else count,
        BOX2D.normal[rows] if normal is None else normal,
        POINTS[rows] if points is None else points,
    )
    return judge_manifolds(POSED.take(rows), answers, ours)


def test_without_a_fault_there_is_none():
    verdicts = verdict_of(np.arange(len(POSED)))
    assert verdicts.n_unexplained == 0
    assert {one.reason for one in verdicts.differences} == {"float32_tie"}
    assert verdicts.n_agree > 0.98 * len(POSED) and len(CLEAR) > 200


@pytest.mark.parametrize("fault", ["normal", "count", "point", "nothing"])
def test_a_fault_of_box2d(fault):
    rows = CLEAR[BOX2D.count[CLEAR] == 2] if fault == "count" else CLEAR
    points, count, normal = POINTS[rows].copy(), BOX2D.count[rows].copy(), BOX2D.normal[rows].copy()
    if fault == "normal":
        normal *= -1.0
    elif fault == "count":
        points[:, 1], count[:] = 0.0, 1
    elif fault == "point":
        points[:, 0, 0] += 1e-3
    else:
        points[:], count[:], normal[:] = 0.0, 0, 0.0
    assert verdict_of(rows, count, normal, points).n_unexplained >= 0.98 * len(rows)


@pytest.mark.parametrize("fault", ["normal", "point", "nothing"])
def test_a_fault_of_ours(fault):
    good = our_manifolds(POSED.take(CLEAR))
    bad = ManifoldRows(good.count.copy(), good.points.copy(), good.names.copy(), good.axis.copy(), good.reference.copy())
    if fault == "normal":
        bad.axis[:, :2] *= -1.0
    elif fault == "point":
        bad.points[:, 0, 1] += 1e-3
    else:
        bad.count[:] = 0
        bad.points[:] = 0.0
    assert verdict_of(CLEAR, ours=good).n_unexplained == 0
    assert verdict_of(CLEAR, ours=bad).n_unexplained >= 0.98 * len(CLEAR)


@pytest.mark.parametrize("number", [float, Fraction])
def test_the_open_rules_give_the_kernels_answers(number):
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
            placed = world_polygon(other.vertices.tolist(), other.mass().centroid, skin, xf.position, (xf.cos, xf.sin), number)
            opened = replay_edge_polygon(world, placed, 1, none)
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
