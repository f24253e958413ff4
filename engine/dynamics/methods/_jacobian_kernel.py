"""Joints and contacts as one Jacobian J: a line for each scalar constraint, three columns for each body, ``C' = J v``.

For methods that solve systems of equations. The effect of one constraint's impulse on another's velocity is then ``J M^-1 J^T``.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel
from engine.dynamics._joint_kernel import driven_rate, n_parts, part
from engine.dynamics._row_kernel import bodies_of, n_lines
from engine.dynamics.model import DRIVE, POINT, READ, Bodies, Contacts, Joints

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
        Rate, m/s or rad/s, that a DRIVE adds to J v; the sum must be 0; 0 for other modes.
    """

    row: IntArray
    part: IntArray
    jacobian: FloatArray
    error: FloatArray
    missing: FloatArray


def joint_lines(bodies: Bodies, joints: Joints, dt: float) -> JointLines:
    """Return the lines of all rows that constrain something, at the bodies' current poses."""
    n = int(np.count_nonzero(joints.mode != READ) + np.count_nonzero((joints.kind == POINT) & (joints.mode != READ)))
    row, part_of = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    jacobian, error, missing = np.zeros((n, 3 * len(bodies.velocity))), np.zeros(n), np.zeros(n)
    if n > 0:
        _fill(bodies, joints, dt, row, part_of, jacobian, error, missing)
    return JointLines(row, part_of, jacobian, error, missing)


@kernel
def _fill(
    bodies: Bodies, joints: Joints, dt: float, row: IntArray, part_of: IntArray, jacobian: FloatArray, error: FloatArray,
    missing: FloatArray,
) -> None:  # fmt: skip
    line = 0
    for of in range(len(joints.kind)):
        if joints.mode[of] == READ:
            continue
        n, at, is_driven = n_parts(joints, of), bodies_of(joints, of), joints.mode[of] == DRIVE
        for k in range(n):
            row[line + k], part_of[line + k] = of, k
            error[line + k] = part(bodies, joints, of, k) - joints.target[of]
            for side in range(n_lines(joints, of)):
                for j in range(3):
                    jacobian[line + k, 3 * at[side] + j] += joints.line[side, j]
        size = hypot(error[line], error[line + 1]) if n == 2 else abs(error[line])
        rate = driven_rate(bodies, joints, of, size, dt) if is_driven else 0.0
        for k in range(n if is_driven else 0):
            missing[line + k] = rate * error[line + k] - (0.0 if n == 2 else joints.speed[of])
        line += n


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
