"""Sweep and prune: boxes sorted along one axis or both, with the order kept from frame to frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import AxisSketch
from engine.common.arrays import FloatArray, IntArray
from engine.common.events import traced

__all__ = ["SweepAndPrune", "SweepTwoAxes"]


class SweepAndPrune(BroadPhase):
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
        self._is_sorted = False

    def update(self, aabbs: ArrayLike) -> None:
        super().update(aabbs)
        self._is_sorted = False

    def _sort(self, boxes: FloatArray) -> None:
        if not self._is_sorted:
            from engine.broadphase._sweep_kernel import STEPS_PER_BOX, chosen_axis, repaired_order

            axis = traced(chosen_axis)(boxes, self._axis)
            # an order along the other axis is useless for this one
            most_steps = STEPS_PER_BOX * len(boxes) if axis == self._axis else -1
            self._axis = axis
            self._order, _ = traced(repaired_order)(boxes, self._order, axis, most_steps)
            self._is_sorted = True

    def _keys(self, boxes: FloatArray) -> IntArray:
        from engine.broadphase._sweep_kernel import columns_of, swept_pairs

        self._sort(boxes)
        return traced(swept_pairs)(columns_of(boxes, self._order, self._axis), self._order)

    def sketch(self) -> AxisSketch:
        """Return the intervals in order."""
        self._sort(self._boxes)
        return _sketch(self._boxes, {self._axis: self._order})


class SweepTwoAxes(BroadPhase):
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

    def _keys(self, boxes: FloatArray) -> IntArray:
        from engine.broadphase._two_axes_kernel import EMPTY, STEPS_PER_BOX, followed

        ends_x, ends_y, self._table, self._n_pairs, _ = followed(
            boxes, *self._ends, self._table, self._n_pairs, STEPS_PER_BOX * len(boxes)
        )  # fmt: skip
        self._ends = ends_x, ends_y
        keys: IntArray = self._table[self._table != EMPTY]
        return keys

    def sketch(self) -> AxisSketch:
        """Return the intervals in order on both axes."""
        return _sketch(self._boxes, {axis: np.argsort(self._boxes[:, axis], kind="stable") for axis in (0, 1)})


def _sketch(boxes: FloatArray, orders: dict[int, IntArray]) -> AxisSketch:
    lower, upper = (tuple(boxes[order, axis + side] for axis, order in orders.items()) for side in (0, 2))
    return AxisSketch(tuple(orders), tuple(order.copy() for order in orders.values()), lower, upper)
