"""The kernels over many pairs of packed shapes: allocation and nothing else. Inputs must have been checked, and be writable.

Numba compiles once more for every mix of read-only and writable arrays; `engine.query.batch` hands over writable ones only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.narrowphase._manifold_kernel import manifold_pairs, poses_with_rotation
from engine.narrowphase._overlap_kernel import overlap_pairs
from engine.narrowphase._witness_kernel import gaps_along
from engine.narrowphase.packing import PackedShapes

__all__ = ["ManifoldRows", "gap_rows", "manifold_rows", "overlap_rows", "poses_with_rotation"]


@dataclass(frozen=True, slots=True)
class ManifoldRows:
    """What the manifold kernel fills, a row for each pair; see `_manifold_kernel`."""

    count: IntArray
    points: FloatArray
    names: IntArray
    axis: FloatArray
    reference: IntArray


def manifold_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int) -> ManifoldRows:
    """Manifolds of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin."""
    n = len(pairs)
    rows = ManifoldRows(
        count=np.zeros(n, dtype=np.int64),
        points=np.zeros((n, 2, 3)),
        names=np.zeros((n, 2), dtype=np.int64),
        axis=np.zeros((n, 6)),
        reference=np.zeros((n, 2), dtype=np.int64),
    )
    manifold_pairs(
        shapes.kind, shapes.first, shapes.n_vertices, shapes.vertices, shapes.normals, shapes.centroid, shapes.radius, shapes.extent,
        pairs, poses_a, poses_b, rule, rows.count, rows.points, rows.names, rows.axis, rows.reference,
    )  # fmt: skip
    return rows


def overlap_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray) -> NDArray[np.bool_]:
    """Overlap of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin."""
    overlapping = np.zeros(len(pairs), dtype=np.int64)
    overlap_pairs(
        shapes.kind, shapes.first, shapes.n_vertices, shapes.vertices, shapes.normals, shapes.radius, shapes.extent,
        pairs, poses_a, poses_b, overlapping,
    )  # fmt: skip
    return overlapping.astype(np.bool_)


def gap_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, directions: FloatArray) -> FloatArray:
    """Gap of `pairs` (n, 2) at poses (n, 4) along unit `directions` (n, 2), polygons without their skins."""
    gaps = np.zeros(len(pairs))
    gaps_along(
        shapes.kind, shapes.first, shapes.n_vertices, shapes.vertices, shapes.radius, pairs, poses_a, poses_b, directions, gaps
    )  # fmt: skip
    return gaps
