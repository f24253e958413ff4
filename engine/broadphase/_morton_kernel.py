"""A tree of n boxes from the order of their centers along a Z-order curve (a linear bounding volume hierarchy).

**Codes.** A center's two coordinates are quantized to integers of up to 24 bits each over the extent of all centers, and their bits are
interleaved. The first two bits select a quarter of the world, the next two a quarter of that, and so on, and boxes sorted by their codes
follow the curve::

      y1 |  2 --- 3        6 --- 7          code = ... y1 x1 y0 x0
         |     \\             \\
         |  0 --- 1   \\    4 --- 5          boxes whose codes have the same prefix are in one square
         +-----------------------          (or in half of one): they form a subtree

The bits below the code contain the number of the box, so that all 64-bit keys are different: boxes with the same code, such as identical
ones, are distinguished by their numbers.

**Tree.** A subtree is a run of keys that agree in their leading bits, and it is split where the next bit changes from 0 to 1. Let d(i) be
the exclusive or of keys i and i + 1. A run is split at its largest d, the one with the highest bit set: the splits are the Cartesian tree
of the d, computed in one pass from the end with a stack of unused d (`_tree_kernel` explains why the subtrees need no stack)::

    keys     000    001    010    110    111
    d            1      3      4      1            split at 4, then on the left at 3, then at 1; on the right at 1

From the last key to the first, a subtree that ends at split s is joined to the one after it as soon as the split before it is higher than
s.

**Depth.** Along the stack the highest bit of d increases strictly, so the stack has at most 64 elements, and the tree a depth of at most 64
for any boxes.

**Rounding.** Codes determine only the shape of the tree. Node boxes are computed from the boxes themselves by minimum and maximum, which
are exact, so that no pair can be missed. Half centers are used, ``0.25 lower + 0.25 upper``, so that nothing overflows.

Cost: linear except for the sort, of 4 passes. Sources: C. Lauterbach et al., Fast BVH construction on GPUs, Eurographics 2009 (Morton
order, splits at bits); T. Karras, Maximizing parallelism in the construction of BVHs, octrees, and k-d trees, HPG 2012 (indices distinguish
equal codes); C. Apetrei, Fast and simple agglomerative LBVH construction, 2014 (bottom-up construction); J. Vuillemin, A unifying look at
data structures, 1980 (Cartesian trees).
"""

from __future__ import annotations

import numpy as np

from engine.broadphase._radix_kernel import KeyArray, sorted_keys
from engine.broadphase._tree_kernel import join_last_two, push_leaf
from engine.broadphase.tree import Tree
from engine.common._record_kernel import record
from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel

__all__ = [
    "KEY_BITS",
    "MORTON_CODE",
    "MORTON_EXTENT",
    "MORTON_JOIN",
    "MORTON_LEAF",
    "MORTON_PLACE",
    "morton_order",
    "morton_tree",
]

MORTON_EXTENT, MORTON_CODE, MORTON_PLACE, MORTON_LEAF, MORTON_JOIN = 31.0, 32.0, 33.0, 34.0, 35.0
"""Steps recorded in the trace (`engine.common._record_kernel`); world::

    MORTON_EXTENT  lower x, lower y, upper x, upper y of the centers, bits of a coordinate, bits of a number
    MORTON_CODE    item, column, row
    MORTON_PLACE   place along the curve, item
    MORTON_LEAF    place, item, the highest bit in which its key and the one before differ (64: there is none before)
    MORTON_JOIN    the bit that splits the two subtrees made last, the box around both
"""

KEY_BITS = 64

AXIS_BITS = 24
"""Maximum number of bits of a coordinate: a world 100 km wide is divided into squares of 6 mm, and sorting takes four passes."""

SPREADS = (
    (np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(4), np.uint64(0x0F0F0F0F0F0F0F0F)),
    (np.uint64(2), np.uint64(0x3333333333333333)),
    (np.uint64(1), np.uint64(0x5555555555555555)),
)
"""Shifts and masks that leave a gap after each of 32 bits: halves apart, then quarters, ... (H. Warren, Hacker's Delight, 7-2)."""

ONE = np.uint64(1)
ALL_BITS = np.uint64(2**KEY_BITS - 1)


@inlined_kernel
def _spread(value: np.uint64) -> np.uint64:
    """Return `value` with a zero bit before each of its bits."""
    result = value
    for shift, mask in SPREADS:
        result = np.uint64((result | (result << shift)) & mask)
    return result


