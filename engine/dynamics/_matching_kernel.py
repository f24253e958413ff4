"""Contact records from step to step: what is known of a pair is carried over to the next step.

Pairs come in ascending order of their ids, in this step as in the last, so one pass through both lists (*merging*) shows which pairs are
the same, which are new and which have gone. The points of a pair are matched by their features, and keep the impulses of the last step:
if a solver starts from these, what rests is right before it is solved (*warm starting*). `model` has the columns of the records.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import borrowing_kernel, inlined_kernel, kernel
from engine.dynamics._pairs_kernel import SOLID, STILL
from engine.dynamics.model import (
    BODIES,
    EVALUATED,
    FEATURES,
    FLAGS,
    FRICTION,
    IMPULSE,
    KEY,
    KEY_BITS,
    LOCAL,
    N_FLOATS,
    N_INTS,
    NORMAL,
    PASSES,
    POINTS,
    POSES,
    POSITION,
    RADII,
    SEPARATION,
    STIFFNESS,
    TOTAL,
    TOUCH,
    TOUCHES,
    WAS_THERE,
)
from engine.dynamics.tolerances import MATCH_DISTANCE

__all__ = ["Cores", "Ends", "Manifolds", "feature_of", "id_of", "key_of", "match_contacts", "span"]

_FEATURE_BITS = 32


class Manifolds(NamedTuple):
    """Manifolds of the pairs to be solved, as `engine.narrowphase.batched.ManifoldRows` has them."""

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
        Amount by which a manifold of the fixture's grown shape underestimates the gap, m.
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
    """Packed shapes: the shape of each fixture (m,), of each shape its first vertex and how many it has (k,), the vertices, body frame,
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
    """Combine two ids in one number, in the same order."""
    return (first << KEY_BITS) + second


@inlined_kernel
def id_of(key: int, k: int) -> int:
    """Return the first or the second id of a key."""
    return key >> KEY_BITS if k == 0 else key & ((1 << KEY_BITS) - 1)


@inlined_kernel
def feature_of(names: int, k: int) -> int:
    """Return the id of the feature of the first or the second point."""
    return (names >> _FEATURE_BITS if k == 1 else names & ((1 << _FEATURE_BITS) - 1)) - 1


