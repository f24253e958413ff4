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

Contacts are warm started by bodies: the lever arms of a step stay as they are, so what all contacts have given a body in a sub-step is one
change of its velocity, and the next sub-step begins with that. So two passes over the contacts do, in place of three.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common._lanes_kernel import WIDTH
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies, integrate_positions, integrate_velocities
from engine.dynamics._contact_kernel import BLOCK, Contacts, fill_lanes, read_lanes, relax_lanes, solve_lanes, warm_start_lanes
from engine.dynamics._graph_kernel import coloured
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
    h = dt / n_steps
    records = np.zeros((len(bodies[0]), WIDTH))
    records[:, 0:3], records[:, 6] = bodies[0], 1.0
    moving = Bodies(records[:, 0:3], records[:, 3:6], records[:, 6:8], bodies[3], bodies[4], bodies[5])
    touching, joined = Contacts(*contacts), Joints(*joints)
    n_bodies = len(records)
    impacts = Impacts(restitution, is_round, np.zeros(n_bodies), np.zeros((n_bodies, 3)), np.zeros(4))
    bounce(moving, touching, impacts, threshold, dt)
    struck = touching.total[:, :, 0].copy()
    place, n_blocks = coloured(touching.bodies, moving.inverse)
    lanes, pairs = np.zeros(n_blocks * BLOCK), np.full(n_blocks * 2 * WIDTH, n_bodies - 1)
    fill_lanes(lanes, pairs, touching, moving.inverse, place)
    before = moving.velocity.copy()
    _sub_steps(moving, records.reshape(-1), lanes, pairs, joined, dt, n_steps)
    read_lanes(lanes, touching, place)
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
    bodies[0][:], bodies[1][:] = moving.velocity, moving.shift


@allocating_kernel
def _sub_steps(bodies: Bodies, records: FloatArray, lanes: FloatArray, pairs: IntArray, joints: Joints, dt: float, n_steps: int) -> None:
    """Advance bodies, whose velocities, shifts and turns are those of `records`, and the contacts in lanes."""
    h, jacobian = dt / n_steps, np.zeros((4, 3))
    soft, hard = softness(0.125 / h, DAMPING_RATIO, h), softness(0.25 / h, DAMPING_RATIO, h)
    velocity, n_blocks, has_joints = bodies.velocity, np.uint64(len(lanes) // BLOCK), len(joints.kind) > 0
    warm, free = np.empty(velocity.shape), velocity.copy()
    for block in range(n_blocks):
        warm_start_lanes(lanes, block * np.uint64(BLOCK), pairs, block * np.uint64(2 * WIDTH), records)
    for body in range(len(warm)):
        for k in range(3):
            warm[body, k] = velocity[body, k] - free[body, k]
            velocity[body, k] = free[body, k]
    for _ in range(n_steps):
        integrate_velocities(bodies, h)
        free[:] = velocity
        velocity += warm
        if has_joints:
            warm_start_joints(bodies, joints, jacobian)
            solve_joints(bodies, joints, jacobian, h, dt, False)
            _take_apart(velocity, warm, free)
        for block in range(n_blocks):
            solve_lanes(
                lanes, block * np.uint64(BLOCK), pairs, block * np.uint64(2 * WIDTH), records,
                soft.bias_rate, soft.mass_scale, soft.impulse_scale, hard.bias_rate, hard.mass_scale, hard.impulse_scale, 1.0 / h,
            )  # fmt: skip
        integrate_positions(bodies, h)
        if has_joints:
            warm[:] = velocity
            warm -= free
            solve_joints(bodies, joints, jacobian, h, dt, True)
            _take_apart(velocity, warm, free)
            joints.total[:] += joints.impulse
        for block in range(n_blocks):
            relax_lanes(
                lanes, block * np.uint64(BLOCK), pairs, block * np.uint64(2 * WIDTH), records,
                soft.bias_rate, soft.mass_scale, soft.impulse_scale, hard.bias_rate, hard.mass_scale, hard.impulse_scale, 1.0 / h,
            )  # fmt: skip
        warm[:] = velocity
        warm -= free


@inlined_kernel
def _take_apart(velocity: FloatArray, warm: FloatArray, free: FloatArray) -> None:
    """Set what bodies have of all but contacts, where `warm` is what they have of contacts."""
    for body in range(len(velocity)):
        for k in range(3):
            free[body, k] = velocity[body, k] - warm[body, k]
