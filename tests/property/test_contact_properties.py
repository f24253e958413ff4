"""What must hold for any two shapes: parting, mirroring, rigid motion."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compare.cases import random_shapes
from engine.geometry import Circle, Polygon, Transform
from engine.narrowphase.sat import overlap_polygons
from engine.query import batch, manifold, overlap

PROFILE = settings(max_examples=150, deadline=None, derandomize=True)

# up to rounding: coordinates of some meters, some dozens of operations
NEAR = 1e-9

SHAPES = random_shapes(np.random.default_rng(2), 60)
shapes = st.sampled_from(SHAPES)
skinned = st.builds(
    lambda shape, skin: Polygon(shape.vertices, skin) if isinstance(shape, Polygon) else shape, shapes, st.sampled_from([0.0, 0.01, 0.2])
)
number = st.floats(-2.0, 2.0, allow_nan=False, width=32)
angle = st.floats(-3.25, 3.25, allow_nan=False, width=32)
poses = st.builds(lambda x, y, a: Transform((x, y), a), number, number, angle)


def core(shape):
    return Polygon(shape.vertices) if isinstance(shape, Polygon) else shape


def moved(xf, by):
    return Transform((xf.position[0] + by[0], xf.position[1] + by[1]), xf.angle)


@PROFILE
@given(shapes, poses, shapes, poses)
def test_moving_b_by_the_depth_along_the_normal_just_parts_them(a, xf_a, b, xf_b):
    found = manifold(a, xf_a, b, xf_b)
    assert bool(found.points) == overlap(a, xf_a, b, xf_b)
    if not found.points:
        return
    depth = -min(point.separation for point in found.points)
    nx, ny = found.normal
    assert abs(math.hypot(nx, ny) - 1.0) < NEAR
    assert depth >= -NEAR
    assert not overlap(a, xf_a, b, moved(xf_b, ((depth + NEAR) * nx, (depth + NEAR) * ny)))
    if depth > NEAR:
        assert overlap(a, xf_a, b, moved(xf_b, ((depth - NEAR) * nx, (depth - NEAR) * ny)))


@PROFILE
@given(shapes, poses, shapes, poses, angle)
def test_no_direction_parts_them_sooner(a, xf_a, b, xf_b, direction):
    found = manifold(a, xf_a, b, xf_b)
    if found.points:
        depth = -min(point.separation for point in found.points)
        short = depth - NEAR
        if short > 0.0:
            assert overlap(a, xf_a, b, moved(xf_b, (short * math.cos(direction), short * math.sin(direction))))


@PROFILE
@given(skinned, poses, skinned, poses)
def test_swapping_mirrors(a, xf_a, b, xf_b):
    assert overlap(a, xf_a, b, xf_b) == overlap(b, xf_b, a, xf_a)
    one, other = manifold(a, xf_a, b, xf_b), manifold(b, xf_b, a, xf_a)
    if not (one.points and other.points):
        return
    deepest = [min(point.separation for point in found.points) for found in (one, other)]
    assert abs(deepest[0] - deepest[1]) < NEAR
    # where only one axis is the shallowest, it is the same one turned round
    if np.allclose(one.normal, np.negative(other.normal), atol=1e-6) and isinstance(a, Circle):
        assert np.allclose(one.points[0].position, other.points[0].position, atol=1e-6)


@PROFILE
@given(skinned, poses, skinned, poses, poses)
def test_rigid_motion_changes_nothing(a, xf_a, b, xf_b, motion):
    def carried(xf):
        return Transform(motion.apply(xf.position), xf.angle + motion.angle)

    one, other = manifold(a, xf_a, b, xf_b), manifold(a, carried(xf_a), b, carried(xf_b))
    depths = [min((p.separation for p in found.points), default=1.0) for found in (one, other)]
    assert abs(depths[0] - depths[1]) < NEAR or max(depths) == 1.0
    is_one_axis = bool(one.points and other.points) and np.allclose(motion.rotate(one.normal), other.normal, atol=1e-7)
    if is_one_axis and len(one.points) == len(other.points):
        # the same axis: then the same points, in the world the pair was carried to; steep clips may move along their edge
        for p, q in zip(one.points, other.points, strict=True):
            if p.feature_id == q.feature_id:
                assert abs(p.separation - q.separation) < 1e-6


@PROFILE
@given(skinned, poses, skinned, poses)
def test_points_lie_midway_within_both_skins(a, xf_a, b, xf_b):
    total_skin = sum(shape.skin_radius for shape in (a, b) if isinstance(shape, Polygon))
    for rule in ("exact", "box2d"):
        found = manifold(a, xf_a, b, xf_b, rule)
        assert len(found.points) <= (1 if isinstance(a, Circle) or isinstance(b, Circle) else 2)
        for point in found.points:
            assert point.separation <= total_skin + NEAR


@PROFILE
@given(shapes, poses, shapes, poses)
def test_plain_and_improved_test_agree(a, xf_a, b, xf_b):
    if isinstance(a, Polygon) and isinstance(b, Polygon):
        assert overlap_polygons(a, xf_a, b, xf_b, "plain") == overlap_polygons(a, xf_a, b, xf_b, "improved") == overlap(a, xf_a, b, xf_b)


@PROFILE
@given(shapes, poses, shapes, poses)
def test_the_exact_axis_is_never_deeper_than_box2ds(a, xf_a, b, xf_b):
    pose_a, pose_b = ((*xf.position, xf.angle) for xf in (xf_a, xf_b))
    both = batch.ShapeBatch([a, b])
    exact, box2d = (batch.manifold(both, [(0, 1)], [pose_a], [pose_b], rule) for rule in ("exact", "box2d"))
    if exact.count[0] and box2d.count[0]:
        assert exact.axis_separation[0] >= box2d.axis_separation[0] - NEAR
