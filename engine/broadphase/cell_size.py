"""How large the cells of a spatial hash should be, from the boxes themselves.

Small cells: large boxes cover too many of them, and those that are oversize are compared with everything. Large cells: boxes crowd in
them. What a frame costs with cells of a given size can be counted without doing it: links to walk along, comparisons within cells, oversize
boxes times all boxes. A sample of boxes is put into cells of each size of a ladder, from the median extent up by factors of the
root of 2 to where nothing is oversize, and the cheapest size is taken. Of the n boxes the sample holds s; a pair is in the sample with
a chance of (s / n)^2, so comparisons within cells are counted n^2 / s^2 times, the rest n / s times. The sample is drawn (with a fixed
seed): every k-th box of a regular scene may be no other's neighbour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.rng import stream
from engine.common.tolerances import SMALLEST_NORMAL

__all__ = ["CellChoice", "chosen_cell"]

SAMPLE = 2_048
"""Boxes looked at: enough to tell sizes apart by a tenth, at under a millisecond a size."""

MOST_SIZES = 24
"""Steps of the ladder, each the root of 2: cells up to 2,900 times the median extent."""

LINK_COST, COMPARISON_COST, OVERSIZE_COST = 30.0, 5.0, 2.0
"""Nanoseconds for a link, for a comparison of two boxes in a cell, and of an oversize box with any other: fitted to 27 frames of 3,000
to 30,000 boxes in cells of one to eight metres. Only their ratios matter, and not much: twice the best cell costs a quarter more."""

MOST_CELLS_AWAY = 2**29
"""Cells from the first box to the last, at most: more have no number of their own."""


@dataclass(frozen=True, slots=True)
class CellChoice:
    """The width of a cell, metres; and the nanoseconds a frame was expected to take with each size tried, rows (k, 2) of size and cost."""

    cell: float
    tried: FloatArray


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
    least = max(span / MOST_CELLS_AWAY, SMALLEST_NORMAL)
    solid = extents[extents > 0.0]
    middle = float(np.sort(solid)[len(solid) // 2]) if len(solid) > 0 else span / math.sqrt(n)
    smallest = min(max(middle, least), largest / 4.0)
    top = max(float(extents.max()), smallest)
    sample = boxes if n <= SAMPLE else boxes[stream(0, "cell size").choice(n, SAMPLE, replace=False)]
    sizes: list[float] = []
    size = smallest
    while len(sizes) < MOST_SIZES and size < largest / 2.0:
        sizes.append(size)
        if size >= 2.0 * top:
            break
        size *= math.sqrt(2.0)
    tried = np.array([(size, _cost(sample, low, size, n)) for size in sizes])
    return CellChoice(float(tried[np.argmin(tried[:, 1]), 0]), tried)


def _cost(sample: FloatArray, low: FloatArray, size: float, n: int) -> float:
    """Return the nanoseconds a frame of `n` boxes like those of the sample takes, about."""
    with np.errstate(over="ignore"):
        cells = np.floor(np.clip((sample - np.tile(low, 2)) / size, -MOST_CELLS_AWAY, MOST_CELLS_AWAY)).astype(np.int64)
    wide, high = cells[:, 2] - cells[:, 0], cells[:, 3] - cells[:, 1]
    is_in_cells = (wide <= 1) & (high <= 1)
    numbers = [
        (cells[chosen, 0] + column) * (4 * MOST_CELLS_AWAY) + cells[chosen, 1] + row
        for column in (0, 1)
        for row in (0, 1)
        for chosen in (is_in_cells & (wide >= column) & (high >= row),)
    ]
    counts = np.unique(np.concatenate(numbers), return_counts=True)[1].astype(np.float64)
    times = n / len(sample)
    n_links, n_compared = times * counts.sum(), times * times * float((counts * (counts - 1.0) / 2.0).sum())
    n_oversize = times * float(np.count_nonzero(~is_in_cells))
    return LINK_COST * float(n_links) + COMPARISON_COST * n_compared + OVERSIZE_COST * n_oversize * n
