"""Contacts: the impulses of two bodies that touch, by sequential impulses.

At a point with lever arms ``r_A``, ``r_B`` from the centers of mass and the normal n from A to B, the velocity of B's point less that of
A's is

    v = v_B + w_B x r_B - v_A - w_A x r_A

An impulse ``P n`` at the point changes its normal part by ``P k_n``, and one along the tangent its tangential part by ``P k_t``::

    k_n = 1/m_A + 1/m_B + (r_A x n)^2 / I_A + (r_B x n)^2 / I_B

Signorini's conditions: the gap is not negative, the impulse pushes only, and it does so only where the gap is closed. Coulomb's: the
tangential impulse stays within +-mu times the normal one, and reaches it where the point slides; in the plane the cone is that interval.
Points are solved one by one, each with the others' impulses as they are, the *accumulated* impulse clamped, and again (projected
Gauss-Seidel on impulses; E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005). The impulses of the last sub-step are applied
first (*warm starting*). Restitution comes before all sub-steps (`_impact_kernel`).

The gap of a point is followed through the sub-steps from the shapes' cores, turned with their bodies: the point of a disc that touches is
not carried up with it as it rolls. The arms of the velocities stay as they were when the step began. An open gap s allows an approach of
``s / h`` (*speculative contact*); a closed one is pushed apart softly (`_softness_kernel`), and ever less than `PUSH` m/s. *Relaxation*
after the positions solves the points again without the push; what a point has then is its impulse of the sub-step, and is added to its
total over the step."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.common._lanes_kernel import WIDTH, Lanes, Machine, in_lanes
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._row_kernel import apply_at_point, arm_of, pair_of, relative_velocity
from engine.dynamics._solver_trace_kernel import NORMAL as NORMAL_ROW
from engine.dynamics._solver_trace_kernel import TANGENT, record_row, record_warm
from engine.dynamics.model import FRICTION as FRICTION_AND
from engine.dynamics.model import IMPULSE, N_FLOATS, NORMAL, TOTAL, Bodies, Contacts
from engine.dynamics.tolerances import PUSH

__all__ = [
    "AX", "BIAS_RATE", "BLOCK", "FRICTION", "GAP", "IMPULSE_SCALE", "MASS_SCALE", "NORMAL_IMPULSE", "NORMAL_MASS", "NORMAL_TOTAL", "NX",
    "OF_POINT", "RADIUS_A", "TANGENT_IMPULSE", "TANGENT_MASS", "TANGENT_TOTAL", "arms_and_masses", "change_friction", "change_normal",
    "core_offset", "friction_impulse", "next_friction", "next_normal", "offset_of_cores", "place_in_lanes", "pose_of", "prepare_lanes",
    "relax_lanes",
    "separation", "soft_contact", "solve_friction", "solve_lanes", "solve_normal", "sweep_contacts", "sweep_soft_contacts",
    "take_back_lanes", "warm_start_contacts", "warm_start_lanes",
]  # fmt: skip


# The formulas of a contact point. Their operands are numbers in a plain loop, and eight numbers each in lanes.


@inlined_kernel
def select(condition: bool, yes: float, no: float) -> float:
    """Return `yes` or `no`: for numbers what `Machine.select` does for lanes."""
    return yes if condition else no


def soft_contact(
    select: Any, rate: Lanes, gap: Lanes, before: Lanes, mass: Lanes, soft: tuple[Lanes, Lanes, Lanes], per_h: Lanes
) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """Return a point's accumulated normal impulse after a soft solve, and the bias velocity and the two scales used (`Softness`).

    An open gap may close within the sub-step and no faster; a closed one is pushed apart softly, and never faster than `PUSH`.

    Parameters
    ----------
    rate, gap : float
        Normal velocity, m/s, and gap, m, of the point now.
    before : float
        Accumulated impulse, N s.
    mass : float
        Effective mass along the normal, kg.
    soft : bias rate, mass scale, impulse scale
        `Softness` of a closed gap.
    per_h : float
        1 / seconds of a sub-step.
    """
    bias_rate, mass_scale, impulse_scale = soft
    is_open, push = gap > 0.0, bias_rate * gap
    bias = select(is_open, gap * per_h, push / (1.0 - push / PUSH))
    share, kept = select(is_open, 1.0, mass_scale), select(is_open, 0.0, impulse_scale)
    after = (before - kept * before) - mass * share * (rate + bias)
    return select(after > 0.0, after, 0.0), bias, share, kept


def relaxed_contact(select: Any, rate: Lanes, gap: Lanes, before: Lanes, mass: Lanes, per_h: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """Return a point's accumulated impulse after relaxation, the bias velocity and the mass used: the push's speed is removed.

    The bias of an open gap stays. An open point without an impulse, which has not met yet, keeps its speed: the mass used is 0.
    """
    is_open = gap > 0.0
    bias = select(is_open, gap * per_h, 0.0)
    used = select(select(is_open, before, 1.0) > 0.0, mass, 0.0)
    after = before - used * (rate + bias)
    return select(after > 0.0, after, 0.0), bias, used


def friction_impulse(select: Any, rate: Lanes, before: Lanes, mass: Lanes, limit: Lanes) -> Lanes:
    """Return a point's accumulated tangential impulse that stops it, within Coulomb's limit."""
    after = before - mass * rate
    after = select(after < limit, after, limit)
    return select(after > -limit, after, -limit)


def levers_of(arm: Any, x: Lanes, y: Lanes) -> tuple[Lanes, Lanes]:
    """Return the levers of A and B about a direction: the spin of a unit impulse along it, times the inertia."""
    return arm[0] * y - arm[1] * x, arm[2] * y - arm[3] * x


def rate_along(v_a: Any, v_b: Any, x: Lanes, y: Lanes, levers: tuple[Lanes, Lanes]) -> Lanes:
    """Return the velocity of B's point away from A's along a direction; `v_a` and `v_b` are velocity x, y and spin."""
    return (v_b[0] - v_a[0]) * x + (v_b[1] - v_a[1]) * y + (v_b[2] * levers[1] - v_a[2] * levers[0])


def pushed(velocity: Any, mass: Lanes, inertia: Lanes, x: Lanes, y: Lanes, lever: Lanes, impulse: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """Return a body's velocity after an impulse along a direction; `mass` and `inertia` are inverse, and negative for body A."""
    return velocity[0] + mass * x * impulse, velocity[1] + mass * y * impulse, velocity[2] + inertia * lever * impulse


