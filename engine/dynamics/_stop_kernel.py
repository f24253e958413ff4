"""First touches of bodies that move and turn within a step, in the order of time, and what stops or is carried along there.

**How deep is deep.** The gap of two shapes is that between their cores less their radii, negative where they overlap: then it is minus the
least way that parts them. A pair that was apart as the step began may close its gap, and no more. One that was in contact may get as deep
as `SHALLOW` of what is inside the smaller of its fast bodies, so that what slides or rests is not held up at every rounding; where it
is deeper already, `DEEP`; and deeper than that, no deeper than it is. So a body that was on its own side of another one stays there, step
after step. Two bodies that contacts can move are not held where the middle of one is inside the other: of a heap that was put into
itself nothing could ever leave, and contacts alone push them apart. A first touch at a depth is a first touch of shapes whose radii are
smaller by it, and where the cores overlap conservative advancement (`engine.continuous._advancement_kernel`) still holds: its gap is the
greatest over the faces of both, and its bound that of the face that has it.

**What happens at a touch.** A body is in one of four states, and only ever goes on to a later one::

    FREE      moves as the solver left it
    STANDS    was fast, and met something on its way; or was met by something fast, or met something that had been stopped: it stays where
              it touched, so that the two still touch as the next step begins
    CARRIED   was met by something that nothing can stop, a kinematic body, and goes along with it; or by a body that is carried
    HELD      was carried against something that cannot be carried too: it stays there, and what carried it goes on without it

**Joints.** Bodies that joints connect go over to a state together, so that a stop tears no joint; one that is carried or held does so alone
if the others hang on something that cannot be moved.

Each body's motion since its last change is one straight, evenly turning sweep. The pairs of a body that has changed are asked again from
that moment on. As there are three changes a body at most, this ends.
"""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common._copy_kernel import copy_rows
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, borrowing_kernel, inlined_kernel, kernel
from engine.common.tolerances import LINEAR_SLOP
from engine.continuous._advancement_kernel import advance
from engine.continuous._core_kernel import core_axis
from engine.continuous._impact_kernel import prepare_pair
from engine.continuous._motion_kernel import ENDS_SIZE, MOTION_SIZE, PLACED_SIZE, Moving, Search, motion_window, place, reach_about
from engine.contracts.status import MISS
from engine.dynamics.model import COUNT, FLAGS, SEPARATION
from engine.geometry._rotation_kernel import cosine_and_sine
from engine.narrowphase._sides_kernel import Arrays, Shapes, most_vertices

__all__ = ["CARRIED", "DEEP", "FREE", "HELD", "NEVER", "SHALLOW", "STANDS", "farthest_moves", "pairs_of_some", "passing", "play"]

FREE, STANDS, CARRIED, HELD = range(4)

SHALLOW, DEEP = 0.5, 0.9
"""Shares of what is inside a body, the distance from the middle of a shape to its nearest edge."""

NEVER = 2.0
"""A fraction of the step at which nothing happens."""

_ANY = -1.0
"""In place of a depth: whatever touches counts, at the start too."""

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
    inner_radius : float64 (n,)
        Of the body, m.
    is_dynamic, is_fast : bool (n,)
    state : int64 (n,)
        `FREE`, `STANDS`, `CARRIED` or `HELD`.
    carrier : int64 (n,)
        The kinematic body that a body goes along with; itself for a kinematic body, else -1.
    first_stop : float64 (n,)
        Fraction of the step up to which each moved as the solver left it.
    next_jointed : int64 (n,)
        The next one of the movable bodies that joints connect, in a ring; itself for a body alone.
    is_anchored : bool (n,)
        Whether joints connect a body, or one of its ring, with something that contacts cannot move.
    """

    since: FloatArray
    at: FloatArray
    end: FloatArray
    center: FloatArray
    moved: FloatArray
    inner_radius: FloatArray
    is_dynamic: NDArray[np.bool_]
    is_fast: NDArray[np.bool_]
    state: IntArray
    carrier: IntArray
    first_stop: FloatArray
    next_jointed: IntArray
    is_anchored: NDArray[np.bool_]


class Meetings(NamedTuple):
    """Pairs that may meet, a row each.

    Attributes
    ----------
    bodies, shapes : int64 (n, 2)
        Rows of bodies, numbers of shapes.
    allowed : float64 (n,)
        Inside of which `SHALLOW` is the depth that the pair may reach, m; 0 where it was not in contact.
    first : float64 (n,)
        Fraction of the step at which the pair next touches, `NEVER` where it does not.
    is_open, is_asked : bool (n,)
        Whether the pair may stop anything, and whether someone was asked about that.
    """

    bodies: IntArray
    shapes: IntArray
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
        Rows of `Meetings`; there is room for three changes of each body.
    poses : float64 (m, 7)
        Of both bodies then, and the fraction of the step.
    """

    n_moments: IntArray
    pair: IntArray
    poses: FloatArray


