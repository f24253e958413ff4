"""Sweep and prune: boxes sorted along one axis or both, with the order kept from frame to frame."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import AxisSketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["SweepAndPrune", "SweepTwoAxes"]

Along = tuple[FloatArray, IntArray, int]
"""Columns of the boxes, sorted along an axis; the order; the axis."""


class _Sweep(BroadPhase):
    """Queries and sketches of boxes that are sorted along axes."""

    @abstractmethod
    def _orders(self) -> tuple[Along, ...]:
        """Update and return the one or two orders."""

    def _query(self, queries: FloatArray) -> IntArray:
        from engine.broadphase._sweep_kernel import met_on_axes

        orders = self._orders()
        return met_on_axes(*orders[0], *orders[-1], self._boxes[: self._size], queries)

    def sketch(self) -> AxisSketch:
        """Return the intervals in order."""
        columns, orders, axes = zip(*self._orders(), strict=True)
        lower, upper = (tuple(column[side].copy() for column in columns) for side in (0, 1))
        return AxisSketch(axes, tuple(order.copy() for order in orders), lower, upper)


class SweepAndPrune(_Sweep):
    """Sorts boxes along the axis of largest spread, and compares those whose intervals there overlap; see `BroadPhase`.

    For scenes that are long and flat, or high and narrow, where little changes from frame to frame: the order of the last frame is
    then nearly that of this one. In a square scene each box is compared with a whole strip, a number that grows with the root of the
    number of boxes; then use a `UniformGrid`. See `_sweep_kernel`.
    """

    name = "sweep and prune"
    short_name = "sweep"

    def __init__(self) -> None:
        super().__init__()
        self._axis = 0
        self._order: IntArray = np.empty(0, dtype=np.int64)
        self._along: Along | None = None

    def _rebuilt(self) -> None:
        # the old order is kept as the best starting point for the next one
        self._along = None

    def _orders(self) -> tuple[Along, ...]:
        if self._along is None:
            from engine.broadphase._sweep_kernel import STEPS_PER_BOX, chosen_axis, columns_of, repaired_order

            boxes, is_live = self._boxes[: self._size], self._is_live[: self._size]
            axis = chosen_axis(boxes, is_live, self._axis, self.trace)
            # an order along the other axis is useless for this one
            most_steps = STEPS_PER_BOX * self._n_live if axis == self._axis else -1
            self._axis = axis
            self._order, _ = repaired_order(boxes, is_live, self._order, axis, most_steps, self.trace)
            self._along = columns_of(boxes, self._order, axis), self._order, axis
        return (self._along,)

    def _pairs(self) -> IntArray:
        from engine.broadphase._sweep_kernel import swept_pairs

        ((columns, order, _),) = self._orders()
        return swept_pairs(columns, order, self._size, self.trace)


class SweepTwoAxes(_Sweep):
    """Keeps all ends in order on both axes, and the set of pairs by the swaps of the insertion sort; see `BroadPhase`.

    For scenes nearly at rest: a frame without swaps visits each end once, however many pairs there are. If much moves, each swap costs more
    than a comparison in other structures. See `_two_axes_kernel`.
    """

    name = "sweep and prune, two axes"
    short_name = "two sweeps"

    def __init__(self) -> None:
        super().__init__()
        self._ends: tuple[IntArray, IntArray] = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        self._table: IntArray = np.full(1, -1, dtype=np.int64)
        self._n_pairs = 0
        self._is_current = True
        self._along: tuple[Along, ...] = ()

    def _rebuilt(self) -> None:
        # the orders and the set are kept, because the swaps will reveal any change
        self._is_current = False
        self._along = ()

    def _follow(self) -> None:
        if not self._is_current:
            from engine.broadphase._two_axes_kernel import STEPS_PER_BOX, followed

            boxes, is_live = self._boxes[: self._size], self._is_live[: self._size]
            most_steps = STEPS_PER_BOX * self._n_live
            ends_x, ends_y, self._table, self._n_pairs, _ = followed(boxes, is_live, *self._ends, self._table, self._n_pairs, most_steps)
            self._ends = ends_x, ends_y
            self._is_current = True

    def _orders(self) -> tuple[Along, ...]:
        self._follow()
        if not self._along:
            from engine.broadphase._sweep_kernel import columns_of
            from engine.broadphase._two_axes_kernel import begins_of

            boxes, orders = self._boxes[: self._size], [begins_of(ends) for ends in self._ends]
            self._along = tuple((columns_of(boxes, order, axis), order, axis) for axis, order in enumerate(orders))
        return self._along

    def _pairs(self) -> IntArray:
        from engine.broadphase._two_axes_kernel import all_pairs

        self._follow()
        return all_pairs(self._table, self._n_pairs, self._size)
