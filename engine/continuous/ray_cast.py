"""Ray casts against many packed shapes, and point containment."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import traced
from engine.continuous._ray_kernel import RAY_SIZE, contains_points, ray_casts
from engine.narrowphase.packing import PackedShapes

__all__ = ["contains_rows", "ray_rows"]


def ray_rows(
    shapes: PackedShapes,
    indices: IntArray,
    poses: FloatArray,
    origins: FloatArray,
    translations: FloatArray,
) -> tuple[IntArray, FloatArray]:
    """Return status (n,), OVERLAPPING for a start inside, and fraction, point, normal (n, 5); inputs checked and writable."""
    n = len(indices)
    status, results = np.zeros(n, dtype=np.int64), np.zeros((n, RAY_SIZE))
    traced(ray_casts)(shapes.arrays, indices, poses, origins, translations, status, results)
    return status, results


def contains_rows(shapes: PackedShapes, indices: IntArray, poses: FloatArray, points: FloatArray) -> IntArray:
    """Return 1 or 0 (n,) for shapes named by `indices` (n,) at poses (n, 4) and world points (n, 2)."""
    contained = np.zeros(len(indices), dtype=np.int64)
    contains_points(shapes.arrays, indices, poses, points, contained)
    return contained
