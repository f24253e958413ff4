"""The quadtree, step by step: `engine.broadphase._quadtree_kernel`."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from engine.broadphase import QuadTree
from engine.broadphase._quadtree_kernel import QUAD_GROUP, QUAD_NODE, QUAD_PAIR, QUAD_SPLIT, QUAD_VISIT
from engine.contracts.trace import Mark, Question, Role
from engine.trace._boxes import Box, PairsAlgorithm, PairsDecoder, boxes_that, how_many, named_boxes, overlap_question
from engine.trace.cases import box_corners
from engine.trace.marks import path
from engine.trace.protocol import code
from engine.trace.rows import Event
from engine.trace.words import meters

__all__ = ["ALGORITHMS"]

QUARTERS = ("lower left", "lower right", "upper left", "upper right")
_OWN = len(QUARTERS)


class _Decoder(PairsDecoder):
    events = {  # noqa: RUF012
        QUAD_GROUP: Event("group", "item:i group:i"),
        QUAD_SPLIT: Event("split", "low:i high:i cell:4 x y is_divided:b"),
        QUAD_NODE: Event("node", "low:i high:i cell:4"),
        QUAD_VISIT: Event("visit", "item:i own:i node:i is_near:b low:i high:i"),
        QUAD_PAIR: Event("pair", "item:i other:i"),
    }
    costs = ("cells visited", "boxes tested")

    def set_up(self) -> None:
        super().set_up()
        self.items, self.groups = list(range(len(self.boxes))), dict[int, int]()
        self.nodes: list[Any] = []
        self.is_split = False

    def group(self, e: Any) -> None:
        self.groups[e.item] = e.group

    def split(self, e: Any) -> None:
        items, groups, self.is_split = self.items[e.low : e.high], self.groups, e.is_divided
        parts = {group: [item for item in items if groups[item] == group] for group in (_OWN, *range(_OWN))}
        own, node, (left, bottom, right, top) = parts[_OWN], len(self.nodes), e.cell
        words = f"Cell {node} contains {named_boxes(items)}. Its quarters meet at ({meters(e.x)}, {meters(e.y)}). "
        if e.is_divided:
            line = 4 if own else 5
            stay = f"{boxes_that(own, 'cross')} a dividing line and {'stays' if len(own) == 1 else 'stay'} in the cell; " if own else ""
            inside = ", ".join(f"{boxes_that(parts[k], 'go')} to the {QUARTERS[k]} quarter" for k in range(_OWN) if parts[k])
            division = f"{stay}{inside}."
            words += division[:1].upper() + division[1:]
            self.items[e.low : e.high] = [item for part in parts.values() for item in part]
        elif own:
            line, words = 1, f"{words}Every box crosses a dividing line, so the cell is not divided."
        else:
            line, words = 3, f"{words}All boxes are in the {QUARTERS[groups[items[0]]]} quarter, so the cell shrinks to it."
        lines = path("bound", (e.x, bottom), (e.x, top)), path("bound", (left, e.y), (right, e.y))
        roles: dict[int, Role] = {**dict.fromkeys(items, "looked_at"), **dict.fromkeys(own, "kept")}
        self.show(
            "split", line, words, roles, Mark("polygon", "looked_at", box_corners(e.cell)), *lines,
            values={"x": e.x, "y": e.y, "stay": float(len(own))},
            question=how_many(f"How many of the {len(items)} boxes in cell {node} cross a dividing line?", len(items), len(own)),
        )  # fmt: skip

    def node(self, e: Any) -> None:
        items, is_split, self.is_split = self.items[e.low : e.high], self.is_split, False
        self.nodes.append(e)
        self.lines = (*self.lines, Mark("polygon", "ghost", box_corners(e.cell)))
        if not is_split:
            words = f"Cell {len(self.nodes) - 1} is a leaf with {named_boxes(items)}."
            self.show("leaf", 1, words, dict.fromkeys(items, "new"), Mark("polygon", "new", box_corners(e.cell)))

    def pair(self, e: Any) -> None:
        """Pairs are shown with the visit of their cell."""

    def visit(self, e: Any) -> None:
        item, node, is_own = e.item, e.node, e.node == e.own
        met = [row.other for row in takewhile(lambda row: type(row).__name__ == "pair", self.ahead)]
        compared = self.items[e.low : e.high] if e.is_near else []
        self.counts["cells visited"] += 1
        self.counts["boxes tested"] += len(compared)
        for other in met:
            self.met(item, other)
        x0, y0, x1, y1 = zip(*(self.boxes[k] for k in self.items[self.nodes[node].low : self.nodes[node].high]), strict=True)
        around = f"the rectangle around the boxes in and inside cell {node}"
        words, right = f"Box {item} meets {around}. ", 0
        if is_own:
            words = f"Box {item} searches its own cell, {node}. "
        if not e.is_near:
            words, right = f"Box {item} misses {around}, so they are all skipped.", 1
        elif compared:
            words += f"It is compared with {named_boxes(compared)}; {boxes_that(met, 'overlap') if met else 'none overlaps'} it."
        else:
            words += f"The cell has no {'later ' * is_own}box to compare it with."
        question = None if is_own else Question(f"Does box {item} meet {around}?", ("yes", "no"), right)
        roles: dict[int, Role] = {**dict.fromkeys(compared, "dropped"), **dict.fromkeys(met, "new"), item: "looked_at"}
        self.show(
            "visit", 8 if e.is_near else 7, words, roles,
            Mark("polygon", "bound" if e.is_near else "dropped", box_corners((min(x0), min(y0), max(x1), max(y1)))),
            values={"cell": float(node), "compared": float(len(compared))},
            question=overlap_question(item, compared, met) or question,
        )  # fmt: skip


class QuadtreeSteps(PairsAlgorithm):
    """Boxes in the smallest cells that contain them. A leaf has one box here, so that there is a tree to see; by default up to eight."""

    name = "quadtree"
    title = "Quadtree: which boxes overlap?"
    page = "broad_phase.md#derivation"
    pseudo_code = code("""
        start with the cell around all boxes; for each cell:
          if it has few boxes, or all cross its dividing lines: it is a leaf
          find the quarter that contains each box
          if all boxes are in one quarter: shrink the cell to it, and repeat
          boxes that cross a dividing line stay in the cell
          the boxes of each quarter get a cell inside
        for each box, for its own cell and those inside:
          if it misses the box around their boxes: skip them
          compare it with the boxes there, in its own cell the later ones
        sort the pairs
    """)
    beside = ("grid", "sweep_and_prune")
    decoder = _Decoder

    def all_pairs(self, boxes: tuple[Box, ...], trace: Any) -> Any:
        structure = QuadTree(leaf_size=1)
        structure.trace = trace
        return structure.pairs(boxes)


ALGORITHMS = (QuadtreeSteps(),)
