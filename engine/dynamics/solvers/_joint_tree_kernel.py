"""Joints that hold, solved all at once where they form chains and trees: exact whatever the masses, in a time that grows with their number.

Sweeps hand an impulse on by one joint at a time, and a share of it only where a heavy body hangs on light ones: a chain of n links with a
load of r times their mass takes some n^2 r sweeps. Solved at once are the equations of motion with all constraints::

    M dv - J^T dP = 0        |  M  J^T | |  dv |   |     0     |
    J (v + dv) = -b     or   |  J   0  | | -dP | = | -(J v + b) |

Rows and columns belong to bodies (3) and joints (1 to 3), and a joint meets its two bodies only. Where the graph of both is a tree there is
an order in which elimination fills in nothing, from the leaves to a root: a node then has one neighbour left, its parent::

    D_parent -= A^T D^-1 A,    r_parent -= A^T D^-1 r            up,   A: rows of the node, columns of its parent
    x = D^-1 (r - A x_parent)                                    down

This is block tridiagonal elimination along a chain, and sparse L D L^T of a tree. Bodies' blocks stay positive definite and joints'
negative definite, so nothing needs to be exchanged. What cannot move is no node: a bridge between two walls is a tree, too. A joint that
closes a loop of moving bodies is left to sweeps.

Source: D. Baraff, "Linear-Time Dynamics using Lagrange Multipliers", SIGGRAPH 1996; R. Featherstone, *Rigid Body Dynamics Algorithms*,
2008.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._island_kernel import root_of
from engine.dynamics._joint_kernel import HOLD, POINT, SUM, Joints
from engine.dynamics.solvers._joint_block_kernel import Block, fill_lines, line_rate, push_along

__all__ = ["LINES", "Forest", "factorise", "grow", "pose_lines", "solve_forest"]

LINES = 3
"""Of a joint at the most, and numbers of a body."""

YIELD, ANCHOR_YIELD = 1e-9, 1e-5
"""Shares of a joint's own response by which it gives way in one solve: where joints say the same, as those of a straight chain between two
walls do, the equations have no single solution without. The second is of a leaf that is held to a wall, a root elsewhere, of which the
block is nothing but this. A solve asks for what is still missing, so that what one leaves the next makes up."""


MOST_LOOPS = 0.1
"""Share of the joints of bodies that hang together that may close loops: sweeps between a tree and many of these settle more slowly than
sweeps over all (a net of 400: 12 cm off, against some millimetres)."""


class Forest(NamedTuple):
    """Bodies and joints as nodes: bodies by their rows, then joints by their numbers.

    Attributes
    ----------
    size, parent : int64 (n,)
        Lines of each node, 0 of one that is not in it; the node that it hangs on, -1: none.
    order : int64 (n,)
        Nodes from the roots to the leaves.
    line : float64 (n_joints, LINES, 6)
        Jacobians.
    error, before : float64 (n_joints, LINES)
        How far each line is off, now and as the sub-step began, m or rad.
    inverse, across : float64 (n, LINES, LINES)
        Of the elimination: ``D^-1`` and A.
    x : float64 (n, LINES)
    """

    size: IntArray
    parent: IntArray
    order: IntArray
    line: FloatArray
    error: FloatArray
    before: FloatArray
    inverse: FloatArray
    across: FloatArray
    x: FloatArray


@inlined_kernel
def _is_driven(bodies: Bodies, body: int) -> bool:
    return bool(bodies.inverse[body, 0] + bodies.inverse[body, 1] > 0.0)


@inlined_kernel
def _is_anchor(bodies: Bodies, joints: Joints, row: int) -> bool:
    """Tell whether a joint holds a body to what nothing moves."""
    return not (_is_driven(bodies, joints.bodies[row, 0]) and _is_driven(bodies, joints.bodies[row, 1]))


@inlined_kernel
def grow(
    bodies: Bodies,
    joints: Joints,
    first: IntArray,
    n_joints: int,
    forest: Forest,
    is_direct: NDArray[np.bool_],
    room: IntArray,
    next_of: IntArray,
) -> int:
    """Fill size, parent and order, and which rows are solved by the forest, bool (n_rows,); return the number of nodes.

    Parameters
    ----------
    room : int64 (4, n_bodies)
        To work in.
    next_of : int64 (2, n_joints)
        To work in.
    """
    n_bodies, head, one_of, n_of = len(bodies.velocity), room[0], room[1], room[2:]
    for body in range(n_bodies):
        head[body], one_of[body], n_of[0, body], n_of[1, body] = -1, body, 0, 0
    forest.size[:] = 0
    forest.parent[:] = -1
    is_direct[:] = False
    for joint in range(n_joints):  # lines of each, and what closes a loop
        begin, end, n = first[joint], first[joint + 1], 0
        a, b = joints.bodies[begin, 0], joints.bodies[begin, 1]
        for row in range(begin, end):
            if joints.mode[row] == HOLD and joints.kind[end - 1] != SUM:
                n += 2 if joints.kind[row] == POINT else 1
        has_a, has_b = _is_driven(bodies, a), _is_driven(bodies, b)
        forest.size[n_bodies + joint] = n if has_a or has_b else 0
        next_of[0, joint] = 0
        if n > 0 and has_a and has_b:
            if root_of(one_of, a) == root_of(one_of, b):
                next_of[0, joint] = 1
            one_of[root_of(one_of, a)] = root_of(one_of, b)
    for joint in range(n_joints):
        if forest.size[n_bodies + joint] > 0:
            body = joints.bodies[first[joint], 1]
            root = root_of(one_of, body if _is_driven(bodies, body) else joints.bodies[first[joint], 0])
            n_of[0, root] += 1
            n_of[1, root] += next_of[0, joint]
    for joint in range(n_joints):
        if forest.size[n_bodies + joint] == 0:
            continue
        body = joints.bodies[first[joint], 1]
        root = root_of(one_of, body if _is_driven(bodies, body) else joints.bodies[first[joint], 0])
        if next_of[0, joint] == 1 or n_of[1, root] > MOST_LOOPS * n_of[0, root]:
            forest.size[n_bodies + joint] = 0
            continue
        for row in range(first[joint], first[joint + 1]):
            is_direct[row] = joints.mode[row] == HOLD
        for side in range(2):  # lists of the joints at each body
            body = joints.bodies[first[joint], side]
            if _is_driven(bodies, body):
                next_of[side, joint] = head[body]
                head[body] = 2 * joint + side
    n, at = 0, 0
    for candidate in range(n_joints + n_bodies):  # a joint with what cannot move is the root where there is one
        root = n_bodies + candidate if candidate < n_joints else candidate - n_joints
        if root < n_bodies:
            if head[root] == -1 or forest.size[root] > 0:
                continue
            forest.size[root] = LINES
        elif forest.size[root] == 0 or forest.parent[root] >= 0 or not _is_anchor(bodies, joints, first[candidate]):
            continue
        forest.order[n] = root
        n += 1
        while at < n:
            node = forest.order[at]
            at += 1
            if node < n_bodies:
                entry = head[node]
                while entry >= 0:
                    joint = entry >> 1
                    if n_bodies + joint != forest.parent[node]:
                        forest.parent[n_bodies + joint] = node
                        forest.order[n] = n_bodies + joint
                        n += 1
                    entry = next_of[entry & 1, joint]
            else:
                begin = first[node - n_bodies]
                for side in range(2):
                    body = joints.bodies[begin, side]
                    if body != forest.parent[node] and _is_driven(bodies, body):
                        forest.size[body] = LINES
                        forest.parent[body] = node
                        forest.order[n] = body
                        n += 1
    return n


@inlined_kernel
def pose_lines(bodies: Bodies, joints: Joints, first: IntArray, n_joints: int, forest: Forest, block: Block, is_error_only: bool) -> None:
    """Fill the joints' lines and errors from how the bodies stand now."""
    n_bodies = len(bodies.velocity)
    for joint in range(n_joints):
        if forest.size[n_bodies + joint] == 0:
            continue
        n = 0
        for row in range(first[joint], first[joint + 1]):
            if joints.mode[row] == HOLD:
                n = fill_lines(bodies, joints, row, block, n)
        for k in range(n):
            forest.error[joint, k] = block.error[k]
            if not is_error_only:
                for j in range(6):
                    forest.line[joint, k, j] = block.line[k, j]


