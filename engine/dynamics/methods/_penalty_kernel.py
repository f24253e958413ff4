"""Penalty forces: springs and dampers at overlaps and at joint errors.

A point of depth d, which grows at d', is pushed by ``k d + c d'``, never pulled; k is a setting, the same for all masses, and ``c = 2 z
sqrt(k m)`` with the damping ratio z and the effective mass m of the point. With restitution e the ratio is at most that of a spring that
returns e. The spring only pushes, so it lets go before it reaches its rest length: with ``z = sin a`` after ``w t = (pi - 2 a) / cos a``,
where ``k d + c d' = 0``, when the body leaves with ``e = exp(-z w t) = exp(-(pi - 2 a) tan a)``.

Sub-steps, contacts that are deep when detected, and contacts that share a load return more than that. So the method enforces a law that an
exact spring satisfies (*passivity*): a contact returns at most e^2 of the energy that it has absorbed (W. Stronge, "Rigid body collisions
with friction", 1990). Impulses P_i at points that separate at u_i before and u_i' after all of them change the kinetic energy by ::

    T' - T = (V' + V)^T M (V' - V) / 2 = sum P_i (u_i + u_i') / 2    as    V' - V = M^-1 sum J_i^T P_i,  u_i = J_i V

exactly, however many act together, so each term is the energy that its contact returned, or, if negative, absorbed. The points of a contact
are combined at its center of pressure. If u changes its sign, the contact has absorbed ``P u^2 / 2 (u' - u)`` and returned ``P u'^2 / 2 (u'
- u)``. A contact keeps ``E <- E + e^2 absorbed - returned`` from step to step, and if E < 0 an impulse Q is subtracted from that of the
step, which never becomes a pull. At the separation speed u, with the response w, that removes ``Q u - Q^2 w / 2``; so it removes -E with
``w Q = u - sqrt(u^2 + 2 w E)``. With E >= 0 everywhere no energy is gained. There are two exceptions: separation below the threshold, or
below d / 2 s, by which an overlap that absorbed no energy disappears; and the debt of a contact that has separated, or that has other
features of its shapes in the next step.

Friction: a tangential spring of the same k with a damper, stretched by the tangential displacement of the point, clamped to mu times the
normal force; stretch beyond that is slip. Its force is kept from step to step as an impulse, so that the spring holds a box on a slope,
which does not creep.

Joints: ``HOLD``, ``LOW`` and ``HIGH`` have springs of the same k and z, softer where the sub-step is too long for it;
``SPRING`` its own frequency and ratio for its effective mass;
``DRIVE`` is a damper that would reach the speed in one sub-step, bounded by its maximum force; the two parts of a POINT and the ANGLE
beside it act simultaneously on the same bodies, so each part contributes half.

The module computes only forces, from positions and velocities; an integrator advances the bodies (`engine.dynamics.integrators`).
"""

from __future__ import annotations

from math import hypot, pi, sqrt

from engine.common.arrays import FloatArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._joint_kernel import driven_rate, n_parts, part
from engine.dynamics._row_kernel import (
    Arm,
    apply_at_point,
    bodies_of,
    joint_velocity_and_response,
    n_lines,
    pair_of,
    relative_velocity,
    response,
    turn_all,
)
from engine.dynamics.methods._points_kernel import tangential_displacement, update_arms
from engine.dynamics.model import DRIVE, HIGH, LOW, POINT, READ, SPRING, Bodies, Contacts, Joints
from engine.dynamics.solver_events import MOVE, PointForce, PointRestored, Stage

__all__ = ["give_back", "penalty_forces", "slip"]

