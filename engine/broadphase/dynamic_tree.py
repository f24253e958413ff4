"""A tree that is updated instead of rebuilt: bodies are added, removed and moved one at a time, and most moves need no work."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.broadphase.interface import BroadPhase
from engine.broadphase.sketch import TreeSketch
from engine.broadphase.tree import LEAF_SIZE, Tree
from engine.broadphase.tree_queries import named_between, pairs_within, tree_sketch
from engine.common.arrays import FloatArray, IntArray
from engine.common.checks import non_negative
from engine.common.tolerances import BOX2D_BOX_EXTENSION, BOX2D_BOX_MULTIPLIER

__all__ = ["DynamicTree"]

ONE_BY_ONE = 0.005
"""Maximum share of moved boxes for which the pairs of each are queried; beyond it, the snapshot of all boxes is faster (measured)."""

TOGETHER = 0.2
"""Maximum share for which the moved boxes, as a separate tree, are queried against all; above it, all against all (measured)."""

SNAPSHOT_GROWTH = 1.2
"""Factor by which the sum of the snapshot's node boxes may grow before it is rebuilt (measured for `MortonTree`, which has the same
cost).
"""


class DynamicTree(BroadPhase):
    """Keeps a tree of enlarged boxes, and caches its pairs; see `_dynamic_tree_kernel`, and `BroadPhase` for the methods.

    The best choice if few boxes move. Results refer to the given boxes; the enlarged ones are only used for the search.

    Parameters
    ----------
    margin : float
        Margin of a leaf's box around its content on every side, meters; 0 for none. The default is Box2D's, for bodies of some meters; a
        large margin makes moves cheap and queries expensive (see `_dynamic_tree_kernel`).
    reach : float
        Extension of the leaf's box in the direction of motion, as a multiple of the expected displacement.

    Raises
    ------
    InvalidInputError
        A value is negative or not finite.

    Examples
    --------
    >>> tree = DynamicTree()
    >>> tree.insert([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist(), tree.pairs().tolist()
    ([0, 1, 2], [[0, 2]])
    >>> tree.move([1], [(1.5, 1.5, 2.5, 2.5)])
    >>> tree.pairs().tolist()
    [[0, 2], [1, 2]]
    """

    name = "dynamic tree"

    def __init__(self, margin: float = BOX2D_BOX_EXTENSION, reach: float = BOX2D_BOX_MULTIPLIER) -> None:
        super().__init__()
        self.margin = non_negative("margin", margin, "m")
        self.reach = non_negative("reach", reach)
        self._nodes: FloatArray = np.empty((0, 4))
        self._links: IntArray = np.empty((0, 3), dtype=np.int64)
        self._heights: IntArray = np.empty(0, dtype=np.int64)
        self._state: IntArray = np.array((-1, -1, 1))
        self._is_moved: NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self._cached: IntArray = np.empty((0, 2), dtype=np.int64)
        self._merged: IntArray = np.empty((0, 2), dtype=np.int64)
        self._n_cached = -1  # no pairs have been found yet
        self._tree: Tree | None = None
        self._is_stale = False
        self._taken_total = 0.0

    @property
    def tree(self) -> Tree:
        """A snapshot with the current tight boxes, laid out for many queries at once; invalidated by the next change.

        It is refitted like other hierarchies, and rebuilt from the tree if leaves were added or removed, or if it has grown.
        """
        from engine.broadphase._dynamic_tree_kernel import unlinked
        from engine.broadphase._tree_kernel import closed_tree, half_perimeters, refitted

        if self._tree is not None and self._is_stale and refitted(self._tree, self._boxes) > SNAPSHOT_GROWTH * self._taken_total:
            self._tree = None
        if self._tree is None:
            order = unlinked(self._n_live, self._links, self._heights, self._state)
            self._tree = closed_tree(*order, self._boxes, LEAF_SIZE)
            self._taken_total = half_perimeters(self._tree.boxes)
        self._is_stale = False
        return self._tree

    @property
    def height(self) -> int:
        """Number of levels below the root."""
        return int(self._heights[self._state[0]]) if self._n_live > 0 else 0

    def fat_aabbs(self) -> FloatArray:
        """Return the enlarged boxes (n, 4) of the leaves of all proxies, in order."""
        return self._nodes[2 * self.proxies]

    def _arrays(self) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
        return self._nodes, self._links, self._heights, self._state

    # ---------------------------------------------------------------------------------------------------------------- the hooks

    def _pairs(self) -> IntArray:
        moved = np.flatnonzero(self._is_moved[: self._size])
        if self._n_cached < 0 or len(moved) > TOGETHER * self._size:
            pairs = pairs_within(self.tree)
            self._n_cached = len(pairs)
            self._cached = _longer(self._cached, len(pairs))
            self._cached[: len(pairs)] = pairs
        elif len(moved) > 0:
            self._merge(self._pairs_of(moved[self._is_live[moved]]))
        self._is_moved[moved] = 0
        answer = np.empty(2 * self._n_cached).view(np.int64).reshape(self._n_cached, 2)
        answer[:] = self._cached[: self._n_cached]
        return answer

    def _pairs_of(self, moved: IntArray) -> IntArray:
        """Return all pairs that contain one of `moved`, sorted.

        A few are queried one by one. For more, a tree of them is built and queried against the whole tree: one by one, they are in the
        order of their numbers, scattered over the plane, so that consecutive queries share no cached data.
        """
        from engine.broadphase._dynamic_tree_kernel import once_each
        from engine.broadphase._sorting_kernel import sorted_pairs

        if len(moved) <= ONE_BY_ONE * self._size:
            pairs = self._query(self._boxes[moved])
            pairs[:, 0] = moved[pairs[:, 0]]
        else:
            from engine.broadphase._morton_kernel import morton_tree

            movers = morton_tree(self._boxes[moved], LEAF_SIZE, None)
            pairs = named_between(movers._replace(items=moved[movers.items]), self.tree)
        return sorted_pairs(pairs, once_each(pairs, self._is_moved), self._size)

    def _merge(self, found: IntArray) -> None:
        """Replace the pairs of moved proxies; two buffers are used alternately."""
        from engine.broadphase._sorting_kernel import merge_pairs

        if len(self._merged) < self._n_cached + len(found):
            self._merged = np.empty((2 * (self._n_cached + len(found)), 2), dtype=np.int64)
        n_cached = merge_pairs(self._cached, self._n_cached, self._is_moved, found, self._merged)
        self._cached, self._merged, self._n_cached = self._merged, self._cached, n_cached

    def _rebuilt(self) -> None:
        self._state[:] = (-1, -1, 1)
        self._n_cached, self._tree = -1, None
        self._inserted(np.arange(self._size))

    def _inserted(self, proxies: IntArray) -> None:
        from engine.broadphase._dynamic_tree_kernel import insert_leaves

        self._make_nodes(len(self._boxes))
        insert_leaves(proxies, self._boxes, self.margin, *self._arrays(), self.trace)
        self._is_moved[proxies] = 1
        self._tree = None

    def _removed(self, proxies: IntArray) -> None:
        from engine.broadphase._dynamic_tree_kernel import remove_leaves

        remove_leaves(proxies, *self._arrays())
        self._is_moved[proxies] = 1
        self._tree = None

    def _all_moved(self, before: FloatArray) -> None:
        self._moved(np.arange(self._size), before, None)

    def _moved(self, proxies: IntArray, before: FloatArray, displacements: FloatArray | None) -> None:
        from engine.broadphase._dynamic_tree_kernel import move_leaves

        expected = np.empty((0, 2)) if displacements is None else displacements
        move_leaves(proxies, self._boxes, before, expected, self.margin, self.reach, *self._arrays(), self._is_moved)
        self._is_stale = True

    def _query(self, queries: FloatArray) -> IntArray:
        from engine.broadphase._dynamic_tree_kernel import met_leaves

        return met_leaves(queries, self._boxes, *self._arrays(), max(len(queries), self._size), self.trace)

    def sketch(self) -> TreeSketch:
        """Return the nodes of the tree with their enlarged boxes, and below each leaf its tight box."""
        from engine.broadphase._dynamic_tree_kernel import unlinked
        from engine.broadphase._tree_kernel import closed_tree

        order = unlinked(self._n_live, self._links, self._heights, self._state)
        fat = tree_sketch(closed_tree(*order, np.ascontiguousarray(self._nodes[::2]), 1))
        is_leaf = fat.proxies >= 0
        leaves = fat.proxies[is_leaf]
        return TreeSketch(
            np.concatenate((fat.boxes, self._boxes[leaves])),
            np.concatenate((fat.levels, fat.levels[is_leaf] + 1)),
            np.concatenate((np.where(is_leaf, -1, fat.proxies), leaves)),
        )

    # -------------------------------------------------------------------------------------------------------------------- memory

    def _make_nodes(self, capacity: int) -> None:
        """Allocate leaves for this many boxes, and the inner nodes."""
        self._nodes, self._links = _longer(self._nodes, 2 * capacity), _longer(self._links, 2 * capacity)
        self._heights, self._is_moved = _longer(self._heights, 2 * capacity), _longer(self._is_moved, capacity)


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    if len(array) >= length:
        return array
    longer = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
