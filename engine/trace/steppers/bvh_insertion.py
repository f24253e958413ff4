"""A hierarchy built by insertion, step by step: `engine.broadphase._dynamic_tree_kernel`, then `_tree_kernel`."""

from __future__ import annotations

from engine.broadphase import InsertionTree
from engine.trace._insertion import INSERTED, inserted
from engine.trace._tree import ASKED, Forest, TreeAlgorithm, TreeSteps
from engine.trace.cases import BoxesCase

__all__ = ["ALGORITHM", "BvhInsertion"]


class BvhInsertion(TreeAlgorithm):
    """A hierarchy of tight boxes, built one leaf at a time."""

    title = "BVH by insertion: each box goes where it costs least"
    page = "bvh.md#derivation"
    pseudo_code = ("for each box: add a leaf", *INSERTED, "lay the nodes out in preorder", *ASKED)
    beside = ("bvh_top_down", "bvh_bottom_up", "bvh_morton", "dynamic_tree")

    def structure(self) -> InsertionTree:
        return InsertionTree(leaf_size=1)

    def built(self, case: BoxesCase, rows: list[list[float]]) -> TreeSteps:
        steps = TreeSteps(Forest(len(case.boxes)))
        inserted(steps, rows)
        if case.boxes:
            steps.laid_out(len(INSERTED) + 1)
        return steps


ALGORITHM = BvhInsertion()
