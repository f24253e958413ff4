"""Whom may the bullet meet within the next moment, how fast do they close in, and when do they touch?

The rules of our own (`engine.experiments.rules`) ask this before each step. Bodies are taken to go on as they move now: straight,
turning evenly, by what Box2D lets anything move in a step. What changes a velocity within the step, gravity or a joint, is not
foreseen. Gravity displaces a body that falls freely by g h^2 at the most over a step of h seconds, 3 mm at 60 Hz. Joints do more: a link
of a chain may be drawn along with any other, or stopped by what the chain hangs on, within the step. So each link is a body whose
velocity is known only up to its *pull*, the most by which it differs from that of any other body of its chain, and what is said of such
a body is trusted only for as long as the pull takes it no farther than the thinner of the two. A chain at rest has no pull.

    broad    boxes round the whole ways of both, and the filters of the fixtures: most pairs end here
    narrow   the first touch on the way (`engine.query.time_of_impact`), for each pair that is left
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from engine import query
from engine.common.limits import MAX_ROTATION_PER_STEP, MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import LINEAR_SLOP
from engine.contracts import Status
from engine.geometry import AABB, Circle, FixtureShape, Polygon, Sweep, Transform
from engine.world import World
from engine.world.specs import FixtureSpec

__all__ = ["Lookahead", "Meeting", "SweptCandidate", "depth_aimed_at", "look_ahead", "sweep_of", "swept_candidates", "thinnest"]


@dataclass(frozen=True, slots=True)
class SweptCandidate:
    """A fixture that the bullet may meet.

    Attributes
    ----------
    body, shape, sweep, is_sensor : of the other.
    closing_speed : float
        How fast the two may come nearer at the most, m/s: both velocities, and the turning of both times their sizes.
    turning_speed : float
        The part of it that turning makes.
    pull : float
        How fast joints may make it go otherwise than it goes now, m/s; 0 of a body without joints.
    """

    body: int
    shape: FixtureShape
    sweep: Sweep
    is_sensor: bool
    closing_speed: float
    turning_speed: float
    pull: float


@dataclass(frozen=True, slots=True)
class Meeting:
    """The touch of the bullet and a fixture: the fraction of the way, the poses, the point, the unit normal onto the bullet."""

    candidate: SweptCandidate
    fraction: float
    bullet: Transform
    other: Transform
    point: tuple[float, float] | None
    normal: tuple[float, float] | None


def depth_aimed_at(shape: FixtureShape) -> float:
    """Return how deep a meeting lets the bullet into the other's outline, metres, skins included.

    Box2D makes contact points where the outlines overlap. A bullet brought to the very touch would lie beyond it or before it by
    the rounding of float32, 8e-6 m at 100 m, and in the second case Box2D would let it fly on. One slop is what the solver leaves
    everywhere, and half of a tiny bullet is still before the middle of whatever it meets.
    """
    size = shape.radius if isinstance(shape, Circle) else 2.0 * LINEAR_SLOP
    return min(LINEAR_SLOP, 0.5 * size)


def thinnest(shape: FixtureShape) -> float:
    """Return the least width of a shape, without skin: a disc's diameter, a polygon's least distance of parallel lines round it."""
    if isinstance(shape, Circle):
        return 2.0 * shape.radius
    if not isinstance(shape, Polygon):
        return 2.0 * shape.skin_radius
    return min(float(((shape.vertices - corner) @ -normal).max()) for corner, normal in zip(shape.vertices, shape.normals, strict=True))


def sweep_of(world: World, body: int, duration: float, n_steps: int = 1) -> Sweep:
    """Return the motion of a body over the next `duration` seconds, at its present velocity, within Box2D's caps for `n_steps`."""
    state = world.state(body)
    (vx, vy), turn = state.linear_velocity, state.angular_velocity * duration
    way = math.hypot(vx, vy) * duration
    share = duration * (min(1.0, n_steps * MAX_TRANSLATION_PER_STEP / way) if way > 0.0 else 1.0)
    turn = max(-n_steps * MAX_ROTATION_PER_STEP, min(n_steps * MAX_ROTATION_PER_STEP, turn))
    center = world.body(body).local_center
    x, y = state.xf.apply(center)
    back = Transform((0.0, 0.0), state.angle + turn).apply(center)
    end = Transform((x + vx * share - back[0], y + vy * share - back[1]), state.angle + turn)
    return Sweep(state.xf, end, center)


