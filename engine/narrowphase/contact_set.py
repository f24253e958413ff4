"""Contact sets of many pairs of packed shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.narrowphase._contact_set_kernel import contact_set_pairs
from engine.narrowphase.packing import PackedShapes

__all__ = ["ContactSetRows", "contact_set_rows"]


@dataclass(frozen=True, slots=True)
class ContactSetRows:
    """Output arrays of the kernel, one row per pair; see `_contact_set_kernel`."""

    status: IntArray
    count: IntArray
    contact: FloatArray
    features: IntArray


def contact_set_rows(shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray) -> ContactSetRows:
    """Contact sets of `pairs` (n, 2) at poses (n, 4) x, y, cos, sin; inputs must have been checked, and be writable."""
    n = len(pairs)
    rows = ContactSetRows(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.zeros((n, 6)), np.zeros((n, 4), dtype=np.int64))
    contact_set_pairs(
        shapes.arrays, pairs, poses_a, poses_b, rows.status, rows.count, rows.contact, rows.features
    )  # fmt: skip
    return rows
