"""PGS with NGS, the step of Box2D 2.3: sweeps over velocities, then sweeps over positions that do not change velocities.

A velocity sweep (projected Gauss-Seidel, hard, without position correction) solves every joint, its HOLD rows and its reached limit in one
block; then the friction of every contact, and both its points together (`_point_pair_kernel`).

A position sweep (nonlinear Gauss-Seidel) recomputes every constraint's error C from the current positions and corrects part of it
immediately, as if it were a velocity::

    contact    P = -max(share (s + slop), -most) / k,  s + slop < 0;  x += M^-1 J^T P
    joint      P = -K^-1 C, limits less their slop

This does not change velocities, so it adds no kinetic energy; pushing a stack apart still lifts it. An island is done when no overlap
exceeds 3 slops and no joint error exceeds one.

Source: E. Catto, b2Island, b2ContactSolver and the joints of Box2D 2.3.0; "Iterative Dynamics with Temporal Coherence", GDC 2005.
"""

from __future__ import annotations

from math import hypot, inf, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import BOX2D_ANGULAR_SLOP
from engine.dynamics._contact_kernel import solve_friction, solve_normal, warm_start_contacts
from engine.dynamics._integration_kernel import integrate_positions, integrate_velocities
from engine.dynamics._joint_kernel import coordinate, solve_mouse, solve_point, solve_row, warm_start_joints
from engine.dynamics._row_kernel import (
    apply_joint_row,
    apply_row,
    arm_of,
    bodies_of,
    can_move,
    joint_velocity_and_response,
    n_lines,
    pair_of,
    relative_velocity,
    row_velocity,
    turn_body,
)
from engine.dynamics._softness_kernel import Softness
from engine.dynamics._solver_trace_kernel import APART, BEGIN, END, FREE, JOINTS, MOVE, PLACES, SWEEP, record_pair, record_stage
from engine.dynamics.methods._joint_block_kernel import MAX_LINES, Block, fill_lines, fill_matrix, solve_lines
from engine.dynamics.methods._point_pair_kernel import fill_couplings, solve_pair
from engine.dynamics.methods._sequential_impulses_kernel import add_totals
from engine.dynamics.model import (
    ALONG,
    ANGLE,
    DRIVE,
    HIGH,
    HOLD,
    LENGTH,
    LOW,
    POINT,
    READ,
    SPRING,
    SUM,
    Bodies,
    Contacts,
    Joints,
)

__all__ = ["Planes", "pgs_ngs"]

MAX_WAY, MAX_TURN = 2.0, 0.5 * pi
"""Maximum translation, m, and rotation, rad, of a body in a step: b2_maxTranslation and b2_maxRotation."""
MAX_CORRECTION, MAX_ANGULAR_CORRECTION = 0.2, 8.0 / 180.0 * pi
"""Maximum correction of a joint's error in a sweep, m and rad: b2_maxLinearCorrection and b2_maxAngularCorrection."""
_TURNED = 2.0
"""Factor of a row's response at the start of the step, which Box2D uses, above which the current response is used instead. Otherwise a
short rod that has turned meanwhile would overshoot, by more with each sweep."""
ENOUGH = 3.0
"""Slops of overlap that end the sweeps."""


class Planes(NamedTuple):
    """Position constraints of the contacts, one row each.

    Attributes
    ----------
    is_round : bool (n,)
        True if the normal is the line between two points that move with the bodies, as for circles; else it is constant.
    n_points : int64 (n,)
    normal : float64 (n, 2)
        From A to B, at the start of the step.
    on_a, on_b : float64 (n, 2, 2)
        The points' cores on both, from the centers of mass, at the start of the step, m.
    apart : float64 (n, 2)
        B's center of mass less A's, at the start of the step, m.
    radius : float64 (n,)
        Sum of the radii of both around their cores, m.
    """

    is_round: NDArray[np.bool_]
    n_points: IntArray
    normal: FloatArray
    on_a: FloatArray
    on_b: FloatArray
    apart: FloatArray
    radius: FloatArray


