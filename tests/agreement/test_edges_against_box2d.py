"""Compares edges, with and without ghost vertices, with b2CollideEdgeAndCircle and b2CollideEdgeAndPolygon."""

import itertools

import numpy as np
import pytest

from engine.box2d.oracle.held import round_pose, round_shape
from engine.box2d.oracle.pairs import PairOracle
from engine.common.errors import InvalidShapeError
from engine.compare import allowances
from engine.compare.cases import random_shapes
from engine.geometry import Circle, Polygon, Segment, Transform
from engine.geometry.kinds import POLYGON
from engine.narrowphase import batched
from engine.narrowphase.packing import pack
from engine.narrowphase.rules import BOX2D

N_EDGES, N_OTHERS = 200, 200


def random_edges(rng):
    """Each a quarter: without neighbors, with the previous one, with the next one, with both."""
    edges = []
    for k in range(N_EDGES):
        p1, p2, g1, g2 = (tuple(point) for point in round_pose(rng.uniform(-1.5, 1.5, (4, 2))).tolist())
        edges.append(Segment(p1, p2, 0.0, g1 if k % 4 in (1, 3) else None, g2 if k % 4 in (2, 3) else None))
    return edges


def compare(oracle, pairs, xf_edge, xf_other, edge_first=True):
    """Return masks of pairs: either finds a contact, counts agree, all points agree within the allowance, keys agree."""
    n_edges = sum(isinstance(shape, Segment) for shape in oracle.shapes)  # which stand first
    packed = pack(oracle.shapes, np.concatenate([np.zeros((n_edges, 2)), oracle.centroids[n_edges:]]))
    here = pairs + np.array([0, n_edges])
    theirs = oracle.manifolds(here, xf_edge, xf_other)
    turned_1, turned_2 = batched.poses_with_rotation(xf_edge), batched.poses_with_rotation(xf_other)
    if edge_first:
        ours = batched.manifold_rows(packed, here, turned_1, turned_2, BOX2D)
    else:
        ours = batched.manifold_rows(packed, np.ascontiguousarray(here[:, ::-1]), turned_2, turned_1, BOX2D)
    extent_1, extent_2 = packed.extent[here[:, 0]], packed.extent[here[:, 1]]
    scale = allowances.scale_of(xf_edge, xf_other, extent_1, extent_2)
    allowed = allowances.point_allowance(scale, ours.axis[:, 3], packed.kind[here[:, 1]] == POLYGON, extent_2)
    is_near = np.abs(ours.points[:, :, :2] - theirs.position).max(axis=(1, 2)) <= allowed
    is_near &= np.abs(ours.points[:, :, 2] - theirs.separation).max(axis=1) <= allowed
    touching = (ours.count > 0) | (theirs.count > 0)
    keys = theirs.feature_id if edge_first else (theirs.feature_id >> 8 & 0x00FF00FF) | (theirs.feature_id << 8 & 0xFF00FF00)
    same_normal = (np.abs(ours.axis[:, :2] - (1.0 if edge_first else -1.0) * theirs.normal) < 1e-3).all(axis=1)
    return touching, ours.count == theirs.count, is_near & (same_normal | (ours.count == 0)), (ours.names == keys).all(axis=1)


@pytest.mark.parametrize("edge_first", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_random_pairs(seed, edge_first):
    rng = np.random.default_rng(seed)
    oracle = PairOracle([*random_edges(rng), *(round_shape(shape) for shape in random_shapes(rng, N_OTHERS))])
    n = 20_000
    pairs = np.column_stack((rng.integers(0, N_EDGES, n), rng.integers(0, N_OTHERS, n)))
    poses = [round_pose(np.column_stack((rng.uniform(-0.8, 0.8, (n, 2)), rng.uniform(-3.0, 3.0, n)))) for _ in range(2)]
    touching, same_count, near, same_keys = compare(oracle, pairs, *poses, edge_first)
    assert touching.sum() > 4000
    for ghosts in range(4):
        assert touching[pairs[:, 0] % 4 == ghosts].sum() > 800
    assert np.flatnonzero(touching & ~(same_count & near & same_keys)).tolist() == []


def test_boxes_and_discs_on_a_chain():
    """Parallel edges and joints at multiples of a quarter meter, where ties are common: any difference must be a float32 tie."""
    rng = np.random.default_rng(3)
    corners = [(float(x), float(y)) for x, y in zip(range(-6, 7), [0, 0, 1, 1, 0, 0, -1, 0, 0, 2, 2, 0, 0], strict=True)][::-1]
    edges = [
        Segment(corners[k], corners[k + 1], 0.0, corners[k - 1] if k > 0 else None, corners[k + 2] if k + 2 < len(corners) else None)
        for k in range(len(corners) - 1)
    ]
    oracle = PairOracle([*edges, Polygon.box(0.5, 0.25), Polygon.box(0.25, 0.25), round_shape(Polygon.regular(5, 0.5)), Circle(0.375)])
    n = 20_000
    pairs = np.column_stack((rng.integers(0, len(edges), n), rng.integers(0, 4, n)))
    middle = np.array([np.add(edge.p1, edge.p2) / 2.0 for edge in edges])[pairs[:, 0]]
    offset = rng.integers(-12, 13, (n, 2)) / 16.0 + rng.choice([0.0, 0.004], (n, 2))
    xf_other = round_pose(np.column_stack((middle + offset, rng.choice([0.0, 0.25, -1.0], n))))
    touching, same_count, near, same_keys = compare(oracle, pairs, np.zeros((n, 3)), xf_other)
    assert touching.sum() > 5000
    differs = np.flatnonzero(touching & ~(same_count & near & same_keys))
    assert len(differs) <= 0.01 * touching.sum()
    # Every difference is one tie: the centroid lies on the line of the edge or of a neighbor, to float32's rounding (the bound of a
    # separation, and of the centroid itself, which Box2D turns and moves), so that in front or behind is a toss of a coin.
    for row in differs:
        edge, (x, y, turn) = edges[pairs[row, 0]], xf_other[row].tolist()
        centroid = np.array(Transform((x, y), turn).apply(tuple(oracle.centroids[len(edges) + pairs[row, 1]].tolist())))
        chain = [point for point in (edge.ghost1, edge.p1, edge.p2, edge.ghost2) if point is not None]
        off_line = [_off_line(centroid, np.array(p), np.array(q)) for p, q in itertools.pairwise(chain)]
        allowed = allowances.separation_allowance(np.array([np.abs(xf_other[row, :2]).sum() + 8.0]))[0]
        assert min(off_line) <= allowed, row


def _off_line(point, p, q):
    along = (q - p) / np.hypot(*(q - p))
    return abs(along[0] * (point - p)[1] - along[1] * (point - p)[0])


def test_bad_input():
    with pytest.raises(InvalidShapeError, match=r"longer than 1\.2e-7 m"):
        PairOracle([Segment((0.0, 0.0), (0.0, 0.0))])
    with pytest.raises(InvalidShapeError, match="numbers representable in float32"):
        PairOracle([Segment((0.1, 0.0), (1.0, 0.0))])
