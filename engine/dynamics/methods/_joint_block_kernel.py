"""Solves the rows of a joint together: a block of a few lines, each an equation ``J v = ...`` between two bodies.

A POINT has two lines, every other coordinate one. With the lines' Jacobians the block's matrix is ``K = J M^-1 J^T``, symmetric, and
positive definite if no line is redundant; it is solved by elimination (L D L^T).
"""

from __future__ import annotations

from typing import NamedTuple

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.dynamics._joint_kernel import n_parts, part
from engine.dynamics._row_kernel import row_response
from engine.dynamics.model import Bodies, Joints

__all__ = ["MAX_LINES", "Block", "fill_lines", "fill_matrix", "solve_lines"]

MAX_LINES = 4
"""Capacity of a block: a prismatic joint has a line perpendicular to its axis, its angle and both limits."""


class Block(NamedTuple):
    """Scratch for the lines of a joint: Jacobians (`MAX_LINES`, 6), errors, right-hand sides, and the matrix."""

    line: FloatArray
    error: FloatArray
    x: FloatArray
    matrix: FloatArray


@inlined_kernel
def fill_lines(bodies: Bodies, joints: Joints, row: int, block: Block, n: int) -> int:
    """Append the lines of a row to `n` others, with their errors, and return the number of lines."""
    for part_of in range(n_parts(joints, row)):
        block.error[n] = part(bodies, joints, row, part_of) - joints.target[row]
        for k in range(3):
            block.line[n, k], block.line[n, 3 + k] = joints.line[0, k], joints.line[1, k]
        n += 1
    return n


@inlined_kernel
def fill_matrix(bodies: Bodies, a: int, b: int, block: Block, n: int) -> None:
    """Fill the matrix ``J M^-1 J^T`` of `n` lines between two bodies; a line that can move nothing gets 1 on the diagonal."""
    for i in range(n):
        for j in range(n):
            block.matrix[i, j] = row_response(bodies.inverse, a, b, block.line[i], block.line[j])
        if block.matrix[i, i] == 0.0:
            block.matrix[i, i] = 1.0


@inlined_kernel
def solve_lines(matrix: FloatArray, x: FloatArray, n: int) -> None:
    """Replace x by ``K^-1 x``, and the matrix by its factors."""
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
