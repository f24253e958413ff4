"""The convex hull of points, by quickhull.

The leftmost and the rightmost point belong to the hull, and the line between them parts the rest in two. On each side the point
farthest from the line belongs to the hull as well; the triangle that it makes with the line is full of points that
do not, and outside it are two smaller tasks of the same kind::

                   farthest
                  /  *     \\
           task 1/   inside \\ task 2
                / .    .     \\
        left   *--------------* right

On average each step discards most points, so n points cost about n log n.

Nothing here depends on rounding: on which side a point lies, and which of two is farther, is decided exactly
(`engine.geometry.predicates`). So the hull is that of the very numbers given, and strict: no vertex lies on the line of its
neighbors. Among points equally far the first in the order of x, then y, is taken: it is an end of their line, never a point
inside it.

**The check on it** is the monotone chain, which shares the predicate only and finds the same hull, to the bit. Points are taken from left
to right. The lower hull of the visited points is a chain that only turns left; a new point, right of all of them, is its new end, and
points that would make the chain turn right or continue straight are removed::

                      o new                          o new
                     /                              /
        *       *---*  popped       becomes   *    /
         \\     /                               \\  /
          *---*                                 *-*

Every point is added once and taken off at most once, so after sorting the cost is linear. The upper hull is the lower hull of the
points taken from right to left.

**The incremental hull** takes the points in any order, here a shuffled one. A point is outside if it is to the right of an edge. The edges
that it has on their right, or on their line, are one chain; two new edges replace it::

        a *------* b                     a *------* b
          |       \\       * new             |        `-.
          |        * c          becomes     |           * new
          *-------* d                       *-------*--' d        seen: b c and c d

n points and h corners cost about n h tests of a side.

Sources: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996; C. Ericson, Real-Time
Collision Detection, 2005, 3.9.2; A. M. Andrew, "Another Efficient Algorithm for Convex Hulls in Two Dimensions", 1979.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray, finite_rows
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.events import record
from engine.common.rng import stream
from engine.geometry.predicates import exact_turn, turn_sign, turns, turns_of_few

__all__ = ["ChainStep", "HullStep", "convex_hull", "convex_hull_chain", "convex_hull_incremental"]

FEW = 256
"""Number of points up to which plain loops are faster than arrays: 16 points take a tenth of the time, 256 half of it (measured)."""


class HullStep(NamedTuple):
    """A task of quickhull: the line from `p` to `q`, the points (n, 2) to its right, and the farthest of them.

    `far` is None if there are none: then p to q is an edge of the hull. Otherwise two tasks follow, p to far and far to q.
    """

    p: Sequence[float]
    q: Sequence[float]
    outside: Sequence[Sequence[float]]
    far: Sequence[float] | None


class ChainStep(NamedTuple):
    """One step of the monotone chain: the chain (n, 2) so far, the next point, and whether the chain's last point is removed for it.

    If not, the point is appended. An empty chain starts the lower hull or, later, the upper one.
    """

    chain: Sequence[FloatArray]
    point: FloatArray
    is_taken_off: bool


def convex_hull(points: ArrayLike) -> FloatArray:
    """Return the convex hull of points.

    Parameters
    ----------
    points : array_like, (n, 2)
        Finite, meters; repeated and interior points are allowed.

    Returns
    -------
    float64 (h, 2)
        Some of the points, counter-clockwise from the leftmost (of those the lowest); strict: none lies on the line of its
        neighbors.

    Raises
    ------
    InvalidShapeError
        Not an (n, 2) array of finite numbers, or all points lie on one line.

    References
    ----------
    See the module, which derives it.

    Examples
    --------
    >>> convex_hull([(0, 0), (2, 0), (1, 0), (1, 0.5), (2, 2), (0, 2), (0, 0)]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    distinct = _distinct_points(points)
    is_few = len(distinct) <= FEW
    cloud: Any = distinct.tolist() if is_few else distinct
    right_of: Any = _right_of_few if is_few else _right_of
    farthest: Any = _farthest_of_few if is_few else _farthest
    low, high = cloud[0], cloud[-1]
    below, above = right_of(low, high, cloud), right_of(high, low, cloud)
    if len(below) == 0 and len(above) == 0:
        raise InvalidShapeError("points", "points that enclose an area", Described("points on one line"))
    # Each task is a hull edge to be, p to q, and the points to its right, sorted; the last in the list is the next in the round.
    hull: list[Any] = []
    tasks = [(high, low, above), (low, high, below)]
    while tasks:
        p, q, outside = tasks.pop()
        far = farthest(p, q, outside) if len(outside) > 0 else None
        record(HullStep(p, q, outside, far))
        if far is None:
            hull.append(p)
            continue
        tasks.append((far, q, right_of(far, q, outside)))
        tasks.append((p, far, right_of(p, far, outside)))
    return np.array(hull)


def _distinct_points(points: ArrayLike) -> FloatArray:
    """Return the points without repeats, in the order of x, then y.

    Raises
    ------
    InvalidShapeError
        Not an (n, 2) array of finite numbers, or fewer than three distinct points.
    """
    try:
        rows = finite_rows("points", points, 2)
        cloud = np.array(sorted(set(map(tuple, rows.tolist())))) if 0 < len(rows) <= FEW else np.unique(rows, axis=0)
    except InvalidInputError as error:
        raise InvalidShapeError(error.field, error.requirement, error.value) from None
    if len(cloud) < 3:
        raise InvalidShapeError("points", "at least 3 distinct points", Described(len(cloud)))
    return cloud


def _right_of_few(p: list[float], q: list[float], cloud: list[list[float]]) -> list[list[float]]:
    """Same as `_right_of`, as a loop; p and q themselves are known to be on the line, which rounding would leave undecided."""
    others = [point for point in cloud if point is not p and point is not q]
    sides = zip(others, turns_of_few(p, q, others), strict=True)
    return [point for point, (value, error) in sides if value < -error or (value <= error and exact_turn(p, q, point) < 0)]


def _farthest_of_few(p: list[float], q: list[float], cloud: list[list[float]]) -> list[float]:
    """Same as `_farthest`, as a loop."""
    turns = turns_of_few(p, q, cloud)
    limit = min(value + error for value, error in turns)
    may_be = [point for point, (value, error) in zip(cloud, turns, strict=True) if value - error <= limit]
    return may_be[0] if len(may_be) == 1 else min(may_be, key=lambda point: exact_turn(p, q, point))


def _right_of(p: FloatArray, q: FloatArray, cloud: FloatArray) -> FloatArray:
    """Return the points strictly to the right of the line from p to q, in order."""
    value, error = turns(p, q, cloud)
    is_right = value < -error
    for at in np.flatnonzero(np.abs(value) <= error):
        is_right[at] = exact_turn(p, q, cloud[at]) < 0
    right: FloatArray = cloud[is_right]
    return right


def _farthest(p: FloatArray, q: FloatArray, cloud: FloatArray) -> FloatArray:
    """Return the point farthest to the right of the line from p to q; the determinant is that distance times |q - p|."""
    value, error = turns(p, q, cloud)
    may_be = np.flatnonzero(value - error <= np.min(value + error))
    chosen = 0
    if len(may_be) > 1:
        exact = [exact_turn(p, q, cloud[at]) for at in may_be]
        chosen = exact.index(min(exact))
    farthest: FloatArray = cloud[may_be[chosen]]
    return farthest


def convex_hull_chain(points: ArrayLike) -> FloatArray:
    """Return the convex hull of points: the same vertices in the same order, and the same errors, as `convex_hull`.

    Examples
    --------
    >>> convex_hull_chain([(0, 0), (2, 0), (1, 0), (1, 0.5), (2, 2), (0, 2)]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    cloud = _distinct_points(points)
    lower, upper = _chain(cloud), _chain(cloud[::-1])
    if len(lower) + len(upper) - 2 < 3:
        raise InvalidShapeError("points", "points that enclose an area", Described("points on one line"))
    return np.array([*lower[:-1], *upper[:-1]])


def _chain(cloud: FloatArray) -> list[FloatArray]:
    chain: list[FloatArray] = []
    for point in cloud:
        while len(chain) > 1 and turn_sign(chain[-2], chain[-1], point) <= 0:
            record(ChainStep(chain, point, True))
            chain.pop()
        record(ChainStep(chain, point, False))
        chain.append(point)
    return chain


def convex_hull_incremental(points: ArrayLike) -> FloatArray:
    """Return the convex hull of points, point by point: the same vertices in the same order, and the same errors, as `convex_hull`.

    Examples
    --------
    >>> convex_hull_incremental([(0, 0), (2, 0), (1, 0), (1, 0.5), (2, 2), (0, 2)]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    distinct = _distinct_points(points)
    cloud = distinct[stream(0, "incremental hull").permutation(len(distinct))]
    third = next((k for k in range(2, len(cloud)) if turn_sign(cloud[0], cloud[1], cloud[k]) != 0), None)
    if third is None:
        raise InvalidShapeError("points", "points that enclose an area", Described("points on one line"))
    hull = [cloud[0], cloud[1], cloud[third]] if turn_sign(cloud[0], cloud[1], cloud[third]) > 0 else [cloud[1], cloud[0], cloud[third]]
    for k in range(2, len(cloud)):
        hull = _with_point(hull, cloud[k])
    first = min(range(len(hull)), key=lambda at: tuple(hull[at]))
    return np.array(hull[first:] + hull[:first])


def _with_point(hull: list[FloatArray], point: FloatArray) -> list[FloatArray]:
    """Return the hull of a counterclockwise hull and another point."""
    sides = [turn_sign(hull[at - 1], hull[at], point) for at in range(len(hull))]  # of the edge that ends at each corner
    if min(sides) >= 0:
        return hull
    grown = []
    for at, corner in enumerate(hull):
        sees_before, sees_after = sides[at] <= 0, sides[(at + 1) % len(hull)] <= 0
        if not (sees_before and sees_after):
            grown.append(corner)
        if sees_after and not sees_before:
            grown.append(point)
    return grown
