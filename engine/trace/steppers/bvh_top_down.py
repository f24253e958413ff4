"""A hierarchy built from the root down, step by step: `engine.broadphase._top_down_kernel`, then `_tree_kernel`."""

from __future__ import annotations

import math

from engine.broadphase import TopDownTree
from engine.broadphase._top_down_kernel import N_BINS, CutTried, SetCut
from engine.common.words import counted
from engine.contracts.trace import Point, Question, View
from engine.trace._tree import ASKED, TREE, TreeAlgorithm, TreeDecoder
from engine.trace.marks import dot, path
from engine.trace.protocol import PLANE, code
from engine.trace.words import meters

__all__ = ["ALGORITHMS"]

COSTS = View("costs", "cost of each cut", x="bin boundary", y="half perimeter x boxes, left + right, m")


class _Decoder(TreeDecoder):
    layout_line = 7

    def set_up(self) -> None:
        super().set_up()
        n = len(self.case.boxes)
        self.items, self.costs_so_far = list(range(n)), list[Point]()
        if n > 0:
            root = self._set(0, n)
            self.forest.set_roots([root])
            self.show("start", 0, f"All {counted(n, 'box', 'boxes')} form one set.", {root: "new"})

    def _set(self, low: int, high: int) -> int:
        """Return the node of a set, put into the forest if it is new; a set is identified by its first index and its size."""
        forest, boxes, items = self.forest, self.case.boxes, self.items[low:high]
        node = low * (len(boxes) + 1) + len(items)
        if node not in forest.names:
            if len(items) == 1:
                forest.put_leaf(node, items[0], boxes[items[0]])
            else:
                x0, y0, x1, y1 = zip(*(boxes[k] for k in items), strict=True)
                forest.put_inner(node, (min(x0), min(y0), max(x1), max(y1)))
        return node

    def cut_tried(self, e: CutTried) -> None:
        self.costs_so_far.append((float(e.border), e.cost))

    def set_cut(self, e: SetCut) -> None:
        forest, name, costs, self.costs_so_far = self.forest, self.forest.said, self.costs_so_far, []
        node = self._set(e.low, e.high)
        self.items[e.low : e.high] = e.items
        self.counts["choices tried"] += len(costs)
        left, right = self._set(e.low, e.split), self._set(e.split, e.high)
        box, axis = forest.boxes[node], "xy"[e.axis]
        forest.put_inner(node, box, (left, right))
        into = f"with {name(left)} on the left and {name(right)} on the right"
        if e.border == 0:
            self.show(
                "halved", 6, f"No cut between bins separates the boxes of {name(node)}. It is halved in its current order, {into}.",
                {node: "looked_at", left: "new", right: "new"},
            )  # fmt: skip
            return
        at, cost = e.start + e.border * e.span / N_BINS, dict(costs)[e.border]
        ends = ((at, box[1]), (at, box[3])) if axis == "x" else ((box[0], at), (box[2], at))
        finite = [(border, cost) for border, cost in costs if cost < math.inf]
        self.show(
            "cut", 5, f"The centers of {name(node)} spread more widely along {axis}, over {meters(e.span)}. Of "
            f"{counted(len(finite), 'cut')} between bins, the one before bin {e.border}, at {axis} = {meters(at)}, has the least "
            f"cost, {meters(cost)}, {into}.",
            {node: "looked_at", left: "new", right: "new"},
            (
                path("bound", *ends, text=f"{axis} = {meters(at)}"),
                *((path("other", *finite, view=COSTS.name),) if len(finite) > 1 else ()),
                dot("other", *finite, view=COSTS.name), dot("best", (float(e.border), cost), view=COSTS.name, text=meters(cost)),
            ),
            values={"cost": cost, "at": at, "span": e.span}, bound=cost,
            question=Question(f"Along which axis will {name(node)} be cut?", ("x", "y"), e.axis),
        )  # fmt: skip


class BvhTopDown(TreeAlgorithm):
    """A hierarchy that is cut by the surface-area heuristic."""

    name = "bvh_top_down"
    title = "BVH, top-down: each set is split where it costs least"
    pseudo_code = code(
        """
        start with the set of all boxes; for each set, the left one first:
          if it is one box: it is a leaf
          take the axis along which the boxes' centers spread more widely
          put the centers into 16 bins along it
          cost of a cut = perimeter x boxes, summed over both sides
          cut between the two bins where that is least
          if there is no such cut: halve the set in its current order
        lay the nodes out in preorder
        """,
        *ASKED,
    )
    views = (PLANE, TREE, COSTS)
    beside = ("bvh_bottom_up", "bvh_insertion")
    decoder = _Decoder

    def structure(self) -> TopDownTree:
        return TopDownTree(leaf_size=1)


ALGORITHMS = (BvhTopDown(),)
