"""Shared code of decompositions: a part of an outline on the grid, its corners named as in the case."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts.trace import Feature, Mark, Point, Role
from engine.decompose.grid import GridPart, on_grid, turn
from engine.decompose.outline import Outline, Part
from engine.trace.cases import OutlineCase
from engine.trace.marks import as_points
from engine.trace.protocol import Algorithm, Decoder
from engine.trace.rows import record_list

__all__ = ["NamedPart", "OutlineAlgorithm", "OutlineDecoder", "area_of"]


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


class OutlineDecoder(Decoder[OutlineCase]):
    """Decodes the parts of an outline, one after the other.

    Attributes
    ----------
    part : NamedPart
        The current one.
    done : tuple of Mark
        Pieces of the parts before it.
    """

    part: NamedPart
    done: tuple[Mark, ...] = ()

    def decode_row(self, row: tuple[NamedPart, list[list[int]], list[Any]]) -> None:
        self.part, pieces, rows = row
        self.divide(rows)
        self.done += self.part.polygons("result", pieces)

    @abstractmethod
    def divide(self, rows: list[Any]) -> None:
        """Add the steps of the current part."""

    def reflex(self) -> str:
        """Return which corners are reflex, for a sentence; empty if none is."""
        reflex = self.part.reflex
        return f"{self.part.name(*reflex)} {'is' if len(reflex) == 1 else 'are'} reflex" if reflex else ""


class OutlineAlgorithm(Algorithm[OutlineCase]):
    """An algorithm that divides an outline: the answer is its pieces, meters."""

    page = "decomposition.md#derivation"
    record = staticmethod(record_list)
    example = OutlineCase(
        (((1.4, 0.1), (2.2, 0.9), (0.7, 1.7), (-0.9, 1.6), (-0.9, 0.4), (-2.4, 0.3), (-0.6, -0.4), (-0.4, -1.6), (0.7, -1.5), (1.8, -0.7)),)
    )
    """Three pieces are enough; Hertel and Mehlhorn leave five."""

    @abstractmethod
    def divided(self, grid: GridPart, trace: list[Any] | None) -> tuple[list[list[int]], bool]:
        """Return the pieces of a part, and True if there are provably none fewer."""

    def run(self, case: OutlineCase, trace: list[Any] | None) -> Any:
        return self.divided_parts(case, trace)[0]

    def divided_parts(self, case: OutlineCase, trace: list[Any] | None) -> tuple[list[FloatArray], bool]:
        """Return the pieces of what the grid makes of a case: one part, or several where it is thinner than a step of the grid."""
        outline = Outline([Part(np.array(case.rings[0]), [np.array(ring) for ring in case.rings[1:]])])
        loops, all_least = list[FloatArray](), True
        for grid in on_grid(outline):
            rows: list[Any] | None = None if trace is None else []
            pieces, is_least = self.divided(grid, rows)
            loops += [grid.loop(piece) for piece in pieces]
            all_least = all_least and is_least
            if trace is not None:
                trace.append((NamedPart(case, grid), pieces, rows))
        return loops, all_least
