"""First touches of bodies that move and turn within a step, in the order of time, and what bounces, stops or is carried along there.

**How deep is deep.** The gap of two shapes is that between their cores less their radii, negative where they overlap: then it is minus the
least way that parts them. A pair that was apart as the step began may close its gap, and no more. One that was in contact may get as deep
as `SHALLOW` of what is inside the smaller of its fast bodies, so that what slides or rests is not held up at every rounding; where it
is deeper already, `DEEP`; and deeper than that, no deeper than it is. So a body that was on its own side of another one stays there, step
after step. Two bodies that contacts can move are not held where the middle of one is inside the other: of a heap that was put into
itself nothing could ever leave, and contacts alone push them apart. A first touch at a depth is a first touch of shapes whose radii are
smaller by it, and where the cores overlap conservative advancement (`engine.continuous._advancement_kernel`) still holds: its gap is the
greatest over the faces of both, and its bound that of the face that has it.

**What happens at a touch.** A body is in one of four states, and only ever goes on to a later one::

    FREE      moves as the solver left it, or as its last impact did
    STANDS    was fast, and met something on its way; or was met by something fast, or met something that had been stopped: it stays where
              it touched, so that the two still touch as the next step begins
    CARRIED   was met by something that nothing can stop, a kinematic body, and goes along with it; or by a body that is carried
    HELD      was carried against something that cannot be carried too: it stays there, and what carried it goes on without it

**What bounces.** A dynamic body is *free* if neither a contact nor a joint acts on it as the step ends, and what it touched as the step
began has pushed it off. Its velocity at time t is then known, ``v - a (1 - t) dt``. If one body of a touch is free and the other one is
free too, or nothing that contacts can move, the touch is an impact: the bodies get its impulses, by Newton's law of restitution and
Coulomb's law of friction, and move on from there for the rest of the step, on ``x + v s + a s^2 / 2``. The normal is that of the gap; the
points are the ends of what touches. After `MAX_IMPACTS` a body stops. A body that others hold always stops: its impact is one of all of
them, which the solver solves in the next step.

Each body's motion since its last change is one straight, evenly turning sweep. The pairs of a body that has changed are tested again from
that moment on. If an impact throws a body farther than its pairs are known, `play` returns, and more are added. As the changes of a body
are limited in number, this ends.
"""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, borrowing_kernel, inlined_kernel, kernel
from engine.common.tolerances import LINEAR_SLOP
from engine.continuous._advancement_kernel import advance
from engine.continuous._core_kernel import core_axis
from engine.continuous._impact_kernel import prepare_pair
from engine.continuous._motion_kernel import ENDS_SIZE, MOTION_SIZE, PLACED_SIZE, Moving, Search, motion_window, place, reach_about
from engine.contracts.status import MISS
from engine.dynamics._impact_kernel import normal_impulses
from engine.dynamics._row_kernel import Arm, apply_at_point, relative_velocity, response
from engine.dynamics.model import COUNT, FLAGS, IMPULSE, SEPARATION, TOTAL, TOUCH
from engine.geometry._rotation_kernel import cosine_and_sine
from engine.narrowphase._sides_kernel import Arrays, Shapes, most_vertices

__all__ = [
    "CARRIED", "DEEP", "ENDED", "FREE", "HELD", "MAX_IMPACTS", "OUTGROWN", "SENSES", "SHALLOW", "STANDS", "UNKNOWN", "Meetings",
    "Moments", "Paths", "Surfaces", "farthest_moves", "pairs_of_some", "play",
]  # fmt: skip

FREE, STANDS, CARRIED, HELD = range(4)

SHALLOW, DEEP = 0.5, 0.9
"""Shares of what is inside a body, the distance from the middle of a shape to its nearest edge."""

MAX_IMPACTS = 16
"""Maximum number of impacts of a body within a step, after which it stops. A ball at 200 m/s between walls 1 m apart has four."""

NEVER, UNKNOWN = 2.0, -1.0
"""Fractions of the step: nothing happens; to be computed."""

SENSES = -1.0
"""In place of a depth, for a pair with a sensor: whatever touches counts, at the start too."""

ENDED, OUTGROWN = -1, -2
"""In place of a pair about which to ask: all is done; a body moves farther than its pairs are known."""

_SLACK = 4.0
"""Tolerances of a time of impact by which a pair that is deep already may still get deeper: what rounding may make of no motion at all."""


