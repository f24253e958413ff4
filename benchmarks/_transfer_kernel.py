"""Copy what a linear sweep reads and writes without computing anything: a lower bound on the time of any kernel with the same answers."""

from __future__ import annotations

import numpy as np

from engine.common._lanes_kernel import fetch
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel
from engine.narrowphase._simd_kernel import fetch_shapes
from engine.narrowphase.packing import GROUP_SIZE, HEAD, RECORD, SLOT_GROUP

__all__ = ["move"]


@kernel
def move(
    n_vertices: IntArray, records: FloatArray, pairs: IntArray, poses_a: FloatArray, velocities_a: FloatArray, poses_b: FloatArray,
    velocities_b: FloatArray, status: IntArray, results: FloatArray,
) -> None:  # fmt: skip
    """Copy of each pair the records of its cores, poses and velocities to one place, and write a row of results."""
    flat, here = records.reshape(-1), np.zeros(2 * RECORD)
    for row in range(pairs.shape[0]):
        fetch_shapes(flat, pairs, n_vertices, row, True)
        fetch(status, row)
        fetch(results, results.shape[1] * row)
        for side in range(2):
            shape = np.uint64(pairs[row, side])
            n = HEAD + (n_vertices[shape] + SLOT_GROUP - 1) // SLOT_GROUP * GROUP_SIZE
            first = np.uint64(RECORD) * shape
            for number in range(n):
                here[np.uint64(number)] = flat[first + np.uint64(number)]
        for field in range(3):
            here[field], here[4 + field] = poses_a[row, field], poses_b[row, field]
        for field in range(2):
            here[8 + field], here[10 + field] = velocities_a[row, field], velocities_b[row, field]
        status[row] = 1
        for field in range(results.shape[1]):
            results[row, field] = here[field]
