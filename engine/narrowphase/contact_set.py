"""The point or the segment where two shapes touch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.contracts import ContactSet, Status
from engine.geometry import AnyShape, Transform
from engine.narrowphase._contact_set_kernel import contact_set_pairs
from engine.narrowphase.packing import PackedShapes, cached_pack
from engine.narrowphase.scratch import ONE_PAIR, pose_row

__all__ = ["ContactSetRows", "contact_set", "contact_set_rows"]


@dataclass(frozen=True, slots=True)
class ContactSetRows:
    """Output arrays of the kernel, one row per pair; see `_contact_set_kernel`."""

    status: IntArray
    count: IntArray
    found: FloatArray
    features: IntArray


def contact_set(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> ContactSet:
    """Find where two shapes touch.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, meters; radii and skins count as part of the shape, rounded at the corners; ghosts do not.
    xf_a, xf_b : Transform
        World poses.

    Returns
    -------
    ContactSet
        TOUCHING (the gap is zero within `SAT_ROUNDING` times the input's scale): one point, or the two ends of a segment, and the
        unit normal from A to B. SEPARATED or OVERLAPPING: no points, normal None. Two shapes without area that lie on each
        other, such as segments on one line, touch; segments that cross overlap.

    Raises
    ------
    InvalidInputError
        `a` or `b` is no shape.

    References
    ----------
    See `engine.narrowphase._contact_set_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Polygon
    >>> box = Polygon.box(0.5, 0.5)
    >>> contact_set(box, Transform(), box, Transform((0.25, 1.0))).points
    ((0.5, 0.5), (-0.25, 0.5))
    """
    rows = contact_set_rows(cached_pack(a, b), ONE_PAIR, pose_row(xf_a).reshape(1, 4), pose_row(xf_b).reshape(1, 4))
    status = Status(int(rows.status[0]))
    if status is not Status.TOUCHING:
        return ContactSet(status, None, ())
    nx, ny, x1, y1, x2, y2 = rows.found[0].tolist()
    return ContactSet(status, (nx, ny), ((x1, y1), (x2, y2))[: int(rows.count[0])])


def contact_set_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray) -> ContactSetRows:
    """Contact sets of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin; inputs must have been checked, and be writable."""
    n = len(pairs)
    rows = ContactSetRows(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros((n, 6)), np.zeros((n, 4), dtype=np.int64))
    contact_set_pairs(
        shapes.arrays, pairs, poses_a, poses_b, rows.status, rows.count, rows.found, rows.features
    )  # fmt: skip
    return rows