class Paths(NamedTuple):
    """Motions of bodies over a step, a row each.

    Attributes
    ----------
    since : float64 (n,)
        Fraction of the step at which the present motion began.
    at, end : float64 (n, 3)
        Poses of the origins then, and at the end of the step.
    center : float64 (n, 2)
        Of mass, body frame: what moves on a straight line.
    moved : float64 (n,)
        Farthest that any point of each moves, m.
    reach, inner_radius : float64 (n,)
        Farthest point of the body from its center of mass, and its inside, m.
    is_dynamic, is_fast : bool (n,)
    is_free : bool (n + 1,)
        Dynamic bodies that touch nothing and that no joint holds; see `farthest_moves`.
    state : int64 (n,)
        `FREE`, `STANDS`, `CARRIED` or `HELD`.
    carrier : int64 (n,)
        The kinematic body that a body goes along with; itself for a kinematic body, else -1.
    first_stop : float64 (n,)
        Fraction of the step up to which each moved as the solver left it.
    velocity : float64 (n, 3)
        At the end of the present motion.
    push, inverse : float64 (n, 3), float64 (n, 2)
        Acceleration; 1/kg and 1/(kg m^2). See `Bodies`.
    n_impacts : int64 (n,)
    origin : float64 (n, 2)
        Center of mass as the step begins.
    covered : float64 (n,)
        Distance from there, m, within which all pairs of a body that has bounced are known.
    """

    since: FloatArray
    at: FloatArray
    end: FloatArray
    center: FloatArray
    moved: FloatArray
    reach: FloatArray
    inner_radius: FloatArray
    is_dynamic: NDArray[np.bool_]
    is_fast: NDArray[np.bool_]
    is_free: NDArray[np.bool_]
    state: IntArray
    carrier: IntArray
    first_stop: FloatArray
    velocity: FloatArray
    push: FloatArray
    inverse: FloatArray
    n_impacts: IntArray
    origin: FloatArray
    covered: FloatArray


class Surfaces(NamedTuple):
    """Columns of `Tables` for fixtures, (m,)."""

    shape: IntArray
    friction: FloatArray
    restitution: FloatArray


class Meetings(NamedTuple):
    """Pairs that may meet, a row each.

    Attributes
    ----------
    fixtures, bodies : int64 (n, 2)
        Rows.
    allowed : float64 (n,)
        Inside of which `SHALLOW` is the depth that the pair may reach, m; 0 where it was not in contact; `SENSES` for a sensor.
    first : float64 (n,)
        Fraction of the step at which the pair next touches; `NEVER` or `UNKNOWN`.
    is_open, is_asked : bool (n,)
        Whether the pair may stop anything, or has yet to be sensed; and whether someone was asked about that.
    """

    fixtures: IntArray
    bodies: IntArray
    allowed: FloatArray
    first: FloatArray
    is_open: NDArray[np.bool_]
    is_asked: NDArray[np.bool_]


class Moments(NamedTuple):
    """Events of the step, in chronological order.

    Attributes
    ----------
    n_moments : int64 (1,)
    pair : int64 (m,)
        Rows of `Meetings`; there is room for three changes and all impacts of each body.
    poses : float64 (m, 7)
        Of both bodies then, and the fraction of the step.
    is_impact : bool (m,)
        Whether the bodies got the impulses of an impact.
    points, impulse : float64 (m, 2, 2)
        Points of the impact, world frame; impulses along the normal and the tangent, N s.
    """

    n_moments: IntArray
    pair: IntArray
    poses: FloatArray
    is_impact: NDArray[np.bool_]
    points: FloatArray
    impulse: FloatArray


class Room(NamedTuple):
    """Room to work in; and of each body's present motion the center of mass at its start and the way of it, float64 (n, 4)."""

    cores: FloatArray
    moved: FloatArray
    motion: FloatArray
    ends: FloatArray
    placed: FloatArray
    lines: FloatArray


