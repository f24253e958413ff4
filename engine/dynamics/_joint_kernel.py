"""Joints: rows of constraints on the positions of two bodies, and their solution by sequential impulses.

Every joint is made of a few rows (`joints`). A row has a *coordinate* C of its bodies, and its Jacobian, ``C' = J v``. With d from the
anchor on A to the anchor on B, r_A and r_B from the centers of mass to them, and u a unit vector that turns with A:

=======  =========================================  ======================================================
row      coordinate C                               J: velocity of A, spin of A, velocity of B, spin of B
=======  =========================================  ======================================================
POINT    d, both parts                              -1, -(r_A + s d) x, 1, (r_B - t d) x
ANGLE    angle of B less that of A                  0, -1, 0, 1
ALONG    u . d, with u along or across an axis      -u, -(r_A + d) x u, u, r_B x u
LENGTH   abs(d)                                     -u, -r_A x u, u, r_B x u, with u = d / abs(d)
SUM      C_1 + ratio C_2 of two other rows          theirs, the second ones times the ratio
=======  =========================================  ======================================================

A joint's forces are internal: equal, opposite, and along one line; otherwise a free pair would begin to spin (`forces_at`). Those of a
LENGTH are along d. Those of an ALONG act on both bodies at B's anchor, because u turns with A. Those of a POINT can have any direction, and
if it is driven, soft or torn, its anchors are apart: it acts on both bodies at one point of d, ``s + t = 1``, closer to B's anchor the
heavier A is, s = w_B / (w_A + w_B) with w = 1 / mass; so on a body whose partner is immovable it acts at the body's own anchor. J v is then
the rate of change of d in a frame that rotates at the mean of both spins, weighted s for A and t for B; the rotation does not change
abs(d).

At length 0 a LENGTH has no direction; it can only grow, in the direction in which its anchors separate: u is the direction of d'. If that
is 0 as well, any direction works, and u is A's x axis.

The row's *mode* is the condition on ``C - target``: HOLD keeps it at 0, as stiffly as the sub-step allows; SPRING has a frequency and a
damping ratio of its own; LOW and HIGH keep it at least and at most 0, and an open limit is treated like a contact's gap; DRIVE drives it at
a velocity, with a limited force. The impulse follows from the effective mass ``1 / (J M^-1 J^T)`` as in `_softness_kernel`, and its sum is
clamped to the row's bounds; that of a POINT is a vector, with a 2 x 2 matrix, and its length is bounded.

Source: E. Catto, "Modeling and Solving Constraints", GDC 2009, and "Soft Constraints", GDC 2011; A. Shabana, *Computational Dynamics*,
chapter 6. Everything is recomputed in every sub-step, because joints turn far within a step.
"""

from __future__ import annotations

from math import hypot, inf, pi, sqrt

import numpy as np

from engine.common.arrays import IntArray
from engine.common.jit import allocating_kernel, inlined_kernel
from engine.dynamics._row_kernel import (
    Arm,
    apply_at_point,
    apply_joint_row,
    joint_velocity_and_response,
    point_matrix,
    relative_velocity,
)
from engine.dynamics._softness_kernel import Softness, softness
from engine.dynamics.model import ALONG, ANGLE, DRIVE, HIGH, HOLD, LOW, POINT, READ, SPRING, SUM, Bodies, Joints

__all__ = [
    "coordinate", "driven_rate", "first_rows", "forces_at", "n_parts", "part", "point_impulse", "solve_either", "solve_joints",
    "solve_mouse", "solve_point", "solve_row", "warm_start_joints", "warm_start_row",
]  # fmt: skip


@inlined_kernel
def warm_start_joints(bodies: Bodies, joints: Joints) -> None:
    """Apply the impulses accumulated so far."""
    for row in range(len(joints.kind)):
        if joints.mode[row] != READ:
            warm_start_row(bodies, joints, row)


@inlined_kernel
def warm_start_row(bodies: Bodies, joints: Joints, row: int) -> None:
    """Apply the impulse that a row has accumulated so far."""
    if joints.kind[row] == POINT:
        arm, _, _ = forces_at(bodies, joints, row)
        a, b = joints.bodies[row, 0], joints.bodies[row, 1]
        apply_at_point(bodies.velocity, bodies.inverse, a, b, arm, joints.impulse[row, 0], joints.impulse[row, 1])
    else:
        coordinate(bodies, joints, row)
        apply_joint_row(bodies.velocity, bodies.inverse, joints, row, joints.impulse[row, 0])


