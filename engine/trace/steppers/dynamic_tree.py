"""The dynamic tree, step by step: `engine.broadphase._dynamic_tree_kernel`."""

from __future__ import annotations

from engine.broadphase import DynamicTree
from engine.broadphase._dynamic_tree_kernel import ASK_LEAF, ASK_NODE
from engine.trace._insertion import INSERTED, inserted
from engine.trace._tree import ASKED, Forest, TreeAlgorithm, TreeSteps, Visit
from engine.trace.cases import BoxesCase

__all__ = ["ALGORITHM", "DynamicTreeSteps"]


class DynamicTreeSteps(TreeAlgorithm):
    """A tree that is updated, not rebuilt."""

    title = "Dynamic tree: boxes are added one at a time"
    page = "dynamic_tree.md#derivation"
    pseudo_code = ("for each box: add a leaf with a margin of 0.1 m", *INSERTED, *ASKED)
    beside = ("bvh_insertion", "bvh_top_down", "bvh_bottom_up", "bvh_morton")

    def structure(self) -> DynamicTree:
        return DynamicTree()

    def built(self, case: BoxesCase, rows: list[list[float]]) -> TreeSteps:
        steps = TreeSteps(Forest(len(case.boxes), fat=True))
        inserted(steps, rows)
        return steps

    def visits(self, forest: Forest, rows: list[list[float]]) -> list[Visit]:
        visits = list[Visit]()
        for row in rows:
            if row[0] == ASK_NODE:
                visits.append((int(row[1]), row[2] == 1.0, None))
            elif row[0] == ASK_LEAF:
                visits[-1] = (visits[-1][0], visits[-1][1], row[2] == 1.0)
        return visits


ALGORITHM = DynamicTreeSteps()