@kernel
def farthest_moves(
    before: FloatArray, after: FloatArray, center: FloatArray, reach: FloatArray, inner_radius: FloatArray, moves: NDArray[np.bool_],
    is_dynamic: NDArray[np.bool_], solved: IntArray, ints: IntArray, floats: FloatArray, links: IntArray,
) -> tuple[FloatArray, NDArray[np.bool_], NDArray[np.bool_], bool, NDArray[np.bool_]]:  # fmt: skip
    """Return the farthest that any point of each body may move, which dynamic bodies are fast, which others are fast enough to matter,
    whether there is any of either, and which bodies are free: moving, without a joint, and without a contact that
    pushes as the step ends or touches as it begins and does not push them apart.

    A body is fast where that is more than `SHALLOW` of its inside, or what is left to `DEEP` where it lies deep in one that is not dynamic.

    Parameters
    ----------
    before, after : float64 (n, 6)
        x, y, angle of bodies as the step begins and as it ends, and their velocities.
    solved, ints, floats
        Contacts as the step began, with the impulses of the method; see `model`.
    links : int64 (l, 2)
        Rows of bodies that joints connect.
    """
    n = len(before)
    moved, deepest, is_free = np.zeros(n), np.zeros(n), moves & is_dynamic
    is_fast, drives, is_any = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_), False
    for link in range(len(links)):
        is_free[links[link, 0]] = is_free[links[link, 1]] = False
    for contact in range(len(solved)):
        row = solved[contact, 0]
        for k in range(ints[row, FLAGS] & COUNT):
            rests = floats[row, SEPARATION + k] <= TOUCH and floats[row, TOTAL + 2 * k] <= 0.0
            if rests or floats[row, IMPULSE + 2 * k] > 0.0:
                is_free[solved[contact, 1]] = is_free[solved[contact, 2]] = False
            for side in range(2):
                body, other = solved[contact, 1 + side], solved[contact, 2 - side]
                if body < n and not (other < n and is_dynamic[other]):
                    deepest[body] = max(deepest[body], -floats[row, SEPARATION + k])
    least = np.inf
    for body in range(n):
        if is_dynamic[body]:
            least = min(least, inner_radius[body])
        if moves[body]:
            x, y = after[body, 0] - before[body, 0], after[body, 1] - before[body, 1]
            far = reach[body] + math.hypot(center[body, 0], center[body, 1])
            moved[body] = math.hypot(x, y) + abs(after[body, 2] - before[body, 2]) * far
    for body in range(n):
        if is_dynamic[body]:
            is_fast[body] = moved[body] > min(SHALLOW * inner_radius[body], DEEP * inner_radius[body] - deepest[body]) and moved[body] > 0.0
        else:
            drives[body] = moved[body] > SHALLOW * least
        is_any = is_any or is_fast[body] or drives[body]
    return moved, is_fast, drives, is_any, is_free


@kernel
def pairs_of_some(boxes: FloatArray, some: IntArray, is_some: NDArray[np.bool_], size: int) -> IntArray:
    """Return the pairs (n, 2) of boxes (m, 4) that overlap, one of them at least among `some` rows, lower row first.

    Every `size` boxes are those of a world, and overlap none of another world.
    """
    n_pairs = 0
    pairs = np.empty((16, 2), dtype=np.int64)
    for k in range(len(some)):
        i = some[k]
        first = i // size * size
        for j in range(first, first + size):
            if j == i or (is_some[j] and j < i):
                continue
            if boxes[i, 0] <= boxes[j, 2] and boxes[j, 0] <= boxes[i, 2] and boxes[i, 1] <= boxes[j, 3] and boxes[j, 1] <= boxes[i, 3]:
                if n_pairs == len(pairs):
                    larger = np.empty((2 * n_pairs, 2), dtype=np.int64)
                    larger[:n_pairs] = pairs
                    pairs = larger
                pairs[n_pairs, 0], pairs[n_pairs, 1] = min(i, j), max(i, j)
                n_pairs += 1
    return pairs[:n_pairs].copy()


@allocating_kernel
def _room(packed: Arrays, n_bodies: int) -> Room:
    most = most_vertices(packed[2])
    cores, moved = np.empty((2, most, 2)), np.empty((2, most, 2))
    return Room(cores, moved, np.empty(MOTION_SIZE), np.empty(ENDS_SIZE), np.empty(PLACED_SIZE), np.empty((n_bodies, 4)))


@inlined_kernel
def _write_between(to: FloatArray, first: int, at: FloatArray, end: FloatArray, center: FloatArray, body: int, share: float) -> None:
    """Write into `to`, from `first` on, the pose a share of the way from one pose of a body to another, its center of mass on the line."""
    if share <= 0.0 or share >= 1.0:
        source = at if share <= 0.0 else end
        to[first], to[first + 1], to[first + 2] = source[body, 0], source[body, 1], source[body, 2]
        return
    x, y = center[body, 0], center[body, 1]
    angle = (1.0 - share) * at[body, 2] + share * end[body, 2]
    (cos_0, sin_0), (cos_1, sin_1) = cosine_and_sine(at[body, 2]), cosine_and_sine(end[body, 2])
    cos, sin = cosine_and_sine(angle)
    x_0, y_0 = at[body, 0] + cos_0 * x - sin_0 * y, at[body, 1] + sin_0 * x + cos_0 * y
    x_1, y_1 = end[body, 0] + cos_1 * x - sin_1 * y, end[body, 1] + sin_1 * x + cos_1 * y
    to[first] = (1.0 - share) * x_0 + share * x_1 - (cos * x - sin * y)
    to[first + 1] = (1.0 - share) * y_0 + share * y_1 - (sin * x + cos * y)
    to[first + 2] = angle


