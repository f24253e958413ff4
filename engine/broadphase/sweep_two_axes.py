"""Sweep and prune on two axes: the overlapping pairs kept from frame to frame, changed only where ends of intervals change places."""

from __future__ import annotations

import numpy as np

from engine.broadphase.proxies import Proxies
from engine.broadphase.sketch import AxisSketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["SweepTwoAxes"]


class SweepTwoAxes(Proxies):
    """Keeps all ends in order on both axes, and the set of pairs by the swaps of the insertion sort; see `BroadPhase`.

    For scenes nearly at rest: a frame without swaps looks at each end once, however many pairs there are. Where much moves, every swap
    costs more than a comparison elsewhere. See `_two_axes_kernel`.

    Examples
    --------
    >>> sweep = SweepTwoAxes()
    >>> sweep.pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    >>> sweep.move([1], [(2, 2, 3, 3)])
    >>> sweep.pairs().tolist()
    [[0, 2], [1, 2]]
    """

    name = "sweep and prune, two axes"
    short_name = "two sweeps"

    def __init__(self) -> None:
        super().__init__()
        self._ends: tuple[IntArray, IntArray] = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        self._table: IntArray = np.full(1, -1, dtype=np.int64)
        self._n_pairs = 0
        self._is_current = True
        self._kept_columns: tuple[tuple[FloatArray, IntArray], ...] = ()

    def _rebuilt(self) -> None:
        # the orders and the set stay as they are: whatever has changed, the swaps will tell
        self._is_current = False
        self._kept_columns = ()

    def _follow(self) -> None:
        if not self._is_current:
            from engine.broadphase._two_axes_kernel import STEPS_PER_BOX, followed

            boxes, is_live = self._boxes[: self._size], self._is_live[: self._size]
            most_steps = STEPS_PER_BOX * self._n_live
            ends_x, ends_y, self._table, self._n_pairs, _ = followed(boxes, is_live, *self._ends, self._table, self._n_pairs, most_steps)
            self._ends = ends_x, ends_y
            self._is_current = True

    def _columns(self) -> tuple[tuple[FloatArray, IntArray], ...]:
        """Return the columns in order of begins, and that order, of each axis."""
        self._follow()
        if not self._kept_columns:
            from engine.broadphase._axis_kernel import columns_of
            from engine.broadphase._two_axes_kernel import begins_of

            boxes, orders = self._boxes[: self._size], [begins_of(ends) for ends in self._ends]
            self._kept_columns = tuple((columns_of(boxes, order, axis), order) for axis, order in enumerate(orders))
        return self._kept_columns

    def _pairs(self) -> IntArray:
        from engine.broadphase._pair_table_kernel import all_pairs

        self._follow()
        return all_pairs(self._table, self._n_pairs, self._size)

    def _regions(self, regions: FloatArray) -> IntArray:
        from engine.broadphase._axis_kernel import overlapped_on_axes

        (along_x, order_x), (along_y, order_y) = self._columns()
        return overlapped_on_axes(along_x, order_x, 0, along_y, order_y, 1, regions, self._size)

    def _rays(self, origins: FloatArray, translations: FloatArray) -> IntArray:
        from engine.broadphase._axis_kernel import met_on_axes

        (along_x, order_x), (along_y, order_y) = self._columns()
        return met_on_axes(along_x, order_x, 0, along_y, order_y, 1, self._boxes[: self._size], origins, translations)

    def sketch(self) -> AxisSketch:
        """Return the intervals in order on both axes."""
        (along_x, order_x), (along_y, order_y) = self._columns()
        lower, upper = (along_x[0].copy(), along_y[0].copy()), (along_x[1].copy(), along_y[1].copy())
        return AxisSketch((0, 1), (order_x.copy(), order_y.copy()), lower, upper)
