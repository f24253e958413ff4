"""A spatial hash: cells of one size, chosen for the boxes, in an unbounded world.

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

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import CellSketch
from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.common.tolerances import MIN_NORMAL

__all__ = ["CellChoice", "SpatialHash", "chosen_cell"]

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
    """Links each box into the cells that it covers; see `BroadPhase`.

    For unbounded worlds. The cell size is chosen from the boxes (see the module), and again if their number has doubled or halved. If sizes
    differ much, no cell size suits all boxes; then use a tree.
    """

    name = "spatial hash"
    short_name = "hash"

    def __init__(self) -> None:
        super().__init__()
        self.choice = CellChoice(1.0, np.zeros((0, 2)))
        self._n_chosen = 0

    def _cell(self, boxes: FloatArray) -> tuple[float, float, float]:
        """Return the lower corner of all boxes, and the width of a cell."""
        if len(boxes) > GROWN * self._n_chosen or GROWN * len(boxes) < self._n_chosen:
            self.choice, self._n_chosen = chosen_cell(boxes), len(boxes)
        low_x, low_y = boxes[:, :2].min(axis=0, initial=np.inf).tolist()
        return low_x, low_y, self.choice.cell

    def _keys(self, boxes: FloatArray) -> IntArray:
        from engine.broadphase._hash_kernel import hashed_pairs

        return hashed_pairs(boxes, *self._cell(boxes))

    def sketch(self) -> CellSketch:
        """Return the occupied cells and the oversize boxes."""
        low_x, low_y, cell = self._cell(self._boxes)
        low = np.array((low_x, low_y))
        first, last = (np.floor((self._boxes[:, side : side + 2] - low) / cell) for side in (0, 2))
        is_oversize = ((last - first) > 1.0).any(axis=1)
        of, to = first[~is_oversize], last[~is_oversize]
        rows = [
            of[chosen] + (column, row)
            for column in (0.0, 1.0)
            for row in (0.0, 1.0)
            for chosen in ((to[:, 0] - of[:, 0] >= column) & (to[:, 1] - of[:, 1] >= row),)
        ]
        used, counts = np.unique(np.concatenate(rows), axis=0, return_counts=True)
        corners, large = low + used * cell, self._boxes[is_oversize]
        cells = np.concatenate((np.hstack((corners, corners + cell)), large))
        in_each = np.concatenate((counts.astype(np.int64), np.ones(len(large), dtype=np.int64)))
        return CellSketch(cells, in_each, np.arange(len(cells)) >= len(used))


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
