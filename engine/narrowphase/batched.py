"""The kernels over many pairs of packed shapes, divided among threads; this module only allocates memory.

Inputs must be checked and writable: Numba compiles again for every mix of read-only and writable arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import traced
from engine.common.threads import in_parts
from engine.geometry._rotation_kernel import turn_poses
from engine.narrowphase._core_manifold_kernel import manifold_core_pairs
from engine.narrowphase._extent_kernel import gaps_along, posed_boxes
from engine.narrowphase._manifold_kernel import manifold_pairs
from engine.narrowphase._overlap_kernel import overlap_pairs
from engine.narrowphase.packing import PackedShapes

__all__ = [
    "ManifoldRows",
    "box_rows",
    "fill_manifolds",
    "gap_rows",
    "manifold_rows",
    "manifold_rows_of_bodies",
    "overlap_rows",
    "poses_with_rotation",
]


@dataclass(frozen=True, slots=True)
class ManifoldRows:
    """Output arrays of the manifold kernel, one row per pair; see `_manifold_kernel`."""

    count: IntArray
    points: FloatArray
    names: IntArray
    axis: FloatArray
    reference: IntArray

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All columns, as arguments of a kernel."""
        return self.count, self.points, self.names, self.axis, self.reference


def poses_with_rotation(poses: FloatArray) -> FloatArray:
    """Return (n, 4) x, y, cos, sin of poses (n, 3) x, y, angle, with the scalar form's own cosine and sine."""
    turned = np.empty((len(poses), 4))
    turn_poses(poses, turned)
    return turned


def manifold_rows(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, threads: int = 1
) -> ManifoldRows:  # fmt: skip
    """Manifolds of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin."""
    n = len(pairs)
    rows = ManifoldRows(
        np.empty(n, dtype=np.int64), np.empty((n, 2, 3)), np.empty((n, 2), dtype=np.int64), np.empty((n, 6)),
        np.empty((n, 2), dtype=np.int64),
    )  # fmt: skip

    def fill(part: slice) -> None:
        of_part = ManifoldRows(*(column[part] for column in rows.arrays))
        fill_manifolds(shapes, pairs[part], poses_a[part], poses_b[part], rule, of_part)

    in_parts(n, threads, fill)
    return rows


def manifold_rows_of_bodies(shapes: PackedShapes, which: IntArray, poses: FloatArray, pairs: IntArray, rule: int) -> ManifoldRows:
    """Manifolds of `pairs` (n, 2) of bodies, each with its shape in `which` (m,) and its pose in `poses` (m, 4)."""
    return manifold_rows(shapes, which[pairs], poses[pairs[:, 0]], poses[pairs[:, 1]], rule)


def fill_manifolds(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, rows: ManifoldRows
) -> None:  # fmt: skip
    """Fill the first rows, one per pair; arguments as in `manifold_rows`."""
    arguments = shapes.arrays, pairs, poses_a, poses_b, rule, rows.arrays
    if traced(manifold_pairs)(*arguments) > 0:
        traced(manifold_core_pairs)(*arguments)


def box_rows(shapes: PackedShapes, which: IntArray, poses: FloatArray) -> FloatArray:
    """Tight boxes (n, 4), radii and skins included, of the shapes `which` (n,) at poses (n, 4) x, y, cos, sin."""
    return posed_boxes(shapes.first, shapes.n_vertices, shapes.vertices, shapes.radius, which, poses)


def overlap_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, threads: int = 1) -> NDArray[np.bool_]:
    """Overlap of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin; `threads` as in `manifold_rows`."""
    overlapping = np.zeros(len(pairs), dtype=np.int64)

    def fill(part: slice) -> None:
        traced(overlap_pairs)(shapes.arrays, pairs[part], poses_a[part], poses_b[part], overlapping[part])

    in_parts(len(pairs), threads, fill)
    return overlapping.astype(np.bool_)


def gap_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, directions: FloatArray) -> FloatArray:
    """Gap of `pairs` (n, 2) at poses (n, 4) along unit `directions` (n, 2), for polygons without their skins."""
    gaps = np.zeros(len(pairs))
    gaps_along(shapes.arrays, pairs, poses_a, poses_b, directions, gaps)
    return gaps
