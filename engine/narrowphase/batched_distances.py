"""The distance kernels over many pairs of packed shapes; not in `batched`, because they would slow down the sandbox, which loads that."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.threads import in_parts
from engine.narrowphase._distance_kernel import ROW_WIDTH, distance_pairs
from engine.narrowphase.packing import PackedShapes

__all__ = ["distance_rows"]


def distance_rows(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, wants_depth: bool = False, threads: int = 1
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return status, iterations and rows (n, 7) of the distances of `pairs`, or of their depths; see `_distance_kernel`.

    Poses are (n, 4) x, y, cos, sin; inputs checked and writable. The pairs are divided among `threads`.
    """
    n = len(pairs)
    status, iterations, rows = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty((n, ROW_WIDTH))

    def fill(part: slice) -> None:
        where = shapes.arrays, pairs[part], poses_a[part], poses_b[part]
        distance_pairs(wants_depth, *where, status[part], iterations[part], rows[part])

    in_parts(n, threads, fill)
    return status, iterations, rows
