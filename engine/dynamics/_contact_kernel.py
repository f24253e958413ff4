"""Contacts: what two bodies do to each other where they touch, by sequential impulses.

At a point with lever arms ``r_A``, ``r_B`` from the centers of mass and the normal n from A to B, the velocity of B's point less that of
A's is

    v = v_B + w_B x r_B - v_A - w_A x r_A

An impulse ``P n`` at the point changes its normal part by ``P k_n``, and one along the tangent its tangential part by ``P k_t``::

    k_n = 1/m_A + 1/m_B + (r_A x n)^2 / I_A + (r_B x n)^2 / I_B

Signorini's conditions: the gap is not negative, the impulse pushes only, and it does so only where the gap is closed. Coulomb's: the
tangential impulse stays within +-mu times the normal one, and reaches it where the point slides; in the plane the cone is that interval.
Points are solved one by one, each with the others' impulses as they are, the *accumulated* impulse clamped, and again (projected
Gauss-Seidel on impulses; E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005). The last step's impulses are where it starts.

The gap of a point is followed through the sub-steps from the shapes' cores, turned with their bodies: the point of a disc that touches is
not carried up with it as it rolls. The arms of the velocities stay as they were when the step began. An open gap s allows an approach of
``s / h`` (*speculative contact*); a closed one is pushed apart softly (`_softness_kernel`), and ever less than `PUSH` m/s. *Relaxation*
after the positions takes the push out of the velocities again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common._lanes_kernel import WIDTH, Lanes, Machine, in_lanes
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._rows_kernel import FRICTION as FRICTION_AND
from engine.dynamics._rows_kernel import IMPULSE, N_NUMBERS, NORMAL, TOTAL

__all__ = [
    "AX",
    "BLOCK",
    "FRICTION",
    "GAP",
    "IMPULSE_SCALE",
    "MASS_SCALE",
    "NORMAL_IMPULSE",
    "NORMAL_MASS",
    "NORMAL_TOTAL",
    "NX",
    "OF_POINT",
    "PUSH",
    "RADIUS_A",
    "TANGENT_IMPULSE",
    "TANGENT_MASS",
    "TOLD",
    "TOLD_OF_ROW",
    "Contacts",
    "Materials",
    "apply_at_point",
    "arms_and_masses",
    "place_in_lanes",
    "prepare_lanes",
    "relative_velocity",
    "relax_lanes",
    "separation",
    "solve_lanes",
    "take_back_lanes",
    "told_relax_lanes",
    "told_solve_lanes",
    "warm_start_lanes",
]

PUSH = 6.0
"""Meters a second that overlapping bodies part at no more than, however deep: what a frequency asks for, r, becomes ``r / (1 + r / PUSH)``.

