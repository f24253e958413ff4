"""A static tree of boxes: its memory layout, and its construction from the leaves up.

Nodes are in *preorder*: a node, then all of its left subtree, then all of its right one. `sizes` contains the number of nodes of each
subtree, so that no pointers are needed::

    node    0     1     2     3     4     5     6         left child of k      k + 1
                                                          right child of k     k + 1 + sizes[k + 1]
            a --- b --- 1                                 next after subtree   k + sizes[k]: where a traversal
            |     +---- 2                                                      continues that skips k
            +---- c --- 3
                  +---- d...                              a leaf               sizes[k] == 1

    sizes   7     3     1     1     3     1     1

A leaf contains up to `LEAF_SIZE` boxes. The boxes are in `item_boxes` in the order of the leaves, their numbers in `items`; `first[k]` is
the first item of node k, so that a subtree's items are ``items[first[k] : first[k + sizes[k]]]`` (the last entry is the end).

The traversal of one query (a region, a ray) is one loop, and needs *no stack* at any depth: if the query overlaps the node's box it
continues with k + 1, which is the left child, or the next node after a leaf; if not, it skips the subtree. The predicates are monotone: a
region that overlaps the inner box overlaps the outer one, and `segment_meets_box` guarantees the same exactly for rays. So a query that
misses a node misses everything below it.

**Construction.** The preorder of leaves and inner nodes determines the shape of a tree. Read backward it is an expression in reverse Polish
notation: a leaf is pushed, an inner node joins the two subtrees pushed last, left one first. The pushed subtrees are those already at the
end of the arrays: the last one at `at`, the one before it at ``at + sizes[at]``. So one pass from the end fills all arrays, boxes included,
and needs no stack either. Two leaves that fit into one leaf are merged.

**Cost.** A small random query in the root's box overlaps a node with a probability of ``perimeter(node) / perimeter(root)``. In an inner
node it is compared with two boxes, in a leaf with all its boxes::

    cost = (sum over inner nodes of 2 perimeter + sum over leaves of count x perimeter) / perimeter(root)

**Overlap.** If two siblings overlap, a query can visit both. The measure is the perimeter of their intersection, summed over all inner
nodes, over the sum of the inner nodes' perimeters: 0 if all siblings are disjoint, 1 if they are all equal.

Sources: Ericson, Real-Time Collision Detection, 2005, 6.6.2 (preorder, skip pointers); B. Smits, Efficiency issues for ray tracing, JGT
3(2), 1998 (the stackless traversal); J. Goldsmith and J. Salmon, 1987 (cost); T. Aila et al., On quality metrics of bounding volume
hierarchies, HPG 2013 (overlap matters too).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.broadphase._boxes_kernel import half_perimeter, is_met, query_at
from engine.broadphase._keys_kernel import FIRST_ROOM, SHIFT, more_room
from engine.broadphase.tree import Tree
from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, kernel

__all__ = [
    "ItemTested",
    "NodeVisited",
    "closed_tree",
    "half_perimeters",
    "join_last_two",
    "measured",
    "met_items",
    "node_levels",
    "push_leaf",
    "refitted",
]


class NodeVisited(NamedTuple):
    """A node, in preorder, and whether the query meets its box."""

    node: int
    is_met: bool


class ItemTested(NamedTuple):
    """Whether the query meets the box in the visited leaf."""

    is_hit: bool


@inlined_kernel
def push_leaf(at: int, item: int, count: int, node_boxes: FloatArray, sizes: IntArray, first: IntArray, item_boxes: FloatArray) -> int:
    """Insert a leaf of `count` items, from `item` on, before node `at`, and return its place."""
    place = at - 1
    x0, y0, x1, y1 = np.inf, np.inf, -np.inf, -np.inf
    for k in range(item, item + count):
        x0, y0 = min(x0, item_boxes[k, 0]), min(y0, item_boxes[k, 1])
        x1, y1 = max(x1, item_boxes[k, 2]), max(y1, item_boxes[k, 3])
    node_boxes[place, 0], node_boxes[place, 1], node_boxes[place, 2], node_boxes[place, 3] = x0, y0, x1, y1
    sizes[place], first[place] = 1, item
    return place


@inlined_kernel
def join_last_two(at: int, leaf_size: int, node_boxes: FloatArray, sizes: IntArray, first: IntArray) -> int:
    """Join the subtree at `at` and the one after it, and return the place of the node, or of the leaf if they fit into one."""
    left, right = at, at + sizes[at]
    x0, y0 = min(node_boxes[left, 0], node_boxes[right, 0]), min(node_boxes[left, 1], node_boxes[right, 1])
    x1, y1 = max(node_boxes[left, 2], node_boxes[right, 2]), max(node_boxes[left, 3], node_boxes[right, 3])
    begin, size = first[left], 1 + sizes[left] + sizes[right]
    place = at - 1
    if size == 3 and first[right + 1] - begin <= leaf_size:
        place, size = right, 1
    node_boxes[place, 0], node_boxes[place, 1], node_boxes[place, 2], node_boxes[place, 3] = x0, y0, x1, y1
    sizes[place], first[place] = size, begin
    return place


@kernel
def closed_tree(counts: IntArray, items: IntArray, boxes: FloatArray, leaf_size: int) -> Tree:
    """Return the tree of `items`, numbers of `boxes`.

    `counts` (m,) in preorder contains 0 for an inner node and the number of items for a leaf. The height is that of the given tree, which
    merging leaves can only reduce.
    """
    m, n = counts.shape[0], items.shape[0]
    item_boxes = np.empty((n, 4))
    for k in range(n):
        for field in range(4):
            item_boxes[k, field] = boxes[items[k], field]
    node_boxes, sizes, first = np.empty((m, 4)), np.empty(m, dtype=np.int64), np.empty(m + 1, dtype=np.int64)
    heights = np.empty(m + 1, dtype=np.int64)  # heights of the subtrees not yet joined, the last one on top
    first[m] = n
    at, item, top = m, n, -1
    for node in range(m - 1, -1, -1):
        if counts[node] > 0:
            item -= counts[node]
            at = push_leaf(at, item, counts[node], node_boxes, sizes, first, item_boxes)
            top += 1
            heights[top] = 0
        else:
            at = join_last_two(at, leaf_size, node_boxes, sizes, first)
            top -= 1
            heights[top] = 1 + max(heights[top], heights[top + 1])
    height = heights[0] if m > 0 else 0
    return Tree(node_boxes[at:].copy(), sizes[at:].copy(), first[at:].copy(), items, item_boxes, height)


@kernel
def refitted(tree: Tree, boxes: FloatArray) -> float:
    """Copy the items' `boxes`, refit all node boxes, and return the sum of the nodes' half perimeters, meters.

    The order is from the end, so that children come before their parents.
    """
    nodes, sizes, first, items, item_boxes, _ = tree
    for k in range(items.shape[0]):
        for field in range(4):
            item_boxes[k, field] = boxes[items[k], field]
    total = 0.0
    for node in range(sizes.shape[0] - 1, -1, -1):
        if sizes[node] == 1:
            push_leaf(node + 1, first[node], first[node + 1] - first[node], nodes, sizes, first, item_boxes)
        else:
            join_last_two(node + 1, 0, nodes, sizes, first)
        total += half_perimeter(nodes, node)
    return total


@kernel
def half_perimeters(boxes: FloatArray) -> float:
    """Return the sum of half the perimeters of `boxes` (n, 4), meters."""
    total = 0.0
    for i in range(boxes.shape[0]):
        total += half_perimeter(boxes, i)
    return total


@kernel
def met_items(tree: Tree, queries: FloatArray) -> IntArray:
    """Return keys, ``query << 32 | item``, of queries, as in `query_at`, and the items that they meet."""
    nodes, sizes, first, items, item_boxes, _ = tree
    keys: IntArray = np.empty(FIRST_ROOM * (queries.shape[0] + 1), dtype=np.int64)
    n_keys = 0
    for row in range(queries.shape[0]):
        query = query_at(queries, row)
        node = 0
        while node < sizes.shape[0]:
            is_reached = is_met(queries, query, nodes, node)
            record(NodeVisited(node, is_reached))
            if is_reached:
                if sizes[node] == 1:
                    low, high = first[node], first[node + 1]
                    keys = more_room(keys, n_keys, high - low)
                    for k in range(low, high):
                        # always written, kept if they overlap: cheaper than an unpredictable branch
                        keys[n_keys] = (np.int64(row) << SHIFT) | np.int64(items[k])
                        is_hit = is_met(queries, query, item_boxes, k)
                        record(ItemTested(is_hit))
                        n_keys += int(is_hit)
                node += 1
            else:
                node += sizes[node]
    return keys[:n_keys]


@kernel
def node_levels(sizes: IntArray) -> IntArray:
    """Return the level (m,) of each node, 0 for the root: a parent comes before its children."""
    m = sizes.shape[0]
    levels = np.zeros(m, dtype=np.int64)
    for node in range(m):
        if sizes[node] > 1:
            left = node + 1
            levels[left], levels[left + sizes[left]] = levels[node] + 1, levels[node] + 1
    return levels


@kernel
def measured(tree: Tree) -> tuple[int, float, float]:
    """Return the number of leaves, cost and overlap; if the root is a point, the cost is that of visiting every node."""
    nodes, sizes, first = tree.boxes, tree.sizes, tree.first
    n_leaves = 0
    compared, expected, common, inner = 0, 0.0, 0.0, 0.0
    for node in range(sizes.shape[0]):
        perimeter = half_perimeter(nodes, node)
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
    root = half_perimeter(nodes, 0)
    cost = expected / root if 0.0 < root < np.inf else float(compared)
    return n_leaves, cost, common / inner if 0.0 < inner < np.inf else 0.0
