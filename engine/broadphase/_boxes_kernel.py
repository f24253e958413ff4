"""What every structure asks of boxes: do two meet, how far is it round one, and how far round the box around two.

Two closed boxes share a point exactly when their shadows on both axes do::

      lower_a      upper_a
        |------------|                       lower_b <= upper_a  and  lower_a <= upper_b
                 |----------|                      on x and on y
              lower_b    upper_b

Numbers are compared as they are and nothing is rounded, so that all structures give one answer. The four comparisons are joined without
a branch, for which of them fails cannot be foreseen. Half of a perimeter is as good a measure as the whole.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel

__all__ = ["Index", "boxes_meet", "half_perimeter", "joint_half_perimeter"]

Index = int | np.uint64
"""Of a row; where it is unsigned, the code that wraps negative ones around is spared."""


@inlined_kernel
def boxes_meet(a: FloatArray, i: Index, b: FloatArray, j: Index) -> bool:
    """Tell whether box `i` of `a` (n, 4) and box `j` of `b` (m, 4) share a point."""
    in_x = (a[i, 0] <= b[j, 2]) & (b[j, 0] <= a[i, 2])
    in_y = (a[i, 1] <= b[j, 3]) & (b[j, 1] <= a[i, 3])
    return bool(in_x & in_y)


@inlined_kernel
def half_perimeter(boxes: FloatArray, i: Index) -> float:
    """Return half the perimeter of a box, metres."""
    return float((boxes[i, 2] - boxes[i, 0]) + (boxes[i, 3] - boxes[i, 1]))


@inlined_kernel
def joint_half_perimeter(boxes: FloatArray, i: Index, j: Index) -> float:
    """Return half the perimeter of the box around two, metres."""
    width = max(boxes[i, 2], boxes[j, 2]) - min(boxes[i, 0], boxes[j, 0])
    height = max(boxes[i, 3], boxes[j, 3]) - min(boxes[i, 1], boxes[j, 1])
    return float(width + height)
