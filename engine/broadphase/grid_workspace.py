"""What the search of a uniform grid needs besides the boxes, kept from one frame to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.memory import room

if TYPE_CHECKING:
    from engine.broadphase._eight_kernel import PlaceArray

__all__ = ["GridWorkspace"]

PAIRS_PER_BOX = 8
"""Pairs for each box that there is room for at first."""

SPARE = 8
"""One part in so many is added when the room is used up: the next frame may have a few more."""


class GridWorkspace:
    """Arrays for sorting boxes and pairs, in one piece of memory: fresh pages for them would cost as much as the search.

    The piece comes from `engine.common.memory`, so that a workspace made for one question costs little more than one that is kept.
    """

    def __init__(self) -> None:
        self._n = self._n_pairs = -1

    def pairs(self, boxes: FloatArray, limit: float) -> IntArray | None:
        """Return the overlapping pairs of `boxes` (n, 4), sorted, or None where a box would compare more than `limit` eights."""
        from engine.broadphase._eight_kernel import EIGHT
        from engine.broadphase._grid_kernel import search
        from engine.broadphase._sorting_kernel import ordered_pairs

        n = len(boxes)
        self._fit(n, PAIRS_PER_BOX * n)
        n_found = search(boxes, limit, self._cells, self._numbers, self._columns, self._widest, self._first, self._second)
        if n_found > len(self._first) - EIGHT:
            self._fit(n, n_found + n_found // SPARE)
            n_found = search(boxes, limit, self._cells, self._numbers, self._columns, self._widest, self._first, self._second)
        if n_found < 0:
            return None
        pairs = room(2 * n_found + 2).view(np.int64).reshape(n_found + 1, 2)
        ordered_pairs(self._first, self._second, n_found, self._numbers, n, self._counts, self._lists, pairs)
        return pairs[:n_found]

    def _fit(self, n: int, n_pairs: int) -> None:
        """Make room for `n` boxes and `n_pairs` pairs, if there is none."""
        if n <= self._n and n_pairs <= self._n_pairs:
            return
        from engine.broadphase._eight_kernel import EIGHT, padded
        from engine.broadphase._grid_kernel import CELLS_PER_BOX
        from engine.broadphase._rank_kernel import MORE_LANES

        n = max(n, self._n)
        n_pairs = max(n_pairs, self._n_pairs) + EIGHT
        n_cells = CELLS_PER_BOX * n + 2
        halves = (n_cells, 3 * n, n, n_pairs, n_pairs, n_pairs + MORE_LANES)  # uint32, two to a number of the piece
        wholes = (4 * padded(n), n_cells)
        self._block = room(sum(wholes) + sum(halves) // 2 + len(halves))
        parts = np.split(self._block, np.cumsum([*wholes, *(half // 2 + 1 for half in halves)])[:-1])
        self._columns: FloatArray = parts[0]
        self._widest: FloatArray = parts[1]
        self._cells, self._numbers, self._counts, self._first, self._second, self._lists = (
            _words(part, size) for part, size in zip(parts[2:], halves, strict=True)
        )
        self._columns[:] = 0.0  # what is read beyond the last box is not counted, but is a number
        self._n, self._n_pairs = n, n_pairs - EIGHT


def _words(part: FloatArray, size: int) -> PlaceArray:
    words: PlaceArray = part.view(np.uint32)[:size]
    return words
