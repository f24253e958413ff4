"""The hard step: the velocities after one step, in one piece, with as many sweeps over the constraints as they take.

The same constraints as those of the soft step, asked for in one step of dt, hard, and of the velocities alone:

    M (v - v_free) = J^T P,    J v >= -gap / dt and P >= 0 and P (J v + gap / dt) = 0 of a contact's normal,    J v = 0 of a joint

with ``v_free`` after gravity, forces and damping. Each sweep solves every row once with the others as they are (projected Gauss-Seidel);
the sweeps end when one changes no velocity by more than a tolerance. What comes out depends no longer on the order of the rows, nor on the
impulses that it began from, but where friction has several answers: it is what Box2D's iterations and our sub-steps both approach, and
where a referee finds them together.

Source: E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.jit import kernel
from engine.dynamics._bodies_kernel import Bodies, integrate_velocities
from engine.dynamics._contact_kernel import Contacts
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
from engine.dynamics._mouse_kernel import solve_mouse
from engine.dynamics._softness_kernel import Softness
from engine.dynamics.solvers._sequential_impulses_kernel import rounded, sweep_contacts, warm_start_contacts

__all__ = ["hard_step"]


@kernel
def hard_step(
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
    jacobian, hard, bias = np.zeros((4, 3)), Softness(1.0 / dt, 1.0, 0.0), np.maximum(touching.gap, 0.0) / dt
    integrate_velocities(moving, dt)
    warm_start_contacts(moving, touching, None)
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
                solve_mouse(moving, joined, row, dt)
            elif joined.kind[row] == POINT:
                solve_point(moving, joined, row, hard, dt, dt, True)
            else:
                solve_row(moving, joined, row, jacobian, hard, dt, dt, True)
            if is_single and joined.kind[row] != SUM:
                rounded(moving.velocity[joined.bodies[row, 0]])
                rounded(moving.velocity[joined.bodies[row, 1]])
        sweep_contacts(moving, touching, bias, is_single, None)
        change = np.abs(moving.velocity - before).max()
        if change <= tolerance:
            return sweep + 1, change
    return n_most, change
