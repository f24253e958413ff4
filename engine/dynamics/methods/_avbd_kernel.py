"""Augmented vertex block descent: minimizes the energy of a step body by body, with forces kept between steps.

A step of implicit Euler minimizes this energy, where y is the position without contacts and joints::

    E(x) = (x - y)^T M (x - y) / (2 h^2) + sum of each constraint's energy

A rigid constraint ``C = 0`` has the energy of a spring and of a constant force, its *augmented Lagrangian* ``k C^2 / 2 - lambda C``. Its
force is ``f = lambda - k C``, clamped: a contact's to f >= 0, friction's to +-mu f. An iteration has two parts.

*Primal*: each body in turn takes the Newton step of its three coordinates, the others fixed (Gauss-Seidel)::

    (M / h^2 + sum of k J^T J + G) dx = -(M / h^2 (x - y) - sum of J^T f)

G is the geometric stiffness of turning arms, approximated by ``abs(f r)`` on the diagonal, so that the matrix stays positive definite. An
open contact keeps its k in the matrix, so that no body jumps through it. Sliding friction has ``k bound / abs(f)`` in place of k: with k a
sliding box would creep; with 0 the iterations would jump back and forth across the cone.

*Dual*: ``lambda <- f``; and if f is within its bounds ``k <- k + beta abs(C)``: soft at first, so that the first iterations spread an error
over all bodies, and stiffer wherever an error remains. Each row, along a normal or a tangent, has its own k and lambda.

The next step starts with lambda times ``alpha gamma``, stored as an impulse ``lambda h``, and k times gamma, so bodies at rest keep their
contact forces. The bodies start at y, without the part of gravity that these forces balanced: at rest, at their current positions. Of an
initial error only ``1 - alpha`` is corrected per step, ``C - alpha C_0`` in place of C, so that an overlap does not become a velocity. An
open gap is not corrected; it only must not become negative.

k starts at the effective mass / h^2, with which one iteration corrects half of an error, instead of a constant in N/m as in the paper,
whose effect depends on the masses. Joints do not keep k. Its steady state follows from lambda: in a step lambda loses ``(1 - alpha gamma)
lambda``, replaced by the sum of ``k C`` over the iterations, and k loses ``(1 - gamma) k``, replaced by that of ``beta C``; so joints start
at ``k^2 = beta lambda (1 - alpha gamma) / (1 - gamma)``. (A bridge of 160 links: 239 mm of error without, 55 with.)

Joints: ``HOLD`` as above, ``LOW`` and ``HIGH`` as gaps, ``SPRING`` with its own k and c and no lambda. ``DRIVE`` holds the coordinate at
the value that its speed reaches within the step, bounded by its maximum force. But between two movable bodies without contacts and other
rows it acts on velocities: the step starts with its last impulse, and the remaining velocity error is corrected at the end, in the same
number of sweeps, so that driving a free pair adds no momentum, however far apart its anchors are. (This is wrong for a hinge's motor: its
body would respond as if it turned about the center of mass instead of the hinge, m r^2 / I times too easily, and oscillate about its
speed.) Restitution is not in the paper; contacts that pushed get it afterwards, as in XPBD.

C. Giles, E. Diaz, C. Yuksel, "Augmented Vertex Block Descent", SIGGRAPH 2025.
"""

from __future__ import annotations

from math import hypot, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.common._copy_kernel import copy_rows
from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.common.tolerances import EPS64
from engine.dynamics._integration_kernel import integrate_velocities
from engine.dynamics._joint_kernel import driven_rate, forces_at, n_parts, part, solve_either, warm_start_row
from engine.dynamics._row_kernel import Arm, bodies_of, can_move, joint_velocity_and_response, n_lines, pair_of, turn_all, turn_body
from engine.dynamics._softness_kernel import Softness
from engine.dynamics.methods._points_kernel import add_push, push_share, restore, tangential_displacement, update_arms
from engine.dynamics.model import ANGLE, DRIVE, HIGH, LENGTH, LOW, POINT, READ, SPRING, SUM, Bodies, Contacts, Joints
from engine.dynamics.solver_events import END, FLY, FREE, SWEEP, VELOCITIES, BodyDescent, DualUpdate, PointRestored, Stage
from engine.dynamics.tolerances import AVBD_PUSH, STIFFEST

__all__ = ["avbd"]

