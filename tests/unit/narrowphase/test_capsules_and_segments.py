"""Manifolds and overlap of capsules and segments: worked examples, both orders, every pair of kinds."""

import math

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.query import batch, manifold, overlap

HERE = Transform()
BOX = Polygon.box(0.5, 0.5)
ROD = Capsule((-1.0, 0.0), (1.0, 0.0), 0.25)
LINE = Segment((-1.0, 0.0), (1.0, 0.0))
DISC = Circle(0.5)
KINDS = {"circle": DISC, "polygon": BOX, "capsule": ROD, "segment": LINE}


def points_of(contact):
    return sorted((*point.position, point.separation) for point in contact.points)


def both_orders(a, xf_a, b, xf_b):
    """The manifold of (a, b); that of (b, a) must be its mirror image."""
    contact, other = manifold(a, xf_a, b, xf_b), manifold(b, xf_b, a, xf_a)
    assert np.allclose(contact.normal, np.negative(other.normal), atol=1e-12)
    assert np.allclose(points_of(contact), points_of(other), atol=1e-12)
    swapped = {(key >> 8 & 0x00FF00FF) | (key << 8 & 0xFF00FF00) for key in (point.feature_id for point in other.points)}
    assert swapped == {point.feature_id for point in contact.points}
    return contact


def test_capsule_across_capsule_lies_on_two_points():
    contact = both_orders(ROD, HERE, ROD, Transform((0.5, 0.4)))
    assert contact.normal == pytest.approx((0.0, 1.0))
    assert np.allclose(points_of(contact), [(-0.5, 0.2, -0.1), (1.0, 0.2, -0.1)])


def test_capsules_end_to_end_touch_in_one_point():
    near = both_orders(ROD, HERE, ROD, Transform((2.3, 0.4)))
    assert near.normal == pytest.approx((0.6, 0.8))
    assert near.points[0].separation == pytest.approx(0.0, abs=1e-12)
    assert near.points[0].position == pytest.approx((1.15, 0.2))
    # vertex 1 of A, vertex 0 of B
    assert near.points[0].feature_id == 1


def test_crossing_cores_separate_along_the_shallowest_edge():
    contact = both_orders(ROD, HERE, ROD, Transform((0.9, 0.0), math.pi / 2.0))
    assert contact.normal == pytest.approx((1.0, 0.0))
    assert min(point.separation for point in contact.points) == pytest.approx(-0.1 - 0.5)


def test_capsule_on_a_box():
    flat = both_orders(BOX, HERE, ROD, Transform((0.0, 0.7)))
    assert flat.normal == pytest.approx((0.0, 1.0))
    assert np.allclose(points_of(flat), [(-0.5, 0.475, -0.05), (0.5, 0.475, -0.05)])
    upright = both_orders(BOX, HERE, ROD, Transform((0.2, 1.7), math.pi / 2.0))
    assert np.allclose(points_of(upright), [(0.2, 0.475, -0.05)])
    at_corner = both_orders(BOX, HERE, Capsule((0.0, 0.0), (2.0, 0.0), 0.25), Transform((0.62, 0.66)))
    assert at_corner.normal == pytest.approx((0.6, 0.8))
    assert at_corner.points[0].separation == pytest.approx(-0.05)


def test_capsule_and_disc():
    beside = both_orders(ROD, HERE, DISC, Transform((0.3, -0.7)))
    assert beside.normal == pytest.approx((0.0, -1.0))
    assert np.allclose(points_of(beside), [(0.3, -0.225, -0.05)])
    assert beside.points[0].feature_id == 1 << 16  # face 0 of A, vertex 0 of B
    beyond = both_orders(ROD, HERE, DISC, Transform((1.42, 0.56)))
    assert beyond.normal == pytest.approx((0.6, 0.8))
    assert beyond.points[0].separation == pytest.approx(-0.05)
    assert beyond.points[0].feature_id == 1


def test_segments():
    cross = both_orders(LINE, HERE, LINE, Transform((0.0, 0.75), math.pi / 2.0))
    assert cross.normal == pytest.approx((0.0, 1.0))
    assert cross.points[0].separation == pytest.approx(-0.25)
    on_box = both_orders(BOX, HERE, LINE, Transform((0.0, 0.5)))
    assert np.allclose(points_of(on_box), [(-0.5, 0.5, 0.0), (0.5, 0.5, 0.0)])
    disc = both_orders(LINE, HERE, DISC, Transform((0.0, 0.3)))
    assert np.allclose(points_of(disc), [(0.0, -0.1, -0.2)])