def core_offset(arm: Any, a: Any, b: Any, radius_a: Lanes, radius_b: Lanes, nx: Lanes, ny: Lanes) -> tuple[Lanes, Lanes]:
    """Return the way from A's core to B's at a point, x and y, after both have moved with their bodies.

    Parameters
    ----------
    a, b : shift x, y, cosine and sine of the rotation
        Of both bodies since the step began.
    """
    ax, ay = arm[0] - radius_a * nx, arm[1] - radius_a * ny
    bx, by = arm[2] + radius_b * nx, arm[3] + radius_b * ny
    x = b[0] + b[2] * bx - b[3] * by - a[0] - a[2] * ax + a[3] * ay
    y = b[1] + b[2] * by + b[3] * bx - a[1] - a[2] * ay - a[3] * ax
    return x, y


def responses(mass: Lanes, inertia_a: Lanes, inertia_b: Lanes, arm: Any, nx: Lanes, ny: Lanes) -> tuple[Lanes, Lanes]:
    """Return k_n and k_t of a point; see the module. `mass` is the sum of both inverse masses, and inertias are inverse."""
    along_a, along_b, across_a, across_b = (
        arm[0] * ny - arm[1] * nx, arm[2] * ny - arm[3] * nx, arm[0] * nx + arm[1] * ny, arm[2] * nx + arm[3] * ny,
    )  # fmt: skip
    normal = mass + inertia_a * along_a * along_a + inertia_b * along_b * along_b
    return normal, mass + inertia_a * across_a * across_a + inertia_b * across_b * across_b


_soft, _relaxed, _friction = inlined_kernel(soft_contact), inlined_kernel(relaxed_contact), inlined_kernel(friction_impulse)
_levers, _rate, _pushed = inlined_kernel(levers_of), inlined_kernel(rate_along), inlined_kernel(pushed)
offset_of_cores, _responses = inlined_kernel(core_offset), inlined_kernel(responses)


# A plain loop