@inlined_kernel
def solve_joints(bodies: Bodies, joints: Joints, rows: IntArray, held: Softness, h: float, dt: float, is_relaxing: bool) -> None:
    """Solve some rows once, in order, with sub-steps of `h` seconds in a step of `dt` seconds; those of a block are solved together.

    `rows` are the first ones of blocks (`first_rows`). Relaxation corrects no error and skips springs, which have already acted in this
    sub-step.
    """
    for place in range(len(rows)):
        row = rows[place]
        n = _block_size(joints, row)
        if n == 1 or not _solve_block(bodies, joints, row, held, is_relaxing):
            for of_block in range(row, row + n):
                solve_either(bodies, joints, of_block, held, h, dt, is_relaxing)


@allocating_kernel
def first_rows(joints: Joints) -> IntArray:
    """Return the first row of each block of rows that are solved together, int64 (k,)."""
    rows, n, row = np.empty(len(joints.kind), dtype=np.int64), 0, 0
    while row < len(joints.kind):
        rows[n] = row
        n += 1
        row += _block_size(joints, row)
    return rows[:n]


@inlined_kernel
def _block_size(joints: Joints, row: int) -> int:
    """Return 2 if a row and the next one hold the angle and a point, or the angle and a line, of the same bodies; else 1."""
    if row + 1 == len(joints.kind) or joints.mode[row] != HOLD or joints.mode[row + 1] != HOLD:
        return 1
    first, second = joints.kind[row], joints.kind[row + 1]
    is_block = (first == ANGLE and second == POINT) or (first == ALONG and second == ANGLE)
    is_same = joints.bodies[row, 0] == joints.bodies[row + 1, 0] and joints.bodies[row, 1] == joints.bodies[row + 1, 1]
    return 2 if is_block and is_same else 1


@inlined_kernel
def _solve_block(bodies: Bodies, joints: Joints, row: int, held: Softness, is_relaxing: bool) -> bool:
    """Solve the rows of a weld or a slider together; return False if they are redundant, as where nothing can turn.

    One after the other, angle and point converge the more slowly the longer the lever is against the radii of gyration: at a lever of 25 of
    them an impact makes energy out of what is left.
    """
    a, b, v, inverse = joints.bodies[row, 0], joints.bodies[row, 1], bodies.velocity, bodies.inverse
    turning = inverse[a, 1] + inverse[b, 1]
    if turning == 0.0:
        return False
    rate, mass_scale, kept = 0.0 if is_relaxing else held.bias_rate, held.mass_scale, held.impulse_scale
    if is_relaxing:
        mass_scale, kept = 1.0, 0.0
    is_point = joints.kind[row] == ANGLE
    angle, other = (row, row + 1) if is_point else (row + 1, row)
    off = joints.apart[angle, 2] + bodies.shift[b, 2] - bodies.shift[a, 2] - joints.target[angle]
    spin = v[b, 2] - v[a, 2] + rate * off
    p_angle, p_x, p_y = joints.impulse[angle, 0], joints.impulse[other, 0], joints.impulse[other, 1]
    keep_angle = kept * (p_angle - joints.held[angle, 0])
    if is_point:
        arm, dx, dy = forces_at(bodies, joints, other)
        vx, vy = relative_velocity(v, a, b, arm)
        k11, k12, k22 = point_matrix(inverse, a, b, arm)
        k13, k23 = -(inverse[a, 1] * arm[1] + inverse[b, 1] * arm[3]), inverse[a, 1] * arm[0] + inverse[b, 1] * arm[2]
        cx, cy = vx + rate * dx - k13 * spin / turning, vy + rate * dy - k23 * spin / turning  # the angle is eliminated
        k11, k12, k22 = k11 - k13 * k13 / turning, k12 - k13 * k23 / turning, k22 - k23 * k23 / turning
        determinant = k11 * k22 - k12 * k12
        if determinant <= 0.0:
            return False
        x, y = (k22 * cx - k12 * cy) / determinant, (k11 * cy - k12 * cx) / determinant
        of_angle = (spin - k13 * x - k23 * y) / turning
        x = -mass_scale * x - kept * (p_x - joints.held[other, 0])
        y = -mass_scale * y - kept * (p_y - joints.held[other, 1])
        joints.impulse[other, 0], joints.impulse[other, 1] = p_x + x, p_y + y
        apply_at_point(v, inverse, a, b, arm, x, y)
    else:
        error = coordinate(bodies, joints, other) - joints.target[other]
        along, k11 = joint_velocity_and_response(bodies, joints, other)
        k13 = inverse[b, 1] * joints.line[1, 2] - inverse[a, 1] * joints.line[0, 2]
        k11 -= k13 * k13 / turning
        if k11 <= 0.0:
            return False
        x = (along + rate * error - k13 * spin / turning) / k11
        of_angle = (spin - k13 * x) / turning
        x = -mass_scale * x - kept * (p_x - joints.held[other, 0])
        joints.impulse[other, 0] = p_x + x
        apply_joint_row(v, inverse, joints, other, x)
    turn = -mass_scale * of_angle - keep_angle
    joints.impulse[angle, 0] = p_angle + turn
    v[a, 2] -= inverse[a, 1] * turn
    v[b, 2] += inverse[b, 1] * turn
    return True