It bends, and is not cut off: what is crammed in together parts where it is deepest, where a limit would push 20 cm and 80 cm alike (625
discs in a box too small: 0.78 m of overlap with a limit of 3 m/s, 0.31 m so), and a deep overlap is no explosion either."""


class Contacts(NamedTuple):
    """Pairs in contact within a step, a row each, of two points at most.

    Attributes
    ----------
    bodies : int64 (n, 2)
        Rows of A and B.
    n_points : int64 (n,)
    normal : float64 (n, 2)
        Unit, from A to B.
    arm : float64 (n, 2, 4)
        Of each point: from A's center of mass x, y, from B's x, y, as the step began.
    radius : float64 (n, 2)
        Of A and B around their cores at the points, m; 0 where the surface is a corner or an edge.
    gap : float64 (n, 2)
        Between the surfaces as the step began, m, less the normal part of the way between the cores.
    mass : float64 (n, 2, 2)
        Effective, kg: along the normal, along the tangent.
    friction : float64 (n,)
    impulse : float64 (n, 2, 2)
        Accumulated in the present sub-step, N s: along the normal, along the tangent, which is the normal turned to the right.
    total : float64 (n, 2, 2)
        The same, summed over the step.
    """

    bodies: IntArray
    n_points: IntArray
    normal: FloatArray
    arm: FloatArray
    radius: FloatArray
    gap: FloatArray
    mass: FloatArray
    friction: FloatArray
    impulse: FloatArray
    total: FloatArray


@inlined_kernel
def apply_at_point(bodies: Bodies, a: int, b: int, arm: FloatArray, x: float, y: float) -> None:
    """Push body `b` by the impulse (x, y) at its arm, and body `a` by the opposite one at its."""
    v, inverse = bodies.velocity, bodies.inverse
    v[a, 0] -= inverse[a, 0] * x
    v[a, 1] -= inverse[a, 0] * y
    v[a, 2] -= inverse[a, 1] * (arm[0] * y - arm[1] * x)
    v[b, 0] += inverse[b, 0] * x
    v[b, 1] += inverse[b, 0] * y
    v[b, 2] += inverse[b, 1] * (arm[2] * y - arm[3] * x)


@inlined_kernel
def relative_velocity(bodies: Bodies, a: int, b: int, arm: FloatArray) -> tuple[float, float]:
    """Return the velocity of B's point less that of A's."""
    v = bodies.velocity
    return (
        v[b, 0] - v[b, 2] * arm[3] - v[a, 0] + v[a, 2] * arm[1],
        v[b, 1] + v[b, 2] * arm[2] - v[a, 1] - v[a, 2] * arm[0],
    )


@inlined_kernel
def separation(bodies: Bodies, contacts: Contacts, row: int, k: int) -> float:
    """Return the gap of a point now, with the cores turned and moved with their bodies, m."""
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    nx, ny, arm = contacts.normal[row, 0], contacts.normal[row, 1], contacts.arm[row, k]
    ax, ay = arm[0] - contacts.radius[row, 0] * nx, arm[1] - contacts.radius[row, 0] * ny
    bx, by = arm[2] + contacts.radius[row, 1] * nx, arm[3] + contacts.radius[row, 1] * ny
    shift, turn = bodies.shift, bodies.turn
    x = shift[b, 0] + turn[b, 0] * bx - turn[b, 1] * by - shift[a, 0] - turn[a, 0] * ax + turn[a, 1] * ay
    y = shift[b, 1] + turn[b, 0] * by + turn[b, 1] * bx - shift[a, 1] - turn[a, 0] * ay - turn[a, 1] * ax
    gap: float = contacts.gap[row, k] + x * nx + y * ny
    return gap


# In lanes


NX, NY, MASS_A, TURN_A, MASS_B, TURN_B, FRICTION, RADIUS_A, RADIUS_B, BIAS_RATE, MASS_SCALE, IMPULSE_SCALE = range(12)
"""Rows of a block: normal; 1/kg and 1/(kg m^2) of A and of B; and so on, as in `Contacts`; `Softness` of closed gaps."""
AX, AY, BX, BY, GAP, NORMAL_MASS, TANGENT_MASS, NORMAL_IMPULSE, TANGENT_IMPULSE, NORMAL_TOTAL, TANGENT_TOTAL = range(12, 23)
"""Of the first point; those of the second one follow, `OF_POINT` rows on."""
OF_POINT = 11
N_ROWS = AX + 2 * OF_POINT
BLOCK = N_ROWS * WIDTH
"""Numbers of a block of eight contacts: 2 KB."""


class Materials(NamedTuple):
    """Of each fixture restitution, and whether its corners are round."""

    restitution: FloatArray
    is_round: NDArray[np.bool_]


@inlined_kernel
def place_in_lanes(pairs: IntArray, records: IntArray, place: IntArray, solved: IntArray) -> None:
    """Fill which contact is in which lane, by the places that `_graph_kernel` has given them; other lanes stay as they are.

    Parameters
    ----------
    pairs : int64 (n_blocks * 2 * WIDTH,)
        Filled: rows of A and then of B.
    records : int64 (n_blocks * WIDTH,)
        Filled: where the contact's row begins, in records of eight numbers.
    solved : int64 (n, SOLVED)
        See `_rows_kernel`.
    """
    for contact in range(len(solved)):
        block, lane = place[contact] // WIDTH, place[contact] % WIDTH
        records[WIDTH * block + lane] = solved[contact, 0] * (N_NUMBERS // WIDTH)
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
    number : float64 (n * N_NUMBERS,)
        Of the rows; see `_rows_kernel`.
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
    light = mass_a + mass_b
    for point in range(2):
        x, y, gap = points_and_gaps[2 * point], points_and_gaps[2 * point + 1], points_and_gaps[4 + point]
        is_there = count > point + 0.5
        ax, ay, bx, by = x - center_ax, y - center_ay, x - center_bx, y - center_by
        along_a, along_b, across_a, across_b = ax * ny - ay * nx, bx * ny - by * nx, ax * nx + ay * ny, bx * nx + by * ny
        for number_of, value in enumerate((ax, ay, bx, by)):
            keep(AX + number_of, value, point)
        keep(GAP, gap - ((bx - ax) * nx + (by - ay) * ny + radius_a + radius_b), point)
        normal = light + turn_a * along_a * along_a + turn_b * along_b * along_b
        tangent = light + turn_a * across_a * across_a + turn_b * across_b * across_b
        keep(NORMAL_MASS, m.select(is_there, 1.0 / m.select(is_there, normal, 1.0), 0.0), point)
        keep(TANGENT_MASS, m.select(is_there, 1.0 / m.select(is_there, tangent, 1.0), 0.0), point)
        keep(NORMAL_IMPULSE, impulses[2 * point], point)
        keep(TANGENT_IMPULSE, impulses[2 * point + 1], point)
        keep(NORMAL_TOTAL, 0.0 * light, point)
        keep(TANGENT_TOTAL, 0.0 * light, point)


def _take_back(m: Machine, lanes: Any, at: Any, records: Any, of_records: Any, number: Any) -> None:
    """Take the impulses of a block back to the rows; what the sub-steps have given is added to what impacts have."""

    def of_points(*rows: int) -> list[Lanes]:
        return [m.load(lanes, m.offset(at, (row + point * OF_POINT) * WIDTH)) for point in range(2) for row in rows]

    before = m.gather(number, records, of_records, TOTAL, 4)
    given = of_points(NORMAL_TOTAL, TANGENT_TOTAL)
    m.scatter(number, records, of_records, of_points(NORMAL_IMPULSE, TANGENT_IMPULSE), IMPULSE)
    m.scatter(number, records, of_records, [one + more for one, more in zip(before, given, strict=True)], TOTAL)


prepare_lanes, take_back_lanes = in_lanes(_prepare), in_lanes(_take_back)


class _Pair:
    """The bodies of eight contacts, and the contacts' rows.

    What an impulse along a direction does to a velocity does not depend on the velocities, and is worked out while these are waited for.
    """

    def __init__(self, m: Machine, lanes: Any, at: Any, a: tuple[Lanes, ...], b: tuple[Lanes, ...]) -> None:
        self._machine, self._lanes, self._at = m, lanes, at
        self.v_a, self.v_b = a[:3], b[:3]
        self.normal = self.row(NX), self.row(NY)
        self.tangent = self.normal[1], -self.normal[0]
        self.mass_a, self.turn_a, self.mass_b, self.turn_b = (self.row(number) for number in range(MASS_A, FRICTION))

    def row(self, number: int, point: int = 0) -> Lanes:
        return self._machine.load(self._lanes, self._machine.offset(self._at, (number + point * OF_POINT) * WIDTH))

    def keep(self, number: int, point: int, value: Lanes) -> None:
        self._machine.store(self._lanes, self._machine.offset(self._at, (number + point * OF_POINT) * WIDTH), value)

    def levers(self, point: int, along: tuple[Lanes, Lanes]) -> tuple[Lanes, Lanes]:
        """Return the arms of A and B across a direction, which is the spin that an impulse along it gives, times the inertia."""
        ax, ay, bx, by = (self.row(number, point) for number in range(AX, GAP))
        x, y = along
        return ax * y - ay * x, bx * y - by * x

    def rate(self, along: tuple[Lanes, Lanes], levers: tuple[Lanes, Lanes]) -> Lanes:
        """Return how fast B's point moves away from A's along a direction."""
        straight = (self.v_b[0] - self.v_a[0]) * along[0] + (self.v_b[1] - self.v_a[1]) * along[1]
        return straight + (self.v_b[2] * levers[1] - self.v_a[2] * levers[0])

    def push(self, along: tuple[Lanes, Lanes], levers: tuple[Lanes, Lanes], impulse: Lanes) -> None:
        """Push B along a direction, and A the other way."""
        (ax, ay, a_spin), (bx, by, b_spin) = self.v_a, self.v_b
        x, y = along
        self.v_a = ax - self.mass_a * x * impulse, ay - self.mass_a * y * impulse, a_spin - self.turn_a * levers[0] * impulse
        self.v_b = bx + self.mass_b * x * impulse, by + self.mass_b * y * impulse, b_spin + self.turn_b * levers[1] * impulse


def _warm_start(m: Machine, lanes: Any, at: Any, pairs: Any, place: Any, bodies: Any) -> None:
    """Apply the impulses of a block of contacts to their bodies' velocities."""
    a, b = m.gather(bodies, pairs, place), m.gather(bodies, pairs, m.offset(place, WIDTH))
    pair = _Pair(m, lanes, at, a, b)
    for point in range(2):
        for row, along in ((NORMAL_IMPULSE, pair.normal), (TANGENT_IMPULSE, pair.tangent)):
            pair.push(along, pair.levers(point, along), pair.row(row, point))
    m.scatter(bodies, pairs, place, [*pair.v_a, a[3]])
    m.scatter(bodies, pairs, m.offset(place, WIDTH), [*pair.v_b, b[3]])


