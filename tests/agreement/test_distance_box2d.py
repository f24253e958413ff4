"""Compares our distances with b2Distance, with and without radii, on seeded random pairs and the adversarial families."""

import numpy as np
import pytest

from engine.box2d.oracle.pairs import PairOracle
from engine.compare import allowances
from engine.compare.cases import case_chunk
from engine.contracts import Status
from engine.geometry import Segment, Transform
from engine.query import batch
from engine.query.pairs import distance


@pytest.fixture(scope="module", params=[1, 2])
def posed(request):
    cases = case_chunk(request.param, 0)
    oracle = PairOracle(cases.shapes)
    shapes = batch.ShapeBatch(oracle.shapes)  # with Box2D's skins
    extent = shapes.packed.extent[cases.pairs]
    scale = allowances.scale_of(cases.poses_a, cases.poses_b, extent[:, 0], extent[:, 1])
    return cases, oracle, shapes, scale, batch.distance(shapes, cases.pairs, cases.poses_a, cases.poses_b)


@pytest.mark.parametrize("use_radii", [True, False])
def test_distances_agree(posed, use_radii):
    cases, oracle, shapes, scale, ours = posed
    theirs = oracle.distances(cases.pairs, cases.poses_a, cases.poses_b, use_radii)
    radii = 0.0 if use_radii else shapes.packed.radius[cases.pairs].sum(axis=1)
    cores_overlap = np.isnan(ours.normal[:, 0])
    expected = np.where(cores_overlap, 0.0, np.maximum(0.0, ours.separation + radii))
    difference = np.abs(expected - theirs.distance)
    assert (difference <= allowances.distance_allowance(scale)).all()
    assert (expected > 0.0).mean() > 0.4 and (expected == 0.0).mean() > 0.3
    near = scale < 50.0  # meters; float32 is spaced by 4e-6 m there
    assert difference[near].max() < 1e-5


def test_box2ds_points_lie_on_the_surfaces_of_our_shapes(posed):
    """Each point lies on its shape; pairs of points are not compared, because parallel edges have many equally near pairs."""
    cases, oracle, shapes, scale, ours = posed
    theirs = oracle.distances(cases.pairs, cases.poses_a, cases.poses_b)
    apart = np.flatnonzero(ours.separation > 4.0 * allowances.distance_allowance(scale))
    gap = np.hypot(*(theirs.point_b - theirs.point_a).T)
    assert (np.abs(gap - ours.separation)[apart] <= allowances.distance_allowance(scale)[apart]).all()
    point = Segment((0.0, 0.0), (0.0, 0.0))
    for row in apart[:300].tolist():
        for shape, pose, nearest in (
            (shapes[int(cases.pairs[row, 0])], cases.poses_a[row], theirs.point_a[row]),
            (shapes[int(cases.pairs[row, 1])], cases.poses_b[row], theirs.point_b[row]),
        ):
            result = distance(shape, Transform(tuple(pose[:2].tolist()), float(pose[2])), point, Transform(tuple(nearest.tolist())))
            assert result.normal is not None and abs(result.separation) <= allowances.distance_allowance(scale)[row]


def test_nothing_runs_out_of_iterations(posed):
    cases, _, shapes, _, ours = posed
    deep = batch.penetration(shapes, cases.pairs, cases.poses_a, cases.poses_b)
    assert set(np.unique(ours.status)) <= {Status.SEPARATED, Status.TOUCHING, Status.OVERLAPPING}
    assert np.array_equal(ours.status, deep.status)
    assert ours.iterations.max() <= 16


def test_edges_agree_with_box2d():
    # the wheel's edges have the skins of its polygons
    rng = np.random.default_rng(5)
    edges = [Segment(tuple(p), tuple(q)) for p, q in rng.uniform(-1.0, 1.0, (40, 2, 2)).astype(np.float32).tolist()]
    cases = case_chunk(3, 0)
    oracle = PairOracle([*cases.shapes, *edges])
    shapes = batch.ShapeBatch(oracle.shapes)
    n, n_edges = 3000, len(edges)
    pairs = np.column_stack((rng.integers(0, len(shapes), n), rng.integers(len(shapes) - n_edges, len(shapes), n)))
    pairs[::2] = pairs[::2, ::-1]
    poses_a, poses_b = rng.uniform(-1.5, 1.5, (2, n, 3)).astype(np.float32).astype(np.float64)
    ours = batch.distance(shapes, pairs, poses_a, poses_b)
    extent = shapes.packed.extent[pairs]
    scale = allowances.scale_of(poses_a, poses_b, extent[:, 0], extent[:, 1])
    for use_radii in (True, False):
        theirs = oracle.distances(pairs, poses_a, poses_b, use_radii)
        radii = 0.0 if use_radii else shapes.packed.radius[pairs].sum(axis=1)
        if use_radii:
            assert np.array_equal(oracle.gaps(pairs, poses_a, poses_b)[0], theirs.distance)
        expected = np.where(np.isnan(ours.normal[:, 0]), 0.0, np.maximum(0.0, ours.separation + radii))
        assert (np.abs(expected - theirs.distance) <= allowances.distance_allowance(scale)).all()