@inlined_kernel
def _write_pose(to: FloatArray, first: int, paths: Paths, body: int, time: float) -> None:
    """Write the pose of a body at a time of its present motion."""
    since = paths.since[body]
    share = (time - since) / (1.0 - since) if since < 1.0 else 1.0
    _write_between(to, first, paths.at, paths.end, paths.center, body, share)


@inlined_kernel
def _note_core(shapes: Shapes, shape: int, x: float, y: float, core: FloatArray) -> None:
    """Write the corners of a shape about a center."""
    for k in range(shapes.n_vertices[shape]):
        core[k, 0], core[k, 1] = shapes.vertices[shapes.first[shape] + k, 0] - x, shapes.vertices[shapes.first[shape] + k, 1] - y


@inlined_kernel
def _sweeps(shapes: Shapes, a: int, b: int, room: Room) -> tuple[Moving, bool, float, float, float, float, float]:
    """Prepare the two sweeps in `room.ends`, A's and B's, for the advancement, which wants a point second.

    Return the motion, whether A and B were swapped for that, the sum of the radii, the tolerance, the window of time in which they may
    touch, and the sum of both reaches.
    """
    ends, is_swapped = room.ends, shapes.n_vertices[a] == 1 and shapes.n_vertices[b] > 1
    if is_swapped:
        a, b = b, a
        for k in range(8):
            ends[k], ends[8 + k] = ends[8 + k], ends[k]
    n_a, n_b, low_a, low_b = shapes.n_vertices[a], shapes.n_vertices[b], shapes.first[a], shapes.first[b]
    core_a, core_b = room.cores[0, :n_a], room.cores[1, :n_b]
    _note_core(shapes, a, ends[6], ends[7], core_a)
    _note_core(shapes, b, ends[14], ends[15], core_b)
    rho_a, rho_b = reach_about(shapes.vertices, low_a, n_a, ends[6], ends[7]), reach_about(shapes.vertices, low_b, n_b, ends[14], ends[15])
    radii, extent_a, extent_b = shapes.radius[a] + shapes.radius[b], shapes.extent[a], shapes.extent[b]
    _, tolerance, _, first, last = prepare_pair(ends, rho_a, extent_a, rho_b, extent_b, radii, False, 1.0, room.motion)
    moving = Moving(
        room.motion, core_a, shapes.normals[low_a : low_a + n_a], core_b, shapes.normals[low_b : low_b + n_b],
        room.moved[0, :n_b], room.moved[1, :n_b], room.placed,
    )  # fmt: skip
    return moving, is_swapped, radii, tolerance, first, last, rho_a + rho_b


@borrowing_kernel
def _touch_of_sweeps(shapes: Shapes, a: int, b: int, allowed: float, are_driven: bool, has_bounced: bool, room: Room) -> float:
    """Return the fraction of the two sweeps in `room.ends`, A's and B's, at which the shapes touch, or get too deep; `NEVER` if not.

    `allowed` is as in `Meetings`; `are_driven` where contacts can move both. After an impact no pair may get any deeper.
    """
    moving, _, radii, tolerance, first, last, rho = _sweeps(shapes, a, b, room)
    if first > last:
        return NEVER
    target, depth = radii, -np.inf
    if first == 0.0 and allowed != SENSES:
        place(moving, 0.0)
        gap, _, _, _, _ = core_axis(moving.core_a, moving.normals_a, moving.moved, moving.moved_normals, np.inf, moving.motion[10])
        depth = radii - gap + _SLACK * tolerance
        if are_driven and depth > max(allowed, LINEAR_SLOP):
            return NEVER
    if has_bounced:
        allowed = 0.0
    deepest = max(SHALLOW * allowed, depth if depth > 0.0 else 0.0)
    if allowed > 0.0 and depth > SHALLOW * allowed:
        deepest = max(DEEP * allowed, depth)
    if deepest > 0.0:
        target = radii - deepest
        if target + tolerance + rho <= 0.0:
            return NEVER
        first, last = motion_window(moving.motion, target + tolerance, 1.0)
        if first > last:
            return NEVER
    status, fraction, _ = advance(moving, Search(target, tolerance, -np.inf, first, last, 1.0), None)
    at: float = fraction
    return NEVER if status == MISS else at


