"""Constructors, boxes and masses of the shapes; mass is compared with shapely's area and a sum over a fine grid."""

import math

import numpy as np
import pytest
import shapely

from engine.common.errors import InvalidShapeError
from engine.geometry import AABB, Capsule, Circle, Polygon, Segment, Sweep, Transform
from engine.geometry.mass import polygon_mass

SQUARE = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]


@pytest.mark.parametrize("turned", range(4))
def test_either_winding_becomes_counter_clockwise(turned):
    corners = SQUARE[turned:] + SQUARE[:turned]
    assert Polygon(corners).vertices.tolist() == [list(corner) for corner in corners]
    assert Polygon(corners[::-1]) == Polygon(corners[::-1])
    reversed_back = Polygon(corners[::-1]).vertices.tolist()
    start = reversed_back.index(list(corners[0]))
    assert reversed_back[start:] + reversed_back[:start] == [list(corner) for corner in corners]


def test_normals_point_outward():
    polygon = Polygon.regular(7, 2.0, angle=0.3)
    middle = 0.5 * (polygon.vertices + np.roll(polygon.vertices, -1, axis=0))
    assert (np.einsum("ij,ij->i", polygon.normals, middle) > 0.0).all()
    assert np.hypot(*polygon.normals.T) == pytest.approx(1.0, abs=1e-15)


