"""Sequential impulses as Box2D-Lite has them: one step, with sweeps over its velocity constraints, and Baumgarte's correction.

A contact's point asks for ``v + b >= 0`` along its normal, with a *bias velocity* b of its gap s:

    b = s / dt                                            open: it may close within the step, and no more (speculative contact)
    b = max(share / dt min(s + slop, 0), -push)           closed: a share of the overlap beyond the slop is made up in a step (Baumgarte)
    b = e v                                               it arrives at v < -threshold: it leaves with -e v

v is that with which the step begins, without the gravity of the step (Box2D takes it with, and a ball that bounces gains by it). Each
row is solved with the others' impulses as they are, its accumulated impulse clamped, round and round (projected Gauss-Seidel). The bias
adds energy: what it pushes apart goes on moving apart.

Source: E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005, and Box2D-Lite, 2006; J. Baumgarte, "Stabilization of constraints
and integrals of motion in dynamical systems", 1972.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies, integrate_positions, integrate_velocities
from engine.dynamics._contact_kernel import Contacts, apply_at_point, relative_velocity, separation
from engine.dynamics._joint_kernel import Joints, solve_either, warm_start_joints
from engine.dynamics._softness_kernel import Softness
from engine.dynamics._solver_trace_kernel import BEGIN, END, FREE, JOINTS, NORMAL, SWEEP, TANGENT, tell_row, tell_stage, tell_warm

__all__ = [
    "add_totals",
    "rounded",
    "sequential_impulses",
    "solve_friction",
    "solve_normal",
    "sweep_contacts",
    "warm_start_contacts",
]

PUSH = 4.0
"""m/s that an overlap is made up with at most: Solver2D's."""


@kernel
def sequential_impulses(
    bodies: Bodies,
    contacts: Contacts,
    joints: Joints,
    restitution: FloatArray,
    threshold: float,
    dt: float,
    n_sweeps: int,
    share: float,
    slop: float,
    trace: FloatArray | None,
) -> None:
    """Advance bodies by `dt` seconds; velocities, shifts and impulses are written in place.

    Parameters
    ----------
    restitution : float64 (n,)
        Of each contact.
    threshold : float
        m/s below which nothing bounces.
    share, slop : float
        How much of an error a step makes up; m of overlap that are left.
    trace : float64 (k, TRACE_WIDTH), or None
        See `_solver_trace_kernel`.
    """
    jacobian, held = np.zeros((4, 3)), Softness(share / dt, 1.0, 0.0)
    bias = np.zeros((len(contacts.n_points), 2))
    _velocity_bias(bodies, contacts, restitution, threshold, dt, share, slop, bias)
    tell_stage(trace, bodies, BEGIN, 0)
    integrate_velocities(bodies, dt)
    tell_stage(trace, bodies, FREE, 0)
    warm_start_contacts(bodies, contacts, trace)
    warm_start_joints(bodies, joints, jacobian)
    for sweep in range(n_sweeps):
        for row in range(len(joints.kind)):
            solve_either(bodies, joints, row, jacobian, held, dt, dt, False)
        if len(joints.kind) > 0:
            tell_stage(trace, bodies, JOINTS, sweep)
        tell_stage(trace, bodies, SWEEP, sweep)
        sweep_contacts(bodies, contacts, bias, False, trace)
    integrate_positions(bodies, dt)
    add_totals(contacts, joints)
    tell_stage(trace, bodies, END, 0)


@inlined_kernel
def _velocity_bias(
    bodies: Bodies,
    contacts: Contacts,
    restitution: FloatArray,
    threshold: float,
    dt: float,
    share: float,
    slop: float,
    bias: FloatArray,
) -> None:
    """Fill the bias velocity of every point, (n, 2); see the module."""
    for row in range(len(contacts.n_points)):
        a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
        for k in range(contacts.n_points[row]):
            gap = separation(bodies, contacts, row, k)
            bias[row, k] = gap / dt if gap > 0.0 else max(share / dt * min(gap + slop, 0.0), -PUSH)
            vx, vy = relative_velocity(bodies, a, b, contacts.arm[row, k])
            rate = vx * contacts.normal[row, 0] + vy * contacts.normal[row, 1]
            if restitution[row] > 0.0 and rate < -threshold and gap + rate * dt <= 0.0:
                bias[row, k] = min(bias[row, k], restitution[row] * rate)


