"""Joints and contacts as one Jacobian J: a line for each scalar constraint, three columns for each body, ``C' = J v``.

For methods that solve systems of equations. The effect of one constraint's impulse on another's velocity is then ``J M^-1 J^T``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._contact_kernel import Contacts
from engine.dynamics._joint_kernel import POINT, READ, SUM, Joints, anchor_arms, anchor_way, coordinate

__all__ = ["JointLines", "contact_lines", "gaps", "joint_lines", "points_of"]


class JointLines(NamedTuple):
    """Lines of joints; a POINT has two, along x and along y.

    Attributes
    ----------
    row, part : int64 (m,)
        Row of `Joints`, and 1 for the second line of a POINT.
    jacobian : float64 (m, 3 n)
    error : float64 (m,)
        Coordinate less its target, m or rad.
    """

    row: IntArray
    part: IntArray
    jacobian: FloatArray
    error: FloatArray


def joint_lines(bodies: Bodies, joints: Joints) -> JointLines:
    """Return the lines of all rows that ask for something, with the bodies as far as they have moved and turned."""
    n_lines = int(np.count_nonzero(joints.mode != READ) + np.count_nonzero((joints.kind == POINT) & (joints.mode != READ)))
    row, part = np.zeros(n_lines, dtype=np.int64), np.zeros(n_lines, dtype=np.int64)
    jacobian, error = np.zeros((n_lines, 3 * len(bodies.velocity))), np.zeros(n_lines)
    if n_lines > 0:
        _fill(bodies, joints, row, part, jacobian, error)
    return JointLines(row, part, jacobian, error)


@kernel
def _fill(bodies: Bodies, joints: Joints, row: IntArray, part: IntArray, jacobian: FloatArray, error: FloatArray) -> None:
    line, lines = 0, np.zeros((4, 3))
    for of in range(len(joints.kind)):
        if joints.mode[of] == READ:
            continue
        if joints.kind[of] == POINT:
            a, b = joints.bodies[of, 0], joints.bodies[of, 1]
            ax, ay, bx, by = anchor_arms(bodies, joints, of)
            dx, dy = anchor_way(bodies, joints, of, ax, ay, bx, by)
            for k in range(2):
                row[line + k], part[line + k], error[line + k] = of, k, (dx, dy)[k]
                jacobian[line + k, 3 * a + k] -= 1.0
                jacobian[line + k, 3 * b + k] += 1.0
                jacobian[line + k, 3 * a + 2] -= (-ay, ax)[k]
                jacobian[line + k, 3 * b + 2] += (-by, bx)[k]
            line += 2
            continue
        row[line], error[line] = of, coordinate(bodies, joints, of, lines) - joints.target[of]
        is_sum = joints.kind[of] == SUM
        for k in range(4 if is_sum else 2):
            body = joints.bodies[joints.bodies[of, k // 2], k % 2] if is_sum else joints.bodies[of, k]
            for j in range(3):
                jacobian[line, 3 * body + j] += lines[k, j]
        line += 1


def points_of(contacts: Contacts) -> tuple[IntArray, IntArray]:
    """Return row and place, 0 or 1, of each point of contacts."""
    row, k = np.nonzero(np.arange(2) < contacts.n_points[:, None])
    return row, k


def gaps(contacts: Contacts) -> FloatArray:
    """Return the gaps of all points as the contacts were found, m, float64 (n, 2)."""
    arm, normal = contacts.arm, contacts.normal
    across = np.einsum("nki,ni->nk", arm[:, :, 2:] - arm[:, :, :2], normal)
    found: FloatArray = contacts.gap + across + contacts.radius.sum(axis=1)[:, None]
    return found


def contact_lines(contacts: Contacts, row: IntArray, k: IntArray, n_bodies: int) -> tuple[FloatArray, FloatArray]:
    """Return the lines of some points along their normals and along their tangents, float64 (m, 3 n) each."""
    m = len(row)
    arm, normal, (a, b) = contacts.arm[row, k], contacts.normal[row], contacts.bodies[row].T
    found = []
    for x, y in (normal.T, (normal[:, 1], -normal[:, 0])):
        lines, line = np.zeros((m, n_bodies, 3)), np.arange(m)
        lines[line, a] = -np.column_stack((x, y, arm[:, 0] * y - arm[:, 1] * x))
        lines[line, b] = np.column_stack((x, y, arm[:, 2] * y - arm[:, 3] * x))
        found.append(lines.reshape(m, 3 * n_bodies))
    return found[0], found[1]
