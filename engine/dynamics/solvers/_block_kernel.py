"""Blocks in place of rows: each contact's two points together, and all joints of a tree together, in sub-steps.

A sub-step of h goes as that of the soft step does (`_soft_step_kernel`), with the same soft contacts, but

1. the joints that form trees are solved directly (`_joint_tree_kernel`), the others, limits, motors and springs by sweeps between them;
2. a contact's two points are solved together (`_point_pair_kernel`), soft ones too, then friction;
3. after the positions a joint is off by what the way was bent: the same factors tell the impulses along the old directions that take it
   back, in velocities and positions at once (one step of Newton's method; with it the joints' part is the method RATTLE, which keeps the
   energy of a pendulum as symplectic methods do);
4. at the new positions all is factorised anew and solved once more without errors of position (relaxation); these factors serve the next
   sub-step, too.

What bounces does so at the end of the step: a contact that has pushed and was approached at v leaves with -e v.

Source: H. Andersen, "RATTLE: a velocity version of the SHAKE algorithm", 1983; E. Catto, b2_solver of Box2D 3.0, for restitution.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies, integrate_positions, integrate_velocities
from engine.dynamics._contact_kernel import PUSH, Contacts, apply_at_point, relative_velocity, separation
from engine.dynamics._joint_kernel import DAMPING_RATIO as JOINT_DAMPING
from engine.dynamics._joint_kernel import Joints, solve_either, warm_start_joints
from engine.dynamics._soft_step_kernel import DAMPING_RATIO as CONTACT_DAMPING
from engine.dynamics._softness_kernel import softness
from engine.dynamics._solver_trace_kernel import BEGIN, BOUNCED, END, FREE, JOINTS, MOVE, NORMAL, RELAX, SWEEP, tell_row, tell_stage
from engine.dynamics.solvers._joint_block_kernel import MOST_LINES, Block, turn_by_shift
from engine.dynamics.solvers._joint_tree_kernel import LINES, Forest, factorise, grow, pose_lines, solve_forest
from engine.dynamics.solvers._point_pair_kernel import fill_couplings, solve_pair
from engine.dynamics.solvers._sequential_impulses_kernel import add_totals, solve_friction, warm_start_contacts

__all__ = ["block_step"]


@kernel
def block_step(
    bodies: Bodies,
    contacts: Contacts,
    joints: Joints,
    first: IntArray,
    restitution: FloatArray,
    threshold: float,
    dt: float,
    n_steps: int,
    n_sweeps: int,
    trace: FloatArray | None,
) -> None:
    """Advance bodies by `dt` seconds in `n_steps` sub-steps, each with `n_sweeps` sweeps; all is written in place.

    Parameters
    ----------
    first : int64 (m + 1,)
        Where the rows of each joint begin.
    restitution : float64 (n,)
    threshold : float
        m/s below which nothing bounces.
    trace : float64 (k, TRACE_WIDTH), or None
        See `_solver_trace_kernel`.
    """
    h, n, n_bodies, n_rows, n_joints = dt / n_steps, len(contacts.n_points), len(bodies.velocity), len(joints.kind), len(first) - 1
    block = Block(
        np.zeros((MOST_LINES, 6)), np.zeros(MOST_LINES), np.zeros(MOST_LINES), np.zeros((MOST_LINES, MOST_LINES)), np.zeros((4, 3))
    )
    is_direct = np.zeros(n_rows, np.bool_)
    n_most = n_bodies + n_joints if n_joints > 0 else 0
    forest = Forest(
        np.zeros(n_most, np.int64), np.zeros(n_most, np.int64), np.zeros(n_most, np.int64), np.zeros((n_joints, LINES, 6)),
        np.zeros((n_joints, LINES)), np.zeros((n_joints, LINES)), np.zeros((n_most, LINES, LINES)), np.zeros((n_most, LINES, LINES)),
        np.zeros((n_most, LINES)),
    )  # fmt: skip
    n_nodes = 0
    if n_joints > 0:
        n_nodes = grow(
            bodies, joints, first, n_joints, forest, is_direct, np.zeros((4, n_bodies), np.int64), np.zeros((2, n_joints), np.int64)
        )
        pose_lines(bodies, joints, first, n_joints, forest, block, False)
        factorise(bodies, joints, first, forest, n_nodes)
    coupling, arrival, h_joint = np.empty(n), np.zeros((n, 2)), softness(0.25 / h, JOINT_DAMPING, h)
    fill_couplings(bodies, contacts, coupling)
    for row in range(n):
        for k in range(contacts.n_points[row]):
            arrival[row, k] = _rate(bodies, contacts, row, k)
    tell_stage(trace, bodies, BEGIN, 0)
    for sub_step in range(n_steps):
        integrate_velocities(bodies, h)
        tell_stage(trace, bodies, FREE, sub_step)
        for row in range(n_rows):
            if is_direct[row]:
                joints.impulse[row, 0] = joints.impulse[row, 1] = 0.0
        warm_start_contacts(bodies, contacts, trace)
        warm_start_joints(bodies, joints, block.jacobian)
        for joint in range(n_joints):
            for k in range(LINES):
                forest.before[joint, k] = forest.error[joint, k]
        for _ in range(n_sweeps):
            _ask(forest, n_bodies, n_joints, -h_joint.bias_rate)
            solve_forest(bodies, joints, first, forest, n_nodes)
            _sweep_rows(bodies, joints, is_direct, block.jacobian, h, dt, False)
            if n_rows > 0:
                tell_stage(trace, bodies, JOINTS, sub_step)
            tell_stage(trace, bodies, SWEEP, sub_step)
            _sweep_contacts(bodies, contacts, coupling, h, False, trace)
        integrate_positions(bodies, h)
        tell_stage(trace, bodies, MOVE, sub_step)
        if n_nodes > 0:
            _straighten(bodies, joints, first, n_joints, forest, n_nodes, block, h, 1.0 - h * h_joint.bias_rate)
            pose_lines(bodies, joints, first, n_joints, forest, block, False)
            factorise(bodies, joints, first, forest, n_nodes)
            tell_stage(trace, bodies, JOINTS, sub_step)
        for _ in range(n_sweeps):
            _ask(forest, n_bodies, n_joints, 0.0)
            solve_forest(bodies, joints, first, forest, n_nodes)
            _sweep_rows(bodies, joints, is_direct, block.jacobian, h, dt, True)
            if n_rows > 0:
                tell_stage(trace, bodies, JOINTS, sub_step)
            tell_stage(trace, bodies, RELAX, sub_step)
            _sweep_contacts(bodies, contacts, coupling, h, True, trace)
        add_totals(contacts, joints)
    tell_stage(trace, bodies, BOUNCED, 0)
    for row in range(n):
        if restitution[row] > 0.0:
            for k in range(contacts.n_points[row]):
                if arrival[row, k] < -threshold and contacts.total[row, k, 0] > 0.0:
                    _bounce(bodies, contacts, row, k, restitution[row] * arrival[row, k], trace)
    tell_stage(trace, bodies, END, 0)


@inlined_kernel
def _rate(bodies: Bodies, contacts: Contacts, row: int, k: int) -> float:
    vx, vy = relative_velocity(bodies, contacts.bodies[row, 0], contacts.bodies[row, 1], contacts.arm[row, k])
    rate: float = vx * contacts.normal[row, 0] + vy * contacts.normal[row, 1]
    return rate


@inlined_kernel
def _bounce(bodies: Bodies, contacts: Contacts, row: int, k: int, bias: float, trace: FloatArray | None) -> None:
    """Bring a point's velocity along the normal to -`bias` m/s at least, on top of all that it has given."""
    nx, ny, total = contacts.normal[row, 0], contacts.normal[row, 1], contacts.total[row, k, 0]
    given = max(-contacts.mass[row, k, 0] * (_rate(bodies, contacts, row, k) + bias), -total)
    contacts.total[row, k, 0] += given
    apply_at_point(bodies, contacts.bodies[row, 0], contacts.bodies[row, 1], contacts.arm[row, k], given * nx, given * ny)
    tell_row(trace, NORMAL, bodies, contacts, row, k, total, total + given, bias, 1.0, 0.0, np.nan)


