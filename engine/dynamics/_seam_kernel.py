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

from typing import NamedTuple

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


class _Listed(NamedTuple):
    """Contacts, and lists of those of each fixture: the first one (m,), and the next one on either side (n, 2); -1 at the end."""

    solved: IntArray
    first: IntArray
    following: IntArray


@kernel
def drop_seams(solved: IntArray, ints: IntArray, floats: FloatArray, ends: Ends, cores: Cores, first: IntArray) -> int:
    """Flag the contacts at seams as passing, move the others to the front of `solved`, and return their number.

    Parameters
    ----------
    solved : int64 (n, SOLVED)
    ints, floats : (k, N_INTS), (k, N_FLOATS)
        Contact records.
    first : int64 (m,)
        Scratch: the first contact of each fixture, in a list that `following` continues.
    """
    first.fill(-1)
    following = np.empty((len(solved), 2), dtype=np.int64)
    for at in range(len(solved)):
        for side in range(2):
            fixture = solved[at, 3 + side]
            following[at, side] = first[fixture]
            first[fixture] = at
    contacts = _Listed(solved, first, following)
    for at in range(len(solved)):
        if _is_seam(contacts, at, 0, floats, ends, cores) or _is_seam(contacts, at, 1, floats, ends, cores):
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
def _is_seam(contacts: _Listed, at: int, side: int, floats: FloatArray, ends: Ends, cores: Cores) -> bool:
    """Return whether a contact is one of the shape on this side with a seam.

    Of two contacts of the same depth the earlier one counts as the deeper, so that at least one of a shape's contacts stays.
    """
    solved = contacts.solved
    shape, row, body = solved[at, 3 + side], solved[at, 0], solved[at, 2 - side]
    fixture, group, gap = solved[at, 4 - side], _group(ends, body), _gap(floats, row)
    if group == _group(ends, solved[at, 1 + side]):
        return False
    sign = 1.0 - 2.0 * (1 - side)  # the normal points towards the shape
    other = contacts.first[shape]
    while other >= 0:
        own = 0 if solved[other, 3] == shape else 1
        deeper = solved[other, 0]
        other_gap = _gap(floats, deeper)
        if (other_gap < gap or (other_gap == gap and other < at)) and _group(ends, solved[other, 2 - own]) == group:
            if _is_behind(row, sign, deeper, 1.0 - 2.0 * (1 - own), fixture, floats, ends, cores):
                return _is_covered(contacts, row, sign, shape, fixture, group, floats, ends, cores)
        other = contacts.following[other, own]
    return False


@inlined_kernel
def _is_behind(row: int, sign: float, deeper: int, sign_deeper: float, fixture: int, floats: FloatArray, ends: Ends, cores: Cores) -> bool:
    """Return whether the fixture of a contact lies behind the plane of a deeper one, which has another normal."""
    nx, ny = sign_deeper * floats[deeper, NORMAL], sign_deeper * floats[deeper, NORMAL + 1]
    if sign * (nx * floats[row, NORMAL] + ny * floats[row, NORMAL + 1]) > _SAME:
        return False
    k = 1 if floats[deeper, POINTS] > 1.0 and floats[deeper, SEPARATION + 1] < floats[deeper, SEPARATION] else 0
    plane = nx * floats[deeper, POSITION + 2 * k] + ny * floats[deeper, POSITION + 2 * k + 1] - 0.5 * floats[deeper, SEPARATION + k]
    _, high = span(ends, cores, fixture, nx, ny)
    return bool(high <= plane + TOUCH)


@inlined_kernel
def _is_covered(
    contacts: _Listed, row: int, sign: float, shape: int, fixture: int, group: int, floats: FloatArray, ends: Ends, cores: Cores
) -> bool:
    """Return whether other fixtures of the group, of those that the shape is near to, contain all points of a contact on a polygon.

    Points beside the polygon do not count: faces are clipped with some room.
    """
    solved, n_inside = contacts.solved, 0
    for k in range(int(floats[row, POINTS])):
        half = 0.5 * sign * floats[row, SEPARATION + k]
        x = floats[row, POSITION + 2 * k] - half * floats[row, NORMAL]
        y = floats[row, POSITION + 2 * k + 1] - half * floats[row, NORMAL + 1]
        if not _contains(ends, cores, fixture, x, y):
            continue
        is_inside, other = False, contacts.first[shape]
        while other >= 0 and not is_inside:
            own = 0 if solved[other, 3] == shape else 1
            candidate = solved[other, 4 - own]
            if candidate != fixture and _group(ends, solved[other, 2 - own]) == group:
                is_inside = _contains(ends, cores, candidate, x, y)
            other = contacts.following[other, own]
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
