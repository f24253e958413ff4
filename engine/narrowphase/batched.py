"""The kernels over many pairs of packed shapes: allocation and nothing else. Inputs must have been checked, and be writable.

Numba compiles once more for every mix of read-only and writable arrays; `engine.query.batch` hands over writable ones only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import has_wide_registers
from engine.common.memory import room
from engine.geometry._rotation_kernel import turn_poses
from engine.narrowphase._core_manifold_kernel import manifold_core_pairs
from engine.narrowphase._extent_kernel import gaps_along, pairs_of_bodies, posed_boxes
from engine.narrowphase._manifold_kernel import manifold_pairs
from engine.narrowphase._manifold_simd_kernel import contact_normals, manifolds_simd
from engine.narrowphase._overlap_kernel import overlap_pairs
from engine.narrowphase._overlap_simd_kernel import overlaps_simd
from engine.narrowphase.packing import SIMD_FROM, PackedShapes

__all__ = [
    "ManifoldRows",
    "box_rows",
    "contact_normals",
    "fill_manifolds",
    "gap_rows",
    "manifold_rows",
    "manifold_rows_of_bodies",
    "overlap_rows",
    "poses_with_rotation",
    "traced_rows",
]

CHUNK = 4096
"""Pairs whose poses are gathered at a time: few enough that the copies stay in the cache and no fresh memory is asked for."""

_ROW = 1 + 6 + 2 + 6 + 2
"""Numbers of a row: count, points, names, axis, reference."""


@dataclass(frozen=True, slots=True)
class ManifoldRows:
    """What the manifold kernel fills, a row for each pair; see `_manifold_kernel`."""

    count: IntArray
    points: FloatArray
    names: IntArray
    axis: FloatArray
    reference: IntArray

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All columns, for a kernel."""
        return self.count, self.points, self.names, self.axis, self.reference


def poses_with_rotation(poses: FloatArray) -> FloatArray:
    """Return (n, 4) x, y, cos, sin of poses (n, 3) x, y, angle, with the scalar form's own cosine and sine."""
    turned = room(4 * len(poses)).reshape(len(poses), 4)
    turn_poses(poses, turned)
    return turned


def manifold_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int) -> ManifoldRows:
    """Manifolds of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin; many go side by side, with the same answers to the bit."""
    rows = _empty_rows(len(pairs))
    fill_manifolds(shapes, pairs, poses_a, poses_b, rule, rows)
    return rows


def manifold_rows_of_bodies(shapes: PackedShapes, which: IntArray, poses: FloatArray, pairs: IntArray, rule: int) -> ManifoldRows:
    """Manifolds of `pairs` (n, 2) of bodies, each with its shape in `which` (m,) and its pose in `poses` (m, 4)."""
    rows = _empty_rows(len(pairs))
    for low in range(0, len(pairs), CHUNK):
        some = slice(low, low + CHUNK)
        part = ManifoldRows(*(getattr(rows, name)[some] for name in ManifoldRows.__slots__))
        fill_manifolds(shapes, *pairs_of_bodies(which, poses, pairs[some]), rule, part)
    return rows


def traced_rows(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, trace: FloatArray | None
) -> ManifoldRows:
    """Manifolds of few `pairs`, one by one, whose steps the `trace` is told."""
    rows = _empty_rows(len(pairs))
    _fill_one_by_one(shapes, pairs, poses_a, poses_b, rule, rows, trace)
    return rows


def fill_manifolds(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, rows: ManifoldRows) -> None:
    """Fill the first of some rows, one for each of the pairs; arguments as of `manifold_rows`.

    Rows that held something else before may hold it still where there is no contact, and past the count.
    """
    if len(pairs) < SIMD_FROM or not has_wide_registers():
        _fill_one_by_one(shapes, pairs, poses_a, poses_b, rule, rows)
        return
    rest = manifolds_simd(shapes.arrays, shapes.records, pairs, poses_a, poses_b, rule, rows.arrays)
    if len(rest) > 0:
        others = _empty_rows(len(rest))
        _fill_one_by_one(shapes, pairs[rest], poses_a[rest], poses_b[rest], rule, others)
        for name in ManifoldRows.__slots__:
            getattr(rows, name)[rest] = getattr(others, name)


def _empty_rows(n: int) -> ManifoldRows:
    """Make room for `n` rows of zeros, all columns in one piece of memory, which `engine.common.memory` has ready from earlier calls."""
    numbers = room(_ROW * n)
    numbers.fill(0.0)
    whole = numbers.view(np.int64)
    return ManifoldRows(
        count=whole[:n],
        points=numbers[n : 7 * n].reshape(n, 2, 3),
        names=whole[7 * n : 9 * n].reshape(n, 2),
        axis=numbers[9 * n : 15 * n].reshape(n, 6),
        reference=whole[15 * n :].reshape(n, 2),
    )


def _fill_one_by_one(
    shapes: PackedShapes,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    rule: int,
    rows: ManifoldRows,
    trace: FloatArray | None = None,
) -> None:
    arguments = shapes.arrays, pairs, poses_a, poses_b, rule, rows.arrays, trace
    if manifold_pairs(*arguments) > 0:
        manifold_core_pairs(*arguments)


def box_rows(shapes: PackedShapes, which: IntArray, poses: FloatArray) -> FloatArray:
    """Tight boxes (n, 4), radii and skins included, of the shapes `which` (n,) at poses (n, 4) x, y, cos, sin."""
    return posed_boxes(shapes.first, shapes.n_vertices, shapes.vertices, shapes.radius, which, poses)


def overlap_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray) -> NDArray[np.bool_]:
    """Overlap of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin; many go side by side, with the same answers."""
    overlapping = np.zeros(len(pairs), dtype=np.int64)
    if len(pairs) < SIMD_FROM or not has_wide_registers():
        overlap_pairs(shapes.arrays, pairs, poses_a, poses_b, overlapping, None)
        return overlapping.astype(np.bool_)
    rest = overlaps_simd(shapes.kind, shapes.n_vertices, shapes.records, pairs, poses_a, poses_b, overlapping)
    if len(rest) > 0:
        others = np.zeros(len(rest), dtype=np.int64)
        overlap_pairs(shapes.arrays, pairs[rest], poses_a[rest], poses_b[rest], others, None)
        overlapping[rest] = others
    return overlapping.astype(np.bool_)


def gap_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, directions: FloatArray) -> FloatArray:
    """Gap of `pairs` (n, 2) at poses (n, 4) along unit `directions` (n, 2), polygons without their skins."""
    gaps = np.zeros(len(pairs))
    gaps_along(shapes.arrays, pairs, poses_a, poses_b, directions, gaps)
    return gaps
