"""A hierarchy built from its leaves up, step by step: `engine.broadphase._bottom_up_kernel`, then `_tree_kernel`."""

from __future__ import annotations

from engine.broadphase import BottomUpTree
from engine.broadphase._bottom_up_kernel import BOTTOM_UP_CHOICE, BOTTOM_UP_CLUSTER, BOTTOM_UP_JOIN, BOTTOM_UP_ROUND, REACH
from engine.common.words import counted
from engine.contracts.trace import Mark, Question
from engine.trace._curve import center, curve_of
from engine.trace._tree import ASKED, TREE, Forest, TreeAlgorithm, TreeSteps, half_perimeter
from engine.trace.cases import BoxesCase
from engine.trace.words import meters

__all__ = ["ALGORITHM", "BvhBottomUp"]


class BvhBottomUp(TreeAlgorithm):
    """A hierarchy in which clusters that are each other's nearest are joined."""

    title = "BVH, bottom-up: nearest pairs are joined"
    page = "bvh.md#derivation"
    pseudo_code = (
        "order the boxes along a Z-shaped curve; each is a cluster",
        "until one is left, in rounds:",
        f"  each chooses, among {REACH} on either side, the one with which",
        "    the box around both has the smallest perimeter",
        "  where two chose each other: a new node joins them",
        "  if too few pairs formed: join neighbors instead",
        "lay the nodes out in preorder",
        *ASKED,
    )
    beside = ("bvh_top_down", "bvh_insertion", "bvh_morton", "dynamic_tree")

    def structure(self) -> BottomUpTree:
        return BottomUpTree(leaf_size=1)

    def built(self, case: BoxesCase, rows: list[list[float]]) -> TreeSteps:
        forest = Forest(len(case.boxes), is_built_up=True)
        steps = TreeSteps(forest)
        if not case.boxes:
            return steps
        for k, box in enumerate(case.boxes):
            forest.put_leaf(k, k, box)
        order = [row for row in rows if row[0] < BOTTOM_UP_CHOICE]
        curve_of(steps, case, order, 0)
        choices: list[tuple[int, int, float]] = []
        clusters: list[int] = []
        is_slow = False
        for kind, *numbers in rows:
            if kind == BOTTOM_UP_CHOICE:
                choices.append((int(numbers[1]), int(numbers[3]), numbers[4]))
            elif kind == BOTTOM_UP_ROUND:
                is_slow, clusters = numbers[2] == 1.0, []
                _chosen(steps, choices, int(numbers[1]), is_slow)
                choices = []
            elif kind == BOTTOM_UP_JOIN:
                node, left, right = (int(number) for number in numbers[:3])
                x0, y0, x1, y1 = numbers[3:7]
                _joined(steps, node, left, right, (x0, y0, x1, y1), is_slow)
            elif kind == BOTTOM_UP_CLUSTER:
                clusters.append(int(numbers[1]))
                if int(numbers[0]) + 1 == len(forest.roots):
                    forest.set_roots(clusters)
        steps.laid_out(6)
        return steps


def _chosen(steps: TreeSteps, choices: list[tuple[int, int, float]], n_pairs: int, is_slow: bool) -> None:
    forest = steps.forest
    n = len(choices)
    steps.cost["choices tried"] += sum(min(REACH, n - 1 - i) for i in range(n))
    arrows = tuple(Mark("arrow", "looked_at", (center(forest.boxes[i]), center(forest.boxes[other]))) for i, other, _ in choices)
    least = min(choices, key=lambda choice: choice[2])
    rest = "These are too few, so neighbors are joined instead" if is_slow else "They are joined now"
    words = (
        f"Each of the {n} clusters points to its nearest neighbor. "
        f"The nearest two are {forest.said(least[0])} and {forest.said(least[1])}, "
        f"whose common box has a half perimeter of {meters(least[2])}. {counted(n_pairs, 'pair')} chose each other. {rest}."
    )
    chooser = choices[0][0]
    others = [cluster for cluster, _, _ in choices[1 : 1 + REACH]]
    question = None
    if len(others) > 1:
        question = Question(
            f"Which one does {forest.said(chooser)} choose?", tuple(map(forest.said, others)), others.index(choices[0][1]),
            tuple(map(forest.place, others)), TREE.name,
        )  # fmt: skip
    values = {f"{forest.names[cluster]} {forest.names[other]}": distance for cluster, other, distance in choices}
    steps.add("choice", 5 if is_slow else 2, words, marks=arrows, values=values, bound=least[2], question=question)


def _joined(steps: TreeSteps, node: int, left: int, right: int, box: tuple[float, float, float, float], is_slow: bool) -> None:
    forest = steps.forest
    forest.put_inner(node, box, (left, right))
    forest.set_roots([node if root == left else root for root in forest.roots if root != right])
    why = "are neighbors" if is_slow else "chose each other"
    size = f"with a half perimeter of {meters(half_perimeter(box))}"
    words = f"{forest.said(left)} and {forest.said(right)} {why}, so {forest.said(node)} joins them, {size}."
    steps.add(
        "join", 5 if is_slow else 4, words[0].upper() + words[1:], {node: "new", left: "best", right: "best"},
        values={"round both": half_perimeter(box)},
    )  # fmt: skip


ALGORITHM = BvhBottomUp()
