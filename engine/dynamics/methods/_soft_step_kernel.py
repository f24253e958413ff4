"""The soft step: one step of a world in a single call.

A step of dt is divided into n sub-steps of ``h = dt / n``, each with one pass over all constraints, instead of n passes over one step: for
the same work the errors decrease with h, and with h^2 for oscillations (M. Macklin et al., "Small Steps in Physics Simulation", 2019; E.
Catto, "Solver2D", 2024). Contacts are detected once per step. The stages of a sub-step are

1. velocities from gravity and forces,
2. the impulses of the last sub-step again (*warm starting*): bodies at rest start from the solution,
3. joints, then contacts, with soft correction of position errors,
4. positions,
5. joints, then contacts, without correction (*relaxation*).

The frequency of closed contacts is ``1 / (8 h)``, that of joints twice as high: 60 and 120 Hz at eight sub-steps of 1/60 s. With a fixed 30
Hz a tower of fifteen boxes buckles for any number of sub-steps. For contacts with an immovable body the frequency is twice as high too.

Contacts are warm started per body: lever arms are constant within a step, so all contacts of a body together change its velocity by one sum
per sub-step, which the next sub-step applies first. So two passes over the contacts suffice instead of three.

Joints and contacts of small islands are also solved directly before each pass (`_direct_kernel`), and are then stiffer, on request or if
their contacts are too soft for their loads.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common._lanes_kernel import WIDTH
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.dynamics._contact_kernel import (
    AX,
    BIAS_RATE,
    BLOCK,
    FRICTION,
    GAP,
    NORMAL_IMPULSE,
    NORMAL_MASS,
    NORMAL_TOTAL,
    NX,
    OF_POINT,
    RADIUS_A,
    TANGENT_IMPULSE,
    place_in_lanes,
    prepare_lanes,
    relax_lanes,
    solve_lanes,
    sweep_soft_contacts,
    take_back_lanes,
    warm_start_lanes,
)
from engine.dynamics._direct_kernel import MAX_BODIES, System, excess_of, factorize, solve_at_once, stiffen, system_of, update_jacobians
from engine.dynamics._graph_kernel import colored
from engine.dynamics._impact_kernel import Impacts, bounce
from engine.dynamics._integration_kernel import integrate_positions, integrate_velocities
from engine.dynamics._joint_kernel import solve_either, warm_start_joints
from engine.dynamics._matching_kernel import feature_of
from engine.dynamics._softness_kernel import Softness, softness
from engine.dynamics._solver_trace_kernel import BEGIN, BOUNCED, END, FREE, JOINTS, MOVE, RELAX, SWEEP, WARMED, record_stage
from engine.dynamics.model import FEATURES, N_FLOATS, READ, SUM, TOTAL, Bodies, Contacts, Joints, Masses, Materials, Scratch
from engine.dynamics.tolerances import CONTACT_DAMPING_RATIO, FIRM_RATE, JOINT_DAMPING_RATIO, MAX_LOADED_BODIES
from engine.geometry._rotation_kernel import cosine_and_sine

__all__ = ["soft_step"]


class Blocks(NamedTuple):
    """Contacts in lanes.

    Attributes
    ----------
    lanes : float64 (n_blocks * BLOCK,)
    pairs : int64 (n_blocks * 2 * WIDTH or more,)
        Rows of bodies A and then of B in each block.
    place : int64 (n,)
        Eight times the block of each contact, and its lane.
    records : float64 (n_bodies * WIDTH,)
    """

    lanes: FloatArray
    pairs: IntArray
    place: IntArray
    records: FloatArray


class Parts(NamedTuple):
    """The velocity of each body in two parts, float64 (n + 1, 3): the sum added by contacts in a sub-step, which is the warm start of the
    next one, and the rest."""

    by_contacts: FloatArray
    by_others: FloatArray


class Plan(NamedTuple):
    """Durations of a step and of its `n_steps` sub-steps, s; softness of contacts between two movable bodies, with an immovable one, and of
    joints; the rows to solve directly, the yield of a contact, m, above which they are (see `soft_step`), and their firmness."""

    dt: float
    h: float
    n_steps: int
    soft: Softness
    hard: Softness
    held: Softness
    with_joints: bool
    with_contacts: bool
    max_yield: float
    firmness: float


class Direct(NamedTuple):
    """Rows that are solved directly; the firmness of each joint row among them, else 0; and the coefficient a of joints."""

    system: System
    firmness: FloatArray
    stiffness: float


@kernel
def soft_step(
    values: FloatArray,
    ended: FloatArray,
    centers: FloatArray,
    masses: Masses,
    moves: NDArray[np.bool_],
    drives: NDArray[np.bool_],
    force: FloatArray,
    gravity_x: float,
    gravity_y: float,
    solved: IntArray,
    ints: IntArray,
    floats: FloatArray,
    materials: Materials,
    joints: Joints,
    scratch: Scratch,
    dt: float,
    n_steps: int,
    threshold: float,
    with_joints: bool,
    with_contacts: bool,
    max_yield: float,
    firmness: float,
    trace: FloatArray | None,
) -> int:
    """Advance bodies by `dt` seconds in `n_steps` sub-steps; see the module.

    Parameters
    ----------
    values, ended : float64 (n, 6)
        x, y, angle, vx, vy, omega of bodies at the start of the step; `ended` is filled with those at its end.
    centers : float64 (n + 1, 2)
        Centers of mass, world frame.
    moves, drives : bool (n + 1,)
        Bodies that are awake and not static; those of these that are dynamic.
    force : float64 (n, 3)
        N and N m, over the step.
    solved, ints, floats
        Contacts, see `model`; impulses are written. `floats` has one additional record, for lanes without a contact.
    joints : Joints
        Updated in place.
    scratch : Scratch
    threshold : float
        Speed, m/s, below which nothing bounces.
    with_joints, with_contacts : bool
        Rows to be solved directly as well, in suitable islands (`_direct_kernel`).
    max_yield : float
        m: islands are solved directly only if a contact would yield more or a column would buckle, and become stiff enough for neither;
        0: all islands.
    firmness : float
        Factor of the coefficient a (`_softness_kernel`) of directly solved rows, if `max_yield` is 0.
    trace : float64 (k, TRACE_WIDTH), or None
        See `_solver_trace_kernel`. With a trace, the plain loop of `_contact_kernel` solves the contacts, with the same bits.

    Returns
    -------
    int
        0; or, if `scratch` is too small and nothing has been done, the number of blocks needed; or -1 if a number is no longer finite.
    """
    n, n_contacts, h = len(values), len(solved), dt / n_steps
    inverse, records = scratch.inverse, scratch.records
    for body in range(n + 1):
        for k in range(2):
            inverse[body, k] = masses.inverse[body, k] if drives[body] else 0.0
    place = scratch.place[:n_contacts]
    n_blocks = colored(solved[:, 1:3], drives, place, scratch.color[:n_contacts], scratch.status, scratch.counts[0], scratch.counts[1])
    if n_blocks * BLOCK > len(scratch.lanes):
        return n_blocks
    _begin(values, centers, masses, moves, drives, force, gravity_x, gravity_y, scratch, h)
    soft, hard = softness(0.125 / h, CONTACT_DAMPING_RATIO, h), softness(0.25 / h, CONTACT_DAMPING_RATIO, h)
    plan = Plan(dt, h, n_steps, soft, hard, softness(0.25 / h, JOINT_DAMPING_RATIO, h), with_joints, with_contacts, max_yield, firmness)
    blocks = Blocks(scratch.lanes[: n_blocks * BLOCK], scratch.pairs, place, records.reshape(-1))
    _fill_blocks(blocks, solved, floats, scratch, plan, n)
    bodies = Bodies(records[:, 0:3], records[:, 3:6], records[:, 6:8], inverse, scratch.push, scratch.decay)
    record_stage(trace, bodies, BEGIN, 0)
    _bounce(bodies, blocks, solved, ints, floats, materials, scratch, threshold, dt, h)
    record_stage(trace, bodies, BOUNCED, 0)
    for body in range(n + 1):
        for k in range(3):
            scratch.before[body, k] = records[body, k]
    _sub_steps(bodies, blocks, joints, Parts(scratch.by_contacts, scratch.by_others), plan, trace)
    record_stage(trace, bodies, END, 0)
    for block in range(np.uint64(n_blocks)):
        take_back_lanes(blocks.lanes, block * np.uint64(BLOCK), scratch.rows, block * np.uint64(WIDTH), floats.reshape(-1))
    _mark_free(blocks, solved, joints, scratch)
    return _end(values, ended, centers, masses, moves, scratch, h)


@inlined_kernel
def _fill_blocks(blocks: Blocks, solved: IntArray, floats: FloatArray, scratch: Scratch, plan: Plan, n: int) -> None:
    """Fill the blocks from the contact records; lanes without a contact get the empty last record and the world's own body `n`."""
    n_blocks, empty = len(blocks.lanes) // BLOCK, len(floats) - 1
    for k in range(N_FLOATS):
        floats[empty, k] = 0.0
    for k in range(n_blocks * WIDTH):
        blocks.pairs[2 * k], blocks.pairs[2 * k + 1], scratch.rows[k] = n, n, empty * (N_FLOATS // WIDTH)
    place_in_lanes(blocks.pairs, scratch.rows, blocks.place, solved)
    soft, hard = plan.soft, plan.hard
    for block in range(np.uint64(n_blocks)):
        prepare_lanes(
            blocks.lanes, block * np.uint64(BLOCK), blocks.pairs, block * np.uint64(2 * WIDTH), scratch.rows, block * np.uint64(WIDTH),
            floats.reshape(-1), scratch.constants.reshape(-1),
            soft.bias_rate, soft.mass_scale, soft.impulse_scale, hard.bias_rate, hard.mass_scale, hard.impulse_scale,
        )  # fmt: skip


# Sub-steps


@allocating_kernel
def _sub_steps(bodies: Bodies, blocks: Blocks, joints: Joints, parts: Parts, plan: Plan, trace: FloatArray | None) -> None:
    """Advance the bodies, which are stored in `Blocks.records`, and the impulses of contacts and joints."""
    direct = _begin_direct(bodies, blocks, joints, plan)
    has_rows = len(direct.system.kind) > 0 or len(joints.kind) > 0
    _warm_start_contacts(bodies, blocks, parts)
    for sub_step in range(plan.n_steps):
        integrate_velocities(bodies, plan.h)
        record_stage(trace, bodies, FREE, sub_step)
        for body in range(len(bodies.velocity)):
            for k in range(3):
                parts.by_others[body, k] = bodies.velocity[body, k]
                bodies.velocity[body, k] += parts.by_contacts[body, k]
        record_stage(trace, bodies, WARMED, sub_step)
        if len(joints.kind) > 0:
            warm_start_joints(bodies, joints)
            _subtract(bodies.velocity, parts.by_contacts, parts.by_others)
        if has_rows:
            _solve_joints(bodies, blocks, joints, direct, parts, plan, False)
            record_stage(trace, bodies, JOINTS, sub_step)
        record_stage(trace, bodies, SWEEP, sub_step)
        _sweep(bodies, blocks, 1.0 / plan.h, False, trace)
        integrate_positions(bodies, plan.h)
        record_stage(trace, bodies, MOVE, sub_step)
        if has_rows:
            _subtract(bodies.velocity, parts.by_others, parts.by_contacts)
            _solve_joints(bodies, blocks, joints, direct, parts, plan, True)
            record_stage(trace, bodies, JOINTS, sub_step)
        record_stage(trace, bodies, RELAX, sub_step)
        _sweep(bodies, blocks, 1.0 / plan.h, True, trace)
        _subtract(bodies.velocity, parts.by_others, parts.by_contacts)


@allocating_kernel
def _begin_direct(bodies: Bodies, blocks: Blocks, joints: Joints, plan: Plan) -> Direct:
    """Return the rows that are solved directly; those of contacts become stiffer for the sweeps as well."""
    held, firmness = plan.held, np.zeros(len(joints.kind))
    stiff, with_contacts = held.mass_scale / held.impulse_scale, plan.with_contacts
    max_bodies, excess = MAX_BODIES, np.full(len(bodies.velocity), plan.firmness)
    if plan.max_yield > 0.0:
        max_bodies, excess = MAX_LOADED_BODIES, excess_of(bodies, blocks.lanes, blocks.pairs, plan.max_yield)
    is_needed = excess.max() >= 1.0
    system = system_of(
        bodies, blocks.lanes, blocks.pairs, joints, is_needed and plan.with_joints, is_needed and with_contacts, excess, max_bodies, stiff
    )
    if len(system.kind) > 0:
        stiffen(blocks.lanes, blocks.pairs, system, firmness, with_contacts)
        factorize(bodies, system)
    return Direct(system, firmness, stiff)


@inlined_kernel
def _warm_start_contacts(bodies: Bodies, blocks: Blocks, parts: Parts) -> None:
    """Fill the velocity changes due to the contacts' impulses, without applying them."""
    velocity = bodies.velocity
    for body in range(len(velocity)):
        for k in range(3):
            parts.by_others[body, k] = velocity[body, k]
    for block in range(np.uint64(len(blocks.lanes) // BLOCK)):
        warm_start_lanes(blocks.lanes, block * np.uint64(BLOCK), blocks.pairs, block * np.uint64(2 * WIDTH), blocks.records)
    _subtract(velocity, parts.by_others, parts.by_contacts)
    for body in range(len(velocity)):
        for k in range(3):
            velocity[body, k] = parts.by_others[body, k]


@allocating_kernel
def _solve_joints(bodies: Bodies, blocks: Blocks, joints: Joints, direct: Direct, parts: Parts, plan: Plan, is_relaxing: bool) -> None:
    """Solve the direct rows together, then all rows of joints one after the other."""
    h, system = plan.h, direct.system
    if len(system.kind) > 0:
        if is_relaxing:
            update_jacobians(bodies, blocks.lanes, joints, system, direct.stiffness)
            if len(joints.kind) > 0:
                factorize(bodies, system)
        rates = plan.soft.bias_rate, plan.hard.bias_rate, FIRM_RATE / h
        solve_at_once(bodies, blocks.lanes, joints, system, rates, h, is_relaxing, parts.by_others)
        for body in system.body:
            if system.node[body] >= 0:  # rounding must not reach other islands
                for k in range(3):
                    parts.by_contacts[body, k] = bodies.velocity[body, k] - parts.by_others[body, k]
    if len(joints.kind) > 0:
        for row in range(len(joints.kind)):
            stiff = direct.firmness[row] * direct.stiffness
            softness_of = Softness(FIRM_RATE / h, stiff / (1.0 + stiff), 1.0 / (1.0 + stiff)) if stiff > 0.0 else plan.held
            solve_either(bodies, joints, row, softness_of, h, plan.dt, is_relaxing)
        _subtract(bodies.velocity, parts.by_contacts, parts.by_others)
        if is_relaxing:
            for row in range(len(joints.kind)):
                for k in range(2):
                    joints.total[row, k] += joints.impulse[row, k]


@allocating_kernel
def _sweep(bodies: Bodies, blocks: Blocks, per_h: float, is_relaxing: bool, trace: FloatArray | None) -> None:
    """Solve all contacts once, eight at a time; with a trace, one after the other in the same order."""
    if trace is None:
        for block in range(np.uint64(len(blocks.lanes) // BLOCK)):
            at, of_pairs = block * np.uint64(BLOCK), block * np.uint64(2 * WIDTH)
            if is_relaxing:
                relax_lanes(blocks.lanes, at, blocks.pairs, of_pairs, blocks.records, per_h)
            else:
                solve_lanes(blocks.lanes, at, blocks.pairs, of_pairs, blocks.records, per_h)
    else:
        which = np.arange(len(blocks.place))
        contacts, softness_of = _contacts_of_lanes(blocks, which)
        sweep_soft_contacts(bodies, contacts, softness_of, np.argsort(blocks.place), per_h, is_relaxing, trace)
        _write_to_lanes(blocks, which, contacts)


@inlined_kernel
def _subtract(velocity: FloatArray, part: FloatArray, rest: FloatArray) -> None:
    """Fill the rest of each body's velocity, without the given part."""
    for body in range(len(velocity)):
        for k in range(3):
            rest[body, k] = velocity[body, k] - part[body, k]


# Contacts out of their lanes


@allocating_kernel
def _contacts_of_lanes(blocks: Blocks, which: IntArray) -> tuple[Contacts, FloatArray]:
    """Return some contacts with one row each, and their softness (n, 3)."""
    n, lanes = len(which), blocks.lanes
    contacts = Contacts(
        np.empty((n, 2), dtype=np.int64), np.empty(n, dtype=np.int64), np.empty((n, 2)), np.empty((n, 2, 4)), np.empty((n, 2)),
        np.empty((n, 2)), np.empty((n, 2, 2)), np.empty(n), np.empty((n, 2, 2)), np.empty((n, 2, 2)),
    )  # fmt: skip
    softness_of = np.empty((n, 3))
    for row in range(n):
        block, lane = blocks.place[which[row]] // WIDTH, blocks.place[which[row]] % WIDTH
        at = BLOCK * block + lane
        contacts.n_points[row] = 2 if lanes[at + (OF_POINT + NORMAL_MASS) * WIDTH] > 0.0 else 1
        contacts.friction[row] = lanes[at + FRICTION * WIDTH]
        for k in range(3):
            softness_of[row, k] = lanes[at + (BIAS_RATE + k) * WIDTH]
        for k in range(2):
            contacts.bodies[row, k] = blocks.pairs[2 * WIDTH * block + k * WIDTH + lane]
            contacts.normal[row, k], contacts.radius[row, k] = lanes[at + (NX + k) * WIDTH], lanes[at + (RADIUS_A + k) * WIDTH]
            to = at + k * OF_POINT * WIDTH
            contacts.gap[row, k] = lanes[to + GAP * WIDTH]
            for j in range(4):
                contacts.arm[row, k, j] = lanes[to + (AX + j) * WIDTH]
            for j in range(2):
                contacts.mass[row, k, j] = lanes[to + (NORMAL_MASS + j) * WIDTH]
                contacts.impulse[row, k, j] = lanes[to + (NORMAL_IMPULSE + j) * WIDTH]
                contacts.total[row, k, j] = lanes[to + (NORMAL_TOTAL + j) * WIDTH]
    return contacts, softness_of


@inlined_kernel
def _write_to_lanes(blocks: Blocks, which: IntArray, contacts: Contacts) -> None:
    """Write gaps and impulses of some contacts back to their lanes."""
    for row in range(len(which)):
        at = BLOCK * (blocks.place[which[row]] // WIDTH) + blocks.place[which[row]] % WIDTH
        for k in range(2):
            to = at + k * OF_POINT * WIDTH
            blocks.lanes[to + GAP * WIDTH] = contacts.gap[row, k]
            for j in range(2):
                blocks.lanes[to + (NORMAL_IMPULSE + j) * WIDTH] = contacts.impulse[row, k, j]
                blocks.lanes[to + (NORMAL_TOTAL + j) * WIDTH] = contacts.total[row, k, j]


@allocating_kernel
def _bounce(
    bodies: Bodies, blocks: Blocks, solved: IntArray, ints: IntArray, floats: FloatArray, materials: Materials, scratch: Scratch,
    threshold: float, dt: float, h: float,
) -> None:  # fmt: skip
    """Solve the impacts of the few contacts with a restitution; their impulses are those of the records."""
    restitution_of, n = np.empty(len(solved)), 0
    for contact in range(len(solved)):
        first, second = materials.restitution[solved[contact, 3]], materials.restitution[solved[contact, 4]]
        restitution_of[contact] = max(first, second)
        if restitution_of[contact] > 0.0:
            n += 1
    if n == 0:
        return
    which, is_round = np.flatnonzero(restitution_of > 0.0), np.empty(n, dtype=np.bool_)
    for row in range(n):
        record, _, _, first, second = solved[which[row]]
        is_round[row] = materials.is_round[first] and materials.is_round[second] and feature_of(ints[record, FEATURES], 0) >> 16 == 0
    contacts, _ = _contacts_of_lanes(blocks, which)
    bounce(bodies, contacts, Impacts(restitution_of[which], is_round, scratch.last, scratch.later), threshold, dt, h)
    for row in range(n):
        for k in range(2):
            for j in range(2):
                floats[solved[which[row], 0], TOTAL + 2 * k + j], contacts.total[row, k, j] = contacts.total[row, k, j], 0.0
    _write_to_lanes(blocks, which, contacts)


# Begin and end


_HELD, _FREE, _SLIDES = 0, 1, 2
"""Status of a body: not free on any line, free, or free along one line, on which all its contacts slip."""

ONE_LINE = 1.0e-5
"""Maximum angle, rad, between the normals of two contacts that count as one line. Tiles at one height, or links of a straight chain, can
differ by rounding: some EPS64 for rotated normals, EPS32 times coordinate over length for vertices rounded to float32 (a tile of 1 m at 64
m: 4e-6). The correction of the trapezoidal rule, g h^2 / 2 per sub-step, times that angle is the motion into the second surface or off it:
1e-9 m at 60 Hz, 1e-5 of `TOUCH`."""


@inlined_kernel
def _mark_free(blocks: Blocks, solved: IntArray, joints: Joints, scratch: Scratch) -> None:
    """Fill the status of each body."""
    scratch.status[:] = _FREE
    lanes = blocks.lanes
    for contact in range(len(solved)):
        at = BLOCK * (blocks.place[contact] // WIDTH) + blocks.place[contact] % WIDTH
        if lanes[at + NORMAL_TOTAL * WIDTH] > 0.0 or lanes[at + (OF_POINT + NORMAL_TOTAL) * WIDTH] > 0.0:
            slips = lanes[at + FRICTION * WIDTH] * lanes[at + NORMAL_IMPULSE * WIDTH] <= abs(lanes[at + TANGENT_IMPULSE * WIDTH])
            for side in range(1, 3):
                _mark_contact(scratch, solved[contact, side], lanes[at + NX * WIDTH], lanes[at + (NX + 1) * WIDTH], slips)
    for row in range(len(joints.kind)):
        if joints.kind[row] != SUM and joints.mode[row] != READ:
            scratch.status[joints.bodies[row, 0]] = scratch.status[joints.bodies[row, 1]] = _HELD


@inlined_kernel
def _mark_contact(scratch: Scratch, body: int, nx: float, ny: float, slips: bool) -> None:
    """Update a body's status for a contact that has pushed, and that slips at Coulomb's limit if `slips`.

    A body that sticks can oscillate, as a tower does: semi-implicit Euler keeps that energy bounded, whereas the trapezoidal rule
    would increase it. `scratch.by_others` stores the normal of the first contact.
    """
    if not slips:
        scratch.status[body] = _HELD
    elif scratch.status[body] == _FREE:
        scratch.status[body] = _SLIDES
        scratch.by_others[body, 0], scratch.by_others[body, 1] = nx, ny
    elif scratch.status[body] == _SLIDES and abs(nx * scratch.by_others[body, 1] - ny * scratch.by_others[body, 0]) > ONE_LINE:
        scratch.status[body] = _HELD


@inlined_kernel
def _trapezoid(scratch: Scratch, body: int, h: float) -> None:
    """Subtract from the shift the excess of semi-implicit Euler over the trapezoidal rule, in the directions in which the body is free."""
    records, before = scratch.records, scratch.before
    x, y = 0.5 * h * (records[body, 0] - before[body, 0]), 0.5 * h * (records[body, 1] - before[body, 1])
    if scratch.status[body] == _FREE:
        records[body, 5] -= 0.5 * h * (records[body, 2] - before[body, 2])
    else:
        nx, ny = scratch.by_others[body, 0], scratch.by_others[body, 1]
        along = x * ny - y * nx
        x, y = along * ny, -along * nx
    records[body, 3] -= x
    records[body, 4] -= y


@inlined_kernel
def _begin(
    values: FloatArray, centers: FloatArray, masses: Masses, moves: NDArray[np.bool_], drives: NDArray[np.bool_], force: FloatArray,
    gravity_x: float, gravity_y: float, scratch: Scratch, h: float,
) -> None:  # fmt: skip
    """Fill velocities, and the acceleration and damping of each body that is driven."""
    n = len(values)
    for body in range(n + 1):
        for k in range(WIDTH):
            scratch.records[body, k] = values[body, 3 + k] if k < 3 and moves[body] and body < n else 0.0
        scratch.records[body, 6] = 1.0
        for k in range(2):
            scratch.constants[body, k], scratch.constants[body, 2 + k] = centers[body, k], scratch.inverse[body, k]
        is_driven = drives[body] and body < n
        for k in range(3):
            pull = (gravity_x, gravity_y, 0.0)[k] * masses.gravity_scale[body]
            inverse = masses.inverse[body, 0 if k < 2 else 1]
            scratch.push[body, k] = pull + force[body, k] * inverse if is_driven else 0.0
            scratch.later[body, k] = 0.0
        for k in range(2):
            scratch.decay[body, k] = 1.0 / (1.0 + h * masses.damping[body, k]) if is_driven else 1.0


@inlined_kernel
def _end(
    values: FloatArray, ended: FloatArray, centers: FloatArray, masses: Masses, moves: NDArray[np.bool_], scratch: Scratch, h: float
) -> int:
    """Fill the poses and velocities at the end; return -1 if a number is not finite, else 0."""
    result, records = 0, scratch.records
    for body in range(len(values)):
        if not moves[body]:
            for k in range(6):
                ended[body, k] = values[body, k]
            continue
        for k in range(3):
            records[body, 3 + k] += scratch.later[body, k]
            ended[body, 3 + k] = records[body, k]
        if scratch.status[body] != _HELD:
            _trapezoid(scratch, body, h)
        angle = values[body, 2] + records[body, 5]
        cos, sin = cosine_and_sine(angle)
        x, y = masses.center[body, 0], masses.center[body, 1]
        ended[body, 0] = centers[body, 0] + records[body, 3] - (cos * x - sin * y)
        ended[body, 1] = centers[body, 1] + records[body, 4] - (sin * x + cos * y)
        ended[body, 2] = angle
        for k in range(6):
            if not abs(ended[body, k]) < inf:
                result = -1
    return result
