"""Continuous collision: no body passes through another within a step, however fast, thin or spinning.

After the sub-steps every body has a start and an end pose. A dynamic body is *fast* where a point of it may go farther than half of what is
inside it, the distance from its middle to its nearest edge; a slower one is still on its own side when its overlap is found, and is pushed
back there. Where it lies deep in a static or kinematic one already, less is enough. Kinematic bodies matter where they go farther than
half of the smallest inside there is. Each pair with a body that is fast, or so driven, gets the time of the first touch of both
motions, rotation included; the touches happen in the order of time, and `_stop_kernel` determines the effect of each.

What is left of the step is lost to a body that is stopped, and to those that joints connect with it; its velocity is not, and the next step
begins with the impact. Sensors stop nothing; those that a fast body passes are reported.

Source: E. Catto, "Continuous Collision", GDC 2013; here for all pairs, both bodies moving, where Box2D takes static ones and bullets.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.broadphase import Automatic
from engine.common.arrays import FloatArray, IntArray, any_of_rows, frozen
from engine.dynamics._island_kernel import islands
from engine.dynamics._pairs_kernel import SENSED, SOLID, classify
from engine.dynamics._stop_kernel import CARRIED, FREE, NEVER, SHALLOW, farthest_moves, pairs_of_some, passing, play
from engine.dynamics.contacts import ContactRows
from engine.dynamics.tables import MARGIN, Tables

__all__ = ["Motion", "Stops", "are_on_chains", "no_moments", "stop_at_first_touch"]

_ASKED = 2.0 * MARGIN / SHALLOW
"""Depth inside a body, meters, up to which a hook decides whether another may pass: it is called before bodies overlap. Beyond this
margin, the hook could no longer determine where the body came from."""

_MANY = 50_000
"""Number of pairs of boxes above which a broad phase is faster than comparing all of them, at about 6 ns each."""


class Motion(NamedTuple):
    """Motion of the bodies of one world over a step.

    Attributes
    ----------
    start, end : float64 (n, 3)
        Poses of the origins.
    moved : float64 (n,)
        Farthest that any point of each moves, m.
    is_fast, drives : bool (n,)
        Dynamic bodies that are fast, and others that are fast enough to matter.
    """

    start: FloatArray
    end: FloatArray
    moved: FloatArray
    is_fast: NDArray[np.bool_]
    drives: NDArray[np.bool_]


class Stops(NamedTuple):
    """The impacts of a step's motion.

    Attributes
    ----------
    fraction : float64 (n,)
        Of the step that each body moved as the solver left it; 1 where nothing stopped it.
    end : float64 (n, 3)
        Where each body stands at the end.
    is_carried : bool (n,)
        Whether something carried it along: it does not stand where it was stopped, and may have been asleep.
    falls : bool (n,)
        Whether neither a contact nor a joint with something immovable acted on a body or on those that joints connect with it.
    met : int64 (k, 2)
        Pairs of rows of fixtures at whose touch a body was stopped or carried along, in the order of time.
    poses : float64 (k, 7)
        Of the bodies of both then, and the fraction of the step.
    passed : int64 (k, 2)
        Pairs of rows of fixtures, one of which only senses, that met on the way.
    """

    fraction: FloatArray
    end: FloatArray
    is_carried: NDArray[np.bool_]
    falls: NDArray[np.bool_]
    met: IntArray
    poses: FloatArray
    passed: IntArray


@cache
def no_moments() -> tuple[IntArray, FloatArray]:
    """Return the touches of a step that had none: pairs of fixtures (0, 2), and poses (0, 7)."""
    return frozen(np.zeros((0, 2), dtype=np.int64)), frozen(np.zeros((0, 7)))


def stop_at_first_touch(
    tables: Tables,
    before: FloatArray,
    after: FloatArray,
    is_moving: NDArray[np.bool_],
    solved: IntArray,
    rows: ContactRows,
    links: IntArray,
    in_contact: Callable[[IntArray], NDArray[np.bool_]],
    passes: Callable[[IntArray], bool] | None,
) -> Stops | None:
    """Return where the motion of a step must end, or None if nothing is fast.

    Parameters
    ----------
    before, after : float64 (n, 6)
        x, y, angle of bodies as the step begins and as the method leaves them, and their velocities.
    is_moving : bool (n + 1,)
        Bodies that are awake and not static.
    solved, rows
        Contacts as the step began; see `model`.
    links : int64 (l, 2)
        Rows of bodies that joints connect, with each other or with the world's own body.
    in_contact : callable
        Tells of pairs (n, 2) of rows of fixtures which were in contact as the step began.
    passes : callable, optional
        Tells of a pair (2,) that would touch whether it is let through.
    """
    bodies, fixtures = tables.bodies, tables.fixtures
    inner_radius = tables.inner_radius if passes is None else np.minimum(tables.inner_radius, _ASKED)
    moved, is_fast, drives, is_any = farthest_moves(
        before, after, bodies.center, tables.reach, inner_radius, is_moving, bodies.is_dynamic, solved, rows.ints, rows.floats
    )
    if not is_any:
        return None
    n, rings = len(before), _rings_of(links, bodies.is_dynamic)
    is_dynamic, center = bodies.is_dynamic[:n], bodies.center[:n]
    motion = Motion(np.ascontiguousarray(before[:, :3]), np.ascontiguousarray(after[:, :3]), moved, is_fast, drives)
    pairs = _pairs(tables, motion)
    kinds = classify(pairs, fixtures.body, fixtures.filters, fixtures.is_sensor, bodies.is_dynamic, is_moving, tables.joined)
    solid, sensed = pairs[kinds == SOLID], pairs[kinds == SENSED]
    since, at, end, state = np.zeros(n), motion.start.copy(), motion.end.copy(), np.full(n, FREE)
    carrier, first_stop = np.where(is_moving[:n] & ~is_dynamic, np.arange(n), -1), np.ones(n)
    paths = (
        since, at, end, center, moved, tables.inner_radius, is_dynamic, is_fast, state, carrier, first_stop, *rings[1:],
    )  # fmt: skip
    packed, ends = tables.shapes.swept.packed.arrays, fixtures.body[solid]
    reacts = is_dynamic[ends] & (is_fast[ends] | drives[ends[:, ::-1]])
    reacts |= ~reacts.any(axis=1)[:, None] & is_dynamic[ends]
    allowed = np.where(in_contact(solid), np.where(reacts, fixtures.inner_radius[solid], np.inf).min(axis=1), 0.0)
    first, is_open, is_asked = np.full(len(solid), NEVER), np.ones(len(solid), dtype=np.bool_), np.zeros(len(solid), dtype=np.bool_)
    meetings = (ends, fixtures.shape[solid], allowed, first, is_open, is_asked)
    moments = (np.zeros(1, dtype=np.int64), np.zeros(3 * n, dtype=np.int64), np.zeros((3 * n, 7)))
    stopped = play(packed, paths, meetings, moments, True, passes is not None)
    while stopped >= 0 and passes is not None:
        is_open[stopped], is_asked[stopped] = not passes(solid[stopped]), True
        stopped = play(packed, paths, meetings, moments, False, True)
    count = int(moments[0][0])
    passed = sensed[passing(packed, fixtures.body[sensed], fixtures.shape[sensed], motion.start, since, at, end, center)]
    acts = np.append(rings.is_anchored, False)
    acts[solved[(rows.total[solved[:, 0], :, 0] > 0.0).any(axis=1), 1:3]] = True
    falls = ~np.isin(rings.lowest, rings.lowest[acts[:-1]])
    return Stops(first_stop, end, state >= CARRIED, falls, solid[moments[1][:count]], moments[2][:count], passed)


class _Rings(NamedTuple):
    """Movable bodies that joints connect: the lowest row of each ring (n,), and `Paths.next_jointed` and `Paths.is_anchored`."""

    lowest: IntArray
    following: IntArray
    is_anchored: NDArray[np.bool_]


def _rings_of(links: IntArray, is_dynamic: NDArray[np.bool_]) -> _Rings:
    """Return the rings of bodies, given the rows (l, 2) that joints connect; the last row of `is_dynamic` is the world's own body."""
    lowest = islands(links, is_dynamic)[:-1]
    order = np.argsort(lowest, kind="stable")
    is_last = np.diff(lowest[order], append=-1) != 0
    following = np.empty_like(lowest)
    following[order[~is_last]] = order[np.flatnonzero(~is_last) + 1]
    following[order[is_last]] = lowest[order[is_last]]
    held = links[~is_dynamic[links].all(axis=1)].ravel()
    return _Rings(lowest, following, np.isin(lowest, lowest[held[is_dynamic[held]]]))


