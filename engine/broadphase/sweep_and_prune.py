"""Sweep and prune: boxes in order along one axis, the order kept from frame to frame."""

from __future__ import annotations

import numpy as np

from engine.broadphase.proxies import Proxies
from engine.broadphase.sketch import AxisSketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["SweepAndPrune"]


class SweepAndPrune(Proxies):
    """Sorts boxes along the axis on which they are spread most, and compares those whose intervals there overlap; see `BroadPhase`.

    For scenes that are long and flat, or high and narrow, where little changes from frame to frame: the order of the last frame is
    then nearly that of this one. In a square scene each box is compared with a whole strip, a number that grows with the root of the
    number of boxes; then take a `Grid`. See `_sweep_kernel`.

    Examples
    --------
    >>> sweep = SweepAndPrune()
    >>> sweep.pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    >>> sweep.move([1], [(2, 2, 3, 3)])
    >>> sweep.pairs().tolist()
    [[0, 2], [1, 2]]
    """

    name = "sweep and prune"
    short_name = "sweep"

    def __init__(self) -> None:
        super().__init__()
        self._axis = 0
        self._order: IntArray = np.empty(0, dtype=np.int64)
        self._columns: FloatArray | None = None

    def _rebuilt(self) -> None:
        # the old order stays: whatever has changed, it is the best beginning for the next
        self._columns = None

    def _sorted(self) -> FloatArray:
        """Bring the order up to date, and return the columns of the boxes in it."""
        if self._columns is None:
            from engine.broadphase._axis_kernel import columns_of
            from engine.broadphase._sweep_kernel import STEPS_PER_BOX, chosen_axis, repaired_order

            boxes, is_live = self._boxes[: self._size], self._is_live[: self._size]
            axis = chosen_axis(boxes, is_live, self._axis)
            # an order along the other axis tells nothing about this one
            most_steps = STEPS_PER_BOX * self._n_live if axis == self._axis else -1
            self._axis = axis
            self._order, _ = repaired_order(boxes, is_live, self._order, axis, most_steps)
            self._columns = columns_of(boxes, self._order, axis)
        return self._columns

    def _pairs(self) -> IntArray:
        from engine.broadphase._axis_kernel import swept_pairs

        columns = self._sorted()
        return swept_pairs(columns, self._order, self._size)

    def _regions(self, regions: FloatArray) -> IntArray:
        from engine.broadphase._axis_kernel import overlapped_on_axes

        columns, axis = self._sorted(), self._axis
        return overlapped_on_axes(columns, self._order, axis, columns, self._order, axis, regions, self._size)

    def _rays(self, origins: FloatArray, translations: FloatArray) -> IntArray:
        from engine.broadphase._axis_kernel import met_on_axes

        columns, axis, boxes = self._sorted(), self._axis, self._boxes[: self._size]
        return met_on_axes(columns, self._order, axis, columns, self._order, axis, boxes, origins, translations)

    def sketch(self) -> AxisSketch:
        """Return the intervals in order."""
        columns = self._sorted()
        return AxisSketch((self._axis,), (self._order.copy(),), (columns[0].copy(),), (columns[1].copy(),))