@inlined_kernel
def _next_touch(shapes: Shapes, surfaces: Surfaces, paths: Paths, meetings: Meetings, row: int, room: Room) -> float:
    """Return the fraction of the step at which a pair next touches, by the present motions of both."""
    i, j = meetings.bodies[row, 0], meetings.bodies[row, 1]
    since, ends = max(paths.since[i], paths.since[j]), room.ends
    if since >= 1.0 or _pass_by(paths, i, j, since, room.lines):
        return NEVER
    _write_pose(ends, 0, paths, i, since)
    _write_pose(ends, 3, paths, i, 1.0)
    _write_pose(ends, 8, paths, j, since)
    _write_pose(ends, 11, paths, j, 1.0)
    ends[6], ends[7], ends[14], ends[15] = paths.center[i, 0], paths.center[i, 1], paths.center[j, 0], paths.center[j, 1]
    are_driven, has_bounced = paths.is_dynamic[i] and paths.is_dynamic[j], paths.n_impacts[i] + paths.n_impacts[j] > 0
    shape_a, shape_b = surfaces.shape[meetings.fixtures[row, 0]], surfaces.shape[meetings.fixtures[row, 1]]
    fraction = _touch_of_sweeps(shapes, shape_a, shape_b, meetings.allowed[row], are_driven, has_bounced, room)
    return NEVER if fraction >= 1.0 else since + (1.0 - since) * fraction


@inlined_kernel
def _pass_by(paths: Paths, i: int, j: int, since: float, lines: FloatArray) -> bool:
    """Return True if the circles around two bodies do not meet from a time on."""
    left_i, left_j = (1.0 - since) / (1.0 - paths.since[i]), (1.0 - since) / (1.0 - paths.since[j])
    vx, vy = left_j * lines[j, 2] - left_i * lines[i, 2], left_j * lines[j, 3] - left_i * lines[i, 3]
    x = lines[j, 0] + (1.0 - left_j) * lines[j, 2] - lines[i, 0] - (1.0 - left_i) * lines[i, 2]
    y = lines[j, 1] + (1.0 - left_j) * lines[j, 3] - lines[i, 1] - (1.0 - left_i) * lines[i, 3]
    square, reach = vx * vx + vy * vy, paths.reach[i] + paths.reach[j] + LINEAR_SLOP
    share = min(max(-(x * vx + y * vy) / square, 0.0), 1.0) if square > 0.0 else 0.0
    x, y = x + share * vx, y + share * vy
    return bool(x * x + y * y > reach * reach)


@inlined_kernel
def _write_line(paths: Paths, body: int, lines: FloatArray) -> None:
    """Write the way of a body's center of mass in its present motion; see `Room`."""
    (x, y), (end_x, end_y) = _center(paths, body, paths.at[body], 0), _center(paths, body, paths.end[body], 0)
    lines[body, 0], lines[body, 1], lines[body, 2], lines[body, 3] = x, y, end_x - x, end_y - y


@inlined_kernel
def _becomes(paths: Paths, body: int, other: int) -> int:
    """Return the state that a body goes over to when it touches another; its own where it does not care."""
    state = int(paths.state[body])
    if not paths.is_dynamic[body] or state == HELD:
        return state
    is_driven = paths.carrier[other] >= 0
    if is_driven and paths.carrier[other] == paths.carrier[body]:
        return state
    if state == CARRIED:
        takes_along = paths.is_dynamic[other] and (paths.state[other] == FREE or paths.state[other] == STANDS)
        return state if takes_along else HELD
    if is_driven and paths.state[other] != HELD:
        by = paths.carrier[other]
        if paths.is_fast[body] or state == STANDS or paths.moved[by] + paths.moved[body] > SHALLOW * paths.inner_radius[body]:
            return CARRIED
    stops = paths.is_fast[body] or paths.state[other] == STANDS or paths.state[other] == HELD
    stops = stops or (paths.state[other] == FREE and paths.is_fast[other])
    return STANDS if state == FREE and stops else state


