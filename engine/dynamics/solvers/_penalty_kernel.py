"""Penalty forces: springs and dampers where bodies overlap, and where joints are apart.

A point that overlaps by d, and goes deeper at d', is pushed by ``k d + c d'``, never pulled; k is the setting, the same for a feather
and a house, and ``c = 2 z sqrt(k m)`` with the damping ratio z and the effective mass m of the point. With restitution e the ratio is that
of a spring that gives back e, if that is less. It pushes only, and so lets go before it is at its length again: with ``z = sin a`` after
``w t = (pi - 2 a) / cos a``, where ``k d + c d' = 0``, when the body leaves with ``e = exp(-z w t) = exp(-(pi - 2 a) tan a)``.

Sub-steps, a point that is found deep in the other body, and two points that share a load give back more than that. So after each
sub-step no point that came faster than the threshold parts faster than e times its *arrival*, its greatest speed since it touched, or
a hundredth of that. What it has beyond is taken back of the step's impulse, which never comes to a pull.

Friction: a tangential spring of the same k and its damper, stretched by the way of the point, cut off at mu times the normal force; what
it is stretched beyond that is slip. Its force is carried from step to step as an impulse, so that a box on a slope hangs by the spring
and does not creep.

Joints: ``HOLD``, ``LOW`` and ``HIGH`` have springs of the same k and z; ``SPRING`` its frequency and ratio of its effective mass; ``DRIVE``
is a damper that would bring the speed in one sub-step, bounded by its greatest force; those of the two parts of a POINT, and the one of the
ANGLE beside it, act at once on the same bodies, so that each part brings half.

Forces alone, in terms of places and velocities: an integrator does the rest (`engine.dynamics.integrators`).
"""

from __future__ import annotations

from math import hypot, pi, sqrt

import numpy as np

from engine.common._record_kernel import record
from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._contact_kernel import Contacts, apply_at_point, relative_velocity
from engine.dynamics._joint_kernel import (
    DRIVE,
    HIGH,
    LOW,
    POINT,
    READ,
    SPRING,
    SUM,
    Joints,
    driven_rate,
    ends,
    part,
    rate_and_response,
)
from engine.dynamics._solver_trace_kernel import FORCE, MOVE, tell_restored, tell_stage
from engine.dynamics.solvers._points_kernel import follow, response, turn_to_shift, way_along

__all__ = ["arrive", "give_back", "penalty_forces", "slip"]

_LEAST = 0.01
"""Of its arrival: what a point may part with whatever restitution says, so that what is left of an overlap goes."""
_PASSES = 4
"""Over the points: what is taken back at one corner of a box changes the speed of the other, by a fifth of that."""


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
    dt: float,
    force: FloatArray,
    of_points: FloatArray,
    of_rows: FloatArray,
    is_first: bool,
    trace: FloatArray | None,
) -> None:
    """Fill the forces and torques (n, 3) that act on bodies as they stand and move, and what each point and row of a joint has of them.

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
    dt : float
        Seconds of the step.
    of_points : float64 (n, 2, 2)
        N, along normal and tangent of each point.
    of_rows : float64 (m, 2)
        N, or N m.
    is_first : bool
        Whether it is the first time that this sub-step asks; for the trace.
    trace : float64 (k, TRACE_WIDTH), or None
        See `_solver_trace_kernel`.
    """
    jacobian, arm = np.zeros((4, 3)), np.zeros(4)
    turn_to_shift(bodies)
    force[:] = 0.0
    of_points[:] = 0.0
    of_rows[:] = 0.0
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
            of_points[row, k, 0], of_points[row, k, 1] = along, across
            record(
                trace, FORCE,
                (
                    float(row), float(k), separation, along, across, rate, slide, stretched, 1.0 if is_first else 0.0,
                    arm[0] * ny - arm[1] * nx, arm[2] * ny - arm[3] * nx, -arm[0] * nx - arm[1] * ny, -arm[2] * nx - arm[3] * ny,
                ),
            )  # fmt: skip
    for row in range(len(joints.kind)):
        if joints.mode[row] != READ:
            _pull(bodies, joints, row, joint_damping, stiffness, h, dt, of_rows, jacobian, force)


