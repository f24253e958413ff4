"""Finds rows by id in a sorted column of ids."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import IntArray

__all__ = ["IdRows"]


class IdRows:
    """Finds rows by id in ascending ids, int64 (m,), >= 0."""

    def __init__(self, ids: IntArray) -> None:
        self._ids, self._padded = ids, np.append(ids, -1)

    def of(self, ids: IntArray) -> IntArray:
        """Return the row of each id >= 0, in an array of any shape; -1 for an unknown id.

        Examples
        --------
        >>> IdRows(np.array([2, 3, 5])).of(np.array([[5, 4], [2, 9]])).tolist()
        [[2, -1], [0, -1]]
        """
        rows = np.searchsorted(self._ids, ids)
        return np.where(self._padded[rows] == ids, rows, -1)
