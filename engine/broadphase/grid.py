"""Grids: only boxes in neighbouring cells are compared."""

from __future__ import annotations

from numpy.typing import ArrayLike

from engine.broadphase.interface import checked_boxes
from engine.common.arrays import IntArray

__all__ = ["Grid", "HierarchicalGrid", "UniformGrid"]

COMPARISONS_PER_BOX = 64
"""From here on the hierarchy is the faster one: it takes some 150 ns a box, the uniform grid 2 to 3 for a comparison (measured)."""


class Grid:
    """A uniform grid where it does well, else a hierarchy of grids; see `BroadPhase`. The one to take when in doubt.

    The uniform grid counts how many boxes are in each cell before it compares any, so that the choice costs next to nothing.
    """

    def pairs(self, aabbs: ArrayLike) -> IntArray:
        """Return the overlapping pairs.

        Examples
        --------
        >>> Grid().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
        [[0, 2]]
        """
        boxes = checked_boxes(aabbs)
        from engine.broadphase._grid_kernel import overlapping_pairs

        return overlapping_pairs(boxes, COMPARISONS_PER_BOX * len(boxes))


class UniformGrid:
    """Sorts boxes into cells as wide as the widest of them; see `BroadPhase` and `_grid_kernel`.

    The best choice for bodies of like size spread over a plane. One box much larger than the rest makes all cells as large, and
    a cluster in a wide empty world falls into few cells; in both cases the answer is right but the cost is brute force's.
    """

    def pairs(self, aabbs: ArrayLike) -> IntArray:
        """Return the overlapping pairs.

        Examples
        --------
        >>> UniformGrid().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
        [[0, 2]]
        """
        boxes = checked_boxes(aabbs)
        from engine.broadphase._grid_kernel import NO_LIMIT, overlapping_pairs

        return overlapping_pairs(boxes, NO_LIMIT)


class HierarchicalGrid:
    """Sorts boxes into grids by their size; see `BroadPhase` and `_hierarchy_kernel`.

    For sizes that differ much, a giant among many small ones, or crowds far from each other. Where all are alike and spread evenly
    it takes two to three times as long as `UniformGrid`.
    """

    def pairs(self, aabbs: ArrayLike) -> IntArray:
        """Return the overlapping pairs.

        Examples
        --------
        >>> HierarchicalGrid().pairs([(0, 0, 1, 1), (-500, -500, 600, 600), (1, 1, 2, 2)]).tolist()
        [[0, 1], [0, 2], [1, 2]]
        """
        boxes = checked_boxes(aabbs)
        from engine.broadphase._hierarchy_kernel import overlapping_pairs

        return overlapping_pairs(boxes)