class Room(NamedTuple):
    """Room to work in."""

    cores: FloatArray
    moved: FloatArray
    motion: FloatArray
    ends: FloatArray
    placed: FloatArray


@kernel
def farthest_moves(
    before: FloatArray, after: FloatArray, center: FloatArray, reach: FloatArray, inner_radius: FloatArray, moves: NDArray[np.bool_],
    is_dynamic: NDArray[np.bool_], solved: IntArray, ints: IntArray, floats: FloatArray,
) -> tuple[FloatArray, NDArray[np.bool_], NDArray[np.bool_], bool]:  # fmt: skip
    """Return the farthest that any point of each body may move, which dynamic bodies are fast, which others are fast enough to matter, and
    whether there is any of either.

    A body is fast where that is more than `SHALLOW` of its inside, or what is left to `DEEP` where it lies deep in one that is not dynamic.

    Parameters
    ----------
    before, after : float64 (n, 6)
        x, y, angle of bodies as the step begins and as it ends, and their velocities.
    solved, ints, floats
        Contacts as the step began; see `model`.
    """
    n = len(before)
    moved, deepest = np.zeros(n), np.zeros(n)
    is_fast, drives, is_any = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_), False
    for contact in range(len(solved)):
        row = solved[contact, 0]
        for k in range(ints[row, FLAGS] & COUNT):
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
    return moved, is_fast, drives, is_any


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
                    copy_rows(pairs, 0, n_pairs, larger, 0)
                    pairs = larger
                pairs[n_pairs, 0], pairs[n_pairs, 1] = min(i, j), max(i, j)
                n_pairs += 1
    return pairs[:n_pairs].copy()


@allocating_kernel
def _room(packed: Arrays) -> Room:
    most = most_vertices(packed[2])
    cores, moved = np.empty((2, most, 2)), np.empty((2, most, 2))
    return Room(cores, moved, np.empty(MOTION_SIZE), np.empty(ENDS_SIZE), np.empty(PLACED_SIZE))


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


