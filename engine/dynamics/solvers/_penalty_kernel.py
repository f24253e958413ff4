"""Penalty forces: springs and dampers where bodies overlap, and where joints are apart.

A point that overlaps by d, and goes deeper at d', is pushed by ``k d + c d'``, never pulled; k is the setting, the same for a feather
and a house, and ``c = 2 z sqrt(k m)`` with the damping ratio z and the effective mass m of the point. With restitution e the ratio is that
of a spring that gives back e: ``z = -ln e / sqrt(pi^2 + ln^2 e)``, if that is less.

Friction: a tangential spring of the same k and its damper, stretched by the way of the point, cut off at mu times the normal force; what
it is stretched beyond that is slip. Its force is carried from step to step as an impulse, so that a box on a slope hangs by the spring
and does not creep.

Joints: ``HOLD``, ``LOW`` and ``HIGH`` have springs of the same k and z; ``SPRING`` its frequency and ratio of its effective mass; ``DRIVE``
is a damper that would bring the speed in one sub-step, bounded by its greatest force.

Forces alone, in terms of places and velocities: an integrator does the rest (`engine.dynamics.integrators`).
"""

from __future__ import annotations

from math import hypot, pi, sqrt

import numpy as np

from engine.common._record_kernel import record
from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._contact_kernel import Contacts, relative_velocity
from engine.dynamics._joint_kernel import DRIVE, HIGH, LOW, POINT, READ, SPRING, SUM, Joints, ends, part, rate_and_response
from engine.dynamics._solver_trace_kernel import FORCE, MOVE, tell_stage
from engine.dynamics.solvers._points_kernel import follow, turn_to_shift, way_along

__all__ = ["penalty_forces", "slip"]


@kernel
def penalty_forces(
    bodies: Bodies,
    contacts: Contacts,
    joints: Joints,
    damping: FloatArray,
    joint_damping: float,
    since: FloatArray,
    stretch: FloatArray,
    stiffness: float,
    h: float,
    is_kept: bool,
    force: FloatArray,
    trace: FloatArray | None,
) -> None:
    """Fill the forces and torques (n, 3) that act on bodies as they stand and move.

    Parameters
    ----------
    damping : float64 (n,)
        Ratio of each contact.
    since : float64 (n, 3)
        Shifts at the start of the sub-step of `h` seconds.
    stretch : float64 (n, 2)
        Of the tangential springs then, m.
    stiffness : float
        N/m.
    is_kept : bool
        Impulses are those of these forces over `h`, and counted.
    trace : float64 (k, TRACE_WIDTH), or None
        See `_solver_trace_kernel`.
    """
    jacobian, arm = np.zeros((4, 3)), np.zeros(4)
    turn_to_shift(bodies)
    force[:] = 0.0
    for row in range(len(contacts.n_points)):
        a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
        nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
        for k in range(contacts.n_points[row]):
            along = across = rate = slide = stretched = 0.0
            separation = follow(bodies, contacts, row, k, arm)
            if separation < 0.0:
                vx, vy = relative_velocity(bodies, a, b, arm)
                damper, rate, slide = 2.0 * damping[row] * sqrt(stiffness * contacts.mass[row, k, 0]), vx * nx + vy * ny, vx * ny - vy * nx
                along = max(-stiffness * separation - damper * rate, 0.0)
                damper = 2.0 * damping[row] * sqrt(stiffness * contacts.mass[row, k, 1])
                stretched = stretch[row, k] + way_along(bodies, since, a, b, arm, ny, -nx)
                most = contacts.friction[row] * along
                across = max(-most, min(-stiffness * stretched - damper * slide, most))
                x, y = along * nx + across * ny, along * ny - across * nx
                _push(force, a, -x, -y, -(arm[0] * y - arm[1] * x))
                _push(force, b, x, y, arm[2] * y - arm[3] * x)
            if is_kept:
                contacts.impulse[row, k, 0] = h * along
                contacts.total[row, k, 0] += h * along
                contacts.total[row, k, 1] += h * across
            record(
                trace, FORCE,
                (
                    float(row), float(k), separation, along, across, rate, slide, stretched, 1.0 if is_kept else 0.0,
                    arm[0] * ny - arm[1] * nx, arm[2] * ny - arm[3] * nx, -arm[0] * nx - arm[1] * ny, -arm[2] * nx - arm[3] * ny,
                ),
            )  # fmt: skip
    for row in range(len(joints.kind)):
        if joints.mode[row] != READ:
            _pull(bodies, joints, row, joint_damping, stiffness, h, is_kept, jacobian, force)


