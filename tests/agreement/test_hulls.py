"""Compares hulls with SciPy's (Qhull) and with rational arithmetic, on clouds that are difficult for hull algorithms.

Our hulls use the exact input numbers, so they must equal the rational hull to the bit. Qhull works with a tolerance: it merges nearly
collinear points and may drop corners that protrude by less than that. Bound: Qhull's stated precision is a few EPS64 times the largest
coordinate (`qh->DISTround`, "maximum roundoff error for a distance", about (d + 2) eps max|x|); 64 EPS64 of the largest coordinate covers
several of them. No point may lie farther outside its hull, and none of its corners may lie inside ours.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial import ConvexHull, QhullError

from engine.common.errors import InvalidShapeError
from engine.common.tolerances import EPS64
from engine.geometry import convex_hull
from engine.geometry.hull import convex_hull_chain
from tests.agreement.rational import hull_of

CLOUDS = 250
"""Point clouds of each kind."""


def cloud_of(kind, rng):
    n = int(rng.integers(3, 40))
    if kind == "normal":
        return rng.normal(size=(n, 2)) * 10.0 ** rng.uniform(-3.0, 3.0)
    if kind == "lattice":  # many on one line, many twice
        return rng.integers(-3, 4, (n, 2)) / 4.0
    if kind == "turned lattice":  # on one line but for rounding
        turn = float(rng.uniform(0.0, 7.0))
        return rng.integers(-3, 4, (n, 2)) @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    if kind == "circle":
        turn = 2.0 * math.pi * np.arange(n) / n
        return np.column_stack((np.cos(turn), np.sin(turn)))
    if kind == "nearly a line":
        along = rng.uniform(-1.0, 1.0, n)
        return np.column_stack((along, 0.7 * along + 10.0 ** rng.uniform(-17.0, -12.0) * rng.normal(size=n)))
    if kind == "far":
        return 1e-3 * rng.normal(size=(n, 2)) + rng.choice((-1.0, 1.0), 2) * 10.0 ** rng.uniform(3.0, 6.0, 2)
    corners = rng.uniform(-1.0, 1.0, (3, 2))  # all on the sides of one triangle, and its corners
    sides = rng.integers(0, 3, n)
    share = rng.random((n, 1))
    return np.vstack((corners, share * corners[sides] + (1.0 - share) * corners[(sides + 1) % 3]))


KINDS = ("normal", "lattice", "turned lattice", "circle", "nearly a line", "far", "triangle's sides")


@pytest.mark.parametrize("kind", KINDS)
def test_both_hulls_equal_the_rational_hull(kind):
    rng = np.random.default_rng((1, KINDS.index(kind)))
    made = 0
    for _ in range(CLOUDS):
        cloud = cloud_of(kind, rng)
        exact = hull_of([(Fraction(x), Fraction(y)) for x, y in cloud.tolist()])
        if len(exact) < 3:
            for find in (convex_hull, convex_hull_chain):
                with pytest.raises(InvalidShapeError):
                    find(cloud)
            continue
        made += 1
        expected = [[float(x), float(y)] for x, y in exact]
        assert convex_hull(cloud).tolist() == expected
        assert convex_hull_chain(cloud).tolist() == expected
    assert made > CLOUDS // 2


@pytest.mark.parametrize("kind", KINDS)
def test_qhulls_hull_equals_ours_within_its_tolerance(kind):
    rng = np.random.default_rng((2, KINDS.index(kind)))
    compared = same = 0
    for _ in range(CLOUDS):
        cloud = cloud_of(kind, rng)
        try:
            theirs = cloud[ConvexHull(cloud).vertices]
        except QhullError:  # flat within its tolerance
            continue
        hull = convex_hull(cloud)
        corners = {tuple(corner) for corner in hull.tolist()}
        compared += 1
        same += {tuple(corner) for corner in theirs.tolist()} == corners
        allowed = 64.0 * EPS64 * float(np.abs(cloud).max())
        # of its corners each is ours, or within the tolerance of our boundary (a point on an edge that it took for a corner)
        for x, y in theirs.tolist():
            if (x, y) not in corners:
                assert -allowed <= inner_distance(hull, (x, y)) <= allowed
        # and no corner of ours stands out of its hull by more
        for corner in hull.tolist():
            assert inner_distance(theirs, corner) >= -allowed
    if kind != "nearly a line":
        assert compared > CLOUDS // 2
    if kind in ("normal", "circle", "far"):
        assert same == compared


def inner_distance(hull, point):
    """Return the smallest distance of a point from the edges of a counterclockwise hull; negative outside."""
    edges = np.roll(hull, -1, axis=0) - hull
    from_corner = np.subtract(point, hull)
    return float(((edges[:, 0] * from_corner[:, 1] - edges[:, 1] * from_corner[:, 0]) / np.hypot(*edges.T)).min())