@inlined_kernel
def solve_either(bodies: Bodies, joints: Joints, row: int, held: Softness, h: float, dt: float, is_relaxing: bool) -> None:
    """Solve a row of one coordinate or a POINT, unless it constrains nothing; see `solve_row`."""
    if joints.mode[row] == READ or (is_relaxing and joints.mode[row] == SPRING):
        return
    if joints.kind[row] == POINT:
        solve_point(bodies, joints, row, held, h, dt, is_relaxing)
    else:
        solve_row(bodies, joints, row, held, h, dt, is_relaxing)


@inlined_kernel
def solve_row(bodies: Bodies, joints: Joints, row: int, held: Softness, h: float, dt: float, is_relaxing: bool) -> None:
    """Solve a row of one coordinate; `held` is the softness of a HOLD row or of a reached limit."""
    mode = joints.mode[row]
    error = coordinate(bodies, joints, row) - joints.target[row]
    rate, k = joint_velocity_and_response(bodies, joints, row)
    if k == 0.0:
        return
    low, high = -inf, inf
    bias, mass_scale, impulse_scale = 0.0, 1.0, 0.0
    if mode == DRIVE:
        high = joints.max_force[row] * h
        low = -high
        bias = driven_rate(bodies, joints, row, abs(error), dt) * error - joints.speed[row]
    elif mode == SPRING:
        soft = softness(joints.spring[row, 0], joints.spring[row, 1], h)
        bias, mass_scale, impulse_scale = soft.bias_rate * error, soft.mass_scale, soft.impulse_scale
    elif (mode == LOW and error > 0.0) or (mode == HIGH and error < 0.0):
        bias = error / h
    elif not is_relaxing:
        bias, mass_scale, impulse_scale = held.bias_rate * error, held.mass_scale, held.impulse_scale
    if mode == LOW:
        low = 0.0
    elif mode == HIGH:
        high = 0.0
    before = joints.impulse[row, 0]
    after = before - mass_scale * (rate + bias) / k - impulse_scale * (before - joints.held[row, 0])
    after = max(low, min(after, high))
    joints.impulse[row, 0] = after
    apply_joint_row(bodies.velocity, bodies.inverse, joints, row, after - before)


@inlined_kernel
def solve_point(bodies: Bodies, joints: Joints, row: int, held: Softness, h: float, dt: float, is_relaxing: bool) -> None:
    """Solve a POINT; see `solve_row`."""
    a, b, mode = joints.bodies[row, 0], joints.bodies[row, 1], joints.mode[row]
    arm, dx, dy = forces_at(bodies, joints, row)
    vx, vy = relative_velocity(bodies.velocity, a, b, arm)
    rate, mass_scale, impulse_scale = 0.0, 1.0, 0.0
    if mode == DRIVE:
        rate = driven_rate(bodies, joints, row, hypot(dx, dy), dt)
    elif mode == SPRING:
        soft = softness(joints.spring[row, 0], joints.spring[row, 1], h)
        rate, mass_scale, impulse_scale = soft.bias_rate, soft.mass_scale, soft.impulse_scale
    elif not is_relaxing:
        rate, mass_scale, impulse_scale = held.bias_rate, held.mass_scale, held.impulse_scale
    limit = inf if mode == HOLD else joints.max_force[row] * h
    matrix = point_matrix(bodies.inverse, a, b, arm)
    x, y = point_impulse(joints, row, matrix, vx + rate * dx, vy + rate * dy, mass_scale, impulse_scale, limit)
    apply_at_point(bodies.velocity, bodies.inverse, a, b, arm, x, y)


