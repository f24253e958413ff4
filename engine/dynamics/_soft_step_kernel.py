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

If asked, joints and contacts of small islands are solved at once before each pass (`_direct_kernel`), and are stiffer then.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common._lanes_kernel import WIDTH
from engine.common._record_kernel import record
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies, integrate_positions, integrate_velocities
from engine.dynamics._contact_kernel import (
    AX,
    BLOCK,
    FRICTION,
    GAP,
    IMPULSE_SCALE,
    MASS_SCALE,
    NORMAL_IMPULSE,
    NORMAL_MASS,
    NORMAL_TOTAL,
    NX,
    OF_POINT,
    RADIUS_A,
    TANGENT_IMPULSE,
    TANGENT_MASS,
    TOLD,
    TOLD_OF_ROW,
    Contacts,
    Materials,
    place_in_lanes,
    prepare_lanes,
    relax_lanes,
    solve_lanes,
    take_back_lanes,
    told_relax_lanes,
    told_solve_lanes,
    warm_start_lanes,
)
from engine.dynamics._direct_kernel import HOLDS, System, factorize, look_again, solve_at_once, system_of
from engine.dynamics._graph_kernel import colored
from engine.dynamics._impact_kernel import Impacts, bounce
from engine.dynamics._joint_kernel import DAMPING_RATIO as JOINT_DAMPING_RATIO
from engine.dynamics._joint_kernel import READ, SUM, Joints, solve_either, solve_joints, warm_start_joints
from engine.dynamics._rows_kernel import COUNT, FEATURES, FLAGS, N_NUMBERS, TOTAL, feature_of
from engine.dynamics._softness_kernel import Softness, softness
from engine.dynamics._solver_trace_kernel import (
    BEGIN,
    BOUNCED,
    END,
    FREE,
    JOINTS,
    MOVE,
    NORMAL,
    RELAX,
    SWEEP,
    TANGENT,
    WARMED,
    tell_stage,
)
from engine.geometry._rotation_kernel import cosine_and_sine

__all__ = ["Masses", "Room", "soft_step"]

DAMPING_RATIO = 10.0
"""Of contacts: an overlap goes without a bounce."""
FIRM_RATE = 0.4
"""Share of its error that a joint solved at once makes up in a sub-step."""


class Room(NamedTuple):
    """Room to work in, used again in every step; contents arbitrary.

    Attributes
    ----------
    records : float64 (n + 1, WIDTH)
        Of each body velocity and spin, shift and turn since the step began, cosine and sine of that.
    push, warm, free, later, before : float64 (n + 1, 3)
    decay, inverse : float64 (n + 1, 2)
    last : float64 (n + 1,)
    place, color : int64 (n_contacts,)
    taken : uint64 (n + 1,)
    counts : int64 (2, COLORS)
    constants : float64 (n + 1, WIDTH)
        Of each body the center of mass in the world, 1/kg and 1/(kg m^2).
    lanes, pairs, rows : float64 (any,), int64 (any,), int64 (any,)
    """

    records: FloatArray
    push: FloatArray
    warm: FloatArray
    free: FloatArray
    later: FloatArray
    before: FloatArray
    decay: FloatArray
    inverse: FloatArray
    last: FloatArray
    place: IntArray
    color: IntArray
    taken: NDArray[np.uint64]
    counts: IntArray
    constants: FloatArray
    lanes: FloatArray
    pairs: IntArray
    rows: IntArray