_STABLE = 0.25
"""Maximum stiffness of a joint's row in effective masses per squared sub-step: several such rows on a body are stable."""
_PASSES = 4
"""Passes over the contacts: an impulse that one contact gives back reduces that of others."""
_TIME = 2.0
"""Time, s, in which an overlap can decrease to 1/e although the contact has absorbed no energy."""


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
) -> None:
    """Fill the forces and torques (n, 3) on bodies at their current poses and velocities, and those of each contact point and joint row.

    Parameters
    ----------
    damping : float64 (n,)
        Damping ratio of each contact.
    since : float64 (n, 3)
        Shifts at the start of the sub-step of `h` seconds.
    stretch : float64 (n, 2)
        Stretch of the tangential springs at that time, m.
    stiffness : float
        N/m.
    dt : float
        Duration of the step, s.
    of_points : float64 (n, 2, 2)
        N, along normal and tangent of each point.
    of_rows : float64 (m, 2)
        N, or N m.
    is_first : bool
        Whether this is the first evaluation in this sub-step, for the events.
    """
    turn_all(bodies)
    force[:] = 0.0
    of_points[:] = 0.0
    of_rows[:] = 0.0
    for row in range(len(contacts.n_points)):
        a, b, nx, ny = pair_of(contacts, row)
        for k in range(contacts.n_points[row]):
            along = across = rate = slide = stretched = 0.0
            separation, arm = update_arms(bodies, contacts, row, k)
            if separation < 0.0:
                vx, vy = relative_velocity(bodies.velocity, a, b, arm)
                damper, rate, slide = 2.0 * damping[row] * sqrt(stiffness * contacts.mass[row, k, 0]), vx * nx + vy * ny, vx * ny - vy * nx
                along = max(-stiffness * separation - damper * rate, 0.0)
                damper = 2.0 * damping[row] * sqrt(stiffness * contacts.mass[row, k, 1])
                stretched = stretch[row, k] + tangential_displacement(bodies, since, a, b, arm, ny, -nx)
                limit = contacts.friction[row] * along
                across = max(-limit, min(-stiffness * stretched - damper * slide, limit))
                x, y = along * nx + across * ny, along * ny - across * nx
                _push(force, a, -x, -y, -(arm[0] * y - arm[1] * x))
                _push(force, b, x, y, arm[2] * y - arm[3] * x)
            of_points[row, k, 0], of_points[row, k, 1] = along, across
            levers = arm[0] * ny - arm[1] * nx, arm[2] * ny - arm[3] * nx, -arm[0] * nx - arm[1] * ny, -arm[2] * nx - arm[3] * ny
            record(PointForce(row, k, separation, along, across, rate, slide, stretched, is_first, levers))
    for row in range(len(joints.kind)):
        if joints.mode[row] != READ:
            _pull(bodies, joints, row, joint_damping, stiffness, h, dt, of_rows, force)


@inlined_kernel
def _push(force: FloatArray, body: int, x: float, y: float, torque: float) -> None:
    force[body, 0] += x
    force[body, 1] += y
    force[body, 2] += torque


@inlined_kernel
def _pull(
    bodies: Bodies, joints: Joints, row: int, damping: float, stiffness: float, h: float, dt: float, of_rows: FloatArray,
    force: FloatArray,
) -> None:  # fmt: skip
    """Add the forces of a row of a joint."""
    mode, parts, at = joints.mode[row], n_parts(joints, row), bodies_of(joints, row)
    first = second = 0.0
    apart = abs(part(bodies, joints, row, 0) - joints.target[row])
    if parts == 2:
        apart = hypot(apart, part(bodies, joints, row, 1))
    for k in range(parts):
        error = part(bodies, joints, row, k) - joints.target[row]
        rate, w = joint_velocity_and_response(bodies, joints, row)
        mass = 1.0 / w if w > 0.0 else 0.0
        if mode == DRIVE:
            pull = -mass / (parts * h) * (rate - joints.speed[row] + driven_rate(bodies, joints, row, apart, dt) * error)
        elif mode == SPRING:
            omega = 2.0 * pi * joints.spring[row, 0]
            pull = -mass * omega * (omega * error + 2.0 * joints.spring[row, 1] * rate)
        else:
            stiff = min(stiffness, _STABLE * mass / (h * h))
            pull = -stiff * error - 2.0 * damping * sqrt(stiff * mass) * rate
        if (mode == LOW and (error > 0.0 or pull < 0.0)) or (mode == HIGH and (error < 0.0 or pull > 0.0)):
            pull = 0.0
        if k == 0:
            first = pull
        else:
            second = pull
    size = hypot(first, second)
    if (mode == DRIVE or (mode == SPRING and joints.kind[row] == POINT)) and size > joints.max_force[row]:
        first, second = first * joints.max_force[row] / size, second * joints.max_force[row] / size
    for k in range(parts):
        part(bodies, joints, row, k)
        pull = first if k == 0 else second
        for line in range(n_lines(joints, row)):
            _push(force, at[line], joints.line[line, 0] * pull, joints.line[line, 1] * pull, joints.line[line, 2] * pull)
    of_rows[row, 0], of_rows[row, 1] = first, second


