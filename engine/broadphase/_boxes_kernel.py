"""Predicates and measures of boxes for all structures: valid boxes, two boxes that meet, a segment that meets one, perimeters.

Two closed boxes share a point exactly when their shadows on both axes do::

      lower_a      upper_a
        |------------|                       lower_b <= upper_a  and  lower_a <= upper_b
                 |----------|                      on x and on y
              lower_b    upper_b

Numbers are compared as they are and nothing is rounded, so that all structures give one answer. The four comparisons are joined without
a branch, for which of them fails cannot be foreseen. Half of a perimeter is as good a measure as the whole.

**Segments.** The segment is o + t d, t from 0 to 1. It is between the two sides of the box that are square to an axis for t from `near`
to `far`, and in the box where it is so on both axes at once (the *slabs*)::

            |   slab of x   |
            |               |  /
      ------+---------------+-/---- far y
            |     the box   |/
            |               / far x              near = max(0, near x, near y)
            |             / |                    far  = min(1, far x, far y)
      ------+-----------/---+------ near y       met where near <= far
            |         /     |
           near x   o

On an axis with d = 0 the segment is in the slab always or never.

**Monotone.** A tree throws away a whole node when its box is missed, so a box must never be missed where a box inside it is met. Here
that holds to the last bit: a side further out changes ``(side - o) / d`` in one direction only, since correctly rounded differences
and quotients never decrease where the exact ones do not; `near` can only fall and `far` only rise; and widening `far`, a product and
a sum with constants, keeps order too.

**No box that is met is missed.** Difference and quotient err by half an EPS64 each, so `near` and `far` by one, and where the
exact near <= far, near (1 - EPS64) <= far (1 + EPS64) for the computed ones: `far` is widened by `RAY_ROUNDING`, four. Quotients below
float64's normal numbers err by less than the smallest of those, which is added. Against the ends 0 and 1 no allowance is needed:
the sign of a rounded difference is exact, and side - o <= d stays so when the left is rounded. A difference beyond float64 becomes
infinite; it was larger than d, and t beyond 0 or 1. A quotient (not a product with 1 / d, which is infinite for a tiny d) of
something finite or infinite and a finite d other than 0 is never NaN.

Source: T. Kay and J. Kajiya, Ray tracing complex scenes, SIGGRAPH 1986 (slabs); T. Ize, Robust BVH ray traversal, JCGT 2(2), 2013
(the widening); C. Ericson, Real-Time Collision Detection, 2005, 5.3.3.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import MIN_NORMAL, RAY_ROUNDING

__all__ = [
    "Index",
    "Query",
    "boxes_meet",
    "half_perimeter",
    "is_met",
    "joint_half_perimeter",
    "n_invalid",
    "query_at",
    "segment_meets_box",
]

_WIDENING = 1.0 + RAY_ROUNDING

Query = tuple[float, float, float, float]

Index = int | np.uint64
"""Row of a box; where it is unsigned, the code that wraps negative ones around is spared."""


@inlined_kernel
def boxes_meet(a: FloatArray, i: Index, b: FloatArray, j: Index) -> bool:
    """Return whether box `i` of `a` (n, 4) and box `j` of `b` (m, 4) share a point."""
    in_x = (a[i, 0] <= b[j, 2]) & (b[j, 0] <= a[i, 2])
    in_y = (a[i, 1] <= b[j, 3]) & (b[j, 1] <= a[i, 3])
    return bool(in_x & in_y)


@inlined_kernel
def half_perimeter(boxes: FloatArray, i: Index) -> float:
    """Return half the perimeter of a box, meters."""
    return float((boxes[i, 2] - boxes[i, 0]) + (boxes[i, 3] - boxes[i, 1]))


@inlined_kernel
def joint_half_perimeter(boxes: FloatArray, i: Index, j: Index) -> float:
    """Return half the perimeter of the box around two, meters."""
    width = max(boxes[i, 2], boxes[j, 2]) - min(boxes[i, 0], boxes[j, 0])
    height = max(boxes[i, 3], boxes[j, 3]) - min(boxes[i, 1], boxes[j, 1])
    return float(width + height)


@inlined_kernel
def segment_meets_box(ox: float, oy: float, dx: float, dy: float, boxes: FloatArray, i: int) -> bool:
    """Return whether the segment from (ox, oy) by (dx, dy) meets the closed box `i` of `boxes` (n, 4)."""
    near, far = 0.0, 1.0
    is_in = True
    if dx == 0.0:
        is_in = bool((boxes[i, 0] <= ox) & (ox <= boxes[i, 2]))
    else:
        low, high = (boxes[i, 0] - ox) / dx, (boxes[i, 2] - ox) / dx
        near, far = max(near, min(low, high)), min(far, max(low, high))
    if dy == 0.0:
        is_in = is_in and bool((boxes[i, 1] <= oy) & (oy <= boxes[i, 3]))
    else:
        low, high = (boxes[i, 1] - oy) / dy, (boxes[i, 3] - oy) / dy
        near, far = max(near, min(low, high)), min(far, max(low, high))
    # where far is below 0 widening must not bring it up to near = 0
    return is_in and far >= 0.0 and near <= 1.0 and near <= far * _WIDENING + MIN_NORMAL


@inlined_kernel
def query_at(queries: FloatArray, row: int) -> Query:
    """Return the numbers of a query: of regions (n, 4) lower and upper corner, of rays (n, 2, 2) origin and translation.

    Which of the two they are shows in the number of dimensions, which the compiler knows: no branch is left.
    """
    if queries.ndim == 3:
        return queries[row, 0, 0], queries[row, 0, 1], queries[row, 1, 0], queries[row, 1, 1]
    return queries[row, 0], queries[row, 1], queries[row, 2], queries[row, 3]


@inlined_kernel
def is_met(queries: FloatArray, query: Query, boxes: FloatArray, i: int) -> bool:
    """Return whether a query, one of `queries`, meets box `i`."""
    x0, y0, x1, y1 = query
    if queries.ndim == 3:
        return segment_meets_box(x0, y0, x1, y1, boxes, i)
    return bool((boxes[i, 0] <= x1) & (x0 <= boxes[i, 2]) & (boxes[i, 1] <= y1) & (y0 <= boxes[i, 3]))


@kernel
def n_invalid(boxes: FloatArray) -> int:
    """Return how many of `boxes` (n, 4) are not finite or have a lower corner above the upper one.

    A NaN is on neither side of a comparison, and infinite numbers in order show at one of the ends. Flat and counted without a sign:
    a third of the time of ``boxes[i, k]``, which asks each time whether i is below 0.
    """
    numbers = boxes.reshape(-1)
    n_good = 0
    for i in range(np.uint64(boxes.shape[0])):
        at = np.uint64(4) * np.uint64(i)
        low_x, low_y = numbers[at], numbers[at + np.uint64(1)]
        high_x, high_y = numbers[at + np.uint64(2)], numbers[at + np.uint64(3)]
        in_x = (-np.inf < low_x) & (low_x <= high_x) & (high_x < np.inf)
        in_y = (-np.inf < low_y) & (low_y <= high_y) & (high_y < np.inf)
        n_good += int(in_x & in_y)
    return int(boxes.shape[0]) - n_good
