"""A bounding volume hierarchy built from the root down by the surface-area heuristic: good trees at a fair price."""

from __future__ import annotations

from engine.broadphase.bvh import BoundingVolumeHierarchy
from engine.broadphase.tree import Tree
from engine.common.arrays import FloatArray

__all__ = ["TopDownTree"]


class TopDownTree(BoundingVolumeHierarchy):
    """Splits each set of boxes where the heuristic expects the least cost; see `_top_down_kernel`, and `BroadPhase` for the methods.

    Examples
    --------
    >>> TopDownTree().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    """

    name = "BVH, top-down"
    short_name = "top-down"
    REBUILT_AT = 1.3

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._top_down_kernel import top_down_order
        from engine.broadphase._tree_kernel import LEAF_SIZE

        return Tree.of_order(*top_down_order(boxes, LEAF_SIZE), boxes, LEAF_SIZE)
