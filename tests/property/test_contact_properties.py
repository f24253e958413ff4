"""Properties of contacts and overlaps of any two shapes: separation by the manifold, its points, and agreement of all forms.

`test_every_question` swaps and transforms them, and compares depths.
"""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compare.cases import random_shapes
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.narrowphase.sat import overlap_cached
from engine.query import batch, manifold, overlap
from engine.query.pairs import contact_set
from tests.property.geometry import shifted, skins

PROFILE = settings(max_examples=200, deadline=None, derandomize=True)

# up to rounding: coordinates of some meters, some dozens of operations
NEAR = 1e-9

number = st.floats(-2.0, 2.0, allow_nan=False, width=32)
quarter = st.integers(-8, 8).map(lambda n: n / 4.0)
points = st.tuples(*[st.one_of(number, quarter)] * 2)
angle = st.one_of(st.floats(-3.25, 3.25, allow_nan=False, width=32), st.sampled_from([0.0, math.pi / 2.0]))
poses = st.builds(Transform, points, angle)
long = st.builds(Capsule, points, points, st.sampled_from([0.01, 0.25, 1.0])) | st.builds(
    Segment, points, points, st.sampled_from([0.0, 0.01, 0.25])
)
plain = st.sampled_from(random_shapes(np.random.default_rng(2), 60))
shapes = st.one_of(long, plain)
skinned = st.builds(
    lambda shape, skin: Polygon(shape.vertices, skin) if isinstance(shape, Polygon) else shape, plain, st.sampled_from([0.0, 0.01, 0.2])
)


@PROFILE
@given(shapes, poses, shapes, poses)
def test_moving_b_by_the_depth_along_the_normal_just_separates_the_shapes(a, xf_a, b, xf_b):
    contact = manifold(a, xf_a, b, xf_b)
    assert bool(contact.points) == overlap(a, xf_a, b, xf_b)
    if not contact.points:
        return
    depth = skins(a, b) - min(point.separation for point in contact.points)
    nx, ny = contact.normal
    assert abs(math.hypot(nx, ny) - 1.0) < NEAR
    assert depth >= -NEAR
    assert not overlap(a, xf_a, b, shifted(xf_b, ((depth + NEAR) * nx, (depth + NEAR) * ny)))
    if depth > NEAR:
        assert overlap(a, xf_a, b, shifted(xf_b, ((depth - NEAR) * nx, (depth - NEAR) * ny)))


@PROFILE
@given(skinned, poses, skinned, poses)
def test_points_lie_midway_within_both_skins(a, xf_a, b, xf_b):
    total_skin = sum(shape.skin_radius for shape in (a, b) if isinstance(shape, Polygon))
    for rule in ("exact", "box2d"):
        contact = manifold(a, xf_a, b, xf_b, rule)
        assert len(contact.points) <= (1 if isinstance(a, Circle) or isinstance(b, Circle) else 2)
        for point in contact.points:
            assert point.separation <= total_skin + NEAR


@PROFILE
@given(shapes, poses, shapes, poses)
def test_every_form_of_the_separating_axis_test_agrees(a, xf_a, b, xf_b):
    expected = overlap(a, xf_a, b, xf_b)
    first = overlap_cached(a, xf_a, b, xf_b)
    assert (first.is_overlapping, first.was_enough) == (expected, False)
    for axis in (first.axis, 0, 1, 7, 10**6):
        assert overlap_cached(a, xf_a, b, xf_b, axis).is_overlapping == expected
    assert overlap_cached(a, xf_a, b, xf_b, first.axis).was_enough == (not expected)


@PROFILE
@given(plain, poses, plain, poses)
def test_the_exact_axis_is_never_deeper_than_box2ds(a, xf_a, b, xf_b):
    pose_a, pose_b = ((*xf.position, xf.angle) for xf in (xf_a, xf_b))
    both = batch.ShapeBatch([a, b])
    exact, box2d = (batch.manifold(both, [(0, 1)], [pose_a], [pose_b], rule) for rule in ("exact", "box2d"))
    if exact.count[0] and box2d.count[0]:
        assert exact.axis_separation[0] >= box2d.axis_separation[0] - NEAR


@PROFILE
@given(shapes, poses, shapes, poses)
def test_contact_sets_agree_with_overlap(a, xf_a, b, xf_b):
    contact = contact_set(a, xf_a, b, xf_b)
    assert (contact.status is not Status.SEPARATED) == overlap(a, xf_a, b, xf_b)
    assert bool(contact.points) == (contact.normal is not None) == (contact.status is Status.TOUCHING)


def test_last_frames_axis_decides_nearly_every_pair_that_stays_apart():
    rng = np.random.default_rng(5)
    kinds = [Circle(0.3), Capsule((-0.4, 0.0), (0.4, 0.0), 0.2), Segment((-0.5, 0.0), (0.5, 0.0)), *random_shapes(rng, 20)]
    enough = apart = 0
    for _ in range(40):
        a, b = (kinds[k] for k in rng.integers(0, len(kinds), 2))
        at, drift, spin, axis = rng.uniform(-2.0, 2.0, 2), rng.normal(size=2), float(rng.normal()), -1
        for frame in range(60):
            x, y = (at + drift * frame / 60.0).tolist()
            there = Transform((x, y), spin * frame / 60.0)
            result = overlap_cached(a, Transform(), b, there, axis)
            assert result.is_overlapping == overlap(a, Transform(), b, there)
            axis = result.axis
            apart += not result.is_overlapping
            enough += result.was_enough
    assert enough > 0.9 * apart > 500