@kernel
def match_contacts(
    pairs: IntArray,
    kinds: NDArray[np.int8],
    manifolds: Manifolds,
    ends: Ends,
    cores: Cores,
    links: IntArray,
    old_ints: IntArray,
    old_floats: FloatArray,
    ints: IntArray,
    floats: FloatArray,
    solved: IntArray,
    began: IntArray,
    ended: IntArray,
    is_woken: NDArray[np.bool_],
    dt: float,
    is_warm: bool,
) -> tuple[int, int, int, int, bool]:
    """Fill the records of this step from its manifolds and the records of the last step.

    Parameters
    ----------
    pairs, kinds : int64 (k, 2), int8 (k,)
        Rows of fixtures, in order, and the kind of each pair.
    links : int64 (l, 2)
        Rows of bodies that hang together by joints.
    old_ints, old_floats : (n', N_INTS), (n', N_FLOATS)
    ints, floats, solved : (n, N_INTS), (n, N_FLOATS), int64 (n, SOLVED)
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
    n_solved = n_began = n_ended = at = n_manifolds = 0
    any_woken = False
    for pair in range(len(pairs)):
        kind = kinds[pair]
        if kind == SOLID:
            manifold = n_manifolds
            n_manifolds += 1
            if manifolds.n_points[manifold] == 0:
                continue
        elif kind != STILL:
            continue
        first, second = pairs[pair, 0], pairs[pair, 1]
        key = key_of(ends.fixture_ids[first], ends.fixture_ids[second])
        while at < len(old_ints) and old_ints[at, KEY] < key:
            if _touched(old_ints, at):
                ended[n_ended] = at
                n_ended += 1
                any_woken = _wake_left(ends, old_ints, at, is_woken) or any_woken
            at += 1
        is_known = at < len(old_ints) and old_ints[at, KEY] == key
        if kind == STILL:
            if is_known:
                _copy_record(old_ints, old_floats, at, ints, floats, row)
                row += 1
                at += 1
            continue
        _fill(manifolds, manifold, ends, first, second, key, ints, floats, row, dt)
        touches, touched = ints[row, FLAGS] & TOUCHES != 0, False
        if is_known:
            touched = _touched(old_ints, at)
            _match_points(old_ints, old_floats, at, ints, floats, row, is_warm)
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
            if _grazes(floats, row, ends, cores, first, second, dt):
                ints[row, FLAGS] |= PASSES
                floats[row, IMPULSE : IMPULSE + 4] = 0.0
                row += 1
                continue
        solved[n_solved, 0], solved[n_solved, 1], solved[n_solved, 2] = row, a, b
        solved[n_solved, 3], solved[n_solved, 4] = first, second
        n_solved += 1
        row += 1
    while at < len(old_ints):
        if _touched(old_ints, at):
            ended[n_ended] = at
            n_ended += 1
            any_woken = _wake_left(ends, old_ints, at, is_woken) or any_woken
        at += 1
    for link in range(len(links)):
        any_woken = _wake(ends, links[link, 0], links[link, 1], is_woken) or any_woken
    return row, n_solved, n_began, n_ended, any_woken


@inlined_kernel
def _touched(ints: IntArray, row: int) -> bool:
    return bool(ints[row, FLAGS] & TOUCHES != 0)


@inlined_kernel
def _wake(ends: Ends, a: int, b: int, is_woken: NDArray[np.bool_]) -> bool:
    """Wake each of two touching bodies that sleeps while the other one moves."""
    wakes = False
    if ends.is_moving[a] and ends.is_asleep[b]:
        is_woken[b] = wakes = True
    if ends.is_moving[b] and ends.is_asleep[a]:
        is_woken[a] = wakes = True
    return wakes


@inlined_kernel
def _wake_left(ends: Ends, old_ints: IntArray, at: int, is_woken: NDArray[np.bool_]) -> bool:
    """Wake two bodies that touched and are no longer near each other, if they sleep."""
    wakes = False
    for k in range(2):
        body = id_of(old_ints[at, BODIES], k)
        row = np.searchsorted(ends.body_ids, body)
        if row < len(ends.body_ids) and ends.body_ids[row] == body and ends.is_asleep[row] and old_ints[at, FLAGS] & PASSES == 0:
            is_woken[row] = wakes = True
    return wakes


@inlined_kernel
def _copy_record(old_ints: IntArray, old_floats: FloatArray, at: int, ints: IntArray, floats: FloatArray, row: int) -> None:
    """Copy the record of a pair that nothing has moved."""
    for k in range(N_INTS):
        ints[row, k] = old_ints[at, k]
    for k in range(N_FLOATS):
        floats[row, k] = old_floats[at, k]
    flags = old_ints[at, FLAGS] & ~EVALUATED
    ints[row, FLAGS] = flags | WAS_THERE | (WAS_THERE << 1)


@inlined_kernel
def _fill(
    manifolds: Manifolds,
    manifold: int,
    ends: Ends,
    first: int,
    second: int,
    key: int,
    ints: IntArray,
    floats: FloatArray,
    row: int,
    dt: float,
) -> None:
    """Fill a record from its manifold, except for what the last step knows."""
    a, b, count = ends.body[first], ends.body[second], manifolds.n_points[manifold]
    ints[row, KEY], ints[row, BODIES] = key, key_of(ends.body_ids[a], ends.body_ids[b])
    name_0, name_1 = manifolds.names[manifold, 0] if count > 0 else -1, manifolds.names[manifold, 1] if count > 1 else -1
    ints[row, FEATURES] = (name_0 + 1) | ((name_1 + 1) << _FEATURE_BITS)
    nx, ny = manifolds.axis[manifold, 0], manifolds.axis[manifold, 1]
    floats[row, NORMAL], floats[row, NORMAL + 1] = nx, ny
    va, vb, more = ends.values[a], ends.values[b], ends.margin[first] + ends.margin[second]
    touches = False
    for k in range(2):
        is_there = k < count
        x, y = manifolds.points[manifold, k, 0] if is_there else 0.0, manifolds.points[manifold, k, 1] if is_there else 0.0
        gap = manifolds.points[manifold, k, 2] + more if is_there else 0.0
        floats[row, POSITION + 2 * k], floats[row, POSITION + 2 * k + 1], floats[row, SEPARATION + k] = x, y, gap
        cos, sin, dx, dy = ends.turns[a, 0], ends.turns[a, 1], x - va[0], y - va[1]
        floats[row, LOCAL + 2 * k], floats[row, LOCAL + 2 * k + 1] = cos * dx + sin * dy, cos * dy - sin * dx
        if is_there:
            rate = (vb[3] - vb[5] * (y - ends.centers[b, 1]) - va[3] + va[5] * (y - ends.centers[a, 1])) * nx
            rate += (vb[4] + vb[5] * (x - ends.centers[b, 0]) - va[4] - va[5] * (x - ends.centers[a, 0])) * ny
            touches = touches or gap + min(rate, 0.0) * dt <= TOUCH
    for k in range(4):
        floats[row, IMPULSE + k] = floats[row, TOTAL + k] = 0.0
    for k in range(3):
        floats[row, POSES + k], floats[row, POSES + 3 + k] = va[k], vb[k]
    floats[row, STIFFNESS] = floats[row, STIFFNESS + 1] = 0.0
    floats[row, FRICTION] = sqrt(ends.friction[first] * ends.friction[second])
    floats[row, RADII], floats[row, RADII + 1] = ends.radius[first], ends.radius[second]
    floats[row, POINTS] = count
    ints[row, FLAGS] = count | EVALUATED | (TOUCHES if touches else 0)


@borrowing_kernel
def _grazes(floats: FloatArray, row: int, ends: Ends, cores: Cores, first: int, second: int, dt: float) -> bool:
    """Return whether two shapes that are about to meet will pass each other, or meet by less than `TOUCH`.

    The gap is closed along the normal of now; by itself that would stop what only goes by (a *ghost collision*). A box at rest on
    a row of tiles lies a hair lower than their tops, and what is ahead of it is the side of the next one. So both are looked at from
    where they come: by how much they overlap across their relative motion is how deep they can meet, wherever they do::

             box  +-------+  v                    high of box - low of tile: much
                  |       |->  gap  +-------
        ----------+-------+---------+  tile       high of tile - low of box: a hair
    """
    nx, ny = floats[row, NORMAL], floats[row, NORMAL + 1]
    k = 1 if floats[row, POINTS] > 1.0 and floats[row, SEPARATION + 1] < floats[row, SEPARATION] else 0
    gap, x, y = floats[row, SEPARATION + k], floats[row, POSITION + 2 * k], floats[row, POSITION + 2 * k + 1]
    from_a, from_b = ends.radius[first] + 0.5 * gap, ends.radius[second] + 0.5 * gap
    ax, ay = _velocity_at(ends, ends.body[first], x - from_a * nx, y - from_a * ny)  # of the cores: a disc that spins goes nowhere
    bx, by = _velocity_at(ends, ends.body[second], x + from_b * nx, y + from_b * ny)
    vx, vy = bx - ax, by - ay
    if gap < -TOUCH or gap + (vx * nx + vy * ny) * dt > -TOUCH:
        return False
    speed = sqrt(vx * vx + vy * vy)
    low_a, high_a = span(ends, cores, first, -vy / speed, vx / speed)
    low_b, high_b = span(ends, cores, second, -vy / speed, vx / speed)
    return min(high_a - low_b, high_b - low_a) <= TOUCH


@inlined_kernel
def _velocity_at(ends: Ends, body: int, x: float, y: float) -> tuple[float, float]:
    """Return the velocity of a body's point."""
    v = ends.values[body]
    return v[3] - v[5] * (y - ends.centers[body, 1]), v[4] + v[5] * (x - ends.centers[body, 0])


