"""Pairs of boxes, their classification, and the poses of their shapes.

Pairs are found for *fat* boxes, each a little larger than its shape's, and not again before a shape has left its own: what moves
slowly, a pile at rest, needs that once in a long while (E. Catto, "Dynamic BVH", GDC 2019). Of these pairs, those count whose tight
boxes overlap, so the answer does not depend on when they were found.

The boxes may be those of many copies of one world, one copy after the other (`engine.dynamics.copies`): no pair has boxes of two copies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common._copy_kernel import copy_rows
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.geometry._rotation_kernel import cosine_and_sine
from engine.narrowphase._extent_kernel import box_around

__all__ = ["NO", "SENSED", "SOLID", "STILL", "Kept", "classify", "classify_pairs", "fatten", "mark_moving", "neighbors", "place"]

NO, SOLID, SENSED, STILL = range(4)
"""A pair that may not touch; one to be solved; one with a sensor; one that would be solved if either side moved."""

_ROOM, _MAX_ROOM = 0.1, 0.1
"""Share of a box's larger side by which it is made fat on each side; meters, at most."""


class Kept(NamedTuple):
    """Columns of `Tables` that say which fixtures may meet.

    Attributes
    ----------
    body, shape : int64 (m,)
        Row of each fixture's body; number of its shape.
    filters : int64 (m, 3)
        Category, mask, group.
    is_sensor : bool (m,)
    is_dynamic : bool (n + 1,)
    joined : int64 (k,)
        Pairs of bodies whose joint keeps them from touching, lower row times the number of bodies plus the higher, ascending.
    """

    body: IntArray
    shape: IntArray
    filters: IntArray
    is_sensor: NDArray[np.bool_]
    is_dynamic: NDArray[np.bool_]
    joined: IntArray


@kernel
def place(
    values: FloatArray,
    center: FloatArray,
    body: IntArray,
    shape: IntArray,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    radius: FloatArray,
    centers: FloatArray,
    turns: FloatArray,
    poses: FloatArray,
    boxes: FloatArray,
) -> None:
    """Fill centers of mass, cosines and sines of bodies (n + 1, 2), poses and tight boxes of fixtures (m, 4).

    Parameters
    ----------
    values : float64 (n, 6)
        x, y, angle of bodies, and their velocities.
    center : float64 (n + 1, 2)
        Of mass, body frame.
    first, n_vertices, vertices, radius
        Of the packed shapes.
    """
    n = len(values)
    for row in range(n):
        cos, sin = cosine_and_sine(values[row, 2])
        turns[row, 0], turns[row, 1] = cos, sin
        centers[row, 0] = values[row, 0] + cos * center[row, 0] - sin * center[row, 1]
        centers[row, 1] = values[row, 1] + sin * center[row, 0] + cos * center[row, 1]
    turns[n, 0], turns[n, 1], centers[n, 0], centers[n, 1] = 1.0, 0.0, 0.0, 0.0
    for fixture in range(len(body)):
        row = body[fixture]
        x, y, cos, sin = values[row, 0], values[row, 1], turns[row, 0], turns[row, 1]
        poses[fixture, 0], poses[fixture, 1], poses[fixture, 2], poses[fixture, 3] = x, y, cos, sin
        low_x, low_y, high_x, high_y = box_around(first, n_vertices, vertices, radius, shape[fixture], x, y, cos, sin)
        boxes[fixture, 0], boxes[fixture, 1], boxes[fixture, 2], boxes[fixture, 3] = low_x, low_y, high_x, high_y