_MAX_SHARE = 0.5
"""Maximum share f of an error C that a drive of a free pair corrects in a step. A step ends at the velocity ``u_n = -(f / h) C_n``, but
bodies move by ``2 u_n - u_(n-1)``, since the impulse ``u_n - u_(n-1)`` is applied again at the start of the next step. So ``C_(n+1) = (1 -
2 f) C_n + f C_(n-1)``, whose roots are ``(1 - 2 f +- sqrt(1 + 4 f^2)) / 2``: for f >= 2/3 one is at most -1, and the pair oscillates
forever; the larger magnitude is smallest at f = 1/2, where both are ``sqrt(1/2)``."""


@kernel
def avbd(
    bodies: Bodies,
    contacts: Contacts,
    joints: Joints,
    stiffness: NDArray[np.float32],
    restitution: FloatArray,
    threshold: float,
    h: float,
    n_iterations: int,
    alpha: float,
    beta: float,
    gamma: float,
) -> None:
    """Advance bodies by a step of `h` seconds.

    Parameters
    ----------
    stiffness : float32 (n, 2, 2)
        Of each contact point along the normal and along the tangent, N/m; that of the last step, updated in place.
    restitution : float64 (n,)
        Restitution of each contact.
    threshold : float
        Approach speed, m/s, below which nothing bounces.
    alpha, gamma : float
        Shares from 0 to 1; see the module.
    beta : float
        N/m^2.
    """
    system = np.zeros(9)
    integrate_velocities(bodies, h)
    record(Stage(FREE, 0, bodies.velocity, bodies.shift))
    is_last = _driven_last(bodies, contacts, joints)
    for row in range(len(joints.kind)):
        if is_last[row]:
            warm_start_row(bodies, joints, row)
    before, start = bodies.velocity.copy(), np.zeros_like(bodies.shift)
    free = h * before
    gap, kept, pushes = np.zeros((len(contacts.n_points), 2)), np.zeros((len(contacts.n_points), 2)), np.zeros(len(bodies.shift))
    error = np.zeros((len(joints.kind), 2))
    stiff = stiffness.astype(np.float64)
    held, stiffest, borne = np.zeros((len(joints.kind), 2)), np.zeros((len(joints.kind), 2)), np.zeros((len(free), 2))
    came = np.zeros((len(joints.kind), 2, 2))
    for row in range(len(contacts.n_points)):
        nx, ny, deepest = contacts.normal[row, 0], contacts.normal[row, 1], 0.0
        for k in range(contacts.n_points[row]):
            gap[row, k], _ = update_arms(bodies, contacts, row, k)
            deepest = min(deepest, gap[row, k])
            for j in range(2):
                contacts.impulse[row, k, j] *= alpha * gamma
                stiff[row, k, j] = _bounded(gamma * stiff[row, k, j], contacts.mass[row, k, j], h)
            pn, pt = contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
            for side in range(2):
                body, sign = contacts.bodies[row, side], 2.0 * side - 1.0
                borne[body, 0] += sign * bodies.inverse[body, 0] / h * (pn * nx + pt * ny)
                borne[body, 1] += sign * bodies.inverse[body, 0] / h * (pn * ny - pt * nx)
        add_push(bodies, contacts, row, -(1.0 - alpha) * deepest / h, pushes)
    for row in range(len(contacts.n_points)):
        for k in range(contacts.n_points[row]):
            kept[row, k] = min(gap[row, k], 0.0) * (1.0 - (1.0 - alpha) * push_share(contacts, row, pushes, AVBD_PUSH))
    for row in range(len(joints.kind)):
        if joints.mode[row] == READ or is_last[row]:
            continue
        for k in range(n_parts(joints, row)):
            error[row, k] = part(bodies, joints, row, k) - joints.target[row]
            if joints.kind[row] == SUM:
                for of in range(2):
                    came[row, of, 0], came[row, of, 1] = joints.line[2 * of + 1, 0], joints.line[2 * of + 1, 1]
            _, w = joint_velocity_and_response(bodies, joints, row)
            held[row, k] = 1.0 / (w * h * h) if w > 0.0 else 0.0
            stiffest[row, k] = STIFFEST * held[row, k]
            joints.impulse[row, k] *= alpha * gamma if joints.mode[row] != SPRING else 0.0
            if joints.mode[row] != SPRING:
                steady = sqrt(beta * abs(joints.impulse[row, k]) / h * (1.0 - alpha * gamma) / max(1.0 - gamma, EPS64))
                held[row, k] = max(held[row, k], min(steady, stiffest[row, k]))
            at = bodies_of(joints, row)
            for line in range(n_lines(joints, row)):
                for j in range(2):
                    borne[at[line], j] += bodies.inverse[at[line], 0] / h * joints.line[line, j] * joints.impulse[row, k]
    for body in range(len(free)):
        _begin(bodies, body, free, borne, h)
    turn_all(bodies)
    record(Stage(FLY, 0, bodies.velocity, bodies.shift))
    first_of, listed = _constraints_of(bodies, contacts, joints, is_last)
    for iteration in range(n_iterations):
        record(Stage(SWEEP, iteration, bodies.velocity, bodies.shift))
        for body in range(len(free)):
            light, turning = bodies.inverse[body, 0], bodies.inverse[body, 1]
            if not can_move(bodies.inverse, body):
                continue
            heavy, inert = 1.0 / (light * h * h) if light > 0.0 else 0.0, 1.0 / (turning * h * h) if turning > 0.0 else 0.0
            system[:] = 0.0
            system[0] = system[3] = heavy
            system[5] = inert
            for j in range(3):
                system[6 + j] = (heavy if j < 2 else inert) * (bodies.shift[body, j] - free[body, j])
            for place in range(first_of[body], first_of[body + 1]):
                if listed[place] < len(contacts.n_points):
                    _add_contact(bodies, contacts, listed[place], body, start, kept, stiff, h, system)
                else:
                    row = listed[place] - len(contacts.n_points)
                    _add_joint(bodies, joints, row, body, error, held, came, alpha, h, system)
            _step(bodies, body, system)
            record(BodyDescent(body, bodies.shift[body], system[:6], system[6:], first_of[body + 1] - first_of[body]))
        for row in range(len(contacts.n_points)):
            for k in range(contacts.n_points[row]):
                _stiffen_contact(bodies, contacts, row, k, start, kept, stiff, beta, h)
        for row in range(len(joints.kind)):
            if joints.mode[row] != READ and not is_last[row]:
                _stiffen_joint(bodies, joints, row, error, held, stiffest, came, alpha, beta, h)
    for body in range(len(free)):
        if can_move(bodies.inverse, body):
            for k in range(3):
                bodies.velocity[body, k] = bodies.shift[body, k] / h
    for _ in range(n_iterations):
        for row in range(len(joints.kind)):
            if is_last[row]:
                slowed = max(h, h * joints.spring[row, 0] / _MAX_SHARE)
                solve_either(bodies, joints, row, Softness(0.0, 1.0, 0.0), h, slowed, False)
    record(Stage(VELOCITIES, 0, bodies.velocity, bodies.shift))
    copy_rows(joints.impulse, 0, len(joints.impulse), joints.total, 0)
    for row in range(len(contacts.n_points)):
        for k in range(2):
            for j in range(2):
                stiffness[row, k, j], contacts.total[row, k, j] = stiff[row, k, j], contacts.impulse[row, k, j]
    for row in range(len(contacts.n_points)):
        for k in range(contacts.n_points[row]):
            if restitution[row] > 0.0 and contacts.impulse[row, k, 0] > 0.0:
                _, arm = update_arms(bodies, contacts, row, k)
                impulse = restore(bodies, contacts, row, arm, before, restitution[row], threshold)
                contacts.total[row, k, 0] += impulse
                a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
                record(PointRestored(row, k, impulse, bodies.velocity[a], bodies.velocity[b], arm))
    record(Stage(END, 0, bodies.velocity, bodies.shift))


