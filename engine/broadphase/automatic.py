"""A broad phase that chooses a structure suited to its boxes."""

from __future__ import annotations

from engine.broadphase.bvh import TopDownTree
from engine.broadphase.grid import sketch_of_grid
from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import PlainSketch, Sketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["BRUTE_FORCE", "FEW", "MAX_COMPARED", "TREE", "UNIFORM_GRID", "Automatic"]

BRUTE_FORCE, UNIFORM_GRID, TREE = "brute force", "uniform grid", TopDownTree.name
"""The structures to choose from."""

FEW = 50
"""Number of boxes up to which brute force is the fastest (measured)."""

MAX_COMPARED = 64.0
"""Number of boxes with which a box is compared in the uniform grid from which the tree is faster."""


class Automatic(BroadPhase):
    """Uses brute force for few boxes, otherwise a uniform grid, or a tree if boxes crowd together in a wide world; see `BroadPhase`.

    The grid counts the boxes of its cells before it compares any, and the number of comparisons is estimated from a sample of boxes. All
    structures return the same pairs, so the choice affects only the time.

    Examples
    --------
    >>> broad_phase = Automatic()
    >>> broad_phase.pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist(), broad_phase.chosen
    ([[0, 2]], 'brute force')
    """

    name = "automatic"

    def __init__(self) -> None:
        super().__init__()
        self._tree = TopDownTree()
        self._chosen = BRUTE_FORCE

    @property
    def chosen(self) -> str:
        """The structure that last found the pairs."""
        return self._chosen

    def _keys(self, boxes: FloatArray) -> IntArray:
        if len(boxes) <= FEW:
            from engine.broadphase._brute_force_kernel import overlapping_pairs

            self._chosen = BRUTE_FORCE
            return overlapping_pairs(boxes)
        from engine.broadphase._grid_kernel import grid_pairs

        keys, is_complete = grid_pairs(boxes, MAX_COMPARED)
        self._chosen = UNIFORM_GRID if is_complete else TREE
        if is_complete:
            return keys
        self._tree.update(boxes)
        return self._tree._keys(boxes)

    def sketch(self) -> Sketch:
        """Return the cells of the grid or the node boxes of the tree, whichever was chosen."""
        if self._chosen == BRUTE_FORCE:
            return PlainSketch()
        return sketch_of_grid(self._boxes) if self._chosen == UNIFORM_GRID else self._tree.sketch()
