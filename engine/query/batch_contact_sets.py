"""Where the shapes of many pairs touch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray, IntArray, frozen
from engine.query._checking import check_batch
from engine.query.shape_batch import ShapeBatch

__all__ = ["ContactSetBatch", "contact_set"]


@dataclass(frozen=True, slots=True)
class ContactSetBatch:
    """Contact sets in columns, read-only, a row for each pair; world frame, metres.

    Attributes
    ----------
    status : int64 (n,)
        `Status` SEPARATED, TOUCHING or OVERLAPPING.
    count : int64 (n,)
        Points: 1 or 2 where the shapes touch, else 0. Everything past the count is zero.
    normal : float64 (n, 2)
        Unit, from A to B; zero where they do not touch.
    points : float64 (n, 2, 2)
        The point, or the two ends of the segment.
    vertices_a, vertices_b : int64 (n, 2)
        The vertices of each core between which it touches, low and high end along the tangent; twice the same for a corner.
    """

    status: IntArray
    count: IntArray
    normal: FloatArray
    points: FloatArray
    vertices_a: IntArray
    vertices_b: IntArray


def contact_set(shapes: ShapeBatch, pairs: ArrayLike, xf_a: ArrayLike, xf_b: ArrayLike) -> ContactSetBatch:
    """Return the contact set of each pair; see `engine.query.contact_sets.contact_set`, and `batch.overlap` for the parameters.

    Raises
    ------
    InvalidInputError
        An index out of range, lengths that differ, a number that is not finite.

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
    points = rows.found[:, 2:].reshape(-1, 2, 2).copy()
    points[np.arange(2)[None, :] >= rows.count[:, None]] = 0.0
    return ContactSetBatch(
        status=frozen(rows.status),
        count=frozen(rows.count),
        normal=frozen(np.ascontiguousarray(rows.found[:, :2])),
        points=frozen(points),
        vertices_a=frozen(np.ascontiguousarray(rows.features[:, :2])),
        vertices_b=frozen(np.ascontiguousarray(rows.features[:, 2:])),
    )