def swept_candidates(world: World, bullet: int, duration: float, n_steps: int = 1) -> Iterator[SweptCandidate]:
    """Return what the bullet may meet within the next `duration` seconds: all whose boxes meet and whose filters let them.

    `n_steps` is the number of Box2D's steps that the time may be made of: its caps hold for each.
    """
    own = world.fixture(world.body(bullet).fixtures[0])
    way = sweep_of(world, bullet, duration, n_steps)
    box = _swept_box(own.shape, way)
    moving = world.state(bullet)
    pulls = _pulls(world)
    for fixture_id in world.fixture_ids:
        fixture = world.fixture(fixture_id)
        if fixture.body == bullet or not _may_collide(own.spec, fixture.spec):
            continue
        sweep = sweep_of(world, fixture.body, duration, n_steps)
        pull = pulls.get(fixture.body, 0.0)
        if not box.overlaps(_swept_box(fixture.shape, sweep, pull * duration)):
            continue
        other = world.state(fixture.body)
        (vx, vy), (ux, uy) = moving.linear_velocity, other.linear_velocity
        turning = abs(moving.angular_velocity) * _extent(own.shape, way) + abs(other.angular_velocity) * _extent(fixture.shape, sweep)
        yield SweptCandidate(fixture.body, fixture.shape, sweep, fixture.spec.sensor, math.hypot(vx - ux, vy - uy) + turning, turning, pull)


@dataclass(frozen=True, slots=True)
class Lookahead:
    """What was found ahead: the first meeting, for how many seconds that can be trusted, and the pairs asked about."""

    meeting: Meeting | None
    trusted: float
    n_asked: int


def look_ahead(world: World, bullet: int, duration: float, found: list[SweptCandidate], felt: set[int]) -> Lookahead:
    """Return the first meeting of the bullet with one of what was found within its reach; sensors too, but those in `felt`.

    A pair that touches already is Box2D's: its solver lets nothing approach along a contact, and a convex shape lies behind the line
    of its contact altogether, so that the bullet gets no deeper. That holds as long as neither turns. If one does, its outline may
    sweep through the bullet, and the answer is trusted only for as long as that takes it no farther than the thinner of the two; so too,
    touching or not, what is said of a body that joints pull at.
    """
    own = world.fixture(world.body(bullet).fixtures[0]).shape
    depth = depth_aimed_at(own)
    inner = own.with_radius(own.radius - depth)
    way = sweep_of(world, bullet, duration)
    best: Meeting | None = None
    n_asked, trusted = 0, math.inf
    for each in found:
        if each.is_sensor and each.body in felt:
            continue
        n_asked += 1
        touches = not each.is_sensor and query.distance(each.shape, each.sweep.start, own, way.start).separation < -0.5 * depth
        unforeseen = each.pull + (each.turning_speed if touches else 0.0)
        if unforeseen > 0.0:
            trusted = min(trusted, min(thinnest(own), thinnest(each.shape)) / unforeseen)
        if touches:
            continue
        impact = query.time_of_impact(each.shape, each.sweep, inner, way)
        if impact.status is Status.MISS or (best is not None and impact.fraction >= best.fraction):
            continue
        there, here = each.sweep.at(impact.fraction), way.at(impact.fraction)
        gap = query.distance(each.shape, there, own, here)
        best = Meeting(each, impact.fraction, here, there, gap.point_a, gap.normal)
    return Lookahead(best, trusted, n_asked)


def _pulls(world: World) -> dict[int, float]:
    """Return of each body on joints the most by which its velocity differs from that of a body that it hangs together with, m/s."""
    neighbours: dict[int, list[int]] = {}
    for joint in world.joint_ids:
        a, b = world.joint_bodies(joint)
        if a is not None:
            neighbours.setdefault(a, []).append(b)
            neighbours.setdefault(b, []).append(a)
    pulls: dict[int, float] = {}
    for first in neighbours:
        if first in pulls:
            continue
        chain, waiting = {first}, [first]
        while waiting:
            new = [other for other in neighbours[waiting.pop()] if other not in chain]
            chain.update(new)
            waiting.extend(new)
        velocities = {body: world.state(body).linear_velocity for body in chain}
        for body, (vx, vy) in velocities.items():
            pulls[body] = max(math.hypot(vx - ux, vy - uy) for ux, uy in velocities.values())
    return pulls


def _extent(shape: FixtureShape, sweep: Sweep) -> float:
    """Return the distance of the shape's farthest point from the centre that it turns about."""
    cx, cy = sweep.local_center
    box = shape.aabb(Transform((-cx, -cy)))
    return math.hypot(max(-box.lower[0], box.upper[0]), max(-box.lower[1], box.upper[1]))


def _swept_box(shape: FixtureShape, sweep: Sweep, margin: float = 0.0) -> AABB:
    """Return a box that holds the shape all the way, and a margin: of the two ends, or of the disc round a shape that turns."""
    if sweep.start.angle == sweep.end.angle:
        boxes = [shape.aabb(sweep.start), shape.aabb(sweep.end)]
    else:
        around = Circle(_extent(shape, sweep))
        boxes = [around.aabb(Transform(pose.apply(sweep.local_center))) for pose in (sweep.start, sweep.end)]
    left, bottom = (min(box.lower[axis] for box in boxes) - margin for axis in (0, 1))
    right, top = (max(box.upper[axis] for box in boxes) + margin for axis in (0, 1))
    return AABB((left, bottom), (right, top))


def _may_collide(a: FixtureSpec, b: FixtureSpec) -> bool:
    """Tell whether Box2D lets two fixtures meet (`b2ContactFilter::ShouldCollide`)."""
    if a.group == b.group != 0:
        return a.group > 0
    return a.mask & b.category != 0 and b.mask & a.category != 0
