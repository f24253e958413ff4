"""Seams: where two fixtures that stand still touch, such as tiles of a wall, nothing can meet the edge of either.

A shape that presses against a tile lies a little lower than its face, so the next tile's corner is ahead of it, and the normal there points
backwards: it would brake what only slides along the wall::

                 shape  (     )
        ---------------- +---'-'------   the corner + of the other tile is in reach; it lies behind the face that the shape touches
             other tile  |  tile

A contact of a shape X with a fixture F is left out if X has a deeper contact with a fixture F' that does not move relative to F, and

- F lies behind the plane of the deeper contact: what stays in front of F' cannot reach F;
- all of its points are in or on another fixture that does not move relative to F: its surface is not exposed there;
- the two normals differ: two tiles under one face both bear it.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._matching_kernel import Cores, Ends, span
from engine.dynamics.model import FLAGS, IMPULSE, NORMAL, PASSES, POINTS, POSITION, SEPARATION, TOUCH

__all__ = ["drop_seams"]

_SAME = 1.0 - 1.0e-6
"""Cosine between two normals above which they are one: 1.4 mrad, which take 2e-6 of a speed."""
_STANDS = -1
"""The common number of all bodies that stand still; every other body has its own."""


@kernel
def drop_seams(solved: IntArray, ints: IntArray, floats: FloatArray, ends: Ends, cores: Cores, deepest: IntArray) -> int:
    """Flag the contacts at seams as passing, move the others to the front of `solved`, and return their number.

    Parameters
    ----------
    solved : int64 (n, SOLVED)
    ints, floats : (k, N_INTS), (k, N_FLOATS)
        Contact records.
    deepest : int64 (m,)
        Scratch: of each fixture.
    """
    deepest.fill(-1)
    for at in range(len(solved)):
        gap = _gap(floats, solved[at, 0])
        for side in range(2):
            fixture = solved[at, 3 + side]
            if deepest[fixture] < 0 or gap < _gap(floats, solved[deepest[fixture], 0]):
                deepest[fixture] = at
    for at in range(len(solved)):
        if _is_seam(solved, at, 0, floats, ends, cores, deepest) or _is_seam(solved, at, 1, floats, ends, cores, deepest):
            row = solved[at, 0]
            ints[row, FLAGS] |= PASSES
            floats[row, IMPULSE : IMPULSE + 4] = 0.0
    n = 0
    for at in range(len(solved)):
        if ints[solved[at, 0], FLAGS] & PASSES == 0:
            solved[n] = solved[at]
            n += 1
    return n


@inlined_kernel
def _is_seam(solved: IntArray, at: int, side: int, floats: FloatArray, ends: Ends, cores: Cores, deepest: IntArray) -> bool:
    """Return whether a contact is one of the shape on this side with a seam."""
    shape = solved[at, 3 + side]
    best = deepest[shape]
    if best == at:
        return False
    of_best = 0 if solved[best, 3] == shape else 1
    body, fixture = solved[at, 2 - side], solved[at, 4 - side]
    group = _group(ends, body)
    if _group(ends, solved[best, 2 - of_best]) != group or group == _group(ends, solved[at, 1 + side]):
        return False
    row, first = solved[at, 0], solved[best, 0]
    sign, sign_best = 1.0 - 2.0 * (1 - side), 1.0 - 2.0 * (1 - of_best)  # normals towards the shape
    nx, ny = sign_best * floats[first, NORMAL], sign_best * floats[first, NORMAL + 1]
    if sign * (nx * floats[row, NORMAL] + ny * floats[row, NORMAL + 1]) > _SAME:
        return False
    k = 1 if floats[first, POINTS] > 1.0 and floats[first, SEPARATION + 1] < floats[first, SEPARATION] else 0
    plane = nx * floats[first, POSITION + 2 * k] + ny * floats[first, POSITION + 2 * k + 1] - 0.5 * floats[first, SEPARATION + k]
    _, high = span(ends, cores, fixture, nx, ny)
    if high > plane + TOUCH:
        return False
    return _is_covered(solved, row, sign, shape, fixture, group, floats, ends, cores)


@inlined_kernel
def _is_covered(
    solved: IntArray, row: int, sign: float, shape: int, fixture: int, group: int, floats: FloatArray, ends: Ends, cores: Cores
) -> bool:
    """Return whether other fixtures of the group, of those that the shape is near to, contain all points of a contact on a polygon.

    Points beside the polygon do not count: faces are clipped with some room.
    """
    n_inside = 0
    for k in range(int(floats[row, POINTS])):
        half = 0.5 * sign * floats[row, SEPARATION + k]
        x = floats[row, POSITION + 2 * k] - half * floats[row, NORMAL]
        y = floats[row, POSITION + 2 * k + 1] - half * floats[row, NORMAL + 1]
        if not _contains(ends, cores, fixture, x, y):
            continue
        is_inside = False
        for other in range(len(solved)):
            if solved[other, 3] == shape or solved[other, 4] == shape:
                side = 1 if solved[other, 3] == shape else 0
                candidate = solved[other, 3 + side]
                if candidate != fixture and _group(ends, solved[other, 1 + side]) == group and _contains(ends, cores, candidate, x, y):
                    is_inside = True
                    break
        if not is_inside:
            return False
        n_inside += 1
    return n_inside > 0


@inlined_kernel
def _contains(ends: Ends, cores: Cores, fixture: int, x: float, y: float) -> bool:
    """Return whether a polygon contains a point, or is within `TOUCH` of it; other shapes contain none."""
    body, shape = ends.body[fixture], cores.shape[fixture]
    n, at = cores.n_vertices[shape], cores.first[shape]
    if n <= 2:
        return False
    cos, sin, dx, dy = ends.turns[body, 0], ends.turns[body, 1], x - ends.values[body, 0], y - ends.values[body, 1]
    px, py, most = cos * dx + sin * dy, cos * dy - sin * dx, ends.radius[fixture] + TOUCH
    for k in range(n):
        ax, ay = cores.vertices[at + k, 0], cores.vertices[at + k, 1]
        bx, by = cores.vertices[at + (k + 1) % n, 0], cores.vertices[at + (k + 1) % n, 1]
        ex, ey = bx - ax, by - ay
        if (px - ax) * ey - (py - ay) * ex > most * np.sqrt(ex * ex + ey * ey):
            return False
    return True


@inlined_kernel
def _gap(floats: FloatArray, row: int) -> float:
    """Return the smaller gap of a contact's points, m."""
    gap: float = floats[row, SEPARATION]
    return min(gap, floats[row, SEPARATION + 1]) if floats[row, POINTS] > 1.0 else gap


@inlined_kernel
def _group(ends: Ends, body: int) -> int:
    return body if ends.is_moving[body] or ends.is_asleep[body] else _STANDS
