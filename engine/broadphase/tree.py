"""A tree of boxes: what all bounding volume hierarchies here are made of, and how good one is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.broadphase.sketch import TreeSketch
from engine.common.arrays import FloatArray, IntArray

__all__ = ["Tree", "TreeQuality", "quality", "tree_sketch"]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A binary tree of boxes in preorder; see `_tree_kernel` for the layout.

    Attributes
    ----------
    boxes : (m, 4)
        Of the nodes: lower x, lower y, upper x, upper y; metres, world.
    sizes : (m,)
        Nodes of each subtree; 1 for a leaf.
    first : (m + 1,)
        The first item of each node; at the end, how many there are.
    items : (n,)
        Proxies, in the order of the leaves.
    item_boxes : (n, 4)
        Their boxes.
    height : int
        Nodes from the root to the deepest leaf, less one, are at most this.
    """

    boxes: FloatArray
    sizes: IntArray
    first: IntArray
    items: IntArray
    item_boxes: FloatArray
    height: int

    def __len__(self) -> int:
        """Return how many boxes are in the leaves."""
        return len(self.items)

    @property
    def arrays(self) -> tuple[FloatArray, IntArray, IntArray, IntArray, FloatArray]:
        """Node boxes, sizes, first items, items, their boxes: as kernels take them."""
        return self.boxes, self.sizes, self.first, self.items, self.item_boxes

    @classmethod
    def of_order(cls, counts: IntArray, items: IntArray, boxes: FloatArray, leaf_size: int) -> Tree:
        """Return the tree of `items`, numbers of `boxes`, whose nodes are, in preorder, inner (0) or leaves with so many items."""
        from engine.broadphase._tree_kernel import closed_tree

        return cls(*closed_tree(counts, items, boxes, leaf_size))

    @classmethod
    def empty(cls) -> Tree:
        """Return the tree of no boxes."""
        none = np.zeros(0, dtype=np.int64)
        return cls(np.zeros((0, 4)), none, np.zeros(1, dtype=np.int64), none, np.zeros((0, 4)), 0)


@dataclass(frozen=True, slots=True)
class TreeQuality:
    """How good a tree is.

    Attributes
    ----------
    n_boxes, n_leaves : int
    height : int
        Levels below the root.
    cost : float
        Boxes that a small question somewhere in the root's box is compared with, as the surface-area heuristic expects it.
    overlap : float
        What siblings have in common: the perimeter of it, over the perimeter of their parents; 0 none, 1 all.
    """

    n_boxes: int
    n_leaves: int
    height: int
    cost: float
    overlap: float


def quality(tree: Tree) -> TreeQuality:
    """Return the measures of a tree; the derivation is in `_tree_quality_kernel`."""
    from engine.broadphase._tree_quality_kernel import measured, node_levels

    n_leaves, cost, overlap = measured(tree.boxes, tree.sizes, tree.first)
    height = int(node_levels(tree.sizes).max(initial=0))
    return TreeQuality(len(tree), int(n_leaves), height, float(cost), float(overlap))


def tree_sketch(tree: Tree) -> TreeSketch:
    """Return the nodes to be drawn; boxes in a leaf of several are nodes of the level below it."""
    from engine.broadphase._tree_quality_kernel import node_levels

    levels = node_levels(tree.sizes)
    is_leaf = tree.sizes == 1
    n_items = np.where(is_leaf, np.diff(tree.first), 0)
    is_single = n_items == 1
    proxies = np.full(len(levels), -1)
    proxies[is_single] = tree.items[tree.first[:-1][is_single]]
    leaf_of_item = np.repeat(np.arange(len(levels)), n_items)
    is_among_others = ~is_single[leaf_of_item]
    return TreeSketch(
        np.concatenate((tree.boxes, tree.item_boxes[is_among_others])),
        np.concatenate((levels, levels[leaf_of_item][is_among_others] + 1)),
        np.concatenate((proxies, tree.items[is_among_others])),
    )
