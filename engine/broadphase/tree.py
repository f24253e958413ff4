"""A static tree of boxes, which is built but never changed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray

__all__ = ["LEAF_SIZE", "Tree", "empty_tree"]

LEAF_SIZE = 8
"""Maximum number of boxes in a leaf. Measured on 100,000 boxes in Morton order with five overlaps each: finding the pairs takes 41 ms
with 1, 26 with 2, 17 with 4, and 14 with 6 or 8, because comparing a few boxes in a row is cheaper than avoiding it."""


class Tree(NamedTuple):
    """A binary tree of boxes in preorder; see `_tree_kernel` for the layout.

    Attributes
    ----------
    boxes : (m, 4)
        Boxes of the nodes: lower x, lower y, upper x, upper y; meters, world frame.
    sizes : (m,)
        Nodes of each subtree; 1 for a leaf.
    first : (m + 1,)
        The first item of each node, followed by the number of items.
    items : (n,)
        Proxies, in the order of the leaves.
    item_boxes : (n, 4)
        Their boxes.
    height : int
        Upper bound for the number of levels below the root.
    """

    boxes: FloatArray
    sizes: IntArray
    first: IntArray
    items: IntArray
    item_boxes: FloatArray
    height: int


def empty_tree() -> Tree:
    """Return a tree without boxes."""
    none = np.zeros(0, dtype=np.int64)
    return Tree(np.zeros((0, 4)), none, np.zeros(1, dtype=np.int64), none, np.zeros((0, 4)), 0)
