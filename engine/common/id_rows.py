"""Where ids stand in a column of them."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import IntArray

__all__ = ["IdRows"]

_SPARSE = 16
"""Ids to one that is there, from which a table of all would be too large to be made whenever something is built."""


class IdRows:
    """The rows of ascending ids, int64 (m,), >= 0: by a table, or where that would be large by a search."""

    def __init__(self, ids: IntArray) -> None:
        self._ids = ids
        self._table: IntArray | None = None
        n = int(ids[-1]) + 2 if len(ids) else 1
        if n <= _SPARSE * (len(ids) + _SPARSE):
            self._table = np.full(n, -1, dtype=np.int64)
            self._table[ids] = np.arange(len(ids))

    def of(self, wanted: IntArray) -> IntArray:
        """Return the row of each id, in whatever shape they come; -1 of one that is not there.

        Examples
        --------
        >>> IdRows(np.array([2, 3, 5])).of(np.array([[5, 4], [2, 9]])).tolist()
        [[2, -1], [0, -1]]
        """
        if self._table is not None:
            return self._table.take(wanted, mode="clip")  # the last entry stands for all that are larger
        rows = np.minimum(np.searchsorted(self._ids, wanted), len(self._ids) - 1)
        return np.where(self._ids[rows] == wanted, rows, -1)
