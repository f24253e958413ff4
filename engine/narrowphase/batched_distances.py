"""The distance kernels over many pairs of packed shapes; apart from `batched`, which the sandbox loads and these would slow down."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import has_wide_registers
from engine.narrowphase._distance_kernel import ROW_WIDTH, distance_pairs
from engine.narrowphase._distance_lanes_kernel import distance_lanes
from engine.narrowphase.batched import LANES_FROM
from engine.narrowphase.packing import PackedShapes

__all__ = ["distance_rows"]


def distance_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Status, iterations and rows (n, 7) of the distance of `pairs`, see `_distance_kernel`; many go in lanes, the same to the bit."""
    arrays = (shapes.first, shapes.n_vertices, shapes.vertices, shapes.radius, shapes.extent)
    found = _empty_distances(len(pairs))
    if len(pairs) < LANES_FROM or not has_wide_registers():
        distance_pairs(*arrays, pairs, poses_a, poses_b, *found)
        return found
    rest = distance_lanes(*arrays, pairs, poses_a, poses_b, *found)
    if len(rest) > 0:
        others = _empty_distances(len(rest))
        distance_pairs(*arrays, pairs[rest], poses_a[rest], poses_b[rest], *others)
        for column, part in zip(found, others, strict=True):
            column[rest] = part
    return found


def _empty_distances(n: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Make room for `n` rows in one piece of memory; see `batched`, where the manifolds' does the same."""
    room = np.zeros((2 + ROW_WIDTH) * n)
    whole = room.view(np.int64)
    return whole[:n], whole[n : 2 * n], room[2 * n :].reshape(n, ROW_WIDTH)
