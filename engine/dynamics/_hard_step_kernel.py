"""The hard step: the velocities after one step without sub-steps, with sweeps over the constraints until convergence.

The constraints are those of the soft step over the whole dt, hard, on velocities alone:

    M (v - v_free) = J^T P,    J v >= -gap / dt and P >= 0 and P (J v + gap / dt) = 0 of a contact's normal,    J v = 0 of a joint

with ``v_free`` after gravity, forces and damping. Each sweep solves every row once with the others fixed (projected Gauss-Seidel); the
sweeps end when one changes no velocity by more than a tolerance. The result then depends neither on the order of the rows nor on the
initial impulses, except where friction has several solutions: it is the limit of both Box2D's iterations and our sub-steps, and comparisons
use it as a reference. It can therefore also imitate Box2D's joints and the convergence of float32.

Source: E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._contact_kernel import change_friction, change_normal, next_friction, next_normal, warm_start_contacts
from engine.dynamics._integration_kernel import integrate_velocities
from engine.dynamics._joint_kernel import coordinate, solve_mouse, solve_point, solve_row, warm_start_joints
from engine.dynamics._softness_kernel import Softness
from engine.dynamics.model import HIGH, LENGTH, LOW, POINT, READ, SPRING, SUM, Bodies, Contacts, Joints

__all__ = ["hard_step"]


@kernel
def hard_step(
    bodies: tuple[NDArray[Any], ...],
    contacts: tuple[NDArray[Any], ...],
    joints: tuple[NDArray[Any], ...],
    spin: FloatArray,
    dt: float,
    max_sweeps: int,
    tolerance: float,
    is_box2d: bool,
    is_single: bool,
) -> tuple[int, float]:
    """Advance velocities by `dt` seconds; return the number of sweeps and the largest change in the last one.

    Parameters
    ----------
    bodies, contacts, joints : the arrays of `Bodies`, `Contacts`, `Joints`
        Initial velocities and impulses are updated in place; positions do not change.
    spin : float64 (n,)
        Factor of each body's angular velocity after gravity, damping and the initial impulses of contacts.
    max_sweeps : int
        Maximum number of sweeps.
    tolerance : float
        m/s and rad/s.
    is_box2d : bool
        Treat joints as Box2D does: a limit of an angle or a slide acts only after it has been reached, instead of stopping at it within the
        step; and a mouse's spring uses the body's mass instead of the effective mass.
    is_single : bool
        Round velocities and the impulses of contacts as float32 does, so the sweeps end when changes are below its resolution.
    """
    moving, touching, joined = Bodies(*bodies), Contacts(*contacts), Joints(*joints)
    hard, bias = Softness(1.0 / dt, 1.0, 0.0), np.maximum(touching.gap, 0.0) / dt
    integrate_velocities(moving, dt)
    warm_start_contacts(moving, touching)
    for body in range(len(spin)):
        moving.velocity[body, 2] *= spin[body]
    warm_start_joints(moving, joined)
    change = 0.0
    for sweep in range(max_sweeps):
        before = moving.velocity.copy()
        for row in range(len(joined.kind)):
            mode = joined.mode[row]
            if mode == READ:
                continue
            if is_box2d and mode in (LOW, HIGH) and joined.kind[row] != LENGTH:
                error = coordinate(moving, joined, row) - joined.target[row]
                if (mode == LOW and error > 0.0) or (mode == HIGH and error < 0.0):
                    continue
            if is_box2d and joined.kind[row] == POINT and mode == SPRING:
                solve_mouse(moving, joined, row, dt)
            elif joined.kind[row] == POINT:
                solve_point(moving, joined, row, hard, dt, dt, True)
            else:
                solve_row(moving, joined, row, hard, dt, dt, True)
            if is_single and joined.kind[row] != SUM:
                _round(moving.velocity[joined.bodies[row, 0]])
                _round(moving.velocity[joined.bodies[row, 1]])
        _sweep_contacts(moving, touching, bias, is_single)
        change = np.abs(moving.velocity - before).max()
        if change <= tolerance:
            return sweep + 1, change
    return max_sweeps, change


@inlined_kernel
def _sweep_contacts(bodies: Bodies, contacts: Contacts, bias: FloatArray, is_single: bool) -> None:
    """Solve every contact once, as `_contact_kernel.sweep_contacts` does, and round after each point."""
    for row in range(len(contacts.n_points)):
        for k in range(contacts.n_points[row]):
            after = next_normal(bodies, contacts, row, k, bias[row, k])
            change_normal(bodies, contacts, row, k, np.float64(np.float32(after)) if is_single else after)
            _round_pair(bodies, contacts, row, is_single)
        for k in range(contacts.n_points[row]):
            after = next_friction(bodies, contacts, row, k)
            change_friction(bodies, contacts, row, k, np.float64(np.float32(after)) if is_single else after)
            _round_pair(bodies, contacts, row, is_single)


@inlined_kernel
def _round_pair(bodies: Bodies, contacts: Contacts, row: int, is_single: bool) -> None:
    if is_single:
        _round(bodies.velocity[contacts.bodies[row, 0]])
        _round(bodies.velocity[contacts.bodies[row, 1]])


@inlined_kernel
def _round(velocity: FloatArray) -> None:
    """Round as float32 does, to three bits fewer: a row has about eight roundings: of its terms, its impulse and the new sums."""
    for k in range(3):
        single = np.float32(velocity[k])
        coarse = np.float32(8.0) * single
        velocity[k] = np.float64(np.float32(np.float32(single + coarse) - coarse))