@kernel
def mark_moving(
    values: FloatArray,
    awake: NDArray[np.bool_],
    is_dynamic: NDArray[np.bool_],
    is_static: NDArray[np.bool_],
    is_active: NDArray[np.bool_],
    is_moving: NDArray[np.bool_],
    is_asleep: NDArray[np.bool_],
    moves: NDArray[np.bool_],
    drives: NDArray[np.bool_],
) -> int:
    """Mark the bodies (n + 1,) that move as the step begins, that sleep, that the step will move, and that it moves by forces.

    A kinematic body at rest does not move, nor does an inactive one. Return the number of bodies that move.
    """
    n, n_moving = len(values), 0
    for body in range(n + 1):
        is_awake = body < n and awake[body] and not is_static[body]
        moves[body] = is_awake and is_active[body]
        drives[body] = moves[body] and is_dynamic[body]
        is_asleep[body] = body < n and is_dynamic[body] and not awake[body]
        is_moving[body] = is_awake and (is_dynamic[body] or values[body, 3] != 0.0 or values[body, 4] != 0.0 or values[body, 5] != 0.0)
        n_moving += 1 if is_moving[body] else 0
    return n_moving


@kernel
def fatten(boxes: FloatArray, body: IntArray, is_static: NDArray[np.bool_], fat: FloatArray) -> bool:
    """Fill `fat` from tight boxes if one of them is not within its fat one, and return whether; those of static bodies stay as they are."""
    return _fatten(boxes, body, is_static, fat, 0, len(boxes))


@inlined_kernel
def _fatten(boxes: FloatArray, body: IntArray, is_static: NDArray[np.bool_], fat: FloatArray, first: int, end: int) -> bool:
    are_within = True
    for fixture in range(first, end):
        is_above = boxes[fixture, 0] >= fat[fixture, 0] and boxes[fixture, 1] >= fat[fixture, 1]
        are_within = are_within and is_above and boxes[fixture, 2] <= fat[fixture, 2] and boxes[fixture, 3] <= fat[fixture, 3]
    if are_within:
        return False
    for fixture in range(first, end):
        side = max(boxes[fixture, 2] - boxes[fixture, 0], boxes[fixture, 3] - boxes[fixture, 1])
        more = 0.0 if is_static[body[fixture]] else min(_ROOM * side, _MAX_ROOM)
        for k in range(2):
            fat[fixture, k], fat[fixture, k + 2] = boxes[fixture, k] - more, boxes[fixture, k + 2] + more
    return True


@kernel
def neighbors(
    boxes: FloatArray, body: IntArray, is_static: NDArray[np.bool_], size: int, fat: FloatArray, known: IntArray
) -> IntArray:  # fmt: skip
    """Return the pairs (k, 2) of fat boxes of one world that overlap, ascending; every `size` boxes are those of a world.

    Each world is compared anew, box by box, if a shape of it has left its fat box; else its pairs are those of `known`, the last result.
    """
    pairs, n_pairs, at, is_changed = known, 0, 0, False
    for first in range(0, len(boxes), max(size, 1)):
        end, begin = first + size, at
        while at < len(known) and known[at, 0] < end:
            at += 1
        is_left = _fatten(boxes, body, is_static, fat, first, end)
        if is_left and not is_changed:
            pairs, is_changed = np.empty((len(known) + 8 * size, 2), dtype=np.int64), True
            copy_rows(known, 0, n_pairs, pairs, 0)
        if not is_left:
            if is_changed:
                pairs = _with_room(pairs, n_pairs, at - begin)
                copy_rows(known, begin, at, pairs, n_pairs)
            n_pairs += at - begin
            continue
        for i in range(first, end):
            pairs = _with_room(pairs, n_pairs, size)
            for j in range(i + 1, end):
                if fat[i, 0] <= fat[j, 2] and fat[j, 0] <= fat[i, 2] and fat[i, 1] <= fat[j, 3] and fat[j, 1] <= fat[i, 3]:
                    pairs[n_pairs, 0], pairs[n_pairs, 1] = i, j
                    n_pairs += 1
    return pairs[:n_pairs]


@allocating_kernel
def _with_room(pairs: IntArray, n_pairs: int, more: int) -> IntArray:
    """Return the pairs, or a larger array of them, with room for some more."""
    if n_pairs + more <= len(pairs):
        return pairs
    larger = np.empty((2 * n_pairs + more, 2), dtype=np.int64)
    copy_rows(pairs, 0, n_pairs, larger, 0)
    return larger


