"""The soft step: one step of a world, all in one call.

A step of dt is cut into n sub-steps of ``h = dt / n``, each with one pass over all constraints, in place of n passes over one step: for the
same work the errors fall with h, and with the square of it for what swings (M. Macklin et al., "Small Steps in Physics Simulation", 2019;
E. Catto, "Solver2D", 2024). Contacts are found once a step. Each sub-step

1. velocities from gravity and forces,
2. the impulses of the last sub-step again (*warm starting*): what rests is right before it is solved,
3. joints, then contacts, with errors of position made up softly,
4. positions,
5. joints, then contacts, without that (*relaxation*).

The frequency of closed contacts follows the sub-step, ``1 / (8 h)``, that of joints twice as high: 60 and 120 Hz at eight sub-steps of
1/60 s. A fixed one of 30 Hz lets a tower of fifteen boxes buckle whatever the number of sub-steps. Against a body that cannot move, which
gives no way, it is twice as high too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.jit import kernel
from engine.dynamics._bodies_kernel import Bodies, integrate_positions, integrate_velocities
from engine.dynamics._contact_kernel import Contacts, solve_contacts, warm_start
from engine.dynamics._impact_kernel import Impacts, bounce
from engine.dynamics._joint_kernel import READ, SUM, Joints, solve_joints, warm_start_joints
from engine.dynamics._softness_kernel import softness

__all__ = ["soft_step"]

DAMPING_RATIO = 10.0
"""Of contacts: an overlap goes without a bounce."""


@kernel
def soft_step(
    bodies: tuple[NDArray[Any], ...],
    contacts: tuple[NDArray[Any], ...],
    joints: tuple[NDArray[Any], ...],
    restitution: FloatArray,
    is_round: NDArray[np.bool_],
    dt: float,
    n_steps: int,
    threshold: float,
) -> None:
    """Advance velocities and positions by `dt` seconds in `n_steps` sub-steps; see the module.

    Parameters
    ----------
    bodies, contacts, joints : the arrays of `Bodies`, `Contacts`, `Joints`
        Written in place.
    restitution : float64 (n,)
        Of each contact.
    is_round : bool (n,)
        Whether the cores at a contact's point are points.
    threshold : float
        m/s, below which nothing bounces.
    """
    moving, touching, joined = Bodies(*bodies), Contacts(*contacts), Joints(*joints)
    h = dt / n_steps
    soft, soft_static = softness(0.125 / h, DAMPING_RATIO, h), softness(0.25 / h, DAMPING_RATIO, h)
    jacobian = np.zeros((4, 3))
    n_bodies = len(moving.velocity)
    impacts = Impacts(restitution, is_round, np.zeros(n_bodies), np.zeros((n_bodies, 3)), np.zeros(4))
    bounce(moving, touching, impacts, threshold, dt)
    struck = touching.total[:, :, 0].copy()
    before = moving.velocity.copy()
    for _ in range(n_steps):
        integrate_velocities(moving, h)
        warm_start_joints(moving, joined, jacobian)
        warm_start(moving, touching)
        solve_joints(moving, joined, jacobian, h, dt, False)
        solve_contacts(moving, touching, soft, soft_static, h, False)
        integrate_positions(moving, h)
        solve_joints(moving, joined, jacobian, h, dt, True)
        solve_contacts(moving, touching, soft, soft_static, h, True)
        touching.total[:] += touching.impulse
        joined.total[:] += joined.impulse
    is_free = np.ones(len(before), dtype=np.bool_)
    for row in range(len(touching.n_points)):
        if touching.total[row, 0, 0] != struck[row, 0] or touching.total[row, 1, 0] != struck[row, 1]:
            is_free[touching.bodies[row, 0]] = is_free[touching.bodies[row, 1]] = False
    for row in range(len(joined.kind)):
        if joined.kind[row] != SUM and joined.mode[row] != READ:
            is_free[joined.bodies[row, 0]] = is_free[joined.bodies[row, 1]] = False
    for body in range(len(before)):
        for k in range(3):
            moving.shift[body, k] += impacts.later[body, k]
            if is_free[body]:
                moving.shift[body, k] -= 0.5 * h * (moving.velocity[body, k] - before[body, k])