def are_on_chains(tables: Tables, touching: IntArray, pairs: IntArray) -> NDArray[np.bool_]:
    """Return which pairs (n, 2) of fixture rows consist of a link and a fixture that touches (`touching`, (k, 2)) a link of the same body.

    What slides or rolls on a chain, a hair deep, meets the ends of links to come, and a link leaves contacts to its neighbors: it was in
    contact with the chain, if not with that link.
    """
    body, packed = tables.fixtures.body, tables.shapes.swept.packed
    is_link = any_of_rows(packed.has_ghost)[tables.fixtures.shape]
    are_on: NDArray[np.bool_] = np.zeros(len(pairs), dtype=np.bool_)
    touching = np.concatenate((touching, touching[:, ::-1]))
    touching = touching[is_link[touching[:, 0]]]
    if len(touching) > 0:
        n = len(tables.bodies.is_dynamic)
        known = touching[:, 1] * n + body[touching[:, 0]]
        for links, others in (pairs.T, pairs.T[::-1]):
            are_on |= is_link[links] & np.isin(others * n + body[links], known)
    return are_on


def _pairs(tables: Tables, motion: Motion) -> IntArray:
    """Return the pairs of fixture rows of a world whose boxes meet during the motion, if one of the bodies is fast or drives another."""
    single, boxes = tables.one_world, _swept_boxes(tables, motion)
    n, m, matters = len(single.bodies.ids), len(single.fixtures.ids), motion.is_fast | motion.drives
    if m * m <= _MANY and not motion.drives.any():
        are_fast = matters[tables.fixtures.body]
        return pairs_of_some(boxes, np.flatnonzero(are_fast), are_fast, m)
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for world in np.flatnonzero(matters.reshape(-1, n).any(axis=1)).tolist():
        part = Motion._make(column[world * n : (world + 1) * n] for column in motion)
        pairs.append(_pairs_of_world(single, part, boxes[world * m : (world + 1) * m]) + world * m)
    return np.concatenate(pairs)


