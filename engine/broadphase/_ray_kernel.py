"""Does a segment meet a closed box? The one answer that all broad phases give.

The segment is o + t d, t from 0 to 1. It is between the two sides of the box that are square to an axis for t from `near` to `far`,
and in the box where it is so on both axes at once (the *slabs*)::

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

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel
from engine.common.tolerances import RAY_ROUNDING, SMALLEST_NORMAL

__all__ = ["segment_meets_box"]

_WIDENING = 1.0 + RAY_ROUNDING


@inlined_kernel
def segment_meets_box(ox: float, oy: float, dx: float, dy: float, boxes: FloatArray, i: int) -> bool:
    """Tell whether the segment from (ox, oy) by (dx, dy) meets the closed box `i` of `boxes` (n, 4)."""
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
    return is_in and far >= 0.0 and near <= 1.0 and near <= far * _WIDENING + SMALLEST_NORMAL
