"""Sequential impulses: the velocities after one step, in one piece, with as many sweeps over the constraints as they take.

The same constraints as those of the soft step, asked for in one step of dt, hard, and of the velocities alone:

    M (v - v_free) = J^T P,    J v >= -gap / dt and P >= 0 and P (J v + gap / dt) = 0 of a contact's normal,    J v = 0 of a joint

with ``v_free`` after gravity, forces and damping. Each sweep solves every row once with the others as they are (projected Gauss-Seidel);
the sweeps end when one changes no velocity by more than a tolerance. What comes out depends no longer on the order of the rows, nor on the
impulses that it began from, but where friction has several answers: it is what Box2D's iterations and our sub-steps both approach, and
where a referee finds them together.

Source: E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005.
"""

from __future__ import annotations

from math import hypot, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies, integrate_velocities
from engine.dynamics._contact_kernel import Contacts, apply_at_point, relative_velocity
from engine.dynamics._joint_kernel import (
    HIGH,
    LENGTH,
    LOW,
    POINT,
    READ,
    SPRING,
    SUM,
    Joints,
    coordinate,
    solve_point,
    solve_row,
    warm_start_joints,
)
from engine.dynamics._softness_kernel import Softness

__all__ = ["sequential_impulses"]


@kernel
def sequential_impulses(
    bodies: tuple[NDArray[Any], ...],
    contacts: tuple[NDArray[Any], ...],
    joints: tuple[NDArray[Any], ...],
    spin: FloatArray,
    dt: float,
    n_most: int,
    tolerance: float,
    is_box2d: bool,
    is_single: bool,
) -> tuple[int, float]:
    """Advance velocities by `dt` seconds; return the sweeps it took and what the last one changed.

    Parameters
    ----------
    bodies, contacts, joints : the arrays of `Bodies`, `Contacts`, `Joints`
        Velocities and impulses, from which it begins, are written in place; nothing is moved.
    spin : float64 (n,)
        What is left of each body's spin after gravity, damping and the impulses of contacts that it begins from.
    n_most : int
        Sweeps at most.
    tolerance : float
        m/s and rad/s.
    is_box2d : bool
        Whether joints are Box2D's: a limit of an angle or a slide that is not reached yet asks nothing, in place of that it is not passed
        within the step; and a mouse's spring is that of the body's mass, in place of the effective one.
    is_single : bool
        Whether velocities, and the impulses of contacts, are rounded as float32 rounds them: sweeps that change less end there.
    """
    moving, touching, joined = Bodies(*bodies), Contacts(*contacts), Joints(*joints)
    jacobian, hard = np.zeros((4, 3)), Softness(1.0 / dt, 1.0, 0.0)
    integrate_velocities(moving, dt)
    for row in range(len(touching.n_points)):
        nx, ny = touching.normal[row, 0], touching.normal[row, 1]
        for k in range(touching.n_points[row]):
            pn, pt = touching.impulse[row, k, 0], touching.impulse[row, k, 1]
            a, b = touching.bodies[row, 0], touching.bodies[row, 1]
            apply_at_point(moving, a, b, touching.arm[row, k], pn * nx + pt * ny, pn * ny - pt * nx)
    for body in range(len(spin)):
        moving.velocity[body, 2] *= spin[body]
    warm_start_joints(moving, joined, jacobian)
    change = 0.0
    for sweep in range(n_most):
        before = moving.velocity.copy()
        for row in range(len(joined.kind)):
            mode = joined.mode[row]
            if mode == READ:
                continue
            if is_box2d and mode in (LOW, HIGH) and joined.kind[row] != LENGTH:
                error = coordinate(moving, joined, row, jacobian) - joined.target[row]
                if (mode == LOW and error > 0.0) or (mode == HIGH and error < 0.0):
                    continue
            if is_box2d and joined.kind[row] == POINT and mode == SPRING:
                _solve_mouse(moving, joined, row, dt)
            elif joined.kind[row] == POINT:
                solve_point(moving, joined, row, hard, dt, dt, True)
            else:
                solve_row(moving, joined, row, jacobian, hard, dt, dt, True)
            if is_single and joined.kind[row] != SUM:
                _round(moving.velocity[joined.bodies[row, 0]])
                _round(moving.velocity[joined.bodies[row, 1]])
        _solve_contacts(moving, touching, dt, is_single)
        change = np.abs(moving.velocity - before).max()
        if change <= tolerance:
            return sweep + 1, change
    return n_most, change


