"""Sweep and prune: the choice of the axis, the order along it, which is kept between frames, and the sweep.

**The axis.** A sweep compares boxes whose intervals overlap. The wider the centers are spread along the axis, the fewer those are, so the
axis of larger variance is selected. A scene about as wide as high would switch axes every other frame, and a switch requires a sort: the
other axis must have `AXIS_GAIN` times the variance of the current one.

**The order.** Boxes move little between frames, and the order of the last frame is nearly that of the current one. Insertion sort repairs
it with one step for each two boxes that exchanged places::

      before   a  b  c  d  e  f        d now begins before b:   a  [d]  b  c  e  f      two steps to the left

so that a frame without changes takes one comparison per box. But boxes from far away move past all others one by one, and sorting a random
order takes n^2 / 4 such steps. After `STEPS_PER_BOX` steps per box it is replaced by a merge sort, whose time hardly depends on the order;
the work of the repair is then lost, so that the worst case takes about twice the time of the sort.

**The sweep.** Sorted by lower bound along the axis, the intervals that can overlap one are contiguous::

      order     0   1    2     3        4
               |--------------|                    box 0 is compared with 1, 2, 3, .. until one begins beyond its end, 4;
                   |--|                            each pair of overlapping intervals is found just once, at the one that
                        |-----------------|        begins first
                              |---|
                                       |-----|

All comparisons use the boxes' own numbers without rounding, and ties are touches.

Source: D. Baraff, Dynamic simulation of non-penetrating rigid bodies, thesis, Cornell 1992 (sort by insertion, coherence); C. Ericson,
Real-Time Collision Detection, 2005, 7.5.2 (variance chooses the axis; array-based sort and sweep).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.broadphase._keys_kernel import FIRST_ROOM, key_of, more_room
from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import kernel

__all__ = [
    "STEPS_PER_BOX",
    "AxisChosen",
    "BoxAdded",
    "BoxInserted",
    "OrderSorted",
    "PairTested",
    "RunFound",
    "chosen_axis",
    "columns_of",
    "repaired_order",
    "swept_pairs",
]


class AxisChosen(NamedTuple):
    """The axis before, the selected one, and the sums of squares of the n centers about their mean on x and on y."""

    before: int
    axis: int
    spread: tuple[float, float]
    n: int


class BoxAdded(NamedTuple):
    """A new box, at the end of the order."""

    item: int


class BoxInserted(NamedTuple):
    """A box moves from its place to another."""

    item: int
    place: int
    to: int


class OrderSorted(NamedTuple):
    """All boxes (n,) in a new order."""

    order: IntArray


class RunFound(NamedTuple):
    """A place in the order, and the first later one whose box begins beyond the end of the box there."""

    place: int
    beyond: int


class PairTested(NamedTuple):
    """A box, one of its run, and whether they overlap on the other axis too."""

    item: int
    other: int
    is_met: bool


LOW, HIGH, OTHER_LOW, OTHER_HIGH = range(4)
"""Columns of the sorted boxes, each contiguous: interval on the axis, interval on the other one."""

AXIS_GAIN = 2.0
"""Minimum ratio of the other axis's variance to the current one's for a switch: a sweep there then makes about 1.4 times fewer comparisons.
"""

STEPS_PER_BOX = 1
"""Maximum number of insertion steps per box before the merge sort: insertion takes 3 to 5 ns per box without steps, and 10 with
half a step (measured).
"""


@kernel
def chosen_axis(boxes: FloatArray, axis: int) -> int:
    """Return the sweep axis, 0 or 1, given the current one; the current one if squares exceed float64."""
    n = boxes.shape[0]
    from_x = from_y = sum_x = sum_y = squares_x = squares_y = 0.0
    for i in range(n):
        x, y = 0.5 * boxes[i, 0] + 0.5 * boxes[i, 2], 0.5 * boxes[i, 1] + 0.5 * boxes[i, 3]
        if i == 0:
            from_x, from_y = x, y  # sums about the first: far from the origin the differences of squares would be lost in rounding
        x, y = x - from_x, y - from_y
        sum_x, sum_y = sum_x + x, sum_y + y
        squares_x, squares_y = squares_x + x * x, squares_y + y * y
    if n < 2:
        return axis
    variance_x, variance_y = squares_x - sum_x * sum_x / n, squares_y - sum_y * sum_y / n
    present, other = (variance_x, variance_y) if axis == 0 else (variance_y, variance_x)
    chosen = 1 - axis if other > AXIS_GAIN * present else axis
    record(AxisChosen(axis, chosen, (variance_x, variance_y), n))
    return chosen


@kernel
def repaired_order(boxes: FloatArray, order: IntArray, axis: int, most_steps: int) -> tuple[IntArray, int]:
    """Return the boxes by lower bound along the axis, and the number of steps that repaired the last `order`, -1 after a full sort.

    `order` may be that of fewer or of more boxes. Beyond `most_steps` it is sorted completely.
    """
    size, n_known = boxes.shape[0], 0
    repaired = np.empty(size, dtype=np.int64)
    for k in range(order.shape[0]):
        if order[k] < size:
            repaired[n_known] = order[k]
            n_known += 1
    for i in range(n_known, size):
        record(BoxAdded(i))
        repaired[i] = i
    keys = np.empty(size)
    for k in range(size):
        keys[k] = boxes[repaired[k], axis]
    # each new one passes half of the others
    steps = most_steps + 1 if (size - n_known) * (size // 2) > most_steps else 0
    k = 1
    while k < size and steps <= most_steps:
        key, i, to = keys[k], repaired[k], k
        while to > 0 and keys[to - 1] > key:
            keys[to], repaired[to] = keys[to - 1], repaired[to - 1]
            to -= 1
        if to < k or k >= n_known:
            record(BoxInserted(i, k, to))
        keys[to], repaired[to] = key, i
        steps += k - to
        k += 1
    if steps <= most_steps:
        return repaired, steps
    anew = repaired[np.argsort(keys, kind="mergesort")]
    record(OrderSorted(anew))
    return anew, -1


@kernel
def columns_of(boxes: FloatArray, order: IntArray, axis: int) -> FloatArray:
    """Return the columns (4, n) of `boxes` in an order along an axis."""
    n, other = order.shape[0], 1 - axis
    columns = np.empty((4, n))
    for k in range(n):
        i = order[k]
        columns[LOW, k], columns[HIGH, k] = boxes[i, axis], boxes[i, axis + 2]
        columns[OTHER_LOW, k], columns[OTHER_HIGH, k] = boxes[i, other], boxes[i, other + 2]
    return columns


@kernel
def swept_pairs(columns: FloatArray, order: IntArray) -> IntArray:
    """Return the keys of the overlapping pairs of boxes in order along an axis."""
    n = order.shape[0]
    low, high, other_low, other_high = columns[LOW], columns[HIGH], columns[OTHER_LOW], columns[OTHER_HIGH]
    keys: IntArray = np.empty(FIRST_ROOM * (n + 1), dtype=np.int64)
    n_keys = 0
    for k in range(n):
        until, begin, end = high[k], other_low[k], other_high[k]
        beyond = k + 1
        while beyond < n and low[beyond] <= until:
            beyond += 1
        record(RunFound(k, beyond))
        keys = more_room(keys, n_keys, beyond - k)
        for other in range(k + 1, beyond):
            # always written, kept if they overlap: cheaper than an unpredictable branch
            keys[n_keys] = key_of(order[k], order[other])
            is_met = (begin <= other_high[other]) & (other_low[other] <= end)
            record(PairTested(order[k], order[other], is_met))
            n_keys += int(is_met)
    return keys[:n_keys]
