"""Grids: only boxes in neighbouring cells are compared."""

from __future__ import annotations

from engine.broadphase.grid_sketch import sketch_of_grid, sketch_of_levels
from engine.broadphase.grid_workspace import GridWorkspace
from engine.broadphase.proxies import Proxies
from engine.broadphase.sketch import Sketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["EIGHTS_PER_BOX", "Grid", "HierarchicalGrid", "UniformGrid"]

EIGHTS_PER_BOX = 20.0
"""From here on the hierarchy is the faster one: it takes 80 ns a box and more, the uniform grid some 3 for eight comparisons (measured)."""


class _GridOfAll(Proxies):
    """What the grids have in common: nothing is kept but memory, for sorting into cells anew costs less than looking what has changed."""

    def __init__(self) -> None:
        super().__init__()
        self._workspace = GridWorkspace()

    def _pairs(self) -> IntArray:
        proxies, boxes = self._live_boxes()
        pairs = self._pairs_of(boxes)
        return pairs if proxies is None else proxies[pairs]

    def _pairs_of(self, boxes: FloatArray) -> IntArray:
        raise NotImplementedError

    def sketch(self) -> Sketch:
        """Return the cells in use."""
        return sketch_of_grid(self._live_boxes()[1])


class UniformGrid(_GridOfAll):
    """Sorts boxes into rows and columns by the size of the mean one; see `BroadPhase` and `_grid_kernel`.

    The best choice nearly always: sizes may differ much. Only crowds in a wide empty world fall into few cells, and there the cost is
    brute force's.

    Examples
    --------
    >>> UniformGrid().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    """

    name = "uniform grid"
    short_name = "uniform"

    def _pairs_of(self, boxes: FloatArray) -> IntArray:
        from engine.broadphase._grid_kernel import NO_LIMIT

        pairs = self._workspace.pairs(boxes, NO_LIMIT)
        assert pairs is not None
        return pairs


class HierarchicalGrid(_GridOfAll):
    """Sorts boxes into grids by their size; see `BroadPhase` and `_hierarchy_kernel`.

    For crowds far from each other, and sizes over many powers of ten. Elsewhere it takes three to ten times as long as `UniformGrid`.

    Examples
    --------
    >>> HierarchicalGrid().pairs([(0, 0, 1, 1), (-500, -500, 600, 600), (1, 1, 2, 2)]).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """

    name = "hierarchical grid"
    short_name = "hierarchy"

    def _pairs_of(self, boxes: FloatArray) -> IntArray:
        from engine.broadphase._hierarchy_kernel import overlapping_pairs

        return overlapping_pairs(boxes)

    def sketch(self) -> Sketch:
        """Return the cells in use, of all levels; a box beyond float64 is in none."""
        return sketch_of_levels(self._live_boxes()[1])


class Grid(_GridOfAll):
    """A uniform grid where it does well, else a hierarchy of grids; see `BroadPhase`.

    A few boxes are asked how many they would be compared with before any is, so that the choice costs next to nothing. `Automatic`
    chooses among more structures, and remembers.

    Examples
    --------
    >>> Grid().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    """

    name = "grid"

    def __init__(self) -> None:
        super().__init__()
        self._is_uniform = True

    def _pairs_of(self, boxes: FloatArray) -> IntArray:
        pairs = self._workspace.pairs(boxes, EIGHTS_PER_BOX)
        self._is_uniform = pairs is not None
        if pairs is None:
            from engine.broadphase._hierarchy_kernel import overlapping_pairs

            pairs = overlapping_pairs(boxes)
        return pairs

    def sketch(self) -> Sketch:
        """Return the cells in use, of the grid that answered last."""
        boxes = self._live_boxes()[1]
        return sketch_of_grid(boxes) if self._is_uniform else sketch_of_levels(boxes)
