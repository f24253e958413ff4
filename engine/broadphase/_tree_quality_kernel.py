"""How good a tree is, in numbers: one pass over its nodes, which stand in preorder (`_tree_kernel`).

**Cost.** A small question put at random somewhere in the root's box meets a node with a probability of ``perimeter(node) /
perimeter(root)``. In an inner node it compares with two boxes, in a leaf with as many as are in it::

    cost = (sum over inner nodes of 2 perimeter + sum over leaves of count x perimeter) / perimeter(root)

**Overlap.** Where two siblings overlap a question goes both ways: the perimeter of what both have in common, summed over all inner
nodes, over the sum of the inner nodes' perimeters. 0 where all siblings are apart, 1 where all are the same.

Sources: J. Goldsmith and J. Salmon, 1987; T. Aila et al., On quality metrics of bounding volume hierarchies, HPG 2013 (overlap matters
too).
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import kernel

__all__ = ["measured", "node_levels"]


@kernel
def node_levels(sizes: IntArray) -> IntArray:
    """Return the level (m,) of each node, the root's being 0: a parent comes before its children."""
    m = sizes.shape[0]
    levels = np.zeros(m, dtype=np.int64)
    for node in range(m):
        if sizes[node] > 1:
            left = node + 1
            levels[left], levels[left + sizes[left]] = levels[node] + 1, levels[node] + 1
    return levels


@kernel
def measured(nodes: FloatArray, sizes: IntArray, first: IntArray) -> tuple[int, float, float]:
    """Return the number of leaves, cost and overlap; of a tree that is all one point, where everything is looked at, the cost is that."""
    n_leaves = 0
    compared, expected, common, inner = 0, 0.0, 0.0, 0.0
    for node in range(sizes.shape[0]):
        perimeter = (nodes[node, 2] - nodes[node, 0]) + (nodes[node, 3] - nodes[node, 1])
        is_leaf = sizes[node] == 1
        count = first[node + 1] - first[node] if is_leaf else 2
        compared += count
        expected += count * perimeter
        n_leaves += is_leaf
        if not is_leaf:
            left = node + 1
            right = left + sizes[left]
            width = min(nodes[left, 2], nodes[right, 2]) - max(nodes[left, 0], nodes[right, 0])
            height = min(nodes[left, 3], nodes[right, 3]) - max(nodes[left, 1], nodes[right, 1])
            inner += perimeter
            common += width + height if width >= 0.0 and height >= 0.0 else 0.0
    if sizes.shape[0] == 0:
        return 0, 0.0, 0.0
    root = (nodes[0, 2] - nodes[0, 0]) + (nodes[0, 3] - nodes[0, 1])
    cost = expected / root if 0.0 < root < np.inf else float(compared)
    return n_leaves, cost, common / inner if 0.0 < inner < np.inf else 0.0