@inlined_kernel
def _change(paths: Paths, body: int, state: int, by: int, time: float, dt: float, pose: FloatArray) -> None:
    """Let a body go over to another state at a time; `by` is the kinematic body that carries it.

    A free one gets the velocity of that time, so that it has no speed from a fall that it did not fall.
    """
    _write_pose(pose, 0, paths, body, time)
    if paths.state[body] == FREE:
        paths.first_stop[body] = min(paths.first_stop[body], time)
        _accelerate(paths, body, (time - 1.0) * dt)
    paths.state[body] = state
    paths.carrier[body] = by if state == CARRIED else -1
    if state == CARRIED:
        _write_pose(pose, 3, paths, by, time)
        turned = paths.end[by, 2] - pose[5]
        x, y = pose[0] - pose[3], pose[1] - pose[4]
        cos, sin = cosine_and_sine(turned)
        paths.end[body, 0], paths.end[body, 1] = paths.end[by, 0] + cos * x - sin * y, paths.end[by, 1] + sin * x + cos * y
        paths.end[body, 2] = pose[2] + turned
    for k in range(3):
        paths.at[body, k] = pose[k]
        if state != CARRIED:
            paths.end[body, k] = pose[k]
    paths.since[body] = time


@inlined_kernel
def _accelerate(paths: Paths, body: int, seconds: float) -> None:
    """Give a free body the velocity that it has some seconds later, or earlier."""
    if paths.is_free[body]:
        for k in range(3):
            paths.velocity[body, k] += paths.push[body, k] * seconds


# Impacts


@inlined_kernel
def _may_bounce(paths: Paths, body: int) -> bool:
    """Return True if a body may take part in an impact, as one that moves freely or that no contact can move."""
    if paths.state[body] != FREE:
        return False
    return bool(not paths.is_dynamic[body] or (paths.is_free[body] and paths.n_impacts[body] < MAX_IMPACTS))


@borrowing_kernel
def _bounce(
    shapes: Shapes, surfaces: Surfaces, paths: Paths, meetings: Meetings, moments: Moments, row: int, now: int, dt: float, threshold: float,
    room: Room,
) -> bool:  # fmt: skip
    """Give the bodies of a pair the velocities after their impact, and record its impulses; return False if it has no normal."""
    i, j = meetings.bodies[row, 0], meetings.bodies[row, 1]
    first, second = meetings.fixtures[row, 0], meetings.fixtures[row, 1]
    a, b, poses, v = surfaces.shape[first], surfaces.shape[second], moments.poses[now], paths.velocity
    nx, ny = _normal(shapes, a, b, paths, i, j, poses, room)
    if nx == 0.0 and ny == 0.0:
        return False
    for body in (i, j):
        _accelerate(paths, body, (poses[6] - 1.0) * dt)
    reach_a, low_a, high_a = _foremost(shapes, a, poses, 0, nx, ny)
    reach_b, low_b, high_b = _foremost(shapes, b, poses, 3, -nx, -ny)
    level, low, high = 0.5 * (reach_a - reach_b), max(low_a, -high_b), min(high_a, -low_b)
    if high - low <= TOUCH:
        low = high = 0.5 * (low + high)
    center_a, center_b, points = _center(paths, i, poses, 0), _center(paths, j, poses, 3), moments.points[now]
    points[0, 0], points[0, 1] = level * nx + low * ny, level * ny - low * nx
    points[1, 0], points[1, 1] = level * nx + high * ny, level * ny - high * nx
    left, right = _arm(points[0], center_a, center_b), _arm(points[1], center_a, center_b)
    x, y = relative_velocity(v, i, j, left)
    v0, v1 = min(x * nx + y * ny, 0.0), 0.0
    if high > low:
        x, y = relative_velocity(v, i, j, right)
        v1 = min(x * nx + y * ny, 0.0)
    restitution = max(surfaces.restitution[first], surfaces.restitution[second]) if min(v0, v1) < -threshold else 0.0
    mass = 1.0 / response(paths.inverse, i, j, right, nx, ny)
    p0, p1 = normal_impulses(paths.inverse, i, j, left, right, nx, ny, v0, v1, restitution, mass)
    apply_at_point(v, paths.inverse, i, j, left, p0 * nx, p0 * ny)
    apply_at_point(v, paths.inverse, i, j, right, p1 * nx, p1 * ny)
    friction = math.sqrt(surfaces.friction[first] * surfaces.friction[second])
    for k in range(2):
        arm, pressure = (left, p0) if k == 0 else (right, p1)
        x, y = relative_velocity(v, i, j, arm)
        stop, limit = -(x * ny - y * nx) / response(paths.inverse, i, j, arm, ny, -nx), friction * pressure
        sideways = max(-limit, min(stop, limit))
        apply_at_point(v, paths.inverse, i, j, arm, sideways * ny, -sideways * nx)
        moments.impulse[now, k, 0], moments.impulse[now, k, 1] = pressure, sideways
    return True