@inlined_kernel
def factorise(bodies: Bodies, joints: Joints, first: IntArray, forest: Forest, n_nodes: int) -> None:
    """Eliminate from the leaves to the roots."""
    n_bodies, inverse = len(bodies.velocity), forest.inverse
    for at in range(n_nodes):
        node = forest.order[at]
        for i in range(LINES):
            for j in range(LINES):
                inverse[node, i, j] = forest.across[node, i, j] = 0.0
        if node < n_bodies:
            for k in range(LINES):
                light = bodies.inverse[node, 0 if k < 2 else 1]
                inverse[node, k, k] = 1.0 / light if light > 0.0 else 1.0
        else:
            begin = first[node - n_bodies]
            for i in range(forest.size[node]):
                own = _response(bodies, joints.bodies[begin, 0], joints.bodies[begin, 1], forest.line[node - n_bodies, i])
                share = ANCHOR_YIELD if forest.parent[node] >= 0 and _is_anchor(bodies, joints, begin) else YIELD
                inverse[node, i, i] = -share * own if own > 0.0 else -1.0
        up = forest.parent[node]
        if up < 0:
            continue
        joint, body = max(node, up) - n_bodies, min(node, up)
        side = 0 if joints.bodies[first[joint], 0] == body else 1
        for i in range(forest.size[n_bodies + joint]):
            for k in range(LINES):
                value = forest.line[joint, i, 3 * side + k] if bodies.inverse[body, 0 if k < 2 else 1] > 0.0 else 0.0
                if node < n_bodies:
                    forest.across[node, k, i] = value
                else:
                    forest.across[node, i, k] = value
    for back in range(n_nodes):
        node = forest.order[n_nodes - 1 - back]
        _invert(inverse[node], forest.size[node])
        up = forest.parent[node]
        if up >= 0:
            across = forest.across[node]
            for i in range(forest.size[up]):
                for j in range(forest.size[up]):
                    total = 0.0
                    for k in range(forest.size[node]):
                        for m in range(forest.size[node]):
                            total += across[k, i] * inverse[node, k, m] * across[m, j]
                    inverse[up, i, j] -= total


