"""Keil's method, subproblem by subproblem: `engine.decompose.keil.fewest_pieces`."""

from __future__ import annotations

from typing import Any

from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.contracts.trace import Mark, Question
from engine.decompose._keil_kernel import KEIL_SIDE, KEIL_SUBPROBLEM
from engine.decompose.grid import GridPart
from engine.decompose.keil import KeilRun, KeilTrial, fewest_pieces
from engine.trace._outline import OutlineAlgorithm, OutlineDecoder
from engine.trace.cases import OutlineCase
from engine.trace.marks import dot
from engine.trace.rows import Event, read_events

__all__ = ["ALGORITHM"]

_EVENTS = {
    KEIL_SUBPROBLEM: Event("subproblem", "i:i k:i weight:i tried:i kept:i j:i left_out:i"),
    KEIL_SIDE: Event("side", "i:i k:i j:i a:i b:i is_cut:b"),
}


class _Decoder(OutlineDecoder):
    costs = ("subproblems", "triangles tried")

    def divide(self, rows: list[KeilRun | KeilTrial]) -> None:
        part, reflex = self.part, self.part.reflex
        n, h = len(part.points), len(part.grid.rings) - 1
        dents = f"{self.reflex()}. Each needs a diagonal, and a diagonal serves at most two"
        what = dents if reflex else "none is reflex, so the outline is convex"
        holes = f" and {counted(h, 'hole')}" if h else ""
        self.add(
            "begin", 0, f"The outline has {n} corners{holes}. Of the corners, {what}.", part.features(reflex), part.places(reflex),
            values={"corners": n, "reflex": len(reflex)}, marks=(dot("looked_at", point) for point in part.places(reflex)),
        )  # fmt: skip
        self.bridges: tuple[Mark, ...] = ()
        for row in rows:
            if isinstance(row, KeilTrial):
                self._trial(row)
            else:
                self.loop, self.cuts = row.loop, list[Mark](self.bridges)
                for event in read_events(_EVENTS, row.rows.tolist()):
                    self.subproblem(event) if type(event).__name__ == "subproblem" else self.side(event)

    def _trial(self, row: KeilTrial) -> None:
        part, n = self.part, counted(len(row.best), "piece")
        bridges = ", ".join(part.name(*bridge) for bridge in row.bridges)
        what = (
            f"The best result so far has {n}. Opened along {bridges}, the outline has no hole, and Keil's method finds no more pieces."
            if bridges
            else f"The search starts with the pieces of Hertel and Mehlhorn, {n}."
        )
        self.add(
            "bridges" if bridges else "pieces", 8, what, bound=len(row.best), values={"pieces": len(row.best)},
            marks=(*part.polygons("kept", row.best), *(part.path("best", *bridge) for bridge in row.bridges)),
        )  # fmt: skip
        self.bridges = tuple(part.path("kept", *bridge) for bridge in row.bridges)

    def subproblem(self, e: Any) -> None:
        """Add a subproblem, unless the part is opened: then it is tried many times, and only the result is shown."""
        self.counts["subproblems"] += 1
        self.counts["triangles tried"] += e.tried
        if self.bridges:
            return
        part, loop, weight = self.part, self.loop, e.weight
        enclosed, i, k, ends = loop[e.i : e.k + 1], loop[e.i], loop[e.k], part.name(loop[e.i], loop[e.k])
        marks = (*part.polygons("looked_at", [enclosed]), part.path("bound", i, k))
        what = "The whole outline" if len(enclosed) == len(loop) else f"The piece with {len(enclosed)} corners cut off by {ends}"
        if e.kept == 0:
            self.add(
                "subproblem", 5, f"{what} has no useful triangle on {ends}, so it is skipped.", part.features((i, k)),
                part.places(enclosed), marks=marks,
            )  # fmt: skip
            return
        j = loop[e.j]
        triangle = part.name(i, j, k)
        outer = (i, j) if e.left_out == 1 else (j, k)
        among = f"Of {e.tried} triangles on {ends}, the best is {triangle}" if e.tried > 1 else f"The only triangle is {triangle}"
        out = f", and its side {part.name(*outer)} can be omitted" if e.left_out else ""
        needs = f"at least {counted(weight, 'cut')}" if weight else "no cut"
        answers = tuple(str(number) for number in ((weight - 1, weight, weight + 1) if weight else (0, 1, 2)))
        self.add(
            "subproblem", 5, f"{what} needs {needs}. {among}{out}.", part.features((i, j, k)), part.places(enclosed), bound=weight,
            values={"cuts": weight, "triangles": e.tried, "narrowest pairs": e.kept}, marks=(*marks, *part.polygons("best", [[i, j, k]])),
            question=Question(f"{what}: what is the minimum number of cuts?", answers, 1 if weight else 0),
        )  # fmt: skip

    def side(self, e: Any) -> None:
        part, (i, k, j, a, b) = self.part, (self.loop[at] for at in e[:5])
        verdict = "is a cut" if e.is_cut else "is omitted, so the piece continues beyond it"
        self.add(
            "cut" if e.is_cut else "left out", 7,
            f"To read off the result, take the triangle {part.name(i, j, k)} next to {part.name(i, k)}. Its side {part.name(a, b)} "
            f"{verdict}.", part.features((a, b)), part.places((a, b)),
            marks=(*self.cuts, *part.polygons("looked_at", [[i, j, k]]), part.path("best" if e.is_cut else "dropped", a, b)),
        )  # fmt: skip
        if e.is_cut:
            self.cuts.append(part.path("kept", a, b))

    def answer(self) -> None:
        loops, all_least = self.result
        known = "No set of diagonals gives fewer" if all_least else "These are the fewest found; with holes, the minimum is not known"
        self.add(
            "answer", 6, f"The result has {counted(len(loops), 'convex piece')}. {known}.", values={"pieces": len(loops)}, marks=self.done,
            result=self.result,
        )  # fmt: skip


class Keil(OutlineAlgorithm):
    """The fewest convex pieces, by dynamic programming."""

    title = "Keil: the fewest convex pieces"
    pseudo_code = (
        "corner 0 is reflex; w(i, i+1) = w(i, i+2) = 0 where visible",
        "for each visible pair i, k, one of them reflex, near pairs first:",
        "  for each j between, visible from both:",
        "    i reflex: cut j-k; omit i-j if j and i stay convex without it",
        "    i convex: cut i-j; omit j-k if j and k stay convex without it",
        "  w(i, k) = the fewest cuts; keep the narrowest ends among these",
        "read off the result: i = 0, k = n-1, then both sides of the triangle:",
        "  a cut, or omitted: the piece continues beyond it",
        "with holes: first open them along bridges from the best pieces so far",
    )
    beside = ("hertel_mehlhorn", "triangulation")

    decoder = _Decoder

    def divided(self, grid: GridPart, trace: list[Any] | None) -> tuple[list[list[int]], bool]:
        return fewest_pieces(grid, trace=trace)

    def run(self, case: OutlineCase, trace: list[Any] | None) -> tuple[list[FloatArray], bool]:
        return self.divided_parts(case, trace)


ALGORITHM = Keil()
