"""Sweep and prune: which axis, the order along it, kept from one frame to the next, and what is asked of boxes in that order.

**Which axis.** A sweep compares boxes whose intervals overlap. The wider the centers are spread along the axis, the fewer those are, so
the axis of larger variance is taken. A scene about as wide as high would change its mind every other frame, and a
change costs a sort: the other axis must have `AXIS_GAIN` times the variance of the present one.

**The order.** From one frame to the next boxes move little, and the order of the last frame is nearly that of this one. Insertion sort
repairs it at one step for each two boxes that changed places::

      before   a  b  c  d  e  f        d now begins before b:   a  [d]  b  c  e  f      two steps to the left

so that a frame without changes costs one look at each. But boxes that fly in from far away move past all others one by one, and a
new order from nothing costs n^2 / 4 such steps. After `STEPS_PER_BOX` steps for each box it is given up for a radix sort, which costs
the same whatever the order was; what the repair did until then is lost, so that the worst case costs about twice the sort.

**Queries.** By lower bound along the axis, the intervals that can meet one are together::

      order     0   1    2     3        4
               |--------------|                    A sweep holds box 0 against 1, 2, 3, .. until one begins beyond its
                   |--|                            end, 4; each pair of intervals that overlap comes up just once, at the one
                        |-----------------|        that begins first.
                              |---|
                                       |-----|
      reach   ^14 ^14   ^27   ^27      ^30         (the farthest end so far)

Those that meet [low, high] begin at or before `high`, which cuts the order at one end; at the other, the *reach*, the
farthest end so far, never falls, and before the first place where it comes to `low` all intervals end too early. Two binary searches.
One long interval at the beginning spoils the second cut for all after it, and only the cost.

Every comparison is one of the boxes' own numbers: nothing is rounded, and ties are touches.

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

    SWEEP_AXIS    axis until now, axis taken, sums of squares of the centers about their mean on x, on y, boxes
    SWEEP_NEW     place, item                             of those that were not in the order: at its end
    SWEEP_INSERT  item, its place, the one it moves to, its lower end
    SWEEP_ANEW    place, item                             of all, where the order is made by radix sort
    SWEEP_RUN     place, item, its upper end, its lower end, the first place behind it whose box begins beyond that upper end
    SWEEP_TEST    item, an item of its run, 1 if they overlap on the other axis too
"""

LOW, HIGH, OTHER_LOW, OTHER_HIGH, REACH = 0, 1, 2, 3, 4
N_COLUMNS = 5
"""Columns of the sorted boxes, each contiguous: interval on the axis, interval on the other one, and the reach."""

AXIS_GAIN = 2.0
"""How many times the variance the other axis must have to be taken instead: then a sweep there compares about 1.4 times fewer."""

STEPS_PER_BOX = 1
"""Steps of insertion for each box after which the order is given up for a radix sort. Measured at 1,000 to 100,000 boxes: the sort
takes 10 to 14 ns a box; a look without a step takes 3 to 5, half a step a box 10, one and a half 14 (a jump that cannot be foreseen)."""


@kernel
def chosen_axis(boxes: FloatArray, is_live: NDArray[np.bool_], axis: int, trace: FloatArray | None) -> int:
    """Return the axis to sweep along, 0 or 1, where it was `axis` until now; that one where squares are beyond float64."""
    n = 0
    from_x = from_y = sum_x = sum_y = squares_x = squares_y = 0.0
    for i in range(boxes.shape[0]):
        if is_live[i]:
            x, y = 0.5 * boxes[i, 0] + 0.5 * boxes[i, 2], 0.5 * boxes[i, 1] + 0.5 * boxes[i, 3]
            if n == 0:
                from_x, from_y = x, y  # sums about the first: far from the origin the squares would drown the differences
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
    """Return the live proxies by lower bound along the axis, and how many steps repaired the last `order`, -1 if it was sorted anew.

    Proxies of `order` that are no longer there are dropped, new ones are sorted in. Beyond `most_steps` it is sorted anew.
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
    # each new one goes past half of the others
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
            # written in any case, kept if they overlap: cheaper than a branch that cannot be foreseen
            rows[at, 1] = other
            is_met = (begin <= other_high[other]) & (other_low[other] <= end)
            record(trace, SWEEP_TEST, (float(order[k]), float(order[other]), 1.0 if is_met else 0.0))
            at += np.uint64(is_met)
        name_pairs(rows, np.uint64(n_rows), at, order[k], order)
        n_rows = int(np.int64(at))
    return sorted_pairs(rows, n_rows, n_proxies)


@inlined_kernel
def _first_not_below(values: FloatArray, wanted: float) -> int:
    """Return the first place in `values`, which never fall, that is not below `wanted`."""
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
    """Return an interval of the axis outside which no box is met: of a region its own.

    The predicate meets a box on the axis where (low - o) / d <= 1 and (high - o) / d >= 0: the second is exact, the first lets `low` lie
    beyond o + d by a rounding of d; and o + d is rounded here. Together below 2 EPS64 (|o| + |d|).
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
    """Return rows (m, 2) of query, as of `query_at`, and proxy that meet, sorted: by the order that leaves fewer boxes."""
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
