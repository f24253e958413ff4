"""Bounding volume hierarchies, built by four methods; they are refitted while that is good enough, then rebuilt."""

from __future__ import annotations

from abc import abstractmethod

from numpy.typing import ArrayLike

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import TreeSketch
from engine.broadphase.tree import LEAF_SIZE, Tree, empty_tree
from engine.broadphase.tree_queries import tree_sketch
from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import integer
from engine.common.events import traced

__all__ = ["BottomUpTree", "BoundingVolumeHierarchy", "InsertionTree", "QuadTree", "TopDownTree"]


class BoundingVolumeHierarchy(BroadPhase):
    """Keeps a tree over all boxes, which a subclass builds; see `BroadPhase`.

    If as many boxes are given as before, the tree's boxes are *refitted* without changing its structure, and the tree is rebuilt if their
    sum has grown too much. The work is done by the next query.

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
        self._tree = empty_tree()
        self._is_stale = False
        self._built_total = 0.0

    @abstractmethod
    def _built(self, boxes: FloatArray) -> Tree:
        """Return the tree of boxes (n, 4), n > 0, whose items are rows of `boxes`."""

    @property
    def tree(self) -> Tree:
        """The tree of the current boxes; invalidated by the next update."""
        from engine.broadphase._tree_kernel import half_perimeters, refitted

        boxes, tree = self._boxes, self._tree
        if self._is_stale:
            is_kept = len(tree.items) == len(boxes) and refitted(tree, boxes) <= self.REBUILT_AT * self._built_total
            if not is_kept:
                tree = self._tree = self._built(boxes) if len(boxes) > 0 else empty_tree()
                self._built_total = half_perimeters(tree.boxes)
            self._is_stale = False
        return tree

    def update(self, aabbs: ArrayLike) -> None:
        super().update(aabbs)
        self._is_stale = True

    def _keys(self, boxes: FloatArray) -> IntArray:
        from engine.broadphase._tree_pairs_kernel import tree_pairs

        return tree_pairs(self.tree)

    def _met(self, queries: FloatArray) -> IntArray:
        from engine.broadphase._tree_kernel import met_items

        return traced(met_items)(self.tree, queries)

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

        return closed_tree(*traced(top_down_order)(boxes, self.leaf_size), boxes, self.leaf_size)


class BottomUpTree(BoundingVolumeHierarchy):
    """Merges clusters of boxes that are mutually nearest; see `_bottom_up_kernel`, and `BroadPhase` for the methods."""

    name = "BVH, bottom-up"
    short_name = "bottom-up"
    REBUILT_AT = 1.3

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._bottom_up_kernel import bottom_up_order
        from engine.broadphase._tree_kernel import closed_tree

        return closed_tree(*traced(bottom_up_order)(boxes), boxes, self.leaf_size)


class InsertionTree(BoundingVolumeHierarchy):
    """Inserts each box where it costs least; see `_insertion_kernel`, and `BroadPhase` for the methods.

    By far the most expensive to build; suited to comparisons with the others.
    """

    name = "BVH, by insertion"
    short_name = "insertion"
    REBUILT_AT = 1.5

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._insertion_kernel import insertion_order
        from engine.broadphase._tree_kernel import closed_tree

        return closed_tree(*traced(insertion_order)(boxes), boxes, self.leaf_size)


class QuadTree(BoundingVolumeHierarchy):
    """Divides space, not the set of boxes, in the middle; see `_quadtree_kernel`, and `BroadPhase` for the methods.

    The cheapest to build.
    """

    name = "quadtree"
    REBUILT_AT = 1.2

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._quadtree_kernel import quadtree_order
        from engine.broadphase._tree_kernel import closed_tree

        return closed_tree(*quadtree_order(boxes, self.leaf_size), boxes, self.leaf_size)