@kernel
def pgs_ngs(
    bodies: Bodies,
    contacts: Contacts,
    planes: Planes,
    open_gap: FloatArray,
    restitution: FloatArray,
    joints: Joints,
    first: IntArray,
    island: IntArray,
    threshold: float,
    dt: float,
    n_velocity: int,
    n_position: int,
    share: float,
    slop: float,
    limit: float,
    trace: FloatArray | None,
) -> None:
    """Advance bodies by `dt` seconds; velocities, shifts, turns and impulses are written in place.

    Parameters
    ----------
    open_gap : float64 (n, 2)
        Distance by which each point can approach within the step, m, >= 0.
    restitution : float64 (n,)
    first : int64 (m + 1,)
        Index of the first row of each joint.
    island : int64 (n_bodies,)
        A number below n_bodies for each body.
    threshold : float
        m/s below which nothing bounces.
    share, slop, limit : float
        A position sweep corrects a share of an overlap beyond the slop, m, and no more than the limit, m.
    trace : float64 (k, TRACE_WIDTH), or None
        See `_solver_trace_kernel`.
    """
    n = len(contacts.n_points)
    block = Block(np.zeros((MAX_LINES, 6)), np.zeros(MAX_LINES), np.zeros(MAX_LINES), np.zeros((MAX_LINES, MAX_LINES)))
    own, is_active, n_joints = np.zeros(len(joints.kind)), np.zeros(len(joints.kind), np.bool_), len(first) - 1
    bias, couplings = np.zeros((n, 2)), np.zeros(n)
    _begin_points(bodies, contacts, open_gap, restitution, threshold, dt, bias)
    record_stage(trace, bodies, BEGIN, 0)
    integrate_velocities(bodies, dt)
    record_stage(trace, bodies, FREE, 0)
    fill_couplings(bodies, contacts, couplings)
    for row in range(n):  # of nearly redundant points only the first is solved
        if contacts.n_points[row] == 2 and couplings[row] == inf:
            contacts.n_points[row] = 1
    warm_start_contacts(bodies, contacts, trace)
    for row in range(len(joints.kind)):
        _begin_row(bodies, joints, row, own, is_active)
    warm_start_joints(bodies, joints)
    for sweep in range(n_velocity):
        for at in range(n_joints):
            _solve_joint(bodies, joints, first[at], first[at + 1], block, is_active, dt)
        if n_joints > 0:
            record_stage(trace, bodies, JOINTS, sweep)
        record_stage(trace, bodies, SWEEP, sweep)
        for row in range(n):
            for k in range(contacts.n_points[row]):
                solve_friction(bodies, contacts, row, k, trace)
            if contacts.n_points[row] == 2:
                solve_pair(bodies, contacts, row, couplings[row], bias[row, 0], bias[row, 1], trace)
            else:
                solve_normal(bodies, contacts, row, 0, bias[row, 0], trace)
    _cut(bodies, dt)
    integrate_positions(bodies, dt)
    add_totals(contacts, joints)
    record_stage(trace, bodies, MOVE, 0)
    is_done, is_okay = np.zeros(len(island), np.bool_), np.empty(len(island), np.bool_)
    for sweep in range(n_position):
        is_okay[:] = True
        record_stage(trace, bodies, PLACES, sweep)
        for row in range(n):
            at = _island_of(bodies, island, contacts.bodies[row, 0], contacts.bodies[row, 1])
            if not is_done[at]:
                lowest = _push_apart(bodies, contacts, planes, row, share, slop, limit, trace)
                is_okay[at] = is_okay[at] and lowest >= -ENOUGH * slop
        for at_joint in range(n_joints):
            begin, end = first[at_joint], first[at_joint + 1]
            at = _island_of(bodies, island, joints.bodies[begin, 0], joints.bodies[begin, 1])
            if not is_done[at] and not _pull_together(bodies, joints, begin, end, block, own, is_active, slop):
                is_okay[at] = False
        for body in range(len(island)):
            is_done[body] = is_done[body] or is_okay[body]
    record_stage(trace, bodies, END, 0)


@inlined_kernel
def _begin_points(
    bodies: Bodies, contacts: Contacts, open_gap: FloatArray, restitution: FloatArray, threshold: float, dt: float, bias: FloatArray
) -> None:
    """Fill the bias of each point, m/s: the sum of velocity and bias must not be negative."""
    for row in range(len(contacts.n_points)):
        a, b, nx, ny = pair_of(contacts, row)
        for k in range(contacts.n_points[row]):
            vx, vy = relative_velocity(bodies.velocity, a, b, arm_of(contacts, row, k))
            rate = vx * nx + vy * ny
            bias[row, k] = open_gap[row, k] / dt
            if restitution[row] > 0.0 and rate < -threshold and open_gap[row, k] + rate * dt <= 0.0:
                bias[row, k] = restitution[row] * rate


@inlined_kernel
def _island_of(bodies: Bodies, island: IntArray, a: int, b: int) -> int:
    at: int = island[a] if can_move(bodies.inverse, a) else island[b]
    return at


@inlined_kernel
def _cut(bodies: Bodies, dt: float) -> None:
    """Limit the velocities of bodies that would move or turn too far."""
    for body in range(len(bodies.velocity)):
        v = bodies.velocity[body]
        way, turn = hypot(v[0], v[1]) * dt, abs(v[2]) * dt
        if way > MAX_WAY:
            v[0] *= MAX_WAY / way
            v[1] *= MAX_WAY / way
        if turn > MAX_TURN:
            v[2] *= MAX_TURN / turn


# -- joints, velocities -----------------------------------------------------------------------------------------------


