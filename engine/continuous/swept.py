"""First and last contacts of many pairs of translating shapes, with contact sets at the first; and shape casts, rays with a shape.

A translating shape S touches a shape T when its path, a ray, hits the set of all t - s, the Minkowski difference; so a shape cast is the
swept contact of `_swept_kernel` with one side at rest, and its result has the form of a ray cast: a point of T, and T's normal there.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import traced
from engine.common.threads import in_parts
from engine.continuous._swept_kernel import SWEPT_SIZE, swept_pairs
from engine.narrowphase.packing import PackedShapes

__all__ = ["shape_cast_rows", "swept_rows"]


def swept_rows(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, velocities_a: FloatArray, poses_b: FloatArray, velocities_b: FloatArray,
    t_max: float, threads: int = 1,
) -> tuple[IntArray, IntArray, FloatArray]:  # fmt: skip
    """Return status (n,), ends of the contact (n,) and results (n, `SWEPT_SIZE`) of `pairs` at poses (n, 4) x, y, cos, sin.

    Inputs checked and writable. The pairs are divided among `threads`.
    """
    n = len(pairs)
    status, counts, results = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty((n, SWEPT_SIZE))

    def fill(part: slice) -> None:
        moves = poses_a[part], velocities_a[part], poses_b[part], velocities_b[part]
        traced(swept_pairs)(shapes.arrays, pairs[part], *moves, t_max, status[part], counts[part], results[part])

    in_parts(n, threads, fill)
    return status, counts, results


def shape_cast_rows(
    shapes: PackedShapes, pairs: IntArray, poses: FloatArray, translations: FloatArray, poses_target: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return status (n,), OVERLAPPING where they do at 0, and fraction, point, normal (n, 5), for pairs of a shape and its target.

    Poses are (n, 4) x, y, cos, sin. Inputs checked and writable.
    """
    turned = np.ascontiguousarray(pairs[:, ::-1])
    status, _, rows = swept_rows(shapes, turned, poses_target, np.zeros((len(pairs), 2)), poses, translations, 1.0)
    return status, np.column_stack((rows[:, 0], rows[:, 4:6], rows[:, 2:4]))
