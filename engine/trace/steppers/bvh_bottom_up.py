"""A hierarchy built from the leaves up, step by step: `engine.broadphase._bottom_up_kernel`."""

from __future__ import annotations

from typing import Any, NamedTuple

from engine.broadphase import BottomUpTree
from engine.broadphase._bottom_up_kernel import (
    AXIS_BITS,
    REACH,
    BoxCoded,
    ClustersJoined,
    ClustersLeft,
    CurveSorted,
    NeighborsChosen,
)
from engine.common.words import counted
from engine.contracts.trace import Mark, Point, Question
from engine.trace._boxes import Box, half_perimeter, listed
from engine.trace._tree import ASKED, TREE, TreeAlgorithm, TreeDecoder
from engine.trace.marks import dot
from engine.trace.protocol import Algorithm, code
from engine.trace.words import meters

__all__ = ["ALGORITHMS"]


def center(box: Box) -> Point:
    """Return the middle of a box."""
    return 0.5 * box[0] + 0.5 * box[2], 0.5 * box[1] + 0.5 * box[3]


class _Choice(NamedTuple):
    node: int
    other: int
    distance: float


class _Decoder(TreeDecoder):
    is_built_up = True
    layout_line = 6

    def set_up(self) -> None:
        super().set_up()
        self.cells: dict[str, float] = {}
        for k, box in enumerate(self.case.boxes):
            self.forest.put_leaf(k, k, box)

    def box_coded(self, e: BoxCoded) -> None:
        self.cells |= {f"column {e.item}": float(e.column), f"row {e.item}": float(e.row)}

    def curve_sorted(self, e: CurveSorted) -> None:
        self.forest.set_roots([int(item) for item in e.order])
        way = tuple(center(self.case.boxes[item]) for item in e.order)
        curve = Mark("path" if len(way) > 1 else "point", "ghost", way)
        self.show(
            "order", 0, f"The centers are placed on a grid of {2**AXIS_BITS:,} columns and rows and ordered along "
            f"a Z-order curve: box {listed(e.order)}. Neighbors on the curve are often close together.",
            marks=(curve, dot("looked_at", *way)), values=self.cells,
        )  # fmt: skip

    def neighbors_chosen(self, e: NeighborsChosen) -> None:
        forest, name, n, self.is_slow = self.forest, self.forest.said, len(e.nodes), e.is_slow
        choices = [_Choice(node, e.nodes[at], far) for node, at, far in zip(e.nodes, e.nearest, e.distances, strict=True)]
        self.counts["choices tried"] += sum(min(REACH, n - 1 - i) for i in range(n))
        ends = [(center(forest.boxes[choice.node]), center(forest.boxes[choice.other])) for choice in choices]
        least = min(choices, key=lambda choice: choice.distance)
        rest = "These are too few, so neighbors are joined instead" if e.is_slow else "They are joined now"
        first, others = choices[0], [choice.node for choice in choices[1 : 1 + REACH]]
        question = None
        if len(others) > 1:
            question = Question(
                f"Which one does {name(first.node)} choose?", tuple(map(name, others)), others.index(first.other),
                tuple(map(forest.place, others)), TREE.name,
            )  # fmt: skip
        self.show(
            "choice", 5 if e.is_slow else 2,
            f"Each of the {n} clusters points to its nearest neighbor. The nearest two are {name(least.node)} and {name(least.other)}, "
            f"whose common box has a half perimeter of {meters(least.distance)}. {counted(e.n_pairs, 'pair')} chose each other. {rest}.",
            marks=[Mark("arrow", "looked_at", two) for two in ends], bound=least.distance, question=question,
            values={f"{forest.names[choice.node]} {forest.names[choice.other]}": choice.distance for choice in choices},
        )  # fmt: skip

    def clusters_joined(self, e: ClustersJoined) -> None:
        forest, name, size = self.forest, self.forest.said, half_perimeter(e.box)
        forest.put_inner(e.node, e.box, (e.left, e.right))
        forest.set_roots([e.node if root == e.left else root for root in forest.roots if root != e.right])
        why = "are neighbors" if self.is_slow else "chose each other"
        words = f"{name(e.left)} and {name(e.right)} {why}, so {name(e.node)} joins them, with a half perimeter of {meters(size)}."
        self.show(
            "join", 5 if self.is_slow else 4, words[0].upper() + words[1:], {e.node: "new", e.left: "best", e.right: "best"},
            values={"round both": size},
        )  # fmt: skip

    def clusters_left(self, e: ClustersLeft) -> None:
        self.forest.set_roots([int(node) for node in e.nodes])


class BvhBottomUp(TreeAlgorithm):
    """A hierarchy in which clusters that are each other's nearest are joined."""

    name = "bvh_bottom_up"
    title = "BVH, bottom-up: nearest pairs are joined"
    pseudo_code = code(
        f"""
        order the boxes along a Z-order curve; each is a cluster
        until one is left, in rounds:
          each chooses, among {REACH} on either side, the one with which
            the box around both has the smallest perimeter
          where two chose each other: a new node joins them
          if too few pairs formed: join neighbors instead
        lay the nodes out in preorder
        """,
        *ASKED,
    )
    beside = ("bvh_top_down", "bvh_insertion")
    decoder = _Decoder

    def structure(self) -> BottomUpTree:
        return BottomUpTree(leaf_size=1)


ALGORITHMS: tuple[Algorithm[Any], ...] = (BvhBottomUp(),)
