"""Sequential impulses: one step, with sweeps over its velocity constraints, and Baumgarte's correction.

This is the method that Solver2D calls PGS. A contact point requires ``v + b >= 0`` along its normal, with a *bias velocity* b from its gap
s:

    b = s / dt                                            open: it can close within the step, not more (speculative contact)
    b = max(share / dt min(s + slop, 0), -push)           closed: a step corrects a share of the overlap beyond the slop (Baumgarte),
                                                          less if all contacts of a body together push faster than that
    b = e v                                               it arrives at v < -threshold and leaves at -e v

v is the velocity at the start of the step, without the gravity of the step (Box2D includes it, so a bouncing ball gains energy). Each row
in turn is solved with the others' impulses fixed, its accumulated impulse clamped (projected Gauss-Seidel). The bias adds energy: bodies
that it pushes apart continue to move apart.

Source: E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005 (accumulated impulses, warm starting), and solve_pgs.c of Solver2D,
2024 (speculative contacts, the limit of the bias); J. Baumgarte, "Stabilization of constraints and integrals of motion in dynamical
systems", 1972. Box2D-Lite, 2006, has the same sweeps, but neither open gaps nor restitution.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import record
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.dynamics._contact_kernel import separation, sweep_contacts, warm_start_contacts
from engine.dynamics._integration_kernel import integrate_positions, integrate_velocities
from engine.dynamics._joint_kernel import first_rows, solve_joints, warm_start_joints
from engine.dynamics._row_kernel import arm_of, pair_of, relative_velocity
from engine.dynamics._softness_kernel import Softness
from engine.dynamics.methods._points_kernel import add_push, push_share
from engine.dynamics.model import Bodies, Contacts, Joints
from engine.dynamics.solver_events import END, FREE, JOINTS, SWEEP, Stage, WarmStart
from engine.dynamics.tolerances import PUSH_BY_BIAS

__all__ = ["add_totals", "sequential_impulses"]


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
) -> None:
    """Advance bodies by `dt` seconds; velocities, shifts and impulses are written in place.

    Parameters
    ----------
    restitution : float64 (n,)
        Restitution of each contact.
    threshold : float
        Speed, m/s, below which nothing bounces.
    share, slop : float
        Fraction of an error that a step corrects; overlap, m, that is not corrected.
    """
    held, rows = Softness(share / dt, 1.0, 0.0), first_rows(joints)
    bias = np.zeros((len(contacts.n_points), 2))
    _velocity_bias(bodies, contacts, restitution, threshold, dt, share, slop, bias)
    integrate_velocities(bodies, dt)
    record(Stage(FREE, 0, bodies.velocity, bodies.shift))
    warm_start_contacts(bodies, contacts)
    record(WarmStart(contacts.impulse, bodies.velocity))
    warm_start_joints(bodies, joints)
    for sweep in range(n_sweeps):
        solve_joints(bodies, joints, rows, held, dt, dt, False)
        if len(joints.kind) > 0:
            record(Stage(JOINTS, sweep, bodies.velocity, bodies.shift))
        record(Stage(SWEEP, sweep, bodies.velocity, bodies.shift))
        sweep_contacts(bodies, contacts, bias)
    integrate_positions(bodies, dt)
    add_totals(contacts, joints)
    record(Stage(END, 0, bodies.velocity, bodies.shift))


@allocating_kernel
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
    pushes = np.zeros(len(bodies.velocity))
    for row in range(len(contacts.n_points)):
        deepest = 0.0
        for k in range(contacts.n_points[row]):
            gap = separation(bodies, contacts, row, k)
            bias[row, k] = gap / dt if gap > 0.0 else max(share / dt * min(gap + slop, 0.0), -PUSH_BY_BIAS)
            deepest = min(deepest, bias[row, k])
        add_push(bodies, contacts, row, -deepest, pushes)
    for row in range(len(contacts.n_points)):
        a, b, nx, ny = pair_of(contacts, row)
        for k in range(contacts.n_points[row]):
            gap = separation(bodies, contacts, row, k)
            if gap <= 0.0:
                bias[row, k] *= push_share(contacts, row, pushes, PUSH_BY_BIAS)
            vx, vy = relative_velocity(bodies.velocity, a, b, arm_of(contacts, row, k))
            rate = vx * nx + vy * ny
            if restitution[row] > 0.0 and rate < -threshold and gap + rate * dt <= 0.0:
                bias[row, k] = min(bias[row, k], restitution[row] * rate)


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
