"""Contacts: the impulses of two bodies that touch, by sequential impulses.

At a point with lever arms ``r_A``, ``r_B`` from the centers of mass and the normal n from A to B, the velocity of B's point less that of
A's is

    v = v_B + w_B x r_B - v_A - w_A x r_A

An impulse ``P n`` at the point changes its normal part by ``P k_n``, and one along the tangent its tangential part by ``P k_t``::

    k_n = 1/m_A + 1/m_B + (r_A x n)^2 / I_A + (r_B x n)^2 / I_B

Signorini's conditions: the gap is not negative, the impulse pushes only, and it does so only where the gap is closed. Coulomb's: the
tangential impulse stays within +-mu times the normal one, and reaches it where the point slides; in the plane the cone is that interval.
Contacts are solved one by one, each with the others' impulses as they are, the *accumulated* impulse clamped, and again (projected
Gauss-Seidel on impulses; E. Catto, "Iterative Dynamics with Temporal Coherence", GDC 2005). The impulses of the last sub-step are applied
first (*warm starting*). Restitution comes before all sub-steps (`_impact_kernel`).

The soft step solves both points of a contact along the normal together; one after the other, a face that meets another one turns at the
first point and rebounds from the second. With the impulses x, so far a, the velocities are ``v' = v + K (x - a)``, K being 2 x 2, and

    w = K x + b >= 0,   x >= 0,   x . w = 0        with b = v + bias - K a

has one solution: of the four cases, each point pushing or not, one fits (K. Murty, *Linear Complementarity, Linear and Nonlinear
Programming*, 1988, section 1.4). A soft point adds what it gives way per impulse to its diagonal of K (`_softness_kernel`).

The gap of a point is followed through the sub-steps from the shapes' cores, turned with their bodies: the point of a disc that touches is
not carried up with it as it rolls. The arms of the velocities stay as they were when the step began. An open gap s allows an approach of
``s / h`` (*speculative contact*); a closed one is pushed apart softly (`_softness_kernel`), and ever less than `PUSH` m/s. *Relaxation*
after the positions solves the points again without the push; what a point has then is its impulse of the sub-step, and is added to its
total over the step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, kernel
from engine.dynamics._row_kernel import apply_at_point, arm_of, pair_of, relative_velocity, response
from engine.dynamics._softness_kernel import Softness
from engine.dynamics.model import FRICTION, IMPULSE, NORMAL, POINTS, POSITION, RADII, SEPARATION, TOTAL, Bodies, Contacts
from engine.dynamics.solver_events import FrictionRow, NormalRow, PairRow
from engine.dynamics.tolerances import PUSH, SINGULAR_PAIR

__all__ = [
    "arms_and_masses", "change_friction", "change_normal", "contacts_of", "keep_impulses", "next_friction", "next_normal", "separation",
    "solve_friction", "solve_normal", "sweep_contacts", "sweep_soft_contacts", "warm_start_contacts",
]  # fmt: skip


# Soft contacts


@inlined_kernel
def sweep_soft_contacts(
    bodies: Bodies, contacts: Contacts, held: FloatArray, order: IntArray, soft: Softness, per_h: float, is_relaxing: bool,
) -> None:  # fmt: skip
    """Solve some contacts once: the normal impulses of both points, then their friction.

    Parameters
    ----------
    held : float64 (k, 2)
        Normal impulse of each point at which a closed gap does not yield: 0, or a share of that from the last step; see `_softness_kernel`.
    order : int64 (n,)
        Rows of the contacts, in the order in which they are solved.
    soft : Softness
        Of their closed gaps.
    per_h : float
        1 / seconds of a sub-step.
    is_relaxing : bool
        Do not push closed gaps apart.
    """
    for place in range(len(order)):
        row: int = np.uint64(order[place])  # type: ignore[assignment]  # unsigned: no negative index is looked for
        pair = _velocities_of(bodies, contacts, row)
        first = _row_of_point(bodies, contacts, row, 0, pair, soft, per_h, is_relaxing)
        is_pair = False
        if contacts.n_points[row] == 2:
            second = _row_of_point(bodies, contacts, row, 1, pair, soft, per_h, is_relaxing)
            is_pair, after_0, after_1 = _solve_pair(bodies, contacts, held, row, first, second, is_relaxing)
            if is_pair:
                before_0, before_1 = contacts.impulse[row, 0, 0], contacts.impulse[row, 1, 0]
                pair = _push(bodies, contacts, row, 0, pair, first, after_0)
                pair = _push(bodies, contacts, row, 1, pair, second, after_1)
                bias_0, bias_1 = first.bias - first.give * held[row, 0], second.bias - second.give * held[row, 1]
                record(
                    PairRow(row, (before_0, before_1), (after_0, after_1), pair[:3], pair[3:], (bias_0, bias_1), (first.give, second.give))
                )
        if not is_pair:
            for k in range(contacts.n_points[row]):
                point, before = _row_of_point(bodies, contacts, row, k, pair, soft, per_h, is_relaxing), contacts.impulse[row, k, 0]
                after = _solve_alone(contacts, held, row, k, point, is_relaxing)
                pair = _push(bodies, contacts, row, k, pair, point, after)
                bias = point.bias - point.give * held[row, k]
                record(NormalRow(row, k, before, after, pair[:3], pair[3:], bias, point.share, point.kept))
        for k in range(contacts.n_points[row]):
            before = contacts.impulse[row, k, 1]
            pair = _rub(bodies, contacts, row, k, pair)
            record(FrictionRow(row, k, before, contacts.impulse[row, k, 1], pair[:3], pair[3:]))
        _write(bodies, contacts, row, pair)


_Pair = tuple[float, float, float, float, float, float]
"""Velocity and spin of A, then of B."""


class _PointRow(NamedTuple):
    """The normal of a point as a row ``J v + bias + give P >= 0``, with its velocity J v, and the levers of the normal on A and B.

    Attributes
    ----------
    rate, bias : float
        m/s.
    give : float
        Velocity that the row gives up per impulse, 1/kg: of a soft row, not 0.
    share, kept : float
        `Softness`: mass scale and impulse scale.
    gap : float
        m.
    is_open : bool
        The gap is open, and the point has no impulse: relaxation leaves it alone.
    """

    rate: float
    bias: float
    give: float
    share: float
    kept: float
    gap: float
    lever_a: float
    lever_b: float
    is_open: bool


@inlined_kernel
def _velocities_of(bodies: Bodies, contacts: Contacts, row: int) -> _Pair:
    a, b, v = np.uint64(contacts.bodies[row, 0]), np.uint64(contacts.bodies[row, 1]), bodies.velocity
    return v[a, 0], v[a, 1], v[a, 2], v[b, 0], v[b, 1], v[b, 2]


@inlined_kernel
def _write(bodies: Bodies, contacts: Contacts, row: int, pair: _Pair) -> None:
    """Set the velocities of both bodies."""
    a, b, v = np.uint64(contacts.bodies[row, 0]), np.uint64(contacts.bodies[row, 1]), bodies.velocity
    for k in range(3):
        v[a, k] = pair[k]
        v[b, k] = pair[3 + k]


@inlined_kernel
def _row_of_point(
    bodies: Bodies, contacts: Contacts, row: int, k: int, pair: _Pair, soft: Softness, per_h: float, is_relaxing: bool
) -> _PointRow:
    """Return the row of a point now.

    An open gap may close within the sub-step and no faster; a closed one is pushed apart softly, and never faster than `PUSH`. Relaxation
    removes that speed.
    """
    nx, ny, arm, gap = contacts.normal[row, 0], contacts.normal[row, 1], arm_of(contacts, row, k), separation(bodies, contacts, row, k)
    lever_a, lever_b = arm[0] * ny - arm[1] * nx, arm[2] * ny - arm[3] * nx
    rate = (pair[3] - pair[0]) * nx + (pair[4] - pair[1]) * ny + (pair[5] * lever_b - pair[2] * lever_a)
    bias, give, share, kept, is_open = 0.0, 0.0, 1.0, 0.0, False
    if gap > 0.0:
        bias, is_open = gap * per_h, contacts.impulse[row, k, 0] == 0.0
    elif not is_relaxing:
        push, share, kept = soft.bias_rate * gap, soft.mass_scale, soft.impulse_scale
        bias, give = push * PUSH / (PUSH - push), kept / (share * contacts.mass[row, k, 0])
    return _PointRow(rate, bias, give, share, kept, gap, lever_a, lever_b, is_open)


@inlined_kernel
def _solve_alone(contacts: Contacts, held: FloatArray, row: int, k: int, point: _PointRow, is_relaxing: bool) -> float:
    """Return the accumulated impulse of a point solved alone along the normal."""
    if is_relaxing and point.is_open:
        return 0.0
    before = contacts.impulse[row, k, 0]
    after: float = before - point.kept * (before - held[row, k]) - contacts.mass[row, k, 0] * point.share * (point.rate + point.bias)
    return max(after, 0.0)


@inlined_kernel
def _solve_pair(
    bodies: Bodies, contacts: Contacts, held: FloatArray, row: int, first: _PointRow, second: _PointRow, is_relaxing: bool
) -> tuple[bool, float, float]:
    """Return the accumulated impulses of both points along the normal; False, if one is left alone or both have the same levers."""
    if is_relaxing and (first.is_open or second.is_open):
        return False, 0.0, 0.0
    inverse, a, b = bodies.inverse, np.uint64(contacts.bodies[row, 0]), np.uint64(contacts.bodies[row, 1])
    mass, turn_a, turn_b = inverse[a, 0] + inverse[b, 0], inverse[a, 1], inverse[b, 1]
    k00 = mass + turn_a * first.lever_a * first.lever_a + turn_b * first.lever_b * first.lever_b
    k01 = mass + turn_a * first.lever_a * second.lever_a + turn_b * first.lever_b * second.lever_b
    k11 = mass + turn_a * second.lever_a * second.lever_a + turn_b * second.lever_b * second.lever_b
    if k00 * k11 - k01 * k01 <= SINGULAR_PAIR * k00 * k11:
        return False, 0.0, 0.0
    before_0, before_1 = contacts.impulse[row, 0, 0], contacts.impulse[row, 1, 0]
    left_0 = first.rate + first.bias - (k00 * before_0 + k01 * before_1) - first.give * held[row, 0]
    left_1 = second.rate + second.bias - (k01 * before_0 + k11 * before_1) - second.give * held[row, 1]
    after_0, after_1 = _complementary(k00 + first.give, k01, k11 + second.give, left_0, left_1)
    return True, after_0, after_1


@inlined_kernel
def _push(bodies: Bodies, contacts: Contacts, row: int, k: int, pair: _Pair, point: _PointRow, after: float) -> _Pair:
    """Set a point's accumulated normal impulse, and return the velocities after the difference."""
    impulse = after - contacts.impulse[row, k, 0]
    contacts.impulse[row, k, 0] = after
    return _pushed(bodies, contacts, row, pair, contacts.normal[row, 0], contacts.normal[row, 1], point.lever_a, point.lever_b, impulse)


