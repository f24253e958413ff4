"""Finds rows by id in a sorted column of ids."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import IntArray

__all__ = ["IdRows"]

_SPARSE = 16
"""Ratio of the largest id to the number of ids above which a lookup table would be too large."""


class IdRows:
    """Finds rows by id in ascending ids, int64 (m,), >= 0, by a lookup table or, if the table would be too large, by binary search."""

    def __init__(self, ids: IntArray) -> None:
        self._ids = ids
        self._table: IntArray | None = None
        n = int(ids[-1]) + 2 if len(ids) else 1
        if n <= _SPARSE * (len(ids) + _SPARSE):
            self._table = np.full(n, -1, dtype=np.int64)
            self._table[ids] = np.arange(len(ids))

    def of(self, ids: IntArray) -> IntArray:
        """Return the row of each id, in an array of any shape; -1 for an unknown id.

        Examples
        --------
        >>> IdRows(np.array([2, 3, 5])).of(np.array([[5, 4], [2, 9]])).tolist()
        [[2, -1], [0, -1]]
        """
        if self._table is not None:
            return self._table.take(ids, mode="clip")  # the last entry, -1, is for all larger ids
        rows = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
        return np.where(self._ids[rows] == ids, rows, -1)