@inlined_kernel
def span(ends: Ends, cores: Cores, fixture: int, x: float, y: float) -> tuple[float, float]:
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
def _match_points(old_ints: IntArray, old_floats: FloatArray, at: int, ints: IntArray, floats: FloatArray, row: int, is_warm: bool) -> None:
    """Give each point the impulses that the same point had in the last step.

    The same point has the same feature; or else, if the edge that defines the features has changed sides, as rounding decides between two
    equal boxes, it is the nearest one left, within `MATCH_DISTANCE`.
    """
    was_reported = old_ints[at, FLAGS] & (TOUCHES | PASSES) == TOUCHES
    names, old_names = ints[row, FEATURES], old_ints[at, FEATURES]
    left_0, left_1 = feature_of(old_names, 0) >= 0, feature_of(old_names, 1) >= 0
    new_0, new_1 = feature_of(names, 0) >= 0, feature_of(names, 1) >= 0
    for k in range(2):
        for j in range(2):
            is_free = (new_0 if k == 0 else new_1) and (left_0 if j == 0 else left_1)
            if is_free and feature_of(old_names, j) == feature_of(names, k):
                if was_reported:
                    ints[row, FLAGS] |= WAS_THERE << k
                _copy_point(old_floats, at, j, floats, row, k, is_warm)
                new_0, new_1 = new_0 and k != 0, new_1 and k != 1
                left_0, left_1 = left_0 and j != 0, left_1 and j != 1
    for _ in range(2):
        nearest, new, known = MATCH_DISTANCE * MATCH_DISTANCE, -1, -1
        for k in range(2):
            for j in range(2):
                if (new_0 if k == 0 else new_1) and (left_0 if j == 0 else left_1):
                    x = floats[row, LOCAL + 2 * k] - old_floats[at, LOCAL + 2 * j]
                    y = floats[row, LOCAL + 2 * k + 1] - old_floats[at, LOCAL + 2 * j + 1]
                    if x * x + y * y < nearest:
                        nearest, new, known = x * x + y * y, k, j
        if new >= 0:
            _copy_point(old_floats, at, known, floats, row, new, is_warm)
            new_0, new_1 = new_0 and new != 0, new_1 and new != 1
            left_0, left_1 = left_0 and known != 0, left_1 and known != 1


@inlined_kernel
def _copy_point(old_floats: FloatArray, at: int, j: int, floats: FloatArray, row: int, k: int, is_warm: bool) -> None:
    floats[row, STIFFNESS + k] = old_floats[at, STIFFNESS + j]
    if is_warm:
        floats[row, IMPULSE + 2 * k] = old_floats[at, IMPULSE + 2 * j]
        floats[row, IMPULSE + 2 * k + 1] = old_floats[at, IMPULSE + 2 * j + 1]
