"""A bounding volume hierarchy built from the leaves up, near ones joined first."""

from __future__ import annotations

from engine.broadphase.bvh import BoundingVolumeHierarchy
from engine.broadphase.tree import Tree
from engine.common.arrays import FloatArray

__all__ = ["BottomUpTree"]


class BottomUpTree(BoundingVolumeHierarchy):
    """Joins clusters of boxes that are each other's nearest; see `_bottom_up_kernel`, and `BroadPhase` for the methods.

    Examples
    --------
    >>> BottomUpTree().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    """

    name = "BVH, bottom-up"
    short_name = "bottom-up"
    REBUILT_AT = 1.3

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._bottom_up_kernel import bottom_up_order
        from engine.broadphase._tree_kernel import LEAF_SIZE

        return Tree.of_order(*bottom_up_order(boxes), boxes, LEAF_SIZE)
