"""A bounding volume hierarchy in Morton order: the quickest to build."""

from __future__ import annotations

from engine.broadphase.bvh import BoundingVolumeHierarchy
from engine.broadphase.tree import Tree
from engine.broadphase.tree_pairs import pairs_within
from engine.common.arrays import FloatArray, IntArray

__all__ = ["MortonTree", "overlapping_pairs"]


class MortonTree(BoundingVolumeHierarchy):
    """Sorts the centres along a Z-shaped curve and splits where their bits do; see `_morton_kernel`, and `BroadPhase` for the methods.

    The one to take where everything moves and sizes differ much, or bodies crowd in a wide world. At most 64 levels deep, whatever the
    boxes.

    Examples
    --------
    >>> MortonTree().pairs([(0, 0, 1, 1), (5, 5, 6, 6), (1, 1, 2, 2)]).tolist()
    [[0, 2]]
    """

    name = "BVH, Morton order"
    short_name = "morton"
    REBUILT_AT = 1.2

    def _built(self, boxes: FloatArray) -> Tree:
        from engine.broadphase._morton_kernel import morton_tree
        from engine.broadphase._tree_kernel import LEAF_SIZE

        return Tree(*morton_tree(boxes, LEAF_SIZE))


def overlapping_pairs(boxes: FloatArray) -> IntArray:
    """Return the pairs (n, 2) of checked `boxes` (m, 4) that overlap, in order: a tree is built, asked once, and dropped."""
    from engine.broadphase._morton_kernel import morton_tree
    from engine.broadphase._tree_kernel import LEAF_SIZE

    return pairs_within(Tree(*morton_tree(boxes, LEAF_SIZE)) if len(boxes) > 0 else Tree.empty())
