"""Continuous collision: no body passes through another within a step, however fast, thin or spinning.

After the sub-steps every body has a start and an end pose. A body is *fast* where a point of it goes farther than half of what is inside
it, the distance from its middle to its nearest edge; a slower one is still on its own side when its overlap is found, and is pushed back
there. Each pair with a fast body gets the time of the first touch of both motions, rotation included (`time_of_impact`). The earliest
touches are taken: the fast bodies of such a pair stop at that moment and stand there for the rest of the step, and the pairs that they are
in are asked again, for what still moves towards them. What is left of the step is lost to a body that is stopped; its velocity is not, and
the next step begins with the impact.

A body that slides, or rests, touches all the time. So of a pair that was in contact as the step began, a fast body counts as its inside,
cut back by half of its least depth: it is stopped where it goes that deep, still on its own side; where it is that deep already, the next
inside, of nine tenths. A body that is stopped by one that nothing can stop, a kinematic one, is carried by it for the rest of the step.
Sensors stop nothing; those that a fast body passes are told.

Source: E. Catto, "Continuous Collision", GDC 2013; here for all pairs, both bodies moving, where Box2D takes static ones and bullets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.broadphase import Automatic
from engine.common.arrays import FloatArray, IntArray
from engine.contracts import Status
from engine.dynamics._pairs_kernel import SENSED, SOLID, classify
from engine.dynamics.tables import N_INSIDES, Tables
from engine.query import batch

__all__ = ["Motion", "Stops", "stop_at_first_touch"]

_INSIDE = 0.5
"""Share of what is inside a body that a point of it may go in one step without being looked at."""


class Motion(NamedTuple):
    """Poses of all bodies' origins at the start and the end of a step, float64 (n, 3), and which of them move, bool (n,)."""

    start: FloatArray
    end: FloatArray
    moves: NDArray[np.bool_]


class Stops(NamedTuple):
    """What a step's motion met.

    Attributes
    ----------
    fraction : float64 (n,)
        Of the step that each body moved; 1 where nothing stopped it.
    end : float64 (n, 3)
        Where each body stands at the end.
    passed : int64 (k, 2)
        Pairs of rows of fixtures, one of which only senses, that met on the way.
    """

    fraction: FloatArray
    end: FloatArray
    passed: IntArray


def pose_at(motion: Motion, center: FloatArray, bodies: IntArray, fraction: FloatArray) -> FloatArray:
    """Return the poses (m, 3) of some bodies at fractions (m,) of the step; their centres of mass move on straight lines."""
    start, end, middle = motion.start[bodies], motion.end[bodies], center[bodies]
    at = fraction[:, None]
    angle = (1.0 - at[:, 0]) * start[:, 2] + at[:, 0] * end[:, 2]
    moved = (1.0 - at) * (start[:, :2] + _rotated(start[:, 2], middle)) + at * (end[:, :2] + _rotated(end[:, 2], middle))
    poses = np.column_stack((moved - _rotated(angle, middle), angle))
    poses[fraction == 0.0], poses[fraction == 1.0] = start[fraction == 0.0], end[fraction == 1.0]
    return poses


def stop_at_first_touch(
    tables: Tables, motion: Motion, in_contact: Callable[[IntArray], NDArray[np.bool_]], passes: Callable[[IntArray], NDArray[np.bool_]]
) -> Stops:
    """Return where the motion of a step must end.

    Parameters
    ----------
    in_contact : callable
        Tells of pairs (n, 2) of rows of fixtures which were in contact as the step began.
    passes : callable
        Tells of pairs that would touch which are let through each other.
    """
    bodies, fixtures = tables.bodies, tables.fixtures
    n = len(motion.start)
    fraction, none = np.ones(n), np.zeros((0, 2), dtype=np.int64)
    center = bodies.center
    way = np.hypot(*_centers_way(motion, center).T)
    turned = np.abs(motion.end[:, 2] - motion.start[:, 2])
    fast = motion.moves & bodies.is_dynamic[:n] & (way + turned * tables.reach > _INSIDE * tables.inside)
    if not fast.any():
        return Stops(fraction, motion.end, none)
    pairs = Automatic().pairs(_swept_boxes(tables, motion, turned))
    is_fast = fast[fixtures.body[pairs]]
    pairs, is_fast = pairs[is_fast.any(axis=1)], is_fast[is_fast.any(axis=1)]
    become = classify(
        pairs, fixtures.body, fixtures.filters, fixtures.is_sensor, bodies.is_dynamic, np.append(motion.moves, False), tables.joined
    )
    solid, sensed = become == SOLID, pairs[become == SENSED]
    pairs, is_fast = pairs[solid], is_fast[solid]
    shapes = fixtures.shape[pairs] + np.where(is_fast & in_contact(pairs)[:, None], len(tables.shapes), 0)
    is_open = np.ones(len(pairs), dtype=np.bool_)
    first = _first_touch(tables, motion, pairs, shapes, fraction)
    carrier = np.full(n, -1, dtype=np.int64)
    while True:
        ends = fixtures.body[pairs]
        can_stop = is_fast & (fraction[ends] == 1.0)
        meets = is_open & (first < 1.0) & can_stop.any(axis=1)
        if not meets.any():
            break
        soonest = np.full(n, 2.0)
        for side in (0, 1):
            np.minimum.at(soonest, ends[meets, side], first[meets])
        is_next = meets & (~can_stop | (first[:, None] <= soonest[ends])).all(axis=1)
        through = np.zeros(len(pairs), dtype=np.bool_)
        through[is_next] = passes(pairs[is_next])
        is_open &= ~through
        is_next &= ~through
        if not is_next.any():
            continue
        is_open &= ~is_next
        stopped = np.zeros(n, dtype=np.bool_)
        for side in (0, 1):
            stops = is_next & can_stop[:, side]
            fraction[ends[stops, side]] = np.minimum(fraction[ends[stops, side]], first[stops])
            carrier[ends[stops, side]] = ends[stops, 1 - side]
            stopped[ends[stops, side]] = True
        again = is_open & stopped[ends].any(axis=1)
        first[again] = _first_touch(tables, motion, pairs[again], shapes[again], fraction)
    passed = sensed[_first_touch(tables, motion, sensed, fixtures.shape[sensed], fraction) < 1.0]
    end = pose_at(motion, center, np.arange(n), fraction)
    carried = np.flatnonzero(carrier >= 0)
    carried = carried[~(bodies.is_dynamic | bodies.is_static)[carrier[carried]]]
    end[carried] = _carried(motion, center, end[carried], carrier[carried], fraction[carried])
    return Stops(fraction, end, passed)


