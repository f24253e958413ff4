"""The same queries for many pairs at once.

Shapes are packed once; pairs are indices into them; each pair has its own two poses. Results are columns with a row for each pair, and
bit-identical to those of the scalar form, because both use the same kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.checks import integer
from engine.query.batch_casts import contains, ray_cast, shape_cast, swept_contact, time_of_impact
from engine.query.shape_batch import ShapeBatch, check_batch

if TYPE_CHECKING:
    from engine.narrowphase.batched import ManifoldRows
    from engine.narrowphase.rules import Rule

__all__ = [
    "ContactSetBatch",
    "DistanceBatch",
    "ManifoldBatch",
    "PenetrationBatch",
    "ShapeBatch",
    "columns_of",
    "contact_set",
    "contains",
    "distance",
    "manifold",
    "overlap",
    "penetration",
    "ray_cast",
    "shape_cast",
    "swept_contact",
    "time_of_impact",
]


@dataclass(frozen=True, slots=True)
class ManifoldBatch:
    """Manifolds in read-only columns, one row per pair; world frame, meters.

    Attributes
    ----------
    count : int64 (n,)
        Number of points, 0 to 2. Entries past the count are zero.
    normal : float64 (n, 2)
        Unit, from A to B; zero where there is no contact.
    position : float64 (n, 2, 2); separation : float64 (n, 2)
        As in `ManifoldPoint`.
    feature_id : int64 (n, 2)
    axis : float64 (n, 2); axis_separation : float64 (n,)
        The axis chosen by the rule and the separation along it, without skins; also given for separated pairs, where the separation exceeds
        the skins. For `rule="exact"` and overlapping cores ``-axis_separation`` is the penetration depth.
    found_separation : float64 (n, 2)
        The largest separation found on A's edges and on B's; NaN where they were not searched.
    amplification : float64 (n,)
        See `engine.narrowphase._manifold_kernel`.
    reference_side, reference_edge : int64 (n,)
        0 if the axis is the normal of A's edge, 1 if of B's, -1 if of neither (two circles, two corners).
    """

    count: IntArray
    normal: FloatArray
    position: FloatArray
    separation: FloatArray
    feature_id: IntArray
    axis: FloatArray
    axis_separation: FloatArray
    found_separation: FloatArray
    amplification: FloatArray
    reference_side: IntArray
    reference_edge: IntArray


@dataclass(frozen=True, slots=True)
class DistanceBatch:
    """Results of `distance` in read-only columns, one row per pair; world frame, meters.

    Attributes
    ----------
    status : int64 (n,)
        Values of `Status`.
    separation : float64 (n,)
    point_a, point_b, normal : float64 (n, 2)
        NaN where the scalar form has None.
    iterations : int64 (n,)
    """

    status: IntArray
    separation: FloatArray
    point_a: FloatArray
    point_b: FloatArray
    normal: FloatArray
    iterations: IntArray


@dataclass(frozen=True, slots=True)
class PenetrationBatch:
    """Results of `penetration` in read-only columns, as in `DistanceBatch`; `iterations` counts the steps of both GJK and EPA."""

    status: IntArray
    depth: FloatArray
    point_a: FloatArray
    point_b: FloatArray
    normal: FloatArray
    iterations: IntArray


@dataclass(frozen=True, slots=True)
class ContactSetBatch:
    """Contact sets in read-only columns, one row per pair; world frame, meters.

    Attributes
    ----------
    status : int64 (n,)
        `Status` SEPARATED, TOUCHING or OVERLAPPING.
    count : int64 (n,)
        Number of points: 1 or 2 if the shapes touch, otherwise 0. Entries past the count are zero.
    normal : float64 (n, 2)
        Unit, from A to B; zero where they do not touch.
    points : float64 (n, 2, 2)
        The point, or the two ends of the segment.
    vertices_a, vertices_b : int64 (n, 2)
        Vertices of each core at the low and high end of the contact along the tangent; the same vertex twice for a corner.
    """

    status: IntArray
    count: IntArray
    normal: FloatArray
    points: FloatArray
    vertices_a: IntArray
    vertices_b: IntArray


def overlap(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike, threads: int = 1) -> NDArray[np.bool_]:
    """Return for each pair whether its shapes share a point; see `engine.query.overlap`.

    Parameters
    ----------
    pairs : (n, 2) whole numbers
        Indices of A and B in `shapes`.
    xf_a, xf_b : (n, 3)
        Poses x, y, angle of A and of B, row for row.
    threads : int
        Number of parallel parts for many pairs; it does not change the results. More than the number of idle cores gain nothing.

    Raises
    ------
    InvalidInputError
        An index is out of range, lengths differ, a number is not finite, or there is less than one thread.
    """
    checked, n_threads = check_batch(shapes, pairs, xf_a, xf_b), integer("threads", threads, 1)
    from engine.narrowphase.batched import overlap_rows

    return frozen(overlap_rows(*checked, n_threads))


def manifold(
    shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike, rule: Rule = "exact", threads: int = 1
) -> ManifoldBatch:
    """Return the manifold of each pair; see `engine.query.manifold`.

    Parameters and errors are those of `overlap`; a rule that is neither "exact" nor "box2d" is rejected, and "box2d" for pairs that Box2D
    does not collide.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = manifold(ShapeBatch([Circle(1.0)]), [(0, 0), (0, 0)], [(0, 0, 0)] * 2, [(1.5, 0, 0), (9, 0, 0)])
    >>> found.count.tolist(), found.separation[0].tolist()
    ([1, 0], [-0.5, 0.0])
    """
    checked, n_threads = check_batch(shapes, pairs, xf_a, xf_b), integer("threads", threads, 1)
    from engine.narrowphase.batched import manifold_rows
    from engine.narrowphase.rules import check_rule

    return columns_of(manifold_rows(*checked, check_rule(rule, *checked[:2]), n_threads))


def columns_of(rows: ManifoldRows) -> ManifoldBatch:
    """Return the output of the kernels as read-only columns."""
    # columns are views, because a copy would cost as much as the computation; views of read-only arrays are read-only
    for column in rows.arrays:
        column.flags.writeable = False
    points, axis, reference = rows.points, rows.axis, rows.reference
    return ManifoldBatch(
        count=rows.count,
        normal=frozen(np.where(rows.count[:, None] > 0, axis[:, :2], 0.0)),
        position=points[:, :, :2],
        separation=points[:, :, 2],
        feature_id=rows.names,
        axis=axis[:, :2],
        axis_separation=axis[:, 2],
        found_separation=axis[:, 4:6],
        amplification=axis[:, 3],
        reference_side=reference[:, 0],
        reference_edge=reference[:, 1],
    )


def distance(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike, threads: int = 1) -> DistanceBatch:
    """Return the distance of each pair; see `engine.query.distance`.

    Parameters and errors are those of `overlap`.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = distance(ShapeBatch([Circle(1.0)]), [(0, 0), (0, 0)], [(0, 0, 0)] * 2, [(5, 0, 0), (0, 4, 0)])
    >>> found.separation.tolist(), found.point_b.tolist()
    ([3.0, 2.0], [[4.0, 0.0], [0.0, 3.0]])
    """
    checked, n_threads = check_batch(shapes, pairs, xf_a, xf_b), integer("threads", threads, 1)
    from engine.narrowphase.batched_distances import distance_rows

    status, iterations, rows = distance_rows(*checked, threads=n_threads)
    return DistanceBatch(frozen(status), *_columns(rows), frozen(iterations))


def penetration(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> PenetrationBatch:
    """Return the penetration of each pair; see `engine.query.penetration`. Parameters and errors are those of `overlap`.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = penetration(ShapeBatch([Circle(1.0)]), [(0, 0), (0, 0)], [(0, 0, 0)] * 2, [(1.5, 0, 0), (0, 4, 0)])
    >>> found.depth.tolist(), found.normal.tolist()
    ([0.5, 0.0], [[1.0, 0.0], [nan, nan]])
    """
    checked = check_batch(shapes, pairs, xf_a, xf_b)
    from engine.narrowphase.batched_distances import distance_rows

    status, iterations, rows = distance_rows(*checked, wants_depth=True)
    return PenetrationBatch(frozen(status), *_columns(rows), frozen(iterations))


def _columns(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the columns as read-only views, making `rows` read-only: a copy would cost as much as computing them."""
    frozen(rows)
    return rows[:, 0], rows[:, 1:3], rows[:, 3:5], rows[:, 5:7]


def contact_set(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> ContactSetBatch:
    """Return the contact set of each pair; see `engine.query.contact_set`. Parameters and errors are those of `overlap`.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = contact_set(ShapeBatch([Circle(1.0)]), [(0, 0), (0, 0)], [(0, 0, 0)] * 2, [(2, 0, 0), (9, 0, 0)])
    >>> found.count.tolist(), found.points[0, 0].tolist()
    ([1, 0], [1.0, 0.0])
    """
    checked = check_batch(shapes, pairs, xf_a, xf_b)
    from engine.narrowphase.contact_set import contact_set_rows

    rows = contact_set_rows(*checked)
    points = rows.contact[:, 2:].reshape(-1, 2, 2).copy()
    points[np.arange(2)[None, :] >= rows.count[:, None]] = 0.0
    return ContactSetBatch(
        status=frozen(rows.status),
        count=frozen(rows.count),
        normal=frozen(np.ascontiguousarray(rows.contact[:, :2])),
        points=frozen(points),
        vertices_a=frozen(np.ascontiguousarray(rows.features[:, :2])),
        vertices_b=frozen(np.ascontiguousarray(rows.features[:, 2:])),
    )
