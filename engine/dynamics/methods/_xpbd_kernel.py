"""Extended position-based dynamics: bodies move freely, constraints correct positions, and velocities follow from the displacements.

In a sub-step h gravity and forces move all bodies, then each constraint ``C = 0`` in turn displaces its two by ``h M^-1 J^T P``. With a
compliance a (1 / stiffness, m/N) the impulse P is that of an implicitly integrated spring, ``h P = -(C + s P h) / w``, in increments::

    dP = -(C / h + s P) / (w + s),    s = a / h^2,    w = J M^-1 J^T

so that the stiffness depends neither on h nor on the number of iterations; a = 0 is rigid. A damper c adds ``g C'``, with ``g = a c / h``,
and multiplies w by 1 + g. After the positions the velocity is ``(x - x_before) / h``; restitution, sliding friction and motors then change
velocities.

Contacts: the normal part as above, P >= 0. *Static friction* is a constraint on positions, that a point has not moved along the tangent in
the sub-step; it holds while it needs at most mu_s P, otherwise it is omitted (not clamped), and *sliding friction* reduces the tangential
velocity by an impulse of at most mu P, or mu_s P if static friction holds. The normal velocity of a point that was pushed is set by
restitution from the velocity before.

Rows of joints: ``HOLD`` with the setting's compliance, ``LOW`` and ``HIGH`` if they are exceeded, ``SPRING`` with its own: frequency w0 and
damping ratio z with the row's effective mass 1 / w give ``s = w / (h w0)^2`` and ``g = 2 z / (h w0)``. ``DRIVE`` acts on velocities.

Of an error that is there as a sub-step begins, at most what closes at 3 m/s is corrected: the rest of a deep overlap or a torn joint would
become a velocity. All contacts of a body together push at 3 m/s.

M. Mueller, M. Macklin, N. Chentanez, S. Jeschke, T.-Y. Kim, "Detailed Rigid Body Simulation with Extended Position Based Dynamics", 2020;
M. Macklin, M. Mueller, N. Chentanez, "XPBD", 2016. The paper bounds a *velocity* by ``h mu f``, which is an impulse; here the impulse of
sliding friction is bounded, including that of static friction in the sub-step.
"""

from __future__ import annotations

from math import hypot, inf, nan, pi

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import record
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.common.tolerances import EPS64
from engine.dynamics._integration_kernel import integrate_positions, integrate_velocities
from engine.dynamics._joint_kernel import coordinate, forces_at, part, point_impulse, solve_either
from engine.dynamics._row_kernel import (
    apply_at_point,
    bodies_of,
    can_move,
    joint_velocity_and_response,
    move_at_point,
    n_lines,
    pair_of,
    point_matrix,
    relative_velocity,
    response,
    turn_body,
)
from engine.dynamics._softness_kernel import Softness
from engine.dynamics.methods._points_kernel import add_push, displacement, push_share, restore, tangential_displacement, update_arms
from engine.dynamics.model import DRIVE, HIGH, HOLD, LOW, POINT, READ, SPRING, Bodies, Contacts, Joints
from engine.dynamics.solver_events import (
    END,
    FLY,
    FREE,
    JOINTS,
    SWEEP,
    VELOCITIES,
    FrictionHeld,
    PointPlaced,
    PointRestored,
    PointSlid,
    Stage,
)
from engine.dynamics.tolerances import XPBD_PUSH, XPBD_STATIC_SHARE

__all__ = ["xpbd"]