@inlined_kernel
def _begin(bodies: Bodies, body: int, free: FloatArray, borne: FloatArray, h: float) -> None:
    """Move a body to its initial guess: without contacts and joints, less the part of gravity that these balanced in the last step."""
    x, y = bodies.push[body, 0], bodies.push[body, 1]
    square = x * x + y * y
    share = max(-1.0, min((borne[body, 0] * x + borne[body, 1] * y) / square, 0.0)) if square > 0.0 else 0.0
    bodies.shift[body, 0], bodies.shift[body, 1] = free[body, 0] + h * h * share * x, free[body, 1] + h * h * share * y
    bodies.shift[body, 2] = free[body, 2]


@allocating_kernel
def _driven_last(bodies: Bodies, contacts: Contacts, joints: Joints) -> NDArray[np.bool_]:
    """Return a mask of the DRIVE rows between movable bodies without contacts and rows of other modes."""
    is_held = np.zeros(len(bodies.shift), dtype=np.bool_)
    is_last: NDArray[np.bool_] = joints.mode == DRIVE
    for body in range(len(is_held)):
        is_held[body] = not can_move(bodies.inverse, body)
    for row in range(len(contacts.n_points)):
        is_held[contacts.bodies[row, 0]] = is_held[contacts.bodies[row, 1]] = True
    for row in range(len(joints.kind)):
        if joints.mode[row] not in (READ, DRIVE):
            at = bodies_of(joints, row)
            for line in range(n_lines(joints, row)):
                is_held[at[line]] = True
    for row in range(len(joints.kind)):
        if is_last[row]:
            is_last[row] = not (is_held[joints.bodies[row, 0]] or is_held[joints.bodies[row, 1]])
    return is_last


