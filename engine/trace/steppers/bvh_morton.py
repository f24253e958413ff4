"""A hierarchy by Morton order, step by step: `engine.broadphase._morton_kernel`, then `_tree_kernel`."""

from __future__ import annotations

from engine.broadphase import MortonTree
from engine.broadphase._morton_kernel import KEY_BITS, MORTON_JOIN, MORTON_LEAF
from engine.contracts.trace import Question
from engine.trace._curve import Curve, curve_of
from engine.trace._tree import ASKED, Forest, TreeAlgorithm, TreeSteps
from engine.trace.cases import BoxesCase

__all__ = ["ALGORITHM", "BvhMorton"]


class BvhMorton(TreeAlgorithm):
    """A hierarchy of runs along a Z-shaped curve."""

    title = "BVH by Morton order: splits along a Z-shaped curve"
    page = "bvh.md#derivation"
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

    def structure(self) -> MortonTree:
        return MortonTree(leaf_size=1)

    def built(self, case: BoxesCase, rows: list[list[float]]) -> TreeSteps:
        n = len(case.boxes)
        forest = Forest(len(case.boxes), is_built_up=True)
        steps = TreeSteps(forest)
        if n == 0:
            return steps
        curve = curve_of(steps, case, rows, 1)
        for kind, *numbers in rows:
            question = None
            if len(forest.roots) > 1:
                question = Question("What comes next?", ("the next box is pushed", "the two on top are joined"), int(kind == MORTON_JOIN))
            if kind == MORTON_LEAF:
                item, bit = int(numbers[1]), int(numbers[2])
                forest.put_leaf(item, item, case.boxes[item])
                forest.set_roots([item, *forest.roots])
                if bit < KEY_BITS:
                    before = curve.items[int(numbers[0]) - 1]
                    words = f"Its key and that of box {before}, which precedes it on the curve, first differ in {_bit_name(bit, curve)}."
                else:
                    words = "It is the first on the curve, so the rest of the stack is now joined."
                steps.add("push", 3, f"Box {item} is pushed. {words}", {item: "new"}, (curve.mark,), {"bit": float(bit)}, question=question)
            elif kind == MORTON_JOIN:
                left, right, *rest = forest.roots
                node, (x0, y0, x1, y1) = n + len(forest.children), numbers[1:5]
                forest.put_inner(node, (x0, y0, x1, y1), (left, right))
                forest.set_roots([node, *rest])
                top = f"{forest.said(left)} and {forest.said(right)}"
                steps.add(
                    "join", 5, f"On top are {top}. They differ in {_bit_name(int(numbers[0]), curve)}, and from what precedes them in a "
                    f"higher bit, so {forest.said(node)} joins "
                    "them.", {node: "new", left: "best", right: "best"}, (curve.mark,), {"bit": numbers[0]},
                    question=question,
                )  # fmt: skip
        steps.laid_out(6)
        return steps


def _bit_name(bit: int, curve: Curve) -> str:
    """Return the name of a bit of the keys, and the halves that it separates."""
    if bit < curve.number_bits:
        return f"bit {bit}, which is part of the boxes' numbers, as their centers are in one cell"
    axis, level = (bit - curve.number_bits) % 2, curve.axis_bits - (bit - curve.number_bits) // 2
    halves = "lower or upper" if axis else "left or right"
    return f"bit {bit}, {halves} half of {'the whole' if level == 1 else f'a square 1/{2 ** (level - 1):,} as wide'}"


ALGORITHM = BvhMorton()