@inlined_kernel
def _push(force: FloatArray, body: int, x: float, y: float, torque: float) -> None:
    force[body, 0] += x
    force[body, 1] += y
    force[body, 2] += torque


@inlined_kernel
def _pull(
    bodies: Bodies, joints: Joints, row: int, damping: float, stiffness: float, h: float, is_kept: bool, jacobian: FloatArray,
    force: FloatArray,
) -> None:  # fmt: skip
    """Add what a row of a joint does."""
    mode, parts, at = joints.mode[row], 2 if joints.kind[row] == POINT else 1, ends(joints, row)
    first = second = 0.0
    for k in range(parts):
        error = part(bodies, joints, row, k, jacobian) - joints.target[row]
        rate, w = rate_and_response(bodies, joints, row, jacobian)
        mass = 1.0 / w if w > 0.0 else 0.0
        if mode == DRIVE:
            pull = -mass / h * (rate - joints.speed[row]) - mass / h * joints.spring[row, 0] * error
        elif mode == SPRING:
            omega = 2.0 * pi * joints.spring[row, 0]
            pull = -mass * omega * (omega * error + 2.0 * joints.spring[row, 1] * rate)
        else:
            pull = -stiffness * error - 2.0 * damping * sqrt(stiffness * mass) * rate
        if (mode == LOW and (error > 0.0 or pull < 0.0)) or (mode == HIGH and (error < 0.0 or pull > 0.0)):
            pull = 0.0
        if k == 0:
            first = pull
        else:
            second = pull
    size = hypot(first, second)
    if (mode == DRIVE or (mode == SPRING and joints.kind[row] == POINT)) and size > joints.most[row]:
        first, second = first * joints.most[row] / size, second * joints.most[row] / size
    for k in range(parts):
        part(bodies, joints, row, k, jacobian)
        pull = first if k == 0 else second
        for line in range(4 if joints.kind[row] == SUM else 2):
            _push(force, at[line], jacobian[line, 0] * pull, jacobian[line, 1] * pull, jacobian[line, 2] * pull)
    if is_kept:
        joints.impulse[row, 0], joints.impulse[row, 1] = h * first, h * second
        joints.total[row, 0] += h * first
        joints.total[row, 1] += h * second


@kernel
def slip(
    bodies: Bodies, contacts: Contacts, since: FloatArray, stretch: FloatArray, stiffness: float, h: float, sub_step: int,
    trace: FloatArray | None,
) -> None:  # fmt: skip
    """Stretch the tangential springs by the way since `since`, as far as friction holds, and keep what they pull as impulses."""
    tell_stage(trace, bodies, MOVE, sub_step)
    arm = np.zeros(4)
    turn_to_shift(bodies)
    for row in range(len(contacts.n_points)):
        a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
        nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
        for k in range(contacts.n_points[row]):
            separation = follow(bodies, contacts, row, k, arm)
            most = contacts.friction[row] * max(-separation, 0.0)
            stretched = stretch[row, k] + way_along(bodies, since, a, b, arm, ny, -nx)
            stretch[row, k] = max(-most, min(stretched, most))
            contacts.impulse[row, k, 1] = -stiffness * h * stretch[row, k]
