"""A uniform grid: only boxes in neighboring cells are compared."""

from __future__ import annotations

import math
from functools import cache
from itertools import accumulate, pairwise
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import CellSketch
from engine.common.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from engine.broadphase._sorting_kernel import PlaceArray

__all__ = ["PAIRS_PER_BOX", "GridWorkspace", "UniformGrid", "sketch_of_grid"]

PAIRS_PER_BOX = 8
"""Initial capacity, pairs per box."""

SPARE = 8
"""Inverse of the fraction by which the capacity grows when it is exceeded, as the next frame may have a few more pairs."""


class GridWorkspace:
    """Arrays for sorting boxes and pairs, in one piece of memory: fresh pages for them would cost as much as the search."""

    def __init__(self) -> None:
        self._n = self._n_pairs = -1

    def pairs(self, boxes: FloatArray, limit: float, trace: FloatArray | None = None) -> IntArray | None:
        """Return the overlapping pairs of `boxes` (n, 4), sorted, or None if a box would be compared with over `limit` groups of eight."""
        grid, sorting = _kernels()
        n = len(boxes)
        self._fit(n, PAIRS_PER_BOX * n)
        n_found = grid.search(boxes, limit, *self._scratch(), trace)
        if n_found > len(self._first) - grid.EIGHT:
            self._fit(n, n_found + n_found // SPARE)
            n_found = grid.search(boxes, limit, *self._scratch(), trace)
        if n_found < 0:
            return None
        pairs = np.empty(2 * n_found + 2).view(np.int64).reshape(n_found + 1, 2)
        sorting.ordered_pairs(self._first, self._second, n_found, self._numbers, n, self._counts, self._lists, pairs)
        return pairs[:n_found]

    def _scratch(self) -> tuple[PlaceArray, PlaceArray, FloatArray, FloatArray, PlaceArray, PlaceArray]:
        return self._cells, self._numbers, self._columns, self._widest, self._first, self._second

    def _fit(self, n: int, n_pairs: int) -> None:
        """Ensure capacity for `n` boxes and `n_pairs` pairs."""
        if n <= self._n and n_pairs <= self._n_pairs:
            return
        grid, sorting = _kernels()
        n = max(n, self._n)
        n_pairs = max(n_pairs, self._n_pairs) + grid.EIGHT
        n_cells, n_columns = grid.CELLS_PER_BOX * n + 2, 4 * grid.padded(n)
        words = (n_cells, 3 * n, n, n_pairs, n_pairs, n_pairs + sorting.SOME)  # uint32, two to a number of the piece
        piece = np.empty(n_columns + n_cells + (sum(words) + 1) // 2)
        self._columns, self._widest, rest = piece[:n_columns], piece[n_columns : n_columns + n_cells], piece[n_columns + n_cells :]
        ends, numbers = [0, *accumulate(words)], rest.view(np.uint32)  # by slices: `np.split` takes as long as the search
        self._cells, self._numbers, self._counts, self._first, self._second, self._lists = (
            numbers[start:end] for start, end in pairwise(ends)
        )  # fmt: skip
        self._columns.fill(0.0)  # reads beyond the last box are not counted, but must be finite numbers
        self._n, self._n_pairs = n, n_pairs - grid.EIGHT


@cache
def _kernels() -> tuple[ModuleType, ModuleType]:
    """Import the grid's kernels on first use: an import statement in each call would take longer than a kernel."""
    from engine.broadphase import _grid_kernel, _sorting_kernel

    return _grid_kernel, _sorting_kernel


def sketch_of_grid(boxes: FloatArray) -> CellSketch:
    """Return the occupied cells of the uniform grid of `boxes` (n, 4), and the number of boxes in each."""
    if len(boxes) == 0:
        return CellSketch(np.zeros((0, 4)), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_))
    from engine.broadphase._grid_kernel import cells_of_boxes

    cells, counts = np.unique(cells_of_boxes(boxes), axis=0, return_counts=True)
    return CellSketch(cells, counts, np.zeros(len(cells), dtype=np.bool_))


class UniformGrid(BroadPhase):
    """Sorts boxes into rows and columns of the size of the mean box; see `BroadPhase` and `_grid_kernel`.

    Nearly always the best choice, even for very different sizes. It keeps only its memory between frames, because sorting again costs less
    than finding the changes. Crowds in a wide empty world fall into few cells, where the cost is that of brute force: `Automatic` uses a
    tree for them.

    Examples
    --------
    >>> UniformGrid().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    """

    name = "uniform grid"
    short_name = "uniform"

    def __init__(self) -> None:
        super().__init__()
        self._workspace = GridWorkspace()

    def _pairs(self) -> IntArray:
        proxies, boxes = self._live_boxes()
        pairs = self._workspace.pairs(boxes, math.inf, self.trace)
        assert pairs is not None, "a grid without a limit never gives up"
        return pairs if proxies is None else proxies[pairs]

    def sketch(self) -> CellSketch:
        """Return the occupied cells."""
        return sketch_of_grid(self._live_boxes()[1])