@kernel
def classify_pairs(
    pairs: IntArray,
    boxes: FloatArray,
    poses: FloatArray,
    kept: Kept,
    is_moving: NDArray[np.bool_],
    kinds: NDArray[np.int8],
    shapes: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
) -> tuple[int, int, int]:
    """Fill the kind of each pair of fixtures; for those to be solved, in order, shapes (n, 2) and poses (n, 4).

    Return the numbers of solid, sensed and still pairs.
    """
    n_solid = n_sensed = n_still = 0
    n_bodies = len(kept.is_dynamic)
    for pair in range(len(pairs)):
        first, second = pairs[pair, 0], pairs[pair, 1]
        kind = NO
        if boxes[first, 0] <= boxes[second, 2] and boxes[second, 0] <= boxes[first, 2]:
            if boxes[first, 1] <= boxes[second, 3] and boxes[second, 1] <= boxes[first, 3]:
                a, b = kept.body[first], kept.body[second]
                is_sensor = kept.is_sensor[first] or kept.is_sensor[second]
                is_dynamic = kept.is_dynamic[a] or kept.is_dynamic[b]
                moves = is_moving[a] or is_moving[b]
                kind = _kind_of(a, b, kept.filters[first], kept.filters[second], is_sensor, is_dynamic, moves, kept.joined, n_bodies)
        kinds[pair] = kind
        if kind == SOLID:
            shapes[n_solid, 0], shapes[n_solid, 1] = kept.shape[first], kept.shape[second]
            for k in range(4):
                poses_a[n_solid, k], poses_b[n_solid, k] = poses[first, k], poses[second, k]
            n_solid += 1
        elif kind == SENSED:
            n_sensed += 1
        elif kind == STILL:
            n_still += 1
    return n_solid, n_sensed, n_still


@kernel
def classify(
    pairs: IntArray,
    body: IntArray,
    filters: IntArray,
    is_sensor: NDArray[np.bool_],
    is_dynamic: NDArray[np.bool_],
    is_moving: NDArray[np.bool_],
    joined: IntArray,
) -> IntArray:
    """Return the kind of each pair of fixtures: `NO`, `SOLID`, `SENSED` or `STILL`.

    Parameters
    ----------
    pairs : int64 (n, 2)
        Rows of fixtures.
    body : int64 (m,)
        Row of each fixture's body.
    filters : int64 (m, 3)
        Category, mask, group.
    is_dynamic, is_moving : bool (n_bodies,)
    joined : int64 (k,)
        Pairs of bodies whose joint keeps them from touching, lower row times the number of bodies plus the higher, ascending.
    """
    kinds = np.zeros(len(pairs), dtype=np.int64)
    n_bodies = len(is_dynamic)
    for pair in range(len(pairs)):
        first, second = pairs[pair, 0], pairs[pair, 1]
        a, b = body[first], body[second]
        senses, moves = is_sensor[first] or is_sensor[second], is_moving[a] or is_moving[b]
        kinds[pair] = _kind_of(a, b, filters[first], filters[second], senses, is_dynamic[a] or is_dynamic[b], moves, joined, n_bodies)
    return kinds


@inlined_kernel
def _kind_of(
    a: int, b: int, filter_a: IntArray, filter_b: IntArray, senses: bool, is_dynamic: bool, moves: bool, joined: IntArray, n_bodies: int
) -> int:
    if a == b or not is_dynamic or not _pass_filter(filter_a, filter_b):
        return NO
    if len(joined) > 0:
        key = min(a, b) * n_bodies + max(a, b)
        at = np.searchsorted(joined, key)
        if at < len(joined) and joined[at] == key:
            return NO
    if senses:
        return SENSED
    return SOLID if moves else STILL


@inlined_kernel
def _pass_filter(a: IntArray, b: IntArray) -> bool:
    """Return whether two fixtures may meet: a group that both have decides, else each mask must have a bit of the other's category."""
    if a[2] == b[2] and a[2] != 0:
        return bool(a[2] > 0)
    return bool((a[1] & b[0]) != 0 and (b[1] & a[0]) != 0)