@kernel
def slip(
    bodies: Bodies, contacts: Contacts, since: FloatArray, stretch: FloatArray, stiffness: float, h: float, sub_step: int,
) -> None:  # fmt: skip
    """Stretch the tangential springs by the displacement since `since`, within the friction limit, and store their forces as impulses."""
    record(Stage(MOVE, sub_step, bodies.velocity, bodies.shift))
    turn_all(bodies)
    for row in range(len(contacts.n_points)):
        a, b, nx, ny = pair_of(contacts, row)
        for k in range(contacts.n_points[row]):
            separation, arm = update_arms(bodies, contacts, row, k)
            limit = contacts.friction[row] * max(-separation, 0.0)
            stretched = stretch[row, k] + tangential_displacement(bodies, since, a, b, arm, ny, -nx)
            stretch[row, k] = max(-limit, min(stretched, limit))
            contacts.impulse[row, k, 1] = -stiffness * h * stretch[row, k]


@kernel
def give_back(
    bodies: Bodies,
    contacts: Contacts,
    before: FloatArray,
    restitution: FloatArray,
    threshold: float,
    stored: FloatArray,
) -> None:
    """Limit the energy that each contact returns to e^2 of the energy that it has absorbed; see the module.

    Parameters
    ----------
    bodies : Bodies
        Poses at the start of the sub-step, with the velocities of its end.
    before : float64 (n, 3)
        Velocities at its start.
    restitution : float64 (n,)
    threshold : float
        m/s: contacts that separate more slowly are not limited.
    stored : float64 (n, 2)
        E, J, of both points of a contact together, in the first column. Updated in place.
    """
    turn_all(bodies)
    for row in range(len(contacts.n_points)):
        a, b, nx, ny = pair_of(contacts, row)
        impulse, depth, center = _center_of_pressure(bodies, contacts, contacts.impulse, row)
        if impulse > 0.0:
            vx, vy = relative_velocity(before, a, b, center)
            first = vx * nx + vy * ny
            vx, vy = relative_velocity(bodies.velocity, a, b, center)
            last = vx * nx + vy * ny
            took, gave = max(-0.5 * impulse * (first + last), 0.0), max(0.5 * impulse * (first + last), 0.0)
            if first < 0.0 < last:  # one after the other
                took, gave = 0.5 * impulse * first * first / (last - first), 0.5 * impulse * last * last / (last - first)
            stored[row, 0] += restitution[row] * restitution[row] * took - gave
            if last <= max(threshold, depth / _TIME):
                stored[row, 0] = max(stored[row, 0], 0.0)
        elif depth <= 0.0:
            stored[row, 0] = min(stored[row, 0], 0.0)
    for _ in range(_PASSES):
        for row in range(len(contacts.n_points)):
            if stored[row, 0] < 0.0:
                _take_back(bodies, contacts, row, threshold, stored)


@inlined_kernel
def _take_back(
    bodies: Bodies,
    contacts: Contacts,
    row: int,
    threshold: float,
    stored: FloatArray,
) -> None:
    """Subtract the part of a contact's impulse by which it returned too much energy."""
    a, b, nx, ny = pair_of(contacts, row)
    impulse, depth, center = _center_of_pressure(bodies, contacts, contacts.total, row)
    vx, vy = relative_velocity(bodies.velocity, a, b, center)
    rate, slow = vx * nx + vy * ny, max(threshold, depth / _TIME)
    if impulse > 0.0 and rate > slow:
        w = response(bodies.inverse, a, b, center, nx, ny)
        beyond = min((rate - max(sqrt(max(rate * rate + 2.0 * w * stored[row, 0], 0.0)), slow)) / w, impulse)
        stored[row, 0] += beyond * (rate - 0.5 * w * beyond)
        for k in range(contacts.n_points[row]):
            if contacts.total[row, k, 0] > 0.0:
                change = -beyond / impulse * contacts.total[row, k, 0]
                _, arm = update_arms(bodies, contacts, row, k)
                apply_at_point(bodies.velocity, bodies.inverse, a, b, arm, change * nx, change * ny)
                contacts.total[row, k, 0] += change
                record(PointRestored(row, k, change, bodies.velocity[a], bodies.velocity[b], arm))


@inlined_kernel
def _center_of_pressure(bodies: Bodies, contacts: Contacts, impulse: FloatArray, row: int) -> tuple[float, float, Arm]:
    """Return the sum of a contact's impulses, N s, its depth, m, and the arms of its center of pressure."""
    total = depth = ax = ay = bx = by = 0.0
    for k in range(contacts.n_points[row]):
        separation, arm = update_arms(bodies, contacts, row, k)
        depth, pressed = max(depth, -separation), impulse[row, k, 0]
        total += pressed
        ax, ay, bx, by = ax + pressed * arm[0], ay + pressed * arm[1], bx + pressed * arm[2], by + pressed * arm[3]
    weight = total if total > 0.0 else 1.0
    return total, depth, (ax / weight, ay / weight, bx / weight, by / weight)
