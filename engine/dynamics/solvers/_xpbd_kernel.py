"""Extended position-based dynamics: bodies move freely, are put where constraints want them, and have the velocity of that way.

In a sub-step h gravity and forces move all bodies, then each constraint ``C = 0`` in turn displaces its two by ``h M^-1 J^T P``. With a
compliance a (1 / stiffness, m/N) the impulse P is that of a spring taken implicitly, ``h P = -(C + s P h) / w``, in increments::

    dP = -(C / h + s P) / (w + s),    s = a / h^2,    w = J M^-1 J^T

so that the stiffness does not depend on h or on how often the constraints are gone through; a = 0 is rigid. A damper c adds
``g C'``, with ``g = a c / h``, and w takes the factor 1 + g. After the positions the velocity is ``(x - x_before) / h``, and what is
about velocities is done on these: restitution, sliding friction, motors.

Contacts: the normal part like that, P >= 0. *Static friction* is a constraint on places, that a point has not moved along the tangent in
the sub-step; it holds while it takes no more than mu P, else it is left out (not cut off), and *sliding friction* takes tangential velocity
away by the impulse mu P at most. The normal velocity of a point that was pushed is set to what restitution leaves of the one before.

Rows of joints: ``HOLD`` with the setting's compliance, ``LOW`` and ``HIGH`` where they are passed, ``SPRING`` with its own: frequency w0
and damping ratio z of the row's effective mass 1 / w mean ``s = w / (h w0)^2`` and ``g = 2 z / (h w0)``. ``DRIVE`` acts on velocities.

M. Mueller, M. Macklin, N. Chentanez, S. Jeschke, T.-Y. Kim, "Detailed Rigid Body Simulation with Extended Position Based Dynamics", 2020;
M. Macklin, M. Mueller, N. Chentanez, "XPBD", 2016. There sliding friction is bounded by ``h mu f`` *as a velocity*, which is an impulse;
here the impulse is bounded, and what static friction took in the sub-step is counted with it.
"""

from __future__ import annotations

from math import hypot, nan, pi

import numpy as np

from engine.common._record_kernel import record
from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies, integrate_positions, integrate_velocities
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
    coordinate,
    ends,
    forces_at,
    rate_and_response,
    solve_point,
    solve_row,
)
from engine.dynamics._softness_kernel import Softness
from engine.dynamics._solver_trace_kernel import (
    END,
    FLY,
    FREE,
    HELD,
    JOINTS,
    PLACED,
    SLID,
    SWEEP,
    VELOCITIES,
    tell_placed,
    tell_restored,
    tell_stage,
)
from engine.dynamics.solvers._points_kernel import displace, follow, response, restore, way_along

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
    trace: FloatArray | None,
) -> None:
    """Advance bodies by `dt` seconds in `n_steps` sub-steps, and leave the impulses of the last one and their sums.

    Parameters
    ----------
    restitution : float64 (n,)
        Of each contact.
    threshold : float
        m/s of approach below which nothing bounces.
    n_iterations : int
        Times that all constraints are gone through in a sub-step.
    contact_compliance, joint_compliance : float
        m/N; of rows of angles rad/(N m).
    trace : float64 (k, TRACE_WIDTH), or None
        See `_solver_trace_kernel`.
    """
    h, jacobian, arm = dt / n_steps, np.zeros((4, 3)), np.zeros(4)
    contacts.total[:] = 0.0
    joints.total[:] = 0.0
    for sub_step in range(n_steps):
        integrate_velocities(bodies, h)
        tell_stage(trace, bodies, FREE, sub_step)
        before, since = bodies.velocity.copy(), bodies.shift.copy()
        contacts.impulse[:] = 0.0
        joints.impulse[:] = 0.0
        integrate_positions(bodies, h)
        tell_stage(trace, bodies, FLY, sub_step)
        tell_stage(trace, bodies, SWEEP, sub_step)
        for _ in range(n_iterations):
            for row in range(len(joints.kind)):
                if joints.kind[row] == POINT and joints.mode[row] != DRIVE:
                    _place_point(bodies, joints, row, since, joint_compliance, h)
                elif joints.mode[row] != READ and joints.mode[row] != DRIVE:
                    _place_row(bodies, joints, row, since, joint_compliance, h, jacobian)
            if len(joints.kind) > 0:
                tell_stage(trace, bodies, JOINTS, sub_step)
            for row in range(len(contacts.n_points)):
                _place_contact(bodies, contacts, row, since, contact_compliance, h, arm, trace)
        for body in range(len(since)):
            if bodies.inverse[body, 0] > 0.0 or bodies.inverse[body, 1] > 0.0:
                for k in range(3):
                    bodies.velocity[body, k] = (bodies.shift[body, k] - since[body, k]) / h
        for row in range(len(joints.kind)):
            if joints.mode[row] == DRIVE and joints.kind[row] == POINT:
                solve_point(bodies, joints, row, Softness(0.0, 1.0, 0.0), h, dt, False)
            elif joints.mode[row] == DRIVE:
                solve_row(bodies, joints, row, jacobian, Softness(0.0, 1.0, 0.0), h, dt, False)
        tell_stage(trace, bodies, VELOCITIES, sub_step)
        for row in range(len(contacts.n_points)):
            _slow_down(bodies, contacts, row, before, restitution[row], threshold, arm, trace)
        for row in range(len(joints.kind)):
            for k in range(2):
                joints.total[row, k] += joints.impulse[row, k]
        for row in range(len(contacts.n_points)):
            for k in range(contacts.n_points[row]):
                contacts.total[row, k, 1] += contacts.impulse[row, k, 1]
    tell_stage(trace, bodies, END, 0)


