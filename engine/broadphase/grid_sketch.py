"""What there is to draw of a grid: its cells in use, and how many boxes are in each."""

from __future__ import annotations

import numpy as np

from engine.broadphase.sketch import CellSketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["sketch_of_grid", "sketch_of_levels"]


def sketch_of_grid(boxes: FloatArray) -> CellSketch:
    """Return the cells of the uniform grid of `boxes` (n, 4)."""
    if len(boxes) == 0:
        return _counted(np.zeros((0, 4)), np.zeros(0, dtype=np.int64))
    from engine.broadphase._grid_kernel import cells_of_boxes

    cells = cells_of_boxes(boxes)
    return _counted(cells, np.zeros(len(cells), dtype=np.int64))


def sketch_of_levels(boxes: FloatArray) -> CellSketch:
    """Return the cells of all levels of the hierarchical grid of `boxes` (n, 4)."""
    if len(boxes) < 2:
        return _counted(boxes, np.zeros(len(boxes), dtype=np.int64))
    from engine.broadphase._hierarchy_kernel import cells_of_boxes

    return _counted(*cells_of_boxes(boxes))


def _counted(cells: FloatArray, levels: IntArray) -> CellSketch:
    """Return each cell once; of equal ones, how many there are."""
    rows, counts = np.unique(np.column_stack((levels.astype(np.float64), cells)), axis=0, return_counts=True)
    return CellSketch(rows[:, 1:], counts, rows[:, 0].astype(np.int64))
