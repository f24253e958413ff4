"""Hierarchies built from boxes in order along a Z-order curve: `engine.broadphase._morton_kernel`, `_bottom_up_kernel`."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.broadphase import BottomUpTree, MortonTree
from engine.broadphase._bottom_up_kernel import BOTTOM_UP_CHOICE, BOTTOM_UP_CLUSTER, BOTTOM_UP_JOIN, BOTTOM_UP_ROUND, REACH
from engine.broadphase._morton_kernel import KEY_BITS, MORTON_CODE, MORTON_EXTENT, MORTON_JOIN, MORTON_LEAF, MORTON_PLACE
from engine.common.words import counted
from engine.contracts.trace import Mark, Point, Question
from engine.trace._boxes import Box, half_perimeter, listed
from engine.trace._tree import ASKED, TREE, WALK_EVENTS, TreeAlgorithm, TreeDecoder
from engine.trace.marks import dot
from engine.trace.protocol import Algorithm, code
from engine.trace.rows import Event, Events
from engine.trace.words import meters

__all__ = ["ALGORITHMS"]

CURVE_EVENTS: Events = {
    **WALK_EVENTS,
    MORTON_EXTENT: Event("extent", "box:4 axis_bits:i number_bits:i"),
    MORTON_CODE: Event("code", "item:i column row"),
    MORTON_PLACE: Event("place", "place:i item:i"),
}


def center(box: Box) -> Point:
    """Return the middle of a box."""
    return 0.5 * box[0] + 0.5 * box[2], 0.5 * box[1] + 0.5 * box[3]


class CurveDecoder(TreeDecoder):
    """A tree built up from the boxes in order along the curve.

    Attributes
    ----------
    items : list of int
        The boxes in order.
    curve : Mark
        The path through their centers.
    """

    is_built_up = True
    layout_line = 6
    order_line: ClassVar[int] = 0

    def set_up(self) -> None:
        super().set_up()
        self.items: list[int] = []
        self.cells: dict[str, float] = {}

    def extent(self, e: Any) -> None:
        self.bits = e

    def code(self, e: Any) -> None:
        self.cells |= {f"column {e.item}": e.column, f"row {e.item}": e.row}

    def place(self, e: Any) -> None:
        """Note the next box in order; after the last, add the step of the order."""
        self.items.append(e.item)
        if len(self.items) < len(self.case.boxes):
            return
        if self.forest.names:  # all boxes are there, each a subtree
            self.forest.set_roots(self.items)
        way = tuple(center(self.case.boxes[item]) for item in self.items)
        self.curve = Mark("path" if len(way) > 1 else "point", "ghost", way)
        self.show(
            "order", self.order_line, f"The centers are placed on a grid of {2**self.bits.axis_bits:,} columns and rows and ordered along "
            f"a Z-order curve: box {listed(self.items)}. Neighbors on the curve are often close together.",
            marks=(self.curve, dot("looked_at", *way)), values=self.cells,
        )  # fmt: skip


class _MortonDecoder(CurveDecoder):
    events = {**CURVE_EVENTS, MORTON_LEAF: Event("leaf", "at:i item:i bit:i"), MORTON_JOIN: Event("join", "bit:i box:4")}  # noqa: RUF012
    order_line = 1

    def _next(self, is_join: bool) -> Question | None:
        answers = ("the next box is pushed", "the two on top are joined")
        return Question("What comes next?", answers, int(is_join)) if len(self.forest.roots) > 1 else None

    def leaf(self, e: Any) -> None:
        forest, item, question = self.forest, e.item, self._next(False)
        forest.put_leaf(item, item, self.case.boxes[item])
        forest.set_roots([item, *forest.roots])
        words = "It is the first on the curve, so the rest of the stack is now joined."
        if e.bit < KEY_BITS:
            before = self.items[e.at - 1]
            words = f"Its key and that of box {before}, which precedes it on the curve, first differ in {self._bit_name(e.bit)}."
        self.show(
            "push", 3, f"Box {item} is pushed. {words}", {item: "new"}, (self.curve,), values={"bit": float(e.bit)}, question=question
        )

    def join(self, e: Any) -> None:
        forest, question, (left, right, *rest) = self.forest, self._next(True), self.forest.roots
        node, name = len(self.case.boxes) + len(forest.children), forest.said
        forest.put_inner(node, e.box, (left, right))
        forest.set_roots([node, *rest])
        self.show(
            "join", 5, f"On top are {name(left)} and {name(right)}. They differ from each other in {self._bit_name(e.bit)}, and "
            f"from the box before them in a higher bit, so {name(node)} joins them.",
            {node: "new", left: "best", right: "best"}, (self.curve,), values={"bit": float(e.bit)}, question=question,
        )  # fmt: skip

    def _bit_name(self, bit: int) -> str:
        """Return the name of a bit of the keys, and the halves that it separates."""
        if bit < self.bits.number_bits:
            return f"bit {bit}, which is part of the boxes' numbers, as their centers are in one cell"
        level, axis = divmod(bit - self.bits.number_bits, 2)
        level = self.bits.axis_bits - level
        halves = "lower or upper" if axis else "left or right"
        return f"bit {bit}, {halves} half of {'the whole' if level == 1 else f'a square 1/{2 ** (level - 1):,} as wide'}"


class BvhMorton(TreeAlgorithm):
    """A hierarchy of runs along a Z-order curve."""

    name = "bvh_morton"
    title = "BVH by Morton order: splits along a Z-order curve"
    pseudo_code = code(
        """
        key = bits of the center's y and x, interleaved, then the box's number
        sort by the keys: the boxes are in order along a Z-order curve
        from the last box to the first:
          push it; split = the highest bit that differs from the box before it
          while the split behind the top subtree is a lower bit:
            a new node joins the two on top
        lay the nodes out in preorder
        """,
        *ASKED,
    )
    beside = ("bvh_top_down", "bvh_bottom_up", "bvh_insertion", "dynamic_tree")
    decoder = _MortonDecoder

    def structure(self) -> MortonTree:
        return MortonTree(leaf_size=1)


class _BottomUpDecoder(CurveDecoder):
    events = {  # noqa: RUF012
        **CURVE_EVENTS,
        BOTTOM_UP_CHOICE: Event("choice", "place node:i other_place other:i distance"),
        BOTTOM_UP_ROUND: Event("round", "n n_pairs:i is_slow:b"),
        BOTTOM_UP_JOIN: Event("join", "node:i left:i right:i box:4"),
        BOTTOM_UP_CLUSTER: Event("cluster", "place:i node:i"),
    }

    def set_up(self) -> None:
        super().set_up()
        self.choices: list[Any] = []
        for k, box in enumerate(self.case.boxes):
            self.forest.put_leaf(k, k, box)

    def choice(self, e: Any) -> None:
        self.choices.append(e)

    def round(self, e: Any) -> None:
        forest, choices, name, n = self.forest, self.choices, self.forest.said, len(self.choices)
        self.is_slow, self.clusters, self.choices = e.is_slow, list[int](), []
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

    def join(self, e: Any) -> None:
        forest, name, size = self.forest, self.forest.said, half_perimeter(e.box)
        forest.put_inner(e.node, e.box, (e.left, e.right))
        forest.set_roots([e.node if root == e.left else root for root in forest.roots if root != e.right])
        why = "are neighbors" if self.is_slow else "chose each other"
        words = f"{name(e.left)} and {name(e.right)} {why}, so {name(e.node)} joins them, with a half perimeter of {meters(size)}."
        self.show(
            "join", 5 if self.is_slow else 4, words[0].upper() + words[1:], {e.node: "new", e.left: "best", e.right: "best"},
            values={"round both": size},
        )  # fmt: skip

    def cluster(self, e: Any) -> None:
        self.clusters.append(e.node)
        if e.place + 1 == len(self.forest.roots):
            self.forest.set_roots(self.clusters)


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
    beside = ("bvh_top_down", "bvh_insertion", "bvh_morton", "dynamic_tree")
    decoder = _BottomUpDecoder

    def structure(self) -> BottomUpTree:
        return BottomUpTree(leaf_size=1)


ALGORITHMS: tuple[Algorithm[Any], ...] = (BvhMorton(), BvhBottomUp())
