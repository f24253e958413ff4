"""Islands: bodies that hang together by contacts and joints, and so rest together or not at all.

A disjoint-set forest (R. Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm", 1975): every body points towards the
representative of its set, which is the body of the lowest row in it; paths are halved on the way. A body that cannot move joins nothing:
two piles on one floor are two islands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["islands", "rest"]


@inlined_kernel
def _root(parent: IntArray, body: int) -> int:
    while parent[body] != body:
        parent[body] = parent[parent[body]]
        body = parent[body]
    return body


@kernel
def islands(links: IntArray, is_dynamic: NDArray[np.bool_]) -> IntArray:
    """Return the lowest row of each body's island, int64 (n,); `links` (m, 2) are the rows that hang together."""
    parent = np.arange(len(is_dynamic))
    for link in range(len(links)):
        if is_dynamic[links[link, 0]] and is_dynamic[links[link, 1]]:
            a, b = _root(parent, links[link, 0]), _root(parent, links[link, 1])
            parent[max(a, b)] = min(a, b)
    for body in range(len(parent)):
        parent[body] = _root(parent, body)
    return parent


@kernel
def rest(
    velocity: FloatArray, island: IntArray, can_sleep: NDArray[np.bool_], slow: FloatArray, since: FloatArray, dt: float, patience: float
) -> NDArray[np.bool_]:
    """Count how long each body has been slow, and return which shall sleep: all of an island when all have been so for `patience` seconds.

    Parameters
    ----------
    velocity : float64 (n, 3)
    can_sleep : bool (n,)
        Awake, dynamic, and allowed to.
    slow : float64 (2,)
        m/s and rad/s.
    since : float64 (n,)
        Seconds, counted on in place.
    """
    shortest = np.full(len(since), np.inf)
    for body in range(len(since)):
        vx, vy, spin = velocity[body, 0], velocity[body, 1], velocity[body, 2]
        if can_sleep[body] and vx * vx + vy * vy <= slow[0] * slow[0] and abs(spin) <= slow[1]:
            since[body] += dt
        else:
            since[body] = 0.0
        shortest[island[body]] = min(shortest[island[body]], since[body])
    sleeps = np.zeros(len(since), dtype=np.bool_)
    for body in range(len(since)):
        sleeps[body] = shortest[island[body]] >= patience
    return sleeps
