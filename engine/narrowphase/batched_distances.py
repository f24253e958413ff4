"""The distance kernels over many pairs of packed shapes; not in `batched`, because they would slow down the sandbox, which loads that."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray, finite_rows, index_pairs
from engine.common.jit import has_wide_registers
from engine.common.threads import in_parts
from engine.narrowphase._distance_kernel import ROW_WIDTH, distance_listed
from engine.narrowphase._distance_simd_kernel import SCRATCH, distances_simd
from engine.narrowphase.packing import SIMD_FROM, PackedShapes

__all__ = ["distance_rows"]


def distance_rows(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, threads: int = 1
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return status, iterations and rows (n, 7) of the distances of `pairs`, see `_distance_kernel`; many are processed in SIMD lanes.

    Poses are (n, 3) x, y, angle. Indices and numbers need not be checked before: the kernels do so. The pairs are divided among
    `threads`.

    Raises
    ------
    InvalidInputError
        An index is out of range, or a number in `xf_a` or `xf_b` is not finite.
    """
    n = len(pairs)
    columns = _empty_distances(n)

    def fill(part: slice) -> bool:
        status, iterations, rows = columns[0][part], columns[1][part], columns[2][part]
        return distances_simd(
            shapes.arrays, shapes.records, pairs[part], poses_a[part], poses_b[part], status, iterations, rows, np.empty(SCRATCH),
            np.empty(len(status) + 1).view(np.int64),
        )  # fmt: skip

    if n >= SIMD_FROM and has_wide_registers():
        is_fine = all(in_parts(n, threads, fill))
    else:
        index_pairs("pairs", pairs, len(shapes))
        is_fine = distance_listed(np.arange(n), shapes.arrays, pairs, poses_a, poses_b, *columns)
    if not is_fine:
        index_pairs("pairs", pairs, len(shapes))
        finite_rows("xf_a", poses_a, 3)
        finite_rows("xf_b", poses_b, 3)
    return columns


def _empty_distances(n: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Allocate `n` rows in one block of memory, like the manifolds in `batched`."""
    numbers = np.empty((2 + ROW_WIDTH) * n)
    integers = numbers.view(np.int64)
    return integers[:n], integers[n : 2 * n], numbers[2 * n :].reshape(n, ROW_WIDTH)
