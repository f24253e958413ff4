"""Shared code of GJK and EPA: rows in A's frame as world vectors, and the set C = B - A that both search."""

from __future__ import annotations

import numpy as np

from engine.contracts.trace import Feature, Mark, Point, View
from engine.trace._points import hull_mark
from engine.trace.cases import PairCase

__all__ = ["DIFFERENCE", "Difference", "vertex_name"]

DIFFERENCE = View("difference", "B - A: the Minkowski difference, and the origin O")


def vertex_name(a: int, b: int) -> str:
    """Return the name of a vertex of B - A: its vertices of A and B, numbered as in the picture."""
    return f"B{b} - A{a}"


class Difference:
    """The set B - A of the cores of a case, world axes, and where its vertices come from."""

    def __init__(self, case: PairCase) -> None:
        self.a, self.xf_a, self.b, self.xf_b = case.both
        self.world_a, self.world_b = self.xf_a.apply_array(self.a.core).tolist(), self.xf_b.apply_array(self.b.core).tolist()

    def vector(self, x: float, y: float) -> Point:
        """Turn a vector from A's frame to the world's axes."""
        return self.xf_a.rotate((x, y))

    def point_a(self, index: float) -> Point:
        """Return a vertex of A's core, world frame."""
        x, y = self.world_a[int(index)]
        return x, y

    def point_b(self, index: float) -> Point:
        """Return a vertex of B's core, world frame."""
        x, y = self.world_b[int(index)]
        return x, y

    def features(self, a: float, b: float) -> tuple[Feature, Feature]:
        """Return the vertices of A and B that make a vertex of the difference."""
        return Feature("a", "vertex", int(a)), Feature("b", "vertex", int(b))

    @property
    def scenery(self) -> tuple[Mark, ...]:
        """Marks of the whole set, which no algorithm builds, and of the origin."""
        origin = Mark("point", "other", ((0.0, 0.0),), "difference", "O")
        all_of_it = (np.array(self.world_b)[:, None] - np.array(self.world_a)[None]).reshape(-1, 2)
        return hull_mark(all_of_it, "difference"), origin