class Masses(NamedTuple):
    """Columns of bodies, (n + 1, 2) and (n + 1,); see `Tables`. The last row is the world's own body."""

    inverse: FloatArray
    center: FloatArray
    damping: FloatArray
    gravity_scale: FloatArray


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
    whole: IntArray,
    number: FloatArray,
    materials: Materials,
    joints: Joints,
    room: Room,
    dt: float,
    n_steps: int,
    threshold: float,
    with_joints: bool,
    with_contacts: bool,
    firmness: float,
    trace: FloatArray | None,
) -> int:
    """Advance bodies by `dt` seconds in `n_steps` sub-steps; see the module.

    Parameters
    ----------
    values, ended : float64 (n, 6)
        x, y, angle, vx, vy, omega of bodies as the step begins; filled: as it ends.
    centers : float64 (n + 1, 2)
        Of mass, world frame.
    moves, drives : bool (n + 1,)
        Bodies that are awake and not static; those of these that are dynamic.
    force : float64 (n, 3)
        N and N m, over the step.
    solved, whole, number
        See `_rows_kernel`; impulses are written. `number` has one row more than there are, for those lanes that have no contact.
    joints : Joints
        Written in place.
    room : Room
    threshold : float
        m/s, below which nothing bounces.
    with_joints, with_contacts : bool
        What is solved at once as well, where an island allows (`_direct_kernel`).
    firmness : float
        So many times as stiff as others, by the coefficient a of `_softness_kernel`, is what is solved at once.
    trace : float64 (k, TRACE_WIDTH), or None
        See `_solver_trace_kernel`.

    Returns
    -------
    int
        0; or how many blocks there is to be room for, and nothing has been done; or -1 where a number is not finite any more.
    """
    n, n_contacts, h = len(values), len(solved), dt / n_steps
    inverse, records = room.inverse, room.records
    for body in range(n + 1):
        for k in range(2):
            inverse[body, k] = masses.inverse[body, k] if drives[body] else 0.0
    place = room.place[:n_contacts]
    n_blocks = colored(solved[:, 1:3], drives, place, room.color[:n_contacts], room.taken, room.counts[0], room.counts[1])
    if n_blocks * BLOCK > len(room.lanes):
        return n_blocks
    _begin(values, centers, masses, moves, drives, force, gravity_x, gravity_y, room, h)
    lanes, pairs, rows, numbers = room.lanes[: n_blocks * BLOCK], room.pairs, room.rows, number.reshape(-1)
    no_one = len(number) - 1
    for k in range(N_NUMBERS):
        number[no_one, k] = 0.0
    for k in range(n_blocks * WIDTH):
        pairs[2 * k], pairs[2 * k + 1], rows[k] = n, n, no_one * (N_NUMBERS // WIDTH)
    place_in_lanes(pairs, rows, place, solved)
    soft, hard = softness(0.125 / h, DAMPING_RATIO, h), softness(0.25 / h, DAMPING_RATIO, h)
    for block in range(np.uint64(n_blocks)):
        at, of_rows = block * np.uint64(BLOCK), block * np.uint64(WIDTH)
        prepare_lanes(
            lanes, at, pairs, block * np.uint64(2 * WIDTH), rows, of_rows, numbers, room.constants.reshape(-1),
            soft.bias_rate, soft.mass_scale, soft.impulse_scale, hard.bias_rate, hard.mass_scale, hard.impulse_scale,
        )  # fmt: skip
    bodies = Bodies(records[:, 0:3], records[:, 3:6], records[:, 6:8], inverse, room.push, room.decay)
    tell_stage(trace, bodies, BEGIN, 0)
    _bounce_lanes(bodies, lanes, place, solved, whole, number, materials, room, threshold, dt, h)
    tell_stage(trace, bodies, BOUNCED, 0)
    for body in range(n + 1):
        for k in range(3):
            room.before[body, k] = records[body, k]
    _sub_steps(
        bodies, records.reshape(-1), lanes, pairs, joints, room.warm, room.free, dt, n_steps, soft, hard, with_joints, with_contacts,
        firmness, place, trace,
    )  # fmt: skip
    tell_stage(trace, bodies, END, 0)
    for block in range(np.uint64(n_blocks)):
        take_back_lanes(lanes, block * np.uint64(BLOCK), rows, block * np.uint64(WIDTH), numbers)
    room.taken[:] = _FREE
    for contact in range(n_contacts):
        at = BLOCK * (place[contact] // WIDTH) + place[contact] % WIDTH
        if lanes[at + NORMAL_TOTAL * WIDTH] > 0.0 or lanes[at + (OF_POINT + NORMAL_TOTAL) * WIDTH] > 0.0:
            slips = lanes[at + FRICTION * WIDTH] * lanes[at + NORMAL_IMPULSE * WIDTH] <= abs(lanes[at + TANGENT_IMPULSE * WIDTH])
            for side in range(1, 3):
                _lean(room, solved[contact, side], lanes[at + NX * WIDTH], lanes[at + (NX + 1) * WIDTH], slips)
    for row in range(len(joints.kind)):
        if joints.kind[row] != SUM and joints.mode[row] != READ:
            room.taken[joints.bodies[row, 0]] = room.taken[joints.bodies[row, 1]] = _HELD
    return _end(values, ended, centers, masses, moves, room, h)


_HELD, _FREE, _SLIDES = 0, 1, 2
"""What a body is: not free on any line, free, or free along one line, on which all its contacts slip."""

ONE_LINE = 1.0e-5
"""Radians between the normals of two contacts that are one line all the same. Tiles laid on one height, or links of a straight chain, may
differ by their rounding: some EPS64 for normals that were turned, EPS32 times coordinate over length for vertices that were float32's once
(a tile of 1 m at 64 m: 4e-6). What the trapezoid takes back, g h^2 / 2 a sub-step, goes by that angle into the second surface or off it:
1e-9 m at 60 Hz, 1e-5 of `TOUCH`."""


@inlined_kernel
def _lean(room: Room, body: int, nx: float, ny: float, slips: bool) -> None:
    """Note a contact that has pushed, and whether it slips, with all friction that it has: `room.free` keeps the normal of the first.

    What sticks may swing, as a tower does: semi-implicit Euler keeps the energy of that, and the trapezoid would add some each time.
    """
    if not slips:
        room.taken[body] = _HELD
    elif room.taken[body] == _FREE:
        room.taken[body] = _SLIDES
        room.free[body, 0], room.free[body, 1] = nx, ny
    elif room.taken[body] == _SLIDES and abs(nx * room.free[body, 1] - ny * room.free[body, 0]) > ONE_LINE:
        room.taken[body] = _HELD


@inlined_kernel
def _trapezoid(room: Room, body: int, h: float) -> None:
    """Take back from the shift what semi-implicit Euler is beyond the trapezoid, on the lines on which the body is free."""
    records, before = room.records, room.before
    x, y = 0.5 * h * (records[body, 0] - before[body, 0]), 0.5 * h * (records[body, 1] - before[body, 1])
    if room.taken[body] == _FREE:
        records[body, 5] -= 0.5 * h * (records[body, 2] - before[body, 2])
    else:
        nx, ny = room.free[body, 0], room.free[body, 1]
        along = x * ny - y * nx
        x, y = along * ny, -along * nx
    records[body, 3] -= x
    records[body, 4] -= y


@inlined_kernel
def _begin(
    values: FloatArray,
    centers: FloatArray,
    masses: Masses,
    moves: NDArray[np.bool_],
    drives: NDArray[np.bool_],
    force: FloatArray,
    gravity_x: float,
    gravity_y: float,
    room: Room,
    h: float,
) -> None:
    """Fill velocities, and what accelerates and damps each body that is driven."""
    n = len(values)
    for body in range(n + 1):
        for k in range(WIDTH):
            room.records[body, k] = values[body, 3 + k] if k < 3 and moves[body] and body < n else 0.0
        room.records[body, 6] = 1.0
        for k in range(2):
            room.constants[body, k], room.constants[body, 2 + k] = centers[body, k], room.inverse[body, k]
        is_driven = drives[body] and body < n
        for k in range(3):
            pull = (gravity_x, gravity_y, 0.0)[k] * masses.gravity_scale[body]
            lightness = masses.inverse[body, 0 if k < 2 else 1]
            room.push[body, k] = pull + force[body, k] * lightness if is_driven else 0.0
            room.later[body, k] = 0.0
        for k in range(2):
            room.decay[body, k] = 1.0 / (1.0 + h * masses.damping[body, k]) if is_driven else 1.0


@inlined_kernel
def _end(values: FloatArray, ended: FloatArray, centers: FloatArray, masses: Masses, moves: NDArray[np.bool_], room: Room, h: float) -> int:
    """Fill how bodies stand and move at the end, and tell whether all numbers are finite."""
    result = 0
    for body in range(len(values)):
        if not moves[body]:
            for k in range(6):
                ended[body, k] = values[body, k]
            continue
        records = room.records
        for k in range(3):
            records[body, 3 + k] += room.later[body, k]
            ended[body, 3 + k] = records[body, k]
        if room.taken[body] != _HELD:
            _trapezoid(room, body, h)
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


@allocating_kernel
def _bounce_lanes(
    bodies: Bodies,
    lanes: FloatArray,
    place: IntArray,
    solved: IntArray,
    whole: IntArray,
    number: FloatArray,
    materials: Materials,
    room: Room,
    threshold: float,
    dt: float,
    h: float,
) -> None:
    """Let bounce what can: the few contacts with a restitution are taken out of their lanes for it."""
    n = 0
    for contact in range(len(solved)):
        if max(materials.restitution[solved[contact, 3]], materials.restitution[solved[contact, 4]]) > 0.0:
            n += 1
    if n == 0:
        return
    which, restitution, is_round = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n, dtype=np.bool_)
    few = Contacts(
        np.empty((n, 2), dtype=np.int64), np.empty(n, dtype=np.int64), np.empty((n, 2)), np.zeros((n, 2, 4)), np.empty((n, 2)),
        np.zeros((n, 2)), np.zeros((n, 2, 2)), np.empty(n), np.zeros((n, 2, 2)), np.zeros((n, 2, 2)),
    )  # fmt: skip
    n = 0
    for contact in range(len(solved)):
        row, a, b, first, second = solved[contact]
        most = max(materials.restitution[first], materials.restitution[second])
        if most > 0.0:
            at = BLOCK * (place[contact] // WIDTH) + place[contact] % WIDTH
            which[n], restitution[n] = contact, most
            is_round[n] = materials.is_round[first] and materials.is_round[second] and feature_of(whole[row, FEATURES], 0) >> 16 == 0
            few.bodies[n, 0], few.bodies[n, 1], few.n_points[n] = a, b, whole[row, FLAGS] & COUNT
            few.friction[n] = lanes[at + FRICTION * WIDTH]
            for k in range(2):
                few.normal[n, k], few.radius[n, k] = lanes[at + (NX + k) * WIDTH], lanes[at + (RADIUS_A + k) * WIDTH]
                to = at + k * OF_POINT * WIDTH
                for j in range(4):
                    few.arm[n, k, j] = lanes[to + (AX + j) * WIDTH]
                few.gap[n, k] = lanes[to + GAP * WIDTH]
                few.mass[n, k, 0], few.mass[n, k, 1] = lanes[to + NORMAL_MASS * WIDTH], lanes[to + TANGENT_MASS * WIDTH]
            n += 1
    bounce(bodies, few, Impacts(restitution, is_round, room.last, room.later, np.zeros(4)), threshold, dt, h)
    for one in range(n):
        row, at = solved[which[one], 0], BLOCK * (place[which[one]] // WIDTH) + place[which[one]] % WIDTH
        for k in range(2):
            lanes[at + (k * OF_POINT + GAP) * WIDTH] = few.gap[one, k]
            number[row, TOTAL + 2 * k], number[row, TOTAL + 2 * k + 1] = few.total[one, k, 0], few.total[one, k, 1]


@allocating_kernel
def _sub_steps(
    bodies: Bodies,
    records: FloatArray,
    lanes: FloatArray,
    pairs: IntArray,
    joints: Joints,
    warm: FloatArray,
    free: FloatArray,
    dt: float,
    n_steps: int,
    soft: Softness,
    hard: Softness,
    with_joints: bool,
    with_contacts: bool,
    firmness: float,
    place: IntArray,
    trace: FloatArray | None,
) -> None:
    """Advance bodies, whose velocities, shifts and turns are those of `records`, and the contacts in lanes.

    Of each body's velocity `warm` is what contacts have given, and `free` the rest.
    """
    h, jacobian = dt / n_steps, np.zeros((4, 3))
    held = softness(0.25 / h, JOINT_DAMPING_RATIO, h)
    velocity, n_blocks, has_joints = bodies.velocity, np.uint64(len(lanes) // BLOCK), len(joints.kind) > 0
    stiff_joint = firmness * held.mass_scale / held.impulse_scale
    system = system_of(
        bodies, lanes, pairs, joints, with_joints and has_joints, with_contacts,
        firmness * soft.mass_scale / soft.impulse_scale, firmness * hard.mass_scale / hard.impulse_scale, stiff_joint,
    )  # fmt: skip
    is_direct = len(system.kind) > 0
    is_firm = np.zeros(len(joints.kind), dtype=np.bool_)
    firm = Softness(FIRM_RATE / h, stiff_joint / (1.0 + stiff_joint), 1.0 / (1.0 + stiff_joint))
    if is_direct:
        _stiffen(lanes, pairs, system, is_firm, with_contacts, firmness)
        factorize(bodies, system)
    for body in range(len(warm)):
        for k in range(3):
            free[body, k] = velocity[body, k]
    for block in range(n_blocks):
        warm_start_lanes(lanes, block * np.uint64(BLOCK), pairs, block * np.uint64(2 * WIDTH), records)
    for body in range(len(warm)):
        for k in range(3):
            warm[body, k] = velocity[body, k] - free[body, k]
            velocity[body, k] = free[body, k]
    for sub_step in range(n_steps):
        integrate_velocities(bodies, h)
        tell_stage(trace, bodies, FREE, sub_step)
        for body in range(len(warm)):
            for k in range(3):
                free[body, k] = velocity[body, k]
                velocity[body, k] += warm[body, k]
        tell_stage(trace, bodies, WARMED, sub_step)
        if has_joints:
            warm_start_joints(bodies, joints, jacobian)
            _take_apart(velocity, warm, free)
        if is_direct:
            solve_at_once(bodies, lanes, joints, system, soft.bias_rate, hard.bias_rate, firm.bias_rate, h, False, free)
            _take_apart(velocity, free, warm)
        if has_joints:
            if is_direct:
                for row in range(len(joints.kind)):
                    solve_either(bodies, joints, row, jacobian, firm if is_firm[row] else held, h, dt, False)
            else:
                solve_joints(bodies, joints, jacobian, h, dt, False)
            _take_apart(velocity, warm, free)
        if is_direct or has_joints:
            tell_stage(trace, bodies, JOINTS, sub_step)
        tell_stage(trace, bodies, SWEEP, sub_step)
        for block in range(n_blocks):
            _solve_block(lanes, block, pairs, records, 1.0 / h, place, trace)
        integrate_positions(bodies, h)
        tell_stage(trace, bodies, MOVE, sub_step)
        if is_direct or has_joints:
            _take_apart(velocity, free, warm)
        if is_direct:
            look_again(bodies, lanes, joints, system, jacobian, stiff_joint)
            if has_joints:
                factorize(bodies, system)
            solve_at_once(bodies, lanes, joints, system, soft.bias_rate, hard.bias_rate, firm.bias_rate, h, True, free)
            _take_apart(velocity, free, warm)
        if has_joints:
            solve_joints(bodies, joints, jacobian, h, dt, True)
            _take_apart(velocity, warm, free)
            for row in range(len(joints.kind)):
                for k in range(2):
                    joints.total[row, k] += joints.impulse[row, k]
        if is_direct or has_joints:
            tell_stage(trace, bodies, JOINTS, sub_step)
        tell_stage(trace, bodies, RELAX, sub_step)
        for block in range(n_blocks):
            _relax_block(lanes, block, pairs, records, 1.0 / h, place, trace)
        _take_apart(velocity, free, warm)


@allocating_kernel
def _solve_block(
    lanes: FloatArray, block: int, pairs: IntArray, records: FloatArray, per_h: float, place: IntArray, trace: FloatArray | None
) -> None:
    if trace is None:
        solve_lanes(lanes, block * np.uint64(BLOCK), pairs, block * np.uint64(2 * WIDTH), records, per_h)
    else:
        told = np.empty(TOLD)
        told_solve_lanes(lanes, block * np.uint64(BLOCK), pairs, block * np.uint64(2 * WIDTH), records, per_h, told, np.uint64(0))
        _tell_lanes(trace, told, lanes, block, place)


@allocating_kernel
def _relax_block(
    lanes: FloatArray, block: int, pairs: IntArray, records: FloatArray, per_h: float, place: IntArray, trace: FloatArray | None
) -> None:
    if trace is None:
        relax_lanes(lanes, block * np.uint64(BLOCK), pairs, block * np.uint64(2 * WIDTH), records, per_h)
    else:
        told = np.empty(TOLD)
        told_relax_lanes(lanes, block * np.uint64(BLOCK), pairs, block * np.uint64(2 * WIDTH), records, per_h, told, np.uint64(0))
        _tell_lanes(trace, told, lanes, block, place)


@inlined_kernel
def _tell_lanes(trace: FloatArray, told: FloatArray, lanes: FloatArray, block: int, place: IntArray) -> None:
    """Tell what the rows of a block's contacts did, in the order in which a lane solves them; the lanes go side by side."""
    for contact in range(len(place)):
        at = BLOCK * (place[contact] // WIDTH) + place[contact] % WIDTH
        for row in range(4 if place[contact] // WIDTH == np.int64(block) else 0):
            if lanes[at + (row % 2 * OF_POINT + NORMAL_MASS) * WIDTH] > 0.0:  # of one point the other has none
                n = told[row * TOLD_OF_ROW * WIDTH + place[contact] % WIDTH :: WIDTH]
                record(
                    trace, NORMAL if row < 2 else TANGENT,
                    (float(contact), float(row % 2), n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11]),
                )  # fmt: skip


@inlined_kernel
def _stiffen(lanes: FloatArray, pairs: IntArray, system: System, is_firm: NDArray[np.bool_], with_contacts: bool, firmness: float) -> None:
    """Make contacts of bodies that are solved at once `firmness` times as stiff for the passes as well, and note which joints are."""
    for r in range(len(system.kind)):
        if system.kind[r] >= HOLDS:
            is_firm[system.at[r]] = True
    for contact in range(len(lanes) // BLOCK * WIDTH if with_contacts else 0):
        block, lane = contact // WIDTH, contact % WIDTH
        a, b = pairs[2 * WIDTH * block + lane], pairs[2 * WIDTH * block + WIDTH + lane]
        if system.node[a] >= 0 or system.node[b] >= 0:
            scale, leak = BLOCK * block + MASS_SCALE * WIDTH + lane, BLOCK * block + IMPULSE_SCALE * WIDTH + lane
            stiff = firmness * lanes[scale] / lanes[leak]
            lanes[scale], lanes[leak] = stiff / (1.0 + stiff), 1.0 / (1.0 + stiff)


@inlined_kernel
def _take_apart(velocity: FloatArray, part: FloatArray, rest: FloatArray) -> None:
    """Fill what is left of each body's velocity without a part of it."""
    for body in range(len(velocity)):
        for k in range(3):
            rest[body, k] = velocity[body, k] - part[body, k]