# -- joints -----------------------------------------------------------------------------------------------------------


@inlined_kernel
def _ask(forest: Forest, n_bodies: int, n_joints: int, of_error: float) -> None:
    """Fill the velocities that are asked of the joints' lines: so much of each error, 1/s."""
    for joint in range(n_joints):
        for k in range(forest.size[n_bodies + joint]):
            forest.x[n_bodies + joint, k] = of_error * forest.error[joint, k]


@inlined_kernel
def _straighten(
    bodies: Bodies, joints: Joints, first: IntArray, n_joints: int, forest: Forest, n_nodes: int, block: Block, h: float, left: float
) -> None:
    """Take back what the joints are off beyond `left` of what they were, along the lines of before, in velocities and positions at once."""
    n_bodies = len(bodies.velocity)
    pose_lines(bodies, joints, first, n_joints, forest, block, True)
    for at in range(n_nodes):  # J v is to change by what is asked
        node = forest.order[at]
        if node < n_bodies:
            for k in range(3):
                bodies.shift[node, k] -= h * bodies.velocity[node, k]
    for joint in range(n_joints):
        a, b = joints.bodies[first[joint], 0], joints.bodies[first[joint], 1]
        for k in range(forest.size[n_bodies + joint]):
            rate = 0.0
            for j in range(3):
                rate += forest.line[joint, k, j] * bodies.velocity[a, j] + forest.line[joint, k, 3 + j] * bodies.velocity[b, j]
            forest.x[n_bodies + joint, k] = rate - (forest.error[joint, k] - left * forest.before[joint, k]) / h
    solve_forest(bodies, joints, first, forest, n_nodes)
    for at in range(n_nodes):
        node = forest.order[at]
        if node < n_bodies:
            for k in range(3):
                bodies.shift[node, k] += h * bodies.velocity[node, k]
            turn_by_shift(bodies, node)


