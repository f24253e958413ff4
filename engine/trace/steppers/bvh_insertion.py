"""A hierarchy built by insertion, step by step: `engine.broadphase._dynamic_tree_kernel`, then `_tree_kernel`."""

from __future__ import annotations

from engine.broadphase import InsertionTree
from engine.trace._insertion import INSERTED, InsertionDecoder
from engine.trace._tree import ASKED, TreeAlgorithm

__all__ = ["ALGORITHM"]


class _Decoder(InsertionDecoder):
    layout_line = len(INSERTED) + 1


class BvhInsertion(TreeAlgorithm):
    """A hierarchy of tight boxes, built one leaf at a time."""

    title = "BVH by insertion: each box goes where it costs least"
    pseudo_code = ("for each box: add a leaf", *INSERTED, "lay the nodes out in preorder", *ASKED)
    beside = ("bvh_top_down", "bvh_bottom_up", "bvh_morton", "dynamic_tree")
    decoder = _Decoder

    def structure(self) -> InsertionTree:
        return InsertionTree(leaf_size=1)


ALGORITHM = BvhInsertion()