@inlined_kernel
def _place_contact(
    bodies: Bodies, contacts: Contacts, row: int, since: FloatArray, compliance: float, h: float, arm: FloatArray,
    trace: FloatArray | None,
) -> None:  # fmt: skip
    """Put two bodies apart, and back to where their points were along the tangent as far as friction holds."""
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
    soft = (1.0 if bodies.inverse[a, 0] > 0.0 and bodies.inverse[b, 0] > 0.0 else 0.25) * compliance / (h * h)
    for k in range(contacts.n_points[row]):
        separation, pushed = follow(bodies, contacts, row, k, arm), contacts.impulse[row, k, 0]
        more = max(-(separation / h + soft * pushed) / (response(bodies, a, b, arm, nx, ny) + soft), -pushed)
        if more != 0.0:
            contacts.impulse[row, k, 0] += more
            _displace_pair(bodies, a, b, arm, h * more * nx, h * more * ny)
        tell_placed(trace, PLACED, bodies, contacts, row, k, pushed, contacts.impulse[row, k, 0], separation, soft, arm, nx, ny)
    for k in range(contacts.n_points[row]):
        most = contacts.friction[row] * contacts.impulse[row, k, 0]
        if most > 0.0:
            follow(bodies, contacts, row, k, arm)
            way, held = way_along(bodies, since, a, b, arm, ny, -nx), contacts.impulse[row, k, 1]
            more = -way / (h * response(bodies, a, b, arm, ny, -nx))
            if abs(held + more) <= most:
                contacts.impulse[row, k, 1] += more
                _displace_pair(bodies, a, b, arm, h * more * ny, -h * more * nx)
                tell_placed(trace, HELD, bodies, contacts, row, k, held, contacts.impulse[row, k, 1], way, 0.0, arm, ny, -nx)
            else:
                tell_placed(trace, HELD, bodies, contacts, row, k, held, nan, way, 0.0, arm, ny, -nx)


@inlined_kernel
def _displace_pair(bodies: Bodies, a: int, b: int, arm: FloatArray, x: float, y: float) -> None:
    displace(bodies, a, -x, -y, -(arm[0] * y - arm[1] * x))
    displace(bodies, b, x, y, arm[2] * y - arm[3] * x)


@inlined_kernel
def _slow_down(
    bodies: Bodies, contacts: Contacts, row: int, before: FloatArray, restitution: float, threshold: float, arm: FloatArray,
    trace: FloatArray | None,
) -> None:  # fmt: skip
    """Do what a contact does to velocities: restitution, and then sliding friction."""
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
    for k in range(contacts.n_points[row]):
        pushed = contacts.impulse[row, k, 0]
        if pushed > 0.0:
            follow(bodies, contacts, row, k, arm)
            given = restore(bodies, contacts, row, arm, before, restitution, threshold)
            contacts.total[row, k, 0] += pushed + given
            tell_restored(trace, bodies, contacts, row, k, given, arm)
    for k in range(contacts.n_points[row]):
        most, held = contacts.friction[row] * contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
        if most > 0.0:
            follow(bodies, contacts, row, k, arm)
            vx, vy = relative_velocity(bodies, a, b, arm)
            after = max(-most, min(held - (vx * ny - vy * nx) / response(bodies, a, b, arm, ny, -nx), most))
            contacts.impulse[row, k, 1] = after
            apply_at_point(bodies, a, b, arm, (after - held) * ny, -(after - held) * nx)
            if trace is not None:
                v_a, v_b = bodies.velocity[a], bodies.velocity[b]
                record(
                    trace, SLID,
                    (
                        float(row), float(k), held, after, v_a[0], v_a[1], v_a[2], v_b[0], v_b[1], v_b[2],
                        arm[0], arm[1], arm[2], arm[3],
                    ),
                )  # fmt: skip


