"""Boxes along a Z-shaped curve, from the rows of `engine.broadphase._morton_kernel`."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.broadphase._morton_kernel import MORTON_CODE, MORTON_EXTENT, MORTON_PLACE
from engine.contracts.trace import Mark, Point
from engine.trace._boxes import Box, listed
from engine.trace._tree import WALK_EVENTS, TreeDecoder
from engine.trace.marks import dot
from engine.trace.rows import Event, Events

__all__ = ["CURVE_EVENTS", "CurveDecoder", "center"]

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

    def __init__(self, *context: Any) -> None:
        super().__init__(*context)
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
            f"a Z-shaped curve: box {listed(self.items)}. Neighbors on the curve are often close together.",
            marks=(self.curve, dot("looked_at", *way)), values=self.cells,
        )  # fmt: skip
