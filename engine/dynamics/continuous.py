"""Continuous collision: no body passes through another within a step, however fast, thin or spinning.

After the sub-steps every body has a start and an end pose. A dynamic body is *fast* where a point of it may go farther than half of what is
inside it, the distance from its middle to its nearest edge; a slower one is still on its own side when its overlap is found, and is pushed
back there. Where it lies deep in a static or kinematic one already, less is enough. Kinematic bodies matter where they go farther than
half of the smallest inside there is. Each pair with a body that is fast, or so driven, gets the time of the first touch of both
motions, rotation included; the touches happen in the order of time, and `_stop_kernel` determines the effect of each.

A body on which nothing else acts bounces there and moves on for the rest of the step. A body that is stopped loses the rest of the step,
but not its velocity, and the next step begins with the impact. Sensors stop nothing; those that a fast body passes are reported.

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
from engine.dynamics._crowd_kernel import CROWD
from engine.dynamics._pairs_kernel import SENSED, SOLID, classify
from engine.dynamics._stop_kernel import (
    CARRIED,
    ENDED,
    FREE,
    MAX_IMPACTS,
    OUTGROWN,
    SENSES,
    SHALLOW,
    UNKNOWN,
    Meetings,
    Moments,
    Paths,
    Surfaces,
    farthest_moves,
    pairs_of_some,
    play,
)
from engine.dynamics.crowd import crowd_pairs
from engine.dynamics.methods.protocol import Problem
from engine.dynamics.tables import MARGIN, Tables

__all__ = ["Motion", "Stops", "are_on_chains", "no_moments", "stop_at_first_touch"]

_ASKED = 2.0 * MARGIN / SHALLOW
"""Depth inside a body, meters, up to which a hook decides whether another may pass: it is called before bodies overlap. Beyond this
margin, the hook could no longer determine where the body came from."""

_SPREAD = 1.5
"""Speed after impacts, as a multiple of the fastest one before them, for which pairs are found at once: one impact of two equal bodies
gives at most the square root of two. A faster body has its own pairs found."""

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
        Of the step that each body moved as the solver left it; 1 where it met nothing.
    end, velocity : float64 (n, 3)
        Pose and velocity of each body at the end.
    is_carried : bool (n,)
        Whether something carried it along: it does not stand where it was stopped, and may have been asleep.
    met : int64 (k, 2)
        Pairs of rows of fixtures at whose touch a body bounced, was stopped or carried along, in the order of time.
    poses : float64 (k, 7)
        Of the bodies of both then, and the fraction of the step.
    is_impact : bool (k,)
        Whether the bodies got the impulses of an impact.
    points, impulse : float64 (k, 2, 2)
        Points of the impact, world frame; impulses along the normal and the tangent, N s.
    passed : int64 (k, 2)
        Pairs of rows of fixtures, one of which only senses, that met on the way.
    """

    fraction: FloatArray
    end: FloatArray
    velocity: FloatArray
    is_carried: NDArray[np.bool_]
    met: IntArray
    poses: FloatArray
    is_impact: NDArray[np.bool_]
    points: FloatArray
    impulse: FloatArray
    passed: IntArray


@cache
def no_moments() -> tuple[IntArray, FloatArray]:
    """Return the touches of a step that had none: pairs of fixtures (0, 2), and poses (0, 7)."""
    return frozen(np.zeros((0, 2), dtype=np.int64)), frozen(np.zeros((0, 7)))


def stop_at_first_touch(
    step: Problem,
    after: FloatArray,
    links: IntArray,
    in_contact: Callable[[IntArray], NDArray[np.bool_]],
    passes: Callable[[IntArray], bool] | None,
    is_crowd: bool,
) -> Stops | None:
    """Return where the motion of a step must end, or None if nothing is fast.

    Parameters
    ----------
    after : float64 (n, 6)
        x, y, angle of bodies as the method leaves them, and their velocities.
    links : int64 (l, 2)
        Rows of bodies that joints connect.
    in_contact : callable
        Tells of pairs (n, 2) of rows of fixtures which were in contact as the step began.
    passes : callable, optional
        Tells of a pair (2,) that would touch whether it is let through.
    is_crowd : bool
        Whether the contacts are not all that there are (`Nearby`); then nothing bounces.
    """
    tables, before, rows = step.tables, step.values, step.rows
    bodies, fixtures = tables.bodies, tables.fixtures
    inner_radius = tables.inner_radius if passes is None else np.minimum(tables.inner_radius, _ASKED)
    moved, is_fast, drives, is_any, is_free = farthest_moves(
        before, after, bodies.center, tables.reach, inner_radius, step.moves, bodies.is_dynamic, step.solved, rows.ints, rows.floats, links
    )
    if not is_any:
        return None
    n = len(before)
    is_dynamic = bodies.is_dynamic[:n]
    motion = Motion(np.ascontiguousarray(before[:, :3]), np.ascontiguousarray(after[:, :3]), moved, is_fast, drives)
    if is_crowd:
        is_free[:] = False
    paths = Paths(
        np.zeros(n), motion.start.copy(), motion.end.copy(), bodies.center[:n], moved, tables.reach, tables.inner_radius, is_dynamic,
        is_fast, is_free, np.full(n, FREE), np.where(step.moves[:n] & ~is_dynamic, np.arange(n), -1), np.ones(n), after[:, 3:].copy(),
        step.push, step.inverse, np.zeros(n, dtype=np.int64), step.center, np.zeros(n),
    )  # fmt: skip
    boxes = _swept_boxes(tables, motion)
    pairs = _pairs(tables, motion, boxes.copy())
    meetings = _meetings(step, motion, pairs, in_contact(pairs))
    room = (3 + MAX_IMPACTS) * n
    moments = Moments(
        np.zeros(1, dtype=np.int64), np.empty(room, dtype=np.int64), np.empty((room, 7)), np.empty(room, dtype=np.bool_),
        np.empty((room, 2, 2)), np.empty((room, 2, 2)),
    )  # fmt: skip
    surfaces = Surfaces(fixtures.shape, fixtures.friction, fixtures.restitution)
    packed, row = tables.shapes.swept.packed.arrays, OUTGROWN
    while row != ENDED:
        row = play(packed, tuple(surfaces), tuple(paths), tuple(meetings), tuple(moments), step.dt, step.threshold, passes is not None)
        if row == OUTGROWN:
            boxes_now = _covered_boxes(tables, paths, meetings, boxes)
            new = _pairs(tables, motion._replace(is_fast=is_fast | (paths.covered > 0.0)), boxes_now)
            new = new[~np.isin(new @ (len(fixtures.ids), 1), pairs @ (len(fixtures.ids), 1))]
            more = _meetings(step, motion, new, np.zeros(len(new), dtype=np.bool_))
            pairs, meetings = np.concatenate((pairs, new)), Meetings._make(map(np.concatenate, zip(meetings, more, strict=True)))
        elif passes is not None and row != ENDED:
            meetings.is_open[row], meetings.is_asked[row] = not passes(meetings.fixtures[row]), True
    count = int(moments.n_moments[0])
    happened = Moments._make(column[:count].copy() for column in moments)
    passed = meetings.fixtures[(meetings.allowed == SENSES) & ~meetings.is_open]
    first_stop, end, velocity, is_carried = paths.first_stop, paths.end, paths.velocity, paths.state >= CARRIED
    return Stops(first_stop, end, velocity, is_carried, meetings.fixtures[happened.pair], *happened[2:], passed)