@inlined_kernel
def _rub(bodies: Bodies, contacts: Contacts, row: int, k: int, pair: _Pair) -> _Pair:
    """Bring a point to rest along the tangent, as far as friction can, and return the velocities after it."""
    tx, ty, arm = contacts.normal[row, 1], -contacts.normal[row, 0], arm_of(contacts, row, k)
    lever_a, lever_b = arm[0] * ty - arm[1] * tx, arm[2] * ty - arm[3] * tx
    rate = (pair[3] - pair[0]) * tx + (pair[4] - pair[1]) * ty + (pair[5] * lever_b - pair[2] * lever_a)
    limit, before = contacts.friction[row] * contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
    after = max(-limit, min(before - contacts.mass[row, k, 1] * rate, limit))
    contacts.impulse[row, k, 1] = after
    return _pushed(bodies, contacts, row, pair, tx, ty, lever_a, lever_b, after - before)


@inlined_kernel
def _pushed(
    bodies: Bodies, contacts: Contacts, row: int, pair: _Pair, x: float, y: float, lever_a: float, lever_b: float, impulse: float
) -> _Pair:
    """Return the velocities of both bodies after an impulse on B along (x, y), and the opposite one on A."""
    a, b, inverse = np.uint64(contacts.bodies[row, 0]), np.uint64(contacts.bodies[row, 1]), bodies.inverse
    on_a, on_b = inverse[a, 0] * impulse, inverse[b, 0] * impulse
    return (
        pair[0] - on_a * x, pair[1] - on_a * y, pair[2] - inverse[a, 1] * lever_a * impulse,
        pair[3] + on_b * x, pair[4] + on_b * y, pair[5] + inverse[b, 1] * lever_b * impulse,
    )  # fmt: skip