@borrowing_kernel
def _touch_of_sweeps(shapes: Shapes, a: int, b: int, allowed: float, are_driven: bool, room: Room) -> float:
    """Return the fraction of the two sweeps in `room.ends`, A's and B's, at which the shapes touch, or get too deep; `NEVER` if not.

    `allowed` is as in `Meetings`, or `_ANY`; `are_driven` where contacts can move both.
    """
    ends, motion = room.ends, room.motion
    if shapes.n_vertices[a] == 1 and shapes.n_vertices[b] > 1:  # the advancement wants the point second
        a, b = b, a
        for k in range(8):
            ends[k], ends[8 + k] = ends[8 + k], ends[k]
    n_a, n_b, low_a, low_b = shapes.n_vertices[a], shapes.n_vertices[b], shapes.first[a], shapes.first[b]
    core_a, core_b = room.cores[0, :n_a], room.cores[1, :n_b]
    _note_core(shapes, a, ends[6], ends[7], core_a)
    _note_core(shapes, b, ends[14], ends[15], core_b)
    rho_a, rho_b = reach_about(shapes.vertices, low_a, n_a, ends[6], ends[7]), reach_about(shapes.vertices, low_b, n_b, ends[14], ends[15])
    radii = shapes.radius[a] + shapes.radius[b]
    target, tolerance, _, first, last = prepare_pair(ends, rho_a, shapes.extent[a], rho_b, shapes.extent[b], radii, False, 1.0, motion)
    if first > last:
        return NEVER
    moving = Moving(
        motion, core_a, shapes.normals[low_a : low_a + n_a], core_b, shapes.normals[low_b : low_b + n_b],
        room.moved[0, :n_b], room.moved[1, :n_b], room.placed,
    )  # fmt: skip
    depth = -np.inf
    if first == 0.0 and allowed != _ANY:
        place(moving, 0.0)
        gap, _, _, _, _ = core_axis(core_a, moving.normals_a, moving.moved, moving.moved_normals, np.inf, motion[10])
        depth = radii - gap + _SLACK * tolerance
        if are_driven and depth > max(allowed, LINEAR_SLOP):
            return NEVER
    deepest = max(SHALLOW * allowed, depth if depth > 0.0 else 0.0)
    if allowed > 0.0 and depth > SHALLOW * allowed:
        deepest = max(DEEP * allowed, depth)
    if deepest > 0.0:
        target = radii - deepest
        if target + tolerance + rho_a + rho_b <= 0.0:
            return NEVER
        first, last = motion_window(motion, target + tolerance, 1.0)
        if first > last:
            return NEVER
    status, fraction, _ = advance(moving, Search(target, tolerance, -np.inf, first, last, 1.0))
    at: float = fraction
    return NEVER if status == MISS else at


@inlined_kernel
def _next_touch(shapes: Shapes, paths: Paths, meetings: Meetings, row: int, room: Room) -> float:
    """Return the fraction of the step at which a pair next touches, by the present motions of both."""
    i, j = meetings.bodies[row, 0], meetings.bodies[row, 1]
    since, ends = max(paths.since[i], paths.since[j]), room.ends
    if since >= 1.0:
        return NEVER
    _write_pose(ends, 0, paths, i, since)
    _write_pose(ends, 3, paths, i, 1.0)
    _write_pose(ends, 8, paths, j, since)
    _write_pose(ends, 11, paths, j, 1.0)
    ends[6], ends[7], ends[14], ends[15] = paths.center[i, 0], paths.center[i, 1], paths.center[j, 0], paths.center[j, 1]
    are_driven = paths.is_dynamic[i] and paths.is_dynamic[j]
    fraction = _touch_of_sweeps(shapes, meetings.shapes[row, 0], meetings.shapes[row, 1], meetings.allowed[row], are_driven, room)
    return NEVER if fraction >= 1.0 else since + (1.0 - since) * fraction


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
def _change(paths: Paths, body: int, state: int, by: int, time: float, pose: FloatArray) -> None:
    """Let a body go over to another state at a time; `by` is the kinematic body that carries it."""
    _write_pose(pose, 0, paths, body, time)
    if paths.state[body] == FREE:
        paths.first_stop[body] = time
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
def _next_of_ring(paths: Paths, body: int, first: int, state: int) -> int:
    """Return the next body of a ring, from `first` round to it, that has yet to go over to a state, or -1."""
    body = paths.next_jointed[body]
    while body != first and paths.state[body] >= state:
        body = paths.next_jointed[body]
    return -1 if body == first else body


