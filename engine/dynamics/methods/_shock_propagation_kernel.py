"""Impulses pair by pair, and shock propagation.

A pair that would overlap at the end of the step gets an impulse. Its points' normal velocities v, less those that their open gaps allow,
``u = v + max(s, 0) / dt``, shall become ``-e u``. Both points are one impact: with the matrix K of velocities per unit impulse at either
point, ``K P = -(1 + e) u``; if one would have to pull, the other is solved alone. Each impulse pushes or is zero: no later sweep reduces an
impulse that was too large.

**Friction** is tested first: the impulses that leave the face neither approach nor slip, found together, are accepted if with them the
face's sums over the sweeps are within Coulomb's cone, ``abs(P_t) <= mu P_n`` (*static*). Otherwise the face slides, its sums are at the
edge of the cone, and each normal impulse adds mu times as much along the tangent (*kinetic*): ``(K_nn - mu K_nt) P = -(1 + e) u``. Both
points of a face have the same slip, so it has one tangential impulse, half at each. A face that does not slip when the step begins has the
static coefficient as its mu in all sweeps: a later change from one coefficient to the other would need normal impulses that pull.

**One by one**, on request: the deepest point of a pair is solved alone, with its own friction, and then the other one. Each disturbs the
other, so convergence needs more sweeps.

**Sweeps.** In each sweep e rises, from below 0 to 0: -0.8 removes a fifth of the approach velocity, and other contacts can remove the rest.
The last sweep processes the layers of the contact graph from the ground up, and the lower body of a pair has infinite mass: so the weight
above, which earlier sweeps have propagated only some layers down, cannot push it in. This does not conserve momentum, but stacks stay at
rest.

Source: E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex Rigid Bodies with Stacking", 2003, sections 5 to 8. Solving both points together,
sums of friction, and gaps that can close, are our additions. A static coefficient within iterated impulses: M. Pawłowski, 2015, p. 47-48
(docs/studies/README.md).
"""

from __future__ import annotations

from math import inf, nan
from typing import NamedTuple

import numpy as np

from engine.common._copy_kernel import copy_rows
from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.dynamics._contact_kernel import separation
from engine.dynamics._integration_kernel import integrate_positions, integrate_velocities
from engine.dynamics._joint_kernel import first_rows, solve_joints, warm_start_joints
from engine.dynamics._row_kernel import arm_of, pair_of, relative_velocity
from engine.dynamics._softness_kernel import Softness
from engine.dynamics.model import Bodies, Contacts, Joints
from engine.dynamics.solver_events import COLLISIONS, END, FREE, FROZEN, JOINTS, MOVE, PUSH_APART, SWEEP, PairCollision, PointPushed, Stage
from engine.dynamics.tolerances import JOINT_SHARE, SINGULAR_PAIR, STILL_FACE

__all__ = ["Graph", "Plan", "shock_propagation"]


class Graph(NamedTuple):
    """The contact graph.

    Attributes
    ----------
    lower : int64 (n,)
        Side of each contact on which the other one rests; 0 for A, 1 for B, -1 for neither.
    order : int64 (n,)
        Contacts in ascending order of layers.
    component, layer : int64 (m,)
        Component and layer of each body.
    """

    lower: IntArray
    order: IntArray
    component: IntArray
    layer: IntArray


class Plan(NamedTuple):
    """Settings of the method; see `ShockPropagation.settings`."""

    sweeps: int
    collision_passes: int
    restitution_from: float
    push_share: float
    push_sweeps: int
    freezes: bool
    is_one_by_one: bool
    static_ratio: float


