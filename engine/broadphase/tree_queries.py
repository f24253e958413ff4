"""Quality measures of a tree of boxes, and a drawable sketch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.broadphase.sketch import TreeSketch
from engine.broadphase.tree import Tree

__all__ = ["TreeQuality", "quality", "tree_sketch"]


@dataclass(frozen=True, slots=True)
class TreeQuality:
    """Quality measures of a tree.

    Attributes
    ----------
    n_boxes, n_leaves : int
    height : int
        Levels below the root.
    cost : float
        Expected number of boxes compared with a small query in the root's box, by the surface-area heuristic.
    overlap : float
        Overlap of siblings: perimeter of their intersection over the perimeter of their parents; 0 for none, 1 for complete.
    """

    n_boxes: int
    n_leaves: int
    height: int
    cost: float
    overlap: float


def quality(tree: Tree) -> TreeQuality:
    """Return the measures of a tree; the derivation is in `_tree_kernel`."""
    from engine.broadphase._tree_kernel import measured, node_levels

    n_leaves, cost, overlap = measured(tree)
    height = int(node_levels(tree.sizes).max(initial=0))
    return TreeQuality(len(tree.items), int(n_leaves), height, float(cost), float(overlap))


def tree_sketch(tree: Tree) -> TreeSketch:
    """Return the drawable nodes; the boxes in a leaf with several count as nodes one level below it."""
    from engine.broadphase._tree_kernel import node_levels

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