@inlined_kernel
def point_impulse(
    joints: Joints,
    row: int,
    matrix: tuple[float, float, float],
    cx: float,
    cy: float,
    mass_scale: float,
    impulse_scale: float,
    limit: float,
) -> tuple[float, float]:
    """Change a POINT's impulse by ``-mass_scale K^-1 c - impulse_scale (P - held)``, limit its size, and return the change, N s.

    Parameters
    ----------
    matrix : float
        k_xx, k_xy and k_yy of `point_matrix`; if it is singular, nothing changes.
    cx, cy : float
        Velocity to remove, m/s.
    limit : float
        Maximum size of the accumulated impulse, N s.
    """
    k11, k12, k22 = matrix
    determinant = k11 * k22 - k12 * k12
    if determinant == 0.0:
        return 0.0, 0.0
    before_x, before_y = joints.impulse[row, 0], joints.impulse[row, 1]
    x = before_x - mass_scale * (k22 * cx - k12 * cy) / determinant - impulse_scale * (before_x - joints.held[row, 0])
    y = before_y - mass_scale * (k11 * cy - k12 * cx) / determinant - impulse_scale * (before_y - joints.held[row, 1])
    size = hypot(x, y)
    if size > limit:
        x, y = x * limit / size, y * limit / size
    joints.impulse[row, 0], joints.impulse[row, 1] = x, y
    return x - before_x, y - before_y


@inlined_kernel
def solve_mouse(bodies: Bodies, joints: Joints, row: int, dt: float) -> None:
    """Solve a POINT that pulls B to a target as b2MouseJoint does: ``(K + gamma) dP = -(v + beta C + gamma P)``, k and c from B's mass."""
    a, b = joints.bodies[row, 0], joints.bodies[row, 1]
    arm, dx, dy = forces_at(bodies, joints, row)
    mass, omega = 1.0 / bodies.inverse[b, 0], 2.0 * pi * joints.spring[row, 0]
    stiffness = mass * omega * omega
    gamma = 1.0 / (dt * (2.0 * mass * joints.spring[row, 1] * omega + dt * stiffness))
    beta = dt * stiffness * gamma
    k11, k12, k22 = point_matrix(bodies.inverse, a, b, arm)
    vx, vy = relative_velocity(bodies.velocity, a, b, arm)
    cx, cy = vx + beta * dx + gamma * joints.impulse[row, 0], vy + beta * dy + gamma * joints.impulse[row, 1]
    x, y = point_impulse(joints, row, (k11 + gamma, k12, k22 + gamma), cx, cy, 1.0, 0.0, joints.max_force[row] * dt)
    apply_at_point(bodies.velocity, bodies.inverse, a, b, arm, x, y)


@inlined_kernel
def driven_rate(bodies: Bodies, joints: Joints, row: int, error: float, dt: float) -> float:
    """Return the rate, 1/s, at which a DRIVE corrects an error of this size: its share per step, but no faster than its force can brake.

    A share of the error per step is a speed that grows with the number of steps per second, from which a limited force overshoots
    repeatedly, like a spring without a damper. Half of the force stops a speed v within ``v^2 / a``, where a = max_force / m is the
    relative acceleration of the two bodies' centers (or of their rotations) by the whole force, so v is at most ``sqrt(a C)``. The other
    half remains for other loads.
    """
    rate: float = joints.spring[row, 0] / dt
    if rate > 0.0 and joints.spring[row, 1] > 0.0 and error > 0.0:
        a, b, k = joints.bodies[row, 0], joints.bodies[row, 1], 1 if joints.kind[row] == ANGLE else 0
        rate = min(rate, sqrt(joints.max_force[row] * (bodies.inverse[a, k] + bodies.inverse[b, k]) / error))
    return rate


FARTHEST = 4.0
"""Maximum distance from its anchors, in radii of gyration of A and B together, at which a POINT in mode HOLD acts; if the anchors are
farther apart, only linear momentum is conserved. Measured: links torn apart at 2 km/s spin up without this bound, and a hinge that starts 1
m apart conserves angular momentum too."""


@inlined_kernel
def forces_at(bodies: Bodies, joints: Joints, row: int) -> tuple[Arm, float, float]:
    """Return the arms at which a row's forces act, and the vector from the anchor on A to that on B, x and y."""
    a, b = joints.bodies[row, 0], joints.bodies[row, 1]
    arm, turn, shift = joints.arm[row], bodies.turn, bodies.shift
    ax, ay = turn[a, 0] * arm[0] - turn[a, 1] * arm[1], turn[a, 1] * arm[0] + turn[a, 0] * arm[1]
    bx, by = turn[b, 0] * arm[2] - turn[b, 1] * arm[3], turn[b, 1] * arm[2] + turn[b, 0] * arm[3]
    dx = joints.apart[row, 0] + shift[b, 0] - shift[a, 0] + bx - ax
    dy = joints.apart[row, 1] + shift[b, 1] - shift[a, 1] + by - ay
    s, t = joints.reach[row, 0], joints.reach[row, 1]
    if joints.kind[row] == POINT and joints.mode[row] == HOLD:
        # a torn joint: an arm much longer than the bodies overshoots, and a chain that a bullet has torn open would spin up without bound
        far, limit = dx * dx + dy * dy, FARTHEST**2 * (_gyration_sq(bodies, a) + _gyration_sq(bodies, b))
        if far > limit:
            share = sqrt(limit / far)
            s, t = share * s, share * t
    return (ax + s * dx, ay + s * dy, bx - t * dx, by - t * dy), dx, dy


