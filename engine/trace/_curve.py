"""Boxes along a Z-shaped curve, from the rows of `engine.broadphase._morton_kernel`."""

from __future__ import annotations

from typing import NamedTuple

from engine.broadphase._morton_kernel import MORTON_CODE, MORTON_EXTENT, MORTON_PLACE
from engine.contracts.trace import Mark, Point
from engine.trace._tree import TreeSteps, listed
from engine.trace.cases import BoxesCase

__all__ = ["Curve", "center", "curve_of"]


class Curve(NamedTuple):
    """The boxes in order, the path through them, and the bits of their keys: for each coordinate, and for the number below."""

    items: list[int]
    mark: Mark
    axis_bits: int
    number_bits: int


def center(box: tuple[float, float, float, float]) -> Point:
    """Return the middle of a box."""
    return 0.5 * box[0] + 0.5 * box[2], 0.5 * box[1] + 0.5 * box[3]


def curve_of(steps: TreeSteps, case: BoxesCase, rows: list[list[float]], line: int) -> Curve:
    """Decode the order, and add its step."""
    axis_bits = number_bits = 0
    items: list[int] = []
    values: dict[str, float] = {}
    for kind, *numbers in rows:
        if kind == MORTON_EXTENT:
            axis_bits, number_bits = int(numbers[4]), int(numbers[5])
        elif kind == MORTON_CODE:
            values[f"column {int(numbers[0])}"], values[f"row {int(numbers[0])}"] = numbers[1], numbers[2]
        elif kind == MORTON_PLACE:
            items.append(int(numbers[1]))
    way = tuple(center(case.boxes[item]) for item in items)
    if steps.forest.names:  # all boxes are there, each a subtree
        steps.forest.set_roots(items)
    mark = Mark("path" if len(way) > 1 else "point", "ghost", way)
    steps.add(
        "order", line, f"The centers are placed on a grid of {2**axis_bits:,} columns and rows and ordered along a Z-shaped curve: "
        f"box {listed(items)}. Neighbors on the curve are often close "
        "together.", marks=(mark, Mark("point", "looked_at", way)), values=values,
    )  # fmt: skip
    return Curve(items, mark, axis_bits, number_bits)