def test_collinear_segments_share_a_segment_or_nothing():
    shared = manifold(LINE, HERE, LINE, Transform((1.5, 0.0)))
    assert np.allclose(points_of(shared), [(0.5, 0.0, 0.0), (1.0, 0.0, 0.0)])
    assert overlap(LINE, HERE, LINE, Transform((2.0, 0.0)))
    assert not overlap(LINE, HERE, LINE, Transform((2.000001, 0.0)))
    assert manifold(LINE, HERE, LINE, Transform((2.000001, 0.0))).points == ()


def test_skins_of_segments_are_not_part_of_the_surface():
    skinned = Segment((-1.0, 0.0), (1.0, 0.0), 0.03)
    contact = manifold(skinned, HERE, Polygon.box(0.5, 0.5, skin_radius=0.01), Transform((0.0, 0.52)))
    assert [point.separation for point in contact.points] == pytest.approx([0.02, 0.02])
    assert [point.position[1] for point in contact.points] == pytest.approx([0.02, 0.02])


@pytest.mark.parametrize("disc", [Capsule((0.0, 0.0), (0.0, 0.0), 0.5), DISC])
@pytest.mark.parametrize("other", KINDS.values(), ids=KINDS)
def test_a_capsule_without_length_is_a_disc(disc, other):
    for x in (0.0, 0.3, 0.9, 1.2, 1.6, 3.0):
        contact, expected = manifold(other, HERE, disc, Transform((x, 0.2))), manifold(other, HERE, DISC, Transform((x, 0.2)))
        assert len(contact.points) == len(expected.points)
        if contact.points:
            assert np.allclose(contact.normal, expected.normal)
            assert np.allclose(points_of(contact), points_of(expected))
        assert overlap(other, HERE, disc, Transform((x, 0.2))) == overlap(other, HERE, DISC, Transform((x, 0.2)))


def test_two_points_touch_only_if_they_coincide():
    dot = Segment((0.5, 0.5), (0.5, 0.5))
    assert overlap(dot, HERE, dot, HERE)
    assert not overlap(dot, HERE, dot, Transform((1e-9, 0.0)))
    assert manifold(dot, HERE, dot, HERE).points[0].separation == 0.0


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (ROD, BOX, "rule must be 'exact' for a pair with a capsule, which Box2D does not have, got 'box2d'"),
        (DISC, ROD, "rule must be 'exact' for a pair with a capsule, which Box2D does not have, got 'box2d'"),
        (LINE, LINE, "rule must be 'exact' for two segments, which Box2D does not collide, got 'box2d'"),
        (BOX, Segment((0, 0), (0, 0)), "rule must be 'exact' for a segment of zero length, by which Box2D divides, got 'box2d'"),
    ],
)
def test_pairs_that_box2d_does_not_collide_are_rejected(a, b, message):
    with pytest.raises(InvalidInputError, match=message):
        manifold(a, HERE, b, HERE, "box2d")
    with pytest.raises(InvalidInputError, match=r"\(pairs\[1\]\)"):
        batch.manifold(batch.ShapeBatch([BOX, a, b]), [(0, 0), (1, 2)], [(0, 0, 0)] * 2, [(0, 0, 0)] * 2, "box2d")


@pytest.mark.parametrize("order", ["segment first", "segment second"])
def test_ghosts_leave_contacts_to_the_neighbors(order):
    """A disc rolls over the joint of a flat floor: each edge has no contact where the neighbor reports it."""
    alone = Segment((-1.0, 0.0), (0.0, 0.0), 0.01)
    linked = Segment((-1.0, 0.0), (0.0, 0.0), 0.01, ghost2=(1.0, 0.0))

    def points(segment, x):
        pair = (segment, HERE, Circle(0.25), Transform((x, 0.24)))
        return manifold(*(pair if order == "segment first" else pair[2:] + pair[:2]), "box2d").points

    assert len(points(alone, 0.05)) == len(points(linked, -0.05)) == 1
    assert points(linked, 0.05) == ()
    # where the chain ends in a ridge the disc may still touch the corner
    ridge = Segment((0.0, 0.0), (-1.0, 0.0), 0.01, ghost1=(1.0, -1.0))
    assert len(points(ridge, 0.05)) == 1


def test_a_box_slides_over_a_joint_without_a_sideways_normal():
    linked = Segment((0.0, 0.0), (-2.0, 0.0), 0.01, ghost1=(2.0, 0.0))
    alone = Segment((0.0, 0.0), (-2.0, 0.0), 0.01)
    box = Polygon.box(0.5, 0.5, skin_radius=0.01)
    deep = Transform((0.49, 0.47))  # its left face is 0.01 m past the end, its bottom 0.03 m deep
    assert manifold(alone, HERE, box, deep, "box2d").normal == pytest.approx((1.0, 0.0))
    assert manifold(linked, HERE, box, deep, "box2d").normal == pytest.approx((0.0, 1.0))
