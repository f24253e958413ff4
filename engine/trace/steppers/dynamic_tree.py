"""The dynamic tree, step by step: `engine.broadphase._dynamic_tree_kernel`."""

from __future__ import annotations

from numpy.typing import ArrayLike

from engine.broadphase import DynamicTree
from engine.broadphase._dynamic_tree_kernel import ASK_LEAF, ASK_NODE
from engine.contracts.trace import TraceStep
from engine.trace._insertion import INSERTED, inserted
from engine.trace._tree import ASKED, Forest, TreeAlgorithm, TreeSteps, Visit, boxes_case
from engine.trace.cases import BoxesCase

__all__ = ["ALGORITHM", "DynamicTreeSteps", "dynamic_tree"]


class DynamicTreeSteps(TreeAlgorithm):
    """A tree that is changed and not rebuilt."""

    title = "Dynamic tree: boxes come one at a time"
    page = "dynamic_tree.md#derivation"
    pseudo_code = ("for each box: a leaf, fat by a margin of 0.1 m, comes", *INSERTED, *ASKED)
    beside = ("bvh_insertion", "bvh_top_down", "bvh_bottom_up", "bvh_morton")

    def structure(self) -> DynamicTree:
        return DynamicTree()

    def built(self, case: BoxesCase, rows: list[list[float]]) -> TreeSteps:
        steps = TreeSteps(Forest(len(case.boxes), fat=True))
        inserted(steps, rows)
        return steps

    def visits(self, forest: Forest, rows: list[list[float]]) -> list[Visit]:
        found = list[Visit]()
        for row in rows:
            if row[0] == ASK_NODE:
                found.append((int(row[1]), row[2] == 1.0, None))
            elif row[0] == ASK_LEAF:
                found[-1] = (found[-1][0], found[-1][1], row[2] == 1.0)
        return found


ALGORITHM = DynamicTreeSteps()


def dynamic_tree(aabbs: ArrayLike, region: ArrayLike) -> list[TraceStep]:
    """Return the steps of a `DynamicTree` that takes in boxes (n, 4) and is asked for a region (4,); the last has what `regions` finds."""
    return ALGORITHM.steps(boxes_case(aabbs, region))
