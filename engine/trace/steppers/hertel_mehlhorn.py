"""Hertel and Mehlhorn's method, diagonal by diagonal: `engine.decompose.hertel_mehlhorn.merged`."""

from __future__ import annotations

import math
from typing import Any

from engine.common.words import counted
from engine.contracts.trace import Question
from engine.decompose.grid import GridPart
from engine.decompose.hertel_mehlhorn import MergeStep, merged, triangulate
from engine.trace._outline import OutlineAlgorithm, OutlineDecoder
from engine.trace.marks import dot
from engine.trace.words import meters

__all__ = ["ALGORITHM"]

_ANSWERS = ("yes, both of its ends stay convex", "no, a corner would be reflex")


class _Decoder(OutlineDecoder):
    costs = ("diagonals",)
    n_reflex = 0

    def divide(self, rows: list[Any]) -> None:
        part, triangles, reflex = self.part, rows[0], self.part.reflex
        self.n_reflex += len(reflex)
        left = dict.fromkeys((row.at_u[1], row.at_v[1]) for row in rows[1:])
        begun = f"There are {counted(len(triangles), 'triangle')} and {counted(len(rows) - 1, 'diagonal')}."
        dents = (
            f"{self.reflex()}. Diagonals are needed only there, at most two each" if reflex else "none is reflex, so no diagonal is needed"
        )
        self.add(
            "triangles", 0, f"{begun} Of the {counted(len(part.points), 'corner')}, {dents}.", part.features(reflex), part.places(reflex),
            values={"triangles": len(triangles), "diagonals": len(rows) - 1}, marks=part.polygons("kept", triangles),
        )  # fmt: skip
        for row in rows[1:]:
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
            question=Question(f"Can the diagonal {name} be removed?", _ANSWERS, 0 if row.is_left_out else 1),
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

    title = "Hertel and Mehlhorn: convex pieces from triangles"
    pseudo_code = (
        "triangles of the outline (see triangulation)",
        "for each diagonal u v, the longest first:",
        "  p, q = the corners next to u without u v; p', q' those next to v",
        "  if p u q or q' v p' would turn right: u v is essential and stays",
        "  else remove it: the two pieces become one, still convex",
        "at most 4 times as many pieces as necessary",
    )
    beside = ("keil", "triangulation")

    decoder = _Decoder

    def divided(self, grid: GridPart, trace: list[Any] | None) -> tuple[list[list[int]], bool]:
        triangles = triangulate(grid)
        if trace is not None:
            trace.append([list(triangle) for triangle in triangles])
        return merged(grid, triangles, trace), False


ALGORITHM = HertelMehlhorn()