@inlined_kernel
def _normal(shapes: Shapes, a: int, b: int, paths: Paths, i: int, j: int, poses: FloatArray, room: Room) -> tuple[float, float]:
    """Return the unit normal from A to B, world frame, at poses of their bodies; (0, 0) if the cores only share a point."""
    ends = room.ends
    for k in range(3):
        ends[k] = ends[3 + k] = poses[k]
        ends[8 + k] = ends[11 + k] = poses[3 + k]
    ends[6], ends[7], ends[14], ends[15] = paths.center[i, 0], paths.center[i, 1], paths.center[j, 0], paths.center[j, 1]
    moving, is_swapped, _, _, _, _, _ = _sweeps(shapes, a, b, room)
    place(moving, 0.0)
    _, x, y, _, _ = core_axis(moving.core_a, moving.normals_a, moving.moved, moving.moved_normals, np.inf, moving.motion[10])
    cos, sin = cosine_and_sine(ends[2])
    sign = -1.0 if is_swapped else 1.0
    return sign * (cos * x - sin * y), sign * (sin * x + cos * y)


@inlined_kernel
def _foremost(shapes: Shapes, shape: int, poses: FloatArray, at: int, nx: float, ny: float) -> tuple[float, float, float]:
    """Return how far a shape reaches along a unit vector, and from where to where along (ny, -nx) it does so within `TOUCH`."""
    (cos, sin), begin = cosine_and_sine(poses[at + 2]), shapes.first[shape]
    x, y = cos * nx + sin * ny, cos * ny - sin * nx
    reach, low, high = -np.inf, np.inf, -np.inf
    for k in range(begin, begin + shapes.n_vertices[shape]):
        reach = max(reach, x * shapes.vertices[k, 0] + y * shapes.vertices[k, 1])
    for k in range(begin, begin + shapes.n_vertices[shape]):
        if x * shapes.vertices[k, 0] + y * shapes.vertices[k, 1] >= reach - TOUCH:
            along = y * shapes.vertices[k, 0] - x * shapes.vertices[k, 1]
            low, high = min(low, along), max(high, along)
    across = poses[at] * ny - poses[at + 1] * nx
    return reach + shapes.radius[shape] + (poses[at] * nx + poses[at + 1] * ny), low + across, high + across


@inlined_kernel
def _center(paths: Paths, body: int, poses: FloatArray, at: int) -> tuple[float, float]:
    """Return the center of mass of a body at a pose."""
    (cos, sin), x, y = cosine_and_sine(poses[at + 2]), paths.center[body, 0], paths.center[body, 1]
    return poses[at] + cos * x - sin * y, poses[at + 1] + sin * x + cos * y


@inlined_kernel
def _arm(point: FloatArray, center_a: tuple[float, float], center_b: tuple[float, float]) -> Arm:
    return point[0] - center_a[0], point[1] - center_a[1], point[0] - center_b[0], point[1] - center_b[1]


@inlined_kernel
def _go_on(paths: Paths, body: int, time: float, dt: float, poses: FloatArray, at: int) -> bool:
    """Let a free body move from a pose at a time for the rest of the step; return True if that is farther than its pairs are known."""
    left, v, a = (1.0 - time) * dt, paths.velocity[body], paths.push[body]
    dx, dy, turn = (v[0] + 0.5 * a[0] * left) * left, (v[1] + 0.5 * a[1] * left) * left, (v[2] + 0.5 * a[2] * left) * left
    x, y = _center(paths, body, poses, at)
    x, y, angle = x + dx, y + dy, poses[at + 2] + turn
    (cos, sin), center_x, center_y = cosine_and_sine(angle), paths.center[body, 0], paths.center[body, 1]
    paths.end[body, 0], paths.end[body, 1] = x - (cos * center_x - sin * center_y), y - (sin * center_x + cos * center_y)
    paths.end[body, 2] = angle
    for k in range(3):
        paths.at[body, k] = poses[at + k]
    _accelerate(paths, body, left)
    paths.since[body], paths.first_stop[body] = time, min(paths.first_stop[body], time)
    paths.n_impacts[body] += 1
    moved = math.hypot(dx, dy) + abs(turn) * paths.reach[body]
    paths.moved[body] = max(paths.moved[body], moved)
    paths.is_fast[body] = paths.is_fast[body] or moved > SHALLOW * paths.inner_radius[body]
    distance = math.hypot(x - paths.origin[body, 0], y - paths.origin[body, 1])
    if distance <= paths.covered[body]:
        return False
    paths.covered[body] = 2.0 * distance
    return True


