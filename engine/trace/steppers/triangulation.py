"""The triangles of an outline, one by one: `engine.decompose.hertel_mehlhorn.triangulate`."""

from __future__ import annotations

from typing import Any

from engine.common.words import counted
from engine.contracts.trace import Question
from engine.decompose.grid import GridPart
from engine.decompose.hertel_mehlhorn import TriangleStep, triangulate
from engine.trace._outline import OutlineAlgorithm, OutlineDecoder, area_of
from engine.trace.words import square_meters

__all__ = ["ALGORITHM"]

_KINDS = ("no side is an outline edge", "one side is an outline edge", "an ear: two sides are outline edges", "it is the whole outline")


class _Decoder(OutlineDecoder):
    costs = ("triangles",)

    def divide(self, rows: list[TriangleStep]) -> None:
        part, n_triangles = self.part, len(rows)
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
        for row in rows:
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
            "answer", 6, f"{n} and the outline have the same area, {square_meters(total)}, as checked in integers.",
            values={"area": total}, marks=self.done, result=self.result,
        )  # fmt: skip


class Triangulation(OutlineAlgorithm):
    """GEOS's constrained Delaunay triangles, and the check on them."""

    title = "Triangulation: an outline split into triangles at its own corners"
    pseudo_code = (
        "n corners, h holes: n + 2 h - 2 triangles for any choice of diagonals",
        "triangles = GEOS's constrained Delaunay triangulation",
        "for each triangle:",
        "  its corners must be corners of the outline",
        "  turn it counter-clockwise; sum += its area",
        "  drop it if its area is 0",
        "the sum must be the outline's area, in integers",
    )
    beside = ("hertel_mehlhorn", "keil")

    decoder = _Decoder

    def divided(self, grid: GridPart, trace: list[Any] | None) -> tuple[list[list[int]], bool]:
        return triangulate(grid, trace), False


ALGORITHM = Triangulation()