def _pairs_of_world(tables: Tables, motion: Motion, boxes: FloatArray) -> IntArray:
    """Return the same for one world, given the boxes around the fixtures' motion, which are changed.

    What a driving body meets may be carried along, as far as that one goes, and push on others in its turn: its box grows by so much.
    """
    body, n = tables.fixtures.body, len(motion.start)
    moved, is_fast, drives = motion.moved, motion.is_fast, motion.drives
    matters = (is_fast | drives)[body]
    pairs = _pairs_of(boxes, matters)
    if not drives.any():
        return pairs
    can_be_carried = tables.bodies.is_dynamic[:n] & (is_fast | (moved[drives].max() + moved > SHALLOW * tables.inner_radius))
    drivers, is_reached = np.flatnonzero(drives), drives[body]
    way = np.hypot(*(motion.end[drivers, :2] - motion.start[drivers, :2]).T)
    turned = np.abs(motion.end[drivers, 2] - motion.start[drivers, 2])
    while True:
        is_new = np.zeros(len(body), dtype=np.bool_)
        is_new[pairs[is_reached[pairs[:, ::-1]]]] = True
        new = np.flatnonzero(is_new & can_be_carried[body] & ~is_reached)
        if len(new) == 0:
            return pairs
        of_new = body[new]
        apart = np.hypot(*np.moveaxis(motion.start[of_new, None, :2] - motion.start[drivers, :2], 2, 0))
        carried = (way + turned * (apart + (tables.reach + moved)[of_new, None])).max(axis=1)
        boxes[new] += carried[:, None] * (-1.0, -1.0, 1.0, 1.0)
        is_reached[new] = matters[new] = True
        pairs = _pairs_of(boxes, matters)


def _pairs_of(boxes: FloatArray, matters: NDArray[np.bool_]) -> IntArray:
    """Return the pairs of boxes that overlap, one of which matters at least."""
    some = np.flatnonzero(matters)
    if len(some) * len(boxes) <= _MANY:
        return pairs_of_some(boxes, some, matters, len(boxes))
    pairs = Automatic().pairs(boxes)
    return pairs[matters[pairs].any(axis=1)]


def _swept_boxes(tables: Tables, motion: Motion) -> FloatArray:
    """Return boxes (m, 4) around the fixtures' motion: around both poses, enlarged by the height of the arcs of rotation."""
    from engine.narrowphase import batched

    body, shape = tables.fixtures.body, tables.fixtures.shape
    boxes = [
        batched.box_rows(tables.shapes.swept.packed, shape, batched.poses_with_rotation(poses[body]))
        for poses in (motion.start, motion.end)
    ]
    turned = np.abs(motion.end[:, 2] - motion.start[:, 2])
    arc = (np.minimum(turned, np.pi) * tables.reach)[body]
    lower = np.minimum(boxes[0][:, :2], boxes[1][:, :2]) - arc[:, None]
    upper = np.maximum(boxes[0][:, 2:], boxes[1][:, 2:]) + arc[:, None]
    return np.concatenate((lower, upper), axis=1)
