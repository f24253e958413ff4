"""Joints and contacts as one Jacobian J: a line for each scalar constraint, three columns for each body, ``C' = J v``.

For methods that solve systems of equations. The effect of one constraint's impulse on another's velocity is then ``J M^-1 J^T``.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._contact_kernel import Contacts
from engine.dynamics._joint_kernel import DRIVE, POINT, READ, SUM, Joints, coordinate, driven_rate, forces_at

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
    missing : float64 (m,)
        What a DRIVE adds to J v, which shall be 0 together with it, m/s or rad/s; 0 of others.
    """

    row: IntArray
    part: IntArray
    jacobian: FloatArray
    error: FloatArray
    missing: FloatArray


def joint_lines(bodies: Bodies, joints: Joints, dt: float) -> JointLines:
    """Return the lines of all rows that ask for something, with the bodies as far as they have moved and turned."""
    n_lines = int(np.count_nonzero(joints.mode != READ) + np.count_nonzero((joints.kind == POINT) & (joints.mode != READ)))
    row, part = np.zeros(n_lines, dtype=np.int64), np.zeros(n_lines, dtype=np.int64)
    jacobian, error, missing = np.zeros((n_lines, 3 * len(bodies.velocity))), np.zeros(n_lines), np.zeros(n_lines)
    if n_lines > 0:
        _fill(bodies, joints, dt, row, part, jacobian, error, missing)
    return JointLines(row, part, jacobian, error, missing)


@kernel
def _fill(
    bodies: Bodies, joints: Joints, dt: float, row: IntArray, part: IntArray, jacobian: FloatArray, error: FloatArray,
    missing: FloatArray,
) -> None:  # fmt: skip
    line, lines = 0, np.zeros((4, 3))
    for of in range(len(joints.kind)):
        if joints.mode[of] == READ:
            continue
        if joints.kind[of] == POINT:
            a, b = joints.bodies[of, 0], joints.bodies[of, 1]
            ax, ay, bx, by, dx, dy = forces_at(bodies, joints, of)
            rate = driven_rate(bodies, joints, of, hypot(dx, dy), dt) if joints.mode[of] == DRIVE else 0.0
            for k in range(2):
                missing[line + k] = rate * (dx, dy)[k]
                row[line + k], part[line + k], error[line + k] = of, k, (dx, dy)[k]
                jacobian[line + k, 3 * a + k] -= 1.0
                jacobian[line + k, 3 * b + k] += 1.0
                jacobian[line + k, 3 * a + 2] -= (-ay, ax)[k]
                jacobian[line + k, 3 * b + 2] += (-by, bx)[k]
            line += 2
            continue
        row[line], error[line] = of, coordinate(bodies, joints, of, lines) - joints.target[of]
        if joints.mode[of] == DRIVE:
            missing[line] = driven_rate(bodies, joints, of, abs(error[line]), dt) * error[line] - joints.speed[of]
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
