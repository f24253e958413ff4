"""Outlines divided into triangles and convex pieces, step by step: `engine.decompose`."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import record
from engine.common.words import counted
from engine.contracts.trace import Feature, Mark, Point, Question, Role
from engine.decompose.grid import GridPart, on_grid, turn
from engine.decompose.hertel_mehlhorn import MergeStep, TriangleStep, merged, triangulate
from engine.decompose.outline import Outline, Part
from engine.trace._boxes import listed
from engine.trace.cases import OutlineCase
from engine.trace.marks import Marks, Points, as_points, dot
from engine.trace.protocol import Algorithm, Decoder, code
from engine.trace.words import meters, square_meters

__all__ = ["ALGORITHMS"]


class NamedPart:
    """A part on the grid, in the case's places and names."""

    def __init__(self, case: OutlineCase, grid: GridPart) -> None:
        self.case, self.grid = case, grid
        self.points = as_points(grid.vertices)
        self.names = [case.name(point) for point in self.points]
        self._indices = {point: k for k, point in reversed(list(enumerate(corner for ring in case.rings for corner in ring)))}

    def places(self, indices: Iterable[int]) -> Points:
        """Return where points of the part are."""
        return tuple(self.points[k] for k in indices)

    def name(self, *indices: int) -> str:
        """Return the names of points, for a sentence."""
        return " ".join(self.names[k] for k in indices)

    def features(self, indices: Iterable[int]) -> tuple[Feature, ...]:
        """Return which corners of the case these are, without those that the grid has made."""
        return tuple(Feature("outline", "vertex", self._indices[self.points[k]]) for k in indices if self.points[k] in self._indices)

    def polygons(self, role: Role, pieces: Iterable[Sequence[int]]) -> Marks:
        """Mark pieces."""
        return tuple(Mark("polygon", role, self.places(piece)) for piece in pieces)

    def path(self, role: Role, *indices: int, text: str = "") -> Mark:
        """Mark a path from corner to corner."""
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
    """Return the area of a polygon, computed relative to its first point to keep the products small."""
    x0, y0 = points[0]
    own = [(x - x0, y - y0) for x, y in points]
    return 0.5 * sum(px * qy - py * qx for (px, py), (qx, qy) in zip(own, [*own[1:], own[0]], strict=True))


class PartBegun(NamedTuple):
    """The events that follow are those of a part."""

    grid: GridPart


class PartDivided(NamedTuple):
    """The pieces of the part."""

    pieces: list[list[int]]


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
    done: Marks = ()

    def part_begun(self, e: PartBegun) -> None:
        self.part = NamedPart(self.case, e.grid)
        self.divide([*takewhile(lambda event: not isinstance(event, PartDivided), self.ahead)])

    def part_divided(self, e: PartDivided) -> None:
        self.done += self.part.polygons("result", e.pieces)

    @abstractmethod
    def divide(self, events: list[Any]) -> None:
        """Add the steps of the current part."""

    def reflex(self) -> str:
        """Return which corners are reflex, for a sentence; empty if none is."""
        reflex = self.part.reflex
        return f"{listed(map(self.part.name, reflex), len(reflex))} {'is' if len(reflex) == 1 else 'are'} reflex" if reflex else ""


class OutlineAlgorithm(Algorithm[OutlineCase]):
    """An algorithm that divides an outline: the answer is its pieces, meters."""

    page = "decomposition.md#derivation"
    example = OutlineCase(
        (((1.4, 0.1), (2.2, 0.9), (0.7, 1.7), (-0.9, 1.6), (-0.9, 0.4), (-2.4, 0.3), (-0.6, -0.4), (-0.4, -1.6), (0.7, -1.5), (1.8, -0.7)),)
    )
    """Three pieces are enough; Hertel and Mehlhorn leave five."""

    @abstractmethod
    def divided(self, grid: GridPart) -> list[list[int]]:
        """Return the pieces of a part."""

    def query(self, case: OutlineCase) -> list[FloatArray]:
        """Return the pieces of what the grid makes of a case: one part, or several where it is thinner than a step of the grid."""
        outline = Outline([Part(np.array(case.rings[0]), [np.array(ring) for ring in case.rings[1:]])])
        loops = list[FloatArray]()
        for grid in on_grid(outline):
            record(PartBegun(grid))
            pieces = self.divided(grid)
            record(PartDivided(pieces))
            loops += [grid.loop(piece) for piece in pieces]
        return loops


_KINDS = ("no side is an outline edge", "one side is an outline edge", "an ear: two sides are outline edges", "it is the whole outline")


class _TriangleDecoder(OutlineDecoder):
    costs = ("triangles",)

    def divide(self, events: list[TriangleStep]) -> None:
        part, n_triangles = self.part, len(events)
        n, h = len(part.points), len(part.grid.rings) - 1
        holes = f" and {counted(h, 'hole')}" if h else ""
        why = ", whichever diagonals are chosen, because its interior angles sum to that many times 180 degrees"
        answers = tuple(str(max(n_triangles + more, 0)) for more in (-1, 0, 1))
        self.add(
            "begin", 0, f"{n} corners{holes}: {counted(n_triangles, 'triangle')}{why if n_triangles == n + 2 * h - 2 else ''}.",
            part.features(range(n)), part.points, values={"corners": n, "holes": h, "triangles": n_triangles},
            question=Question(f"How many triangles make up these {n} corners{holes}?", answers, 1),
        )  # fmt: skip
        edges = {(u, v) for ring in part.grid.rings for u, v in zip(ring, [*ring[1:], ring[0]], strict=True)}
        seen: list[list[int]] = []
        for row in events:
            self.counts["triangles"] += 1
            (a, b, c), area = row.corners, area_of(part.places(row.corners))
            kind = _KINDS[sum(side in edges for side in ((a, b), (b, c), (c, a)))]
            total = sum(area_of(part.places(corners)) for corners in seen) + area
            what = f": {kind}; {square_meters(area)}" if row.twice else " is dropped, because all three corners are on one line"
            self.add(
                "triangle", 4 if row.twice else 5, f"Triangle {part.name(a, b, c)}{what}. The sum is {square_meters(total)}.",
                part.features(row.corners), part.places(row.corners), values={"area": area, "sum": total},
                marks=(*part.polygons("kept", seen), *part.polygons("new", [row.corners])),
            )  # fmt: skip
            seen.append(row.corners)

    def answer(self) -> None:
        total = sum(area_of(mark.points) for mark in self.done)
        n = counted(len(self.result), "triangle")
        self.counts["triangles"] = len(self.result)
        self.add(
            "answer", 6, f"{n} and the outline have the same area, {square_meters(total)}, as checked in integer arithmetic.",
            values={"area": total}, marks=self.done, result=self.result,
        )  # fmt: skip