@kernel
def xpbd(
    bodies: Bodies,
    contacts: Contacts,
    joints: Joints,
    restitution: FloatArray,
    threshold: float,
    dt: float,
    n_steps: int,
    n_iterations: int,
    contact_compliance: float,
    joint_compliance: float,
    static_ratio: float,
) -> None:
    """Advance bodies by `dt` seconds in `n_steps` sub-steps, and write the impulses of the last one and their sums.

    Parameters
    ----------
    restitution : float64 (n,)
        Restitution of each contact.
    threshold : float
        Approach speed, m/s, below which nothing bounces.
    n_iterations : int
        Number of passes over all constraints in a sub-step.
    contact_compliance, joint_compliance : float
        m/N; of rows of angles rad/(N m).
    static_ratio : float
        Coefficient of static friction mu_s, relative to the coefficient mu of the fixtures, used for sliding.
    """
    h = dt / n_steps
    contacts.total[:] = 0.0
    joints.total[:] = 0.0
    kept, kept_of_joints = np.zeros((len(contacts.n_points), 2)), np.zeros((len(joints.kind), 2))
    for sub_step in range(n_steps):
        integrate_velocities(bodies, h)
        record(Stage(FREE, sub_step, bodies.velocity, bodies.shift))
        before, since = bodies.velocity.copy(), bodies.shift.copy()
        contacts.impulse[:] = 0.0
        joints.impulse[:] = 0.0
        _keep_errors(bodies, contacts, joints, XPBD_PUSH, h, kept, kept_of_joints)
        integrate_positions(bodies, h)
        record(Stage(FLY, sub_step, bodies.velocity, bodies.shift))
        record(Stage(SWEEP, sub_step, bodies.velocity, bodies.shift))
        for _ in range(n_iterations):
            for row in range(len(joints.kind)):
                if joints.kind[row] == POINT and joints.mode[row] != DRIVE:
                    _place_point(bodies, joints, row, since, joint_compliance, h, kept_of_joints)
                elif joints.mode[row] != READ and joints.mode[row] != DRIVE:
                    _place_row(bodies, joints, row, since, joint_compliance, h, kept_of_joints)
            if len(joints.kind) > 0:
                record(Stage(JOINTS, sub_step, bodies.velocity, bodies.shift))
            for row in range(len(contacts.n_points)):
                _place_contact(bodies, contacts, row, since, contact_compliance, static_ratio, h, kept)
        for body in range(len(since)):
            if can_move(bodies.inverse, body):
                for k in range(3):
                    bodies.velocity[body, k] = (bodies.shift[body, k] - since[body, k]) / h
        for row in range(len(joints.kind)):
            if joints.mode[row] == DRIVE:
                solve_either(bodies, joints, row, Softness(0.0, 1.0, 0.0), h, dt, False)
        record(Stage(VELOCITIES, sub_step, bodies.velocity, bodies.shift))
        for row in range(len(contacts.n_points)):
            _slow_down(bodies, contacts, row, before, restitution[row], threshold, static_ratio)
        for row in range(len(joints.kind)):
            for k in range(2):
                joints.total[row, k] += joints.impulse[row, k]
        for row in range(len(contacts.n_points)):
            for k in range(contacts.n_points[row]):
                contacts.total[row, k, 1] += contacts.impulse[row, k, 1]
    record(Stage(END, 0, bodies.velocity, bodies.shift))


@allocating_kernel
def _keep_errors(
    bodies: Bodies, contacts: Contacts, joints: Joints, limit: float, h: float, kept: FloatArray, kept_of_joints: FloatArray
) -> None:
    """Fill the part of each error that the sub-step leaves, as it cannot be corrected at `limit` m/s or rad/s; (n, 2), m or rad."""
    pushes = np.zeros(len(bodies.velocity))
    for row in range(len(contacts.n_points)):
        deepest = 0.0
        for k in range(contacts.n_points[row]):
            kept[row, k], _ = update_arms(bodies, contacts, row, k)
            deepest = min(deepest, kept[row, k])
        add_push(bodies, contacts, row, -deepest / h, pushes)
    for row in range(len(contacts.n_points)):
        most = h * limit * push_share(contacts, row, pushes, limit)
        for k in range(contacts.n_points[row]):
            kept[row, k] = min(kept[row, k] + most, 0.0)
    for row in range(len(joints.kind)):
        kept_of_joints[row, 0] = kept_of_joints[row, 1] = 0.0
        if joints.mode[row] == HOLD or joints.mode[row] == LOW or joints.mode[row] == HIGH:
            x, y = part(bodies, joints, row, 0) - joints.target[row], 0.0
            if joints.kind[row] == POINT:
                y = part(bodies, joints, row, 1)
            elif (joints.mode[row] == LOW and x > 0.0) or (joints.mode[row] == HIGH and x < 0.0):
                x = 0.0
            share = max(1.0 - h * limit / max(hypot(x, y), EPS64), 0.0)
            kept_of_joints[row, 0], kept_of_joints[row, 1] = share * x, share * y


@inlined_kernel
def _place_contact(
    bodies: Bodies, contacts: Contacts, row: int, since: FloatArray, compliance: float, static_ratio: float, h: float, kept: FloatArray,
) -> None:  # fmt: skip
    """Move two bodies apart, and undo the tangential displacement of their points as far as static friction holds."""
    a, b, nx, ny = pair_of(contacts, row)
    soft = (1.0 if bodies.inverse[a, 0] > 0.0 and bodies.inverse[b, 0] > 0.0 else XPBD_STATIC_SHARE) * compliance / (h * h)
    for k in range(contacts.n_points[row]):
        separation, arm = update_arms(bodies, contacts, row, k)
        separation -= kept[row, k]
        before = contacts.impulse[row, k, 0]
        more = max(-(separation / h + soft * before) / (response(bodies.inverse, a, b, arm, nx, ny) + soft), -before)
        if more != 0.0:
            contacts.impulse[row, k, 0] += more
            move_at_point(bodies, a, b, arm, h * more * nx, h * more * ny)
        x_a, x_b, levers = bodies.shift[a], bodies.shift[b], (arm[0] * ny - arm[1] * nx, arm[2] * ny - arm[3] * nx)
        record(PointPlaced(row, k, before, contacts.impulse[row, k, 0], x_a, x_b, separation, soft, levers))
    for k in range(contacts.n_points[row]):
        limit = static_ratio * contacts.friction[row] * contacts.impulse[row, k, 0]
        if limit > 0.0:
            _, arm = update_arms(bodies, contacts, row, k)
            way, before = tangential_displacement(bodies, since, a, b, arm, ny, -nx), contacts.impulse[row, k, 1]
            more = -way / (h * response(bodies.inverse, a, b, arm, ny, -nx))
            after = before + more
            holds = abs(after) <= limit
            if holds:
                contacts.impulse[row, k, 1] = after
                move_at_point(bodies, a, b, arm, h * more * ny, -h * more * nx)
            x_a, x_b, levers = bodies.shift[a], bodies.shift[b], (-arm[0] * nx - arm[1] * ny, -arm[2] * nx - arm[3] * ny)
            record(FrictionHeld(row, k, before, after if holds else nan, x_a, x_b, way, levers))