@allocating_kernel
def _constraints_of(bodies: Bodies, contacts: Contacts, joints: Joints, is_last: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Return the index of each body's first constraint, and the constraints: contacts, then rows of joints."""
    n, n_contacts = len(bodies.shift), len(contacts.n_points)
    first, listed = np.zeros(n + 2, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for is_counting in (True, False):
        for constraint in range(n_contacts + len(joints.kind)):
            row = constraint - n_contacts
            if constraint < n_contacts:
                at, lines = (contacts.bodies[constraint, 0], contacts.bodies[constraint, 1], 0, 0), 2
            elif joints.mode[row] == READ or is_last[row]:
                continue
            else:
                at, lines = bodies_of(joints, row), n_lines(joints, row)
            for line in range(lines):
                is_known = False
                for other in range(line):
                    is_known = is_known or at[other] == at[line]
                if not is_known and is_counting:
                    first[at[line] + 2] += 1
                elif not is_known:
                    listed[first[at[line] + 1]] = constraint
                    first[at[line] + 1] += 1
        if is_counting:
            for body in range(n):
                first[body + 2] += first[body + 1]
            listed = np.zeros(first[n + 1], dtype=np.int64)
    return first, listed


@inlined_kernel
def _add(system: FloatArray, x: float, y: float, turn: float, stiffness: float, force: float) -> None:
    """Add a constraint to a body's matrix, stored as 00 01 02 11 12 22, and to its residual."""
    system[0] += stiffness * x * x
    system[1] += stiffness * x * y
    system[2] += stiffness * x * turn
    system[3] += stiffness * y * y
    system[4] += stiffness * y * turn
    system[5] += stiffness * turn * turn
    system[6] -= force * x
    system[7] -= force * y
    system[8] -= force * turn


@inlined_kernel
def _step(bodies: Bodies, body: int, system: FloatArray) -> None:
    """Move a body by its Newton step, with the matrix factorized as L D L^T. Coordinates without mass or inertia do not change."""
    s = system
    if bodies.inverse[body, 0] == 0.0:
        s[0] = s[3] = 1.0
        s[1] = s[2] = s[4] = s[6] = s[7] = 0.0
    if bodies.inverse[body, 1] == 0.0:
        s[5] = 1.0
        s[2] = s[4] = s[8] = 0.0
    l10, l20 = s[1] / s[0], s[2] / s[0]
    d1 = s[3] - l10 * s[1]
    l21 = (s[4] - l20 * s[1]) / d1
    d2 = s[5] - l20 * s[2] - l21 * l21 * d1
    y1 = s[7] - l10 * s[6]
    turn = (s[8] - l20 * s[6] - l21 * y1) / d2
    y = y1 / d1 - l21 * turn
    bodies.shift[body, 0] -= s[6] / s[0] - l10 * y - l20 * turn
    bodies.shift[body, 1] -= y
    bodies.shift[body, 2] -= turn
    turn_body(bodies, body)


@inlined_kernel
def _bounded(stiffness: float, mass: float, h: float) -> float:
    """Return a stiffness, N/m, clamped to the bounds that follow from an effective mass, kg."""
    least = mass / (h * h)
    return max(least, min(stiffness, STIFFEST * least))


@inlined_kernel
def _missing(separation: float, gap: float, alpha: float) -> float:
    """Return C of a gap whose value at the start of the step was `gap`."""
    return separation - alpha * min(gap, 0.0)


@inlined_kernel
def _forces_at_point(
    bodies: Bodies, contacts: Contacts, row: int, k: int, start: FloatArray, kept: FloatArray, stiff: FloatArray, h: float
) -> tuple[float, float, float, float, Arm]:
    """Return a point's normal force, its tangential force before clamping, its C, its slip distance and its arms."""
    a, b, nx, ny = pair_of(contacts, row)
    now, arm = update_arms(bodies, contacts, row, k)
    missing = now - kept[row, k]
    slipped = tangential_displacement(bodies, start, a, b, arm, ny, -nx)
    force = max(contacts.impulse[row, k, 0] / h - stiff[row, k, 0] * missing, 0.0)
    return force, contacts.impulse[row, k, 1] / h - stiff[row, k, 1] * slipped, missing, slipped, arm


@inlined_kernel
def _add_contact(
    bodies: Bodies, contacts: Contacts, row: int, body: int, start: FloatArray, kept: FloatArray, stiff: FloatArray, h: float,
    system: FloatArray,
) -> None:  # fmt: skip
    a, _, nx, ny = pair_of(contacts, row)
    sign, side = (-1.0, 0) if body == a else (1.0, 2)
    for k in range(contacts.n_points[row]):
        force, held, _, _, arm = _forces_at_point(bodies, contacts, row, k, start, kept, stiff, h)
        rub, x, y = stiff[row, k, 1], arm[side], arm[side + 1]
        _add(system, sign * nx, sign * ny, sign * (x * ny - y * nx), stiff[row, k, 0], force)
        system[5] += force * abs(x * nx + y * ny)
        limit = contacts.friction[row] * force
        if abs(held) > limit:
            rub, held = rub * limit / abs(held), max(-limit, min(held, limit))
        _add(system, sign * ny, -sign * nx, sign * (-x * nx - y * ny), rub, held)


@inlined_kernel
def _stiffen_contact(
    bodies: Bodies, contacts: Contacts, row: int, k: int, start: FloatArray, kept: FloatArray, stiff: FloatArray, beta: float,
    h: float,
) -> None:  # fmt: skip
    """Set the lambdas of a point to its forces, and stiffen each row within its bounds in proportion to its error."""
    force, held, missing, slipped, _ = _forces_at_point(bodies, contacts, row, k, start, kept, stiff, h)
    limit, stiff_n, stiff_t = contacts.friction[row] * force, stiff[row, k, 0], stiff[row, k, 1]
    pn, pt = contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
    contacts.impulse[row, k, 0], contacts.impulse[row, k, 1] = h * force, h * max(-limit, min(held, limit))
    if force > 0.0:
        stiff[row, k, 0] = _bounded(stiff_n + beta * abs(missing), contacts.mass[row, k, 0], h)
    if abs(held) < limit:
        stiff[row, k, 1] = _bounded(stiff_t + beta * abs(slipped), contacts.mass[row, k, 1], h)
    now_n, now_t = contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
    grown_n, grown_t = stiff[row, k, 0], stiff[row, k, 1]
    record(DualUpdate(row, k, pn, now_n, pt, now_t, stiff_n, grown_n, missing, slipped, stiff_t, grown_t))


@inlined_kernel
def _force_of(
    bodies: Bodies, joints: Joints, row: int, k: int, error: FloatArray, held: FloatArray, came: FloatArray, alpha: float, h: float,
) -> tuple[float, float, float]:  # fmt: skip
    """Return the force of a part of a joint before clamping, its stiffness and its C; fill its Jacobian."""
    mode, now = joints.mode[row], part(bodies, joints, row, k) - joints.target[row]
    if joints.kind[row] == SUM:
        now += _gone_through(bodies, joints, row, came)
    stiff, force = held[row, k], joints.impulse[row, k] / h
    if mode == SPRING:
        omega = 2.0 * pi * joints.spring[row, 0]
        mass = stiff * h * h
        spring, damper = mass * omega * omega, 2.0 * mass * joints.spring[row, 1] * omega
        return -spring * now - damper * (now - error[row, k]) / h, spring + damper / h, now
    if mode == DRIVE:
        rate = driven_rate(bodies, joints, row, hypot(error[row, 0], error[row, 1]), h)
        missing = now - error[row, k] - h * (joints.speed[row] - rate * error[row, k])
    elif mode == LOW:
        missing = _missing(now, error[row, k], alpha)
    elif mode == HIGH:
        missing = -_missing(-now, -error[row, k], alpha)
    else:
        missing = now - alpha * error[row, k]
    return force - stiff * missing, stiff, missing


@inlined_kernel
def _gone_through(bodies: Bodies, joints: Joints, row: int, came: FloatArray) -> float:
    """Return the correction of a SUM in which a LENGTH that has passed through 0 since the start of the step counts as negative.

    Otherwise the pull of a pulley with one side running out would change direction between Newton steps, and the resulting displacement
    would become a velocity.
    """
    more = 0.0
    for of in range(2):
        term, line = joints.bodies[row, of], 2 * of
        along = joints.line[line + 1, 0] * came[row, of, 0] + joints.line[line + 1, 1] * came[row, of, 1]
        if joints.kind[term] == LENGTH and along < 0.0:
            _, dx, dy = forces_at(bodies, joints, term)
            more -= 2.0 * (joints.ratio[row] if of == 1 else 1.0) * hypot(dx, dy)
            for at in range(line, line + 2):
                for k in range(3):
                    joints.line[at, k] = -joints.line[at, k]
    return more


@inlined_kernel
def _share(joints: Joints, row: int, first: float, second: float) -> float:
    """Return the fraction of a force that is within its bounds: 0 if it would pull at a limit."""
    mode, size = joints.mode[row], hypot(first, second)
    if (mode == LOW and first < 0.0) or (mode == HIGH and first > 0.0):
        return 0.0
    bounded = mode == DRIVE or (mode == SPRING and joints.kind[row] == POINT)
    return joints.max_force[row] / size if bounded and size > joints.max_force[row] else 1.0


@inlined_kernel
def _add_joint(
    bodies: Bodies,
    joints: Joints,
    row: int,
    body: int,
    error: FloatArray,
    held: FloatArray,
    came: FloatArray,
    alpha: float,
    h: float,
    system: FloatArray,
) -> None:
    at, parts = bodies_of(joints, row), n_parts(joints, row)
    own = 0 if at[0] == body else 2
    second = _force_of(bodies, joints, row, 1, error, held, came, alpha, h)[0] if parts == 2 else 0.0
    first = _force_of(bodies, joints, row, 0, error, held, came, alpha, h)[0]
    share = _share(joints, row, first, second)
    if share == 0.0:
        return
    for k in range(parts):
        force, stiff, _ = _force_of(bodies, joints, row, k, error, held, came, alpha, h)
        x = y = turn = 0.0
        for line in range(n_lines(joints, row)):
            if at[line] == body:
                x, y, turn = x + joints.line[line, 0], y + joints.line[line, 1], turn + joints.line[line, 2]
        _add(system, x, y, turn, share * stiff, share * force)
        if joints.kind[row] == POINT:  # the second derivative of the displacement along e with respect to the angle is the arm along e
            system[5] += abs(share * force) * abs(forces_at(bodies, joints, row)[0][own + k])
        elif joints.kind[row] != ANGLE and joints.kind[row] != SUM:
            system[5] += abs(share * force) * hypot(joints.arm[row, own], joints.arm[row, own + 1])


@inlined_kernel
def _stiffen_joint(
    bodies: Bodies,
    joints: Joints,
    row: int,
    error: FloatArray,
    held: FloatArray,
    stiffest: FloatArray,
    came: FloatArray,
    alpha: float,
    beta: float,
    h: float,
) -> None:
    parts = n_parts(joints, row)
    second, _, missing_second = _force_of(bodies, joints, row, 1, error, held, came, alpha, h) if parts == 2 else (0.0, 0.0, 0.0)
    first, _, missing_first = _force_of(bodies, joints, row, 0, error, held, came, alpha, h)
    share = _share(joints, row, first, second)
    joints.impulse[row, 0] = h * share * first
    if parts == 2:
        joints.impulse[row, 1] = h * share * second
    if joints.mode[row] != SPRING and share == 1.0:
        held[row, 0] = min(held[row, 0] + beta * abs(missing_first), stiffest[row, 0])
        held[row, 1] = min(held[row, 1] + beta * abs(missing_second), stiffest[row, 1])