class Triangulation(OutlineAlgorithm):
    """GEOS's constrained Delaunay triangles, and the check on them."""

    name = "triangulation"
    title = "Triangulation: an outline split into triangles at its own corners"
    pseudo_code = code("""
        n corners, h holes: n + 2 h - 2 triangles for any choice of diagonals
        triangles = GEOS's constrained Delaunay triangulation
        for each triangle:
          its corners must be corners of the outline
          turn it counter-clockwise; sum += its area
          drop it if its area is 0
        the sum must be the outline's area, in integers
    """)
    beside = ("hertel_mehlhorn",)

    decoder = _TriangleDecoder

    def divided(self, grid: GridPart) -> list[list[int]]:
        return triangulate(grid)


_REMOVALS = ("yes, both of its ends stay convex", "no, a corner would be reflex")


class _MergeDecoder(OutlineDecoder):
    costs = ("diagonals",)
    n_reflex = 0

    def divide(self, events: list[TriangleStep | MergeStep]) -> None:
        part, reflex = self.part, self.part.reflex
        triangles = [event.corners for event in events if isinstance(event, TriangleStep) and event.twice]
        diagonals = [event for event in events if isinstance(event, MergeStep)]
        self.n_reflex += len(reflex)
        left = dict.fromkeys((row.at_u[1], row.at_v[1]) for row in diagonals)
        begun = f"There are {counted(len(triangles), 'triangle')} and {counted(len(diagonals), 'diagonal')}."
        dents = (
            f"{self.reflex()}. Diagonals are needed only there, at most two per corner"
            if reflex
            else "none is reflex, so no diagonal is needed"
        )
        self.add(
            "triangles", 0, f"{begun} Of the {counted(len(part.points), 'corner')}, {dents}.", part.features(reflex), part.places(reflex),
            values={"triangles": len(triangles), "diagonals": len(diagonals)}, marks=part.polygons("kept", triangles),
        )  # fmt: skip
        for row in diagonals:
            self.counts["diagonals"] += 1
            self._diagonal(row, left)

    def _diagonal(self, row: MergeStep, left: dict[tuple[int, int], None]) -> None:
        part, u, v = self.part, row.at_u[1], row.at_v[1]
        (pu, pv), name = part.places((u, v)), part.name(u, v)
        if row.is_left_out:
            what = f"{part.name(*row.at_u)} and {part.name(*row.at_v)} turn left or go straight, so it is removed"
        else:
            dents = [corners for corners, turned in ((row.at_u, row.turn_u), (row.at_v, row.turn_v)) if turned < 0]
            what = f"{' and '.join(part.name(*dent) for dent in dents)} would turn right, so it is essential and stays"
        others = (part.path("kept", *other) for other in left if other != (u, v))
        self.add(
            "left out" if row.is_left_out else "essential", 4 if row.is_left_out else 3,
            f"The diagonal {name} is {meters(math.dist(pu, pv))} long. Without it, {what}.",
            part.features((u, v)), part.places((*row.at_u, *row.at_v)), values={"length": math.dist(pu, pv)},
            marks=(
                *others, part.path("looked_at", *row.at_u), part.path("looked_at", *row.at_v), dot("looked_at", pu, pv),
                part.path("dropped" if row.is_left_out else "best", u, v),
            ),
            question=Question(f"Can the diagonal {name} be removed?", _REMOVALS, 0 if row.is_left_out else 1),
        )  # fmt: skip
        if row.is_left_out:
            del left[u, v]

    def answer(self) -> None:
        n, words = self.n_reflex, f"The result has {counted(len(self.result), 'convex piece')}"
        if n:
            words += f". The minimum for {counted(n, 'reflex corner')} is {counted(math.ceil(n / 2), 'diagonal')}"
        self.add(
            "answer", 5, f"{words}.", values={"pieces": len(self.result), "reflex": n}, marks=self.done, result=self.result,
        )  # fmt: skip


class HertelMehlhorn(OutlineAlgorithm):
    """Convex pieces from triangles, by removing diagonals."""

    name = "hertel_mehlhorn"
    title = "Hertel and Mehlhorn: convex pieces from triangles"
    pseudo_code = code("""
        triangles of the outline (see triangulation)
        for each diagonal u v, the longest first:
          p, q = the corners next to u without u v; p', q' those next to v
          if p u q or q' v p' would turn right: u v is essential and stays
          else remove it: the two pieces become one, still convex
        at most 4 times as many pieces as necessary
    """)
    beside = ("triangulation",)

    decoder = _MergeDecoder

    def divided(self, grid: GridPart) -> list[list[int]]:
        return merged(grid, triangulate(grid))


ALGORITHMS: tuple[Algorithm[Any], ...] = (Triangulation(), HertelMehlhorn())
