"""A spatial hash: cells of one size, chosen from the boxes, in a world without an end; only what changed its cells is moved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.broadphase.cell_size import CellChoice, chosen_cell
from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import CellSketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["SpatialHash"]

ALL_FROM = 0.3
"""Share of boxes touched from which the cached pairs are worth nothing and all are looked for."""

CROWDED = 4.0
"""How many times the comparisons of the first frame, for each box, there may be before another cell size is looked for."""

GROWN = 2
"""How many times the boxes there were, or how small a part of them, before another cell size is looked for."""


class SpatialHash(BroadPhase):
    """Links each box into the cells that it covers, and caches the pairs of boxes that were not touched; see `BroadPhase`.

    For worlds without an end in which a part of the boxes moves, however far. The cell size is chosen from the boxes (see `cell_size`), and
    again when there are twice or half as many, or when they have come to crowd. Where sizes differ much no cell suits all; then take a
    `HierarchicalGrid` or a tree.

    Examples
    --------
    >>> cells = SpatialHash()
    >>> cells.pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    >>> cells.move([1], [(2, 2, 3, 3)])
    >>> cells.pairs().tolist()
    [[0, 2], [1, 2]]
    """

    name = "spatial hash"
    short_name = "hash"

    def __init__(self) -> None:
        super().__init__()
        self.choice = CellChoice(1.0, np.zeros((0, 2)))
        self._is_built = False
        self._grid: FloatArray = np.array([0.0, 0.0, 1.0])
        self._cells: IntArray = np.empty((0, 4), dtype=np.int64)
        self._where: IntArray = np.empty(0, dtype=np.int64)
        self._links: IntArray = np.empty((0, 2), dtype=np.int64)
        self._heads: IntArray = np.empty(0, dtype=np.int64)
        self._is_touched: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._cached: IntArray = np.empty((0, 2), dtype=np.int64)
        self._oversize: IntArray | None = None
        self._n_built = 0
        self._compared_at_first: float | None = None

    def _rebuilt(self) -> None:
        self._is_built = False

    def _all_moved(self, before: FloatArray) -> None:
        if self._is_built:
            from engine.broadphase._hash_kernel import changed_rows

            self._touch(changed_rows(self._boxes[: self._size], before))

    def _inserted(self, proxies: IntArray) -> None:
        self._touch(proxies)

    def _removed(self, proxies: IntArray) -> None:
        self._touch(proxies)

    def _moved(self, proxies: IntArray, before: FloatArray, displacements: FloatArray | None) -> None:
        self._touch(proxies)

    def _touch(self, proxies: IntArray) -> None:
        """Link boxes into their present cells."""
        if not self._is_built:
            return
        if self._n_live > GROWN * self._n_built or GROWN * self._n_live < self._n_built:
            self._is_built = False
            return
        self._fit()
        self._relink(proxies)

    def _relink(self, proxies: IntArray) -> None:
        from engine.broadphase._hash_kernel import relink

        self._is_touched[proxies] = True
        self._oversize = None
        relink(proxies, self._boxes[: self._size], self._is_live[: self._size], self._grid, *self._table())

    def _table(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        return self._cells, self._where, self._links, self._heads

    def _fit(self) -> None:
        """Make the arrays as long as those of the boxes."""
        n = len(self._where)
        if n < self._size:
            from engine.broadphase._hash_kernel import LINKS

            more = len(self._boxes) - n
            self._cells = np.concatenate((self._cells, np.zeros((more, 4), dtype=np.int64)))
            self._where = np.concatenate((self._where, np.zeros(more, dtype=np.int64)))
            self._links = np.concatenate((self._links, np.zeros((LINKS * more, 2), dtype=np.int64)))
            self._is_touched = np.concatenate((self._is_touched, np.zeros(more, dtype=np.bool_)))

    def _build(self) -> None:
        """Choose the cell size and link all boxes, unless that is done."""
        if not self._is_built:
            from engine.broadphase._hash_kernel import END, LINKS, NOWHERE

            _, boxes = self._live_boxes()
            self.choice = chosen_cell(boxes)
            low = boxes[:, :2].min(axis=0) if len(boxes) > 0 else np.zeros(2)
            self._grid = np.array([low[0], low[1], self.choice.cell])
            self._fit()
            self._where[:] = NOWHERE
            n_places = 1
            while n_places < LINKS * self._n_live:
                n_places *= 2
            self._heads = np.full(n_places, END, dtype=np.int64)
            self._n_built, self._compared_at_first = self._n_live, None
            self._relink(self.proxies)
            self._is_built = True

    def _oversize_ones(self) -> IntArray:
        if self._oversize is None:
            from engine.broadphase._hash_kernel import OVERSIZE

            self._oversize = np.flatnonzero(self._where[: self._size] == OVERSIZE)
        return self._oversize

    def _pairs(self) -> IntArray:
        from engine.broadphase._hash_query_kernel import pairs_anew, pairs_of_touched

        self._build()
        touched = np.flatnonzero(self._is_touched[: self._size])
        state = self._boxes[: self._size], self._oversize_ones(), *self._table()
        if self._compared_at_first is None or len(touched) > ALL_FROM * self._n_live:
            self._cached, n_compared = pairs_anew(*state)
            per_box = n_compared / max(1, self._n_live)
            if self._compared_at_first is None:
                self._compared_at_first = max(per_box, 1.0)
            elif per_box > CROWDED * self._compared_at_first:
                self._is_built = False
        elif len(touched) > 0:
            self._cached = pairs_of_touched(touched, self._is_touched, self._cached, *state)
        self._is_touched[touched] = False
        return self._cached.copy()

    def _asked(self, questions: FloatArray) -> IntArray:
        from engine.broadphase._hash_query_kernel import met_in_cells

        self._build()
        return met_in_cells(questions, self._boxes[: self._size], self._oversize_ones(), self._grid, *self._table())

    def sketch(self) -> CellSketch:
        """Return the cells in use, and the oversize boxes with level -1."""
        from engine.broadphase._hash_kernel import IN_CELLS

        self._build()
        of = self._cells[: self._size][self._where[: self._size] == IN_CELLS]
        rows = [
            np.column_stack((of[chosen, 0] + column, of[chosen, 1] + row))
            for column in (0, 1)
            for row in (0, 1)
            for chosen in ((of[:, 2] - of[:, 0] >= column) & (of[:, 3] - of[:, 1] >= row),)
        ]
        used, counts = np.unique(np.concatenate(rows), axis=0, return_counts=True)
        low = self._grid[:2] + used * self._grid[2]
        large = self._boxes[self._oversize_ones()]
        cells = np.concatenate((np.hstack((low, low + self._grid[2])), large))
        levels = np.concatenate((np.zeros(len(used), dtype=np.int64), np.full(len(large), -1, dtype=np.int64)))
        return CellSketch(cells, np.concatenate((counts.astype(np.int64), np.ones(len(large), dtype=np.int64))), levels)
