"""What must hold of distance and penetration for any two shapes: closing a gap, parting, mirroring, rigid motion, scaling."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compare.cases import random_shapes
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.query import batch
from engine.query.pairs import distance, penetration

PROFILE = settings(max_examples=150, deadline=None, derandomize=True)

# up to rounding: coordinates of some meters, some dozens of operations
NEAR = 1e-12

number = st.floats(-2.0, 2.0, allow_nan=False, width=32)
angle = st.floats(-3.25, 3.25, allow_nan=False, width=32)
poses = st.builds(lambda x, y, a: Transform((x, y), a), number, number, angle)
points = st.tuples(number, number)
skins = st.sampled_from([0.0, 0.01, 0.2])
random = st.sampled_from(random_shapes(np.random.default_rng(2), 60))
shapes = st.one_of(
    st.builds(lambda shape, skin: Polygon(shape.vertices, skin) if isinstance(shape, Polygon) else shape, random, skins),
    st.builds(Capsule, points, points, st.sampled_from([0.05, 0.5])),
    st.builds(Segment, points, points, skins),
)


def moved(xf, by, normal):
    return Transform((xf.position[0] + by * normal[0], xf.position[1] + by * normal[1]), xf.angle)


def scaled(shape, by):
    if isinstance(shape, Circle):
        return Circle(shape.radius * by, (shape.center[0] * by, shape.center[1] * by))
    if isinstance(shape, Polygon):
        return Polygon(shape.vertices * by, shape.skin_radius * by)
    ends = (tuple(c * by for c in end) for end in (shape.p1, shape.p2))
    return Capsule(*ends, shape.radius * by) if isinstance(shape, Capsule) else Segment(*ends, shape.skin_radius * by)


@PROFILE
@given(shapes, poses, shapes, poses, st.sampled_from([1e-3, 0.25, 3.0]))
def test_moving_b_along_the_normal_leaves_any_gap_wanted(a, xf_a, b, xf_b, gap):
    found = distance(a, xf_a, b, xf_b)
    if found.normal is None:
        return
    after = distance(a, xf_a, b, moved(xf_b, gap - found.separation, found.normal))
    assert after.status is Status.SEPARATED
    assert abs(after.separation - gap) < NEAR


@PROFILE
@given(shapes, poses, shapes, poses)
def test_moving_b_by_the_depth_along_the_normal_leaves_touching(a, xf_a, b, xf_b):
    found = penetration(a, xf_a, b, xf_b)
    if found.status is Status.SEPARATED:
        assert distance(a, xf_a, b, xf_b).separation > 0.0
        return
    parted = distance(a, xf_a, b, moved(xf_b, found.depth, found.normal))
    assert abs(parted.separation) < NEAR


@PROFILE
@given(shapes, poses, shapes, poses, angle)
def test_no_direction_parts_them_sooner(a, xf_a, b, xf_b, direction):
    found = penetration(a, xf_a, b, xf_b)
    short = found.depth - NEAR
    if short > 0.0:
        there = moved(xf_b, short, (math.cos(direction), math.sin(direction)))
        assert penetration(a, xf_a, b, there).status is not Status.SEPARATED


@PROFILE
@given(shapes, poses, shapes, poses)
def test_swapping_mirrors(a, xf_a, b, xf_b):
    one, other = distance(a, xf_a, b, xf_b), distance(b, xf_b, a, xf_a)
    assert one.status is other.status and abs(one.separation - other.separation) < NEAR
    assert (one.normal is None) == (other.normal is None)
    if one.normal is not None and one.separation > 1e-3:
        assert np.allclose(one.normal, np.negative(other.normal), atol=1e-9)
    deep, deep_back = penetration(a, xf_a, b, xf_b), penetration(b, xf_b, a, xf_a)
    assert deep.status is deep_back.status and abs(deep.depth - deep_back.depth) < NEAR


@PROFILE
@given(shapes, poses, shapes, poses, poses)
def test_rigid_motion_changes_nothing(a, xf_a, b, xf_b, motion):
    def carried(xf):
        return Transform(motion.apply(xf.position), xf.angle + motion.angle)

    one, other = distance(a, xf_a, b, xf_b), distance(a, carried(xf_a), b, carried(xf_b))
    if one.normal is not None and other.normal is not None:
        assert abs(one.separation - other.separation) < NEAR
        if one.separation > 1e-3:
            assert np.allclose(motion.rotate(one.normal), other.normal, atol=1e-9)
    deep, deep_moved = (penetration(a, xf(xf_a), b, xf(xf_b)) for xf in (lambda xf: xf, carried))
    assert abs(deep.depth - deep_moved.depth) < NEAR


@PROFILE
@given(shapes, poses, shapes, poses, st.sampled_from([1e-3, 0.3, 7.0, 1e3]))
def test_scaling_scales(a, xf_a, b, xf_b, by):
    def spread(xf):
        return Transform((xf.position[0] * by, xf.position[1] * by), xf.angle)

    one, other = distance(a, xf_a, b, xf_b), distance(scaled(a, by), spread(xf_a), scaled(b, by), spread(xf_b))
    if one.normal is not None and other.normal is not None:
        assert abs(one.separation * by - other.separation) < NEAR * by
    deep, deep_scaled = penetration(a, xf_a, b, xf_b), penetration(scaled(a, by), spread(xf_a), scaled(b, by), spread(xf_b))
    assert abs(deep.depth * by - deep_scaled.depth) < NEAR * by


@PROFILE
@given(shapes, poses, shapes, poses)
def test_points_are_where_they_should_be(a, xf_a, b, xf_b):
    """Each point lies on the surface of its shape, and one from the other by separation times normal."""
    for found, gap in ((distance(a, xf_a, b, xf_b), 1.0), (penetration(a, xf_a, b, xf_b), -1.0)):
        if found.normal is None:
            continue
        gap *= found.separation if gap > 0.0 else found.depth
        assert math.dist(found.point_b, [p + gap * n for p, n in zip(found.point_a, found.normal, strict=True)]) < NEAR
        for shape, xf, point in ((a, xf_a, found.point_a), (b, xf_b, found.point_b)):
            assert penetration(shape, xf, Segment(point, point), Transform()).depth < NEAR
            assert distance(shape, xf, Segment(point, point), Transform()).separation < NEAR


@PROFILE
@given(shapes, poses, shapes, poses)
def test_the_batch_is_the_scalar_to_the_bit(a, xf_a, b, xf_b):
    packed, pose_a, pose_b = batch.ShapeBatch([a, b]), [(*xf_a.position, xf_a.angle)], [(*xf_b.position, xf_b.angle)]
    for scalar, batched, value in (
        (distance(a, xf_a, b, xf_b), batch.distance(packed, [(0, 1)], pose_a, pose_b), "separation"),
        (penetration(a, xf_a, b, xf_b), batch.penetration(packed, [(0, 1)], pose_a, pose_b), "depth"),
    ):
        assert batched.status[0] == scalar.status
        assert getattr(batched, value)[0] == getattr(scalar, value)
        for name in ("point_a", "point_b", "normal"):
            expected = getattr(scalar, name)
            row = getattr(batched, name)[0]
            assert np.isnan(row).all() if expected is None else tuple(row) == expected
