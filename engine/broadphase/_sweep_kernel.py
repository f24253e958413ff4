"""Sweep and prune on one axis: which axis, and the order along it, kept from one frame to the next.

**Which axis.** A sweep compares boxes whose intervals overlap. The wider the centres are spread along the axis, the fewer those are, so
the axis of larger variance is taken. A scene about as wide as high would change its mind every other frame, and a
change costs a sort: the other axis must have `AXIS_GAIN` times the variance of the present one.

**The order.** From one frame to the next boxes move little, and the order of the last frame is nearly that of this one. Insertion sort
repairs it at one step for each two boxes that changed places::

      before   a  b  c  d  e  f        d now begins before b:   a  [d]  b  c  e  f      two steps to the left

so that a frame without changes costs one look at each. But boxes that fly in from far away move past all others one by one, and a
new order from nothing costs n^2 / 4 such steps. After `STEPS_PER_BOX` steps for each box it is given up for a radix sort, which costs
the same whatever the order was; what the repair did until then is lost, so that the worst case costs about twice the sort.

Source: D. Baraff, Dynamic simulation of non-penetrating rigid bodies, thesis, Cornell 1992 (sort by insertion, coherence); C. Ericson,
Real-Time Collision Detection, 2005, 7.5.2 (variance chooses the axis).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.broadphase._radix_kernel import radix_order
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["AXIS_GAIN", "STEPS_PER_BOX", "chosen_axis", "repaired_order"]

AXIS_GAIN = 2.0
"""How many times the variance the other axis must have to be taken instead: then a sweep there compares about 1.4 times fewer."""

STEPS_PER_BOX = 1
"""Steps of insertion for each box after which the order is given up for a radix sort. Measured at 1,000 to 100,000 boxes: the sort
takes 10 to 14 ns a box; a look without a step takes 3 to 5, half a step a box 10, one and a half 14 (a jump that cannot be foreseen)."""


@kernel
def chosen_axis(boxes: FloatArray, is_live: NDArray[np.bool_], axis: int) -> int:
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
    return 1 - axis if other > AXIS_GAIN * present else axis


@kernel
def repaired_order(boxes: FloatArray, is_live: NDArray[np.bool_], order: IntArray, axis: int, most_steps: int) -> tuple[IntArray, int]:
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
        keys[to], repaired[to] = key, i
        steps += k - to
        k += 1
    if steps <= most_steps:
        return repaired, steps
    return repaired[radix_order(keys)], -1
