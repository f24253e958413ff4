"""Solves all rows of an island together, by a sparse factorization over its bodies.

Sequential impulses propagate a load by one body per pass: a chain of n links takes some n^2 passes, and the load that has not arrived is an
error, which grows with the stiffness and the mass ratio. The soft rows of a sub-step, ``J v+ + b C + g l = 0`` with the impulses ``l = l0 +
d`` and ``v+ = v + M^-1 J^T d`` (`_softness_kernel`; g = 1 / s, s = a m), are one linear system. Without d::

    (M + J^T S J) u = -J^T S r,    r = J v + b C + G l0,    d = -S (r + J u),    u = M^-1 J^T d

a matrix of 3 x 3 blocks, one for each body and one for each two that a row connects, symmetric and positive definite for any number of
rows: redundant contacts cause no singularity here, as they do in the system of the impulses. It is factorized as L D L^T, in the order of
minimum degree: the next body is always the one with the fewest neighbors left, which become neighbors of each other. A chain or a tree has
no fill-in (n joints cost n); a wall of n boxes costs some n^1.5.

The active set consists of the HOLD rows of joints, the contacts with an impulse at the start of the step, and their friction if it did not
slip. Contacts only push, and friction is bounded: rows whose solution would pull or slip are set to their bound and leave the set, and the
rest is factorized again, `TRIES` times; after that, each island takes only the fraction of its solution up to which all contacts still
push, along which kinetic energy decreases. Sequential impulses follow as usual: they find the rows that enter the set.

Sources: D. Baraff, "Linear-Time Dynamics Using Lagrange Multipliers", SIGGRAPH 1996 (trees); M. Silcowitz, S. Niebe, K. Erleben, "Projected
Gauss-Seidel Subspace Minimization Method for Interactive Rigid Body Dynamics", 2010 (the set found by passes, then solved directly); T. A.
Davis, *Direct Methods for Sparse Linear Systems*, 2006 (minimum degree).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common._lanes_kernel import WIDTH
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel
from engine.dynamics._contact_kernel import (
    AX,
    BIAS_RATE,
    BLOCK,
    FRICTION,
    GAP,
    IMPULSE_SCALE,
    MASS_SCALE,
    NORMAL_IMPULSE,
    NORMAL_MASS,
    NX,
    OF_POINT,
    RADIUS_A,
    TANGENT_IMPULSE,
    TANGENT_MASS,
    offset_of_cores,
    pose_of,
)
from engine.dynamics._island_kernel import join, root_of
from engine.dynamics._joint_kernel import n_parts, part
from engine.dynamics._row_kernel import apply_row, can_move, joint_velocity_and_response, row_velocity
from engine.dynamics.model import HOLD, SUM, Bodies, Joints
from engine.dynamics.tolerances import MAX_COLUMN_LOAD, MAX_FIRMNESS, MAX_NEIGHBORS, PUSH, STICK

__all__ = ["MAX_BODIES", "System", "excess_of", "factorize", "solve_at_once", "stiffen", "system_of", "update_jacobians"]

MAX_BODIES = 256
"""Maximum number of bodies in an island solved directly."""
TRIES = 4
"""Maximum number of times that rows leave the set within a solution."""

_PRESSES, _STICKS, _HOLDS, _HOLDS_Y = range(4)
"""Kinds of rows."""


class System(NamedTuple):
    """Rows of m constraints on k bodies, and the factors of their matrix.

    Attributes
    ----------
    ends : int64 (m, 2)
        Rows of bodies.
    jacobian : float64 (m, 6)
    stiffness : float64 (m,)
        s; 0 for a row that has left the set.
    error : float64 (m,)
        Position error: a contact's gap, a joint's coordinate less its target.
    kind, at : int64 (m,)
        Normal or tangent of a contact, and the index of its point in the lanes; or part of a joint, and its row.
    node : int64 (n,)
        Number of each body in the system, or -1 if it is not solved directly.
    body : int64 (k,)
    order, number : int64 (k',), (k,)
        Numbers in the order of elimination, and the place of each in it.
    n_later, later : int64 (k,), (k, MAX_NEIGHBORS)
        The neighbors of each when it is eliminated.
    island : int64 (k,)
        The last one in the island of each.
    firmness : float64 (k,)
        Factor by which the contacts and joints of each are stiffer.
    diagonal : float64 (k, 9)
        Blocks of D^-1.
    beside, begin : float64 (any, 9), int64 (k,)
        Blocks of the matrix from each to its later neighbors at its elimination, and the index of the first block of each.
    """

    ends: IntArray
    jacobian: FloatArray
    stiffness: FloatArray
    error: FloatArray
    kind: IntArray
    at: IntArray
    node: IntArray
    body: IntArray
    order: IntArray
    number: IntArray
    n_later: IntArray
    later: IntArray
    island: IntArray
    firmness: FloatArray
    diagonal: FloatArray
    beside: FloatArray
    begin: IntArray


@allocating_kernel
def system_of(
    bodies: Bodies, lanes: FloatArray, pairs: IntArray, joints: Joints, with_joints: bool, with_contacts: bool,
    excess: FloatArray, max_bodies: int, stiff_joint: float,
) -> System:  # fmt: skip
    """Return the rows to solve directly, in islands of two or more bodies, ordered.

    Parameters
    ----------
    excess : float64 (n,)
        An island of up to `max_bodies` is solved if that of a body is at least 1, and its rows are so many times as stiff.
    stiff_joint : float
        The coefficient a of joints.
    """
    n_contacts, n_joints = len(lanes) // BLOCK * WIDTH if with_contacts else 0, len(joints.kind) if with_joints else 0
    node, body, first, firm = _islands(bodies, lanes, pairs, joints, n_contacts, n_joints, excess, max_bodies)
    n_nodes, is_left = len(body), np.zeros(len(body), dtype=np.bool_)
    n_rows = 4 * n_contacts + 2 * n_joints if n_nodes > 0 else 0
    ends, kind, at = np.empty((n_rows, 2), dtype=np.int64), np.empty(n_rows, dtype=np.int64), np.empty(n_rows, dtype=np.int64)
    jacobian, stiffness = np.empty((n_rows, 6)), np.empty(n_rows)
    m = 0
    for contact in range(n_contacts if n_nodes > 0 else 0):
        m = _add_contact(lanes, pairs, node, contact, ends, jacobian, stiffness, kind, at, m)
    for row in range(n_joints if n_nodes > 0 else 0):
        a, b = joints.bodies[row, 0], joints.bodies[row, 1]
        if _holds(joints, row) and max(node[a], node[b]) >= 0:
            for k in range(n_parts(joints, row)):
                ends[m, 0], ends[m, 1], kind[m], at[m] = a, b, _HOLDS + k, row
                m += 1
    n_later, later = np.zeros(n_nodes, dtype=np.int64), np.empty((n_nodes, MAX_NEIGHBORS), dtype=np.int64)
    for r in range(m):
        i, j = node[ends[r, 0]], node[ends[r, 1]]
        if i >= 0 and j >= 0 and not (_link(n_later, later, i, j) and _link(n_later, later, j, i)):
            is_left[first[i]] = True
    order, number, n_ordered = np.empty(n_nodes, dtype=np.int64), np.full(n_nodes, -1, dtype=np.int64), 0
    begun = 0
    while begun < n_nodes:
        end = begun
        while end < n_nodes and first[end] == begun:
            end += 1
        if not is_left[begun]:
            if _eliminate(begun, end, n_later, later, order, number, n_ordered):
                n_ordered += end - begun
            else:
                is_left[begun] = True
        begun = end
    kept = 0
    for r in range(m):
        i = max(node[ends[r, 0]], node[ends[r, 1]])
        if i >= 0 and not is_left[first[i]]:
            ends[kept, 0], ends[kept, 1] = ends[r, 0], ends[r, 1]
            kind[kept], at[kept] = kind[r], at[r]
            stiffness[kept] = stiffness[r] * firm[i] if kind[r] == _PRESSES else stiffness[r]
            for k in range(6):
                jacobian[kept, k] = jacobian[r, k]
            kept += 1
    for i in range(n_nodes):
        if is_left[first[i]]:
            node[body[i]] = -1
    order = order[:n_ordered]
    island, begin, n_beside = first, np.empty(n_nodes, dtype=np.int64), 0
    for k in range(n_ordered - 1, -1, -1):
        i = order[k]
        island[i] = i if n_later[i] == 0 else island[later[i, 0]]
        begin[i] = n_beside
        n_beside += n_later[i]
    system = System(
        ends[:kept], jacobian[:kept], stiffness[:kept], np.zeros(kept), kind[:kept], at[:kept], node, body, order, number, n_later, later,
        island, firm, np.empty((n_nodes, 9)), np.empty((n_beside, 9)), begin,
    )  # fmt: skip
    update_jacobians(bodies, lanes, joints, system, stiff_joint)
    return system


@inlined_kernel
def _add_contact(
    lanes: FloatArray, pairs: IntArray, node: IntArray, contact: int,
    ends: IntArray, jacobian: FloatArray, stiffness: FloatArray, kind: IntArray, at: IntArray, m: int,
) -> int:  # fmt: skip
    """Add the loaded points of a contact of numbered bodies, and their friction if it sticks; return the number of rows."""
    here, (a, b) = _lane_of(contact), _ends_of(pairs, contact)
    if max(node[a], node[b]) < 0:
        return m
    nx, ny, friction = lanes[here + NX * WIDTH], lanes[here + (NX + 1) * WIDTH], lanes[here + FRICTION * WIDTH]
    for point in range(2):
        to = here + point * OF_POINT * WIDTH
        pressed, slid = lanes[to + NORMAL_IMPULSE * WIDTH], lanes[to + TANGENT_IMPULSE * WIDTH]
        if lanes[to + NORMAL_MASS * WIDTH] == 0.0 or pressed <= 0.0:
            continue
        for number in range(2 if abs(slid) < friction * pressed else 1):
            x, y = (nx, ny) if number == 0 else (ny, -nx)
            ends[m, 0], ends[m, 1], kind[m], at[m] = a, b, _PRESSES + number, to
            jacobian[m, 0], jacobian[m, 1], jacobian[m, 3], jacobian[m, 4] = -x, -y, x, y
            jacobian[m, 2] = -(lanes[to + AX * WIDTH] * y - lanes[to + (AX + 1) * WIDTH] * x)
            jacobian[m, 5] = lanes[to + (AX + 2) * WIDTH] * y - lanes[to + (AX + 3) * WIDTH] * x
            if number == 0:
                stiffness[m] = lanes[to + NORMAL_MASS * WIDTH] * (lanes[here + MASS_SCALE * WIDTH] / lanes[here + IMPULSE_SCALE * WIDTH])
            else:
                stiffness[m] = lanes[to + TANGENT_MASS * WIDTH] * STICK
            m += 1
    return m


@inlined_kernel
def _load_and_stiffness(lanes: FloatArray, here: int, point: int) -> tuple[float, float]:
    """Return an impulse and a stiffness; their ratio is the overlap, m, at which a point balances its load with the sweeps' softness."""
    to = here + point * OF_POINT * WIDTH
    stiffness = lanes[to + NORMAL_MASS * WIDTH] * lanes[here + MASS_SCALE * WIDTH] * lanes[here + BIAS_RATE * WIDTH]
    return lanes[to + NORMAL_IMPULSE * WIDTH] * lanes[here + IMPULSE_SCALE * WIDTH], stiffness


@inlined_kernel
def _lane_of(contact: int) -> int:
    """Return the index of a contact's first number in the lanes."""
    return BLOCK * (contact // WIDTH) + contact % WIDTH


@inlined_kernel
def _ends_of(pairs: IntArray, contact: int) -> tuple[int, int]:
    """Return the rows of a contact's bodies."""
    a = 2 * WIDTH * (contact // WIDTH) + contact % WIDTH
    return pairs[a], pairs[a + WIDTH]


@inlined_kernel
def _holds(joints: Joints, row: int) -> bool:
    """Return True if a direct solve includes a joint's row."""
    return bool(joints.mode[row] == HOLD and joints.kind[row] != SUM)


@allocating_kernel
def excess_of(bodies: Bodies, lanes: FloatArray, pairs: IntArray, max_yield: float) -> FloatArray:
    """Return the factor by which the contacts of each body are too soft for their loads, float64 (n,); below 1, they are stiff enough.

    A contact must not yield by more than `max_yield`, m, and a column must not buckle. Its joints are the contacts of bodies with at most
    two loaded contacts. A joint of two points with stiffnesses k1 and k2 at a distance d resists a tilt by ``K = d^2 k1 k2 / (k1 + k2)``
    per radian. With distances H between the centers, the column has the length ``L = sum H`` and the mean bending stiffness ``E I = L /
    sum (1 / K)``. Euler's column on a fixed foot buckles under a load P at ``P L^2 / (E I) = (pi / 2)^2``; here this is ``L sum (P / K)``.
    """
    n, n_contacts = len(bodies.velocity), len(lanes) // BLOCK * WIDTH
    excess, n_loaded, root, length, tilt = np.zeros(n), np.zeros(n, dtype=np.int64), np.arange(n), np.zeros(n), np.zeros(n)
    for contact in range(n_contacts):
        here, (a, b) = _lane_of(contact), _ends_of(pairs, contact)
        load_1, stiffness_1 = _load_and_stiffness(lanes, here, 0)
        load_2, stiffness_2 = _load_and_stiffness(lanes, here, 1)
        if load_1 > 0.0 or load_2 > 0.0:
            n_loaded[a] += 1
            n_loaded[b] += 1
        for load, stiffness in ((load_1, stiffness_1), (load_2, stiffness_2)):
            if load > max_yield * stiffness:
                for body in (a, b):
                    excess[body] = max(excess[body], load / stiffness / max_yield)
    for body in range(n):
        if not can_move(bodies.inverse, body):
            n_loaded[body] = 0
    for contact in range(n_contacts):
        a, b = _ends_of(pairs, contact)
        if max(n_loaded[a], n_loaded[b]) <= 2:
            here, moves_a, moves_b = _lane_of(contact), can_move(bodies.inverse, a), can_move(bodies.inverse, b)
            body, by = a if moves_a else b, _tilt_of(lanes, here)
            if by > 0.0:
                length[body] += _height_of(lanes, here, moves_a, moves_b)
                tilt[body] += by
                if moves_a and moves_b:
                    join(root, a, b)
    for body in range(n):
        root[body] = root_of(root, body)
        if root[body] != body:
            length[root[body]] += length[body]
            tilt[root[body]] += tilt[body]
    for body in range(n):
        excess[body] = max(excess[body], length[root[body]] * tilt[root[body]] / MAX_COLUMN_LOAD)
    return excess


@inlined_kernel
def _height_of(lanes: FloatArray, here: int, moves_a: bool, moves_b: bool) -> float:
    """Return the distance along the normal between the centers of a contact's bodies, m, or from one center to an immovable body."""
    nx, ny, on_a, on_b = lanes[here + NX * WIDTH], lanes[here + (NX + 1) * WIDTH], 0.0, 0.0
    if moves_a:
        on_a = lanes[here + AX * WIDTH] * nx + lanes[here + (AX + 1) * WIDTH] * ny
    if moves_b:
        on_b = lanes[here + (AX + 2) * WIDTH] * nx + lanes[here + (AX + 3) * WIDTH] * ny
    return max(on_a - on_b, 0.0)


@inlined_kernel
def _tilt_of(lanes: FloatArray, here: int) -> float:
    """Return P / K of a contact, 1/m; 0 if it has not two loaded points."""
    there = here + OF_POINT * WIDTH
    load_1, stiffness_1 = _load_and_stiffness(lanes, here, 0)
    load_2, stiffness_2 = _load_and_stiffness(lanes, here, 1)
    x, y = lanes[there + AX * WIDTH] - lanes[here + AX * WIDTH], lanes[there + (AX + 1) * WIDTH] - lanes[here + (AX + 1) * WIDTH]
    apart = x * lanes[here + (NX + 1) * WIDTH] - y * lanes[here + NX * WIDTH]
    if load_1 <= 0.0 or load_2 <= 0.0 or apart == 0.0:
        return 0.0
    tilt: float = (load_1 + load_2) * (1.0 / stiffness_1 + 1.0 / stiffness_2) / (apart * apart)
    return tilt


@allocating_kernel
def _islands(
    bodies: Bodies, lanes: FloatArray, pairs: IntArray, joints: Joints, n_contacts: int, n_joints: int, excess: FloatArray, max_bodies: int
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Return the number of each body to solve directly, the body of each number, the first number of its island, and its firmness.

    The bodies of an island have consecutive numbers. Islands of one body, of too many, or without an excess have none.
    """
    n = len(bodies.velocity)
    root, count, firm = np.arange(n), np.zeros(n, dtype=np.int64), np.zeros(n)
    for contact in range(n_contacts):
        here, (a, b) = _lane_of(contact), _ends_of(pairs, contact)
        if max(lanes[here + NORMAL_IMPULSE * WIDTH], lanes[here + (OF_POINT + NORMAL_IMPULSE) * WIDTH]) > 0.0:
            if can_move(bodies.inverse, a) and can_move(bodies.inverse, b):
                join(root, a, b)
    for row in range(n_joints):
        a, b = joints.bodies[row, 0], joints.bodies[row, 1]
        if _holds(joints, row) and can_move(bodies.inverse, a) and can_move(bodies.inverse, b):
            join(root, a, b)
    for row in range(n):
        root[row] = root_of(root, row)
        count[root[row]] += 1
        firm[root[row]] = max(firm[root[row]], min(excess[row], MAX_FIRMNESS))
    n_nodes, begin = 0, np.empty(n, dtype=np.int64)
    for row in range(n):
        if 2 <= count[row] <= max_bodies and firm[row] >= 1.0:
            begin[row] = n_nodes
            n_nodes += count[row]
    node, body, first = np.full(n, -1, dtype=np.int64), np.empty(n_nodes, dtype=np.int64), np.empty(n_nodes, dtype=np.int64)
    firmness = np.empty(n_nodes)
    for row in range(n):
        i = root[row]
        if 2 <= count[i] <= max_bodies and firm[i] >= 1.0:
            node[row] = begin[i]
            body[node[row]], first[node[row]], firmness[node[row]] = row, node[i], firm[i]
            begin[i] += 1
    return node, body, first, firmness


@inlined_kernel
def _link(n_later: IntArray, later: IntArray, i: int, j: int) -> bool:
    """Add j to the neighbors of i; return False if there is no room."""
    for k in range(n_later[i]):
        if later[i, k] == j:
            return True
    if n_later[i] == MAX_NEIGHBORS:
        return False
    later[i, n_later[i]] = j
    n_later[i] += 1
    return True


@inlined_kernel
def _eliminate(begin: int, end: int, n_later: IntArray, later: IntArray, order: IntArray, number: IntArray, n_ordered: int) -> bool:
    """Order an island's bodies by minimum degree, the first of equals; return False if a body gets too many neighbors."""
    for place in range(n_ordered, n_ordered + end - begin):
        best = -1
        for i in range(begin, end):
            if number[i] < 0 and (best < 0 or n_later[i] < n_later[best]):
                best = i
        order[place], number[best] = best, place
        for p in range(n_later[best]):
            i, q = later[best, p], 0
            while later[i, q] != best:
                q += 1
            n_later[i] -= 1
            later[i, q] = later[i, n_later[i]]
        for p in range(n_later[best]):
            for q in range(n_later[best]):
                if p != q and not _link(n_later, later, later[best, p], later[best, q]):
                    return False
    return True


@inlined_kernel
def update_jacobians(bodies: Bodies, lanes: FloatArray, joints: Joints, system: System, stiff_joint: float) -> None:
    """Fill the errors of all rows at the bodies' current poses, and the Jacobians of joints, which turn; those of contacts are constant."""
    for r in range(len(system.kind)):
        a, b, to = system.ends[r, 0], system.ends[r, 1], system.at[r]
        if system.kind[r] == _PRESSES:
            here = BLOCK * (to // BLOCK) + to % WIDTH
            nx, ny = lanes[here + NX * WIDTH], lanes[here + (NX + 1) * WIDTH]
            arm = lanes[to + AX * WIDTH], lanes[to + (AX + 1) * WIDTH], lanes[to + (AX + 2) * WIDTH], lanes[to + (AX + 3) * WIDTH]
            radius_a, radius_b = lanes[here + RADIUS_A * WIDTH], lanes[here + (RADIUS_A + 1) * WIDTH]
            x, y = offset_of_cores(arm, pose_of(bodies, a), pose_of(bodies, b), radius_a, radius_b, nx, ny)
            system.error[r] = lanes[to + GAP * WIDTH] + x * nx + y * ny
        elif system.kind[r] >= _HOLDS:
            system.error[r] = part(bodies, joints, to, system.kind[r] - _HOLDS) - joints.target[to]
            _, response = joint_velocity_and_response(bodies, joints, to)
            for k in range(3):
                system.jacobian[r, k], system.jacobian[r, 3 + k] = joints.line[0, k], joints.line[1, k]
            firm = system.firmness[max(system.node[a], system.node[b])]
            system.stiffness[r] = firm * stiff_joint / response if response > 0.0 else 0.0


@inlined_kernel
def stiffen(lanes: FloatArray, pairs: IntArray, system: System, firmness: FloatArray, with_contacts: bool) -> None:
    """Apply the firmness of directly solved contacts to the sweeps as well, and fill that of the joint rows of the system."""
    for r in range(len(system.kind)):
        if system.kind[r] >= _HOLDS:
            firmness[system.at[r]] = system.firmness[max(system.node[system.ends[r, 0]], system.node[system.ends[r, 1]])]
    for contact in range(len(lanes) // BLOCK * WIDTH if with_contacts else 0):
        block, lane = contact // WIDTH, contact % WIDTH
        node = max(system.node[pairs[2 * WIDTH * block + lane]], system.node[pairs[2 * WIDTH * block + WIDTH + lane]])
        if node >= 0:
            scale, leak = BLOCK * block + MASS_SCALE * WIDTH + lane, BLOCK * block + IMPULSE_SCALE * WIDTH + lane
            stiff = system.firmness[node] * lanes[scale] / lanes[leak]
            lanes[scale], lanes[leak] = stiff / (1.0 + stiff), 1.0 / (1.0 + stiff)


@inlined_kernel
def _inverse_of(bodies: Bodies, body: int, k: int) -> float:
    """Return 1/kg or 1/(kg m^2)."""
    inverse: float = bodies.inverse[body, 0] if k < 2 else bodies.inverse[body, 1]
    return inverse


@inlined_kernel
def factorize(bodies: Bodies, system: System) -> None:
    """Fill the matrix of the rows and factorize it."""
    diagonal, beside, begin, jacobian = system.diagonal, system.beside, system.begin, system.jacobian
    order, number, later, n_later = system.order, system.number, system.later, system.n_later
    diagonal[:] = 0.0
    beside[:] = 0.0
    for i in range(len(system.body)):
        for k in range(3):
            inverse = _inverse_of(bodies, system.body[i], k)
            diagonal[i, 4 * k] = 1.0 / inverse if inverse > 0.0 else 1.0
    for r in range(len(system.kind)):
        s = system.stiffness[r]
        if s == 0.0:
            continue
        i, j = system.node[system.ends[r, 0]], system.node[system.ends[r, 1]]
        for side in range(2):
            node, body = (i, system.ends[r, 0]) if side == 0 else (j, system.ends[r, 1])
            if node >= 0:
                for p in range(3):
                    for q in range(3):
                        if _inverse_of(bodies, body, p) > 0.0 and _inverse_of(bodies, body, q) > 0.0:
                            diagonal[node, 3 * p + q] += s * jacobian[r, 3 * side + p] * jacobian[r, 3 * side + q]
        if i >= 0 and j >= 0:
            side = 0 if number[i] < number[j] else 1
            earlier, other = (i, j) if side == 0 else (j, i)
            block = begin[earlier] + _place(later, earlier, other)
            for p in range(3):
                for q in range(3):
                    if _inverse_of(bodies, system.body[earlier], p) > 0.0 and _inverse_of(bodies, system.body[other], q) > 0.0:
                        beside[block, 3 * p + q] += s * jacobian[r, 3 * side + p] * jacobian[r, 3 - 3 * side + q]
    for place in range(len(order)):
        i = order[place]
        _invert(diagonal[i])
        d = diagonal[i]
        for x in range(n_later[i]):
            j, to_j = later[i, x], beside[begin[i] + x]
            w0, w1, w2 = _times(d, to_j[0], to_j[3], to_j[6])
            w3, w4, w5 = _times(d, to_j[1], to_j[4], to_j[7])
            w6, w7, w8 = _times(d, to_j[2], to_j[5], to_j[8])
            for y in range(n_later[i]):
                k, to_k = later[i, y], beside[begin[i] + y]
                if number[k] > number[j]:
                    continue
                changed = diagonal[j] if k == j else beside[begin[k] + _place(later, k, j)]
                for p in range(3):
                    c0, c1, c2 = to_k[p], to_k[3 + p], to_k[6 + p]
                    changed[3 * p] -= c0 * w0 + c1 * w1 + c2 * w2
                    changed[3 * p + 1] -= c0 * w3 + c1 * w4 + c2 * w5
                    changed[3 * p + 2] -= c0 * w6 + c1 * w7 + c2 * w8


@inlined_kernel
def _place(later: IntArray, i: int, j: int) -> int:
    k = 0
    while later[i, k] != j:
        k += 1
    return k


@inlined_kernel
def _times(d: FloatArray, x: float, y: float, z: float) -> tuple[float, float, float]:
    return d[0] * x + d[1] * y + d[2] * z, d[3] * x + d[4] * y + d[5] * z, d[6] * x + d[7] * y + d[8] * z


@inlined_kernel
def _invert(d: FloatArray) -> None:
    """Invert a symmetric 3 x 3 matrix in place."""
    xx, xy, xz, yy, yz, zz = d[0], d[1], d[2], d[4], d[5], d[8]
    c0, c1, c2 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    determinant = xx * c0 + xy * c1 + xz * c2
    d[0], d[1], d[2] = c0 / determinant, c1 / determinant, c2 / determinant
    d[3], d[4], d[5] = d[1], (xx * zz - xz * xz) / determinant, (xy * xz - xx * yz) / determinant
    d[6], d[7], d[8] = d[2], d[5], (xx * yy - xy * xy) / determinant


@inlined_kernel
def _apply(bodies: Bodies, system: System, r: int, impulse: float, by_joints: FloatArray) -> None:
    """Apply an impulse along a row; that of a joint is added to `by_joints` as well."""
    a, b, row = system.ends[r, 0], system.ends[r, 1], system.jacobian[r]
    apply_row(bodies.velocity, bodies.inverse, a, b, row, impulse)
    if system.kind[r] >= _HOLDS:
        apply_row(by_joints, bodies.inverse, a, b, row, impulse)


@allocating_kernel
def solve_at_once(
    bodies: Bodies, lanes: FloatArray, joints: Joints, system: System, rates: tuple[float, float, float], h: float, is_relaxing: bool,
    by_joints: FloatArray,
) -> None:  # fmt: skip
    """Solve all rows directly.

    Parameters
    ----------
    rates : float
        `Softness.bias_rate` of contacts between two bodies that can move, of contacts with one that cannot, and of joints.
    by_joints : float64 (n, 3)
        Changes of velocity due to joints are added to it.
    """
    kind, at, stiffness, jacobian = system.kind, system.at, system.stiffness, system.jacobian
    bias_soft, bias_hard, bias_joint = rates
    n, m = len(system.body), len(kind)
    change, right, share = np.empty(m), np.empty((n, 3)), np.empty(n)
    for attempt in range(TRIES + 1):
        right[:] = 0.0
        share[:] = 1.0
        for r in range(m):
            s, a, b, to = stiffness[r], system.ends[r, 0], system.ends[r, 1], at[r]
            if s == 0.0:
                continue
            rate = row_velocity(bodies.velocity, a, b, jacobian[r])
            if kind[r] == _PRESSES:
                gap = system.error[r]
                if gap > 0.0:
                    rate += gap / h
                elif not is_relaxing:
                    push = (bias_soft if can_move(bodies.inverse, a) and can_move(bodies.inverse, b) else bias_hard) * gap
                    rate += push / (1.0 - push / PUSH) + lanes[to + NORMAL_IMPULSE * WIDTH] / s
            elif kind[r] >= _HOLDS and not is_relaxing:
                rate += bias_joint * system.error[r] + joints.impulse[to, kind[r] - _HOLDS] / s
            change[r] = rate
            for side in range(2):
                body = system.ends[r, side]
                i = system.node[body]
                if i >= 0:
                    for k in range(3):
                        if _inverse_of(bodies, body, k) > 0.0:
                            right[i, k] -= jacobian[r, 3 * side + k] * s * rate
        _substitute(system, right)
        is_done = True
        for r in range(m):
            if stiffness[r] == 0.0:
                continue
            rate = change[r]
            for side in range(2):
                i = system.node[system.ends[r, side]]
                if i >= 0:
                    for k in range(3):
                        rate += jacobian[r, 3 * side + k] * right[i, k]
            change[r] = -stiffness[r] * rate
            if kind[r] == _PRESSES:
                before = lanes[at[r] + NORMAL_IMPULSE * WIDTH]
                if before + change[r] < 0.0:
                    is_done = False
                    island = system.island[max(system.node[system.ends[r, 0]], system.node[system.ends[r, 1]])]
                    share[island] = min(share[island], -before / change[r])
            elif kind[r] == _STICKS and stiffness[r - 1] > 0.0:
                limit = _friction_of(lanes, at[r]) * (lanes[at[r] + NORMAL_IMPULSE * WIDTH] + change[r - 1])
                if abs(lanes[at[r] + TANGENT_IMPULSE * WIDTH] + change[r]) > limit:
                    is_done = False
        if is_done or attempt == TRIES:
            break
        for r in range(m):
            if kind[r] < _HOLDS and stiffness[r] > 0.0:
                _leave(bodies, lanes, system, r, change, by_joints)
        factorize(bodies, system)
    for r in range(m):
        if stiffness[r] == 0.0:
            continue
        to, island = at[r], system.island[max(system.node[system.ends[r, 0]], system.node[system.ends[r, 1]])]
        by = change[r] * share[island]
        if kind[r] == _PRESSES:
            before = lanes[to + NORMAL_IMPULSE * WIDTH]
            lanes[to + NORMAL_IMPULSE * WIDTH] = max(0.0, before + by)
            by = lanes[to + NORMAL_IMPULSE * WIDTH] - before
        elif kind[r] == _STICKS:
            before, limit = lanes[to + TANGENT_IMPULSE * WIDTH], _friction_of(lanes, to) * lanes[to + NORMAL_IMPULSE * WIDTH]
            lanes[to + TANGENT_IMPULSE * WIDTH] = max(-limit, min(before + by, limit))
            by = lanes[to + TANGENT_IMPULSE * WIDTH] - before
        else:
            joints.impulse[to, kind[r] - _HOLDS] += by
        _apply(bodies, system, r, by, by_joints)


@inlined_kernel
def _friction_of(lanes: FloatArray, to: int) -> float:
    friction: float = lanes[BLOCK * (to // BLOCK) + to % WIDTH + FRICTION * WIDTH]
    return friction


@inlined_kernel
def _leave(bodies: Bodies, lanes: FloatArray, system: System, r: int, change: FloatArray, by_joints: FloatArray) -> None:
    """Set a row whose solution exceeds its bound to the bound, and remove it from the set; friction leaves together with its normal row."""
    to = system.at[r]
    if system.kind[r] == _PRESSES:
        slot, after = to + NORMAL_IMPULSE * WIDTH, 0.0
        leaves = lanes[slot] + change[r] < 0.0
    else:
        slot = to + TANGENT_IMPULSE * WIDTH
        limit = 0.0
        if system.stiffness[r - 1] > 0.0:
            limit = _friction_of(lanes, to) * (lanes[to + NORMAL_IMPULSE * WIDTH] + change[r - 1])
        solution = lanes[slot] + change[r]
        leaves = abs(solution) > limit or system.stiffness[r - 1] == 0.0
        after = limit if solution > 0.0 else -limit
    if leaves:
        before = lanes[slot]
        lanes[slot] = after
        system.stiffness[r] = 0.0
        _apply(bodies, system, r, after - before, by_joints)


@inlined_kernel
def _substitute(system: System, right: FloatArray) -> None:
    """Solve L D L^T u = right, in place."""
    order, later, n_later, diagonal, beside, begin = (
        system.order, system.later, system.n_later, system.diagonal, system.beside, system.begin,
    )  # fmt: skip
    for place in range(len(order)):
        i = order[place]
        x, y, z = _times(diagonal[i], right[i, 0], right[i, 1], right[i, 2])
        for k in range(n_later[i]):
            j, block = later[i, k], beside[begin[i] + k]
            for q in range(3):
                right[j, q] -= block[q] * x + block[3 + q] * y + block[6 + q] * z
    for place in range(len(order) - 1, -1, -1):
        i = order[place]
        x, y, z = right[i, 0], right[i, 1], right[i, 2]
        for k in range(n_later[i]):
            j, block = later[i, k], beside[begin[i] + k]
            x -= block[0] * right[j, 0] + block[1] * right[j, 1] + block[2] * right[j, 2]
            y -= block[3] * right[j, 0] + block[4] * right[j, 1] + block[5] * right[j, 2]
            z -= block[6] * right[j, 0] + block[7] * right[j, 1] + block[8] * right[j, 2]
        right[i, 0], right[i, 1], right[i, 2] = _times(diagonal[i], x, y, z)
