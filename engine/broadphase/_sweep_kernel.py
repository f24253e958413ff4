"""Sweep and prune: the choice of the axis, the order along it, which is kept between frames, and queries of boxes in that order.

**The axis.** A sweep compares boxes whose intervals overlap. The wider the centers are spread along the axis, the fewer those are, so the
axis of larger variance is selected. A scene about as wide as high would switch axes every other frame, and a switch requires a sort: the
other axis must have `AXIS_GAIN` times the variance of the current one.

**The order.** Boxes move little between frames, and the order of the last frame is nearly that of the current one. Insertion sort repairs
it with one step for each two boxes that exchanged places::

      before   a  b  c  d  e  f        d now begins before b:   a  [d]  b  c  e  f      two steps to the left

so that a frame without changes takes one comparison per box. But boxes from far away move past all others one by one, and sorting a random
order takes n^2 / 4 such steps. After `STEPS_PER_BOX` steps per box it is replaced by a radix sort, whose time does not depend on the order;
the work of the repair is then lost, so that the worst case takes about twice the time of the sort.

**Queries.** Sorted by lower bound along the axis, the intervals that can overlap one are contiguous::

      order     0   1    2     3        4
               |--------------|                    A sweep compares box 0 with 1, 2, 3, .. until one begins beyond its
                   |--|                            end, 4; each pair of overlapping intervals is found just once, at the one
                        |-----------------|        that begins first.
                              |---|
                                       |-----|
      reach   ^14 ^14   ^27   ^27      ^30         (the farthest end so far)

Intervals that overlap [low, high] begin at or before `high`, which bounds the range at one end. At the other end, the *reach*, the farthest
end so far, never decreases, and before the first place where it is at least `low` all intervals end too early. Both bounds are found by
binary search. A long interval at the beginning weakens the second bound for all after it, which affects only the time.

All comparisons use the boxes' own numbers without rounding, and ties are touches.

Source: D. Baraff, Dynamic simulation of non-penetrating rigid bodies, thesis, Cornell 1992 (sort by insertion, coherence); C. Ericson,
Real-Time Collision Detection, 2005, 7.5.2 (variance chooses the axis; array-based sort and sweep).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.broadphase._boxes_kernel import Query, query_at, segment_meets_box
from engine.broadphase._radix_kernel import radix_order
from engine.broadphase._sorting_kernel import FIRST_ROOM, more_room, name_pairs, sorted_pairs, sorted_rows
from engine.common._record_kernel import record
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import RAY_ROUNDING

__all__ = [
    "STEPS_PER_BOX",
    "SWEEP_ANEW",
    "SWEEP_AXIS",
    "SWEEP_INSERT",
    "SWEEP_NEW",
    "SWEEP_RUN",
    "SWEEP_TEST",
    "chosen_axis",
    "columns_of",
    "met_on_axes",
    "repaired_order",
    "swept_pairs",
]

SWEEP_AXIS, SWEEP_NEW, SWEEP_INSERT, SWEEP_ANEW, SWEEP_RUN, SWEEP_TEST = 61.0, 62.0, 63.0, 64.0, 65.0, 66.0
"""Steps recorded in the trace (`engine.common._record_kernel`); world::

    SWEEP_AXIS    previous axis, selected axis, sums of squares of the centers about their mean on x, on y, boxes
    SWEEP_NEW     place, item                             of new items, appended to the order
    SWEEP_INSERT  item, its place, its new place, its lower end
    SWEEP_ANEW    place, item                             of all, if the order is from the radix sort
    SWEEP_RUN     place, item, its upper end, its lower end, the first later place whose box begins beyond that upper end
    SWEEP_TEST    item, an item of its run, 1 if they overlap on the other axis too