@inlined_kernel
def _gyration_sq(bodies: Bodies, body: int) -> float:
    """Return the square of a body's radius of gyration, I / m, m^2; 0 if it does not move or turn."""
    return bodies.inverse[body, 0] / bodies.inverse[body, 1] if bodies.inverse[body, 1] > 0.0 else 0.0


@inlined_kernel
def coordinate(bodies: Bodies, joints: Joints, row: int) -> float:
    """Return the coordinate of a row, and fill its Jacobian in `joints.line`: one line each for A and B; for a SUM, those of both rows."""
    if joints.kind[row] != SUM:
        return _coordinate_of_pair(bodies, joints, row, 0)
    ratio = joints.ratio[row]
    value: float = _coordinate_of_pair(bodies, joints, joints.bodies[row, 0], 0)
    value += ratio * _coordinate_of_pair(bodies, joints, joints.bodies[row, 1], 2)
    for line in range(2, 4):
        for k in range(3):
            joints.line[line, k] *= ratio
    return value


@inlined_kernel
def n_parts(joints: Joints, row: int) -> int:
    """Return the number of scalar constraints of a row: two for a POINT."""
    return 2 if joints.kind[row] == POINT else 1


@inlined_kernel
def part(bodies: Bodies, joints: Joints, row: int, k: int) -> float:
    """Do the same as `coordinate` for one scalar constraint of any row: for a POINT, the displacement along x (k = 0) or y (1)."""
    if joints.kind[row] != POINT:
        return coordinate(bodies, joints, row)
    (ax, ay, bx, by), dx, dy = forces_at(bodies, joints, row)
    for line in range(2):
        sign = 2.0 * line - 1.0
        joints.line[line, 0], joints.line[line, 1] = sign * (1 - k), sign * k
    joints.line[0, 2], joints.line[1, 2] = (ay, -by) if k == 0 else (-ax, bx)
    way: float = dx if k == 0 else dy
    return way


@inlined_kernel
def _coordinate_of_pair(bodies: Bodies, joints: Joints, row: int, first: int) -> float:
    """Return the coordinate of a row between two bodies, and fill their lines, starting at `first`."""
    a, b, line = joints.bodies[row, 0], joints.bodies[row, 1], joints.line[first : first + 2]
    if joints.kind[row] == ANGLE:
        line[:] = 0.0
        line[0, 2], line[1, 2] = -1.0, 1.0
        angle: float = joints.apart[row, 2] + bodies.shift[b, 2] - bodies.shift[a, 2]
        return angle
    arm, dx, dy = forces_at(bodies, joints, row)
    ax, ay, bx, by = arm
    ux, uy = _axis_of(bodies, joints, row) if joints.kind[row] == ALONG else _direction_of(bodies, joints, row, arm, dx, dy)
    line[0, 0], line[0, 1], line[0, 2] = -ux, -uy, -(ax * uy - ay * ux)
    line[1, 0], line[1, 1], line[1, 2] = ux, uy, bx * uy - by * ux
    way: float = ux * dx + uy * dy
    return way


@inlined_kernel
def _axis_of(bodies: Bodies, joints: Joints, row: int) -> tuple[float, float]:
    a, axis = joints.bodies[row, 0], joints.axis[row]
    return bodies.turn[a, 0] * axis[0] - bodies.turn[a, 1] * axis[1], bodies.turn[a, 1] * axis[0] + bodies.turn[a, 0] * axis[1]


@inlined_kernel
def _direction_of(bodies: Bodies, joints: Joints, row: int, arm: Arm, dx: float, dy: float) -> tuple[float, float]:
    """Return u of a LENGTH."""
    size = hypot(dx, dy)
    if size == 0.0:
        dx, dy = relative_velocity(bodies.velocity, joints.bodies[row, 0], joints.bodies[row, 1], arm)
        size = hypot(dx, dy)
        if size == 0.0:
            return _axis_of(bodies, joints, row)
    return dx / size, dy / size