@inlined_kernel
def _place_row(bodies: Bodies, joints: Joints, row: int, since: FloatArray, compliance: float, h: float, jacobian: FloatArray) -> None:
    """Put the bodies of a row of one coordinate where it holds, springs or ends."""
    mode = joints.mode[row]
    error = coordinate(bodies, joints, row, jacobian) - joints.target[row]
    _, w = rate_and_response(bodies, joints, row, jacobian)
    if w == 0.0:
        return
    soft, damped, at = compliance / (h * h), 0.0, ends(joints, row)
    n = 4 if joints.kind[row] == SUM else 2
    if mode == SPRING:
        reach = 2.0 * pi * joints.spring[row, 0] * h
        soft, damped = w / (reach * reach), 2.0 * joints.spring[row, 1] / reach
        for line in range(n):
            for k in range(3):
                error += damped * jacobian[line, k] * (bodies.shift[at[line], k] - since[at[line], k])
    before = joints.impulse[row, 0]
    after = before - (error / h + soft * before) / ((1.0 + damped) * w + soft)
    if mode == LOW:
        after = max(after, 0.0)
    elif mode == HIGH:
        after = min(after, 0.0)
    joints.impulse[row, 0] = after
    impulse = h * (after - before)
    for line in range(n):
        displace(bodies, at[line], jacobian[line, 0] * impulse, jacobian[line, 1] * impulse, jacobian[line, 2] * impulse)


@inlined_kernel
def _place_point(bodies: Bodies, joints: Joints, row: int, since: FloatArray, compliance: float, h: float) -> None:
    """Put two anchors on each other, or as near as a spring with a greatest force does."""
    a, b = joints.bodies[row, 0], joints.bodies[row, 1]
    inverse, shift = bodies.inverse, bodies.shift
    ax, ay, bx, by, dx, dy = forces_at(bodies, joints, row)
    across, before_x, before_y = inverse[a, 0] + inverse[b, 0], joints.impulse[row, 0], joints.impulse[row, 1]
    k11 = across + inverse[a, 1] * ay * ay + inverse[b, 1] * by * by
    k12 = -inverse[a, 1] * ax * ay - inverse[b, 1] * bx * by
    k22 = across + inverse[a, 1] * ax * ax + inverse[b, 1] * bx * bx
    if joints.mode[row] == SPRING:
        reach = 2.0 * pi * joints.spring[row, 0] * h
        stiff, damped = 1.0 / (reach * reach), 2.0 * joints.spring[row, 1] / reach
        turn_a, turn_b = shift[a, 2] - since[a, 2], shift[b, 2] - since[b, 2]
        dx += damped * (shift[b, 0] - since[b, 0] - turn_b * by - shift[a, 0] + since[a, 0] + turn_a * ay)
        dy += damped * (shift[b, 1] - since[b, 1] + turn_b * bx - shift[a, 1] + since[a, 1] - turn_a * ax)
        cx = dx / h + stiff * (k11 * before_x + k12 * before_y)
        cy = dy / h + stiff * (k12 * before_x + k22 * before_y)
        scale = 1.0 + damped + stiff
        k11, k12, k22 = scale * k11, scale * k12, scale * k22
    else:
        soft = compliance / (h * h)
        cx, cy = dx / h + soft * before_x, dy / h + soft * before_y
        k11, k22 = k11 + soft, k22 + soft
    determinant = k11 * k22 - k12 * k12
    if determinant == 0.0:
        return
    x, y = before_x - (k22 * cx - k12 * cy) / determinant, before_y - (k11 * cy - k12 * cx) / determinant
    most, size = joints.most[row] * h, hypot(x, y)
    if joints.mode[row] == SPRING and size > most:
        x, y = x * most / size, y * most / size
    joints.impulse[row, 0], joints.impulse[row, 1] = x, y
    x, y = h * (x - before_x), h * (y - before_y)
    displace(bodies, a, -x, -y, -(ax * y - ay * x))
    displace(bodies, b, x, y, bx * y - by * x)
