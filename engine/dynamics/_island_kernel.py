"""Islands: bodies connected by contacts and joints, which can only fall asleep together.

They are found by a disjoint-set forest: every body points towards the representative of its set, the body with the lowest row. Two sets are
merged by *linking by index*: the higher representative points to the lower one, whatever the sizes of the sets, so that the result does not
depend on the order of the pairs. Each search for a representative *halves the path* to it (R. Tarjan, J. van Leeuwen, "Worst-case Analysis
of Set Union Algorithms", 1984). With path halving alone, m operations on n bodies cost O(m log n); the nearly linear bound of Tarjan's 1975
paper needs linking by rank or size as well. An immovable body connects nothing: two piles on one floor are two islands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics.model import FLAGS, TOUCHES

__all__ = ["islands", "join", "root_of", "settle"]


@inlined_kernel
def root_of(parent: IntArray, body: int) -> int:
    """Return the representative of a body's set and halve the path to it."""
    while parent[body] != body:
        parent[body] = parent[parent[body]]
        body = parent[body]
    return body


@inlined_kernel
def join(parent: IntArray, a: int, b: int) -> None:
    """Merge the sets of two bodies; the lower representative remains."""
    first, second = root_of(parent, a), root_of(parent, b)
    parent[max(first, second)] = min(first, second)


@kernel
def islands(links: IntArray, is_dynamic: NDArray[np.bool_]) -> IntArray:
    """Return the lowest row of each body's island, int64 (n,); `links` (m, 2) are pairs of connected rows."""
    parent = np.arange(len(is_dynamic))
    for link in range(len(links)):
        if is_dynamic[links[link, 0]] and is_dynamic[links[link, 1]]:
            join(parent, links[link, 0], links[link, 1])
    for body in range(len(parent)):
        parent[body] = root_of(parent, body)
    return parent


@kernel
def settle(
    values: FloatArray,
    ids: IntArray,
    awake: NDArray[np.bool_],
    island: IntArray,
    since: FloatArray,
    moves: NDArray[np.bool_],
    is_dynamic: NDArray[np.bool_],
    may_sleep: NDArray[np.bool_],
    solved: IntArray,
    ints: IntArray,
    links: IntArray,
    parent: IntArray,
    shortest: FloatArray,
    is_carried: NDArray[np.bool_],
    slow: FloatArray,
    dt: float,
    patience: float,
) -> None:
    """Count how long each body has been slow, and put to sleep each island whose bodies have all been slow for `patience` seconds.

    A body that touches a moving kinematic body does not sleep, as it can be carried along.

    Parameters
    ----------
    values : float64 (n, 6)
        x, y, angle, vx, vy, omega; the velocities of sleeping bodies become 0.
    ids, awake, island : int64 (n,), bool (n,), int64 (n,)
        A sleeping body's island is identified by the body of its lowest row.
    since : float64 (n,)
        Time for which each body has been slow, s; updated in place.
    solved, ints
        See `model`.
    links : int64 (l, 2)
        Rows of bodies connected by joints.
    parent, shortest, is_carried : (n + 1,)
        Scratch.
    slow : float64 (2,)
        Maximum speed and angular speed of a slow body, m/s and rad/s.
    """
    n = len(values)
    for body in range(n + 1):
        parent[body], shortest[body], is_carried[body] = body, np.inf, False
    for contact in range(len(solved)):
        if ints[solved[contact, 0], FLAGS] & TOUCHES != 0:
            _hang_together(solved[contact, 1], solved[contact, 2], values, moves, is_dynamic, parent, is_carried)
    for link in range(len(links)):
        _hang_together(links[link, 0], links[link, 1], values, moves, is_dynamic, parent, is_carried)
    for body in range(n):
        parent[body] = root_of(parent, body)
        vx, vy, spin = values[body, 3], values[body, 4], values[body, 5]
        can_sleep = awake[body] and is_dynamic[body] and may_sleep[body] and not is_carried[body]
        if can_sleep and vx * vx + vy * vy <= slow[0] * slow[0] and abs(spin) <= slow[1]:
            since[body] += dt
        else:
            since[body] = 0.0
        shortest[parent[body]] = min(shortest[parent[body]], since[body])
    for body in range(n):
        if shortest[parent[body]] >= patience:
            values[body, 3] = values[body, 4] = values[body, 5] = 0.0
            awake[body], island[body] = False, ids[parent[body]]


@inlined_kernel
def _hang_together(
    a: int,
    b: int,
    values: FloatArray,
    moves: NDArray[np.bool_],
    is_dynamic: NDArray[np.bool_],
    parent: IntArray,
    is_carried: NDArray[np.bool_],
) -> None:
    if is_dynamic[a] and is_dynamic[b]:
        join(parent, a, b)
        return
    n = len(values)
    for body, other in ((a, b), (b, a)):
        if body < n and not is_dynamic[body] and moves[body]:
            if values[body, 3] != 0.0 or values[body, 4] != 0.0 or values[body, 5] != 0.0:
                is_carried[other] = True