@inlined_kernel
def _complementary(k00: float, k01: float, k11: float, b0: float, b1: float) -> tuple[float, float]:
    """Return the x of ``w = K x + b >= 0, x >= 0, x . w = 0``; see the module."""
    determinant = k00 * k11 - k01 * k01
    x0, x1 = (k01 * b1 - k11 * b0) / determinant, (k01 * b0 - k00 * b1) / determinant
    if x0 >= 0.0 and x1 >= 0.0:
        return x0, x1
    x0, x1 = max(-b0 / k00, 0.0), max(-b1 / k11, 0.0)
    if k01 * x0 + b1 >= 0.0:
        return x0, 0.0
    return 0.0, x1


@inlined_kernel
def separation(bodies: Bodies, contacts: Contacts, row: int, k: int) -> float:
    """Return the gap of a point now, with the cores moved with their bodies, m."""
    a, b, nx, ny = np.uint64(contacts.bodies[row, 0]), np.uint64(contacts.bodies[row, 1]), contacts.normal[row, 0], contacts.normal[row, 1]
    arm, shift, turn = arm_of(contacts, row, k), bodies.shift, bodies.turn
    ax, ay = arm[0] - contacts.radius[row, 0] * nx, arm[1] - contacts.radius[row, 0] * ny
    bx, by = arm[2] + contacts.radius[row, 1] * nx, arm[3] + contacts.radius[row, 1] * ny
    x = shift[b, 0] + turn[b, 0] * bx - turn[b, 1] * by - shift[a, 0] - turn[a, 0] * ax + turn[a, 1] * ay
    y = shift[b, 1] + turn[b, 0] * by + turn[b, 1] * bx - shift[a, 1] - turn[a, 0] * ay - turn[a, 1] * ax
    gap: float = contacts.gap[row, k] + (x * nx + y * ny)
    return gap