@inlined_kernel
def sweep_soft_contacts(
    bodies: Bodies, contacts: Contacts, softness: FloatArray, order: IntArray, per_h: float, is_relaxing: bool, trace: FloatArray | None
) -> None:
    """Solve every contact once: the normal impulses of its points, then their friction. The lanes do the same for eight contacts at a time.

    Parameters
    ----------
    softness : float64 (n, 3)
        `Softness` of each contact's closed gaps.
    order : int64 (n,)
        Contacts in the order in which they are solved.
    per_h : float
        1 / seconds of a sub-step.
    is_relaxing : bool
        Do not push closed gaps apart, and add the impulses to the totals.
    """
    for place in range(len(order)):
        row = order[place]
        a, b, nx, ny = pair_of(contacts, row)
        for k in range(contacts.n_points[row]):
            arm, before, mass = arm_of(contacts, row, k), contacts.impulse[row, k, 0], contacts.mass[row, k, 0]
            x, y = offset_of_cores(arm, pose_of(bodies, a), pose_of(bodies, b), contacts.radius[row, 0], contacts.radius[row, 1], nx, ny)
            gap, levers = contacts.gap[row, k] + (x * nx + y * ny), _levers(arm, nx, ny)
            rate = _rate(bodies.velocity[a], bodies.velocity[b], nx, ny, levers)
            if is_relaxing:
                after, bias, used = _relaxed(select, rate, gap, before, mass, per_h)
                share, kept = 1.0 if used > 0.0 else 0.0, 0.0
            else:
                soft = softness[row, 0], softness[row, 1], softness[row, 2]
                after, bias, share, kept = _soft(select, rate, gap, before, mass, soft, per_h)
            _change(bodies, contacts, row, k, 0, nx, ny, levers, after, is_relaxing)
            record_row(trace, NORMAL_ROW, bodies, contacts, row, k, before, after, bias, share, kept, gap)
        for k in range(contacts.n_points[row]):
            levers, before = _levers(arm_of(contacts, row, k), ny, -nx), contacts.impulse[row, k, 1]
            rate = _rate(bodies.velocity[a], bodies.velocity[b], ny, -nx, levers)
            limit = contacts.friction[row] * contacts.impulse[row, k, 0]
            after = _friction(select, rate, before, contacts.mass[row, k, 1], limit)
            _change(bodies, contacts, row, k, 1, ny, -nx, levers, after, is_relaxing)
            record_row(trace, TANGENT, bodies, contacts, row, k, before, after, 0.0, 1.0, 0.0, 0.0)


@inlined_kernel
def _change(
    bodies: Bodies, contacts: Contacts, row: int, k: int, axis: int, x: float, y: float, levers: tuple[float, float], after: float,
    is_relaxing: bool,
) -> None:  # fmt: skip
    """Set a point's accumulated impulse along a direction, and change its bodies' velocities by the difference."""
    a, b, v, inverse = contacts.bodies[row, 0], contacts.bodies[row, 1], bodies.velocity, bodies.inverse
    impulse = after - contacts.impulse[row, k, axis]
    contacts.impulse[row, k, axis] = after
    if is_relaxing:
        contacts.total[row, k, axis] += after
    v[a, 0], v[a, 1], v[a, 2] = _pushed(v[a], -inverse[a, 0], -inverse[a, 1], x, y, levers[0], impulse)
    v[b, 0], v[b, 1], v[b, 2] = _pushed(v[b], inverse[b, 0], inverse[b, 1], x, y, levers[1], impulse)


@inlined_kernel
def pose_of(bodies: Bodies, body: int) -> tuple[float, float, float, float]:
    """Return shift x, y, cosine and sine of a body's rotation since the step began."""
    return bodies.shift[body, 0], bodies.shift[body, 1], bodies.turn[body, 0], bodies.turn[body, 1]


@inlined_kernel
def separation(bodies: Bodies, contacts: Contacts, row: int, k: int) -> float:
    """Return the gap of a point now, with the cores moved with their bodies, m."""
    a, b, nx, ny = pair_of(contacts, row)
    arm, radius = arm_of(contacts, row, k), contacts.radius
    x, y = offset_of_cores(arm, pose_of(bodies, a), pose_of(bodies, b), radius[row, 0], radius[row, 1], nx, ny)
    gap: float = contacts.gap[row, k] + x * nx + y * ny
    return gap


