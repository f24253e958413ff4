"""Bounding volume hierarchies, built by four methods; they are refitted while that is good enough, then rebuilt."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import TreeSketch
from engine.broadphase.tree import LEAF_SIZE, Tree, empty_tree
from engine.broadphase.tree_queries import pairs_within, tree_sketch
from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import integer

__all__ = ["BottomUpTree", "BoundingVolumeHierarchy", "InsertionTree", "MortonTree", "TopDownTree"]


class BoundingVolumeHierarchy(BroadPhase):
    """Keeps a tree over all boxes, which a subclass builds; see `BroadPhase`.

    If boxes move, the tree's boxes are *refitted* without changing its structure, and the tree is rebuilt if their sum has grown too much.
    Insertion and removal always rebuild it. The work is done by the next query.

    Parameters
    ----------
    leaf_size : int
        Maximum number of boxes in a leaf, 1 to `LEAF_SIZE`, which is fastest.

    Raises
    ------
    InvalidInputError
        The value is outside that range.
    """

    REBUILT_AT: float
    """Factor by which refits may increase the sum of the node boxes' perimeters before the tree is rebuilt.

    The time for the pairs is proportional to the growth, so the optimum is where the loss equals the cost of building: the more expensive a
    tree is to build, the later. Each subclass has the value with the least time over 60 frames of 10,000 bodies, all moving by 0.02 or 0.1
    m per frame (measured; half or twice the excess over 1 costs less than a tenth more).
    """

    def __init__(self, leaf_size: int = LEAF_SIZE) -> None:
        super().__init__()
        self.leaf_size = integer("leaf_size", leaf_size, low=1, high=LEAF_SIZE)
        self._tree: Tree | None = None
        self._is_stale = False
        self._built_total = 0.0

    @abstractmethod
    def _built(self, boxes: FloatArray) -> Tree:
        """Return the tree of boxes (n, 4), n > 0, whose items are rows of `boxes`."""

    @property
    def tree(self) -> Tree:
        """The tree of the current boxes; invalidated by the next change."""
        if self._tree is None:
            return self._build()
        if self._is_stale:
            return self._refit(self._tree)
        return self._tree

    def _build(self) -> Tree:
        proxies, boxes = self._live_boxes()
        tree = self._built(boxes) if len(boxes) > 0 else empty_tree()
        self._tree = tree if proxies is None else tree._replace(items=proxies[tree.items])
        self._built_total, self._is_stale = -1.0, False
        return self._tree

    def _refit(self, tree: Tree) -> Tree:
        from engine.broadphase._tree_kernel import half_perimeters, refitted

        if self._built_total < 0.0:
            self._built_total = half_perimeters(tree.boxes)
        if refitted(tree, self._boxes) > self.REBUILT_AT * self._built_total:
            return self._build()
        self._is_stale = False
        return tree

    # ---------------------------------------------------------------------------------------------------------------- the hooks

    def _pairs(self) -> IntArray:
        return pairs_within(self.tree)

    def _rebuilt(self) -> None:
        self._tree = None

    def _all_moved(self, before: FloatArray) -> None:
        self._is_stale = True

    def _moved(self, proxies: IntArray, before: FloatArray, displacements: FloatArray | None) -> None:
        self._is_stale = True

    def _query(self, queries: FloatArray) -> IntArray:
        from engine.broadphase._tree_kernel import met_items

        return met_items(*self.tree[:5], queries, max(len(queries), self._size), self.trace)

    def sketch(self) -> TreeSketch:
        """Return the nodes of the tree."""
        return tree_sketch(self.tree)


class TopDownTree(BoundingVolumeHierarchy):
    """Splits each set of boxes where the heuristic expects the least cost; see `_top_down_kernel`, and `BroadPhase` for the methods."""

    name = "BVH, top-down"
    short_name = "top-down"
    REBUILT_AT = 1.3

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._top_down_kernel import top_down_order
        from engine.broadphase._tree_kernel import closed_tree

        return closed_tree(*top_down_order(boxes, self.leaf_size, self.trace), boxes, self.leaf_size)


class BottomUpTree(BoundingVolumeHierarchy):
    """Merges clusters of boxes that are mutually nearest; see `_bottom_up_kernel`, and `BroadPhase` for the methods."""

    name = "BVH, bottom-up"
    short_name = "bottom-up"
    REBUILT_AT = 1.3

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._bottom_up_kernel import bottom_up_order
        from engine.broadphase._tree_kernel import closed_tree

        return closed_tree(*bottom_up_order(boxes, self.trace), boxes, self.leaf_size)


class InsertionTree(BoundingVolumeHierarchy):
    """Builds its tree like `DynamicTree`, with tight boxes, then lays it out for queries; see `BroadPhase` for the methods.

    By far the most expensive to build; suited to growing sets (`DynamicTree`), and to comparisons with the others.
    """

    name = "BVH, by insertion"
    short_name = "insertion"
    REBUILT_AT = 1.5

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._dynamic_tree_kernel import insert_leaves, unlinked
        from engine.broadphase._tree_kernel import closed_tree

        n = len(boxes)
        nodes, links, heights = np.empty((2 * n, 4)), np.empty((2 * n, 3), dtype=np.int64), np.empty(2 * n, dtype=np.int64)
        state = np.array((-1, -1, 1))
        insert_leaves(np.arange(n), boxes, 0.0, nodes, links, heights, state, self.trace)
        return closed_tree(*unlinked(n, links, heights, state), boxes, self.leaf_size)


class MortonTree(BoundingVolumeHierarchy):
    """Sorts the centers along a Z-order curve and splits where their bits do; see `_morton_kernel`, and `BroadPhase` for the methods.

    The best choice if everything moves and sizes differ much, or bodies crowd in a wide world. It has at most 64 levels for any boxes.
    """

    name = "BVH, Morton order"
    short_name = "morton"
    REBUILT_AT = 1.2

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._morton_kernel import morton_tree

        return morton_tree(boxes, self.leaf_size, self.trace)