@inlined_kernel
def _solve_contacts(bodies: Bodies, contacts: Contacts, dt: float, is_single: bool) -> None:
    """Solve every point once, along the normal and then along the tangent; `Contacts.gap` is the whole gap here."""
    for row in range(len(contacts.n_points)):
        a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
        nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
        for k in range(contacts.n_points[row]):
            arm, before = contacts.arm[row, k], contacts.impulse[row, k, 0]
            vx, vy = relative_velocity(bodies, a, b, arm)
            missing = vx * nx + vy * ny + max(contacts.gap[row, k], 0.0) / dt
            after = max(before - contacts.mass[row, k, 0] * missing, 0.0)
            if is_single:
                after = np.float64(np.float32(after))
            contacts.impulse[row, k, 0] = after
            apply_at_point(bodies, a, b, arm, (after - before) * nx, (after - before) * ny)
            if is_single:
                _round(bodies.velocity[a])
                _round(bodies.velocity[b])
        for k in range(contacts.n_points[row]):
            arm, before = contacts.arm[row, k], contacts.impulse[row, k, 1]
            vx, vy = relative_velocity(bodies, a, b, arm)
            most = contacts.friction[row] * contacts.impulse[row, k, 0]
            after = max(-most, min(before - contacts.mass[row, k, 1] * (vx * ny - vy * nx), most))
            if is_single:
                after = np.float64(np.float32(after))
            contacts.impulse[row, k, 1] = after
            apply_at_point(bodies, a, b, arm, (after - before) * ny, -(after - before) * nx)
            if is_single:
                _round(bodies.velocity[a])
                _round(bodies.velocity[b])


@inlined_kernel
def _solve_mouse(bodies: Bodies, joints: Joints, row: int, dt: float) -> None:
    """Solve a spring that pulls a point of B as b2MouseJoint does: ``(K + gamma) dP = -(v + beta C + gamma P)``, k and c of B's mass."""
    b, v, inverse = joints.bodies[row, 1], bodies.velocity, bodies.inverse
    bx, by = joints.arm[row, 2], joints.arm[row, 3]
    mass, omega = 1.0 / inverse[b, 0], 2.0 * pi * joints.spring[row, 0]
    stiffness = mass * omega * omega
    gamma = 1.0 / (dt * (2.0 * mass * joints.spring[row, 1] * omega + dt * stiffness))
    beta = dt * stiffness * gamma
    k11 = inverse[b, 0] + inverse[b, 1] * by * by + gamma
    k22 = inverse[b, 0] + inverse[b, 1] * bx * bx + gamma
    k12 = -inverse[b, 1] * bx * by
    determinant = k11 * k22 - k12 * k12
    before_x, before_y = joints.impulse[row, 0], joints.impulse[row, 1]
    cx = v[b, 0] - v[b, 2] * by + beta * (joints.apart[row, 0] + bx - joints.arm[row, 0]) + gamma * before_x
    cy = v[b, 1] + v[b, 2] * bx + beta * (joints.apart[row, 1] + by - joints.arm[row, 1]) + gamma * before_y
    x = before_x - (k22 * cx - k12 * cy) / determinant
    y = before_y - (k11 * cy - k12 * cx) / determinant
    most, size = joints.most[row] * dt, hypot(x, y)
    if size > most:
        x, y = x * most / size, y * most / size
    joints.impulse[row, 0], joints.impulse[row, 1] = x, y
    x, y = x - before_x, y - before_y
    v[b, 0] += inverse[b, 0] * x
    v[b, 1] += inverse[b, 0] * y
    v[b, 2] += inverse[b, 1] * (bx * y - by * x)


@inlined_kernel
def _round(velocity: FloatArray) -> None:
    """Round as float32 does, to three bits less: a row takes about eight roundings, of its terms, its impulse and the new sums."""
    for k in range(3):
        single = np.float32(velocity[k])
        coarse = np.float32(8.0) * single
        velocity[k] = np.float64(np.float32(np.float32(single + coarse) - coarse))
