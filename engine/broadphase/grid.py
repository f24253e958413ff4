"""A uniform grid: only boxes in neighbouring cells are compared."""

from __future__ import annotations

from numpy.typing import ArrayLike

from engine.broadphase.interface import checked_boxes
from engine.common.arrays import IntArray

__all__ = ["UniformGrid"]


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
        from engine.broadphase._grid_kernel import overlapping_pairs

        return overlapping_pairs(boxes)
