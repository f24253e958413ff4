"""The minimal volumes are compared with independent exact or brute-force searches."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bounding import cloud_of, diagonal_circle, fitted_kdop, least_area_box, least_area_capsule, mean_circle, smallest_circle
from engine.bounding.boxes import calipers
from engine.bounding.capsule import capsule_around
from engine.bounding.circles import smallest_of
from engine.bounding.kdop import kdop_axes, refitted_kdop
from engine.common.rng import stream
from engine.geometry import Capsule, Polygon, Transform, convex_hull
from tests.unit.bounding.clouds import CLOUDS, brute_force_circle_sq

COORDINATE = st.integers(-6, 6).map(float) | st.floats(-1.0, 1.0, allow_subnormal=False)
POINTS = st.lists(st.tuples(COORDINATE, COORDINATE), min_size=1, max_size=9)


def assert_smallest(points):
    exact_sq = brute_force_circle_sq(points)
    radius = Fraction(smallest_circle(points).radius)
    scale = Fraction(float(np.hypot(*points.T).max()))
    assert radius * radius >= exact_sq
    slack = scale * Fraction(1, 10**13)
    assert radius <= slack or (radius - slack) ** 2 <= exact_sq


@pytest.mark.parametrize("name", CLOUDS)
def test_the_smallest_circle_is_the_smallest(name):
    points = CLOUDS[name]
    assert_smallest(points if len(points) < 20 else points[:14])


@settings(max_examples=40, deadline=None)
@given(POINTS)
def test_no_circle_through_two_or_three_points_is_smaller(points):
    assert_smallest(np.array(points))


def test_the_smallest_circle_of_points_nearly_on_one_circle():
    """If rounding hides which three points determine the circle, the exact pass finds them."""
    rng = stream(3, "nearly on a circle")
    for size in (1e-3, 1.0, 1e5):
        turn = rng.uniform(0.0, 2.0 * math.pi, 12)
        ring = size * np.column_stack((np.cos(turn), np.sin(turn))) * (1.0 + 1e-16 * rng.integers(-3, 3, (12, 1)))
        assert_smallest(ring)


def test_welzl_in_fractions_is_exact():
    circle = smallest_of([(Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)), (Fraction(1, 3), Fraction(1))])
    assert all((x - circle.x) ** 2 + (y - circle.y) ** 2 == circle.radius_sq for x, y in ((0, 0), (1, 0), (Fraction(1, 3), 1)))


def test_the_mean_circle_is_at_most_twice_as_wide():
    for points in CLOUDS.values():
        small, mean = smallest_circle(points).radius, mean_circle(points).radius
        assert small <= mean * (1 + 1e-12) and mean <= 2.0 * small + 1e-9


def test_the_circle_from_the_diagonal_is_at_most_sqrt_2_times_as_wide():
    """Issue 33."""
    for points in CLOUDS.values():
        small, diagonal = smallest_circle(points).radius, diagonal_circle(points).radius
        assert small <= diagonal * (1.0 + 1e-12) and diagonal <= math.sqrt(2.0) * small * (1.0 + 1e-12)
    square = [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (1.0, -1.0)]
    assert diagonal_circle(square).radius == pytest.approx(math.sqrt(2.0) * smallest_circle(square).radius)


@pytest.mark.parametrize("radius", [0.0, 0.3])
def test_no_edge_and_no_angle_gives_a_smaller_box(radius):
    rng = stream(1, "boxes")
    for n in (3, 4, 7, 40, 400):
        hull = convex_hull(rng.normal(size=(n, 2)) * (1.0, 0.3))
        shape = Polygon(hull, radius)
        edges = np.roll(hull, -1, axis=0) - hull
        angles = np.concatenate((np.arctan2(edges[:, 1], edges[:, 0]), np.linspace(0.0, math.pi, 721)))
        areas = [_box_area(hull, angle, radius) for angle in angles]
        assert least_area_box(shape).area == pytest.approx(min(areas), rel=1e-9)


def _box_area(points, angle, radius):
    along, across = points @ (math.cos(angle), math.sin(angle)), points @ (-math.sin(angle), math.cos(angle))
    return (np.ptp(along) + 2.0 * radius) * (np.ptp(across) + 2.0 * radius)


def test_calipers_touch_the_farthest_corners():
    hull = convex_hull(stream(2, "calipers").normal(size=(60, 2)))
    for caliper in calipers(hull):
        ux, uy = caliper.axis
        along, across = hull @ (ux, uy), hull @ (-uy, ux)
        assert along[caliper.right] == pytest.approx(along.max()) and along[caliper.left] == pytest.approx(along.min())
        assert across[caliper.top] == pytest.approx(across.max()) and across[caliper.edge] == pytest.approx(across.min())


def test_a_caliper_does_not_stop_at_an_edge_too_short_to_project():
    """The corners of the tiny edge have equal projections in floating point; the search must continue past it."""
    hull = convex_hull([(0.0, 0.0), (1.0, 0.0), (1.0 + 2e-16, 1e-16), (2.0, 1.0), (2.0, 3.0), (-1.0, 3.0)])
    edges = np.roll(hull, -1, axis=0) - hull
    areas = [_box_area(hull, angle, 0.0) for angle in np.arctan2(edges[:, 1], edges[:, 0])]
    assert len(hull) == 6 and least_area_box(hull).area == pytest.approx(min(areas))


@pytest.mark.parametrize("k", [4, 6, 10, 16, 32])
def test_a_kdop_is_the_projection_of_all_corners(k):
    rng, axes = stream(4, "walk"), kdop_axes(k)
    for _ in range(10):
        points, xf = rng.normal(size=(50, 2)), Transform((rng.normal(), rng.normal()), rng.uniform(-9.0, 9.0))
        shadows = xf.apply_array(points) @ axes.T
        kdop = fitted_kdop(points, k, xf)
        assert np.abs(kdop.lower - shadows.min(axis=0)).max() < 1e-13 and np.abs(kdop.upper - shadows.max(axis=0)).max() < 1e-13


def test_the_corners_of_a_kdop_are_the_intersection_of_its_slabs():
    import shapely

    points = stream(5, "slabs").normal(size=(20, 2))
    for k in range(4, 34, 2):
        dop, region = fitted_kdop(points, k), shapely.box(-50, -50, 50, 50)
        for (x, y), low, high in zip(kdop_axes(k), dop.lower, dop.upper, strict=True):
            corners = [(a * x - b * y, a * y + b * x) for a, b in ((low, -99), (high, -99), (high, 99), (low, 99))]
            region = region.intersection(shapely.Polygon(corners))
        assert dop.area == pytest.approx(region.area, rel=1e-12)
        refitted = refitted_kdop(dop, Transform(angle=0.3))
        assert refitted.area >= fitted_kdop(points, k, Transform(angle=0.3)).area * (1 - 1e-12)


def test_the_capsule_of_a_capsule_is_itself():
    shape = Capsule((-1.0, 0.5), (2.0, 1.0), 0.4)
    capsule = least_area_capsule(shape)
    assert capsule.radius == pytest.approx(0.4, rel=1e-9) and set(map(tuple, capsule.core.tolist())) == {shape.p1, shape.p2}


@pytest.mark.parametrize("name", ["square", "rod", "triangle", "obtuse", "cloud", "on a circle"])
def test_no_capsule_of_a_wide_search_is_smaller(name):
    """An independent search: random starts, each improved by random moves of decreasing size. The result is within 0.1 % of the best."""
    points = CLOUDS[name]
    smallest, rng, cloud = least_area_capsule(points).area, stream(6, "capsules", name), cloud_of(points)
    size = np.ptp(points, axis=0).max()
    best = math.inf
    for _ in range(8):
        ends = points.mean(axis=0).repeat(2).reshape(2, 2).T.ravel() + size * rng.uniform(-0.6, 0.6, 4)
        area, step = math.inf, 0.3 * size
        for _ in range(350):
            tried = ends + step * rng.normal(size=4)
            at = capsule_around(cloud, (tried[0], tried[1]), (tried[2], tried[3])).area
            if at < area:
                area, ends = at, tried
            else:
                step = max(0.97 * step, 1e-5 * size)
        best = min(best, area)
    assert smallest <= best * 1.001
