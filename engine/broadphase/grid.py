"""A uniform grid: only boxes in neighboring cells are compared."""

from __future__ import annotations

import numpy as np

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import CellSketch
from engine.common.arrays import FloatArray, IntArray
from engine.common.events import traced

__all__ = ["UniformGrid", "sketch_of_grid"]


def sketch_of_grid(boxes: FloatArray) -> CellSketch:
    """Return the occupied cells of the uniform grid of `boxes` (n, 4), and the number of boxes in each."""
    if len(boxes) == 0:
        return CellSketch(np.zeros((0, 4)), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_))
    from engine.broadphase._grid_kernel import cells_of_boxes

    cells, counts = np.unique(cells_of_boxes(boxes), axis=0, return_counts=True)
    return CellSketch(cells, counts, np.zeros(len(cells), dtype=np.bool_))


class UniformGrid(BroadPhase):
    """Sorts boxes into rows and columns of the size of the mean box; see `BroadPhase` and `_grid_kernel`.

    Nearly always the best choice, even for very different sizes. It keeps nothing between frames, because sorting again costs less than
    finding the changes. Crowds in a wide empty world fall into few cells, where the cost is that of brute force: `Automatic` uses a tree
    for them.

    Examples
    --------
    >>> UniformGrid().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    """

    name = "uniform grid"
    short_name = "uniform"

    def _keys(self, boxes: FloatArray) -> IntArray:
        from engine.broadphase._grid_kernel import NO_LIMIT, grid_pairs

        return traced(grid_pairs)(boxes, NO_LIMIT)[0]

    def sketch(self) -> CellSketch:
        """Return the occupied cells."""
        return sketch_of_grid(self._boxes)
