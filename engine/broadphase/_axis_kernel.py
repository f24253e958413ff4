"""Boxes sorted along one axis: the overlapping pairs by a sweep, and what overlaps a region or a ray.

By lower bound along the axis, the intervals that can meet one are together::

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

Source: C. Ericson, Real-Time Collision Detection, 2005, 7.5.2 (array-based sort and sweep).
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._boxes_kernel import Question, question_at, segment_meets_box
from engine.broadphase._sorting_kernel import FIRST_ROOM, more_room, name_pairs, sorted_pairs, sorted_rows
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import RAY_ROUNDING

__all__ = ["columns_of", "met_on_axes", "swept_pairs"]

LOW, HIGH, OTHER_LOW, OTHER_HIGH, REACH = 0, 1, 2, 3, 4
N_COLUMNS = 5
"""Of the sorted boxes, each contiguous: interval on the axis, interval on the other one, and the reach."""


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
def swept_pairs(columns: FloatArray, order: IntArray, n_proxies: int) -> IntArray:
    """Return the overlapping pairs (m, 2), sorted, of boxes in order along an axis; their numbers are below `n_proxies`."""
    n = order.shape[0]
    low, high, other_low, other_high = columns[LOW], columns[HIGH], columns[OTHER_LOW], columns[OTHER_HIGH]
    found: IntArray = np.empty((FIRST_ROOM * n, 2), dtype=np.int64)
    n_found = 0
    for k in range(n):
        until, begin, end = high[k], other_low[k], other_high[k]
        beyond = k + 1
        while beyond < n and low[beyond] <= until:
            beyond += 1
        found = more_room(found, n_found, beyond - k)
        at = np.uint64(n_found)
        for other in range(np.uint64(k + 1), np.uint64(beyond)):
            # written in any case, kept if they overlap: cheaper than a branch that cannot be foreseen
            found[at, 1] = other
            at += np.uint64((begin <= other_high[other]) & (other_low[other] <= end))
        name_pairs(found, np.uint64(n_found), at, order[k], order)
        n_found = int(np.int64(at))
    return sorted_pairs(found, n_found, n_proxies)


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
def _shadow(questions: FloatArray, question: Question, axis: int) -> tuple[float, float]:
    """Return an interval of the axis outside which no box is met: of a region its own.

    The predicate meets a box on the axis where (low - o) / d <= 1 and (high - o) / d >= 0: the second is exact, the first lets `low` lie
    beyond o + d by a rounding of d; and o + d is rounded here. Together below 2 EPS64 (|o| + |d|).
    """
    low, high = question[axis], question[axis + 2]
    if questions.ndim == 3:
        margin = RAY_ROUNDING * (abs(low) + abs(high))
        return min(low, low + high) - margin, max(low, low + high) + margin
    return low, high


@kernel
def met_on_axes(
    one: FloatArray, order_one: IntArray, axis_one: int, two: FloatArray, order_two: IntArray, axis_two: int,
    boxes: FloatArray, questions: FloatArray,
) -> IntArray:  # fmt: skip
    """Return rows (m, 2) of question, as of `question_at`, and proxy that meet, sorted: by the order that leaves fewer boxes."""
    found: IntArray = np.empty((FIRST_ROOM * (questions.shape[0] + 1), 2), dtype=np.int64)
    n_found = 0
    for row in range(questions.shape[0]):
        question = question_at(questions, row)
        low, high = _shadow(questions, question, axis_one)
        begin, beyond = _first_not_below(one[REACH], low), _first_above(one[LOW], high)
        low_two, high_two = _shadow(questions, question, axis_two)
        begin_two, beyond_two = _first_not_below(two[REACH], low_two), _first_above(two[LOW], high_two)
        columns, order, axis = one, order_one, axis_one
        if beyond_two - begin_two < beyond - begin:
            columns, order, axis, low, begin, beyond = two, order_two, axis_two, low_two, begin_two, beyond_two
        found = more_room(found, n_found, max(beyond - begin, 0) + 1)
        if questions.ndim == 3:
            ox, oy, dx, dy = question
            for k in range(begin, beyond):
                found[n_found, 0], found[n_found, 1] = row, order[k]
                n_found += int(segment_meets_box(ox, oy, dx, dy, boxes, order[k]))
        else:
            other_low, other_high = question[1 - axis], question[3 - axis]
            for k in range(begin, beyond):
                found[n_found, 0], found[n_found, 1] = row, order[k]
                in_other = (other_low <= columns[OTHER_HIGH, k]) & (columns[OTHER_LOW, k] <= other_high)
                n_found += int((low <= columns[HIGH, k]) & in_other)
    return sorted_rows(found, n_found, max(boxes.shape[0], questions.shape[0]))
