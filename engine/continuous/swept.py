"""First and last contacts of many pairs of translating shapes, with contact sets at the first; and shape casts, rays with a shape.

A translating shape S touches a shape T when its path, a ray, hits the set of all t - s, the Minkowski difference; so a shape cast is the
swept contact of `_swept_kernel` with one side at rest, and its result has the form of a ray cast: a point of T, and T's normal there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.common.arrays import FloatArray, IntArray, finite_rows, index_pairs
from engine.common.errors import InvalidInputError
from engine.common.jit import has_wide_registers
from engine.common.threads import in_parts
from engine.continuous._swept_kernel import SWEPT_SIZE, TIMES_SIZE, swept_pairs
from engine.continuous._swept_simd_kernel import SCRATCH, swept_simd
from engine.geometry._rotation_kernel import turn_poses
from engine.narrowphase.packing import SIMD_FROM, PackedShapes

__all__ = ["rows_one_by_one", "shape_cast_rows", "swept_rows"]


def swept_rows(
    shapes: PackedShapes,
    pairs: IntArray,
    poses_a: FloatArray,
    velocities_a: FloatArray,
    poses_b: FloatArray,
    velocities_b: FloatArray,
    t_max: float,
    with_contact: bool = True,
    threads: int = 1,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return status (n,), ends of the contact (n,) and results (n, `SWEPT_SIZE`) of `pairs` at poses (n, 3) x, y, angle.

    Arrays are contiguous and writable. Indices and numbers need not be checked before: the kernels do so. Polygons without skins and sharp
    corners are processed in SIMD lanes if there are many, with bit-identical results. Without contact, the ends are not counted, and the
    results are `TIMES_SIZE` wide. The pairs are divided among `threads`.

    Raises
    ------
    InvalidInputError
        An index is out of range, or a number in `xf_a`, `xf_b`, `velocity_a` or `velocity_b` is not finite.
    """
    n = len(pairs)
    moves = (poses_a, velocities_a, poses_b, velocities_b)
    if n < SIMD_FROM or not has_wide_registers():
        _refuse_wrong(shapes, pairs, *moves)
        status, counts, results = rows_one_by_one(shapes, pairs, *_turned(moves), t_max)
        return status, counts, results if with_contact else results[:, :TIMES_SIZE]
    rows = _empty_rows(n, SWEPT_SIZE if with_contact else TIMES_SIZE)

    def fill(part: slice) -> None:
        some = (poses_a[part], velocities_a[part], poses_b[part], velocities_b[part])
        _fill(shapes, pairs[part], some, t_max, with_contact, (rows[0][part], rows[1][part], rows[2][part]))

    try:
        in_parts(n, threads, fill)
    except InvalidInputError:  # a row of a part, whose rows are numbered separately
        _refuse_wrong(shapes, pairs, poses_a, velocities_a, poses_b, velocities_b)
        raise
    return rows


def _fill(
    shapes: PackedShapes,
    pairs: IntArray,
    moves: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    t_max: float,
    with_contact: bool,
    rows: tuple[IntArray, IntArray, FloatArray],
) -> None:
    status, counts, results = rows
    rest = np.empty(len(pairs) + 1).view(np.int64)
    n_rest = swept_simd(
        shapes.simd_vertices, shapes.records, pairs, *moves, t_max, with_contact, status, counts, results, np.empty(SCRATCH), rest
    )  # fmt: skip
    if n_rest != 0:
        _refuse_wrong(shapes, pairs, *moves)
        rest = rest[:n_rest]
        others = rows_one_by_one(shapes, pairs[rest], *_turned([column[rest] for column in moves]), t_max)
        status[rest], counts[rest], results[rest] = others[0], others[1], others[2][:, : results.shape[1]]


def _empty_rows(n: int, width: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Allocate status, counts and results of `n` pairs, in one block of memory."""
    piece = np.empty((width + 2) * n)
    integers = piece.view(np.int64)
    return integers[:n], integers[n : 2 * n], piece[2 * n :].reshape(n, width)


def _refuse_wrong(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, velocities_a: FloatArray, poses_b: FloatArray, velocities_b: FloatArray
) -> None:
    index_pairs("pairs", pairs, len(shapes))
    finite_rows("xf_a", poses_a, 3)
    finite_rows("xf_b", poses_b, 3)
    finite_rows("velocity_a", velocities_a, 2)
    finite_rows("velocity_b", velocities_b, 2)


def _turned(moves: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the same with poses (n, 4) x, y, cos, sin."""
    poses_a, velocities_a, poses_b, velocities_b = moves
    turned_a, turned_b = np.empty((len(poses_a), 4)), np.empty((len(poses_b), 4))
    turn_poses(poses_a, turned_a)
    turn_poses(poses_b, turned_b)
    return turned_a, velocities_a, turned_b, velocities_b


def rows_one_by_one(
    shapes: PackedShapes,
    pairs: IntArray,
    poses_a: FloatArray,
    velocities_a: FloatArray,
    poses_b: FloatArray,
    velocities_b: FloatArray,
    t_max: float,
    trace: FloatArray | None = None,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the same, contacts included, by the scalar kernel: poses (n, 4) x, y, cos, sin; inputs checked and writable."""
    rows = _empty_rows(len(pairs), SWEPT_SIZE)
    swept_pairs(shapes.arrays, pairs, poses_a, velocities_a, poses_b, velocities_b, t_max, *rows, trace)
    return rows


def shape_cast_rows(
    shapes: PackedShapes, pairs: IntArray, poses: FloatArray, translations: FloatArray, poses_target: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return status (n,), OVERLAPPING where they do at 0, and fraction, point, normal (n, 5), for pairs of a shape and its target.

    Poses are (n, 3) x, y, angle. Inputs checked and writable.
    """
    turned = np.ascontiguousarray(pairs[:, ::-1])
    status, _, rows = swept_rows(shapes, turned, poses_target, np.zeros((len(pairs), 2)), poses, translations, 1.0)
    return status, np.column_stack((rows[:, 0], rows[:, 4:6], rows[:, 2:4]))
