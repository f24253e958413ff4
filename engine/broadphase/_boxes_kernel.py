"""Predicates and measures of boxes for all structures: valid boxes, box-box overlap, segment-box overlap, perimeters.

Two closed boxes share a point exactly if their projections on both axes do::

      lower_a      upper_a
        |------------|                       lower_b <= upper_a  and  lower_a <= upper_b
                 |----------|                      on x and on y
              lower_b    upper_b

The numbers are compared without rounding, so that all structures give the same result. The four comparisons are combined without branches,
which would be unpredictable. Half of a perimeter is as good a measure as the whole.

**Segments.** The segment is o + t d, t from 0 to 1. It is between the two sides of the box perpendicular to an axis (the *slab*) for t from
`near` to `far`, and in the box if it is in both slabs::

            |   slab of x   |
            |               |  /
      ------+---------------+-/---- far y
            |     the box   |/
            |               / far x              near = max(0, near x, near y)
            |             / |                    far  = min(1, far x, far y)
      ------+-----------/---+------ near y       met where near <= far
            |         /     |
           near x   o

On an axis with d = 0 the segment is either always or never in the slab.

**Monotonicity.** A tree discards a whole node if the query misses its box, so the query must never miss a box but hit a box inside it. This
holds exactly: moving a side outward changes ``(side - o) / d`` in one direction only, since correctly rounded differences and quotients are
monotone; `near` can only decrease and `far` only increase; and widening `far`, a product and a sum with constants, is monotone too.

**No hit is missed.** Difference and quotient err by half an EPS64 each, so `near` and `far` by one, and if the exact near <= far, near (1 -
EPS64) <= far (1 + EPS64) for the computed ones: `far` is widened by `RAY_ROUNDING`, four. Quotients below float64's normal numbers err by
less than the smallest of those, which is added. The ends 0 and 1 need no tolerance: the sign of a rounded difference is exact, and side - o
<= d still holds after rounding the left side. A difference beyond float64 becomes infinite; it was larger than d, and t beyond 0 or 1. A
quotient (not a product with 1 / d, which is infinite for a tiny d) of a finite or infinite value and a finite d other than 0 is never NaN.

Source: T. Kay and J. Kajiya, Ray tracing complex scenes, SIGGRAPH 1986 (slabs); T. Ize, Robust BVH ray traversal, JCGT 2(2), 2013
(the widening); C. Ericson, Real-Time Collision Detection, 2005, 5.3.3.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.common.tolerances import MIN_NORMAL, RAY_ROUNDING

__all__ = [
    "Index",
    "Query",
    "boxes_meet",
    "half_perimeter",
    "is_met",
    "joint_half_perimeter",
    "query_at",
    "segment_meets_box",
]

_WIDENING = 1.0 + RAY_ROUNDING

Query = tuple[float, float, float, float]

Index = int | np.uint64
"""Row of a box; an unsigned one needs no code for negative indices."""


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
    """Return half the perimeter of the box around two boxes, meters."""
    width = max(boxes[i, 2], boxes[j, 2]) - min(boxes[i, 0], boxes[j, 0])
    height = max(boxes[i, 3], boxes[j, 3]) - min(boxes[i, 1], boxes[j, 1])
    return float(width + height)


@inlined_kernel
def segment_meets_box(ox: float, oy: float, dx: float, dy: float, boxes: FloatArray, i: int) -> bool:
    """Return whether the segment from (ox, oy) by (dx, dy) hits the closed box `i` of `boxes` (n, 4)."""
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
    # if far is below 0, widening must not raise it to near = 0
    return is_in and far >= 0.0 and near <= 1.0 and near <= far * _WIDENING + MIN_NORMAL


@inlined_kernel
def query_at(queries: FloatArray, row: int) -> Query:
    """Return the values of a query: lower and upper corner of regions (n, 4), origin and translation of rays (n, 2, 2).

    The compiler knows the number of dimensions, which distinguishes the two, and eliminates the branch.
    """
    if queries.ndim == 3:
        return queries[row, 0, 0], queries[row, 0, 1], queries[row, 1, 0], queries[row, 1, 1]
    return queries[row, 0], queries[row, 1], queries[row, 2], queries[row, 3]


@inlined_kernel
def is_met(queries: FloatArray, query: Query, boxes: FloatArray, i: int) -> bool:
    """Return whether a query, one of `queries`, overlaps box `i`."""
    x0, y0, x1, y1 = query
    if queries.ndim == 3:
        return segment_meets_box(x0, y0, x1, y1, boxes, i)
    return bool((boxes[i, 0] <= x1) & (x0 <= boxes[i, 2]) & (boxes[i, 1] <= y1) & (y0 <= boxes[i, 3]))