def test_repeated_and_collinear_vertices_are_dropped():
    corners = [(0, 0), (0, 0), (0.5, 0), (1, 0), (1, 1), (1, 1), (0.5, 1.0), (0, 1), (0, 0.25), (0, 0)]
    assert sorted(map(tuple, Polygon(corners).vertices.tolist())) == sorted(SQUARE)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_collinear_to_rounding_is_collinear(scale, offset):
    """Points on the sides of a transformed box are collinear only to rounding, and often form dents."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        xf = Transform((offset, -offset), float(rng.uniform(0, 7)))
        t = float(rng.uniform(0.1, 0.9))
        corners = scale * np.array([(0, 0), (t, 0), (1, 0), (1, t), (1, 1), (1 - t, 1), (0, 1), (0, 1 - t)])
        assert len(Polygon(xf.apply_array(corners)).vertices) == 4


@pytest.mark.parametrize(
    ("vertices", "message"),
    [
        ([], r"an \(n, 2\) array, got shape \(0,\)"),
        ([(0, 0), (1, 0)], "at least 3 distinct points, got 2"),
        ([(0, 0), (1, 0), (0, 0), (1, 0)], "at least 3 distinct points, got 2"),
        ([(0, 0), (1, 1), (2, 2)], "enclose an area, got points on one line"),
        ([(0, 0), (2, 0), (1, 0), (1, 1)], r"folds back at vertices\[1\], \(2, 0\)"),
        ([(0, 0), (0, 0), (2, 0), (0.5, 0.5), (0, 2)], r"convex, got a dent of 0.71 m at vertices\[3\], \(0.5, 0.5\)"),
        ([(0, 0), (0, 2), (0.5, 0.5), (2, 0)], r"convex, got a dent of 0.71 m at vertices\[2\], \(0.5, 0.5\)"),
        ([(0, 0), (1, 1e-3), (2, 0), (2, 2), (1, 1), (0, 2)], r"convex, got a dent of 1 m at vertices\[4\], \(1, 1\)"),
        ([(0, 0), (1, 1), (1, 0), (0, 1)], "convex"),
        ([(math.cos(4 * math.pi * i / 5), math.sin(4 * math.pi * i / 5)) for i in range(5)], "crosses itself"),
        ([(0, 0), (1, 0), (math.nan, 1)], r"vertices\[2\] must be finite, got \(nan, 1.0\)"),
        ([(0, 0), (1, 0), (math.inf, 1)], r"vertices\[2\] must be finite"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], r"an \(n, 2\) array, got shape \(3, 3\)"),
        ("square", r"\(x, y\) pairs of numbers"),
        ([(0, 0), (1, "a"), (0, 1)], r"\(x, y\) pairs of numbers"),
    ],
)
def test_a_non_convex_polygon_is_rejected(vertices, message):
    with pytest.raises(InvalidShapeError, match=message):
        Polygon(vertices)


@pytest.mark.parametrize("radius", [0.0, -1.0, math.nan, math.inf, "1", None, True])
def test_bad_radii_are_rejected(radius):
    with pytest.raises(InvalidShapeError, match="radius must be"):
        Circle(radius)


def test_shapes_are_immutable_and_hashable():
    polygon = Polygon(SQUARE)
    with pytest.raises(ValueError, match="read-only"):
        polygon.vertices[0, 0] = 5.0
    with pytest.raises(AttributeError):
        polygon.skin_radius = 1.0
    assert {polygon, Polygon(SQUARE)} == {polygon}
    assert polygon != Polygon(SQUARE, 0.1)
    assert Circle(1.0) == Circle(1)


@pytest.mark.parametrize("n_sides", [3, 4, 5, 8, 40])
def test_mass_against_shapely_and_a_grid(n_sides):
    polygon = Polygon(Polygon.regular(n_sides, 0.5, 0.4).vertices * [1.0, 1.7] + [3.0, -2.0])
    mass = polygon.mass(2.0)
    outline = shapely.Polygon(polygon.vertices)
    assert mass.area == pytest.approx(outline.area, rel=1e-12)
    assert mass.mass == pytest.approx(2.0 * outline.area, rel=1e-12)
    assert mass.centroid == pytest.approx((outline.centroid.x, outline.centroid.y), rel=1e-12)
    x, y = np.meshgrid(np.linspace(2.5, 3.5, 500), np.linspace(-2.85, -1.15, 500))
    inside = shapely.contains_xy(outline, x, y)
    r_sq = (x - mass.centroid[0]) ** 2 + (y - mass.centroid[1]) ** 2
    assert mass.inertia == pytest.approx(mass.mass * float(r_sq[inside].mean()), rel=5e-3)


def test_mass_of_box_and_disc_by_formula():
    box = Polygon.box(1.0, 2.0, center=(5.0, 0.0)).mass(3.0)
    assert (box.area, box.mass, box.centroid) == (8.0, 24.0, (5.0, 0.0))
    assert box.inertia == pytest.approx(24.0 * (2.0**2 + 4.0**2) / 12.0)
    disc = Circle(2.0, (1.0, 1.0)).mass(0.5)
    assert disc.mass == pytest.approx(2.0 * math.pi)
    assert disc.inertia == pytest.approx(0.5 * disc.mass * 4.0)


def test_mass_is_accurate_far_from_the_origin():
    near, far = Polygon.box(0.5, 0.5).mass(), Polygon.box(0.5, 0.5, center=(1e6, -1e6)).mass()
    assert far.area == pytest.approx(near.area, rel=1e-9)
    assert far.inertia == pytest.approx(near.inertia, rel=1e-9)


def test_boxes_are_tight():
    xf = Transform((1.0, 2.0), math.pi / 4)
    box = Polygon.box(1.0, 1.0).aabb(xf)
    half = math.sqrt(2.0)
    assert box.lower == pytest.approx((1.0 - half, 2.0 - half))
    assert box.upper == pytest.approx((1.0 + half, 2.0 + half))
    assert Circle(0.5, (1.0, 0.0)).aabb(Transform((0.0, 0.0), math.pi / 2)).lower == pytest.approx((-0.5, 0.5))
    skinned = Polygon.box(1.0, 1.0, skin_radius=0.25).aabb(Transform())
    assert skinned == AABB((-1.25, -1.25), (1.25, 1.25))


def test_touching_boxes_overlap():
    assert AABB((0.0, 0.0), (1.0, 1.0)).overlaps(AABB((1.0, 1.0), (2.0, 2.0)))
    assert not AABB((0.0, 0.0), (1.0, 1.0)).overlaps(AABB((1.0 + 1e-15, 0.0), (2.0, 1.0)))


def test_transform_and_inverse():
    xf = Transform((3.0, -1.0), 2.5)
    assert xf.apply_inverse(xf.apply((0.7, 0.2))) == pytest.approx((0.7, 0.2), abs=1e-15)
    points = np.array([(0.7, 0.2), (1.0, 1.0)])
    assert xf.apply_array(points)[0] == pytest.approx(xf.apply((0.7, 0.2)))
    assert math.hypot(*xf.rotate((3.0, 4.0))) == pytest.approx(5.0)
    with pytest.raises(ValueError, match="angle must be a finite number in rad, got nan"):
        Transform((0.0, 0.0), math.nan)


def test_a_sweep_moves_its_center_along_a_line():
    start, end = Transform((0.0, 0.0), 0.0), Transform((2.0, 1.0), 4.0 * math.pi)
    sweep = Sweep(start, end, local_center=(0.5, 0.0))
    assert sweep.at(0.0) == start
    assert sweep.at(1.0) == end
    c0, c1 = start.apply((0.5, 0.0)), end.apply((0.5, 0.0))
    for fraction in (0.1, 0.25, 0.5, 0.9):
        pose = sweep.at(fraction)
        assert pose.angle == pytest.approx(fraction * 4.0 * math.pi)
        expected = tuple((1.0 - fraction) * a + fraction * b for a, b in zip(c0, c1, strict=True))
        assert pose.apply((0.5, 0.0)) == pytest.approx(expected, abs=1e-12)


def test_capsule_and_segment():
    capsule = Capsule((0.0, 0.0), (2.0, 0.0), 0.5)
    mass = capsule.mass(3.0)
    outline = shapely.LineString([(0.0, 0.0), (2.0, 0.0)]).buffer(0.5, quad_segs=4000)
    assert mass.area == pytest.approx(outline.area, rel=1e-6)
    assert (mass.mass, mass.centroid) == (pytest.approx(3.0 * mass.area), (1.0, 0.0))
    ring = np.array(outline.exterior.coords)[:-1]
    assert mass.inertia == pytest.approx(polygon_mass(ring[::-1], 3.0).inertia, rel=1e-6)
    assert Capsule((1.0, 1.0), (1.0, 1.0), 2.0).mass().inertia == pytest.approx(Circle(2.0).mass().inertia)
    box = capsule.aabb(Transform((1.0, 1.0), math.pi / 2))
    assert box.lower == pytest.approx((0.5, 0.5))
    assert box.upper == pytest.approx((1.5, 3.5))
    assert Segment((0.0, 0.0), (1.0, 2.0), 0.1).aabb(Transform()) == AABB((-0.1, -0.1), (1.1, 2.1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Capsule((0, 0), (1, 0), 0.0), "radius must be > 0 m, got 0.0"),
        (lambda: Capsule((0, math.nan), (1, 0), 1.0), r"p1 must be two finite numbers in m, got \(0, nan\)"),
        (lambda: Segment((0, 0), (1, 0), -0.1), "skin_radius must be >= 0 m, got -0.1"),
        (
            lambda: Segment((0, 0), (1, 0), ghost1=(0, 0)),
            r"ghost1 must be a point different from the end that it continues, got \(0.0, 0.0\)",
        ),
        (lambda: Segment((0, 0), (1, 0), ghost2=(math.inf, 0)), "ghost2 must be two finite numbers"),
        (lambda: Segment((0, 0), None), "p2 must be two finite numbers in m, got None"),
    ],
)
def test_bad_capsules_and_segments_are_rejected(make, message):
    with pytest.raises(InvalidShapeError, match=message):
        make()


def test_the_outline_of_a_capsule_follows_its_surface_once():
    capsule = Capsule((0.0, 1.0), (2.0, 1.0), 0.5)
    corners = capsule.outline(8)
    gaps = [math.dist((min(max(x, 0.0), 2.0), 1.0), (x, y)) for x, y in corners.tolist()]
    assert len(corners) == 18 and gaps == pytest.approx([0.5] * 18)
    assert Polygon(corners).mass().area == pytest.approx(capsule.mass().area, rel=0.02)
    assert np.all(np.diff(np.unwrap(np.arctan2(corners[:, 1] - 1.0, corners[:, 0] - 1.0))) > 0.0)
