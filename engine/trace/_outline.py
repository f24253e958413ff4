"""Shared code of decompositions: a part of an outline on the grid, its corners named as in the case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts.trace import Feature, Mark, Point, Role
from engine.decompose.grid import GridPart, on_grid, turn
from engine.decompose.outline import Outline, Part
from engine.trace._points import as_points
from engine.trace.cases import OutlineCase

__all__ = ["EXAMPLE", "NamedPart", "area_of", "parts_of"]

EXAMPLE = OutlineCase(
    (((1.4, 0.1), (2.2, 0.9), (0.7, 1.7), (-0.9, 1.6), (-0.9, 0.4), (-2.4, 0.3), (-0.6, -0.4), (-0.4, -1.6), (0.7, -1.5), (1.8, -0.7)),)
)
"""Three pieces are enough; Hertel and Mehlhorn leave five."""


def parts_of(case: OutlineCase) -> list[NamedPart]:
    """Return what the grid makes of a case: one part, or several where it is thinner than a step of the grid."""
    outline = Outline([Part(np.array(case.rings[0]), [np.array(ring) for ring in case.rings[1:]])])
    return [NamedPart(case, part) for part in on_grid(outline)]


class NamedPart:
    """A part on the grid, in the case's places and names."""

    def __init__(self, case: OutlineCase, grid: GridPart) -> None:
        self.case, self.grid = case, grid
        self.points = as_points(grid.vertices)
        self.names = [case.name(point) for point in self.points]
        self._indices = {point: k for k, point in reversed(list(enumerate(corner for ring in case.rings for corner in ring)))}

    def places(self, indices: Iterable[int]) -> tuple[Point, ...]:
        """Return where points of the part are."""
        return tuple(self.points[k] for k in indices)

    def name(self, *indices: int) -> str:
        """Return the names of points, for a sentence."""
        return " ".join(self.names[k] for k in indices)

    def features(self, indices: Iterable[int]) -> tuple[Feature, ...]:
        """Return which corners of the case these are, without those that the grid has made."""
        return tuple(Feature("outline", "vertex", self._indices[self.points[k]]) for k in indices if self.points[k] in self._indices)

    def loops(self, pieces: Sequence[Sequence[int]]) -> list[FloatArray]:
        """Return pieces in meters, as `GridPart.loop` gives them."""
        return [self.grid.loop(piece) for piece in pieces]

    def polygons(self, role: Role, pieces: Iterable[Sequence[int]]) -> tuple[Mark, ...]:
        """Mark pieces."""
        return tuple(Mark("polygon", role, self.places(piece)) for piece in pieces)

    def path(self, role: Role, *indices: int, text: str = "") -> Mark:
        """Mark a way from corner to corner."""
        return Mark("path", role, self.places(indices), text=text)

    @property
    def reflex(self) -> list[int]:
        """Corners at which the outline turns right."""
        points = self.grid.points
        reflex = []
        for ring in self.grid.rings:
            around = zip([ring[-1], *ring[:-1]], ring, [*ring[1:], ring[0]], strict=True)
            reflex += [q for p, q, r in around if turn(points[p], points[q], points[r]) < 0]
        return reflex


def area_of(points: Sequence[Point]) -> float:
    """Return the area of a polygon, its numbers kept small."""
    x0, y0 = points[0]
    own = [(x - x0, y - y0) for x, y in points]
    return 0.5 * sum(px * qy - py * qx for (px, py), (qx, qy) in zip(own, [*own[1:], own[0]], strict=True))