# Hard contacts


@inlined_kernel
def warm_start_contacts(bodies: Bodies, contacts: Contacts) -> None:
    """Apply the impulses that the contacts begin with."""
    for row in range(len(contacts.n_points)):
        a, b, nx, ny = pair_of(contacts, row)
        for k in range(contacts.n_points[row]):
            pn, pt = contacts.impulse[row, k, 0], contacts.impulse[row, k, 1]
            apply_at_point(bodies.velocity, bodies.inverse, a, b, arm_of(contacts, row, k), pn * nx + pt * ny, pn * ny - pt * nx)


@inlined_kernel
def sweep_contacts(bodies: Bodies, contacts: Contacts, bias: FloatArray) -> None:
    """Solve every contact once, both points along the normal and then along the tangent."""
    for row in range(len(contacts.n_points)):
        for k in range(contacts.n_points[row]):
            solve_normal(bodies, contacts, row, k, bias[row, k])
        for k in range(contacts.n_points[row]):
            solve_friction(bodies, contacts, row, k)


@inlined_kernel
def solve_normal(bodies: Bodies, contacts: Contacts, row: int, k: int, bias: float) -> None:
    """Bring a point's velocity along the normal to -`bias` m/s at least."""
    before, after = contacts.impulse[row, k, 0], next_normal(bodies, contacts, row, k, bias)
    change_normal(bodies, contacts, row, k, after)
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    record(NormalRow(row, k, before, after, bodies.velocity[a], bodies.velocity[b], bias, 1.0, 0.0))