@inlined_kernel
def _sweep_rows(
    bodies: Bodies, joints: Joints, is_direct: NDArray[np.bool_], jacobian: FloatArray, h: float, dt: float, is_relaxing: bool
) -> None:
    """Solve once every row that is not solved directly; see `_joint_kernel.solve_joints`."""
    held = softness(0.25 / h, JOINT_DAMPING, h)
    for row in range(len(joints.kind)):
        if not is_direct[row]:
            solve_either(bodies, joints, row, jacobian, held, h, dt, is_relaxing)


# -- contacts ---------------------------------------------------------------------------------------------------------


@inlined_kernel
def _sweep_contacts(
    bodies: Bodies, contacts: Contacts, coupling: FloatArray, h: float, is_relaxing: bool, trace: FloatArray | None
) -> None:
    """Solve every contact once: its points along the normal together, then each along the tangent."""
    soft, hard = softness(0.125 / h, CONTACT_DAMPING, h), softness(0.25 / h, CONTACT_DAMPING, h)
    for row in range(len(contacts.n_points)):
        a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
        gives_way = bodies.inverse[a, 0] + bodies.inverse[a, 1] > 0.0 and bodies.inverse[b, 0] + bodies.inverse[b, 1] > 0.0
        bias_rate = soft.bias_rate if gives_way else hard.bias_rate
        yields = soft.impulse_scale / soft.mass_scale if gives_way else hard.impulse_scale / hard.mass_scale
        bias_0 = bias_1 = yield_0 = yield_1 = 0.0
        for k in range(contacts.n_points[row]):
            gap = separation(bodies, contacts, row, k)
            bias = gap / h if gap > 0.0 else 0.0
            if gap <= 0.0 and not is_relaxing:
                bias = bias_rate * gap / (1.0 - bias_rate * gap / PUSH)
            own_yield = yields if gap <= 0.0 and not is_relaxing else 0.0
            if k == 0:
                bias_0, yield_0 = bias, own_yield
            else:
                bias_1, yield_1 = bias, own_yield
        if coupling[row] < inf:
            solve_pair(bodies, contacts, row, coupling[row], bias_0, bias_1, yield_0, yield_1, False, trace)
        else:
            for k in range(contacts.n_points[row]):
                _solve_point(bodies, contacts, row, k, bias_0 if k == 0 else bias_1, yield_0 if k == 0 else yield_1, trace)
        for k in range(contacts.n_points[row]):
            solve_friction(bodies, contacts, row, k, False, trace)


@inlined_kernel
def _solve_point(bodies: Bodies, contacts: Contacts, row: int, k: int, bias: float, own_yield: float, trace: FloatArray | None) -> None:
    """Solve a point alone; see `solve_pair`."""
    nx, ny = contacts.normal[row, 0], contacts.normal[row, 1]
    mass, before = contacts.mass[row, k, 0], contacts.impulse[row, k, 0]
    wanted = mass * (_rate(bodies, contacts, row, k) + bias) + own_yield * before
    after = max(before - wanted / (1.0 + own_yield), 0.0)
    contacts.impulse[row, k, 0] = after
    x = after - before
    apply_at_point(bodies, contacts.bodies[row, 0], contacts.bodies[row, 1], contacts.arm[row, k], x * nx, x * ny)
    tell_row(trace, NORMAL, bodies, contacts, row, k, before, after, bias, 1.0 / (1.0 + own_yield), own_yield / (1.0 + own_yield), np.nan)
