"""Every box against every other: the oracle of the other broad phases, and the fastest for a few dozen boxes."""

from __future__ import annotations

from numpy.typing import ArrayLike

from engine.broadphase.interface import checked_boxes
from engine.common.arrays import IntArray

__all__ = ["BruteForce"]


class BruteForce:
    """Tests all pairs; see `BroadPhase`."""

    def pairs(self, aabbs: ArrayLike) -> IntArray:
        """Return the overlapping pairs.

        Examples
        --------
        >>> BruteForce().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
        [[0, 2]]
        """
        boxes = checked_boxes(aabbs)
        from engine.broadphase._brute_force_kernel import overlapping_pairs

        return overlapping_pairs(boxes)
