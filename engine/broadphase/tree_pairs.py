"""The overlapping pairs between two trees: the bodies of one world against those of another, or movers against what stands still."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.broadphase.tree import Tree
from engine.common.arrays import IntArray
from engine.common.memory import room

__all__ = ["HasTree", "named_between", "pairs_between", "pairs_within"]


class HasTree(Protocol):
    """A broad phase that keeps a tree."""

    @property
    def tree(self) -> Tree:
        """The tree, of the boxes as they are now."""
        ...


def pairs_between(a: Tree | HasTree, b: Tree | HasTree) -> IntArray:
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

    one, other = _tree_of(a), _tree_of(b)
    found = named_between(one, other)
    return sorted_pairs(found, len(found), 1 + max(int(one.items.max(initial=0)), int(other.items.max(initial=0))))


def named_between(a: Tree, b: Tree) -> IntArray:
    """Return the same pairs in no order."""
    words = _found(a, b, False)
    of_a, of_b = _places(words)
    return np.column_stack((a.items[of_a], b.items[of_b]))


def pairs_within(tree: Tree) -> IntArray:
    """Return the overlapping pairs (n, 2) of proxies in one tree, each once, the smaller number first; sorted."""
    from engine.broadphase._rank_kernel import MORE_LANES
    from engine.broadphase._sorting_kernel import ordered_pairs

    words = _found(tree, tree, True)
    n_found, n = len(words), 1 + int(tree.items.max(initial=0))
    pairs = room(2 * n_found + 2).view(np.int64).reshape(n_found + 1, 2)
    counts, lists = np.empty(n, dtype=np.uint32), np.empty(n_found + MORE_LANES, dtype=np.uint32)
    ordered_pairs(*_places(words), n_found, tree.items.astype(np.uint32), n, counts, lists, pairs)
    return pairs[:n_found]


def _found(a: Tree, b: Tree, is_same: bool) -> NDArray[np.uint64]:
    """Return the words of `found_pairs`."""
    from engine.broadphase._tree_pairs_kernel import found_pairs

    of_a, of_b = ((tree.boxes, tree.sizes, tree.first, tree.item_boxes, tree.height) for tree in (a, b))
    found, n_found = found_pairs(*of_a, *of_b, is_same)
    return found[:n_found]


def _places(words: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the places of the first boxes and of the others."""
    from engine.broadphase._tree_pairs_kernel import SHIFT

    return (words >> SHIFT).astype(np.uint32), words.astype(np.uint32)


def _tree_of(value: Tree | HasTree) -> Tree:
    return value if isinstance(value, Tree) else value.tree