@kernel
def shock_propagation(
    bodies: Bodies, contacts: Contacts, joints: Joints, restitution: FloatArray, graph: Graph, plan: Plan, threshold: float, dt: float,
    soft_h: float,
) -> None:  # fmt: skip
    """Advance velocities and positions by `dt` seconds.

    Parameters
    ----------
    restitution : float64 (n,)
        Restitution of each contact.
    threshold : float
        Speed, m/s, below which nothing bounces.
    soft_h : float
        See `Problem`.
    """
    inverse, held = bodies.inverse.copy(), Softness(JOINT_SHARE / max(dt, soft_h), 1.0, _LEAK)
    contacts.impulse[:] = 0.0  # the sums of the collisions, and then those of the sweeps
    if plan.static_ratio != 1.0:
        _hold_still_faces(bodies, contacts, plan.static_ratio)
    _collide_all(bodies, contacts, restitution, inverse, plan, threshold, dt)
    contacts.impulse[:] = 0.0
    integrate_velocities(bodies, dt)
    record(Stage(FREE, 0, bodies.velocity, bodies.shift))
    warm_start_joints(bodies, joints)
    n, rows = len(graph.order), first_rows(joints)
    for sweep in range(plan.sweeps):
        is_last = sweep == plan.sweeps - 1
        e = 0.0 if is_last else plan.restitution_from * (1.0 - sweep / (plan.sweeps - 1))
        solve_joints(bodies, joints, rows, held, dt, dt, False)
        if len(joints.kind) > 0:
            record(Stage(JOINTS, sweep, bodies.velocity, bodies.shift))
        if is_last and plan.freezes:
            break
        record(Stage(SWEEP, sweep, bodies.velocity, bodies.shift))
        for at in range(n):
            row = graph.order[at]
            a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
            _collide(bodies, contacts, row, e, inverse[a], inverse[b], dt, plan.is_one_by_one)
    if plan.freezes:
        _freeze_layers(bodies, contacts, graph, inverse, plan, dt)
    copy_rows(joints.impulse, 0, len(joints.impulse), joints.total, 0)
    integrate_positions(bodies, dt)
    record(Stage(MOVE, 0, bodies.velocity, bodies.shift))
    solve_joints(bodies, joints, rows, held, dt, dt, True)
    if len(joints.kind) > 0:
        record(Stage(JOINTS, plan.sweeps, bodies.velocity, bodies.shift))
    for sweep in range(plan.push_sweeps):
        record(Stage(PUSH_APART, sweep, bodies.velocity, bodies.shift))
        _push_apart(bodies, contacts, graph, inverse, plan.push_share)
    contacts.impulse[:] = 0.0  # no impulse is kept
    record(Stage(END, 0, bodies.velocity, bodies.shift))


@inlined_kernel
def _hold_still_faces(bodies: Bodies, contacts: Contacts, static_ratio: float) -> None:
    """Give the faces that do not slip their static coefficient of friction for this step."""
    for row in range(len(contacts.n_points)):
        fastest = 0.0
        for k in range(contacts.n_points[row]):
            fastest = max(fastest, abs(_slip(bodies, contacts, row, k)))
        if fastest <= STILL_FACE:
            contacts.friction[row] *= static_ratio


@allocating_kernel
def _collide_all(
    bodies: Bodies, contacts: Contacts, restitution: FloatArray, inverse: FloatArray, plan: Plan, threshold: float, dt: float,
) -> None:  # fmt: skip
    """Collide all pairs that would overlap at the end of the step, with the old velocities, in descending order of depth."""
    n = len(restitution)
    depth = np.empty(n)
    for number in range(plan.collision_passes):
        record(Stage(COLLISIONS, number, bodies.velocity, bodies.shift))
        for row in range(n):
            depth[row] = inf
            a, b, nx, ny = pair_of(contacts, row)
            pull = (bodies.push[b, 0] - bodies.push[a, 0]) * nx + (bodies.push[b, 1] - bodies.push[a, 1]) * ny
            for k in range(contacts.n_points[row]):
                vx, vy = relative_velocity(bodies.velocity, a, b, arm_of(contacts, row, k))
                gap = separation(bodies, contacts, row, k) + dt * (vx * nx + vy * ny + dt * pull)
                depth[row] = min(depth[row], gap)
        is_done = True
        for row in np.argsort(depth):
            if depth[row] > 0.0:
                break
            a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
            e = restitution[row] if _approach(bodies, contacts, row) < -threshold else 0.0
            if _collide(bodies, contacts, row, e, inverse[a], inverse[b], 0.0, plan.is_one_by_one):
                is_done = False
        if is_done:
            break


@inlined_kernel
def _approach(bodies: Bodies, contacts: Contacts, row: int) -> float:
    """Return the minimum normal velocity of a pair's points."""
    least, (a, b, nx, ny) = inf, pair_of(contacts, row)
    for k in range(contacts.n_points[row]):
        vx, vy = relative_velocity(bodies.velocity, a, b, arm_of(contacts, row, k))
        least = min(least, vx * nx + vy * ny)
    return least