"""

LOW, HIGH, OTHER_LOW, OTHER_HIGH, REACH = 0, 1, 2, 3, 4
N_COLUMNS = 5
"""Columns of the sorted boxes, each contiguous: interval on the axis, interval on the other one, and the reach."""

AXIS_GAIN = 2.0
"""Minimum ratio of the other axis's variance to the current one's for a switch: a sweep there then makes about 1.4 times fewer comparisons.
"""

STEPS_PER_BOX = 1
"""Maximum number of insertion steps per box before the radix sort. Measured at 1,000 to 100,000 boxes: the sort takes 10 to 14 ns per box;
insertion takes 3 to 5 without steps, 10 with half a step per box, and 14 with one and a half (unpredictable branches).
"""


@kernel
def chosen_axis(boxes: FloatArray, is_live: NDArray[np.bool_], axis: int, trace: FloatArray | None) -> int:
    """Return the sweep axis, 0 or 1, given the current one; the current one if squares exceed float64."""
    n = 0
    from_x = from_y = sum_x = sum_y = squares_x = squares_y = 0.0
    for i in range(boxes.shape[0]):
        if is_live[i]:
            x, y = 0.5 * boxes[i, 0] + 0.5 * boxes[i, 2], 0.5 * boxes[i, 1] + 0.5 * boxes[i, 3]
            if n == 0:
                from_x, from_y = x, y  # sums about the first: far from the origin the differences of squares would be lost in rounding
            x, y = x - from_x, y - from_y
            sum_x, sum_y, squares_x, squares_y = sum_x + x, sum_y + y, squares_x + x * x, squares_y + y * y
            n += 1
    if n < 2:
        return axis
    variance_x, variance_y = squares_x - sum_x * sum_x / n, squares_y - sum_y * sum_y / n
    present, other = (variance_x, variance_y) if axis == 0 else (variance_y, variance_x)
    chosen = 1 - axis if other > AXIS_GAIN * present else axis
    record(trace, SWEEP_AXIS, (float(axis), float(chosen), variance_x, variance_y, float(n)))
    return chosen


@kernel
def repaired_order(
    boxes: FloatArray, is_live: NDArray[np.bool_], order: IntArray, axis: int, most_steps: int, trace: FloatArray | None
) -> tuple[IntArray, int]:
    """Return the live proxies by lower bound along the axis, and the number of steps that repaired the last `order`, -1 after a full sort.

    Removed proxies are dropped from `order`, new ones are inserted. Beyond `most_steps` it is sorted completely.
    """
    size = boxes.shape[0]
    is_known = np.zeros(size, dtype=np.bool_)
    n_live = 0
    for i in range(size):
        n_live += int(is_live[i])
    repaired = np.empty(n_live, dtype=np.int64)
    n = 0
    for k in range(order.shape[0]):
        i = order[k]
        if i < size and is_live[i]:
            repaired[n], is_known[i] = i, True
            n += 1
    n_known = n
    if n < n_live:
        for i in range(size):
            if is_live[i] and not is_known[i]:
                record(trace, SWEEP_NEW, (float(n), float(i)))
                repaired[n] = i
                n += 1
    keys = np.empty(n_live)
    for k in range(n_live):
        keys[k] = boxes[repaired[k], axis]
    # each new one passes half of the others
    steps = most_steps + 1 if (n_live - n_known) * (n_live // 2) > most_steps else 0
    k = 1
    while k < n_live and steps <= most_steps:
        key, i, to = keys[k], repaired[k], k
        while to > 0 and keys[to - 1] > key:
            keys[to], repaired[to] = keys[to - 1], repaired[to - 1]
            to -= 1
        if trace is not None and (to < k or k >= n_known):
            record(trace, SWEEP_INSERT, (float(i), float(k), float(to), key))
        keys[to], repaired[to] = key, i
        steps += k - to
        k += 1
    if steps <= most_steps:
        return repaired, steps
    anew = repaired[radix_order(keys)]
    if trace is not None:
        for k in range(n_live):
            record(trace, SWEEP_ANEW, (float(k), float(anew[k])))
    return anew, -1


@kernel
def columns_of(boxes: FloatArray, order: IntArray, axis: int) -> FloatArray:
    """Return the columns (5, n) of `boxes` in an order along an axis."""
    n, other = order.shape[0], 1 - axis
    columns = np.empty((N_COLUMNS, n))
    reach = -np.inf
    for k in range(n):
        i = order[k]
        reach = max(reach, boxes[i, axis + 2])
        columns[LOW, k], columns[HIGH, k], columns[REACH, k] = boxes[i, axis], boxes[i, axis + 2], reach
        columns[OTHER_LOW, k], columns[OTHER_HIGH, k] = boxes[i, other], boxes[i, other + 2]
    return columns


@kernel
def swept_pairs(columns: FloatArray, order: IntArray, n_proxies: int, trace: FloatArray | None) -> IntArray:
    """Return the overlapping pairs (m, 2), sorted, of boxes in order along an axis; their numbers are below `n_proxies`."""
    n = order.shape[0]
    low, high, other_low, other_high = columns[LOW], columns[HIGH], columns[OTHER_LOW], columns[OTHER_HIGH]
    rows: IntArray = np.empty((FIRST_ROOM * n, 2), dtype=np.int64)
    n_rows = 0
    for k in range(n):
        until, begin, end = high[k], other_low[k], other_high[k]
        beyond = k + 1
        while beyond < n and low[beyond] <= until:
            beyond += 1
        record(trace, SWEEP_RUN, (float(k), float(order[k]), until, low[k], float(beyond)))
        rows = more_room(rows, n_rows, beyond - k)
        at = np.uint64(n_rows)
        for other in range(np.uint64(k + 1), np.uint64(beyond)):
            # always written, kept if they overlap: cheaper than an unpredictable branch
            rows[at, 1] = other
            is_met = (begin <= other_high[other]) & (other_low[other] <= end)
            record(trace, SWEEP_TEST, (float(order[k]), float(order[other]), 1.0 if is_met else 0.0))
            at += np.uint64(is_met)
        name_pairs(rows, np.uint64(n_rows), at, order[k], order)
        n_rows = int(np.int64(at))
    return sorted_pairs(rows, n_rows, n_proxies)


@inlined_kernel
def _first_not_below(values: FloatArray, wanted: float) -> int:
    """Return the first place in the nondecreasing `values` that is not below `wanted`."""
    low, high = 0, values.shape[0]
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inlined_kernel
def _first_above(values: FloatArray, wanted: float) -> int:
    low, high = 0, values.shape[0]
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inlined_kernel
def _shadow(queries: FloatArray, query: Query, axis: int) -> tuple[float, float]:
    """Return an interval of the axis outside which the query overlaps no box; for a region it is its own.

    The predicate accepts a box on the axis if (low - o) / d <= 1 and (high - o) / d >= 0: the second is exact, the first allows `low` to
    exceed o + d by a rounding of d; and o + d is rounded here. The sum is below 2 EPS64 (|o| + |d|).
    """
    low, high = query[axis], query[axis + 2]
    if queries.ndim == 3:
        margin = RAY_ROUNDING * (abs(low) + abs(high))
        return min(low, low + high) - margin, max(low, low + high) + margin
    return low, high


@kernel
def met_on_axes(
    one: FloatArray, order_one: IntArray, axis_one: int, two: FloatArray, order_two: IntArray, axis_two: int,
    boxes: FloatArray, queries: FloatArray,
) -> IntArray:  # fmt: skip
    """Return rows (m, 2) of query, as in `query_at`, and overlapping proxy, sorted; uses the order with fewer candidates."""
    rows: IntArray = np.empty((FIRST_ROOM * (queries.shape[0] + 1), 2), dtype=np.int64)
    n_rows = 0
    for row in range(queries.shape[0]):
        query = query_at(queries, row)
        low, high = _shadow(queries, query, axis_one)
        begin, beyond = _first_not_below(one[REACH], low), _first_above(one[LOW], high)
        low_two, high_two = _shadow(queries, query, axis_two)
        begin_two, beyond_two = _first_not_below(two[REACH], low_two), _first_above(two[LOW], high_two)
        columns, order, axis = one, order_one, axis_one
        if beyond_two - begin_two < beyond - begin:
            columns, order, axis, low, begin, beyond = two, order_two, axis_two, low_two, begin_two, beyond_two
        rows = more_room(rows, n_rows, max(beyond - begin, 0) + 1)
        if queries.ndim == 3:
            ox, oy, dx, dy = query
            for k in range(begin, beyond):
                rows[n_rows, 0], rows[n_rows, 1] = row, order[k]
                n_rows += int(segment_meets_box(ox, oy, dx, dy, boxes, order[k]))
        else:
            other_low, other_high = query[1 - axis], query[3 - axis]
            for k in range(begin, beyond):
                rows[n_rows, 0], rows[n_rows, 1] = row, order[k]
                in_other = (other_low <= columns[OTHER_HIGH, k]) & (columns[OTHER_LOW, k] <= other_high)
                n_rows += int((low <= columns[HIGH, k]) & in_other)
    return sorted_rows(rows, n_rows, max(boxes.shape[0], queries.shape[0]))
