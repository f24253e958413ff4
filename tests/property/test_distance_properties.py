"""Properties of distance and penetration of any two shapes: closing a gap, the shortest way out, and where the points are.

`test_every_question` separates, swaps, transforms and scales them.
"""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compare.cases import random_shapes
from engine.contracts import Status
from engine.geometry import Capsule, Polygon, Segment, Transform
from engine.query.pairs import distance, penetration
from tests.property.geometry import shifted

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


@PROFILE
@given(shapes, poses, shapes, poses, st.sampled_from([1e-3, 0.25, 3.0]))
def test_moving_b_along_the_normal_leaves_any_requested_gap(a, xf_a, b, xf_b, gap):
    result = distance(a, xf_a, b, xf_b)
    if result.normal is None:
        return
    after = distance(a, xf_a, b, shifted(xf_b, [(gap - result.separation) * n for n in result.normal]))
    assert after.status is Status.SEPARATED
    assert abs(after.separation - gap) < NEAR


@PROFILE
@given(shapes, poses, shapes, poses, angle)
def test_no_direction_separates_them_sooner(a, xf_a, b, xf_b, direction):
    result = penetration(a, xf_a, b, xf_b)
    short = result.depth - NEAR
    if short > 0.0:
        there = shifted(xf_b, (short * math.cos(direction), short * math.sin(direction)))
        assert penetration(a, xf_a, b, there).status is not Status.SEPARATED


@PROFILE
@given(shapes, poses, shapes, poses)
def test_points_lie_on_both_surfaces(a, xf_a, b, xf_b):
    """Each point lies on the surface of its shape, and they differ by the separation times the normal."""
    for result, gap in ((distance(a, xf_a, b, xf_b), 1.0), (penetration(a, xf_a, b, xf_b), -1.0)):
        if result.normal is None:
            continue
        gap *= result.separation if gap > 0.0 else result.depth
        assert math.dist(result.point_b, [p + gap * n for p, n in zip(result.point_a, result.normal, strict=True)]) < NEAR
        for shape, xf, point in ((a, xf_a, result.point_a), (b, xf_b, result.point_b)):
            assert penetration(shape, xf, Segment(point, point), Transform()).depth < NEAR
            assert distance(shape, xf, Segment(point, point), Transform()).separation < NEAR
