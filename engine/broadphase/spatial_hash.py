"""A spatial hash: cells of one size, chosen for the boxes, in an unbounded world; only boxes whose cells changed are moved.

**How large cells should be.** With small cells, large boxes cover too many of them, and oversize boxes are compared with everything. Large
cells: boxes crowd in them. The cost of a frame with a given cell size can be counted without running it: links to follow, comparisons
within cells, oversize boxes times all boxes. A sample of boxes is put into cells of each size of a ladder, from the median extent up by
factors of the root of 2 to where nothing is oversize, and the cheapest size is taken. Of the n boxes the sample holds s; a pair is in the
sample with a chance of (s / n)^2, so comparisons within cells are counted n^2 / s^2 times, the rest n / s times. The sample is drawn (with
a fixed seed): every k-th box of a regular scene may be no other's neighbor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import CellSketch
from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.common.tolerances import MIN_NORMAL

__all__ = ["CellChoice", "SpatialHash", "chosen_cell"]

ALL_FROM = 0.3
"""Fraction of changed boxes above which the cached pairs are discarded and all pairs are searched."""

CROWDED = 4.0
"""Factor by which the comparisons per box may exceed those of the first frame before a new cell size is chosen."""

GROWN = 2
"""Factor by which the number of boxes may grow or shrink before a new cell size is chosen."""


SAMPLE = 2_048
"""Number of boxes sampled: enough to distinguish sizes that differ by a tenth, at less than a millisecond per size."""

MAX_SIZES = 24
"""Number of cell sizes tried, each larger by the square root of 2: up to 2,900 times the median extent."""

LINK_COST, COMPARISON_COST, OVERSIZE_COST = 30.0, 5.0, 2.0
"""Nanoseconds for a link, for a comparison of two boxes in a cell, and of an oversize box with any other: fitted to 27 frames of 3,000
to 30,000 boxes in cells of one to eight meters. Only their ratios matter, and not much: twice the best cell costs a quarter more."""

MAX_CELLS_AWAY = 2**29
"""Maximum number of cells from the first box to the last, so that each has a distinct number."""


@dataclass(frozen=True, slots=True)
class CellChoice:
    """The width of a cell, meters; and the nanoseconds a frame was expected to take with each size tried, rows (k, 2) of size and cost."""

    cell: float
    tried: FloatArray


class SpatialHash(BroadPhase):
    """Links each box into the cells that it covers, and caches the pairs of boxes that were not touched; see `BroadPhase`.

    For unbounded worlds in which some of the boxes move, however far. The cell size is chosen from the boxes (see the module), and again if
    their number has doubled or halved, or if they crowd. If sizes differ much, no cell size suits all boxes; then use a tree.
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
        """Link boxes into their current cells."""
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
        """Resize the arrays to the number of boxes."""
        n = len(self._where)
        if n < self._size:
            from engine.broadphase._hash_kernel import LINKS

            more = len(self._boxes) - n
            self._cells = np.concatenate((self._cells, np.zeros((more, 4), dtype=np.int64)))
            self._where = np.concatenate((self._where, np.zeros(more, dtype=np.int64)))
            self._links = np.concatenate((self._links, np.zeros((LINKS * more, 2), dtype=np.int64)))
            self._is_touched = np.concatenate((self._is_touched, np.zeros(more, dtype=np.bool_)))

    def _build(self) -> None:
        """Choose the cell size and link all boxes, unless this has been done."""
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

    def _query(self, queries: FloatArray) -> IntArray:
        from engine.broadphase._hash_query_kernel import met_in_cells

        self._build()
        return met_in_cells(queries, self._boxes[: self._size], self._oversize_ones(), self._grid, *self._table())

    def sketch(self) -> CellSketch:
        """Return the occupied cells and the oversize boxes."""
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
        is_oversize = np.arange(len(cells)) >= len(used)
        return CellSketch(cells, np.concatenate((counts.astype(np.int64), np.ones(len(large), dtype=np.int64))), is_oversize)


def chosen_cell(boxes: FloatArray) -> CellChoice:
    """Return the cell size for boxes (n, 4).

    Examples
    --------
    >>> side = np.arange(50.0)
    >>> corners = np.column_stack((np.repeat(side, 50), np.tile(side, 50)))
    >>> round(chosen_cell(np.hstack((corners, corners + 0.5))).cell, 2)
    0.71
    """
    n = len(boxes)
    if n == 0:
        return CellChoice(1.0, np.zeros((0, 2)))
    largest = float(np.finfo(np.float64).max)
    with np.errstate(over="ignore"):
        extents = np.minimum(np.maximum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]), largest)
        low = boxes[:, :2].min(axis=0)
        span = min(float((boxes[:, 2:].max(axis=0) - low).max()), largest)
    least = max(span / MAX_CELLS_AWAY, MIN_NORMAL)
    solid = extents[extents > 0.0]
    middle = float(np.sort(solid)[len(solid) // 2]) if len(solid) > 0 else span / math.sqrt(n)
    smallest = min(max(middle, least), largest / 4.0)
    top = max(float(extents.max()), smallest)
    sample = boxes if n <= SAMPLE else boxes[stream(0, "cell size").choice(n, SAMPLE, replace=False)]
    sizes: list[float] = []
    size = smallest
    while len(sizes) < MAX_SIZES and size < largest / 2.0:
        sizes.append(size)
        if size >= 2.0 * top:
            break
        size *= math.sqrt(2.0)
    tried = np.array([(size, _cost(sample, low, size, n)) for size in sizes])
    return CellChoice(float(tried[np.argmin(tried[:, 1]), 0]), tried)


def _cost(sample: FloatArray, low: FloatArray, size: float, n: int) -> float:
    """Return the estimated time of a frame of `n` boxes like those of the sample, nanoseconds."""
    with np.errstate(over="ignore"):
        cells = np.floor(np.clip((sample - np.tile(low, 2)) / size, -MAX_CELLS_AWAY, MAX_CELLS_AWAY)).astype(np.int64)
    wide, high = cells[:, 2] - cells[:, 0], cells[:, 3] - cells[:, 1]
    is_in_cells = (wide <= 1) & (high <= 1)
    numbers = [
        (cells[chosen, 0] + column) * (4 * MAX_CELLS_AWAY) + cells[chosen, 1] + row
        for column in (0, 1)
        for row in (0, 1)
        for chosen in (is_in_cells & (wide >= column) & (high >= row),)
    ]
    counts = np.unique(np.concatenate(numbers), return_counts=True)[1].astype(np.float64)
    times = n / len(sample)
    n_links, n_compared = times * counts.sum(), times * times * float((counts * (counts - 1.0) / 2.0).sum())
    n_oversize = times * float(np.count_nonzero(~is_in_cells))
    return LINK_COST * float(n_links) + COMPARISON_COST * n_compared + OVERSIZE_COST * n_oversize * n