@inlined_kernel
def _begin_row(bodies: Bodies, joints: Joints, row: int, own: FloatArray, is_active: NDArray[np.bool_]) -> None:
    """Fill the response of a row of one coordinate, and whether its limit is reached; if not, it has no impulse."""
    kind, mode = joints.kind[row], joints.mode[row]
    if kind == POINT or mode == READ:
        return
    error = coordinate(bodies, joints, row) - joints.target[row]
    _, own[row] = joint_velocity_and_response(bodies, joints, row)
    is_active[row] = (mode == LOW and error <= 0.0) or (mode == HIGH and error >= 0.0)
    if mode in (LOW, HIGH) and kind != LENGTH and not is_active[row]:
        joints.impulse[row, 0] = 0.0


@inlined_kernel
def _solve_joint(bodies: Bodies, joints: Joints, begin: int, end: int, block: Block, is_active: NDArray[np.bool_], dt: float) -> None:
    """Solve a joint's springs and drives, then the rest in one block, including reached limits."""
    hard = Softness(1.0 / dt, 1.0, 0.0)
    for mode in (SPRING, DRIVE):
        for row in range(begin, end):
            if joints.mode[row] == mode:
                if joints.kind[row] != POINT:
                    solve_row(bodies, joints, row, hard, dt, dt, True)
                elif mode == SPRING:
                    solve_mouse(bodies, joints, row, dt)
                else:
                    solve_point(bodies, joints, row, hard, dt, dt, True)
    n, limit, at_limit = 0, -1, -1
    a, b = joints.bodies[begin, 0], joints.bodies[begin, 1]
    for row in range(begin, end):
        mode, kind = joints.mode[row], joints.kind[row]
        if kind in (LENGTH, SUM):
            if mode in (HOLD, LOW, HIGH):
                solve_row(bodies, joints, row, hard, dt, dt, True)
        elif mode == HOLD or is_active[row]:
            if mode != HOLD:
                limit, at_limit = row, n
            n = fill_lines(bodies, joints, row, block, n)
    if n == 0:
        return
    x = block.x
    for k in range(n):
        x[k] = -row_velocity(bodies.velocity, a, b, block.line[k])
    fill_matrix(bodies, a, b, block, n)
    solve_lines(block.matrix, x, n)
    if limit >= 0:
        before, after = joints.impulse[limit, 0], joints.impulse[limit, 0] + x[at_limit]
        if (joints.mode[limit] == LOW and after < 0.0) or (joints.mode[limit] == HIGH and after > 0.0):
            apply_row(bodies.velocity, bodies.inverse, a, b, block.line[at_limit], -before)  # the limit lets go; solve the others alone
            joints.impulse[limit, 0] = 0.0
            for k in range(n):
                x[k] = -row_velocity(bodies.velocity, a, b, block.line[k])
            fill_matrix(bodies, a, b, block, n)
            for k in range(n):
                block.matrix[k, at_limit] = block.matrix[at_limit, k] = 1.0 if k == at_limit else 0.0
            x[at_limit] = 0.0
            solve_lines(block.matrix, x, n)
    for k in range(n):
        apply_row(bodies.velocity, bodies.inverse, a, b, block.line[k], x[k])
    k = 0
    for row in range(begin, end):
        if joints.kind[row] not in (LENGTH, SUM) and (joints.mode[row] == HOLD or is_active[row]):
            joints.impulse[row, 0] += x[k]
            k += 1
            if joints.kind[row] == POINT:
                joints.impulse[row, 1] += x[k]
                k += 1


# -- positions --------------------------------------------------------------------------------------------------------


