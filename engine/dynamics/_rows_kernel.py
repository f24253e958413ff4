"""Rows of contacts from step to step: what was known of a pair goes on with it.

Pairs come in ascending order of their ids, in this step as in the last, so one walk through both lists finds which are the same, which are
new and which have gone (*merging*). The points of a pair are found again by their names, and the impulses of the last step with them: where
a solver starts from these, what rests is right before it is solved (*warm starting*).

A row is two records, one of whole numbers and one of others; the names here are the places in them.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._pairs_kernel import SOLID, STILL

__all__ = [
    "BODIES",
    "COUNT",
    "EVALUATED",
    "FEATURES",
    "FLAGS",
    "FRICTION",
    "IMPULSE",
    "KEY",
    "KEY_BITS",
    "LOCAL",
    "NORMAL",
    "N_NUMBERS",
    "N_WHOLE",
    "PASSES",
    "POSES",
    "POSITION",
    "RADII",
    "SEPARATION",
    "SOLVED",
    "STIFFNESS",
    "TOTAL",
    "TOUCH",
    "TOUCHES",
    "WAS_THERE",
    "Cores",
    "Ends",
    "Manifolds",
    "feature_of",
    "key_of",
    "one_of",
    "renew",
]

KEY, BODIES, FEATURES, FLAGS = range(4)
"""The two ids of the fixtures in one number, and so those of the bodies (`key_of`); the names of both points, -1 past the count, in one
number (`feature_of`); flags."""
N_WHOLE = 4
COUNT, TOUCHES, EVALUATED, PASSES, WAS_THERE = 3, 4, 8, 16, 32
"""Bits of the flags: number of points; whether the pair touches, or will within the step; whether this step has looked at it; whether a
hook lets it pass, or it only grazes; and, 32 for the first point and 64 for the second, whether the point was there in the step before."""

NORMAL, POSITION, SEPARATION, IMPULSE, TOTAL, LOCAL, FRICTION, RADII, POINTS, POSES, STIFFNESS = 0, 2, 6, 8, 12, 16, 20, 21, 23, 24, 30
"""Normal (2); points in the world (2, 2); gaps (2); impulses of the last sub-step and over the step, normal and tangential (2, 2); points
in the frame of body A (2, 2); friction; radii of both surfaces around their cores (2); number of points; poses of both bodies (2, 3);
a number of each point that stays with it, for those methods that have one (2)."""
N_NUMBERS = 32
"""Four records of eight, one of which is a line of the cache."""

KEY_BITS = 31
"""Of an id in a key: two billion may come and go."""
_NAME_BITS = 32

NEAR = 0.02
"""Meters within which a point of another name is taken for the same one."""

TOUCH = 1.0e-4
"""Meters of gap that still count as touching: what lies on another body without any load is as near to it as a time of impact leaves it."""

SOLVED = 5
"""Numbers that tell a solver of a contact: its row, the rows of its two bodies, the rows of its two fixtures."""


class Manifolds(NamedTuple):
    """What the narrow phase says of each pair to be solved; see `engine.narrowphase.batched.ManifoldRows`."""

    n_points: IntArray
    points: FloatArray
    names: IntArray
    axis: FloatArray


class Ends(NamedTuple):
    """Bodies and fixtures, a row each.

    Attributes
    ----------
    body_ids, fixture_ids : int64 (n,), (m,)
    body : int64 (m,)
        Row of each fixture's body.
    margin : float64 (m,)
        By how much a manifold of the fixture's grown shape tells too small a gap, m.
    friction, radius : float64 (m,)
    is_moving, is_asleep : bool (n + 1,)
    values : float64 (n, 6)
        x, y, angle of bodies, and their velocities.
    centers, turns : float64 (n + 1, 2)
        Centers of mass; cosine and sine.
    """

    body_ids: IntArray
    fixture_ids: IntArray
    body: IntArray
    margin: FloatArray
    friction: FloatArray
    radius: FloatArray
    is_moving: NDArray[np.bool_]
    is_asleep: NDArray[np.bool_]
    values: FloatArray
    centers: FloatArray
    turns: FloatArray


class Cores(NamedTuple):
    """Packed shapes: of each fixture its number (m,), of each shape its first vertex and how many it has (k,), the vertices, body frame,
    and the neighbors' far ends of the links of chains.
    """

    shape: IntArray
    first: IntArray
    n_vertices: IntArray
    vertices: FloatArray
    ghosts: FloatArray
    has_ghost: NDArray[np.bool_]


@inlined_kernel
def key_of(first: int, second: int) -> int:
    """Return two ids in one number, which sorts as they do."""
    return (first << KEY_BITS) + second


@inlined_kernel
def one_of(key: int, k: int) -> int:
    """Return the first or the second id of a key."""
    return key >> KEY_BITS if k == 0 else key & ((1 << KEY_BITS) - 1)


@inlined_kernel
def feature_of(names: int, k: int) -> int:
    """Return the name of the first or the second point."""
    return (names >> _NAME_BITS if k == 1 else names & ((1 << _NAME_BITS) - 1)) - 1


@kernel
def renew(
    pairs: IntArray,
    become: NDArray[np.int8],
    found: Manifolds,
    ends: Ends,
    cores: Cores,
    links: IntArray,
    old_whole: IntArray,
    old_number: FloatArray,
    whole: IntArray,
    number: FloatArray,
    solved: IntArray,
    began: IntArray,
    ended: IntArray,
    is_woken: NDArray[np.bool_],
    dt: float,
    is_warm: bool,
) -> tuple[int, int, int, int, bool]:
    """Fill the rows of this step from its manifolds and the rows of the last one.

    Parameters
    ----------
    pairs, become : int64 (k, 2), int8 (k,)
        Rows of fixtures, in order, and what becomes of each pair.
    links : int64 (l, 2)
        Rows of bodies that hang together by joints.
    old_whole, old_number : (n', N_WHOLE), (n', N_NUMBERS)
    whole, number, solved : (n, N_WHOLE), (n, N_NUMBERS), int64 (n, SOLVED)
        Filled: the rows, and what the solver needs of those that it solves.
    began, ended : int64 (n,), (n',)
        Filled: rows that touch now and did not, and old rows that did and do not.
    is_woken : bool (n + 1,)
        Set for sleeping bodies that something moving touches, or that something has gone from.
    dt : float
        Seconds within which a pair that comes nearer counts as touching.
    is_warm : bool
        Whether impulses are taken over.

    Returns
    -------
    tuple
        Numbers of rows, of those to be solved, of `began` and `ended`; whether any body is woken.
    """
    row = int(np.int64(0))  # as a literal it would have what is called with it compiled once more
    n_solved = n_began = n_ended = at = of_found = 0
    any_woken = False
    for pair in range(len(pairs)):
        kind = become[pair]
        if kind == SOLID:
            manifold = of_found
            of_found += 1
            if found.n_points[manifold] == 0:
                continue
        elif kind != STILL:
            continue
        first, second = pairs[pair, 0], pairs[pair, 1]
        key = key_of(ends.fixture_ids[first], ends.fixture_ids[second])
        while at < len(old_whole) and old_whole[at, KEY] < key:
            if _touched(old_whole, at):
                ended[n_ended] = at
                n_ended += 1
                any_woken = _leave(ends, old_whole, at, is_woken) or any_woken
            at += 1
        is_known = at < len(old_whole) and old_whole[at, KEY] == key
        if kind == STILL:
            if is_known:
                _keep(old_whole, old_number, at, whole, number, row)
                row += 1
                at += 1
            continue
        _fill(found, manifold, ends, first, second, key, whole, number, row, dt)
        touches, touched = whole[row, FLAGS] & TOUCHES != 0, False
        if is_known:
            touched = _touched(old_whole, at)
            _find_again(old_whole, old_number, at, whole, number, row, is_warm)
            if touched and not touches:
                ended[n_ended] = at
                n_ended += 1
            at += 1
        if touches and not touched:
            began[n_began] = row
            n_began += 1
        a, b = ends.body[first], ends.body[second]
        if touches:
            any_woken = _wake(ends, a, b, is_woken) or any_woken
            if _grazes(number, row, ends, cores, first, second, dt):
                whole[row, FLAGS] |= PASSES
                number[row, IMPULSE : IMPULSE + 4] = 0.0
                row += 1
                continue
        solved[n_solved, 0], solved[n_solved, 1], solved[n_solved, 2] = row, a, b
        solved[n_solved, 3], solved[n_solved, 4] = first, second
        n_solved += 1
        row += 1
    while at < len(old_whole):
        if _touched(old_whole, at):
            ended[n_ended] = at
            n_ended += 1
            any_woken = _leave(ends, old_whole, at, is_woken) or any_woken
        at += 1
    for link in range(len(links)):
        any_woken = _wake(ends, links[link, 0], links[link, 1], is_woken) or any_woken
    return row, n_solved, n_began, n_ended, any_woken


@inlined_kernel
def _touched(whole: IntArray, row: int) -> bool:
    return bool(whole[row, FLAGS] & TOUCHES != 0)


@inlined_kernel
def _wake(ends: Ends, a: int, b: int, is_woken: NDArray[np.bool_]) -> bool:
    """Wake what sleeps of two bodies that touch, where the other one moves."""
    wakes = False
    if ends.is_moving[a] and ends.is_asleep[b]:
        is_woken[b] = wakes = True
    if ends.is_moving[b] and ends.is_asleep[a]:
        is_woken[a] = wakes = True
    return wakes


@inlined_kernel
def _leave(ends: Ends, old_whole: IntArray, at: int, is_woken: NDArray[np.bool_]) -> bool:
    """Wake what sleeps of two bodies that touched and are no longer near each other."""
    wakes = False
    for k in range(2):
        body = one_of(old_whole[at, BODIES], k)
        row = np.searchsorted(ends.body_ids, body)
        if row < len(ends.body_ids) and ends.body_ids[row] == body and ends.is_asleep[row] and old_whole[at, FLAGS] & PASSES == 0:
            is_woken[row] = wakes = True
    return wakes


@inlined_kernel
def _keep(old_whole: IntArray, old_number: FloatArray, at: int, whole: IntArray, number: FloatArray, row: int) -> None:
    """Take over a pair that nothing has moved."""
    for k in range(N_WHOLE):
        whole[row, k] = old_whole[at, k]
    for k in range(N_NUMBERS):
        number[row, k] = old_number[at, k]
    flags = old_whole[at, FLAGS] & ~EVALUATED
    whole[row, FLAGS] = flags | WAS_THERE | (WAS_THERE << 1)


@inlined_kernel
def _fill(
    found: Manifolds, manifold: int, ends: Ends, first: int, second: int, key: int, whole: IntArray, number: FloatArray, row: int, dt: float
) -> None:
    """Fill a row from its manifold, but for what is known from the last step."""
    a, b, count = ends.body[first], ends.body[second], found.n_points[manifold]
    whole[row, KEY], whole[row, BODIES] = key, key_of(ends.body_ids[a], ends.body_ids[b])
    name_0, name_1 = found.names[manifold, 0] if count > 0 else -1, found.names[manifold, 1] if count > 1 else -1
    whole[row, FEATURES] = (name_0 + 1) | ((name_1 + 1) << _NAME_BITS)
    nx, ny = found.axis[manifold, 0], found.axis[manifold, 1]
    number[row, NORMAL], number[row, NORMAL + 1] = nx, ny
    va, vb, more = ends.values[a], ends.values[b], ends.margin[first] + ends.margin[second]
    touches = False
    for k in range(2):
        is_there = k < count
        x, y = found.points[manifold, k, 0] if is_there else 0.0, found.points[manifold, k, 1] if is_there else 0.0
        gap = found.points[manifold, k, 2] + more if is_there else 0.0
        number[row, POSITION + 2 * k], number[row, POSITION + 2 * k + 1], number[row, SEPARATION + k] = x, y, gap
        cos, sin, dx, dy = ends.turns[a, 0], ends.turns[a, 1], x - va[0], y - va[1]
        number[row, LOCAL + 2 * k], number[row, LOCAL + 2 * k + 1] = cos * dx + sin * dy, cos * dy - sin * dx
        if is_there:
            rate = (vb[3] - vb[5] * (y - ends.centers[b, 1]) - va[3] + va[5] * (y - ends.centers[a, 1])) * nx
            rate += (vb[4] + vb[5] * (x - ends.centers[b, 0]) - va[4] - va[5] * (x - ends.centers[a, 0])) * ny
            touches = touches or gap + min(rate, 0.0) * dt <= TOUCH
    for k in range(4):
        number[row, IMPULSE + k] = number[row, TOTAL + k] = 0.0
    for k in range(3):
        number[row, POSES + k], number[row, POSES + 3 + k] = va[k], vb[k]
    number[row, STIFFNESS] = number[row, STIFFNESS + 1] = 0.0
    number[row, FRICTION] = sqrt(ends.friction[first] * ends.friction[second])
    number[row, RADII], number[row, RADII + 1] = ends.radius[first], ends.radius[second]
    number[row, POINTS] = count
    whole[row, FLAGS] = count | EVALUATED | (TOUCHES if touches else 0)


@kernel
def _grazes(number: FloatArray, row: int, ends: Ends, cores: Cores, first: int, second: int, dt: float) -> bool:
    """Tell whether two shapes that are about to meet will pass each other, or meet by less than `TOUCH`.

    The gap is closed along the normal of now; taken at its word that would stop what only goes by (a *ghost collision*). A box at rest on
    a row of tiles lies a hair lower than their tops, and what is ahead of it is the side of the next one. So both are looked at from
    where they come: by how much they overlap across their relative motion is how deep they can meet, wherever they do::

             box  +-------+  v                    high of box - low of tile: much
                  |       |->  gap  +-------
        ----------+-------+---------+  tile       high of tile - low of box: a hair
    """
    nx, ny = number[row, NORMAL], number[row, NORMAL + 1]
    k = 1 if number[row, POINTS] > 1.0 and number[row, SEPARATION + 1] < number[row, SEPARATION] else 0
    gap, x, y = number[row, SEPARATION + k], number[row, POSITION + 2 * k], number[row, POSITION + 2 * k + 1]
    from_a, from_b = ends.radius[first] + 0.5 * gap, ends.radius[second] + 0.5 * gap
    ax, ay = _velocity_at(ends, ends.body[first], x - from_a * nx, y - from_a * ny)  # of the cores: a disc that spins goes nowhere
    bx, by = _velocity_at(ends, ends.body[second], x + from_b * nx, y + from_b * ny)
    vx, vy = bx - ax, by - ay
    if gap < -TOUCH or gap + (vx * nx + vy * ny) * dt > -TOUCH:
        return False
    speed = sqrt(vx * vx + vy * vy)
    low_a, high_a = _span(ends, cores, first, -vy / speed, vx / speed)
    low_b, high_b = _span(ends, cores, second, -vy / speed, vx / speed)
    return min(high_a - low_b, high_b - low_a) <= TOUCH


@inlined_kernel
def _velocity_at(ends: Ends, body: int, x: float, y: float) -> tuple[float, float]:
    """Return the velocity of a body's point."""
    v = ends.values[body]
    return v[3] - v[5] * (y - ends.centers[body, 1]), v[4] + v[5] * (x - ends.centers[body, 0])


@inlined_kernel
def _span(ends: Ends, cores: Cores, fixture: int, x: float, y: float) -> tuple[float, float]:
    """Return from where to where a fixture's shape reaches along a unit vector, a link of a chain with its neighbors: it goes on there."""
    body, shape, radius = ends.body[fixture], cores.shape[fixture], ends.radius[fixture]
    cos, sin, at = ends.turns[body, 0], ends.turns[body, 1], cores.first[shape]
    along, up, origin = cos * x + sin * y, cos * y - sin * x, ends.values[body, 0] * x + ends.values[body, 1] * y
    low, high = np.inf, -np.inf
    for vertex in range(at, at + cores.n_vertices[shape]):
        place = along * cores.vertices[vertex, 0] + up * cores.vertices[vertex, 1]
        low, high = min(low, place), max(high, place)
    for k in range(2):
        if cores.has_ghost[shape, k]:
            place = along * cores.ghosts[shape, 2 * k] + up * cores.ghosts[shape, 2 * k + 1]
            low, high = min(low, place), max(high, place)
    return origin + low - radius, origin + high + radius


@inlined_kernel
def _find_again(old_whole: IntArray, old_number: FloatArray, at: int, whole: IntArray, number: FloatArray, row: int, is_warm: bool) -> None:
    """Give each point the impulses that the same point had in the last step.

    The same point is that of the same name; or else, where the edge that names the points has changed sides, as it does between two equal
    boxes at every rounding, the nearest one left, within `NEAR`.
    """
    was_told = old_whole[at, FLAGS] & (TOUCHES | PASSES) == TOUCHES
    names, old_names = whole[row, FEATURES], old_whole[at, FEATURES]
    left_0, left_1 = feature_of(old_names, 0) >= 0, feature_of(old_names, 1) >= 0
    new_0, new_1 = feature_of(names, 0) >= 0, feature_of(names, 1) >= 0
    for k in range(2):
        for j in range(2):
            is_free = (new_0 if k == 0 else new_1) and (left_0 if j == 0 else left_1)
            if is_free and feature_of(old_names, j) == feature_of(names, k):
                if was_told:
                    whole[row, FLAGS] |= WAS_THERE << k
                _take_over(old_number, at, j, number, row, k, is_warm)
                new_0, new_1 = new_0 and k != 0, new_1 and k != 1
                left_0, left_1 = left_0 and j != 0, left_1 and j != 1
    for _ in range(2):
        nearest, new, known = NEAR * NEAR, -1, -1
        for k in range(2):
            for j in range(2):
                if (new_0 if k == 0 else new_1) and (left_0 if j == 0 else left_1):
                    x = number[row, LOCAL + 2 * k] - old_number[at, LOCAL + 2 * j]
                    y = number[row, LOCAL + 2 * k + 1] - old_number[at, LOCAL + 2 * j + 1]
                    if x * x + y * y < nearest:
                        nearest, new, known = x * x + y * y, k, j
        if new >= 0:
            _take_over(old_number, at, known, number, row, new, is_warm)
            new_0, new_1 = new_0 and new != 0, new_1 and new != 1
            left_0, left_1 = left_0 and known != 0, left_1 and known != 1


@inlined_kernel
def _take_over(old_number: FloatArray, at: int, j: int, number: FloatArray, row: int, k: int, is_warm: bool) -> None:
    number[row, STIFFNESS + k] = old_number[at, STIFFNESS + j]
    if is_warm:
        number[row, IMPULSE + 2 * k] = old_number[at, IMPULSE + 2 * j]
        number[row, IMPULSE + 2 * k + 1] = old_number[at, IMPULSE + 2 * j + 1]
