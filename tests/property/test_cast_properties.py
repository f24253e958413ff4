"""Properties of any two moving shapes and any ray: no touch before the time of impact, mirroring, rigid motion.

`test_every_question` scales them, transforms rays and slides shapes.
"""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.continuous.time_of_impact import METHODS
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Sweep, Transform
from engine.query.casts import contains, ray_cast, shape_cast, swept_contact, time_of_impact
from tests.property.geometry import carried

PROFILE = settings(max_examples=150, deadline=None, derandomize=True)

# times of impact stop within 1e-9 of the extents, here some meters, of a touch; at a slow approach that is some more of the time
GAP = 1e-8
NEAR = 1e-9

number = st.floats(-2.0, 2.0, allow_nan=False, width=32)
size = st.floats(0.125, 1.0, width=32)
skin = st.sampled_from([0.0, 0.01, 0.2])
points = st.tuples(number, number)
shapes = st.one_of(
    st.builds(Circle, size, points),
    st.builds(Capsule, points, points, size),
    st.builds(Segment, points, points, skin),
    st.builds(Polygon.box, size, size, skin_radius=skin),
    st.builds(Polygon.regular, st.integers(3, 8), size, number, skin),
)
angle = st.floats(-3.25, 3.25, allow_nan=False, width=32)
far = st.floats(-6.0, 6.0, allow_nan=False, width=32)
poses = st.builds(lambda x, y, a: Transform((x, y), a), far, far, angle)
sweeps = st.builds(Sweep, poses, poses, points)


def carried_sweep(motion, sweep):
    return Sweep(carried(sweep.start, motion), carried(sweep.end, motion), sweep.local_center)


def touching_at(a, xf_a, b, xf_b):
    """Return whether they touch at a pose, by the swept test with shapes at rest."""
    return swept_contact(a, xf_a, (0.0, 0.0), b, xf_b, (0.0, 0.0), 0.0).status is Status.OVERLAPPING


def grown(shape, by):
    """The shape with `by` more radius."""
    if isinstance(shape, Circle):
        return Circle(shape.radius + by, shape.center)
    if isinstance(shape, Polygon):
        return Polygon(shape.vertices, shape.skin_radius + by)
    if isinstance(shape, Capsule):
        return Capsule(shape.p1, shape.p2, shape.radius + by)
    return Segment(shape.p1, shape.p2, shape.skin_radius + by)


def assert_same(first, other, a, sweep_a, b, sweep_b):
    """The same answer, or both within the tolerance of the same graze."""
    if first.status is other.status and abs(first.fraction - other.fraction) < 1e-6:
        return
    early = min(first.fraction, other.fraction)
    assert touching_at(grown(a, GAP), sweep_a.at(early), b, sweep_b.at(early))
    for t in np.linspace(early, max(first.fraction, other.fraction), 50)[1:-1]:
        assert not touching_at(a, sweep_a.at(float(t)), b, sweep_b.at(float(t)))


@PROFILE
@given(shapes, sweeps, shapes, sweeps)
def test_nothing_touches_before_the_time_of_impact(a, sweep_a, b, sweep_b):
    for method in METHODS:
        impact = time_of_impact(a, sweep_a, b, sweep_b, method=method)
        assert impact.status in (Status.HIT, Status.MISS, Status.OVERLAPPING)
        if impact.status is Status.OVERLAPPING:
            assert touching_at(grown(a, NEAR), sweep_a.start, b, sweep_b.start)
            continue
        for t in np.linspace(0.0, impact.fraction, 40)[:-1]:
            assert not touching_at(a, sweep_a.at(float(t)), b, sweep_b.at(float(t)))
        if impact.status is Status.HIT:
            assert touching_at(grown(a, GAP), sweep_a.at(impact.fraction), b, sweep_b.at(impact.fraction))


@PROFILE
@given(shapes, sweeps, shapes, sweeps)
def test_swapping_changes_nothing(a, sweep_a, b, sweep_b):
    assert_same(time_of_impact(a, sweep_a, b, sweep_b), time_of_impact(b, sweep_b, a, sweep_a), a, sweep_a, b, sweep_b)


@PROFILE
@given(shapes, sweeps, shapes, sweeps, poses)
def test_rigid_motion_changes_nothing(a, sweep_a, b, sweep_b, motion):
    there = time_of_impact(a, carried_sweep(motion, sweep_a), b, carried_sweep(motion, sweep_b))
    assert_same(time_of_impact(a, sweep_a, b, sweep_b), there, a, sweep_a, b, sweep_b)


@PROFILE
@given(shapes, poses, points, points)
def test_rays(shape, xf, origin, way):
    translation = tuple(np.multiply(4.0, way))
    hit = ray_cast(shape, xf, origin, translation)
    if hit.status is Status.HIT:
        assert contains(grown(shape, NEAR), xf, hit.point)
        if hit.normal is not None:
            assert abs(math.hypot(*hit.normal) - 1.0) < NEAR
            assert hit.normal[0] * translation[0] + hit.normal[1] * translation[1] <= NEAR
            # back from the end: the ray leaves where it came in, or further on
            assert not contains(shape, xf, tuple(np.add(origin, np.multiply(0.5 * hit.fraction, translation))))
    else:
        for t in np.linspace(0.0, 1.0, 30):
            assert not contains(shape, xf, tuple(np.add(origin, np.multiply(t, translation))))


@PROFILE
@given(shapes, poses, shapes, poses, points)
def test_a_cast_shape_stops_at_contact(shape, xf, target, xf_target, way):
    translation = tuple(np.multiply(4.0, way))
    hit = shape_cast(shape, xf, translation, target, xf_target)
    if hit.status is Status.MISS:
        assert not any(
            touching_at(shape, Transform(tuple(np.add(xf.position, np.multiply(t, translation))), xf.angle), target, xf_target)
            for t in np.linspace(0.0, 1.0, 30)
        )
    elif hit.normal is not None:
        there = Transform(tuple(np.add(xf.position, np.multiply(hit.fraction, translation))), xf.angle)
        assert touching_at(grown(shape, NEAR), there, target, xf_target)
        assert contains(grown(target, NEAR), xf_target, hit.point) and contains(grown(shape, NEAR), there, hit.point)