# Hard contacts


@inlined_kernel
def warm_start_contacts(bodies: Bodies, contacts: Contacts, trace: FloatArray | None) -> None:
    """Apply the impulses that the contacts begin with."""
    for row in range(len(contacts.n_points)):
        a, b, nx, ny = pair_of(contacts, row)
        for k in range(contacts.n_points[row]):
            pn, pt = contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
            apply_at_point(bodies.velocity, bodies.inverse, a, b, arm_of(contacts, row, k), pn * nx + pt * ny, pn * ny - pt * nx)
            record_warm(trace, bodies, contacts, row, k)


@inlined_kernel
def sweep_contacts(bodies: Bodies, contacts: Contacts, bias: FloatArray, trace: FloatArray | None) -> None:
    """Solve every contact once, both points along the normal and then along the tangent."""
    for row in range(len(contacts.n_points)):
        for k in range(contacts.n_points[row]):
            solve_normal(bodies, contacts, row, k, bias[row, k], trace)
        for k in range(contacts.n_points[row]):
            solve_friction(bodies, contacts, row, k, trace)


@inlined_kernel
def solve_normal(bodies: Bodies, contacts: Contacts, row: int, k: int, bias: float, trace: FloatArray | None) -> None:
    """Bring a point's velocity along the normal to -`bias` m/s at least."""
    before, after = contacts.impulse[row, k, 0], next_normal(bodies, contacts, row, k, bias)
    change_normal(bodies, contacts, row, k, after)
    record_row(trace, NORMAL_ROW, bodies, contacts, row, k, before, after, bias, 1.0, 0.0, np.nan)


@inlined_kernel
def solve_friction(bodies: Bodies, contacts: Contacts, row: int, k: int, trace: FloatArray | None) -> None:
    """Bring a point to rest along the tangent, as far as friction can."""
    before, after = contacts.impulse[row, k, 1], next_friction(bodies, contacts, row, k)
    change_friction(bodies, contacts, row, k, after)
    record_row(trace, TANGENT, bodies, contacts, row, k, before, after, 0.0, 1.0, 0.0, np.nan)


@inlined_kernel
def next_normal(bodies: Bodies, contacts: Contacts, row: int, k: int, bias: float) -> float:
    """Return the accumulated normal impulse that brings a point's velocity to -`bias` m/s at least, N s."""
    a, b, nx, ny = pair_of(contacts, row)
    vx, vy = relative_velocity(bodies.velocity, a, b, arm_of(contacts, row, k))
    impulse: float = max(contacts.impulse[row, k, 0] - contacts.mass[row, k, 0] * (vx * nx + vy * ny + bias), 0.0)
    return impulse


@inlined_kernel
def next_friction(bodies: Bodies, contacts: Contacts, row: int, k: int) -> float:
    """Return the accumulated tangential impulse that stops a point, within Coulomb's limit, N s."""
    a, b, nx, ny = pair_of(contacts, row)
    vx, vy = relative_velocity(bodies.velocity, a, b, arm_of(contacts, row, k))
    limit = contacts.friction[row] * contacts.impulse[row, k, 0]
    impulse: float = _friction(select, vx * ny - vy * nx, contacts.impulse[row, k, 1], contacts.mass[row, k, 1], limit)
    return impulse


@inlined_kernel
def change_normal(bodies: Bodies, contacts: Contacts, row: int, k: int, after: float) -> None:
    """Set a point's accumulated normal impulse, and apply the difference."""
    a, b, nx, ny = pair_of(contacts, row)
    impulse = after - contacts.impulse[row, k, 0]
    contacts.impulse[row, k, 0] = after
    apply_at_point(bodies.velocity, bodies.inverse, a, b, arm_of(contacts, row, k), impulse * nx, impulse * ny)


@inlined_kernel
def change_friction(bodies: Bodies, contacts: Contacts, row: int, k: int, after: float) -> None:
    """Set a point's accumulated tangential impulse, and apply the difference."""
    a, b, nx, ny = pair_of(contacts, row)
    impulse = after - contacts.impulse[row, k, 1]
    contacts.impulse[row, k, 1] = after
    apply_at_point(bodies.velocity, bodies.inverse, a, b, arm_of(contacts, row, k), impulse * ny, -impulse * nx)


