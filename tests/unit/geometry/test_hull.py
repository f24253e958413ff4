"""Hulls: quickhull, the monotone chain and SciPy agree; strictly convex and counterclockwise for every kind of input."""

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from engine.common.errors import InvalidShapeError
from engine.geometry import Polygon
from engine.geometry.hull import convex_hull, convex_hull_chain, convex_hull_incremental
from engine.geometry.predicates import exact_turn, turn_sign

RNG = np.random.default_rng(20)


def clouds():
    yield "normal", RNG.normal(size=(400, 2))
    yield "square", RNG.uniform(-1.0, 1.0, (300, 2))
    yield "few", RNG.normal(size=(5, 2))
    yield "triangle", RNG.normal(size=(3, 2))
    repeated = RNG.normal(size=(40, 2))
    yield "repeated", repeated[RNG.integers(0, 40, 300)]
    x, y = np.meshgrid(np.arange(12.0), np.arange(9.0))
    yield "grid", np.column_stack((x.ravel(), y.ravel()))
    yield "tenths", 0.1 * np.column_stack((x.ravel(), y.ravel()))
    turn = 2.0 * math.pi * np.arange(257) / 257
    yield "circle", np.column_stack((np.cos(turn), np.sin(turn)))
    yield "far", RNG.normal(size=(200, 2)) + (3.0e6, -7.0e6)
    yield "small and far", 1e-3 * RNG.normal(size=(200, 2)) + (5.0e3, 8.0e3)
    yield "needle", RNG.normal(size=(200, 2)) * (1.0, 1e-9)
    line = RNG.uniform(-1.0, 1.0, 200)
    yield "nearly a line", np.column_stack((line, line + 1e-16 * RNG.normal(size=200)))
    yield "edges full of points", np.concatenate([np.column_stack((line, -np.ones(200))), [(0.0, 1.0)]])
    yield "tiny", 1e-170 * RNG.normal(size=(50, 2))
    yield "huge", 1e200 * RNG.normal(size=(50, 2))


CLOUDS = dict(clouds())


@pytest.mark.parametrize("name", CLOUDS)
def test_all_methods_give_the_same_strict_hull(name):
    cloud = CLOUDS[name]
    hull = convex_hull(cloud)
    assert np.array_equal(hull, convex_hull_chain(cloud))
    assert np.array_equal(hull[:80], convex_hull_incremental(cloud if len(hull) <= 80 else hull[:80]))
    n = len(hull)
    assert all(turn_sign(hull[i], hull[(i + 1) % n], hull[(i + 2) % n]) == 1 for i in range(n))
    points = {tuple(row) for row in cloud.tolist()}
    assert all(tuple(row) in points for row in hull.tolist())
    for i in range(n):
        assert all(exact_turn(hull[i], hull[(i + 1) % n], point) >= 0 for point in cloud[:: max(1, len(cloud) // 40)])


@pytest.mark.parametrize("name", ["normal", "square", "few", "triangle", "repeated", "grid", "circle", "far"])
def test_scipy_finds_the_same_vertices(name):
    cloud = CLOUDS[name]
    theirs = {tuple(row) for row in cloud[ConvexHull(cloud).vertices].tolist()}
    assert theirs == {tuple(row) for row in convex_hull(cloud).tolist()}


def test_scipy_on_many_small_clouds():
    for _ in range(300):
        cloud = RNG.normal(size=(int(RNG.integers(3, 30)), 2)) * RNG.uniform(0.01, 10.0, 2)
        theirs = cloud[ConvexHull(cloud).vertices]  # counter-clockwise in the plane
        hull = convex_hull(cloud)
        start = int(np.flatnonzero((theirs == hull[0]).all(axis=1))[0])
        assert np.array_equal(np.roll(theirs, -start, axis=0), hull)
        assert np.array_equal(hull, convex_hull_chain(cloud))


def test_a_point_one_ulp_outside_an_edge_is_a_corner():
    up = math.nextafter(0.5, 1.0)
    assert len(convex_hull([(0.0, 0.0), (1.0, 1.0), (0.5, up)])) == 3
    assert len(convex_hull([(0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (0.0, 1.0)])) == 3


def test_a_hull_makes_a_polygon():
    hull = convex_hull(RNG.normal(size=(50, 2)))
    assert np.array_equal(Polygon(hull).vertices, hull)


@pytest.mark.parametrize("find", [convex_hull, convex_hull_chain, convex_hull_incremental])
@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([(0, 0), (1, 1), (2, 2), (5, 5)], "points must be points that enclose an area, got points on one line"),
        ([(0.1, 0.0)] * 5 + [(0.3, 0.0)], "points must be at least 3 distinct points, got 2"),
        ([], "points must be a .n, 2. array"),
        ([(0, 0), (1, float("nan")), (2, 0)], r"points\[1\] must be finite"),
        ([(0, 0, 0)], "points must be a .n, 2. array"),
        ("abc", "points must be a .n, 2. array"),
    ],
)
def test_bad_input(find, points, message):
    with pytest.raises(InvalidShapeError, match=message):
        find(points)