@allocating_kernel
def _freeze_layers(bodies: Bodies, contacts: Contacts, graph: Graph, inverse: FloatArray, plan: Plan, dt: float) -> None:
    """Solve the layers from the ground up; the lower body of each pair has infinite mass."""
    still, n, start = np.zeros(2), len(graph.order), 0
    while start < n:
        end, height = start, _height(contacts, graph, graph.order[start])
        while end < n and _height(contacts, graph, graph.order[end]) == height:
            end += 1
        for number in range(plan.sweeps):
            is_done = True
            record(Stage(FROZEN, number, bodies.velocity, bodies.shift))
            for at in range(start, end):
                row = graph.order[at]
                a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
                is_apart = graph.component[a] != graph.component[b]
                inv_mass_a = still if graph.lower[row] == 0 and is_apart else inverse[a]
                inv_mass_b = still if graph.lower[row] == 1 and is_apart else inverse[b]
                if _collide(bodies, contacts, row, 0.0, inv_mass_a, inv_mass_b, dt, plan.is_one_by_one):
                    is_done = False
            if is_done:
                break
        start = end


@inlined_kernel
def _height(contacts: Contacts, graph: Graph, row: int) -> int:
    """Return the layer of the upper body of a contact."""
    height: int = max(graph.layer[contacts.bodies[row, 0]], graph.layer[contacts.bodies[row, 1]])
    return height


@inlined_kernel
def _collide(
    bodies: Bodies,
    contacts: Contacts,
    row: int,
    e: float,
    inv_mass_a: FloatArray,
    inv_mass_b: FloatArray,
    closing: float,
    is_one_by_one: bool,
) -> bool:
    """Apply the impulses of a pair; return True if it needed any.

    Parameters
    ----------
    inv_mass_a, inv_mass_b : float64 (2,)
        Inverse masses and inertias to use for the bodies, 1/kg and 1/(kg m^2).
    closing : float
        Time in which open gaps can close, s; if 0, all approaching points collide.
    is_one_by_one : bool
        Solve each point alone, the deepest one first, instead of both together.
    """
    count, first, n_parts, is_needed = contacts.n_points[row], 0, 1, False
    if is_one_by_one and count == 2:
        count, n_parts = 1, 2
        if separation(bodies, contacts, row, 1) < separation(bodies, contacts, row, 0):
            first = 1
    for part in range(n_parts):
        at = first if part == 0 else 1 - first
        if _collide_points(bodies, contacts, row, at, count, e, inv_mass_a, inv_mass_b, closing):
            is_needed = True
    return is_needed