@kernel
def play(packed: Arrays, paths_: Arrays, meetings_: Arrays, moments_: Arrays, is_new: bool, asks: bool) -> int:
    """Let touches happen in the order of time, all in place; return the pair to be asked about, -1 at the end.

    Parameters
    ----------
    packed, paths_, meetings_, moments_ : the arrays of `Shapes`, `Paths`, `Meetings`, `Moments`
    is_new : bool
        Whether nothing has been asked yet: all pairs are.
    asks : bool
        Whether someone is to be asked of each pair, before it stops anything, if it may.
    """
    shapes, paths, meetings, moments = Shapes(*packed), Paths(*paths_), Meetings(*meetings_), Moments(*moments_)
    n, n_pairs = len(paths.since), len(meetings.first)
    room = _room(packed)
    begins = np.zeros(n + 1, dtype=np.int64)  # the pairs of a body: of_body[begins[body] : begins[body + 1]]
    for row in range(n_pairs):
        for side in range(2):
            begins[meetings.bodies[row, side] + 1] += 1
    for body in range(n):
        begins[body + 1] += begins[body]
    filled, of_body = begins.copy(), np.empty(2 * n_pairs, dtype=np.int64)
    heap = [(NEVER, np.int64(-1))]
    for row in range(n_pairs):
        for side in range(2):
            body = meetings.bodies[row, side]
            of_body[filled[body]] = row
            filled[body] += 1
        if is_new:
            meetings.first[row] = _next_touch(shapes, paths, meetings, row, room)
        if meetings.first[row] < 1.0 and meetings.is_open[row]:
            heappush(heap, (meetings.first[row], np.int64(row)))
    pose = np.empty(6)
    while len(heap) > 1:
        time, pair = heappop(heap)
        row = int(pair)
        if row < 0 or time != meetings.first[row] or not meetings.is_open[row]:
            continue
        i, j = meetings.bodies[row, 0], meetings.bodies[row, 1]
        state_i, state_j = _becomes(paths, i, j), _becomes(paths, j, i)
        if state_i == paths.state[i] and state_j == paths.state[j]:
            continue
        if asks and not meetings.is_asked[row]:
            return row
        carrier_i, carrier_j, now = paths.carrier[i], paths.carrier[j], moments.n_moments[0]
        moments.pair[now] = row
        _write_pose(moments.poses[now], 0, paths, i, time)
        _write_pose(moments.poses[now], 3, paths, j, time)
        moments.poses[now, 6] = time
        moments.n_moments[0] += 1
        for body, state, by in ((i, state_i, carrier_j), (j, state_j, carrier_i)):
            if state <= paths.state[body]:
                continue
            with_others, changing = state == STANDS or not paths.is_anchored[body], body
            while changing >= 0:
                _change(paths, changing, state, by, time, pose)
                for k in range(begins[changing], begins[changing + 1]):
                    again = of_body[k]
                    meetings.first[again] = _next_touch(shapes, paths, meetings, again, room)
                    if meetings.first[again] < 1.0 and meetings.is_open[again]:
                        heappush(heap, (meetings.first[again], again))
                changing = _next_of_ring(paths, changing, body, state) if with_others else -1
    return -1


@kernel
def passing(
    packed: Arrays, bodies: IntArray, numbers: IntArray, start: FloatArray, since: FloatArray, at: FloatArray, end: FloatArray,
    center: FloatArray,
) -> NDArray[np.bool_]:  # fmt: skip
    """Return which pairs of bodies' rows and shapes' numbers (n, 2) touch on their ways: from `start` to `at` by `since`, then to `end`."""
    shapes, room = Shapes(*packed), _room(packed)
    ends, met = room.ends, np.zeros(len(bodies), dtype=np.bool_)
    are_driven = bool(np.bool_(False))  # as a literal it would have the touch of two sweeps compiled once more
    for row in range(len(bodies)):
        first, second = since[bodies[row, 0]], since[bodies[row, 1]]
        earlier, later = min(first, second), max(first, second)
        for low, high in ((0.0, earlier), (earlier, later), (later, 1.0)):
            if high <= low or met[row]:
                continue
            for side in range(2):
                body, when = bodies[row, side], since[bodies[row, side]]
                for k in range(2):
                    time = low if k == 0 else high
                    if high <= when:
                        _write_between(ends, 8 * side + 3 * k, start, at, center, body, time / when)
                    else:
                        _write_between(ends, 8 * side + 3 * k, at, end, center, body, (time - when) / (1.0 - when))
                ends[8 * side + 6], ends[8 * side + 7] = center[body, 0], center[body, 1]
            met[row] = _touch_of_sweeps(shapes, numbers[row, 0], numbers[row, 1], _ANY, are_driven, room) <= 1.0
    return met
