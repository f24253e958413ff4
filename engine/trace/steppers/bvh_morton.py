"""A hierarchy by Morton order, step by step: `engine.broadphase._morton_kernel`, then `_tree_kernel`."""

from __future__ import annotations

from typing import Any

from engine.broadphase import MortonTree
from engine.broadphase._morton_kernel import KEY_BITS, MORTON_JOIN, MORTON_LEAF
from engine.contracts.trace import Question
from engine.trace._curve import CURVE_EVENTS, CurveDecoder
from engine.trace._tree import ASKED, TreeAlgorithm
from engine.trace.rows import Event

__all__ = ["ALGORITHM"]


class _Decoder(CurveDecoder):
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
            "join", 5, f"On top are {name(left)} and {name(right)}. They differ in {self._bit_name(e.bit)}, and from what precedes them in "
            f"a higher bit, so {name(node)} joins them.", {node: "new", left: "best", right: "best"}, (self.curve,),
            values={"bit": float(e.bit)}, question=question,
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
    """A hierarchy of runs along a Z-shaped curve."""

    title = "BVH by Morton order: splits along a Z-shaped curve"
    pseudo_code = (
        "key = bits of the center's y and x, interleaved, then the box's number",
        "sort by the keys: the boxes are in order along a Z-shaped curve",
        "from the last box to the first:",
        "  push it; split = the highest bit that differs from the box before it",
        "  while the split behind the top subtree is a lower bit:",
        "    a new node joins the two on top",
        "lay the nodes out in preorder",
        *ASKED,
    )
    beside = ("bvh_top_down", "bvh_bottom_up", "bvh_insertion", "dynamic_tree")
    decoder = _Decoder

    def structure(self) -> MortonTree:
        return MortonTree(leaf_size=1)


ALGORITHM = BvhMorton()