@kernel
def play(
    packed: Arrays, surfaces_: Arrays, paths_: Arrays, meetings_: Arrays, moments_: Arrays, dt: float, threshold: float, asks: bool
) -> int:
    """Let touches happen in the order of time, all in place; return the pair to be asked about, `ENDED` or `OUTGROWN`.

    Parameters
    ----------
    packed, surfaces_, paths_, meetings_, moments_ : the arrays of `Shapes`, `Surfaces`, `Paths`, `Meetings`, `Moments`
    dt, threshold : float
        Seconds; m/s, below which nothing bounces.
    asks : bool
        Whether someone is to be asked of each pair, before it stops anything, if it may.
    """
    shapes, surfaces, paths = Shapes(*packed), Surfaces(*surfaces_), Paths(*paths_)
    meetings, moments = Meetings(*meetings_), Moments(*moments_)
    n, n_pairs, n_fixtures = len(paths.since), len(meetings.first), len(surfaces.shape)
    room = _room(packed, n)
    begins = np.zeros(n + 1, dtype=np.int64)  # the pairs of a body: of_body[begins[body] : begins[body + 1]]
    for row in range(n_pairs):
        for side in range(2):
            begins[meetings.bodies[row, side] + 1] += 1
    begins = np.cumsum(begins)
    for body in range(n):
        if begins[body + 1] > begins[body]:
            _write_line(paths, body, room.lines)
    filled, of_body = begins.copy(), np.empty(2 * n_pairs, dtype=np.int64)
    heap = [(NEVER, np.int64(-1), np.int64(-1))]  # of equal times, the first pair in the order of fixtures
    for row in range(n_pairs):
        for side in range(2):
            body = meetings.bodies[row, side]
            of_body[filled[body]] = row
            filled[body] += 1
        if meetings.first[row] == UNKNOWN:
            meetings.first[row] = _next_touch(shapes, surfaces, paths, meetings, row, room)
        if meetings.first[row] < 1.0 and meetings.is_open[row]:
            key = meetings.fixtures[row, 0] * n_fixtures + meetings.fixtures[row, 1]
            heappush(heap, (meetings.first[row], key, np.int64(row)))
    pose = np.empty(6)
    while len(heap) > 1:
        time, _, pair = heappop(heap)
        row = int(pair)
        if row < 0 or time != meetings.first[row] or not meetings.is_open[row]:
            continue
        if meetings.allowed[row] == SENSES:
            meetings.is_open[row] = False
            continue
        i, j = meetings.bodies[row, 0], meetings.bodies[row, 1]
        state_i, state_j = _becomes(paths, i, j), _becomes(paths, j, i)
        if state_i == paths.state[i] and state_j == paths.state[j]:
            continue
        if asks and not meetings.is_asked[row]:
            return row
        carrier_i, carrier_j, now = paths.carrier[i], paths.carrier[j], moments.n_moments[0]
        moments.pair[now], moments.is_impact[now] = row, False
        poses = moments.poses[now]
        _write_pose(poses, 0, paths, i, time)
        _write_pose(poses, 3, paths, j, time)
        poses[6] = time
        moments.n_moments[0] += 1
        is_outgrown, was_apart = False, meetings.allowed[row] == 0.0 or paths.n_impacts[i] + paths.n_impacts[j] > 0
        if was_apart and _may_bounce(paths, i) and _may_bounce(paths, j):
            moments.is_impact[now] = _bounce(shapes, surfaces, paths, meetings, moments, row, now, dt, threshold, room)
        for side in range(2):
            body, state, by = (i, state_i, carrier_j) if side == 0 else (j, state_j, carrier_i)
            if moments.is_impact[now]:
                if not paths.is_free[body]:
                    continue
                is_outgrown = _go_on(paths, body, time, dt, poses, 3 * side) or is_outgrown
            elif state == paths.state[body]:
                continue
            else:
                _change(paths, body, state, by, time, dt, pose)
            _write_line(paths, body, room.lines)
            for k in range(begins[body], begins[body + 1]):
                again = of_body[k]
                meetings.first[again] = _next_touch(shapes, surfaces, paths, meetings, again, room)
                if meetings.first[again] < 1.0 and meetings.is_open[again]:
                    key = meetings.fixtures[again, 0] * n_fixtures + meetings.fixtures[again, 1]
                    heappush(heap, (meetings.first[again], key, again))
        if is_outgrown:
            return OUTGROWN
    return ENDED