def _covered_boxes(tables: Tables, paths: Paths, meetings: Meetings, boxes: FloatArray) -> FloatArray:
    """Return the boxes (m, 4) around the fixtures' motion, enlarged to where free bodies get at the speed of any that they may meet."""
    moved, (i, j) = np.where(paths.is_free[:-1], paths.moved, 0.0), meetings.bodies.T
    fastest = moved.copy()
    np.maximum.at(fastest, i, moved[j])
    np.maximum.at(fastest, j, moved[i])
    paths.covered[:] = np.maximum(paths.covered, np.where(paths.is_free[:-1], _SPREAD * fastest, 0.0))
    body = tables.fixtures.body
    center, covered = paths.origin[body], paths.covered[body][:, None]
    half = np.where(covered > 0.0, covered + paths.reach[body][:, None], -np.inf)
    return np.column_stack((np.minimum(boxes[:, :2], center - half), np.maximum(boxes[:, 2:], center + half)))


def _meetings(step: Problem, motion: Motion, pairs: IntArray, are_in_contact: NDArray[np.bool_]) -> Meetings:
    """Return those of the pairs (n, 2) of rows of fixtures that may stop or sense each other, given which were in contact."""
    tables = step.tables
    is_dynamic, fixtures, is_fast, drives = tables.bodies.is_dynamic, tables.fixtures, motion.is_fast, motion.drives
    kinds = classify(pairs, fixtures.body, fixtures.filters, fixtures.is_sensor, is_dynamic, step.moves, tables.joined)
    kept = np.flatnonzero((kinds == SOLID) | (kinds == SENSED))
    pairs, are_in_contact = pairs[kept], are_in_contact[kept]
    ends, n = fixtures.body[pairs], len(pairs)
    reacts = is_dynamic[ends] & (is_fast[ends] | drives[ends[:, ::-1]])
    reacts |= ~any_of_rows(reacts)[:, None] & is_dynamic[ends]
    allowed = np.where(are_in_contact, np.where(reacts, fixtures.inner_radius[pairs], np.inf).min(axis=1), 0.0)
    allowed[any_of_rows(fixtures.is_sensor[pairs])] = SENSES
    return Meetings(pairs, ends, allowed, np.full(n, UNKNOWN), np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_))


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


def _pairs(tables: Tables, motion: Motion, boxes: FloatArray) -> IntArray:
    """Return the pairs of fixture rows of a world whose boxes (m, 4) overlap, if one of the bodies is fast or drives another.

    The boxes are changed.
    """
    single = tables.one_world
    n, m, matters = len(single.bodies.ids), len(single.fixtures.ids), motion.is_fast | motion.drives
    if m * m <= CROWD and not motion.drives.any():  # too few for a crowd, and for a broad phase
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
    pairs = _pairs_of(tables, boxes, matters)
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
        pairs = _pairs_of(tables, boxes, matters)


def _pairs_of(tables: Tables, boxes: FloatArray, matters: NDArray[np.bool_]) -> IntArray:
    """Return the pairs of boxes that overlap, one of which matters at least.

    Of a crowd, in which bodies pass each other anyway, those alone of which one is what holds it.
    """
    some, body, is_dynamic = np.flatnonzero(matters), tables.fixtures.body, tables.bodies.is_dynamic
    if len(some) * len(boxes) > CROWD:
        crowd = crowd_pairs(boxes, body, is_dynamic)
        if crowd is not None:
            crowd = crowd[np.flatnonzero(~is_dynamic[body[crowd]].all(axis=1))]
            return crowd[np.flatnonzero(matters[crowd].any(axis=1))]
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