@inlined_kernel
def _push_apart(
    bodies: Bodies, contacts: Contacts, planes: Planes, row: int, share: float, slop: float, limit: float, trace: FloatArray | None
) -> float:
    """Move two bodies apart, point by point, and return the least separation found, m."""
    a, b, _, _ = pair_of(contacts, row)
    lowest, is_round, inverse = inf, planes.is_round[row], bodies.inverse
    for k in range(planes.n_points[row]):
        shift, turn = bodies.shift, bodies.turn
        on_a, on_b = planes.on_a[row, k], planes.on_b[row, k]
        ax, ay = turn[a, 0] * on_a[0] - turn[a, 1] * on_a[1], turn[a, 1] * on_a[0] + turn[a, 0] * on_a[1]
        bx, by = turn[b, 0] * on_b[0] - turn[b, 1] * on_b[1], turn[b, 1] * on_b[0] + turn[b, 0] * on_b[1]
        cx, cy = planes.apart[row, 0] + shift[b, 0] - shift[a, 0], planes.apart[row, 1] + shift[b, 1] - shift[a, 1]
        dx, dy = cx + bx - ax, cy + by - ay
        nx, ny = planes.normal[row, 0], planes.normal[row, 1]
        if is_round:
            size = hypot(dx, dy)
            if size > 0.0:
                nx, ny = dx / size, dy / size
        gap = dx * nx + dy * ny - planes.radius[row]
        lowest = min(lowest, gap)
        px, py = ax + 0.5 * dx, ay + 0.5 * dy  # acts halfway
        qx, qy = px - cx, py - cy
        along_a, along_b = px * ny - py * nx, qx * ny - qy * nx
        k_own = inverse[a, 0] + inverse[b, 0] + inverse[a, 1] * along_a * along_a + inverse[b, 1] * along_b * along_b
        if k_own > 0.0:
            impulse = -max(-limit, min(share * (gap + slop), 0.0)) / k_own
            shift[a, 0] -= inverse[a, 0] * impulse * nx
            shift[a, 1] -= inverse[a, 0] * impulse * ny
            shift[a, 2] -= inverse[a, 1] * impulse * along_a
            shift[b, 0] += inverse[b, 0] * impulse * nx
            shift[b, 1] += inverse[b, 0] * impulse * ny
            shift[b, 2] += inverse[b, 1] * impulse * along_b
            turn_body(bodies, a)
            turn_body(bodies, b)
            record_pair(trace, APART, contacts, row, (float(k), gap, impulse), shift, (nx, ny, along_a, along_b))
    return lowest


@inlined_kernel
def _pull_together(
    bodies: Bodies, joints: Joints, begin: int, end: int, block: Block, own: FloatArray, is_active: NDArray[np.bool_], slop: float
) -> bool:
    """Correct a joint's errors, and return whether they were within the slops."""
    is_okay, n = True, 0
    a, b = joints.bodies[begin, 0], joints.bodies[begin, 1]
    for row in range(begin, end):
        kind, mode = joints.kind[row], joints.mode[row]
        if mode in (READ, SPRING, DRIVE) or (mode != HOLD and kind == ANGLE and not is_active[row]):
            continue
        if mode == HOLD and kind not in (LENGTH, SUM):
            at = n
            n = fill_lines(bodies, joints, row, block, n)
            size = hypot(block.error[at], block.error[at + 1]) if kind == POINT else abs(block.error[at])
            is_okay = is_okay and size <= (BOX2D_ANGULAR_SLOP if kind == ANGLE else slop)
            continue
        error = coordinate(bodies, joints, row) - joints.target[row]
        if kind == SUM:
            _, response = joint_velocity_and_response(bodies, joints, row)
            is_okay = is_okay and (joints.kind[joints.bodies[row, 0]] != LENGTH or abs(error) < slop)  # not required of gears
            if response > 0.0:
                apply_joint_row(bodies.shift, bodies.inverse, joints, row, -error / response)
            at_lines = bodies_of(joints, row)
            for line in range(n_lines(joints, row)):
                turn_body(bodies, at_lines[line])
            continue
        beyond = error if mode == HIGH else -error if mode == LOW else abs(error)
        is_okay = is_okay and beyond <= (BOX2D_ANGULAR_SLOP if kind == ANGLE else slop)
        if kind == LENGTH:
            error = max(0.0 if mode == HIGH else -MAX_CORRECTION, min(error, MAX_CORRECTION))
        else:
            less, limit = (BOX2D_ANGULAR_SLOP, MAX_ANGULAR_CORRECTION) if kind == ANGLE else (slop, MAX_CORRECTION)
            reached = beyond >= 0.0
            error = max(-limit, min(error + less, 0.0)) if mode == LOW else max(0.0, min(error - less, limit))
            if kind == ALONG:
                if reached:
                    n = fill_lines(bodies, joints, row, block, n)
                    block.error[n - 1] = error
                continue
        _, response = joint_velocity_and_response(bodies, joints, row)
        response = response if response > _TURNED * own[row] else own[row]
        if response > 0.0:
            apply_joint_row(bodies.shift, bodies.inverse, joints, row, -error / response)
        turn_body(bodies, joints.bodies[row, 0])
        turn_body(bodies, joints.bodies[row, 1])
    if n > 0:
        _make_up(bodies, a, b, block, n, own[end - 1] if n == 1 else 0.0)
    return is_okay


@inlined_kernel
def _make_up(bodies: Bodies, a: int, b: int, block: Block, n: int, own: float) -> None:
    """Move two bodies to correct the errors of `n` lines between them; a single line uses its response at the start of the step."""
    fill_matrix(bodies, a, b, block, n)
    if n == 1 and own > 0.0:
        block.matrix[0, 0] = own
    for k in range(n):
        block.x[k] = -block.error[k]
    solve_lines(block.matrix, block.x, n)
    for k in range(n):
        apply_row(bodies.shift, bodies.inverse, a, b, block.line[k], block.x[k])
    turn_body(bodies, a)
    turn_body(bodies, b)
