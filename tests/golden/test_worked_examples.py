"""Examples with answers computed by hand or taken from another engine's tests; each gives its source or derivation.

Numbers are chosen so that the answers are rational (3-4-5 and 5-12-13 triangles); `EXACT` allows a few rounding errors of numbers below 10,
and `NEAR` the error of an iteration (`TOI_CONVERGENCE` times extents of a few meters).

Box2D's tests are those of version 3.1 (E. Catto, github.com/erincatto/box2d, test/test_distance.c and test/test_shape.c, MIT license);
its own tolerances suit float32, and ours are given here.
"""

import math

import numpy as np
import pytest

from engine.continuous.time_of_impact import METHODS
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Sweep, Transform, convex_hull
from engine.geometry.hull import convex_hull_chain, convex_hull_incremental
from engine.narrowphase import alternating_projections
from engine.narrowphase.sat import overlap_cached
from engine.query import (
    contact_set,
    contains,
    distance,
    manifold,
    overlap,
    penetration,
    ray_cast,
    shape_cast,
    swept_contact,
    time_of_impact,
)

EXACT, NEAR = 4e-15, 1e-8

HERE = Transform()
STILL = (0.0, 0.0)
BOX = Polygon([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
LINE = Segment((2.0, -1.0), (2.0, 1.0))
TRIANGLE = Polygon([(0.0, 0.0), (4.0, 0.0), (0.0, 3.0)])
"""The right triangle 3-4-5: its long side lies on 3 x + 4 y = 12, with the outward normal (3, 4) / 5."""


def about(*numbers):
    return pytest.approx(numbers, abs=EXACT)


# -- separating axes


@pytest.mark.parametrize(("far", "expected"), [(2.5, False), (2.4, True), (1.0 + math.sqrt(2.0), True)])
def test_sat_of_a_square_and_a_rotated_square(far, expected):
    """A square of half side 1 and one rotated by 45 degrees at (d, 0).

    On A's axis x: A extends 1, and B its half diagonal sqrt 2, so they separate for d > 1 + sqrt 2 = 2.41421...
    On B's axes (1, +-1) / sqrt 2, the centers are d / sqrt 2 apart, A extends sqrt 2, and B extends 1; they separate only for d > 2 + sqrt
    2. So between 2.4142 and 3.4142 only one of four axes separates them, and it is A's.
    """
    there = Transform((far, 0.0), math.pi / 4.0)
    assert overlap(BOX, HERE, BOX, there) == expected
    assert overlap_cached(BOX, HERE, BOX, there).is_overlapping == expected


# -- contact sets


@pytest.mark.parametrize(
    ("other", "at", "normal", "points"),
    [
        # edge on edge: x from -1 to 1 and from 0 to 2 share 0 to 1, at the height of A's upper edge
        (BOX, (1.0, 2.0), (0.0, 1.0), [(0.0, 1.0), (1.0, 1.0)]),
        # edge and corner: the triangle's right angle on A's right edge at height 1/2, its long side away
        (TRIANGLE, (1.0, 0.5), (1.0, 0.0), [(1.0, 0.5), (1.0, 1.0)]),
        # corner and corner
        (BOX, (2.0, 2.0), None, [(1.0, 1.0)]),
        # a disc beside an edge: center 5/4 from the center, radius 1/4
        (Circle(0.25), (-1.25, 0.5), (-1.0, 0.0), [(-1.0, 0.5)]),
        # a disc of radius 5 on the corner, its center (3, 4) away from it
        (Circle(5.0), (4.0, 5.0), (0.6, 0.8), [(1.0, 1.0)]),
        # a lying capsule: its lower side, 1/2 below its core from x = 1/2 to 5/2, over A's upper edge up to x = 1
        (Capsule((-1.0, 0.0), (1.0, 0.0), 0.5), (1.5, 1.5), (0.0, 1.0), [(0.5, 1.0), (1.0, 1.0)]),
    ],
)
def test_contact_sets(other, at, normal, points):
    """Shapes separated by a common tangent touch where their projections on it overlap (D. Eberly, "Intersection of
    Convex Objects: The Method of Separating Axes", Geometric Tools, 2001, section 5)."""
    contacts = contact_set(BOX, HERE, other, Transform(at))
    assert contacts.status is Status.TOUCHING
    assert sorted(contacts.points) == [about(*point) for point in points]
    if normal is not None:
        assert contacts.normal == about(*normal)


# -- manifolds


def test_manifold_one_box_over_the_end_of_another():
    """A is 6 by 2 meters from the origin, B lies from (4, 1.5) to (9, 4): depth 2 along x, 1/2 along y. So the normal is y, A's upper
    edge (its third, from (6, 2) to (0, 2)) the reference and B's lower edge, at height 1.5, the incident one. The plane x <= 6 clips it to
    x from 4 to 6. Midway between 1.5 and 2 is 1.75.

    Feature ids are Box2D's bytes index A, index B, type A, type B: B's corner 0 against A's face 2, and A's corner 2, whose plane made
    the cut, against B's face 0.
    """
    a, b = Polygon([(0, 0), (6, 0), (6, 2), (0, 2)]), Polygon([(4, 1.5), (9, 1.5), (9, 4), (4, 4)])
    for rule in ("exact", "box2d"):
        contact = manifold(a, HERE, b, HERE, rule)
        assert contact.normal == about(0.0, 1.0)
        points = sorted((point.position, point.separation, point.feature_id) for point in contact.points)
        assert [position for position, _, _ in points] == [about(4.0, 1.75), about(6.0, 1.75)]
        assert [separation for _, separation, _ in points] == about(-0.5, -0.5)
        assert [name for _, _, name in points] == [2 | 0 << 8 | 1 << 16 | 0 << 24, 2 | 0 << 8 | 0 << 16 | 1 << 24]


def test_manifold_a_square_on_its_corner():
    """A's upper edge is at height 1 from x = -2 to 2. B, of half side 1, is turned by the angle of cosine 4/5 and sine 3/5; its corner
    (-1, -1) is its lowest, (-0.8 + 0.6, -0.6 - 0.8) = (-0.2, -1.4) from its center, which is put at (0.7, 2.3): the corner is at
    (0.5, 0.9), 0.1 deep. B's lower edges have normals (0.6, -0.8) and (-0.8, -0.6); the first is more nearly opposite to (0, 1), so the
    incident edge rises from the corner by (1.6, 1.2) to (2.1, 2.1). Clipped at x = 2, its end is 1.025 above the edge and not in contact.
    One point remains.
    """
    contact = manifold(Polygon.box(2.0, 1.0), HERE, BOX, Transform((0.7, 2.3), math.atan2(3.0, 4.0)))
    assert contact.normal == about(0.0, 1.0)
    (point,) = contact.points
    assert (*point.position, point.separation) == about(0.5, 0.95, -0.1)


def test_manifold_a_disc_on_a_slope():
    """The center (3, 3) is (9 + 12 - 12) / 5 = 1.8 in front of the long side; a disc of radius 2 extends 0.2 behind it. Its deepest point
    is (3, 3) - 2 (0.6, 0.8) = (1.8, 1.4); midway between it and the side is 0.1 back along the normal.
    """
    contact = manifold(TRIANGLE, HERE, Circle(2.0), Transform((3.0, 3.0)))
    assert contact.normal == about(0.6, 0.8)
    assert (*contact.points[0].position, contact.points[0].separation) == about(1.86, 1.48, -0.2)


@pytest.mark.parametrize(
    ("off", "round_gap", "is_contact"),
    [
        # corners 0.15 sqrt 2 = 0.2121 apart, skins of 0.1 each: 0.0121 beyond their round reach, but the faces only 0.15 apart
        (0.15, 0.15 * math.sqrt(2.0) - 0.2, True),
        # 0.12 sqrt 2 = 0.1697: within the round reach as well, 0.0303 deep; the faces 0.12 apart, 0.08 deep
        (0.12, 0.12 * math.sqrt(2.0) - 0.2, True),
        # 0.21: beyond either
        (0.21, 0.21 * math.sqrt(2.0) - 0.2, False),
    ],
)
def test_skinned_corners_are_square_in_a_manifold_and_round_elsewhere(off, round_gap, is_contact):
    """Two boxes of half side 1 with skins of 0.1, corner to corner, with the same offset in x and y. For `distance`, `penetration`,
    `overlap` and `contact_set`, the skin around a core is round. The manifold of two polygons measures along a face's normal, as Box2D's
    does: its skins are square at the corners, and contact begins up to sqrt 2 times as far out.
    """
    box, there = Polygon(BOX.vertices, 0.1), Transform((2.0 + off, 2.0 + off))
    assert distance(box, HERE, box, there).separation == pytest.approx(round_gap, abs=EXACT)
    assert overlap(box, HERE, box, there) == (round_gap <= 0.0)
    assert penetration(box, HERE, box, there).depth == pytest.approx(max(0.0, -round_gap), abs=EXACT)
    assert (contact_set(box, HERE, box, there).status is Status.SEPARATED) == (round_gap > 0.0)
    for rule in ("exact", "box2d"):
        contact = manifold(box, HERE, box, there, rule)
        assert bool(contact.points) == is_contact
        if is_contact:
            assert contact.normal in ((1.0, 0.0), (0.0, 1.0))
            assert contact.points[0].separation == pytest.approx(off, abs=EXACT)
    # a capsule's radius and a segment's skin are round there too
    bar = Segment((1.0 + off, 1.0 + off), (3.0, 3.0), 0.1)
    assert bool(manifold(box, HERE, bar, HERE).points) == (round_gap <= 0.0)


# -- distance


def test_distance_box2ds_examples():
    """SegmentDistanceTest: the lines from (-1, -1) to (-1, 1) and from (2, 0) to (1, 0) are 2 apart, at (-1, 0) and (1, 0).
    ShapeDistanceTest: the square of half side 1 and the line x = 2 are 1 apart."""
    for ask in (distance, alternating_projections.distance):
        lines = ask(Segment((-1.0, -1.0), (-1.0, 1.0)), HERE, Segment((2.0, 0.0), (1.0, 0.0)), HERE)
        assert (lines.separation, *lines.point_a, *lines.point_b) == about(2.0, -1.0, 0.0, 1.0, 0.0)
        square = ask(BOX, HERE, LINE, HERE)
        assert (square.separation, *square.normal) == about(1.0, 1.0, 0.0)


@pytest.mark.parametrize("half_thickness", [1.6e-3, 2e-4, 1e-6])
def test_distance_to_the_end_of_a_thin_plank(half_thickness):
    """ShapeDistanceShortEdgeTest: a point 0.005 m in front of the short end of a plank 3.2 mm thick; there, Box2D compared its direction,
    cubic in length, with an absolute epsilon, and the two "overlapped". Thinner planks are tested too.
    """
    plank, slop = Polygon.box(0.5, half_thickness), 0.005
    result = distance(plank, HERE, Segment((0.5 + slop, 0.0), (0.5 + slop, 0.0)), HERE)
    assert result.status is Status.SEPARATED
    assert (result.separation, *result.normal) == about(slop, 1.0, 0.0)


def test_distance_to_a_slope():
    """The point (3, 3) is 1.8 in front of the long side; its foot is (3, 3) - 1.8 (0.6, 0.8) = (1.92, 1.56), which lies on
    3 x + 4 y = 12 and between the ends. A disc of radius 1 there is 0.8 away."""
    result = distance(TRIANGLE, HERE, Circle(1.0), Transform((3.0, 3.0)))
    assert (result.separation, *result.normal, *result.point_a) == about(0.8, 0.6, 0.8, 1.92, 1.56)
    assert result.point_b == about(1.92 + 0.8 * 0.6, 1.56 + 0.8 * 0.8)


def test_distance_corner_to_corner():
    """From (1, 1) to (6, 13): the triangle 5-12-13."""
    result = distance(BOX, HERE, BOX, Transform((7.0, 14.0)))
    assert (result.separation, *result.normal) == about(13.0, 5.0 / 13.0, 12.0 / 13.0)


# -- penetration


@pytest.mark.parametrize(
    ("point", "depth", "normal"),
    [
        # to the left 1, down 1.2, to the long side (12 - 3 - 4.8) / 5 = 0.84
        ((1.0, 1.2), 0.84, (0.6, 0.8)),
        ((0.5, 1.0), 0.5, (-1.0, 0.0)),
        ((1.5, 0.25), 0.25, (0.0, -1.0)),
    ],
)
def test_penetration_of_a_point_in_a_triangle(point, depth, normal):
    inside = Segment(point, point)
    result = penetration(TRIANGLE, HERE, inside, HERE)
    assert (result.depth, *result.normal) == about(depth, *normal)
    assert result.point_a == about(point[0] + depth * normal[0], point[1] + depth * normal[1])
    assert result.point_b == about(*point)
    grown = penetration(TRIANGLE, HERE, Circle(0.5), Transform(point))  # a disc's radius comes on top
    assert (grown.depth, *grown.normal) == about(depth + 0.5, *normal)


def test_penetration_at_the_incenter():
    """(1, 1) is the incenter: the inscribed circle of 3-4-5 has radius (3 + 4 - 5) / 2 = 1, and all three ways out are equally long."""
    result = penetration(TRIANGLE, HERE, Segment((1.0, 1.0), (1.0, 1.0)), HERE)
    assert result.depth == pytest.approx(1.0, abs=EXACT)
    assert any(result.normal == about(*normal) for normal in ((-1.0, 0.0), (0.0, -1.0), (0.6, 0.8)))


def test_penetration_of_a_box_in_a_box():
    """Half sides 2 by 1 about (0, 0) and 1 by 1/2 about (0.5, 0.25): separation along x takes 2 + 1 - 0.5 = 2.5, and along y 1 + 0.5 -
    0.25.
    """
    result = penetration(Polygon.box(2.0, 1.0), HERE, Polygon.box(1.0, 0.5), Transform((0.5, 0.25)))
    assert (result.depth, *result.normal) == about(1.25, 0.0, 1.0)


# -- sliding shapes


def test_swept_discs():
    """Radii 1 and 2/3; the second passes from (7, 1) with velocity (-2, 0). They touch while |(7 - 2 t, 1)| <= 5/3, and (4/3)^2 + 1 =
    (5/3)^2: first at 7 - 2 t = 4/3, t = 17/6, and last at -4/3, t = 25/6. The normal is (4/5, 3/5).
    """
    hit = swept_contact(Circle(1.0), HERE, STILL, Circle(2.0 / 3.0), Transform((7.0, 1.0)), (-2.0, 0.0), 10.0)
    assert (hit.t_first, hit.t_last, *hit.normal, *hit.point) == about(17.0 / 6.0, 25.0 / 6.0, 0.8, 0.6, 0.8, 0.6)


def test_swept_disc_past_a_corner():
    """Radius 1/2, along y = 1.3 from x = 5 to the left at 2 m/s: 0.3 above the corner (1, 1), it touches that corner when it is 0.4 to the
    right of it, t = (5 - 1.4) / 2 = 1.8, and leaves the other corner at x = -1.4, t = 3.2.
    """
    hit = swept_contact(BOX, HERE, STILL, Circle(0.5), Transform((5.0, 1.3)), (-2.0, 0.0), 10.0)
    assert (hit.t_first, hit.t_last, *hit.normal, *hit.point) == about(1.8, 3.2, 0.8, 0.6, 1.0, 1.0)


def test_swept_boxes():
    """Two squares of side 2, the second from (6, 1) with (-2, 0), the first with (1, 0): they close 4 m at 3 m/s, and separate after a
    relative motion of 8 m, t = 8/3. They share the edge from y = 0 to 1; the first's right edge is then at x = 1 + 4/3.
    """
    hit = swept_contact(BOX, HERE, (1.0, 0.0), BOX, Transform((6.0, 1.0)), (-2.0, 0.0), 10.0)
    assert (hit.t_first, hit.t_last, *hit.normal) == about(4.0 / 3.0, 8.0 / 3.0, 1.0, 0.0)
    assert sorted(hit.contact_set.points) == [about(7.0 / 3.0, 0.0), about(7.0 / 3.0, 1.0)]


def test_shape_cast_box2ds_example():
    """ShapeCastTest: the line x = 2, cast by (-2, 0) at the square of half side 1, hits it halfway (Box2D allows 0.005)."""
    hit = shape_cast(LINE, HERE, (-2.0, 0.0), BOX, HERE)
    assert (hit.status, hit.fraction) == (Status.HIT, pytest.approx(0.5, abs=EXACT))
    assert hit.normal == about(1.0, 0.0)


# -- times of impact

BY_EACH_METHOD = pytest.mark.parametrize("method", METHODS)


@BY_EACH_METHOD
def test_time_of_impact_box2ds_example(method):
    """TimeOfImpactTest: as ShapeCastTest, as a motion."""
    result = time_of_impact(BOX, Sweep(HERE, HERE), LINE, Sweep(HERE, Transform((-2.0, 0.0))), method=method)
    assert (result.status, result.fraction) == (Status.HIT, pytest.approx(0.5, abs=NEAR))


@BY_EACH_METHOD
@pytest.mark.parametrize(("y", "expected"), [(1.0, 2.0 / 3.0), (2.4, 1.0 - math.acos(9.51 / 9.6) / (math.pi / 2.0))], ids=["side", "tip"])
def test_time_of_impact_of_a_rotating_hand(y, expected, method):
    """A hand of length 2 rotates from the x axis to the y axis. A disc of radius 1/2 at (0, 1) is touched when its center is 1/2 from the
    hand: sin phi = 1/2, phi = 30 degrees before the end, where its foot lies cos 30 = 0.87 along the hand. So at 60 of 90 degrees: 2/3.
    At (0, 2.4), beyond the hand's length, the tip touches the disc when it is 1/2 from the center. By the law of cosines
    4 + 5.76 - 9.6 cos phi = 0.25, so cos phi = 9.51 / 9.6; the foot of the center, 2.4 cos phi, lies beyond the tip indeed."""
    hand, turn = Segment((0.0, 0.0), (2.0, 0.0)), Sweep(HERE, Transform((0.0, 0.0), math.pi / 2.0))
    disc = Transform((0.0, y))
    result = time_of_impact(hand, turn, Circle(0.5), Sweep(disc, disc), method=method)
    assert (result.status, result.fraction) == (Status.HIT, pytest.approx(expected, abs=NEAR))
    assert result.fraction <= expected + EXACT


# -- rays and points


@pytest.mark.parametrize(
    ("shape", "fraction"),
    [(Circle(1.0, (1.0, 0.0)), 0.5), (BOX, 3.0 / 8.0), (Segment((0.0, 1.0), (0.0, -1.0)), 0.5)],
)
def test_ray_cast_box2ds_examples(shape, fraction):
    """RayCastShapeTest: from (-4, 0) by (8, 0)."""
    hit = ray_cast(shape, HERE, (-4.0, 0.0), (8.0, 0.0))
    assert (hit.status, hit.fraction, hit.normal) == (Status.HIT, pytest.approx(fraction, abs=EXACT), about(-1.0, 0.0))


def test_ray_cast_on_a_slope_and_on_a_cap():
    """From (3, 3) by (-3, -4) to the long side: 3 x + 4 y = 21 - 25 f = 12, f = 0.36. From (4, 0.6) by (-4, 0) to a cap of radius 1
    about (1, 0): the ray hits it at x = 1.8, f = 0.55, where the normal is (0.8, 0.6)."""
    slope = ray_cast(TRIANGLE, HERE, (3.0, 3.0), (-3.0, -4.0))
    assert (slope.fraction, *slope.point, *slope.normal) == about(0.36, 1.92, 1.56, 0.6, 0.8)
    cap = ray_cast(Capsule((-1.0, 0.0), (1.0, 0.0), 1.0), HERE, (4.0, 0.6), (-4.0, 0.0))
    assert (cap.fraction, *cap.point, *cap.normal) == about(0.55, 1.8, 0.6, 0.8, 0.6)


@pytest.mark.parametrize("shape", [Circle(1.0, (1.0, 0.0)), BOX])
def test_points_box2ds_examples(shape):
    """PointInShapeTest."""
    assert contains(shape, HERE, (0.5, 0.5)) and not contains(shape, HERE, (4.0, -4.0))


# -- areas, masses, boxes


def test_mass_box2ds_examples():
    """ShapeMassTest: a disc of radius 1 about (1, 0): pi, (1, 0), pi / 2; the square of side 2: 4, (0, 0), 8 / 3."""
    disc, box = Circle(1.0, (1.0, 0.0)).mass(), BOX.mass()
    assert (disc.mass, *disc.centroid, disc.inertia) == about(math.pi, 1.0, 0.0, math.pi / 2.0)
    assert (box.mass, *box.centroid, box.inertia) == about(4.0, 0.0, 0.0, 8.0 / 3.0)


def test_mass_of_a_right_triangle():
    """Legs b = 4, h = 3: area b h / 2 = 6, centroid (b / 3, h / 3), inertia about it b h (b^2 + h^2) / 36 = 25/3 (the second moments
    b h^3 / 36 and h b^3 / 36 of any table; also E. W. Weisstein, "Area Moment of Inertia", MathWorld)."""
    mass = TRIANGLE.mass()
    assert (mass.area, *mass.centroid, mass.inertia) == about(6.0, 4.0 / 3.0, 1.0, 25.0 / 3.0)


def test_mass_of_a_regular_hexagon():
    """Side s: area 3 sqrt 3 / 2 s^2; the second moment about any axis through the middle is 5 sqrt 3 / 16 s^4, and about the middle twice
    that.
    """
    mass = Polygon.regular(6, 2.0).mass(0.5)
    assert (mass.area, mass.mass) == about(6.0 * math.sqrt(3.0), 3.0 * math.sqrt(3.0))
    assert mass.inertia == pytest.approx(0.5 * 5.0 * math.sqrt(3.0) / 8.0 * 16.0, rel=EXACT)


def test_mass_of_a_stadium():
    """A square of side 2 between two half discs of radius 1. The square: 4 and 4 (4 + 4) / 12 = 8/3. A half disc of mass m = pi / 2 has its
    centroid 4 / (3 pi) from its flat side and m (1/2 - 16 / (9 pi^2)) about it, and is 1 + 4 / (3 pi) from the middle."""
    m, off = math.pi / 2.0, 4.0 / (3.0 * math.pi)
    half = m * (0.5 - off**2) + m * (1.0 + off) ** 2
    mass = Capsule((-1.0, 0.0), (1.0, 0.0), 1.0).mass()
    assert (mass.area, *mass.centroid) == about(4.0 + math.pi, 0.0, 0.0)
    assert mass.inertia == pytest.approx(8.0 / 3.0 + 2.0 * half, rel=EXACT)


def test_boxes_box2ds_examples():
    """ShapeAABBTest."""
    for shape, lower, upper in (
        (Circle(1.0, (1.0, 0.0)), (0.0, -1.0), (2.0, 1.0)),
        (BOX, (-1.0, -1.0), (1.0, 1.0)),
        (Segment((0.0, 1.0), (0.0, -1.0)), (0.0, -1.0), (0.0, 1.0)),
    ):
        box = shape.aabb(HERE)
        assert (box.lower, box.upper) == (lower, upper)


# -- hulls


@pytest.mark.parametrize("find", [convex_hull, convex_hull_chain, convex_hull_incremental])
def test_hull(find):
    """The hull of a 4 by 3 grid of integer points is its four corners; with (1.5, 4) above it the two upper ones stay, for the lines from
    (0, 2) and (3, 2) to the tip have them as corners, and with (1.5, 2.0000001) as well, by one part in ten million."""
    grid = [(float(x), float(y)) for x in range(4) for y in range(3)]
    assert find(grid).tolist() == [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [0.0, 2.0]]
    for height in (4.0, 2.0000001):
        assert find([*grid, (1.5, height)]).tolist() == [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [1.5, height], [0.0, 2.0]]
    # a triangle around all: 3 x + 4 y = 24 passes (3, 2) at 17 and so leaves it inside
    assert find([*grid, (0.0, 6.0), (8.0, 0.0)]).tolist() == [[0.0, 0.0], [8.0, 0.0], [0.0, 6.0]]
    shuffled = np.random.default_rng(0).permutation(grid)
    assert find(shuffled).tolist() == find(grid).tolist()


@pytest.mark.parametrize("turned", [0.0, math.pi / 2.0, math.pi])
def test_ray_along_an_edge(turned):
    """From (-2, -1) by (6, 0) along the lower edge of the square of half side 1: it hits the corner (-1, -1), f = 1/6, on the edge that
    faces the ray. Rotated by right angles, the square has edges off by a rounding error: just outside them, the ray hit the far corner.
    """
    for height in (-1.0, math.nextafter(-1.0, -2.0), 1.0, math.nextafter(1.0, 2.0)):
        hit = ray_cast(BOX, Transform((0.0, 0.0), turned), (-2.0, height), (6.0, 0.0))
        assert (hit.fraction, *hit.normal) == about(1.0 / 6.0, -1.0, 0.0)