@inlined_kernel
def _collide_points(
    bodies: Bodies,
    contacts: Contacts,
    row: int,
    first: int,
    count: int,
    e: float,
    inv_mass_a: FloatArray,
    inv_mass_b: FloatArray,
    closing: float,
) -> bool:
    """Apply the impulse of point `first` alone (`count` is 1) or those of both points (2) together; see `_collide`."""
    _, _, nx, ny = pair_of(contacts, row)
    if count == 0 or inv_mass_a[0] + inv_mass_a[1] + inv_mass_b[0] + inv_mass_b[1] == 0.0:
        return False
    second = 1 - first
    u0 = _missing(bodies, contacts, row, first, closing)
    u1 = _missing(bodies, contacts, row, second, closing) if count == 2 else 0.0
    if min(u0, u1) > -_ENOUGH:
        return False
    rate_0, rate_1 = u0, u1
    u0, u1 = (1.0 + e) * u0, (1.0 + e) * u1
    tx, ty, mu, share = ny, -nx, contacts.friction[row], 0.5 if count == 2 else 1.0
    rest = 1.0 - share
    k00 = _effect(contacts, row, first, first, nx, ny, nx, ny, inv_mass_a, inv_mass_b)
    k11 = _effect(contacts, row, second, second, nx, ny, nx, ny, inv_mass_a, inv_mass_b)
    k01 = _effect(contacts, row, first, second, nx, ny, nx, ny, inv_mass_a, inv_mass_b)
    k0t = share * _effect(contacts, row, first, first, nx, ny, tx, ty, inv_mass_a, inv_mass_b)
    k0t += rest * _effect(contacts, row, first, second, nx, ny, tx, ty, inv_mass_a, inv_mass_b)
    k1t = share * _effect(contacts, row, second, first, nx, ny, tx, ty, inv_mass_a, inv_mass_b)
    k1t += rest * _effect(contacts, row, second, second, nx, ny, tx, ty, inv_mass_a, inv_mass_b)
    ktt = share * share * _effect(contacts, row, first, first, tx, ty, tx, ty, inv_mass_a, inv_mass_b)
    ktt += 2.0 * share * rest * _effect(contacts, row, first, second, tx, ty, tx, ty, inv_mass_a, inv_mass_b)
    ktt += rest * rest * _effect(contacts, row, second, second, tx, ty, tx, ty, inv_mass_a, inv_mass_b)
    slip = share * _slip(bodies, contacts, row, first) + rest * _slip(bodies, contacts, row, second)
    # static, if the impulses that leave neither approach nor slip are within the cone; the tangential unknown is eliminated first
    w0, w1 = u0 - k0t * slip / ktt, u1 - k1t * slip / ktt
    across = k01 - k0t * k1t / ktt
    least_0, least_1 = SINGULAR_PAIR * k00, SINGULAR_PAIR * k11
    own_0, own_1 = max(k00 - k0t * k0t / ktt, least_0), max(k11 - k1t * k1t / ktt, least_1)
    p0, p1 = _normals(count, w0, w1, own_0, across, across, own_1)
    tangent = -(slip + k0t * p0 + k1t * p1) / ktt
    sum_n = contacts.impulse[row, 0, 0] + contacts.impulse[row, 1, 0]
    sum_t = contacts.impulse[row, 0, 1] + contacts.impulse[row, 1, 1]
    slides = abs(sum_t + tangent) > mu * (sum_n + p0 + p1)
    if slides:
        edge = mu if sum_t + tangent > 0.0 else -mu  # tangential impulse per unit normal impulse
        back = edge * sum_n - sum_t  # from the sum so far to the edge of the cone
        # smaller if friction pushes the points together more than the impulse separates them (Painleve): the impulse becomes large
        own_0, own_1 = max(k00 + edge * k0t, least_0), max(k11 + edge * k1t, least_1)
        p0, p1 = _normals(count, u0 + k0t * back, u1 + k1t * back, own_0, k01 + edge * k0t, k01 + edge * k1t, own_1)
        tangent = back + edge * (p0 + p1)
    _strike(bodies, contacts, row, first, p0 * nx + share * tangent * tx, p0 * ny + share * tangent * ty, inv_mass_a, inv_mass_b)
    _strike(bodies, contacts, row, second, p1 * nx + rest * tangent * tx, p1 * ny + rest * tangent * ty, inv_mass_a, inv_mass_b)
    frozen = (1 if inv_mass_a[0] + inv_mass_a[1] == 0.0 else 0) + (2 if inv_mass_b[0] + inv_mass_b[1] == 0.0 else 0)
    excess = rate_0, (rate_1 if count == contacts.n_points[row] else nan)
    v_a, v_b = bodies.velocity[contacts.bodies[row, 0]], bodies.velocity[contacts.bodies[row, 1]]
    if first == 1:
        record(PairCollision(row, (p1, p0), tangent, v_a, v_b, (excess[1], excess[0]), e, frozen, slides))
    else:
        record(PairCollision(row, (p0, p1), tangent, v_a, v_b, excess, e, frozen, slides))
    return True


_LEAK = 0.02
"""Share of a joint's impulse that a sweep lets go: without, what has stopped a body in one step throws it back in the next."""
_ENOUGH = 1.0e-12
"""Velocity, m/s, below which a difference is rounding."""


@inlined_kernel
def _normals(count: int, u0: float, u1: float, k00: float, k01: float, k10: float, k11: float) -> tuple[float, float]:
    """Return the normal impulses of one point, or of two together, by the cases of a complementarity problem."""
    p0, p1 = max(-u0 / k00, 0.0), max(-u1 / k11, 0.0)
    if count == 1:
        return p0, 0.0
    determinant = k00 * k11 - k01 * k10
    if determinant > SINGULAR_PAIR * k00 * k11:
        both0, both1 = (k01 * u1 - k11 * u0) / determinant, (k10 * u0 - k00 * u1) / determinant
        if both0 >= 0.0 and both1 >= 0.0:
            return both0, both1
    return (p0, 0.0) if u1 + k10 * p0 >= -_ENOUGH or u0 <= u1 else (0.0, p1)