# In lanes


NX, NY, MASS_A, TURN_A, MASS_B, TURN_B, FRICTION, RADIUS_A, RADIUS_B, BIAS_RATE, MASS_SCALE, IMPULSE_SCALE = range(12)
"""Rows of a block: normal; 1/kg and 1/(kg m^2) of A and of B; and so on, as in `Contacts`; `Softness` of closed gaps."""
AX, AY, BX, BY, GAP, NORMAL_MASS, TANGENT_MASS, NORMAL_IMPULSE, TANGENT_IMPULSE, NORMAL_TOTAL, TANGENT_TOTAL = range(12, 23)
"""Rows of the first point; those of the second one follow, `OF_POINT` rows on."""
OF_POINT = 11
N_ROWS = AX + 2 * OF_POINT
BLOCK = N_ROWS * WIDTH
"""Numbers of a block of eight contacts: 2 KB."""


@inlined_kernel
def place_in_lanes(pairs: IntArray, records: IntArray, place: IntArray, solved: IntArray) -> None:
    """Fill the contacts and bodies of the lanes, by the places from `_graph_kernel`; other lanes stay as they are.

    Parameters
    ----------
    pairs : int64 (n_blocks * 2 * WIDTH,)
        Filled: rows of A and then of B.
    records : int64 (n_blocks * WIDTH,)
        Filled: where the contact's row begins, in records of eight numbers.
    solved : int64 (n, SOLVED)
        See `model`.
    """
    for contact in range(len(solved)):
        block, lane = place[contact] // WIDTH, place[contact] % WIDTH
        records[WIDTH * block + lane] = solved[contact, 0] * (N_FLOATS // WIDTH)
        pairs[2 * WIDTH * block + lane], pairs[2 * WIDTH * block + WIDTH + lane] = solved[contact, 1], solved[contact, 2]


def _prepare(
    m: Machine, lanes: Any, at: Any, pairs: Any, place: Any, records: Any, of_records: Any, number: Any, constants: Any,
    bias_rate: Lanes, mass_scale: Lanes, impulse_scale: Lanes, bias_rate_hard: Lanes, mass_scale_hard: Lanes, impulse_scale_hard: Lanes,
) -> None:  # fmt: skip
    """Fill a block of contacts from their rows.

    Parameters
    ----------
    records : int64 (n_blocks * WIDTH,)
        Where the contacts' rows begin, in records of `number`.
    number : float64 (n * N_FLOATS,)
        Contact records; see `model`.
    constants : float64 (m * WIDTH,)
        Of each body: center of mass in the world, 1/kg and 1/(kg m^2).
    bias_rate, ... : float64
        `Softness` of closed gaps between two bodies that can move, and between one and one that cannot.
    """

    def keep(row: int, value: Lanes, point: int = 0) -> None:
        m.store(lanes, m.offset(at, (row + point * OF_POINT) * WIDTH), value)

    center_ax, center_ay, mass_a, turn_a = m.gather(constants, pairs, place, 0, 4)
    center_bx, center_by, mass_b, turn_b = m.gather(constants, pairs, m.offset(place, WIDTH), 0, 4)
    nx, ny, *points_and_gaps = m.gather(number, records, of_records, NORMAL, WIDTH)
    impulses = m.gather(number, records, of_records, IMPULSE, 4)
    friction, radius_a, radius_b, count = m.gather(number, records, of_records, FRICTION_AND, 4)
    for row, value in ((NX, nx), (NY, ny), (MASS_A, mass_a), (TURN_A, turn_a), (MASS_B, mass_b), (TURN_B, turn_b)):
        keep(row, value)
    for row, value in ((FRICTION, friction), (RADIUS_A, radius_a), (RADIUS_B, radius_b)):
        keep(row, value)
    gives_way = m.select(mass_a + turn_a > 0.0, mass_b + turn_b, 0.0) > 0.0
    keep(BIAS_RATE, m.select(gives_way, bias_rate, bias_rate_hard))
    keep(MASS_SCALE, m.select(gives_way, mass_scale, mass_scale_hard))
    keep(IMPULSE_SCALE, m.select(gives_way, impulse_scale, impulse_scale_hard))
    mass = mass_a + mass_b
    for point in range(2):
        x, y, gap = points_and_gaps[2 * point], points_and_gaps[2 * point + 1], points_and_gaps[4 + point]
        is_there = count > point + 0.5
        ax, ay, bx, by = x - center_ax, y - center_ay, x - center_bx, y - center_by
        for row, value in enumerate((ax, ay, bx, by), AX):
            keep(row, value, point)
        keep(GAP, gap - ((bx - ax) * nx + (by - ay) * ny + radius_a + radius_b), point)
        normal, tangent = responses(mass, turn_a, turn_b, (ax, ay, bx, by), nx, ny)
        keep(NORMAL_MASS, m.select(is_there, 1.0 / m.select(is_there, normal, 1.0), 0.0), point)
        keep(TANGENT_MASS, m.select(is_there, 1.0 / m.select(is_there, tangent, 1.0), 0.0), point)
        keep(NORMAL_IMPULSE, impulses[2 * point], point)
        keep(TANGENT_IMPULSE, impulses[2 * point + 1], point)
        keep(NORMAL_TOTAL, 0.0 * mass, point)
        keep(TANGENT_TOTAL, 0.0 * mass, point)


def _take_back(m: Machine, lanes: Any, at: Any, records: Any, of_records: Any, number: Any) -> None:
    """Write the impulses of a block back to the records; those of the sub-steps are added to those of impacts."""

    def of_points(*rows: int) -> list[Lanes]:
        return [m.load(lanes, m.offset(at, (row + point * OF_POINT) * WIDTH)) for point in range(2) for row in rows]

    before = m.gather(number, records, of_records, TOTAL, 4)
    m.scatter(number, records, of_records, of_points(NORMAL_IMPULSE, TANGENT_IMPULSE), IMPULSE)
    m.scatter(number, records, of_records, [x + y for x, y in zip(before, of_points(NORMAL_TOTAL, TANGENT_TOTAL), strict=True)], TOTAL)


prepare_lanes, take_back_lanes = in_lanes(_prepare), in_lanes(_take_back)


class _Pair:
    """The bodies of eight contacts, and the contacts' rows."""

    def __init__(self, m: Machine, lanes: Any, at: Any, pairs: Any, place: Any, bodies: Any) -> None:
        self._machine, self._lanes, self._at = m, lanes, at
        self._pairs, self._places, self._bodies = pairs, (place, m.offset(place, WIDTH)), bodies
        self.a, self.b = (m.gather(bodies, pairs, of) for of in self._places)
        self.normal = self.row(NX), self.row(NY)
        self.tangent = self.normal[1], -self.normal[0]
        self.inverse_a, self.inverse_b = (self.row(MASS_A), self.row(TURN_A)), (self.row(MASS_B), self.row(TURN_B))

    def row(self, number: int, point: int = 0) -> Lanes:
        return self._machine.load(self._lanes, self._machine.offset(self._at, (number + point * OF_POINT) * WIDTH))

    def keep(self, number: int, point: int, value: Lanes) -> None:
        self._machine.store(self._lanes, self._machine.offset(self._at, (number + point * OF_POINT) * WIDTH), value)

    def arm(self, point: int) -> tuple[Lanes, ...]:
        return tuple(self.row(number, point) for number in range(AX, GAP))

    def rate(self, along: tuple[Lanes, Lanes], levers: tuple[Lanes, Lanes]) -> Lanes:
        return rate_along(self.a, self.b, *along, levers)

    def push(self, along: tuple[Lanes, Lanes], levers: tuple[Lanes, Lanes], impulse: Lanes) -> None:
        """Apply an impulse along a direction to B, and the opposite one to A."""
        (mass_a, inertia_a), (mass_b, inertia_b) = self.inverse_a, self.inverse_b
        self.a = *pushed(self.a, -mass_a, -inertia_a, *along, levers[0], impulse), *self.a[3:]
        self.b = *pushed(self.b, mass_b, inertia_b, *along, levers[1], impulse), *self.b[3:]

    def write(self) -> None:
        """Write the velocities of the bodies."""
        for place, body in zip(self._places, (self.a, self.b), strict=True):
            self._machine.scatter(self._bodies, self._pairs, place, body[:4])


def _warm_start(m: Machine, lanes: Any, at: Any, pairs: Any, place: Any, bodies: Any) -> None:
    """Apply the impulses of a block of contacts to their bodies' velocities."""
    pair = _Pair(m, lanes, at, pairs, place, bodies)
    for point in range(2):
        for row, along in ((NORMAL_IMPULSE, pair.normal), (TANGENT_IMPULSE, pair.tangent)):
            pair.push(along, levers_of(pair.arm(point), *along), pair.row(row, point))
    pair.write()


def _solve(m: Machine, lanes: Any, at: Any, pairs: Any, place: Any, bodies: Any, per_h: Lanes, is_relaxing: bool = False) -> None:
    """Solve a block of contacts once: normal impulses, then friction; see `sweep_soft_contacts`.

    Parameters
    ----------
    bodies : float64 (n * WIDTH,)
        Velocity and spin of each body, shift and rotation since the step began, cosine and sine of that.
    per_h : float64
        1 / seconds of a sub-step.
    """
    pair = _Pair(m, lanes, at, pairs, place, bodies)
    soft = pair.row(BIAS_RATE), pair.row(MASS_SCALE), pair.row(IMPULSE_SCALE)
    pose_a, pose_b = ((body[3], body[4], body[6], body[7]) for body in (pair.a, pair.b))
    pressed = []
    for point in range(2):
        arm, before, mass = pair.arm(point), pair.row(NORMAL_IMPULSE, point), pair.row(NORMAL_MASS, point)
        x, y = core_offset(arm, pose_a, pose_b, pair.row(RADIUS_A), pair.row(RADIUS_B), *pair.normal)
        gap, levers = pair.row(GAP, point) + (x * pair.normal[0] + y * pair.normal[1]), levers_of(arm, *pair.normal)
        rate = pair.rate(pair.normal, levers)
        if is_relaxing:
            after, _, _ = relaxed_contact(m.select, rate, gap, before, mass, per_h)
            pair.keep(NORMAL_TOTAL, point, pair.row(NORMAL_TOTAL, point) + after)
        else:
            after, _, _, _ = soft_contact(m.select, rate, gap, before, mass, soft, per_h)
        pair.push(pair.normal, levers, after - before)
        pair.keep(NORMAL_IMPULSE, point, after)
        pressed.append(after)
    for point in range(2):
        levers, before = levers_of(pair.arm(point), *pair.tangent), pair.row(TANGENT_IMPULSE, point)
        limit = pair.row(FRICTION) * pressed[point]
        after = friction_impulse(m.select, pair.rate(pair.tangent, levers), before, pair.row(TANGENT_MASS, point), limit)
        pair.push(pair.tangent, levers, after - before)
        pair.keep(TANGENT_IMPULSE, point, after)
        if is_relaxing:
            pair.keep(TANGENT_TOTAL, point, pair.row(TANGENT_TOTAL, point) + after)
    pair.write()


warm_start_lanes = in_lanes(_warm_start)
solve_lanes, relax_lanes = (in_lanes(_solve, is_relaxing=relaxes) for relaxes in (False, True))


# Before the step


@kernel
def arms_and_masses(
    ends: IntArray, count: IntArray, normal: FloatArray, position: FloatArray, center: FloatArray, inverse: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return arms and effective masses as `Contacts` has them.

    Parameters
    ----------
    ends : int64 (n, 2)
        Rows of bodies.
    position : float64 (n, 2, 2)
        Midway between the surfaces, world frame.
    center, inverse : float64 (m, 2)
        Centers of mass; 1/kg and 1/(kg m^2).
    """
    n = len(count)
    arms, masses = np.zeros((n, 2, 4)), np.zeros((n, 2, 2))
    for row in range(n):
        a, b = ends[row, 0], ends[row, 1]
        for k in range(count[row]):
            x, y = position[row, k, 0], position[row, k, 1]
            arm = x - center[a, 0], y - center[a, 1], x - center[b, 0], y - center[b, 1]
            k_n, k_t = _responses(inverse[a, 0] + inverse[b, 0], inverse[a, 1], inverse[b, 1], arm, normal[row, 0], normal[row, 1])
            arms[row, k, 0], arms[row, k, 1], arms[row, k, 2], arms[row, k, 3] = arm
            masses[row, k, 0], masses[row, k, 1] = 1.0 / k_n, 1.0 / k_t
    return arms, masses
