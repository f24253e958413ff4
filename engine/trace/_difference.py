"""Shared code of GJK and EPA: rows in A's frame as world vectors, and the set C = B - A that both search."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.contracts.trace import Feature, Mark, Point, View
from engine.trace.cases import PairCase
from engine.trace.marks import dot, hull_mark
from engine.trace.protocol import PLANE, Decoder, PairAlgorithm

__all__ = ["DIFFERENCE", "DifferenceAlgorithm", "DifferenceDecoder", "vertex_name"]

DIFFERENCE = View("difference", "B - A: the Minkowski difference, and the origin O")


def vertex_name(a: int, b: int) -> str:
    """Return the name of a vertex of B - A: its vertices of A and B, numbered as in the picture."""
    return f"B{b} - A{a}"


class DifferenceAlgorithm(PairAlgorithm):
    """An algorithm that searches B - A."""

    views = (PLANE, DIFFERENCE)

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
        """Return the shapes, the whole set, which no algorithm builds, and the origin."""
        points_a, points_b = (np.array(_placed(case, side)) for side in range(2))
        all_of_it = (points_b[:, None] - points_a[None]).reshape(-1, 2)
        return (*case.scenery, hull_mark(all_of_it, "difference"), dot("other", (0.0, 0.0), view="difference", text="O"))


class DifferenceDecoder(Decoder[PairCase]):
    """The vertices of B - A, world axes, and where they come from."""

    def __init__(self, *context: Any) -> None:
        super().__init__(*context)
        self.xf_a = self.case.pair.pose_a
        self.world_a, self.world_b = _placed(self.case, 0), _placed(self.case, 1)
        shapes = self.case.both[::2]
        self.radii = shapes[0].radius + shapes[1].radius

    def features(self, a: int, b: int) -> tuple[Feature, Feature]:
        """Return the vertices of A and B that make a vertex of the difference."""
        return Feature("a", "vertex", a), Feature("b", "vertex", b)

    def pair(self, a: int, b: int) -> tuple[Point, Point]:
        """Return a vertex of A's core and one of B's."""
        return self.world_a[a], self.world_b[b]

    @property
    def witnesses(self) -> tuple[Point, ...]:
        """The witness points of the answer, if it has any."""
        a, b = self.result.point_a, self.result.point_b
        return () if a is None or b is None else (a, b)

    @property
    def last_marks(self) -> tuple[Mark, ...]:
        """The marks of the last step in the difference."""
        return tuple(mark for mark in self.steps[-1].marks if mark.view == "difference") if self.steps else ()


def _placed(case: PairCase, side: int) -> list[Point]:
    a, xf_a, b, xf_b = case.both
    shape, xf = ((a, xf_a), (b, xf_b))[side]
    return [(x, y) for x, y in xf.apply_array(shape.core).tolist()]