TOLD_OF_ROW = 12
"""Numbers of each lane that a row tells: impulse before and after, velocities of A and B after, bias, share, kept, gap."""
TOLD = 4 * TOLD_OF_ROW * WIDTH
"""Numbers that a block tells: of both points along the normal, then along the tangent."""


def _solve(
    m: Machine, lanes: Any, at: Any, pairs: Any, place: Any, bodies: Any, per_h: Lanes, told: Any = None, first: Any = None,
    is_relaxing: bool = False,
) -> None:  # fmt: skip
    """Solve a block of contacts once: normal impulses, then friction.

    Parameters
    ----------
    bodies : float64 (n * WIDTH,)
        Of each body velocity and spin, shift and turn since the step began, cosine and sine of that.
    per_h : float64
        1 / seconds of a sub-step.
    told, first : float64 (TOLD,), uint64
        Filled from `first` on with what each row did; or nothing is told.
    is_relaxing : bool
        Closed gaps are not pushed apart.
    """

    def tell(row: int, *numbers: Lanes) -> None:
        for k, number in enumerate((*numbers[:2], *pair.v_a, *pair.v_b, *numbers[2:])):
            m.store(told, m.offset(first, (row * TOLD_OF_ROW + k) * WIDTH), number)

    a, b = m.gather(bodies, pairs, place), m.gather(bodies, pairs, m.offset(place, WIDTH))
    pair = _Pair(m, lanes, at, a, b)
    normal, tangent = pair.normal, pair.tangent
    pressed = []
    for point in range(2):
        levers = pair.levers(point, normal)
        arm = tuple(pair.row(number, point) for number in range(AX, GAP))
        gap = pair.row(GAP, point) + _moved_apart(arm, a, b, pair.row(RADIUS_A), pair.row(RADIUS_B), *normal)
        is_open = gap > 0.0
        before, mass = pair.row(NORMAL_IMPULSE, point), pair.row(NORMAL_MASS, point)
        if is_relaxing:
            bias = m.select(is_open, gap * per_h, 0.0)
            has_met = m.select(is_open, before, 1.0) > 0.0  # what has not met yet keeps the speed with which it will
            after = before - m.select(has_met, mass, 0.0) * (pair.rate(normal, levers) + bias)
        else:
            rate = pair.row(BIAS_RATE) * gap
            bias = m.select(is_open, gap * per_h, rate / (1.0 - rate / PUSH))
            share = m.select(is_open, 1.0, pair.row(MASS_SCALE))
            kept = m.select(is_open, 0.0, pair.row(IMPULSE_SCALE))
            after = (before - kept * before) - mass * share * (pair.rate(normal, levers) + bias)
        after = m.select(after > 0.0, after, 0.0)
        pair.push(normal, levers, after - before)
        pair.keep(NORMAL_IMPULSE, point, after)
        pressed.append(after)
        if told is not None:
            none = 0.0 * before
            tell(point, before, after, bias, *((m.select(has_met, 1.0 + none, none), none) if is_relaxing else (share, kept)), gap)
        if is_relaxing:
            pair.keep(NORMAL_TOTAL, point, pair.row(NORMAL_TOTAL, point) + after)
    friction = pair.row(FRICTION)
    for point in range(2):
        levers = pair.levers(point, tangent)
        most, before = friction * pressed[point], pair.row(TANGENT_IMPULSE, point)
        after = before - pair.row(TANGENT_MASS, point) * pair.rate(tangent, levers)
        after = m.select(after < most, after, most)
        after = m.select(after > -most, after, -most)
        pair.push(tangent, levers, after - before)
        pair.keep(TANGENT_IMPULSE, point, after)
        if told is not None:
            none = 0.0 * before
            tell(2 + point, before, after, none, 1.0 + none, none, none)
        if is_relaxing:
            pair.keep(TANGENT_TOTAL, point, pair.row(TANGENT_TOTAL, point) + after)
    m.scatter(bodies, pairs, place, [*pair.v_a, a[3]])
    m.scatter(bodies, pairs, m.offset(place, WIDTH), [*pair.v_b, b[3]])


