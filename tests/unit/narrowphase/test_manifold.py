"""Manifolds: worked examples for every pair of shapes, both orders, both rules."""

import math

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Polygon, Transform
from engine.query import manifold

BOX = Polygon.box(0.5, 0.5)
DISC = Circle(0.5)
HERE = Transform()

RULES = pytest.mark.parametrize("rule", ["exact", "box2d"])


def points_of(contact):
    return sorted((*point.position, point.separation) for point in contact.points)


@RULES
def test_box_on_box(rule):
    contact = manifold(BOX, HERE, BOX, Transform((0.25, 0.9)), rule)
    assert contact.normal == pytest.approx((0.0, 1.0))
    assert np.allclose(points_of(contact), [(-0.25, 0.45, -0.1), (0.5, 0.45, -0.1)])


@RULES
def test_swapped_boxes_mirror(rule):
    contact = manifold(BOX, Transform((0.25, 0.9)), BOX, HERE, rule)
    assert contact.normal == pytest.approx((0.0, -1.0))
    assert np.allclose(points_of(contact), [(-0.25, 0.45, -0.1), (0.5, 0.45, -0.1)])


@RULES
def test_corner_into_face(rule):
    contact = manifold(BOX, HERE, BOX, Transform((1.1, 0.0), math.pi / 4.0), rule)
    deepest = min(contact.points, key=lambda point: point.separation)
    assert contact.normal == pytest.approx((1.0, 0.0))
    assert deepest.separation == pytest.approx(0.6 - math.sqrt(0.5))
    assert deepest.position == pytest.approx((0.5 + 0.5 * deepest.separation, 0.0))


@RULES
def test_skins_give_points_at_positive_separation_midway_between_the_surfaces(rule):
    a, b = Polygon.box(0.5, 0.5, skin_radius=0.03), Polygon.box(0.5, 0.5, skin_radius=0.01)
    contact = manifold(a, HERE, b, Transform((0.0, 1.02)), rule)
    assert [point.separation for point in contact.points] == pytest.approx([0.02, 0.02])
    # A's surface at 0.53, B's at 0.51
    assert [point.position[1] for point in contact.points] == pytest.approx([0.52, 0.52])
    assert manifold(a, HERE, b, Transform((0.0, 1.041)), rule).points == ()


def test_feature_ids_are_box2d_keys():
    contact = manifold(BOX, HERE, BOX, Transform((0.25, 0.75)))
    keys = {point.position[0]: point.feature_id for point in contact.points}
    # B's own corner 0 against A's face 2; A's corner 2 clipped B's edge 0, whose end 1 was held first... named by its first vertex
    assert keys[-0.25] & 0xFFFF0000 == 1 << 16
    assert keys[0.5] & 0xFFFF0000 == 1 << 24


@RULES
@pytest.mark.parametrize(
    ("center", "normal", "separation"),
    [
        ((0.0, 0.9), (0.0, 1.0), -0.1),  # a face
        ((0.8, 0.9), (0.6, 0.8), 0.0),  # a corner, touching exactly
        ((0.74, 0.82), (0.6, 0.8), -0.1),  # a corner
        ((0.3, 0.0), (1.0, 0.0), -0.7),  # the center inside
    ],
)
def test_box_and_disc(rule, center, normal, separation):
    contact = manifold(BOX, HERE, DISC, Transform(center), "exact" if separation == 0.0 else rule)
    assert contact.normal == pytest.approx(normal)
    (point,) = contact.points
    assert point.separation == pytest.approx(separation, abs=1e-12)
    surface = np.array(center) - 0.5 * np.array(normal)
    assert point.position == pytest.approx(surface - 0.5 * separation * np.array(normal))
    turned = manifold(DISC, Transform(center), BOX, HERE, "exact" if separation == 0.0 else rule)
    assert turned.normal == pytest.approx((-normal[0], -normal[1]))
    assert turned.points[0].position == pytest.approx(point.position)


def test_a_disc_with_its_center_on_a_corner_has_a_face_normal():
    contact = manifold(BOX, HERE, DISC, Transform((0.5, 0.5)))
    assert contact.normal in ((1.0, 0.0), (0.0, 1.0))
    assert contact.points[0].separation == pytest.approx(-0.5)


@RULES
def test_two_discs(rule):
    contact = manifold(Circle(1.0, (0.5, 0.0)), HERE, Circle(0.5), Transform((1.7, 0.0), 1.0), rule)
    assert contact.normal == pytest.approx((1.0, 0.0))
    assert contact.points[0].separation == pytest.approx(-0.3)
    assert contact.points[0].position == pytest.approx((1.35, 0.0))


def test_concentric_discs_have_a_unit_normal():
    contact = manifold(DISC, HERE, Circle(0.25), HERE)
    assert contact.normal == (1.0, 0.0)
    assert contact.points[0].separation == -0.75


@pytest.mark.parametrize("there", [Transform((1.0, 0.0)), Transform((1.0, 1.0)), Transform((-1.0, 0.4))])
def test_exact_touching_is_a_contact(there):
    contact = manifold(BOX, HERE, BOX, there)
    assert contact.points
    assert all(point.separation == 0.0 for point in contact.points)


def test_the_climb_of_box2d_stops_at_a_local_maximum():
    # A long shallow triangle: the line of centroids points out of one edge, the shallow way out is another
    a = Polygon([(0.0, 0.0), (2.0, -0.2), (2.2, 1.4), (0.9, 1.7), (-0.1, 0.9)])
    deepest, shallowest = -math.inf, None
    rng = np.random.default_rng(4)
    for _ in range(400):
        there = Transform(tuple(rng.uniform(-0.5, 2.0, 2)), float(rng.uniform(-3.0, 3.0)))
        exact, box2d = manifold(a, HERE, a, there), manifold(a, HERE, a, there, "box2d")
        if exact.points and box2d.points:
            excess = min(p.separation for p in exact.points) - min(p.separation for p in box2d.points)
            assert excess > -1e-12
            if excess > deepest:
                deepest, shallowest = excess, there
    assert deepest > 0.01, shallowest


def test_equal_axes_prefer_face_a_and_its_first_edge():
    contact = manifold(BOX, HERE, BOX, HERE)
    assert contact.normal == tuple(BOX.normals[0])
    assert min(point.separation for point in contact.points) == -1.0


def test_separated_shapes_have_no_normal():
    contact = manifold(BOX, HERE, DISC, Transform((3.0, 0.0)))
    assert contact.normal is None
    assert contact.points == ()


def test_many_vertices():
    wheel = Polygon.regular(200, 1.0)
    contact = manifold(wheel, HERE, wheel, Transform((1.9, 0.0), 0.013))
    assert contact.normal == pytest.approx((1.0, 0.0), abs=0.05)
    assert -0.11 < min(point.separation for point in contact.points) < -0.09


def test_bad_rule():
    with pytest.raises(InvalidInputError, match="rule must be one of exact, box2d, got 'gjk'"):
        manifold(BOX, HERE, BOX, HERE, "gjk")