@inlined_kernel
def _highest_bit(value: np.uint64) -> int:
    bit = 0
    while bit + 1 < KEY_BITS and value >> np.uint64(bit + 1) > np.uint64(0):
        bit += 1
    return bit


@kernel
def morton_order(boxes: FloatArray, trace: FloatArray | None) -> tuple[KeyArray, int]:
    """Return the keys of `boxes` (n, 4) in order, and the number of their lowest bits that contain the number of the box."""
    n = boxes.shape[0]
    low_x, low_y, high_x, high_y = np.inf, np.inf, -np.inf, -np.inf
    for i in range(n):
        x, y = 0.25 * boxes[i, 0] + 0.25 * boxes[i, 2], 0.25 * boxes[i, 1] + 0.25 * boxes[i, 3]
        low_x, low_y = min(low_x, x), min(low_y, y)
        high_x, high_y = max(high_x, x), max(high_y, y)
    n_bits = 1
    while (1 << n_bits) < n:
        n_bits += 1
    axis_bits = min(AXIS_BITS, (KEY_BITS - n_bits) // 2)
    last = float((1 << axis_bits) - 1)
    per_x = last / (high_x - low_x) if high_x > low_x else 0.0
    per_y = last / (high_y - low_y) if high_y > low_y else 0.0
    per_x = per_x if per_x < np.inf else 0.0  # a negligible extent
    per_y = per_y if per_y < np.inf else 0.0
    record(trace, MORTON_EXTENT, (2.0 * low_x, 2.0 * low_y, 2.0 * high_x, 2.0 * high_y, float(axis_bits), float(n_bits)))
    shift = np.uint64(n_bits)
    keys = np.empty(n, dtype=np.uint64)
    for i in range(n):
        x, y = 0.25 * boxes[i, 0] + 0.25 * boxes[i, 2], 0.25 * boxes[i, 1] + 0.25 * boxes[i, 3]
        column, row = np.uint64(min((x - low_x) * per_x, last)), np.uint64(min((y - low_y) * per_y, last))
        record(trace, MORTON_CODE, (float(i), float(column), float(row)))
        keys[i] = ((_spread(column) | (_spread(row) << ONE)) << shift) | np.uint64(i)
    in_order = sorted_keys(keys, n_bits, 2 * axis_bits)
    if trace is not None:
        for k in range(n):
            record(trace, MORTON_PLACE, (float(k), float(in_order[k] & np.uint64((1 << n_bits) - 1))))
    return in_order, n_bits


@kernel
def morton_tree(boxes: FloatArray, leaf_size: int, trace: FloatArray | None) -> Tree:
    """Return the tree of `boxes` (n, 4), n > 0; its height is an upper bound."""
    n = boxes.shape[0]
    keys, n_bits = morton_order(boxes, trace)
    number = np.uint64((1 << n_bits) - 1)
    items, item_boxes = np.empty(n, dtype=np.int64), np.empty((n, 4))
    for k in range(n):
        of = np.uint64(keys[k] & number)
        items[k] = of
        for field in range(4):
            item_boxes[k, field] = boxes[of, field]
    m = 2 * n - 1
    node_boxes, sizes, first = np.empty((m, 4)), np.empty(m, dtype=np.int64), np.empty(m + 1, dtype=np.int64)
    first[m] = n
    splits = np.empty(KEY_BITS + 1, dtype=np.uint64)
    n_splits, at = 0, m
    for k in range(n - 1, -1, -1):
        at = push_leaf(at, k, 1, node_boxes, sizes, first, item_boxes)
        before = np.uint64(keys[k - 1] ^ keys[k]) if k > 0 else ALL_BITS
        if trace is not None:
            record(trace, MORTON_LEAF, (float(k), float(items[k]), float(_highest_bit(before) if k > 0 else KEY_BITS)))
        while n_splits > 0 and splits[n_splits - 1] < before:
            n_splits -= 1
            at = join_last_two(at, leaf_size, node_boxes, sizes, first)
            if trace is not None:
                box = (node_boxes[at, 0], node_boxes[at, 1], node_boxes[at, 2], node_boxes[at, 3])
                record(trace, MORTON_JOIN, (float(_highest_bit(splits[n_splits])), *box))
        splits[n_splits] = before
        n_splits += 1
    return Tree(node_boxes[at:].copy(), sizes[at:].copy(), first[at:].copy(), items, item_boxes, KEY_BITS)
