"""Queries of a tree of boxes: overlapping pairs, quality measures, and a drawable sketch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.broadphase.sketch import TreeSketch
from engine.broadphase.tree import Tree
from engine.common.arrays import IntArray

__all__ = ["TreeQuality", "named_between", "pairs_between", "pairs_within", "quality", "tree_sketch"]


class _HasTree(Protocol):
    @property
    def tree(self) -> Tree:
        """The tree of the current boxes."""
        ...


def pairs_between(a: Tree | _HasTree, b: Tree | _HasTree) -> IntArray:
    """Return the pairs (n, 2) of a box in tree `a` and one in tree `b` that overlap: proxy of `a`, proxy of `b`; sorted.

    Boxes are closed: a touch counts. Both trees are descended at once (`_tree_pairs_kernel`).

    Examples
    --------
    >>> from engine.broadphase import MortonTree
    >>> movers, floor = MortonTree(), MortonTree()
    >>> movers.insert([(0, 1, 1, 2), (5, 5, 6, 6)]).tolist(), floor.insert([(-9, 0, 9, 1)]).tolist()
    ([0, 1], [0])
    >>> pairs_between(movers, floor).tolist()
    [[0, 0]]
    """
    from engine.broadphase._sorting_kernel import sorted_pairs

    first, other = (value if isinstance(value, Tree) else value.tree for value in (a, b))
    pairs = named_between(first, other)
    return sorted_pairs(pairs, len(pairs), 1 + max(int(first.items.max(initial=0)), int(other.items.max(initial=0))))


def named_between(a: Tree, b: Tree) -> IntArray:
    """Return the same pairs, unsorted."""
    of_a, of_b = _places(a, b, False)
    return np.column_stack((a.items[of_a], b.items[of_b]))


def pairs_within(tree: Tree) -> IntArray:
    """Return the overlapping pairs (n, 2) of proxies in one tree, each once, the smaller number first; sorted."""
    from engine.broadphase._sorting_kernel import N_SOME, ordered_pairs

    places, other = _places(tree, tree, True)
    n_pairs, n = len(places), 1 + int(tree.items.max(initial=0))
    pairs = np.empty(2 * n_pairs + 2).view(np.int64).reshape(n_pairs + 1, 2)
    counts, lists = np.empty(n, dtype=np.uint32), np.empty(n_pairs + int(N_SOME), dtype=np.uint32)
    ordered_pairs(places, other, n_pairs, tree.items.astype(np.uint32), n, counts, lists, pairs)
    return pairs[:n_pairs]


def _places(a: Tree, b: Tree, is_same: bool) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the positions of the first and of the second boxes of all pairs."""
    from engine.broadphase._tree_pairs_kernel import SHIFT, pair_keys

    keys, n_pairs = pair_keys(a, b, is_same)
    words = keys[:n_pairs]
    return (words >> SHIFT).astype(np.uint32), words.astype(np.uint32)


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
