"""The same questions for many pairs at once.

Shapes are packed once; pairs are indices into them; each pair has its own two poses. Answers come in columns, a row for each
pair, and equal the scalar form's to the bit, for both run the same kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, frozen
from engine.query._checking import check_batch
from engine.query.batch_casts import contains, ray_cast, shape_cast, swept_contact, time_of_impact
from engine.query.batch_contact_sets import contact_set
from engine.query.batch_distances import distance, penetration
from engine.query.shape_batch import ShapeBatch

if TYPE_CHECKING:
    from engine.narrowphase.batched import ManifoldRows
    from engine.narrowphase.rules import Rule

__all__ = [
    "ManifoldBatch",
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
    """Manifolds in columns, read-only, a row for each pair; world frame, metres.

    Attributes
    ----------
    count : int64 (n,)
        Points, 0 to 2. Everything past the count is zero.
    normal : float64 (n, 2)
        Unit, from A to B; zero where there is no contact.
    position : float64 (n, 2, 2); separation : float64 (n, 2)
        As in `ManifoldPoint`.
    feature_id : int64 (n, 2)
    axis : float64 (n, 2); axis_separation : float64 (n,)
        The axis the rule chose and the separation along it, without skins; filled for separated pairs as well, where the
        separation exceeds the skins. For `rule="exact"` and overlapping cores ``-axis_separation`` is the penetration depth.
    found_separation : float64 (n, 2)
        The greatest separation the rule found on A's edges and on B's; NaN where it did not look.
    amplification : float64 (n,)
        See `engine.narrowphase._manifold_kernel`.
    reference_side, reference_edge : int64 (n,)
        0 where A's edge carries the axis, 1 where B's does, -1 where neither does (two circles, two corners).
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


def overlap(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> NDArray[np.bool_]:
    """Tell for each pair whether its shapes share a point; see `engine.query.overlap`.

    Parameters
    ----------
    pairs : (n, 2) whole numbers
        Indices of A and B in `shapes`.
    xf_a, xf_b : (n, 3)
        Poses x, y, angle of A and of B, row for row.

    Raises
    ------
    InvalidInputError
        An index out of range, lengths that differ, a number that is not finite.
    """
    checked = check_batch(shapes, pairs, xf_a, xf_b)
    from engine.narrowphase import batched

    return frozen(batched.overlap_rows(*checked))


def manifold(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike, rule: Rule = "exact") -> ManifoldBatch:
    """Return the manifold of each pair; see `engine.query.manifold`.

    Parameters and errors are those of `overlap`; a rule that is neither "exact" nor "box2d" is refused, and "box2d" for pairs
    that Box2D does not collide.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = manifold(ShapeBatch([Circle(1.0)]), [(0, 0), (0, 0)], [(0, 0, 0)] * 2, [(1.5, 0, 0), (9, 0, 0)])
    >>> found.count.tolist(), found.separation[0].tolist()
    ([1, 0], [-0.5, 0.0])
    """
    from engine.narrowphase.rules import check_rule

    checked = check_batch(shapes, pairs, xf_a, xf_b)
    number = check_rule(rule, checked[0], checked[1])
    from engine.narrowphase import batched

    return columns_of(batched.manifold_rows(*checked, number))


def columns_of(rows: ManifoldRows) -> ManifoldBatch:
    """Return what the kernels filled as columns, read-only."""
    from engine.narrowphase.batched import contact_normals

    # columns are views of what the kernels fill: a copy of all would cost as much as computing it
    return ManifoldBatch(
        count=frozen(rows.count),
        normal=frozen(contact_normals(rows.count, rows.axis)),
        position=frozen(rows.points[:, :, :2]),
        separation=frozen(rows.points[:, :, 2]),
        feature_id=frozen(rows.names),
        axis=frozen(rows.axis[:, :2]),
        axis_separation=frozen(rows.axis[:, 2]),
        found_separation=frozen(rows.axis[:, 4:6]),
        amplification=frozen(rows.axis[:, 3]),
        reference_side=frozen(rows.reference[:, 0]),
        reference_edge=frozen(rows.reference[:, 1]),
    )
