"""The rows of a joint solved together: in a block of up to three lines, a line being one equation ``J v = ...`` between two bodies.

A POINT has two lines, every other coordinate one. With the lines' Jacobians the block's matrix is ``K = J M^-1 J^T``, symmetric, and
positive definite where no line says what another one says already; its solution is by elimination (L D L^T).
"""

from __future__ import annotations

from typing import NamedTuple

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.dynamics._bodies_kernel import Bodies
from engine.dynamics._joint_kernel import POINT, Joints, coordinate, forces_at
from engine.geometry._rotation_kernel import cosine_and_sine

__all__ = ["MAX_LINES", "Block", "fill_lines", "line_rate", "push_along", "solve_lines", "square_lines", "turn_by_shift"]

MAX_LINES = 4
"""That there is room for: a slider across its axis, its angle, and both of its limits."""


class Block(NamedTuple):
    """Room for the lines of a joint: Jacobians (`MAX_LINES`, 6), errors, right-hand sides; the matrix; a row's own Jacobian (4, 3)."""

    line: FloatArray
    error: FloatArray
    x: FloatArray
    matrix: FloatArray
    jacobian: FloatArray


@inlined_kernel
def fill_lines(bodies: Bodies, joints: Joints, row: int, block: Block, n: int) -> int:
    """Fill the lines of a row after `n` others, with how far each is off, and return how many there are now."""
    if joints.kind[row] != POINT:
        block.error[n] = coordinate(bodies, joints, row, block.jacobian) - joints.target[row]
        for k in range(3):
            block.line[n, k], block.line[n, 3 + k] = block.jacobian[0, k], block.jacobian[1, k]
        return n + 1
    ax, ay, bx, by, block.error[n], block.error[n + 1] = forces_at(bodies, joints, row)
    line = block.line
    line[n, 0], line[n, 1], line[n, 2], line[n, 3], line[n, 4], line[n, 5] = -1.0, 0.0, ay, 1.0, 0.0, -by
    n += 1
    line[n, 0], line[n, 1], line[n, 2], line[n, 3], line[n, 4], line[n, 5] = 0.0, -1.0, -ax, 0.0, 1.0, bx
    return n + 1


@inlined_kernel
def square_lines(bodies: Bodies, a: int, b: int, block: Block, n: int) -> None:
    """Fill the matrix ``J M^-1 J^T`` of `n` lines between two bodies; what nothing can move is left alone (1 on the diagonal)."""
    inverse, line = bodies.inverse, block.line
    for i in range(n):
        for j in range(n):
            straight_a, straight_b = line[i, 0] * line[j, 0] + line[i, 1] * line[j, 1], line[i, 3] * line[j, 3] + line[i, 4] * line[j, 4]
            block.matrix[i, j] = inverse[a, 0] * straight_a + inverse[a, 1] * line[i, 2] * line[j, 2]
            block.matrix[i, j] += inverse[b, 0] * straight_b + inverse[b, 1] * line[i, 5] * line[j, 5]
        if block.matrix[i, i] == 0.0:
            block.matrix[i, i] = 1.0


@inlined_kernel
def solve_lines(matrix: FloatArray, x: FloatArray, n: int) -> None:
    """Replace x by ``K^-1 x``, and the matrix by its elimination."""
    for k in range(n):
        for i in range(k + 1, n):
            share = matrix[i, k] / matrix[k, k]
            for j in range(k + 1, n):
                matrix[i, j] -= share * matrix[k, j]
            x[i] -= share * x[k]
    for back in range(n):
        k = n - 1 - back
        for j in range(k + 1, n):
            x[k] -= matrix[k, j] * x[j]
        x[k] /= matrix[k, k]


@inlined_kernel
def line_rate(velocity: FloatArray, a: int, b: int, line: FloatArray) -> float:
    """Return J v of a line."""
    rate: float = line[0] * velocity[a, 0] + line[1] * velocity[a, 1] + line[2] * velocity[a, 2]
    rate += line[3] * velocity[b, 0] + line[4] * velocity[b, 1] + line[5] * velocity[b, 2]
    return rate


@inlined_kernel
def push_along(velocity: FloatArray, inverse: FloatArray, a: int, b: int, line: FloatArray, impulse: float) -> None:
    """Add ``M^-1 J^T`` times an impulse to velocities, or to shifts."""
    for k in range(3):
        of_body = 0 if k < 2 else 1
        velocity[a, k] += inverse[a, of_body] * line[k] * impulse
        velocity[b, k] += inverse[b, of_body] * line[3 + k] * impulse


@inlined_kernel
def turn_by_shift(bodies: Bodies, body: int) -> None:
    """Fill the cosine and sine of the angle that a body has turned."""
    angle = bodies.shift[body, 2]
    bodies.turn[body, 0], bodies.turn[body, 1] = cosine_and_sine(angle)
