"""Which pairs of boxes are pairs of bodies that may touch, and what is known of them from the last step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["NEAR", "NO", "SENSED", "SOLID", "STILL", "classify", "found_again"]

NO, SOLID, SENSED, STILL = range(4)
"""A pair that may not touch; one to be solved; one of which one side only senses; one of which neither side moves."""

NEAR = 0.02
"""Metres within which a point of another name is taken for the same one."""


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
    """Return for each pair of fixtures what becomes of it: `NO`, `SOLID`, `SENSED` or `STILL`.

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
    become = np.zeros(len(pairs), dtype=np.int64)
    n_bodies = len(is_dynamic)
    for pair in range(len(pairs)):
        first, second = pairs[pair, 0], pairs[pair, 1]
        a, b = body[first], body[second]
        if a == b or not (is_dynamic[a] or is_dynamic[b]) or not _pass_filter(filters[first], filters[second]):
            continue
        if len(joined) > 0:
            key = min(a, b) * n_bodies + max(a, b)
            at = np.searchsorted(joined, key)
            if at < len(joined) and joined[at] == key:
                continue
        if not (is_moving[a] or is_moving[b]):
            become[pair] = STILL
        else:
            become[pair] = SENSED if is_sensor[first] or is_sensor[second] else SOLID
    return become


@inlined_kernel
def _pass_filter(a: IntArray, b: IntArray) -> bool:
    """Tell whether two fixtures may meet: a group that both have decides, else each mask must have a bit of the other's category."""
    if a[2] == b[2] and a[2] != 0:
        return bool(a[2] > 0)
    return bool((a[1] & b[0]) != 0 and (b[1] & a[0]) != 0)


@kernel
def found_again(
    keys: IntArray,
    features: IntArray,
    local: FloatArray,
    old_keys: IntArray,
    old_features: IntArray,
    old_local: FloatArray,
    old: FloatArray,
) -> FloatArray:
    """Return for each point the impulses that the same point had in the last step, float64 (n, 2, 2), 0 for a new one.

    The same point is that of the same name; or else, where the edge that names the points has changed sides, as it does between two equal
    boxes at every rounding, the nearest one left, within `NEAR`.

    Parameters
    ----------
    keys, old_keys : int64 (n,), (m,)
        Of pairs of fixtures, ascending.
    features, old_features : int64 (n, 2), (m, 2)
        Names of the points; -1 past the count.
    local, old_local : float64 (n, 2, 2), (m, 2, 2)
        The points in the frame of body A.
    old : float64 (m, 2, 2)
    """
    impulse = np.zeros((len(keys), 2, 2))
    at = 0
    for row in range(len(keys)):
        while at < len(old_keys) and old_keys[at] < keys[row]:
            at += 1
        if at == len(old_keys) or old_keys[at] != keys[row]:
            continue
        is_left = old_features[at] >= 0
        is_new = features[row] >= 0
        for k in range(2):
            for j in range(2):
                if is_new[k] and is_left[j] and old_features[at, j] == features[row, k]:
                    impulse[row, k] = old[at, j]
                    is_new[k] = is_left[j] = False
        for _ in range(2):
            nearest, new, known = NEAR * NEAR, -1, -1
            for k in range(2):
                for j in range(2):
                    if is_new[k] and is_left[j]:
                        x, y = local[row, k, 0] - old_local[at, j, 0], local[row, k, 1] - old_local[at, j, 1]
                        if x * x + y * y < nearest:
                            nearest, new, known = x * x + y * y, k, j
            if new >= 0:
                impulse[row, new] = old[at, known]
                is_new[new] = is_left[known] = False
    return impulse
