"""A quadtree: space is divided recursively into quarters, and each box is stored in the smallest one that contains it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import CellSketch
from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import integer

if TYPE_CHECKING:
    from engine.broadphase._quadtree_kernel import Quadtree

__all__ = ["QuadTree"]

LEAF_SIZE = 8
"""Default maximum number of boxes per leaf."""


class QuadTree(BroadPhase):
    """Divides space recursively into quarters where there are many boxes; rebuilt after a change; see `BroadPhase`.

    Suitable if all boxes move, and their sizes differ widely or they crowd in a large world. See `_quadtree_kernel`.

    Parameters
    ----------
    leaf_size : int
        Maximum number of boxes in a cell that is not divided, 1 to `LEAF_SIZE`, which is fastest.

    Raises
    ------
    InvalidInputError
        The value is outside that range.
    """

    name = "quadtree"

    def __init__(self, leaf_size: int = LEAF_SIZE) -> None:
        super().__init__()
        self._leaf_size = integer("leaf_size", leaf_size, low=1, high=LEAF_SIZE)
        self._tree: Quadtree | None = None

    def _rebuilt(self) -> None:
        self._tree = None

    def _built(self) -> Quadtree:
        """Return the tree of the present boxes, at least one."""
        if self._tree is None:
            from engine.broadphase._quadtree_kernel import quadtree

            self._tree = quadtree(self._live_boxes()[1], self._leaf_size, self.trace)
        return self._tree

    def _pairs(self) -> IntArray:
        if self._n_live == 0:
            return np.empty((0, 2), dtype=np.int64)
        from engine.broadphase._quadtree_kernel import overlapping_pairs

        return self._proxies_of(overlapping_pairs(self._built(), self.trace), slice(None))

    def _query(self, queries: FloatArray) -> IntArray:
        if self._n_live == 0:
            return np.empty((0, 2), dtype=np.int64)
        from engine.broadphase._quadtree_kernel import met_boxes

        return self._proxies_of(met_boxes(self._built(), queries, max(len(queries), self._n_live)), slice(1, 2))

    def _proxies_of(self, rows: IntArray, columns: slice) -> IntArray:
        """Replace rows of live boxes, in some columns, by their proxies, which are in the same order."""
        if self._n_live < self._size:
            rows[:, columns] = self.proxies[rows[:, columns]]
        return rows

    def sketch(self) -> CellSketch:
        """Return the cells, and the number of boxes in each; cells without boxes of their own are omitted."""
        if self._n_live == 0:
            return CellSketch(np.zeros((0, 4)), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_))
        tree = self._built()
        counts = np.diff(tree.first)
        is_used = counts > 0
        return CellSketch(tree.cells[is_used], counts[is_used], np.zeros(int(is_used.sum()), dtype=np.bool_))
