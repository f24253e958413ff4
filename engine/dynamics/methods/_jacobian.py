"""Contacts as a Jacobian J: a line for each scalar constraint, three columns for each body, ``C' = J v``.

For methods that solve systems of equations. The effect of one constraint's impulse on another's velocity is then ``J M^-1 J^T``.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.dynamics.model import Contacts

__all__ = ["contact_lines", "gaps", "points_of"]


def points_of(contacts: Contacts) -> tuple[IntArray, IntArray]:
    """Return the row and the place, 0 or 1, of each contact point."""
    row, k = np.nonzero(np.arange(2) < contacts.n_points[:, None])
    return row, k


def gaps(contacts: Contacts) -> FloatArray:
    """Return the gaps of all points as the contacts were detected, m, float64 (n, 2)."""
    arm, normal = contacts.arm, contacts.normal
    across = np.einsum("nki,ni->nk", arm[:, :, 2:] - arm[:, :, :2], normal)
    gaps_of_points: FloatArray = contacts.gap + across + contacts.radius.sum(axis=1)[:, None]
    return gaps_of_points


def contact_lines(contacts: Contacts, row: IntArray, k: IntArray, n_bodies: int) -> tuple[FloatArray, FloatArray]:
    """Return the lines of some points along their normals and along their tangents, float64 (m, 3 n) each."""
    m = len(row)
    arm, normal, (a, b) = contacts.arm[row, k], contacts.normal[row], contacts.bodies[row].T
    both = []
    for x, y in (normal.T, (normal[:, 1], -normal[:, 0])):
        lines, line = np.zeros((m, n_bodies, 3)), np.arange(m)
        lines[line, a] = -np.column_stack((x, y, arm[:, 0] * y - arm[:, 1] * x))
        lines[line, b] = np.column_stack((x, y, arm[:, 2] * y - arm[:, 3] * x))
        both.append(lines.reshape(m, 3 * n_bodies))
    return both[0], both[1]
