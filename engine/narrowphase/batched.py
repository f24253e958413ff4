"""The kernels over many pairs of packed shapes; this module only allocates memory. Inputs must be checked and writable.

Numba compiles again for every mix of read-only and writable arrays, so `engine.query.batch` passes only writable ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray, finite_rows, index_pairs
from engine.common.errors import InvalidInputError
from engine.common.jit import has_wide_registers
from engine.common.threads import in_parts
from engine.geometry._rotation_kernel import turn_poses
from engine.narrowphase._core_manifold_kernel import manifold_core_pairs
from engine.narrowphase._extent_kernel import gaps_along, pairs_of_bodies, posed_boxes
from engine.narrowphase._manifold_kernel import manifold_pairs
from engine.narrowphase._manifold_simd_kernel import SCRATCH, contact_normals, manifolds_simd
from engine.narrowphase._overlap_kernel import overlap_pairs
from engine.narrowphase._overlap_simd_kernel import SCRATCH as OVERLAP_SCRATCH
from engine.narrowphase._overlap_simd_kernel import overlaps_simd
from engine.narrowphase._simd_kernel import POSE
from engine.narrowphase.packing import SIMD_FROM, PackedShapes

__all__ = [
    "IN_ORDER",
    "ManifoldRows",
    "box_rows",
    "fill_manifolds",
    "gap_rows",
    "manifold_rows",
    "manifold_rows_of_bodies",
    "manifolds",
    "manifolds_of_bodies",
    "overlap_rows",
    "overlaps",
    "poses_with_rotation",
    "traced_rows",
]

_ROW = 1 + 6 + 2 + 6 + 2
"""Number of values per row: count, points, names, axis, reference."""

_NO_BODIES, _NO_NORMALS = np.empty(0, dtype=np.int64), np.empty((0, 2))
IN_ORDER = np.empty(0, dtype=np.int64)
"""The rows of pairs that follow each other as the pairs do."""


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
    turned = np.empty(4 * len(poses)).reshape(len(poses), 4)
    turn_poses(poses, turned)
    return turned


def manifold_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int) -> ManifoldRows:
    """Manifolds of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin; many are processed in SIMD lanes, with bit-identical results."""
    rows = _rows_for(len(pairs))
    _fill(shapes, _NO_BODIES, pairs, poses_a, poses_b, rule, rows, _NO_NORMALS)
    return rows


def manifold_rows_of_bodies(shapes: PackedShapes, which: IntArray, poses: FloatArray, pairs: IntArray, rule: int) -> ManifoldRows:
    """Manifolds of `pairs` (n, 2) of bodies, each with its shape in `which` (m,) and its pose in `poses` (m, 4)."""
    return manifolds_of_bodies(shapes, which, poses, pairs, rule)[0]


def manifolds(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, threads: int = 1
) -> tuple[ManifoldRows, FloatArray]:
    """Manifolds of `pairs` (n, 2) at poses (n, 3) x, y, angle, and the normals (n, 2) of those that have points, zero for the others.

    The pairs are divided among `threads`. Indices and numbers need not be checked before: the kernels do so.

    Raises
    ------
    InvalidInputError
        An index is out of range, or a number in `xf_a` or `xf_b` is not finite.
    """
    rows, normals = _rows_for(len(pairs)), np.empty(2 * len(pairs)).reshape(len(pairs), 2)

    def fill(part: slice) -> None:
        columns = ManifoldRows(*(column[part] for column in rows.arrays))
        _fill(shapes, _NO_BODIES, pairs[part], poses_a[part], poses_b[part], rule, columns, normals[part])

    try:
        if threads == 1:  # as above, without slices, which take as long as hundreds of pairs if their code has left the cache
            _fill(shapes, _NO_BODIES, pairs, poses_a, poses_b, rule, rows, normals)
        else:
            in_parts(len(pairs), threads, fill)
    except InvalidInputError:  # a row of a part, or of its scalar rows, which are numbered separately
        finite_rows("xf_a", poses_a, 3)
        finite_rows("xf_b", poses_b, 3)
        raise
    return rows, normals


def manifolds_of_bodies(
    shapes: PackedShapes, which: IntArray, poses: FloatArray, pairs: IntArray, rule: int
) -> tuple[ManifoldRows, FloatArray]:
    """Same as `manifold_rows`, for `pairs` (n, 2) of bodies; `which` (m,) are their shapes, `poses` (m, 4) x, y, cos, sin their poses."""
    rows, normals = _rows_for(len(pairs)), np.empty(2 * len(pairs)).reshape(len(pairs), 2)
    _fill(shapes, which, pairs, poses, poses, rule, rows, normals)
    return rows, normals


def traced_rows(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, trace: FloatArray | None
) -> ManifoldRows:
    """Compute the manifolds of a few `pairs` one by one, and record their steps in `trace`."""
    rows = _rows_for(len(pairs))
    _fill_one_by_one(shapes, pairs, poses_a, poses_b, rule, rows, IN_ORDER, trace)
    return rows


def fill_manifolds(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, rule: int, rows: ManifoldRows) -> None:
    """Fill the first rows, one per pair; arguments as in `manifold_rows`.

    Past the count, and without contact, rows may keep their previous contents.
    """
    _fill(shapes, _NO_BODIES, pairs, poses_a, poses_b, rule, rows, _NO_NORMALS)


def _fill(
    shapes: PackedShapes,
    which: IntArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    rule: int,
    rows: ManifoldRows,
    normals: FloatArray,
) -> None:
    """Fill `rows`, and `normals` unless it is empty; arguments as in `manifolds_simd`."""
    n, is_turned, some = len(pairs), poses_a.shape[1] == POSE, IN_ORDER
    if _go_side_by_side(n):
        rest = np.empty(n + 1).view(np.int64)
        n_rest = manifolds_simd(
            shapes.arrays, shapes.records, which, pairs, poses_a, poses_b, rule, rows.arrays, normals, np.empty(SCRATCH), rest
        )  # fmt: skip
        if n_rest == 0:
            return
        if n_rest < 0:
            index_pairs("pairs", pairs, len(shapes))
        some = rest[:n_rest]
        pairs = pairs[some]
    elif not is_turned:
        index_pairs("pairs", pairs, len(shapes))
    if len(which) > 0:
        pairs, poses_a, poses_b = pairs_of_bodies(which, poses_a, pairs)
    elif len(some) > 0:
        poses_a, poses_b = poses_a[some], poses_b[some]
    if not is_turned:
        poses_a, poses_b = _checked_turn("xf_a", poses_a), _checked_turn("xf_b", poses_b)
    _fill_one_by_one(shapes, pairs, poses_a, poses_b, rule, rows, some)
    if len(normals) > 0:
        filled = some if len(some) > 0 else slice(None)
        normals[filled] = contact_normals(rows.count[filled], rows.axis[filled])


def _go_side_by_side(n: int) -> bool:
    return n >= SIMD_FROM and has_wide_registers()


def _checked_turn(field: str, poses: FloatArray) -> FloatArray:
    """Return poses (n, 4) of poses (n, 3), all of whose numbers must be finite."""
    turned = np.empty(POSE * len(poses)).reshape(len(poses), POSE)
    if not turn_poses(poses, turned):
        finite_rows(field, poses, 3)
    return turned


def _rows_for(n: int) -> ManifoldRows:
    """Return the columns of `n` rows, in one piece of memory with arbitrary contents."""
    numbers = np.empty(_ROW * n)
    integers = numbers.view(np.int64)
    return ManifoldRows(
        count=integers[:n],
        points=numbers[n : 7 * n].reshape(n, 2, 3),
        names=integers[7 * n : 9 * n].reshape(n, 2),
        axis=numbers[9 * n : 15 * n].reshape(n, 6),
        reference=integers[15 * n :].reshape(n, 2),
    )


def _fill_one_by_one(
    shapes: PackedShapes,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    rule: int,
    rows: ManifoldRows,
    to: IntArray,
    trace: FloatArray | None = None,
) -> None:
    arguments = shapes.arrays, pairs, poses_a, poses_b, rule, rows.arrays, to, trace
    if manifold_pairs(*arguments) > 0:
        manifold_core_pairs(*arguments)


def box_rows(shapes: PackedShapes, which: IntArray, poses: FloatArray) -> FloatArray:
    """Tight boxes (n, 4), radii and skins included, of the shapes `which` (n,) at poses (n, 4) x, y, cos, sin."""
    return posed_boxes(shapes.first, shapes.n_vertices, shapes.vertices, shapes.radius, which, poses)


def overlap_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray) -> NDArray[np.bool_]:
    """Overlap of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin; many are processed in SIMD lanes, with the same results."""
    overlapping = np.zeros(len(pairs), dtype=np.int64)
    _fill_overlaps(shapes, pairs, poses_a, poses_b, overlapping)
    return overlapping.astype(np.bool_)


def overlaps(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, threads: int = 1) -> NDArray[np.bool_]:
    """Same as `overlaps`, at poses (n, 3) x, y, angle; the pairs are divided among `threads`. Indices and numbers are checked here.

    Raises
    ------
    InvalidInputError
        An index is out of range, or a number in `xf_a` or `xf_b` is not finite.
    """
    overlapping = np.zeros(len(pairs), dtype=np.int64)

    def fill(part: slice) -> None:
        some = index_pairs("pairs", pairs[part], len(shapes))
        turned = _checked_turn("xf_a", poses_a[part]), _checked_turn("xf_b", poses_b[part])
        _fill_overlaps(shapes, some, *turned, overlapping[part])

    try:
        in_parts(len(pairs), threads, fill)
    except InvalidInputError:  # a row of a part, whose rows are numbered separately
        index_pairs("pairs", pairs, len(shapes))
        finite_rows("xf_a", poses_a, 3)
        finite_rows("xf_b", poses_b, 3)
        raise
    return overlapping.astype(np.bool_)


def _fill_overlaps(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, overlapping: IntArray) -> None:
    if not _go_side_by_side(len(pairs)):
        overlap_pairs(shapes.arrays, pairs, poses_a, poses_b, overlapping, None)
        return
    rest = np.empty(len(pairs) + 1).view(np.int64)
    scratch = np.empty(OVERLAP_SCRATCH)
    rest = rest[: overlaps_simd(shapes.kind, shapes.n_vertices, shapes.records, pairs, poses_a, poses_b, overlapping, scratch, rest)]
    if len(rest) > 0:
        others = np.zeros(len(rest), dtype=np.int64)
        overlap_pairs(shapes.arrays, pairs[rest], poses_a[rest], poses_b[rest], others, None)
        overlapping[rest] = others


def gap_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, directions: FloatArray) -> FloatArray:
    """Gap of `pairs` (n, 2) at poses (n, 4) along unit `directions` (n, 2), for polygons without their skins."""
    gaps = np.zeros(len(pairs))
    gaps_along(shapes.arrays, pairs, poses_a, poses_b, directions, gaps)
    return gaps