def _first_touch(tables: Tables, motion: Motion, pairs: IntArray, shapes: IntArray, fraction: FloatArray) -> FloatArray:
    """Return the fraction of the step at which each pair first touches, 1 and more where it does not.

    Up to where the first of two bodies has been stopped the pair is known not to touch, or not to matter; from there on the one stands.
    """
    center = tables.bodies.center
    ends = tables.fixtures.body[pairs]
    stops = fraction[ends]
    since = np.where((stops < 1.0).any(axis=1), stops.min(axis=1), 0.0)
    sweeps = [
        (pose_at(motion, center, body, np.minimum(since, until)), pose_at(motion, center, body, until))
        for body, until in zip(ends.T, stops.T, strict=True)
    ]
    first = np.full(len(pairs), 2.0)
    asked, n_shapes = np.arange(len(pairs)), len(tables.shapes)
    for _ in range(N_INSIDES):
        if len(asked) == 0:
            break
        (start_a, end_a), (start_b, end_b) = ((start[asked], end[asked]) for start, end in sweeps)
        centers = {"center_a": center[ends[asked, 0]], "center_b": center[ends[asked, 1]]}
        found = batch.time_of_impact(tables.shapes.swept, shapes[asked], start_a, end_a, start_b, end_b, **centers)
        moved = np.isin(found.status, (int(Status.HIT), int(Status.OUT_OF_ITERATIONS))) & (found.fraction > 0.0)
        first[asked[moved]] = (since[asked] + (1.0 - since[asked]) * found.fraction)[moved]
        deep = (found.status != Status.MISS) & ~moved & (shapes[asked] >= n_shapes).any(axis=1)
        asked = asked[deep]
        shapes = shapes + np.where(shapes >= n_shapes, n_shapes, 0)  # the next inside
    return first


def _carried(motion: Motion, center: FloatArray, pose: FloatArray, by: IntArray, since: FloatArray) -> FloatArray:
    """Return where bodies that stood at `pose` at fractions `since` end up, carried by other bodies as these move on."""
    before, after = pose_at(motion, center, by, since), motion.end[by]
    turned = after[:, 2] - before[:, 2]
    return np.column_stack((after[:, :2] + _rotated(turned, pose[:, :2] - before[:, :2]), pose[:, 2] + turned))


def _swept_boxes(tables: Tables, motion: Motion, turned: FloatArray) -> FloatArray:
    """Return boxes (m, 4) around the fixtures from start to end: around both poses, and as much larger as the turning makes their arcs."""
    from engine.narrowphase import batched

    body, shape = tables.fixtures.body, tables.fixtures.shape
    boxes = [
        batched.box_rows(tables.shapes.swept.packed, shape, batched.poses_with_rotation(poses[body]))
        for poses in (motion.start, motion.end)
    ]
    arc = (np.minimum(turned, np.pi) * tables.reach)[body]
    lower = np.minimum(boxes[0][:, :2], boxes[1][:, :2]) - arc[:, None]
    upper = np.maximum(boxes[0][:, 2:], boxes[1][:, 2:]) + arc[:, None]
    return np.concatenate((lower, upper), axis=1)


def _centers_way(motion: Motion, center: FloatArray) -> FloatArray:
    n = len(motion.start)
    start = motion.start[:, :2] + _rotated(motion.start[:, 2], center[:n])
    return motion.end[:, :2] + _rotated(motion.end[:, 2], center[:n]) - start


def _rotated(angle: FloatArray, vectors: FloatArray) -> FloatArray:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.column_stack((cosine * vectors[:, 0] - sine * vectors[:, 1], sine * vectors[:, 0] + cosine * vectors[:, 1]))
