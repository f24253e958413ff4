"""A hierarchy built from the root down, step by step: `engine.broadphase._top_down_kernel`, then `_tree_kernel`."""

from __future__ import annotations

import math

from engine.broadphase import TopDownTree
from engine.broadphase._top_down_kernel import N_BINS, TOP_DOWN_COST, TOP_DOWN_ITEM, TOP_DOWN_SPLIT
from engine.common.words import counted
from engine.contracts.trace import Mark, Point, Question, View
from engine.trace._tree import ASKED, TREE, Box, Forest, TreeAlgorithm, TreeSteps
from engine.trace.cases import BoxesCase
from engine.trace.protocol import PLANE
from engine.trace.words import meters

__all__ = ["ALGORITHM", "BvhTopDown"]

COSTS = View("costs", "cost of each cut", x="bin boundary", y="half perimeter x boxes, left + right, m")


class BvhTopDown(TreeAlgorithm):
    """A hierarchy that is cut by the surface-area heuristic."""

    title = "BVH, top-down: each set is split where it costs least"
    page = "bvh.md#derivation"
    pseudo_code = (
        "start with the set of all boxes; for each set, the left one first:",
        "  if it is one box: it is a leaf",
        "  take the axis along which the boxes' centers spread more widely",
        "  put the centers into 16 bins along it",
        "  cost of a cut = perimeter x boxes, summed over both sides",
        "  cut between the two bins where that is least",
        "  if there is no such cut: halve the set in its current order",
        "lay the nodes out in preorder",
        *ASKED,
    )
    views = (PLANE, TREE, COSTS)
    beside = ("bvh_bottom_up", "bvh_insertion", "bvh_morton", "dynamic_tree")

    def structure(self) -> TopDownTree:
        return TopDownTree(leaf_size=1)

    def built(self, case: BoxesCase, rows: list[list[float]]) -> TreeSteps:
        steps = TreeSteps(Forest(len(case.boxes)))
        n = len(case.boxes)
        items, nodes = list(range(n)), _Sets(steps.forest, case)
        if n > 0:
            steps.forest.set_roots([nodes.of(items, 0)])
            steps.add("start", 0, f"All {counted(n, 'box', 'boxes')} form one set.", {nodes.of(items, 0): "new"})
        costs: list[Point] = []
        for k, (kind, *numbers) in enumerate(rows):
            if kind == TOP_DOWN_COST:
                costs.append((numbers[0], numbers[1]))
            elif kind == TOP_DOWN_SPLIT:
                low, split, high = (int(number) for number in numbers[1:4])
                before = nodes.of(items[low:high], low)
                for row in rows[k + 1 : k + 1 + high - low]:
                    assert row[0] == TOP_DOWN_ITEM
                    items[int(row[1])] = int(row[2])
                steps.cost["choices tried"] += len(costs)
                _split(steps, before, nodes.of(items[low:split], low), nodes.of(items[split:high], split), numbers[4:], costs)
                costs = []
        if n > 0:
            steps.laid_out(7)
        return steps


class _Sets:
    """Sets of boxes as nodes, each with the box around it; a set is identified by its first index and its size."""

    def __init__(self, forest: Forest, case: BoxesCase) -> None:
        self._forest, self._boxes = forest, case.boxes

    def of(self, items: list[int], low: int) -> int:
        """Return the node of a set, put into the forest if it is new."""
        node = low * (len(self._boxes) + 1) + len(items)
        if node not in self._forest.names:
            if len(items) == 1:
                self._forest.put_leaf(node, items[0], self._boxes[items[0]])
            else:
                x0, y0, x1, y1 = zip(*(self._boxes[k] for k in items), strict=True)
                around: Box = min(x0), min(y0), max(x1), max(y1)
                self._forest.put_inner(node, around)
        return node


def _split(steps: TreeSteps, node: int, left: int, right: int, numbers: list[float], costs: list[Point]) -> None:
    forest = steps.forest
    axis, start, span, border = "xy"[int(numbers[0])], numbers[1], numbers[2], int(numbers[3])
    box = forest.boxes[node]
    forest.put_inner(node, box, (left, right))
    into = f"with {forest.said(left)} on the left and {forest.said(right)} on the right"
    if border == 0:
        steps.add("halved", 6, f"No cut between bins separates the boxes of {forest.said(node)}. "
                  f"It is halved in its current order, {into}.",
                  {node: "looked_at", left: "new", right: "new"})  # fmt: skip
        return
    at, cost = start + border * span / N_BINS, dict(costs)[border]
    ends = ((at, box[1]), (at, box[3])) if axis == "x" else ((box[0], at), (box[2], at))
    finite = tuple(point for point in costs if point[1] < math.inf)
    marks = (
        Mark("path", "bound", ends, text=f"{axis} = {meters(at)}"),
        *((Mark("path", "other", finite, COSTS.name),) if len(finite) > 1 else ()),
        Mark("point", "other", finite, COSTS.name), Mark("point", "best", ((float(border), cost),), COSTS.name, meters(cost)),
    )  # fmt: skip
    steps.add(
        "cut", 5, f"The centers of {forest.said(node)} spread more widely along {axis}, over {meters(span)}. Of "
        f"{counted(len(finite), 'cut')} "
        f"between bins, the one before bin {border}, at {axis} = {meters(at)}, has the least cost, {meters(cost)}, {into}.",
        {node: "looked_at", left: "new", right: "new"}, marks, {"cost": cost, "at": at, "span": span}, cost,
        Question(f"Along which axis will {forest.said(node)} be cut?", ("x", "y"), "xy".index(axis)),
    )  # fmt: skip


ALGORITHM = BvhTopDown()