@inlined_kernel
def _push(force: FloatArray, body: int, x: float, y: float, torque: float) -> None:
    force[body, 0] += x
    force[body, 1] += y
    force[body, 2] += torque


@inlined_kernel
def _pull(
    bodies: Bodies, joints: Joints, row: int, damping: float, stiffness: float, h: float, dt: float, of_rows: FloatArray,
    jacobian: FloatArray, force: FloatArray,
) -> None:  # fmt: skip
    """Add what a row of a joint does."""
    mode, parts, at = joints.mode[row], 2 if joints.kind[row] == POINT else 1, ends(joints, row)
    first = second = 0.0
    apart = abs(part(bodies, joints, row, 0, jacobian) - joints.target[row])
    if parts == 2:
        apart = hypot(apart, part(bodies, joints, row, 1, jacobian))
    for k in range(parts):
        error = part(bodies, joints, row, k, jacobian) - joints.target[row]
        rate, w = rate_and_response(bodies, joints, row, jacobian)
        mass = 1.0 / w if w > 0.0 else 0.0
        if mode == DRIVE:
            pull = -mass / (parts * h) * (rate - joints.speed[row] + driven_rate(bodies, joints, row, apart, dt) * error)
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
    of_rows[row, 0], of_rows[row, 1] = first, second


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


@kernel
def arrive(bodies: Bodies, contacts: Contacts, h: float, arrived: FloatArray) -> None:
    """Keep the greatest speed at which each point has come since it touched, m/s (n, 2); 0 where it will not within `h` seconds."""
    arm = np.zeros(4)
    turn_to_shift(bodies)
    for row in range(len(contacts.n_points)):
        a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
        for k in range(contacts.n_points[row]):
            separation = follow(bodies, contacts, row, k, arm)
            vx, vy = relative_velocity(bodies, a, b, arm)
            rate = vx * contacts.normal[row, 0] + vy * contacts.normal[row, 1]
            arrived[row, k] = max(arrived[row, k], -rate) if separation + h * min(rate, 0.0) < 0.0 else 0.0


@kernel
def give_back(
    bodies: Bodies, contacts: Contacts, restitution: FloatArray, threshold: float, arrived: FloatArray, trace: FloatArray | None
) -> None:
    """Let no point part faster than restitution has it; see the module.

    Parameters
    ----------
    restitution : float64 (n,)
    threshold : float
        m/s: what came more slowly swings on its spring.
    arrived : float64 (n, 2)
        See `arrive`.
    """
    arm = np.zeros(4)
    for _ in range(_PASSES):
        for row in range(len(contacts.n_points)):
            for k in range(contacts.n_points[row]):
                if arrived[row, k] > threshold and contacts.total[row, k, 0] > 0.0:
                    _take_back(bodies, contacts, row, k, max(restitution[row], _LEAST) * arrived[row, k], arm, trace)


@inlined_kernel
def _take_back(bodies: Bodies, contacts: Contacts, row: int, k: int, most: float, arm: FloatArray, trace: FloatArray | None) -> None:
    """Let a point part no faster than `most` m/s."""
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
    follow(bodies, contacts, row, k, arm)
    vx, vy = relative_velocity(bodies, a, b, arm)
    beyond = vx * nx + vy * ny - most
    if beyond > 0.0:
        given = -min(beyond / response(bodies, a, b, arm, nx, ny), contacts.total[row, k, 0])
        apply_at_point(bodies, a, b, arm, given * nx, given * ny)
        contacts.total[row, k, 0] += given
        tell_restored(trace, bodies, contacts, row, k, given, arm)