@inlined_kernel
def warm_start_contacts(bodies: Bodies, contacts: Contacts, trace: FloatArray | None) -> None:
    """Apply the impulses that the contacts begin with."""
    for row in range(len(contacts.n_points)):
        nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
        for k in range(contacts.n_points[row]):
            pn, pt = contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
            a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
            apply_at_point(bodies, a, b, contacts.arm[row, k], pn * nx + pt * ny, pn * ny - pt * nx)
            tell_warm(trace, bodies, contacts, row, k)


@inlined_kernel
def sweep_contacts(bodies: Bodies, contacts: Contacts, bias: FloatArray, is_single: bool, trace: FloatArray | None) -> None:
    """Solve every contact once, both points along the normal and then along the tangent."""
    for row in range(len(contacts.n_points)):
        for k in range(contacts.n_points[row]):
            solve_normal(bodies, contacts, row, k, bias[row, k], is_single, trace)
        for k in range(contacts.n_points[row]):
            solve_friction(bodies, contacts, row, k, is_single, trace)


@inlined_kernel
def solve_normal(bodies: Bodies, contacts: Contacts, row: int, k: int, bias: float, is_single: bool, trace: FloatArray | None) -> None:
    """Bring a point's velocity along the normal to -`bias` m/s at least; `is_single`: rounded as float32 does."""
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
    arm, before = contacts.arm[row, k], contacts.impulse[row, k, 0]
    vx, vy = relative_velocity(bodies, a, b, arm)
    after = max(before - contacts.mass[row, k, 0] * (vx * nx + vy * ny + bias), 0.0)
    if is_single:
        after = np.float64(np.float32(after))
    contacts.impulse[row, k, 0] = after
    apply_at_point(bodies, a, b, arm, (after - before) * nx, (after - before) * ny)
    if is_single:
        rounded(bodies.velocity[a])
        rounded(bodies.velocity[b])
    tell_row(trace, NORMAL, bodies, contacts, row, k, before, after, bias, 1.0, 0.0, np.nan)


@inlined_kernel
def solve_friction(bodies: Bodies, contacts: Contacts, row: int, k: int, is_single: bool, trace: FloatArray | None) -> None:
    """Bring a point to rest along the tangent, as far as friction can."""
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
    arm, before = contacts.arm[row, k], contacts.impulse[row, k, 1]
    vx, vy = relative_velocity(bodies, a, b, arm)
    most = contacts.friction[row] * contacts.impulse[row, k, 0]
    after = max(-most, min(before - contacts.mass[row, k, 1] * (vx * ny - vy * nx), most))
    if is_single:
        after = np.float64(np.float32(after))
    contacts.impulse[row, k, 1] = after
    apply_at_point(bodies, a, b, arm, (after - before) * ny, -(after - before) * nx)
    if is_single:
        rounded(bodies.velocity[a])
        rounded(bodies.velocity[b])
    tell_row(trace, TANGENT, bodies, contacts, row, k, before, after, 0.0, 1.0, 0.0, np.nan)


@inlined_kernel
def rounded(velocity: FloatArray) -> None:
    """Round as float32 does, to three bits less: a row takes about eight roundings, of its terms, its impulse and the new sums."""
    for k in range(3):
        single = np.float32(velocity[k])
        coarse = np.float32(8.0) * single
        velocity[k] = np.float64(np.float32(np.float32(single + coarse) - coarse))


@inlined_kernel
def add_totals(contacts: Contacts, joints: Joints) -> None:
    """Add the accumulated impulses to those of the step."""
    for row in range(len(contacts.n_points)):
        for k in range(contacts.n_points[row]):
            for j in range(2):
                contacts.total[row, k, j] += contacts.impulse[row, k, j]
    for row in range(len(joints.kind)):
        for k in range(2):
            joints.total[row, k] += joints.impulse[row, k]