@inlined_kernel
def _slow_down(
    bodies: Bodies, contacts: Contacts, row: int, before: FloatArray, restitution: float, threshold: float, static_ratio: float,
) -> None:  # fmt: skip
    """Change velocities by restitution, and then by friction, by the static coefficient where static friction holds."""
    a, b, nx, ny = pair_of(contacts, row)
    for k in range(contacts.n_points[row]):
        pressed = contacts.impulse[row, k, 0]
        if pressed > 0.0:
            _, arm = update_arms(bodies, contacts, row, k)
            impulse = restore(bodies, contacts, row, arm, before, restitution, threshold)
            contacts.total[row, k, 0] += pressed + impulse
            record(PointRestored(row, k, impulse, bodies.velocity[a], bodies.velocity[b], arm))
    for k in range(contacts.n_points[row]):
        limit, held = contacts.friction[row] * contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
        if limit > 0.0:
            _, arm = update_arms(bodies, contacts, row, k)
            vx, vy = relative_velocity(bodies.velocity, a, b, arm)
            limit *= static_ratio if held != 0.0 else 1.0
            after = max(-limit, min(held - (vx * ny - vy * nx) / response(bodies.inverse, a, b, arm, ny, -nx), limit))
            contacts.impulse[row, k, 1] = after
            apply_at_point(bodies.velocity, bodies.inverse, a, b, arm, (after - held) * ny, -(after - held) * nx)
            record(PointSlid(row, k, held, after, bodies.velocity[a], bodies.velocity[b], arm))


@inlined_kernel
def _place_row(bodies: Bodies, joints: Joints, row: int, since: FloatArray, compliance: float, h: float, kept: FloatArray) -> None:
    """Move the bodies of a row of one coordinate towards its target or limit."""
    mode = joints.mode[row]
    error = coordinate(bodies, joints, row) - joints.target[row] - kept[row, 0]
    _, w = joint_velocity_and_response(bodies, joints, row)
    if w == 0.0:
        return
    soft, damped, at = compliance / (h * h), 0.0, bodies_of(joints, row)
    if mode == SPRING:
        reach = 2.0 * pi * joints.spring[row, 0] * h
        soft, damped = w / (reach * reach), 2.0 * joints.spring[row, 1] / reach
        for line in range(n_lines(joints, row)):
            for k in range(3):
                error += damped * joints.line[line, k] * (bodies.shift[at[line], k] - since[at[line], k])
    before = joints.impulse[row, 0]
    after = before - (error / h + soft * before) / ((1.0 + damped) * w + soft)
    if mode == LOW:
        after = max(after, 0.0)
    elif mode == HIGH:
        after = min(after, 0.0)
    joints.impulse[row, 0] = after
    impulse = h * (after - before)
    for line in range(n_lines(joints, row)):
        for k in range(3):
            bodies.shift[at[line], k] += bodies.inverse[at[line], 0 if k < 2 else 1] * (joints.line[line, k] * impulse)
        turn_body(bodies, at[line])


@inlined_kernel
def _place_point(bodies: Bodies, joints: Joints, row: int, since: FloatArray, compliance: float, h: float, kept: FloatArray) -> None:
    """Move two anchors onto each other, or towards each other by a spring with a maximum force."""
    a, b = joints.bodies[row, 0], joints.bodies[row, 1]
    arm, dx, dy = forces_at(bodies, joints, row)
    dx, dy = dx - kept[row, 0], dy - kept[row, 1]
    k11, k12, k22 = point_matrix(bodies.inverse, a, b, arm)
    before_x, before_y, limit = joints.impulse[row, 0], joints.impulse[row, 1], inf
    if joints.mode[row] == SPRING:
        reach = 2.0 * pi * joints.spring[row, 0] * h
        stiff, damped = 1.0 / (reach * reach), 2.0 * joints.spring[row, 1] / reach
        way_x, way_y = displacement(bodies, since, a, b, arm)
        cx = (dx + damped * way_x) / h + stiff * (k11 * before_x + k12 * before_y)
        cy = (dy + damped * way_y) / h + stiff * (k12 * before_x + k22 * before_y)
        scale = 1.0 + damped + stiff
        k11, k12, k22, limit = scale * k11, scale * k12, scale * k22, joints.max_force[row] * h
    else:
        soft = compliance / (h * h)
        cx, cy = dx / h + soft * before_x, dy / h + soft * before_y
        k11, k22 = k11 + soft, k22 + soft
    x, y = point_impulse(joints, row, (k11, k12, k22), cx, cy, 1.0, 0.0, limit)
    move_at_point(bodies, a, b, arm, h * x, h * y)
