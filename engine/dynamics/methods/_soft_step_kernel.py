"""The soft step: one step of a world in a single call.

A step of dt is divided into n sub-steps of ``h = dt / n``, each with one pass over all constraints, instead of n passes over one step: for
the same work the errors decrease with h, and with h^2 for oscillations (M. Macklin et al., "Small Steps in Physics Simulation", 2019; E.
Catto, "Solver2D", 2024). Contacts are detected once per step. The stages of a sub-step are

1. velocities from gravity and forces,
2. the impulses of the last sub-step again (*warm starting*): bodies at rest start from the solution,
3. joints, then contacts, with soft correction of position errors,
4. positions,
5. joints, then contacts, without correction (*relaxation*).

The frequency of closed contacts is ``1 / (8 h)``: 60 Hz at eight sub-steps of 1/60 s. With a fixed 30 Hz a tower of fifteen boxes buckles
for any number of sub-steps. For contacts with an immovable body the frequency is twice as high; these come last, so that no other contact
overrides their result. After a change of the step rate the stiffness follows slowly: it is that of sub-steps of `soft_h`
(docs/dynamics/soft_constraints.md).

Contacts are warm started per body: lever arms are constant within a step, so all contacts of a body together change its velocity by one
sum per sub-step, with which the next sub-step starts. So two passes over the contacts suffice instead of three.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.dynamics._contact_kernel import separation, sweep_soft_contacts, warm_start_contacts
from engine.dynamics._impact_kernel import Impacts, bounce
from engine.dynamics._integration_kernel import integrate_positions, integrate_velocities
from engine.dynamics._joint_kernel import first_rows, solve_joints, warm_start_joints
from engine.dynamics._row_kernel import apply_at_point, arm_of, can_move, pair_of, turn_body
from engine.dynamics._softness_kernel import softness
from engine.dynamics.model import HOLD, READ, SPRING, SUM, Bodies, Contacts, Joints
from engine.dynamics.solver_events import BOUNCED, END, FREE, JOINTS, MOVE, RELAX, SWEEP, TAKEN_BACK, WARMED, Stage
from engine.dynamics.tolerances import CONTACT_DAMPING_RATIO, JOINT_DAMPING_RATIO

__all__ = ["soft_step"]

JOINT_STIFFNESS = 0.3
"""Frequency of joints, in sub-steps: three times in ten of them. A hanging chain of ten at 30 Hz opens by 0.9 mm."""

LONG_LEVER, LEVER_SWEEPS = 8.0, 12
"""Distance of a joint's point from a center of mass, in radii of gyration, from which joints and contacts of that body are solved in turns,
and how often: a contact spins such a body so that its joint would open at many times the speed of the impact."""

CRAMMED_SWEEPS = 4
"""Sweeps over contacts of crammed bodies that push nothing apart, before one that does, whose impulses are taken back after it has moved
the bodies: relaxation leaves speed, with which forty discs made in one place fly at 34 m/s."""

FASTEST_CORRECTION = 1.2
"""Speed, m/s, at which corrections move a crammed body at most: pairs part at `PUSH`, and those of a column would add up."""

CRAMMED = 1.0
"""Rate, m/s, at which an overlap would be pushed apart without a limit, above which bodies are crammed: 6 cm at eight sub-steps."""


@kernel
def soft_step(
    bodies: Bodies,
    contacts: Contacts,
    joints: Joints,
    impacts: Impacts,
    threshold: float,
    dt: float,
    n_steps: int,
    soft_h: float,
) -> None:
    """Advance bodies by `dt` seconds in `n_steps` sub-steps; velocities, shifts and impulses are written in place.

    Parameters
    ----------
    threshold : float
        Speed, m/s, below which nothing bounces.
    soft_h : float
        Duration, s, of the sub-steps whose stiffness contacts and joints have.
    """
    h = dt / n_steps
    bounce(bodies, contacts, impacts, threshold, dt, h)
    record(Stage(BOUNCED, 0, bodies.velocity, bodies.shift))
    of_impacts, before = contacts.total.copy(), bodies.velocity.copy()
    contacts.total[:] = 0.0
    _sub_steps(bodies, contacts, joints, h, soft_h, n_steps)
    record(Stage(END, 0, bodies.velocity, bodies.shift))
    for body in range(len(bodies.shift)):
        for k in range(3):
            bodies.shift[body, k] += impacts.later[body, k]
    _correct_free(bodies, contacts, joints, before, h)
    for row in range(len(contacts.n_points)):
        for k in range(2):
            for j in range(2):
                contacts.total[row, k, j] += of_impacts[row, k, j]


# Sub-steps


@allocating_kernel
def _sub_steps(bodies: Bodies, contacts: Contacts, joints: Joints, h: float, soft_h: float, n_steps: int) -> None:
    """Advance the bodies, and the impulses of contacts and joints."""
    order, n_movable = _order(bodies, contacts)
    movable, others = order[:n_movable], order[n_movable:]
    slow = max(h, soft_h)
    soft, hard = softness(0.125 / slow, CONTACT_DAMPING_RATIO, h), softness(0.25 / slow, CONTACT_DAMPING_RATIO, h)
    rigid, held = softness(JOINT_STIFFNESS / slow, JOINT_DAMPING_RATIO, h), np.zeros((len(contacts.n_points), 2))
    is_crammed = _crammed_bodies(bodies, contacts, soft.bias_rate)
    rows, is_long = first_rows(joints), _bodies_at_levers(bodies, joints)
    long_rows, long_movable, long_others = (
        _joints_at(joints, rows, is_long),
        _rows_at(contacts, movable, is_long),
        _rows_at(contacts, others, is_long),
    )
    n_more = LEVER_SWEEPS if len(long_movable) + len(long_others) > 0 else 0
    crammed, on_floor = _rows_at(contacts, movable, is_crammed), _rows_at(contacts, others, is_crammed)
    n_crammed, kept = CRAMMED_SWEEPS if len(crammed) + len(on_floor) > 0 else 0, contacts.impulse
    if soft_h < h:
        _hold(contacts, joints, 1.0 - (soft_h / h) ** 2, held)
    has_joints, velocity = len(joints.kind) > 0, bodies.velocity
    last, pushing, by_contacts = velocity.copy(), velocity.copy(), np.zeros((len(velocity), 3))
    warm_start_contacts(bodies, contacts)
    _add_change(velocity, last, by_contacts)
    _copy(last, velocity)
    for sub_step in range(n_steps):
        integrate_velocities(bodies, h)
        record(Stage(FREE, sub_step, bodies.velocity, bodies.shift))
        for body in range(len(velocity)):
            for k in range(3):
                velocity[body, k] += by_contacts[body, k]
        record(Stage(WARMED, sub_step, bodies.velocity, bodies.shift))
        if has_joints:
            warm_start_joints(bodies, joints)
            solve_joints(bodies, joints, rows, rigid, h, h * n_steps, False)
            record(Stage(JOINTS, sub_step, bodies.velocity, bodies.shift))
        _copy(velocity, last)
        record(Stage(SWEEP, sub_step, bodies.velocity, bodies.shift))
        for _ in range(n_crammed):
            sweep_soft_contacts(bodies, contacts, held, crammed, soft, 1.0 / h, True)
            sweep_soft_contacts(bodies, contacts, held, on_floor, hard, 1.0 / h, True)
        if n_crammed > 0:
            kept = contacts.impulse.copy()
        sweep_soft_contacts(bodies, contacts, held, movable, soft, 1.0 / h, False)
        sweep_soft_contacts(bodies, contacts, held, others, hard, 1.0 / h, False)
        for _ in range(n_more):
            _add_change(velocity, last, by_contacts)
            solve_joints(bodies, joints, long_rows, rigid, h, h * n_steps, False)
            _copy(velocity, last)
            sweep_soft_contacts(bodies, contacts, held, long_movable, soft, 1.0 / h, False)
            sweep_soft_contacts(bodies, contacts, held, long_others, hard, 1.0 / h, False)
        _add_change(velocity, last, by_contacts)
        _copy(velocity, pushing)
        integrate_positions(bodies, h)
        record(Stage(MOVE, sub_step, bodies.velocity, bodies.shift))
        if has_joints:
            solve_joints(bodies, joints, rows, rigid, h, h * n_steps, True)
            record(Stage(JOINTS, sub_step, bodies.velocity, bodies.shift))
        _copy(velocity, last)
        if n_crammed > 0:
            _take_back(bodies, contacts, crammed, kept)
            _take_back(bodies, contacts, on_floor, kept)
            record(Stage(TAKEN_BACK, sub_step, bodies.velocity, bodies.shift))
        record(Stage(RELAX, sub_step, bodies.velocity, bodies.shift))
        sweep_soft_contacts(bodies, contacts, held, movable, soft, 1.0 / h, True)
        sweep_soft_contacts(bodies, contacts, held, others, hard, 1.0 / h, True)
        for _ in range(n_more):
            _add_change(velocity, last, by_contacts)
            solve_joints(bodies, joints, long_rows, rigid, h, h * n_steps, True)
            _copy(velocity, last)
            sweep_soft_contacts(bodies, contacts, held, long_movable, soft, 1.0 / h, True)
            sweep_soft_contacts(bodies, contacts, held, long_others, hard, 1.0 / h, True)
        _add_change(velocity, last, by_contacts)
        _limit_push(bodies, is_crammed, pushing, h)
        _add_impulses(contacts, joints)


@inlined_kernel
def _hold(contacts: Contacts, joints: Joints, share: float, held: FloatArray) -> None:
    """Fill the impulses at which soft rows do not yield: a share of those from the last step, none for springs."""
    for row in range(len(contacts.n_points)):
        for k in range(2):
            held[row, k] = share * contacts.impulse[row, k, 0]
    for row in range(len(joints.kind)):
        for k in range(2):
            joints.held[row, k] = share * joints.impulse[row, k] if joints.mode[row] != SPRING else 0.0


@inlined_kernel
def _copy(source: FloatArray, target: FloatArray) -> None:
    for body in range(len(source)):
        for k in range(3):
            target[body, k] = source[body, k]


@inlined_kernel
def _add_change(velocity: FloatArray, before: FloatArray, change: FloatArray) -> None:
    """Add to `change` by how much velocities have changed."""
    for body in range(len(velocity)):
        for k in range(3):
            change[body, k] += velocity[body, k] - before[body, k]


@allocating_kernel
def _crammed_bodies(bodies: Bodies, contacts: Contacts, bias_rate: float) -> NDArray[np.bool_]:
    """Return which movable bodies overlap others so deeply that it would push them apart at `CRAMMED`, bool (n,)."""
    is_crammed = np.zeros(len(bodies.shift), dtype=np.bool_)
    for row in range(len(contacts.n_points)):
        for k in range(contacts.n_points[row]):
            if bias_rate * separation(bodies, contacts, row, k) < -CRAMMED:
                for side in range(2):
                    body = contacts.bodies[row, side]
                    is_crammed[body] = can_move(bodies.inverse, body)
    return is_crammed


@allocating_kernel
def _bodies_at_levers(bodies: Bodies, joints: Joints) -> NDArray[np.bool_]:
    """Return which bodies are held at a lever that is long against their radius of gyration, bool (n,)."""
    is_long = np.zeros(len(bodies.shift), dtype=np.bool_)
    for row in range(len(joints.kind)):
        if joints.kind[row] != SUM and joints.mode[row] == HOLD:
            for side in range(2):
                body, x, y = joints.bodies[row, side], joints.arm[row, 2 * side], joints.arm[row, 2 * side + 1]
                if (x * x + y * y) * bodies.inverse[body, 1] > LONG_LEVER**2 * bodies.inverse[body, 0]:
                    is_long[body] = True
    return is_long


@allocating_kernel
def _joints_at(joints: Joints, order: IntArray, is_chosen: NDArray[np.bool_]) -> IntArray:
    """Return the rows of joints, in order, at least one body of which is chosen."""
    rows, n = np.empty_like(order), 0
    for place in range(len(order)):
        row = order[place]
        if joints.kind[row] != SUM and (is_chosen[joints.bodies[row, 0]] or is_chosen[joints.bodies[row, 1]]):
            rows[n] = row
            n += 1
    return rows[:n]


@allocating_kernel
def _rows_at(contacts: Contacts, order: IntArray, is_chosen: NDArray[np.bool_]) -> IntArray:
    """Return the rows of contacts, in order, at least one body of which is chosen."""
    rows, n = np.empty_like(order), 0
    for place in range(len(order)):
        row = order[place]
        if is_chosen[contacts.bodies[row, 0]] or is_chosen[contacts.bodies[row, 1]]:
            rows[n] = row
            n += 1
    return rows[:n]


@inlined_kernel
def _take_back(bodies: Bodies, contacts: Contacts, rows: IntArray, kept: FloatArray) -> None:
    """Set the impulses of some contacts to earlier ones (n, 2, 2), and the velocities to what they would be with these."""
    for place in range(len(rows)):
        row = rows[place]
        a, b, nx, ny = pair_of(contacts, row)
        for k in range(contacts.n_points[row]):
            pn, pt = kept[row, k, 0] - contacts.impulse[row, k, 0], kept[row, k, 1] - contacts.impulse[row, k, 1]
            apply_at_point(bodies.velocity, bodies.inverse, a, b, arm_of(contacts, row, k), pn * nx + pt * ny, pn * ny - pt * nx)
            contacts.impulse[row, k, 0], contacts.impulse[row, k, 1] = kept[row, k, 0], kept[row, k, 1]


@inlined_kernel
def _limit_push(bodies: Bodies, is_crammed: NDArray[np.bool_], pushing: FloatArray, h: float) -> None:
    """Take back displacements by which corrections moved crammed bodies faster than `FASTEST_CORRECTION`, given their velocities then.

    Of a heap made in one place, each pair alone parts at `PUSH` at most, and those on top of it faster than that.
    """
    for body in range(len(pushing)):
        x, y = pushing[body, 0] - bodies.velocity[body, 0], pushing[body, 1] - bodies.velocity[body, 1]
        speed = sqrt(x * x + y * y)
        if is_crammed[body] and speed > FASTEST_CORRECTION:
            for k in range(3):
                bodies.shift[body, k] -= h * (1.0 - FASTEST_CORRECTION / speed) * (pushing[body, k] - bodies.velocity[body, k])
            turn_body(bodies, body)


@inlined_kernel
def _add_impulses(contacts: Contacts, joints: Joints) -> None:
    """Add the impulses of the sub-step to those of the step."""
    for row in range(len(contacts.n_points)):
        for k in range(2):
            for j in range(2):
                contacts.total[row, k, j] += contacts.impulse[row, k, j]
    for row in range(len(joints.kind)):
        for k in range(2):
            joints.total[row, k] += joints.impulse[row, k]


@allocating_kernel
def _order(bodies: Bodies, contacts: Contacts) -> tuple[IntArray, int]:
    """Return the rows of contacts, those between two movable bodies first, and the number of these."""
    n = len(contacts.n_points)
    order, n_movable, place = np.empty(n, dtype=np.int64), 0, 0
    for is_movable in (True, False):
        for row in range(n):
            a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
            if (can_move(bodies.inverse, a) and can_move(bodies.inverse, b)) == is_movable:
                order[place] = row
                place += 1
        if is_movable:
            n_movable = place
    return order, n_movable


# The trapezoidal rule


_HELD, _FREE, _SLIDES = 0, 1, 2
"""Status of a body: not free on any line, free, or free along one line, on which all its contacts slip."""

ONE_LINE = 1.0e-5
"""Maximum angle, rad, between the normals of two contacts that count as one line. Tiles at one height, or links of a straight chain, can
differ by rounding: some EPS64 for rotated normals, EPS32 times coordinate over length for vertices rounded to float32 (a tile of 1 m at 64
m: 4e-6). The correction of the trapezoidal rule, g h^2 / 2 per sub-step, times that angle is the motion into the second surface or off it:
1e-9 m at 60 Hz, 1e-5 of `TOUCH`."""


@allocating_kernel
def _correct_free(bodies: Bodies, contacts: Contacts, joints: Joints, before: FloatArray, h: float) -> None:
    """Subtract from the shifts the excess of semi-implicit Euler over the trapezoidal rule, in the directions in which bodies are free.

    Parameters
    ----------
    before : float64 (n, 3)
        Velocities before the first sub-step.
    """
    n = len(bodies.shift)
    status, line = np.full(n, _FREE), np.empty((n, 2))
    _mark_free(contacts, joints, status, line)
    for body in range(n):
        if status[body] == _HELD:
            continue
        x, y = 0.5 * h * (bodies.velocity[body, 0] - before[body, 0]), 0.5 * h * (bodies.velocity[body, 1] - before[body, 1])
        if status[body] == _FREE:
            bodies.shift[body, 2] -= 0.5 * h * (bodies.velocity[body, 2] - before[body, 2])
        else:
            nx, ny = line[body, 0], line[body, 1]
            along = x * ny - y * nx
            x, y = along * ny, -along * nx
        bodies.shift[body, 0] -= x
        bodies.shift[body, 1] -= y


@inlined_kernel
def _mark_free(contacts: Contacts, joints: Joints, status: IntArray, line: FloatArray) -> None:
    """Fill the status of each body, and the normal of its first contact, float64 (n, 2)."""
    for row in range(len(contacts.n_points)):
        if contacts.total[row, 0, 0] > 0.0 or contacts.total[row, 1, 0] > 0.0:
            slips = True
            for k in range(contacts.n_points[row]):
                pushes = contacts.impulse[row, k, 0] > 0.0
                slips &= not pushes or contacts.friction[row] * contacts.impulse[row, k, 0] <= abs(contacts.impulse[row, k, 1])
            for side in range(2):
                _mark_contact(status, line, contacts.bodies[row, side], contacts.normal[row, 0], contacts.normal[row, 1], slips)
    for row in range(len(joints.kind)):
        if joints.kind[row] != SUM and joints.mode[row] != READ:
            status[joints.bodies[row, 0]] = status[joints.bodies[row, 1]] = _HELD


@inlined_kernel
def _mark_contact(status: IntArray, line: FloatArray, body: int, nx: float, ny: float, slips: bool) -> None:
    """Update a body's status for a contact that has pushed, and that slips at Coulomb's limit if `slips`.

    A body that sticks can oscillate, as a tower does: semi-implicit Euler keeps that energy bounded, whereas the trapezoidal rule
    would increase it.
    """
    if not slips:
        status[body] = _HELD
    elif status[body] == _FREE:
        status[body] = _SLIDES
        line[body, 0], line[body, 1] = nx, ny
    elif status[body] == _SLIDES and abs(nx * line[body, 1] - ny * line[body, 0]) > ONE_LINE:
        status[body] = _HELD