@inlined_kernel
def _slip(bodies: Bodies, contacts: Contacts, row: int, k: int) -> float:
    """Return the tangential velocity of a point; the tangent is the normal turned to the right."""
    a, b, nx, ny = pair_of(contacts, row)
    vx, vy = relative_velocity(bodies.velocity, a, b, arm_of(contacts, row, k))
    slip: float = vx * ny - vy * nx
    return slip


@inlined_kernel
def _missing(bodies: Bodies, contacts: Contacts, row: int, k: int, closing: float) -> float:
    """Return the normal velocity of a point less that allowed by its open gap, m/s."""
    a, b, nx, ny = pair_of(contacts, row)
    vx, vy = relative_velocity(bodies.velocity, a, b, arm_of(contacts, row, k))
    along: float = vx * nx + vy * ny
    if closing > 0.0:
        return along + max(separation(bodies, contacts, row, k), 0.0) / closing
    return along


@inlined_kernel
def _effect(
    contacts: Contacts, row: int, j: int, k: int, x: float, y: float, u: float, v: float, inv_mass_a: FloatArray, inv_mass_b: FloatArray
) -> float:
    """Return the velocity along (u, v) at point `k` per unit impulse along (x, y) at point `j`, 1/kg."""
    at, of = contacts.arm[row, j], contacts.arm[row, k]
    effect: float = (inv_mass_a[0] + inv_mass_b[0]) * (x * u + y * v)
    effect += inv_mass_a[1] * (at[0] * y - at[1] * x) * (of[0] * v - of[1] * u)
    effect += inv_mass_b[1] * (at[2] * y - at[3] * x) * (of[2] * v - of[3] * u)
    return effect


@inlined_kernel
def _strike(
    bodies: Bodies, contacts: Contacts, row: int, k: int, x: float, y: float, inv_mass_a: FloatArray, inv_mass_b: FloatArray
) -> None:
    """Apply the impulse (x, y), N s, to B at a point, and the opposite one to A, with the given masses."""
    a, b, arm, v = contacts.bodies[row, 0], contacts.bodies[row, 1], contacts.arm[row, k], bodies.velocity
    v[a, 0] -= inv_mass_a[0] * x
    v[a, 1] -= inv_mass_a[0] * y
    v[a, 2] -= inv_mass_a[1] * (arm[0] * y - arm[1] * x)
    v[b, 0] += inv_mass_b[0] * x
    v[b, 1] += inv_mass_b[0] * y
    v[b, 2] += inv_mass_b[1] * (arm[2] * y - arm[3] * x)
    _, _, nx, ny = pair_of(contacts, row)
    normal, tangent = x * nx + y * ny, x * ny - y * nx
    contacts.impulse[row, k, 0] += normal
    contacts.impulse[row, k, 1] += tangent
    contacts.total[row, k, 0] += normal
    contacts.total[row, k, 1] += tangent


@inlined_kernel
def _push_apart(bodies: Bodies, contacts: Contacts, graph: Graph, inverse: FloatArray, share: float) -> None:
    """Move overlapping bodies apart by a share of the depth, the lighter one more, without changing velocities."""
    for at in range(len(graph.order)):
        row = graph.order[at]
        a, b = contacts.bodies[row, 0], contacts.bodies[row, 1]
        depth, deepest = 0.0, 0
        for k in range(contacts.n_points[row]):
            gap = separation(bodies, contacts, row, k)
            if -gap > depth:
                depth, deepest = -gap, k
        light = inverse[a, 0] + inverse[b, 0]
        if depth > 0.0 and light > 0.0:
            for axis in range(2):
                step = share * depth * contacts.normal[row, axis] / light
                bodies.shift[a, axis] -= inverse[a, 0] * step
                bodies.shift[b, axis] += inverse[b, 0] * step
            n = contacts.normal[row, 0], contacts.normal[row, 1]
            record(PointPushed(row, deepest, -depth, share * depth / light, bodies.shift[a], bodies.shift[b], n))