@inlined_kernel
def _response(bodies: Bodies, a: int, b: int, line: FloatArray) -> float:
    inverse = bodies.inverse
    own: float = inverse[a, 0] * (line[0] * line[0] + line[1] * line[1]) + inverse[a, 1] * line[2] * line[2]
    own += inverse[b, 0] * (line[3] * line[3] + line[4] * line[4]) + inverse[b, 1] * line[5] * line[5]
    return own


@inlined_kernel
def _invert(matrix: FloatArray, n: int) -> None:
    """Replace a definite matrix by its inverse (Gauss and Jordan)."""
    for k in range(n):
        pivot = 1.0 / matrix[k, k]
        matrix[k, k] = 1.0
        for j in range(n):
            matrix[k, j] *= pivot
        for i in range(n):
            if i != k:
                share = matrix[i, k]
                matrix[i, k] = 0.0
                for j in range(n):
                    matrix[i, j] -= share * matrix[k, j]


@inlined_kernel
def solve_forest(bodies: Bodies, joints: Joints, first: IntArray, forest: Forest, n_nodes: int) -> None:
    """Bring the velocities of all lines to what `forest.x` of their joints asks for, J v = x, and add the impulses to the joints' rows."""
    n_bodies, x = len(bodies.velocity), forest.x
    for at in range(n_nodes):
        node = forest.order[at]
        if node < n_bodies:
            x[node, 0] = x[node, 1] = x[node, 2] = 0.0
        else:
            joint = node - n_bodies
            a, b = joints.bodies[first[joint], 0], joints.bodies[first[joint], 1]
            for i in range(forest.size[node]):
                x[node, i] -= line_rate(bodies.velocity, a, b, forest.line[joint, i])
    for back in range(n_nodes):
        node = forest.order[n_nodes - 1 - back]
        size, up, inverse = forest.size[node], forest.parent[node], forest.inverse[node]
        y0 = y1 = y2 = 0.0
        for j in range(size):
            y0 += inverse[0, j] * x[node, j]
            y1 += inverse[1, j] * x[node, j]
            y2 += inverse[2, j] * x[node, j]
        if size < 3:
            y2 = 0.0
        if size < 2:
            y1 = 0.0
        x[node, 0], x[node, 1], x[node, 2] = y0, y1, y2  # D^-1 r
        if up >= 0:
            across = forest.across[node]
            for i in range(forest.size[up]):
                x[up, i] -= across[0, i] * y0 + across[1, i] * y1 + across[2, i] * y2
    for at in range(n_nodes):
        node = forest.order[at]
        size, up, inverse, across = forest.size[node], forest.parent[node], forest.inverse[node], forest.across[node]
        if up >= 0:
            z0 = across[0, 0] * x[up, 0] + across[0, 1] * x[up, 1] + across[0, 2] * x[up, 2]
            z1 = across[1, 0] * x[up, 0] + across[1, 1] * x[up, 1] + across[1, 2] * x[up, 2]
            z2 = across[2, 0] * x[up, 0] + across[2, 1] * x[up, 1] + across[2, 2] * x[up, 2]
            for i in range(size):
                x[node, i] -= inverse[i, 0] * z0 + inverse[i, 1] * z1 + inverse[i, 2] * z2
        if node >= n_bodies:
            joint, i = node - n_bodies, 0
            a, b = joints.bodies[first[joint], 0], joints.bodies[first[joint], 1]
            for row in range(first[joint], first[joint + 1]):
                if joints.mode[row] == HOLD:
                    for k in range(2 if joints.kind[row] == POINT else 1):
                        joints.impulse[row, k] -= x[node, i]
                        push_along(bodies.velocity, bodies.inverse, a, b, forest.line[joint, i], -x[node, i])
                        i += 1