def _moved_apart(
    arm: tuple[Lanes, ...], a: tuple[Lanes, ...], b: tuple[Lanes, ...], radius_a: Lanes, radius_b: Lanes, nx: Lanes, ny: Lanes
) -> Lanes:
    """Return the normal part of the way from A's core to B's, which have turned and moved with their bodies since the step began."""
    _, _, _, shift_ax, shift_ay, _, cos_a, sin_a = a
    _, _, _, shift_bx, shift_by, _, cos_b, sin_b = b
    ax, ay = arm[0] - radius_a * nx, arm[1] - radius_a * ny
    bx, by = arm[2] + radius_b * nx, arm[3] + radius_b * ny
    x = shift_bx + cos_b * bx - sin_b * by - shift_ax - cos_a * ax + sin_a * ay
    y = shift_by + cos_b * by + sin_b * bx - shift_ay - cos_a * ay - sin_a * ax
    return x * nx + y * ny


warm_start_lanes = in_lanes(_warm_start)
solve_lanes, relax_lanes = (in_lanes(_solve, told=None, first=None, is_relaxing=relaxes) for relaxes in (False, True))
told_solve_lanes, told_relax_lanes = (in_lanes(_solve, is_relaxing=relaxes) for relaxes in (False, True))


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
        nx, ny = normal[row, 0], normal[row, 1]
        light, light_a, light_b = inverse[a, 0] + inverse[b, 0], inverse[a, 1], inverse[b, 1]
        for k in range(count[row]):
            x, y = position[row, k, 0], position[row, k, 1]
            ax, ay, bx, by = x - center[a, 0], y - center[a, 1], x - center[b, 0], y - center[b, 1]
            arms[row, k, 0], arms[row, k, 1], arms[row, k, 2], arms[row, k, 3] = ax, ay, bx, by
            along_a, along_b, across_a, across_b = ax * ny - ay * nx, bx * ny - by * nx, ax * nx + ay * ny, bx * nx + by * ny
            masses[row, k, 0] = 1.0 / (light + light_a * along_a * along_a + light_b * along_b * along_b)
            masses[row, k, 1] = 1.0 / (light + light_a * across_a * across_a + light_b * across_b * across_b)
    return arms, masses
