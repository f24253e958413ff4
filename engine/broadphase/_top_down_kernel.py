"""A tree of n boxes built from the root down, each set of boxes split by the surface-area heuristic.

**The cost of a tree.** A random line or small box that hits a convex region hits a convex part of it with a probability proportional to the
part's perimeter (in the plane; its surface in space: Crofton). So the expected number of nodes that a query visits is the sum of all nodes'
perimeters over the root's. The cost of a split into L and R is about ``perimeter(L) n(L) + perimeter(R) n(R)``, which is to be minimized.

**Bins.** Evaluating all n - 1 splits requires sorting the boxes at each node. Instead the wider extent of their centers is divided into
`N_BINS` bins, each of which stores the number of its centers and the box around its boxes, and only the splits between bins are evaluated,
in one sweep from the right and one from the left::

      |  3  |  0  |  4  |  1  | ...  |  2  |      centers in each bin
              ^ split here:   n(L) = 3, n(R) = 4 + 1 + ... + 2

The time is O(n log n), as each level passes over all boxes. Measured on 100,000 boxes, the tree's heuristic cost is 3 to 5 % less than by
Morton order; its pairs take 7 % less time if sizes differ and no less if they do not; building it takes eight times as long.

**Termination.** The first and the last bin are never empty, so that a split always leaves boxes on both sides. If all centers coincide, or
no split has a finite cost, the set is halved in its current order, as are sets below `SPLIT_DEPTH` levels, because boxes at distances of 2,
4, 8, 16, ... meters can be split off one or two per level. The depth of the tree is at most ``SPLIT_DEPTH + log2 n``.

Sources: J. Goldsmith and J. Salmon, Automatic creation of object hierarchies for ray tracing, IEEE CG&A 7(5), 1987 (the cost); J.
MacDonald and K. Booth, Heuristics for ray tracing using space subdivision, The Visual Computer 6, 1990; I. Wald, On fast construction of
SAH-based bounding volume hierarchies, 2007 (bins).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.broadphase._boxes_kernel import half_perimeter
from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, kernel

__all__ = [
    "N_BINS",
    "CutTried",
    "SetCut",
    "top_down_order",
]


class CutTried(NamedTuple):
    """A boundary between two bins, and its cost, a half perimeter times boxes, m."""

    border: int
    cost: float


class SetCut(NamedTuple):
    """The first box of a set and of its right half, and its end; the axis, the least center on it and the span of the centers, m; the
    selected boundary (0: none, the set is halved); and the boxes of both halves in order.
    """

    low: int
    split: int
    high: int
    axis: int
    start: float
    span: float
    border: int
    items: IntArray


N_BINS = 16
"""Number of bins, as in Wald. Measured on 100,000 boxes: with 8 a tree costs 1 % more, with 32 0.5 % less, and building takes a tenth less
or more.
"""

SPLIT_DEPTH = 64
"""Depth below which sets are halved: more than twice the depth of a balanced tree of a billion boxes."""


@inlined_kernel
def _middle(boxes: FloatArray, i: int, axis: int) -> float:
    """Return half the center of a box on an axis; both summands are scaled separately, so that nothing overflows."""
    return float(0.25 * boxes[i, axis] + 0.25 * boxes[i, axis + 2])


@inlined_kernel
def _bin(boxes: FloatArray, i: int, axis: int, low: float, per: float) -> int:
    """Return the bin of a box; `low` itself is in the first one, the highest center in the last one."""
    return min(int((_middle(boxes, i, axis) - low) * per), N_BINS - 1)


@inlined_kernel
def _clear(box: FloatArray, k: int) -> None:
    box[k, 0], box[k, 1], box[k, 2], box[k, 3] = np.inf, np.inf, -np.inf, -np.inf


@inlined_kernel
def _extend(box: FloatArray, k: int, others: FloatArray, i: int) -> None:
    """Extend box `k` to contain box `i` of `others`."""
    box[k, 0], box[k, 1] = min(box[k, 0], others[i, 0]), min(box[k, 1], others[i, 1])
    box[k, 2], box[k, 3] = max(box[k, 2], others[i, 2]), max(box[k, 3], others[i, 3])


@inlined_kernel
def _best_border(bins: FloatArray, in_bin: IntArray, swept: FloatArray, right_cost: FloatArray) -> int:
    """Return the bin before which to split, 0 if no split has a finite cost; `swept` (1, 4) and `right_cost` are scratch."""
    _clear(swept, 0)
    count = 0
    for border in range(N_BINS - 1, 0, -1):
        _extend(swept, 0, bins, border)
        count += in_bin[border]
        right_cost[border] = count * half_perimeter(swept, 0) if count > 0 else np.inf
    _clear(swept, 0)
    count, best, best_cost = 0, 0, np.inf
    for border in range(1, N_BINS):
        _extend(swept, 0, bins, border - 1)
        count += in_bin[border - 1]
        if count > 0:
            cost = count * half_perimeter(swept, 0) + right_cost[border]
            record(CutTried(border, cost))
            if cost < best_cost:
                best, best_cost = border, cost
    return best


@kernel
def top_down_order(boxes: FloatArray, leaf_size: int) -> tuple[IntArray, IntArray]:
    """Return the tree of `boxes` (n, 4) as arguments of `closed_tree`: the counts in preorder, and the items in the leaves' order."""
    n = boxes.shape[0]
    items = np.arange(n)
    counts = np.empty(max(2 * n - 1, 0), dtype=np.int64)
    bins, in_bin = np.empty((N_BINS, 4)), np.empty(N_BINS, dtype=np.int64)
    swept, right_cost = np.empty((1, 4)), np.empty(N_BINS)
    # begin, end and depth of the pending sets, one for each level above
    waiting = np.empty((SPLIT_DEPTH + 66, 3), dtype=np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, n, 0
    n_waiting, n_nodes = 1 if n > 0 else 0, 0
    while n_waiting > 0:
        n_waiting -= 1
        low, high, depth = waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2]
        if high - low <= leaf_size:
            counts[n_nodes] = high - low
            n_nodes += 1
            continue
        counts[n_nodes] = 0
        n_nodes += 1
        split, axis, start, extent, border = (low + high) // 2, 0, 0.0, 0.0, 0
        if depth < SPLIT_DEPTH:
            # 1. The wider axis of the centers.
            x0, y0, x1, y1 = np.inf, np.inf, -np.inf, -np.inf
            for k in range(low, high):
                x, y = _middle(boxes, items[k], 0), _middle(boxes, items[k], 1)
                x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
            axis = 0 if x1 - x0 >= y1 - y0 else 1
            start, extent = (x0, x1 - x0) if axis == 0 else (y0, y1 - y0)
            per = N_BINS / extent if extent > 0.0 else np.inf
            if per < np.inf:
                # 2. Bins, and the best split between two of them.
                for k in range(N_BINS):
                    in_bin[k] = 0
                    _clear(bins, k)
                for k in range(low, high):
                    of = _bin(boxes, items[k], axis, start, per)
                    in_bin[of] += 1
                    _extend(bins, of, boxes, items[k])
                border = _best_border(bins, in_bin, swept, right_cost)
                # 3. Partition the boxes, those on its left first.
                if border > 0:
                    split, end = low, high
                    while split < end:
                        if _bin(boxes, items[split], axis, start, per) < border:
                            split += 1
                        else:
                            end -= 1
                            items[split], items[end] = items[end], items[split]
        record(SetCut(low, split, high, axis, 2.0 * start, 2.0 * extent, border, items[low:high]))
        waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2] = split, high, depth + 1
        waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1], waiting[n_waiting + 1, 2] = low, split, depth + 1
        n_waiting += 2
    return counts[:n_nodes].copy(), items
