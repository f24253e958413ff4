"""Penalty forces: springs and dampers where bodies overlap, and where joints are apart.

A point that overlaps by d, and goes deeper at d', is pushed by ``k d + c d'``, never pulled; k is the setting, the same for a feather
and a house, and ``c = 2 z sqrt(k m)`` with the damping ratio z and the effective mass m of the point. With restitution e the ratio is that
of a spring that gives back e, if that is less. It pushes only, and so lets go before it is at its length again: with ``z = sin a`` after
``w t = (pi - 2 a) / cos a``, where ``k d + c d' = 0``, when the body leaves with ``e = exp(-z w t) = exp(-(pi - 2 a) tan a)``.

Sub-steps, a contact that is found deep, and contacts that share a load give back more than that. So the law that a spring keeps by
itself is asked for (*passivity*): a contact has given back at most e^2 of the energy that it has taken (W. Stronge, "Rigid body
collisions with friction", 1990). Impulses P_i at points that part with u_i before and u_i' after them all change the energy of motion by ::

    T' - T = (V' + V)^T M (V' - V) / 2 = sum P_i (u_i + u_i') / 2    as    V' - V = M^-1 sum J_i^T P_i,  u_i = J_i V

exactly, however many act at once, so that each term is what its contact has given, or, where it is negative, taken. The points of a
contact are one, at its center of pressure. Where u changes its sign it has taken ``P u^2 / 2 (u' - u)`` and given ``P u'^2 / 2 (u' - u)``.
A contact keeps ``E <- E + e^2 taken - given`` from step to step, and where E < 0 takes an impulse Q back of the step's, which never comes
to a pull. At the parting speed u, with the response w, that takes ``Q u - Q^2 w / 2``; so -E with ``w Q = u - sqrt(u^2 + 2 w E)``.
With E >= 0 everywhere no energy is gained. Two things are free: to part more slowly than the threshold, or than d / 2 s, by which an
overlap goes that has taken nothing; and what a contact owes that has parted, or is found by other features of its shapes in the next step.

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

__all__ = ["give_back", "penalty_forces", "slip"]

_PASSES = 4
"""Over the contacts: what one takes back is the less that another has to."""
_TIME = 2.0
"""Seconds in which an overlap may go, to a share of 1/e, although the contact has taken no energy from which to part."""


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
def give_back(
    bodies: Bodies,
    contacts: Contacts,
    before: FloatArray,
    restitution: FloatArray,
    threshold: float,
    stored: FloatArray,
    trace: FloatArray | None,
) -> None:
    """Let no contact give back more energy than restitution leaves of what it has taken; see the module.

    Parameters
    ----------
    bodies : Bodies
        As they stood when the sub-step began, with the velocities of its end.
    before : float64 (n, 3)
        Velocities when it began.
    restitution : float64 (n,)
    threshold : float
        m/s: what parts more slowly swings on its spring.
    stored : float64 (n, 2)
        J, of both points of a contact together, in the first column; below 0 what it owes. Written in place.
    """
    arm, center = np.zeros(4), np.zeros(4)
    turn_to_shift(bodies)
    for row in range(len(contacts.n_points)):
        a, b, nx, ny = contacts.bodies[row, 0], contacts.bodies[row, 1], contacts.normal[row, 0], contacts.normal[row, 1]
        given, depth = _center_of_pressure(bodies, contacts, contacts.impulse, row, arm, center)
        if given > 0.0:
            vx = before[b, 0] - before[b, 2] * center[3] - before[a, 0] + before[a, 2] * center[1]
            vy = before[b, 1] + before[b, 2] * center[2] - before[a, 1] - before[a, 2] * center[0]
            first = vx * nx + vy * ny
            vx, vy = relative_velocity(bodies, a, b, center)
            last = vx * nx + vy * ny
            took, gave = max(-0.5 * given * (first + last), 0.0), max(0.5 * given * (first + last), 0.0)
            if first < 0.0 < last:  # one after the other
                took, gave = 0.5 * given * first * first / (last - first), 0.5 * given * last * last / (last - first)
            stored[row, 0] += restitution[row] * restitution[row] * took - gave
            if last <= max(threshold, depth / _TIME):
                stored[row, 0] = max(stored[row, 0], 0.0)
        elif depth <= 0.0:
            stored[row, 0] = min(stored[row, 0], 0.0)
    for _ in range(_PASSES):
        for row in range(len(contacts.n_points)):
            if stored[row, 0] < 0.0:
                _take_back(bodies, contacts, row, threshold, stored, arm, center, trace)


@inlined_kernel
def _take_back(
    bodies: Bodies,
    contacts: Contacts,
    row: int,
    threshold: float,
    stored: FloatArray,
    arm: FloatArray,
    center: FloatArray,
    trace: FloatArray | None,
) -> None:
    """Take as much of a contact's impulse back as it has given energy that it had not."""
    a, b, nx, ny = contacts.bodies[row, 0], contacts.bodies[row, 1], contacts.normal[row, 0], contacts.normal[row, 1]
    given, depth = _center_of_pressure(bodies, contacts, contacts.total, row, arm, center)
    vx, vy = relative_velocity(bodies, a, b, center)
    rate, slow = vx * nx + vy * ny, max(threshold, depth / _TIME)
    if given > 0.0 and rate > slow:
        w = response(bodies, a, b, center, nx, ny)
        beyond = min((rate - max(sqrt(max(rate * rate + 2.0 * w * stored[row, 0], 0.0)), slow)) / w, given)
        stored[row, 0] += beyond * (rate - 0.5 * w * beyond)
        for k in range(contacts.n_points[row]):
            if contacts.total[row, k, 0] > 0.0:
                taken = -beyond / given * contacts.total[row, k, 0]
                follow(bodies, contacts, row, k, arm)
                apply_at_point(bodies, a, b, arm, taken * nx, taken * ny)
                contacts.total[row, k, 0] += taken
                tell_restored(trace, bodies, contacts, row, k, taken, arm)


@inlined_kernel
def _center_of_pressure(
    bodies: Bodies, contacts: Contacts, impulse: FloatArray, row: int, arm: FloatArray, center: FloatArray
) -> tuple[float, float]:
    """Fill the arms (4,) of the center of pressure of a contact, and return the sum of its impulses, N s, and its depth, m."""
    given = depth = 0.0
    center[:] = 0.0
    for k in range(contacts.n_points[row]):
        depth = max(depth, -follow(bodies, contacts, row, k, arm))
        given += impulse[row, k, 0]
        for i in range(4):
            center[i] += impulse[row, k, 0] * arm[i]
    for i in range(4):
        center[i] /= given if given > 0.0 else 1.0
    return given, depth
