"""Testing every pair: the reference for the other broad phases, and the fastest for a few dozen boxes."""

from __future__ import annotations

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import PlainSketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["BruteForce"]


class BruteForce(BroadPhase):
    """Tests all pairs, and every box against a region or a ray; see `BroadPhase`.

    Examples
    --------
    >>> boxes = BruteForce()
    >>> boxes.pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    >>> boxes.regions([(0, 0, 1, 1), (6, 6, 9, 9)]).tolist()
    [[0, 0], [0, 2], [1, 1]]
    >>> boxes.rays([(-1, 0.5)], [(3, 0)]).tolist()
    [[0, 0]]
    """

    name = "brute force"

    def _keys(self, boxes: FloatArray) -> IntArray:
        from engine.broadphase._brute_force_kernel import overlapping_pairs

        return overlapping_pairs(boxes)

    def sketch(self) -> PlainSketch:
        """Return an empty sketch."""
        return PlainSketch()