@inlined_kernel
def solve_friction(bodies: Bodies, contacts: Contacts, row: int, k: int) -> None:
    """Bring a point to rest along the tangent, as far as friction can."""
    before, after = contacts.impulse[row, k, 1], next_friction(bodies, contacts, row, k)
    change_friction(bodies, contacts, row, k, after)
    a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
    record(FrictionRow(row, k, before, after, bodies.velocity[a], bodies.velocity[b]))


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
    impulse: float = contacts.impulse[row, k, 1] - contacts.mass[row, k, 1] * (vx * ny - vy * nx)
    impulse = max(-limit, min(impulse, limit))
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


# Before and after the step


@inlined_kernel
def _fill_point(
    center: FloatArray, inverse: FloatArray, a: int, b: int, x: float, y: float, normal: FloatArray, arm: FloatArray, mass: FloatArray
) -> None:
    """Fill the arms of a point at (x, y), and its effective masses."""
    for k in range(2):
        arm[2 * k], arm[2 * k + 1] = x - center[a if k == 0 else b, 0], y - center[a if k == 0 else b, 1]
    arms = arm[0], arm[1], arm[2], arm[3]
    mass[0], mass[1] = 1.0 / response(inverse, a, b, arms, normal[0], normal[1]), 1.0 / response(inverse, a, b, arms, normal[1], -normal[0])


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
            _fill_point(center, inverse, a, b, position[row, k, 0], position[row, k, 1], normal[row], arms[row, k], masses[row, k])
    return arms, masses


@kernel
def contacts_of(solved: IntArray, floats: FloatArray, center: FloatArray, inverse: FloatArray) -> Contacts:
    """Return the contacts to be solved, with the impulses of the last step.

    Parameters
    ----------
    solved, floats
        See `model`.
    center, inverse : float64 (m, 2)
        Centers of mass, world frame, m; 1/kg and 1/(kg m^2).
    """
    n = len(solved)
    contacts = Contacts(
        np.empty((n, 2), dtype=np.int64), np.empty(n, dtype=np.int64), np.empty((n, 2)), np.zeros((n, 2, 4)), np.empty((n, 2)),
        np.zeros((n, 2)), np.zeros((n, 2, 2)), np.empty(n), np.empty((n, 2, 2)), np.zeros((n, 2, 2)),
    )  # fmt: skip
    for row in range(n):
        record, a, b = solved[row, 0], solved[row, 1], solved[row, 2]
        contacts.n_points[row], contacts.friction[row] = int(floats[record, POINTS]), floats[record, FRICTION]
        for k in range(2):
            contacts.bodies[row, k], contacts.normal[row, k] = solved[row, 1 + k], floats[record, NORMAL + k]
            contacts.radius[row, k] = floats[record, RADII + k]
            for j in range(2):
                contacts.impulse[row, k, j] = floats[record, IMPULSE + 2 * k + j]
        for k in range(contacts.n_points[row]):
            x, y, arm = floats[record, POSITION + 2 * k], floats[record, POSITION + 2 * k + 1], contacts.arm[row, k]
            _fill_point(center, inverse, a, b, x, y, contacts.normal[row], arm, contacts.mass[row, k])
            across = (arm[2] - arm[0]) * contacts.normal[row, 0] + (arm[3] - arm[1]) * contacts.normal[row, 1]
            contacts.gap[row, k] = floats[record, SEPARATION + k] - (across + contacts.radius[row, 0] + contacts.radius[row, 1])
    return contacts


@kernel
def keep_impulses(contacts: Contacts, solved: IntArray, floats: FloatArray) -> None:
    """Write the impulses of contacts to their records."""
    for row in range(len(solved)):
        record = solved[row, 0]
        for k in range(2):
            for j in range(2):
                floats[record, IMPULSE + 2 * k + j] = contacts.impulse[row, k, j]
                floats[record, TOTAL + 2 * k + j] = contacts.total[row, k, j]
