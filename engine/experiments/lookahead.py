"""Finds the fixtures that the bullet can touch next, with closing speed and time.

Our rules (`engine.experiments.rules`) use it before each step. Bodies are assumed to continue their present motion: straight, with constant
rotation, within Box2D's limits per step. Changes of velocity within the step are ignored: gravity, which displaces a freely falling body by
at most g h^2, 3 mm at 60 Hz; and joints, which no target has.

    broad    boxes around both complete paths, and the fixtures' filters: rejects most pairs
    narrow   the first touch on the path (`engine.query.time_of_impact`), for each remaining pair
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from engine import query
from engine.common.limits import MAX_ROTATION_PER_STEP, MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import LINEAR_SLOP
from engine.contracts import Status
from engine.geometry import AABB, AnyShape, Circle, FixtureShape, Polygon, Sweep, Transform
from engine.world import World
from engine.world.specs import filters_agree

__all__ = [
    "Lookahead",
    "PredictedImpact",
    "SweptCandidate",
    "depth_aimed_at",
    "extent",
    "free_sweep",
    "look_ahead",
    "swept_candidates",
    "thinnest",
]


@dataclass(frozen=True, slots=True)
class SweptCandidate:
    """A fixture that the bullet can touch.

    Attributes
    ----------
    body, shape, sweep, is_sensor : of the other fixture. closing_speed : float
        Maximum closing speed, m/s: both velocities, and both angular velocities times the shapes' sizes.
    turning_speed : float
        The part of it that is caused by rotation.
    """

    body: int
    shape: FixtureShape
    sweep: Sweep
    is_sensor: bool
    closing_speed: float
    turning_speed: float


@dataclass(frozen=True, slots=True)
class PredictedImpact:
    """The touch of the bullet and a fixture: the fraction of the path, the poses, the point, and the unit normal toward the bullet."""

    candidate: SweptCandidate
    fraction: float
    bullet: Transform
    other: Transform
    point: tuple[float, float] | None
    normal: tuple[float, float] | None


def depth_aimed_at(shape: FixtureShape) -> float:
    """Return the depth of the bullet in the other's outline at an impact, meters, skins included.

    Exactly at the touch, float32 rounding, 8e-6 m at 100 m, could leave it just outside, where Box2D creates no contact. One slop is the
    overlap that the solver allows everywhere, and half of a tiny bullet is still in front of the middle of its target.
    """
    size = shape.radius if isinstance(shape, Circle) else 2.0 * LINEAR_SLOP
    return min(LINEAR_SLOP, 0.5 * size)


def thinnest(shape: FixtureShape) -> float:
    """Return the minimum width of a shape, without skin: a disc's diameter, or a polygon's minimum distance between enclosing parallel
    lines.
    """
    if isinstance(shape, Circle):
        return 2.0 * shape.radius
    if not isinstance(shape, Polygon):
        return 2.0 * shape.skin_radius
    return min(float(((shape.vertices - corner) @ -normal).max()) for corner, normal in zip(shape.vertices, shape.normals, strict=True))


def free_sweep(
    pose: tuple[float, float, float],
    velocity: tuple[float, float, float],
    seconds: float,
    local_center: tuple[float, float] = (0.0, 0.0),
    n_steps: int = 1,
) -> Sweep:
    """Return the unobstructed motion of a body, within Box2D's caps of 2 m and a quarter turn for each of `n_steps`.

    `pose` is (x, y, angle), `velocity` is linear (center of mass, m/s) and angular (rad/s); `local_center` is in the body's frame.
    """
    (vx, vy), turn = velocity[:2], velocity[2] * seconds
    way = math.hypot(vx, vy) * seconds
    share = seconds * (min(1.0, n_steps * MAX_TRANSLATION_PER_STEP / way) if way > 0.0 else 1.0)
    turn = max(-n_steps * MAX_ROTATION_PER_STEP, min(n_steps * MAX_ROTATION_PER_STEP, turn))
    start = Transform(pose[:2], pose[2])
    x, y = start.apply(local_center)
    back = Transform((0.0, 0.0), start.angle + turn).apply(local_center)
    return Sweep(start, Transform((x + vx * share - back[0], y + vy * share - back[1]), start.angle + turn), local_center)


def _sweep_of(world: World, body: int, seconds: float, n_steps: int = 1) -> Sweep:
    state = world.state(body)
    velocity = (*state.linear_velocity, state.angular_velocity)
    return free_sweep((*state.position, state.angle), velocity, seconds, world.body(body).local_center, n_steps)


def swept_candidates(world: World, bullet: int, duration: float, n_steps: int = 1) -> Iterator[SweptCandidate]:
    """Yield the fixtures that the bullet can touch within the next `duration` seconds, `n_steps` of Box2D's: boxes overlap and filters
    allow it.
    """
    own = world.fixture(world.body(bullet).fixtures[0])
    way = _sweep_of(world, bullet, duration, n_steps)
    box = _swept_box(own.shape, way)
    moving = world.state(bullet)
    for fixture_id in world.fixture_ids:
        fixture = world.fixture(fixture_id)
        if fixture.body == bullet or not filters_agree(own.spec, fixture.spec):
            continue
        sweep = _sweep_of(world, fixture.body, duration, n_steps)
        if not box.overlaps(_swept_box(fixture.shape, sweep)):
            continue
        other = world.state(fixture.body)
        (vx, vy), (ux, uy) = moving.linear_velocity, other.linear_velocity
        turning = abs(moving.angular_velocity) * extent(own.shape, way.local_center) + abs(other.angular_velocity) * extent(
            fixture.shape, sweep.local_center
        )
        yield SweptCandidate(fixture.body, fixture.shape, sweep, fixture.spec.sensor, math.hypot(vx - ux, vy - uy) + turning, turning)


@dataclass(frozen=True, slots=True)
class Lookahead:
    """Result of a look-ahead: the first impact, the seconds for which it is valid, and the number of pairs tested."""

    impact: PredictedImpact | None
    trusted: float
    n_asked: int


def look_ahead(world: World, bullet: int, duration: float, candidates: list[SweptCandidate], felt: set[int]) -> Lookahead:
    """Return the first impact of the bullet with one of the candidates, including sensors except those in `felt`.

    Box2D handles a pair that touches already: its solver prevents approach along a contact, and a convex shape is entirely behind the line
    of its contact, so that the bullet gets no deeper. If one of the two rotates, its outline can sweep through the bullet, and the result
    is valid only while it moves no farther than the thinner of the two.
    """
    own = world.fixture(world.body(bullet).fixtures[0]).shape
    depth = depth_aimed_at(own)
    inner = own.with_radius(own.radius - depth)
    way = _sweep_of(world, bullet, duration)
    best: PredictedImpact | None = None
    n_asked, trusted = 0, math.inf
    for each in candidates:
        if each.is_sensor and each.body in felt:
            continue
        n_asked += 1
        touches = not each.is_sensor and query.distance(each.shape, each.sweep.start, own, way.start).separation < -0.5 * depth
        if touches and each.turning_speed > 0.0:
            trusted = min(trusted, min(thinnest(own), thinnest(each.shape)) / each.turning_speed)
        if touches:
            continue
        impact = query.time_of_impact(each.shape, each.sweep, inner, way)
        if impact.status is Status.MISS or (best is not None and impact.fraction >= best.fraction):
            continue
        there, here = each.sweep.at(impact.fraction), way.at(impact.fraction)
        gap = query.distance(each.shape, there, own, here)
        best = PredictedImpact(each, impact.fraction, here, there, gap.point_a, gap.normal)
    return Lookahead(best, trusted, n_asked)


def extent(shape: AnyShape, center: tuple[float, float] = (0.0, 0.0)) -> float:
    """Return a bound on the distance of a shape's farthest point from a center, both in the body's frame, from its bounding box."""
    cx, cy = center
    box = shape.aabb(Transform((-cx, -cy)))
    return math.hypot(max(-box.lower[0], box.upper[0]), max(-box.lower[1], box.upper[1]))


def _swept_box(shape: FixtureShape, sweep: Sweep) -> AABB:
    """Return a box that contains the shape during the whole motion: around both ends, or around the disc of a rotating shape."""
    if sweep.start.angle == sweep.end.angle:
        boxes = [shape.aabb(sweep.start), shape.aabb(sweep.end)]
    else:
        around = Circle(extent(shape, sweep.local_center))
        boxes = [around.aabb(Transform(pose.apply(sweep.local_center))) for pose in (sweep.start, sweep.end)]
    left, bottom = (min(box.lower[axis] for box in boxes) for axis in (0, 1))
    right, top = (max(box.upper[axis] for box in boxes) for axis in (0, 1))
    return AABB((left, bottom), (right, top))
