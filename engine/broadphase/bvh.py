"""What the bounding volume hierarchies that are built at once have in common: they are refitted while that does, then built anew."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from engine.broadphase.proxies import Proxies
from engine.broadphase.sketch import TreeSketch
from engine.broadphase.tree import Tree, tree_sketch
from engine.broadphase.tree_pairs import pairs_within
from engine.common.arrays import FloatArray, IntArray

__all__ = ["BoundingVolumeHierarchy"]


class BoundingVolumeHierarchy(Proxies):
    """Keeps a tree over all boxes, which a subclass builds; see `BroadPhase`.

    Boxes that move are followed by drawing the tree's boxes anew (a *refit*: the shape of the tree stays), and where these have grown too
    much in sum, by building it again. Boxes that come or go always have it built again. All that is done when something is asked.
    """

    REBUILT_AT: float
    """How many times the sum of the node boxes' perimeters may grow by refits before the tree is built again.

    The pairs take longer in proportion to the growth, so that the best is where what is lost by it equals what building costs: the dearer a
    tree is to build the later. Each subclass has what took least time over 60 frames of 10,000 bodies, all moving by 0.02 or 0.1 m a frame
    (measured; from half of what is above 1 to twice of it costs less than a tenth more).
    """

    def __init__(self) -> None:
        super().__init__()
        self._tree: Tree | None = None
        self._is_stale = False
        self._built_total = 0.0

    @abstractmethod
    def _built(self, boxes: FloatArray) -> Tree:
        """Return the tree of boxes (n, 4), n > 0, whose items are rows of `boxes`."""

    @property
    def tree(self) -> Tree:
        """The tree, of the boxes as they are now; with the next change it is no longer valid."""
        if self._tree is None:
            return self._build()
        if self._is_stale:
            return self._refit(self._tree)
        return self._tree

    def _build(self) -> Tree:
        proxies, boxes = self._live_boxes()
        tree = self._built(boxes) if len(boxes) > 0 else Tree.empty()
        self._tree = tree if proxies is None else replace(tree, items=proxies[tree.items])
        self._built_total, self._is_stale = -1.0, False
        return self._tree

    def _refit(self, tree: Tree) -> Tree:
        from engine.broadphase._tree_kernel import half_perimeters, refitted

        if self._built_total < 0.0:
            self._built_total = half_perimeters(tree.boxes)
        if refitted(*tree.arrays, self._boxes) > self.REBUILT_AT * self._built_total:
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

    def _regions(self, regions: FloatArray) -> IntArray:
        from engine.broadphase._tree_query_kernel import overlapped_by_regions

        return overlapped_by_regions(*self.tree.arrays, regions, max(len(regions), self._size))

    def _rays(self, origins: FloatArray, translations: FloatArray) -> IntArray:
        from engine.broadphase._tree_query_kernel import met_by_rays

        return met_by_rays(*self.tree.arrays, origins, translations, max(len(origins), self._size))

    def sketch(self) -> TreeSketch:
        """Return the nodes of the tree."""
        return tree_sketch(self.tree)
