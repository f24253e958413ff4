"""A bounding volume hierarchy built by inserting one box after the other, each where it costs least."""

from __future__ import annotations

import numpy as np

from engine.broadphase.bvh import BoundingVolumeHierarchy
from engine.broadphase.tree import Tree
from engine.common.arrays import FloatArray

__all__ = ["InsertionTree"]


class InsertionTree(BoundingVolumeHierarchy):
    """Builds its tree as `DynamicTree` does, with tight boxes, then lays it out to be asked; see `BroadPhase` for the methods.

    The dearest to build by far; what it is good for is a set that grows (`DynamicTree`), and to compare the others with.

    Examples
    --------
    >>> InsertionTree().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    """

    name = "BVH, by insertion"
    short_name = "insertion"
    REBUILT_AT = 1.5

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._dynamic_tree_kernel import insert_leaves, unlinked
        from engine.broadphase._tree_kernel import LEAF_SIZE

        n = len(boxes)
        nodes, links, heights = np.empty((2 * n, 4)), np.empty((2 * n, 3), dtype=np.int64), np.empty(2 * n, dtype=np.int64)
        state = np.array((-1, -1, 1))
        insert_leaves(np.arange(n), boxes, 0.0, nodes, links, heights, state)
        return Tree.of_order(*unlinked(n, links, heights, state), boxes, LEAF_SIZE)
