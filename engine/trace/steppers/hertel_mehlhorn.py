"""Hertel and Mehlhorn's method, diagonal by diagonal: `engine.decompose.hertel_mehlhorn.merged`."""

from __future__ import annotations

import math

from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.contracts.trace import Mark, Question, TraceStep
from engine.decompose.hertel_mehlhorn import MergeStep, merged, triangulate
from engine.trace import given
from engine.trace._outline import EXAMPLE, NamedPart, parts_of
from engine.trace.cases import OutlineCase
from engine.trace.protocol import Algorithm
from engine.trace.words import meters

__all__ = ["ALGORITHM", "HertelMehlhorn"]

_ANSWERS = ("yes, both of its ends stay convex", "no, a corner would be reflex")


class HertelMehlhorn(Algorithm[OutlineCase]):
    """Convex pieces from triangles, by removing diagonals."""

    title = "Hertel and Mehlhorn: convex pieces from triangles"
    page = "decomposition.md#derivation"
    case_of = staticmethod(given.of_outline)
    pseudo_code = (
        "triangles of the outline (see triangulation)",
        "for each diagonal u v, the longest first:",
        "  p, q = the corners next to u without u v; p', q' those next to v",
        "  if p u q or q' v p' would turn right: u v is essential and stays",
        "  else remove it: the two pieces become one, still convex",
        "at most 4 times as many pieces as necessary",
    )
    beside = ("keil", "triangulation")

    @property
    def example(self) -> OutlineCase:
        return EXAMPLE

    def query(self, case: OutlineCase) -> list[FloatArray]:
        return [piece for part in parts_of(case) for piece in part.loops(merged(part.grid, triangulate(part.grid)))]

    def steps(self, case: OutlineCase) -> list[TraceStep]:
        steps: list[TraceStep] = []
        result: list[FloatArray] = []
        marks: tuple[Mark, ...] = ()
        n_reflex = looked_at = 0
        for part in parts_of(case):
            triangles = triangulate(part.grid)
            trace: list[MergeStep] = []
            pieces = merged(part.grid, triangles, trace)
            reflex = part.reflex
            n_reflex += len(reflex)
            n_corners = counted(len(part.points), "corner")
            begun = f"There are {counted(len(triangles), 'triangle')} and {counted(len(trace), 'diagonal')}. Of the {n_corners},"
            dents = f"{part.name(*reflex)} {'is' if len(reflex) == 1 else 'are'} reflex. Diagonals are needed only there, at most two each"
            steps.append(
                TraceStep(
                    "triangles", 0, f"{begun} {dents if reflex else 'none is reflex, so no diagonal is needed'}.",
                    part.features(reflex), part.places(reflex), values={"triangles": len(triangles), "diagonals": len(trace)},
                    marks=part.polygons("kept", triangles), cost={"steps": len(steps), "diagonals": looked_at},
                )
            )  # fmt: skip
            left = dict.fromkeys((row.at_u[1], row.at_v[1]) for row in trace)
            for row in trace:
                looked_at += 1
                diagonal = row.at_u[1], row.at_v[1]
                others = tuple(part.path("kept", *other) for other in left if other != diagonal)
                steps.append(_diagonal(part, others, row, {"steps": len(steps), "diagonals": looked_at}))
                if row.is_left_out:
                    del left[diagonal]
            result += part.loops(pieces)
            marks += part.polygons("result", pieces)
        said = f"The result has {counted(len(result), 'convex piece')}"
        if n_reflex:
            said += f". The minimum for {counted(n_reflex, 'reflex corner')} is {counted(math.ceil(n_reflex / 2), 'diagonal')}"
        return [
            *steps,
            TraceStep(
                "answer", 5, f"{said}.",
                values={"pieces": len(result), "reflex": n_reflex}, marks=marks,
                cost={"steps": len(steps), "diagonals": looked_at}, result=result,
            ),
        ]  # fmt: skip


def _diagonal(part: NamedPart, others: tuple[Mark, ...], row: MergeStep, cost: dict[str, int]) -> TraceStep:
    u, v = row.at_u[1], row.at_v[1]
    (pu, pv), name = part.places((u, v)), part.name(u, v)
    length = math.dist(pu, pv)
    dents = [corners for corners, turned in ((row.at_u, row.turn_u), (row.at_v, row.turn_v)) if turned < 0]
    if row.is_left_out:
        what = f"Without it, {part.name(*row.at_u)} and {part.name(*row.at_v)} turn left or go straight, so it is removed"
    else:
        what = f"Without it, {' and '.join(part.name(*dent) for dent in dents)} would turn right, so it is essential and stays"
    return TraceStep(
        "left out" if row.is_left_out else "essential", 4 if row.is_left_out else 3,
        f"The diagonal {name} is {meters(length)} long. {what}.",
        part.features((u, v)), part.places((*row.at_u, *row.at_v)), values={"length": length},
        marks=(
            *others, part.path("looked_at", *row.at_u), part.path("looked_at", *row.at_v),
            Mark("point", "looked_at", (pu, pv)), part.path("dropped" if row.is_left_out else "best", u, v),
        ),
        cost=cost, question=Question(f"Can the diagonal {name} be removed?", _ANSWERS, 0 if row.is_left_out else 1),
    )  # fmt: skip


ALGORITHM = HertelMehlhorn()
