"""One scene, every query, all kinds of shapes: swapping, rigid motion and scaling, and separation by the depth.

An answer is split by kind: statuses and counts, times, lengths, points and directions in the world. So each property is one loop over all
queries, and a query that is added to `engine.query` without an entry fails.

Bounds: u is SAT_ROUNDING times the scale of the scene. A length errs by 2 u (`tests/agreement/test_rational_referee.py` holds the engine to
that), so two answers differ by 4 u; a transformed scene is itself rounded once more, by less than 1 u of its new scale.
Scaling by a power of two is exact, so the answer must scale exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import query
from engine.common.jit import is_compiling
from engine.common.tolerances import SAT_ROUNDING
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Sweep, Transform
from tests.property.geometry import carried, shifted, skins

PROFILE = settings(max_examples=150 if is_compiling() else 20, deadline=None, derandomize=True)  # uncompiled a time of impact takes 0.1 s

quarter = st.integers(-8, 8).map(lambda n: n / 4.0)
number = st.one_of(st.floats(-2.0, 2.0, allow_nan=False, width=32).map(lambda x: x if abs(x) > 1e-6 else 0.0), quarter)
size = st.one_of(st.floats(0.125, 1.0, width=32), st.sampled_from([0.25, 0.5, 1.0]))
skin = st.sampled_from([0.0, 0.01, 0.25])
points = st.tuples(number, number)
angle = st.one_of(st.floats(-3.25, 3.25, allow_nan=False, width=32), st.sampled_from([0.0, 0.0, math.pi / 2.0]))
shapes = st.one_of(
    st.builds(Circle, size, points),
    st.builds(Capsule, points, points, size),
    st.builds(Segment, points, points, skin),
    st.builds(Polygon.box, size, st.one_of(size, st.just(2.0**-10)), skin_radius=skin),
    st.builds(Polygon.regular, st.integers(3, 9), size, number, skin),
)
poses = st.builds(Transform, points, angle)


@dataclass(frozen=True)
class Scene:
    a: object
    xf_a: Transform
    b: object
    xf_b: Transform
    end_a: Transform
    end_b: Transform
    way: tuple[float, float]
    point: tuple[float, float]

    @property
    def rounding(self):
        """u of the whole scene, including displacements."""
        poses_ = (self.xf_a, self.xf_b, self.end_a, self.end_b)
        far = sum(abs(c) for xf in poses_ for c in xf.position) + sum(map(abs, (*self.way, *self.point)))
        return SAT_ROUNDING * (far + reach(self.a) + reach(self.b))


scenes = st.builds(Scene, shapes, poses, shapes, poses, poses, poses, points, points)


def ends_of(shape):
    if isinstance(shape, Circle):
        return [shape.center], shape.radius
    if isinstance(shape, Polygon):
        return shape.vertices, shape.skin_radius
    return [shape.p1, shape.p2], shape.radius if isinstance(shape, Capsule) else shape.skin_radius


def reach(shape):
    ends, radius = ends_of(shape)
    return max(math.hypot(*end) for end in ends) + radius


@dataclass(frozen=True)
class Answer:
    """Answer to a query; `words` are statuses, counts and ids."""

    words: tuple = ()
    times: tuple = ()
    lengths: tuple = ()
    points: tuple = ()
    directions: tuple = ()


def some(value):
    return () if value is None else (value,)


def ask_distance(s):
    result = query.distance(s.a, s.xf_a, s.b, s.xf_b)
    where = (*some(result.point_a), *some(result.point_b))
    return Answer((result.status, result.normal is None), (), (result.separation,), where, some(result.normal))


def ask_penetration(s):
    result = query.penetration(s.a, s.xf_a, s.b, s.xf_b)
    return Answer((result.status,), (), (result.depth,), (*some(result.point_a), *some(result.point_b)), some(result.normal))


def ask_manifold(s):
    result = query.manifold(s.a, s.xf_a, s.b, s.xf_b)
    words = (len(result.points), *(point.feature_id for point in result.points))
    lengths, where = tuple(point.separation for point in result.points), tuple(point.position for point in result.points)
    return Answer(words, (), lengths, where, some(result.normal))


def ask_contact_set(s):
    result = query.contact_set(s.a, s.xf_a, s.b, s.xf_b)
    return Answer((result.status, len(result.points)), (), (), result.points, some(result.normal))


def ask_swept(s):
    result = query.swept_contact(s.a, s.xf_a, (0.0, 0.0), s.b, s.xf_b, s.way, 4.0)
    where = (*some(result.point), *result.contact_set.points)
    return Answer((result.status, len(result.contact_set.points)), (result.t_first, result.t_last), (), where, some(result.normal))


def ask_time_of_impact(s):
    result = query.time_of_impact(s.a, Sweep(s.xf_a, s.end_a, s.point), s.b, Sweep(s.xf_b, s.end_b))
    return Answer((result.status,), (result.fraction,))


def ask_shape_cast(s):
    result = query.shape_cast(s.a, s.xf_a, s.way, s.b, s.xf_b)
    return Answer((result.status,), (result.fraction,), (), some(result.point), some(result.normal))


def ask_ray_cast(s):
    result = query.ray_cast(s.a, s.xf_a, s.point, s.way)
    return Answer((result.status,), (result.fraction,), (), some(result.point), some(result.normal))


QUESTIONS = {
    "overlap": lambda s: Answer((query.overlap(s.a, s.xf_a, s.b, s.xf_b),)),
    "distance": ask_distance,
    "penetration": ask_penetration,
    "manifold": ask_manifold,
    "contact_set": ask_contact_set,
    "swept_contact": ask_swept,
    "time_of_impact": ask_time_of_impact,
    "shape_cast": ask_shape_cast,
    "ray_cast": ask_ray_cast,
    "contains": lambda s: Answer((query.contains(s.a, s.xf_a, s.point),)),
}


def test_every_query_is_covered():
    assert set(QUESTIONS) == set(query.__all__)


# -- scaling


def times(vector, k):
    return tuple(k * c for c in vector)


def scaled_shape(shape, k):
    if isinstance(shape, Circle):
        return Circle(k * shape.radius, times(shape.center, k))
    if isinstance(shape, Polygon):
        return Polygon(k * shape.vertices, k * shape.skin_radius)
    kind, radius = (Capsule, shape.radius) if isinstance(shape, Capsule) else (Segment, shape.skin_radius)
    return kind(times(shape.p1, k), times(shape.p2, k), k * radius)


def scaled(s, k):
    moved = {name: Transform(times(getattr(s, name).position, k), getattr(s, name).angle) for name in ("xf_a", "xf_b", "end_a", "end_b")}
    return Scene(a=scaled_shape(s.a, k), b=scaled_shape(s.b, k), way=times(s.way, k), point=times(s.point, k), **moved)


@PROFILE
@given(scenes, st.sampled_from([2.0**-20, 2.0**-10, 2.0**10, 2.0**20]))
def test_scaling_by_a_power_of_two_is_exact(scene, k):
    for name, ask in QUESTIONS.items():
        original, other = ask(scene), ask(scaled(scene, k))
        expected = replace(original, lengths=times(original.lengths, k), points=tuple(times(point, k) for point in original.points))
        assert other == expected, name


@PROFILE
@given(shapes, poses, st.sampled_from([2.0**-10, 2.0**10]), size)
def test_scaling_boxes_and_masses_is_exact(shape, xf, k, density):
    large, there = scaled_shape(shape, k), Transform(times(xf.position, k), xf.angle)
    assert (large.aabb(there).lower, large.aabb(there).upper) == (times(shape.aabb(xf).lower, k), times(shape.aabb(xf).upper, k))
    if not isinstance(shape, Segment):
        mass, other = shape.mass(density), large.mass(density)
        assert (other.area, other.mass, other.inertia) == (k**2 * mass.area, k**2 * mass.mass, k**4 * mass.inertia)
        assert other.centroid == times(mass.centroid, k)


# -- swapping and rigid motion


def gap_of(s):
    """Return the separation, negative by the depth."""
    apart, deep = query.distance(s.a, s.xf_a, s.b, s.xf_b), query.penetration(s.a, s.xf_a, s.b, s.xf_b)
    assert deep.status is not Status.SEPARATED or apart.separation > 0.0
    return -deep.depth if deep.status is not Status.SEPARATED else apart.separation


def skins_and_radii(s):
    return ends_of(s.a)[1] + ends_of(s.b)[1]


def swapped(s):
    return Scene(s.b, s.xf_b, s.a, s.xf_a, s.end_b, s.end_a, times(s.way, -1.0), s.point)


@PROFILE
@given(scenes)
def test_swapping_mirrors(scene):
    u, gap = scene.rounding, gap_of(scene)
    other = swapped(scene)
    assert abs(gap - gap_of(other)) <= 4.0 * u
    is_clear = abs(gap) > 4.0 * u
    for name in ("overlap", "distance", "penetration", "contact_set"):
        original, two = QUESTIONS[name](scene), QUESTIONS[name](other)
        if is_clear:
            assert original.words[0] == two.words[0], name
    original, two = ask_manifold(scene), ask_manifold(other)
    if original.lengths and two.lengths:
        assert abs(min(original.lengths) - min(two.lengths)) <= 4.0 * u
        # where only one axis is the shallowest, it is the same one turned round
        if isinstance(scene.a, Circle) and np.allclose(original.directions, np.negative(two.directions), atol=1e-6):
            assert np.allclose(original.points[0], two.points[0], atol=1e-6)
    if gap > 1e-3:  # two convex shapes that are apart have one direction; an error of both ends turns it by as much over the gap
        there, back = ask_distance(scene).directions[0], ask_distance(other).directions[0]
        assert np.allclose(there, times(back, -1.0), rtol=0.0, atol=8.0 * u / (gap + skins_and_radii(scene)))
    # B slides along the way: the same as A sliding against it
    first, second = ask_swept(scene), ask_swept(other)
    if is_clear and first.words[0] == second.words[0] == Status.HIT:
        speed = math.hypot(*scene.way)
        # a time errs by the length's error over the rate of closing, which the normal gives
        closing = -sum(n * w for n, w in zip(first.directions[0], scene.way, strict=True))
        if closing > 1e-3 * speed:
            assert abs(first.times[0] - second.times[0]) <= 8.0 * u / closing


def carried_scene(s, motion):
    ends = {name: carried(getattr(s, name), motion) for name in ("xf_a", "xf_b", "end_a", "end_b")}
    return replace(s, way=motion.rotate(s.way), point=motion.apply(s.point), **ends)


@PROFILE
@given(scenes, poses)
def test_rigid_motion_changes_nothing(scene, motion):
    other = carried_scene(scene, motion)
    u, gap = scene.rounding + other.rounding, gap_of(scene)
    assert abs(gap - gap_of(other)) <= 5.0 * u
    if abs(gap) > 5.0 * u:
        for name in ("overlap", "distance", "penetration", "contact_set"):
            assert QUESTIONS[name](scene).words[0] == QUESTIONS[name](other).words[0], name
    original, two = ask_manifold(scene), ask_manifold(other)
    if original.lengths and two.lengths:
        assert abs(min(original.lengths) - min(two.lengths)) <= 5.0 * u
        if len(original.lengths) == len(two.lengths) and np.allclose(motion.rotate(original.directions[0]), two.directions[0], atol=1e-7):
            # the same axis: then the same points; steep clips may move along their edge
            ids = zip(original.words[1:], two.words[1:], original.lengths, two.lengths, strict=True)
            assert all(abs(p - q) < 1e-6 for id, other_id, p, q in ids if id == other_id)
    if gap > 1e-3:
        assert np.allclose(motion.rotate(ask_distance(scene).directions[0]), ask_distance(other).directions[0], atol=1e-9)
    for name in ("swept_contact", "shape_cast", "ray_cast"):
        original, two = QUESTIONS[name](scene), QUESTIONS[name](other)
        if original.words[0] == two.words[0] == Status.HIT and original.directions and two.directions:
            closing = abs(sum(n * w for n, w in zip(original.directions[0], scene.way, strict=True)))
            if closing > 1e-3 * math.hypot(*scene.way):
                assert abs(original.times[0] - two.times[0]) <= 10.0 * u / closing, name
                if name == "ray_cast":  # the others may name any point of an edge that touches
                    off = math.dist(motion.apply(original.points[0]), two.points[0])
                    assert off <= 10.0 * u * (1.0 + math.hypot(*scene.way) / closing)
    inside = query.contains(scene.a, scene.xf_a, scene.point)
    point = Segment(scene.point, scene.point)
    if abs(gap_of(replace(scene, b=point, xf_b=Transform()))) > 5.0 * u:
        assert inside == query.contains(other.a, other.xf_a, other.point)


# -- parting, and what happens before a touch


@PROFILE
@given(scenes)
def test_moving_b_by_the_depth_leaves_them_touching(scene):
    u = scene.rounding
    deep = query.penetration(scene.a, scene.xf_a, scene.b, scene.xf_b)
    if deep.status is Status.SEPARATED:
        return
    parted = replace(scene, xf_b=shifted(scene.xf_b, times(deep.normal, deep.depth)))
    assert abs(gap_of(parted)) <= 4.0 * (u + parted.rounding)
    beyond = replace(scene, xf_b=shifted(scene.xf_b, times(deep.normal, deep.depth + 8.0 * (u + parted.rounding))))
    assert not query.overlap(beyond.a, beyond.xf_a, beyond.b, beyond.xf_b)
    assert query.contact_set(beyond.a, beyond.xf_a, beyond.b, beyond.xf_b).status is Status.SEPARATED
    if deep.depth > 16.0 * u:
        short = replace(scene, xf_b=shifted(scene.xf_b, times(deep.normal, deep.depth - 8.0 * (u + parted.rounding))))
        assert query.overlap(short.a, short.xf_a, short.b, short.xf_b)
    contact = query.manifold(scene.a, scene.xf_a, scene.b, scene.xf_b)
    has_corners = isinstance(scene.a, Polygon) and isinstance(scene.b, Polygon) and skins(scene.a, scene.b) > 0.0
    if contact.points and not has_corners:
        # two polygons with skins are square-cornered to a manifold and round to `penetration`: see docs/algorithms/manifold.md
        assert abs(skins(scene.a, scene.b) - min(point.separation for point in contact.points) - deep.depth) <= 4.0 * u


@PROFILE
@given(scenes)
def test_nothing_overlaps_before_contact(scene):
    """Just before the first contact of a slide or cast, the shapes are apart; at it, they touch; and between the first and last contact,
    they overlap.

    Without contact, they are apart along the whole path.
    """
    allowed = 8.0 * scene.rounding
    for name, moving, end in (("swept_contact", "xf_b", 4.0), ("shape_cast", "xf_a", 1.0)):
        answer = QUESTIONS[name](scene)

        def at(time, moving=moving):
            return gap_of(replace(scene, **{moving: shifted(getattr(scene, moving), times(scene.way, time))}))

        if answer.words[0] is Status.MISS:
            assert all(at(end * k / 16.0) >= -allowed for k in range(17)), name
        if answer.words[0] is not Status.HIT or not answer.directions:
            continue
        first = answer.times[0]
        assert abs(at(first)) <= allowed, name
        for share in (0.0, 0.3, 0.7, 0.99):
            assert at(share * first) >= -allowed, name
        if name == "swept_contact" and math.isfinite(answer.times[1]):
            assert abs(at(answer.times[1])) <= allowed
            assert at(0.5 * (first + answer.times[1])) <= allowed
