"""Regions and rays asked of a tree, without a stack.

Nodes stand in preorder (see `_tree_kernel`), so that a walk is one loop: where the node's box is met it goes on to the next node, which
is the left child, or after a leaf what follows; where it is missed it goes past the subtree::

    k = 0
    while k < m:      met: k = k + 1          missed: k = k + sizes[k]

The walk ends, for k grows at every turn, and needs no memory, so that no depth of tree can exhaust any.

A node's box contains those below it, and what is asked of it is monotone: a region that overlaps the inner box overlaps the outer one, and
`segment_meets_box` promises the same of rays to the last bit. So what is below a node that is missed is missed.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 6.6.2; B. Smits, Efficiency issues for ray tracing, JGT 3(2), 1998.
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._ray_kernel import segment_meets_box
from engine.broadphase._rows_kernel import more_room, sorted_rows
from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["met_by_rays", "overlapped_by_regions"]

ROOM = 64
"""Rows that an answer has room for at first."""


@kernel
def overlapped_by_regions(
    nodes: FloatArray, sizes: IntArray, first: IntArray, items: IntArray, item_boxes: FloatArray, regions: FloatArray, n: int
) -> IntArray:
    """Return the rows of region and item that overlap, in order; numbers of both are below `n`."""
    found: IntArray = np.empty((ROOM, 2), dtype=np.int64)
    n_found = 0
    for row in range(regions.shape[0]):
        x0, y0, x1, y1 = regions[row, 0], regions[row, 1], regions[row, 2], regions[row, 3]
        node = 0
        while node < sizes.shape[0]:
            if (nodes[node, 0] <= x1) & (x0 <= nodes[node, 2]) & (nodes[node, 1] <= y1) & (y0 <= nodes[node, 3]):
                if sizes[node] == 1:
                    low, high = first[node], first[node + 1]
                    found = more_room(found, n_found, high - low)
                    for k in range(low, high):
                        in_x = (item_boxes[k, 0] <= x1) & (x0 <= item_boxes[k, 2])
                        if in_x & (item_boxes[k, 1] <= y1) & (y0 <= item_boxes[k, 3]):
                            found[n_found, 0], found[n_found, 1] = row, items[k]
                            n_found += 1
                node += 1
            else:
                node += sizes[node]
    return sorted_rows(found, n_found, n)


@kernel
def met_by_rays(
    nodes: FloatArray,
    sizes: IntArray,
    first: IntArray,
    items: IntArray,
    item_boxes: FloatArray,
    origins: FloatArray,
    translations: FloatArray,
    n: int,
) -> IntArray:
    """Return the rows of ray and item that meet, in order; numbers of both are below `n`."""
    found: IntArray = np.empty((ROOM, 2), dtype=np.int64)
    n_found = 0
    for row in range(origins.shape[0]):
        ox, oy, dx, dy = origins[row, 0], origins[row, 1], translations[row, 0], translations[row, 1]
        node = 0
        while node < sizes.shape[0]:
            if segment_meets_box(ox, oy, dx, dy, nodes, node):
                if sizes[node] == 1:
                    low, high = first[node], first[node + 1]
                    found = more_room(found, n_found, high - low)
                    for k in range(low, high):
                        if segment_meets_box(ox, oy, dx, dy, item_boxes, k):
                            found[n_found, 0], found[n_found, 1] = row, items[k]
                            n_found += 1
                node += 1
            else:
                node += sizes[node]
    return sorted_rows(found, n_found, n)
