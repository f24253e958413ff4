"""The dynamic tree, step by step: `engine.broadphase._dynamic_tree_kernel`."""

from __future__ import annotations

from typing import Any

from engine.broadphase import DynamicTree
from engine.broadphase._dynamic_tree_kernel import ASK_LEAF, ASK_NODE
from engine.trace._insertion import INSERTED, InsertionDecoder
from engine.trace._tree import ASKED, TreeAlgorithm
from engine.trace.rows import Event

__all__ = ["ALGORITHM"]


class _Decoder(InsertionDecoder):
    events = {  # noqa: RUF012
        **InsertionDecoder.events,
        ASK_NODE: Event("node", "node:i is_met:b"),
        ASK_LEAF: Event("item", "item is_hit:b"),
    }
    fat = True

    def node(self, e: Any) -> None:
        self.visits.append((e.node, e.is_met, None))


class DynamicTreeSteps(TreeAlgorithm):
    """A tree that is updated, not rebuilt."""

    title = "Dynamic tree: boxes are added one at a time"
    page = "dynamic_tree.md#derivation"
    pseudo_code = ("for each box: add a leaf with a margin of 0.1 m", *INSERTED, *ASKED)
    beside = ("bvh_insertion", "bvh_top_down", "bvh_bottom_up", "bvh_morton")
    decoder = _Decoder

    def structure(self) -> DynamicTree:
        return DynamicTree()


ALGORITHM = DynamicTreeSteps()
