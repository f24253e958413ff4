"""Testing every pair: the reference for the other broad phases, and the fastest for a few dozen boxes."""

from __future__ import annotations

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import PlainSketch
from engine.common.arrays import IntArray

__all__ = ["BruteForce"]


class BruteForce(BroadPhase):
    """Tests all pairs, and every box against a region or a ray; see `BroadPhase`.

    Examples
    --------
    >>> boxes = BruteForce()
    >>> boxes.pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    >>> boxes.remove([0])
    >>> boxes.insert([(5.5, 5.5, 7, 7), (0, 0, 3, 3)]).tolist()
    [0, 3]
    >>> boxes.pairs().tolist()
    [[0, 1], [2, 3]]
    >>> boxes.regions([(0, 0, 1, 1), (6, 6, 9, 9)]).tolist()
    [[0, 2], [0, 3], [1, 0], [1, 1]]
    >>> boxes.rays([(-1, 0.5)], [(3, 0)]).tolist()
    [[0, 3]]
    """

    name = "brute force"

    def _pairs(self) -> IntArray:
        from engine.broadphase._brute_force_kernel import overlapping_pairs

        proxies, boxes = self._live_boxes()
        pairs = overlapping_pairs(boxes)
        return pairs if proxies is None else proxies[pairs]

    def sketch(self) -> PlainSketch:
        """Return an empty sketch."""
        return PlainSketch()
