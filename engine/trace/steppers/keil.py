"""Keil's method, subproblem by subproblem: `engine.decompose.keil.fewest_pieces`."""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.contracts.trace import Mark, Question, TraceStep
from engine.decompose._keil_kernel import KEIL_SUBPROBLEM
from engine.decompose.keil import KeilRun, KeilTrial, fewest_pieces
from engine.trace import given
from engine.trace._outline import EXAMPLE, NamedPart, parts_of
from engine.trace.cases import OutlineCase
from engine.trace.protocol import Algorithm

__all__ = ["ALGORITHM", "Keil"]


class Keil(Algorithm[OutlineCase]):
    """The fewest convex pieces, by dynamic programming."""

    title = "Keil: the fewest convex pieces"
    page = "decomposition.md#derivation"
    case_of = staticmethod(given.of_outline)
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

    @property
    def example(self) -> OutlineCase:
        return EXAMPLE

    def query(self, case: OutlineCase) -> tuple[list[FloatArray], bool]:
        divided = [(part, *fewest_pieces(part.grid)) for part in parts_of(case)]
        return [loop for part, pieces, _ in divided for loop in part.loops(pieces)], all(is_least for _, _, is_least in divided)

    def steps(self, case: OutlineCase) -> list[TraceStep]:
        steps: list[TraceStep] = []
        loops: list[FloatArray] = []
        marks: tuple[Mark, ...] = ()
        all_least = True
        cost = {"steps": 0, "subproblems": 0, "triangles tried": 0}
        for part in parts_of(case):
            trace: list[KeilRun | KeilTrial] = []
            pieces, is_least = fewest_pieces(part.grid, trace=trace)
            steps.append(_begin(part, cost))
            bridges: tuple[Mark, ...] = ()
            for row in trace:
                cost["steps"] = len(steps)
                if isinstance(row, KeilTrial):
                    steps.append(_trial(part, row, cost))
                    bridges = tuple(part.path("kept", *bridge) for bridge in row.bridges)
                else:
                    steps += _run(part, row, bridges, cost)
            loops += part.loops(pieces)
            marks += part.polygons("result", pieces)
            all_least = all_least and is_least
        known = "No set of diagonals gives fewer" if all_least else "These are the fewest found; with holes, the minimum is not known"
        return [
            *steps,
            TraceStep(
                "answer", 6, f"The result has {counted(len(loops), 'convex piece')}. {known}.", values={"pieces": len(loops)}, marks=marks,
                cost={**cost, "steps": len(steps)}, result=(loops, all_least),
            ),
        ]  # fmt: skip


def _begin(part: NamedPart, cost: dict[str, int]) -> TraceStep:
    reflex = part.reflex
    n, h = len(part.points), len(part.grid.rings) - 1
    dents = f"{part.name(*reflex)} {'is' if len(reflex) == 1 else 'are'} reflex. Each needs a diagonal, and a diagonal serves at most two"
    what = dents if reflex else "none is reflex, so the outline is convex"
    holes = f" and {counted(h, 'hole')}" if h else ""
    return TraceStep(
        "begin", 0, f"The outline has {n} corners{holes}. Of the corners, {what}.", part.features(reflex), part.places(reflex),
        values={"corners": n, "reflex": len(reflex)}, marks=tuple(Mark("point", "looked_at", (point,)) for point in part.places(reflex)),
        cost=dict(cost),
    )  # fmt: skip


def _trial(part: NamedPart, row: KeilTrial, cost: dict[str, int]) -> TraceStep:
    bridges = ", ".join(part.name(*bridge) for bridge in row.bridges)
    so_far = counted(len(row.best), "piece")
    what = (
        f"The best result so far has {so_far}. Opened along {bridges}, the outline has no hole, and Keil's method finds no more pieces."
        if bridges
        else f"The search starts with the pieces of Hertel and Mehlhorn, {so_far}."
    )
    return TraceStep(
        "bridges" if bridges else "pieces", 8, what, bound=len(row.best), values={"pieces": len(row.best)},
        marks=(*part.polygons("kept", row.best), *(part.path("best", *bridge) for bridge in row.bridges)), cost=dict(cost),
    )  # fmt: skip


def _run(part: NamedPart, run: KeilRun, bridges: tuple[Mark, ...], cost: dict[str, int]) -> list[TraceStep]:
    """Decode the kernel's rows; for an opened part, which is tried many times, only the result."""
    steps: list[TraceStep] = []
    first = cost["steps"]
    cuts = [*bridges]
    for row in run.rows.tolist():
        if row[0] == KEIL_SUBPROBLEM:
            cost["subproblems"] += 1
            cost["triangles tried"] += int(row[4])
            if bridges:
                continue
        cost["steps"] = first + len(steps)
        if row[0] == KEIL_SUBPROBLEM:
            steps.append(_subproblem(part, run.loop, row[1:8], dict(cost)))
        else:
            steps.append(_side(part, [run.loop[int(at)] for at in row[1:6]], row[6] == 1.0, tuple(cuts), dict(cost)))
            if row[6] == 1.0:
                cuts.append(part.path("kept", run.loop[int(row[4])], run.loop[int(row[5])]))
    return steps


def _subproblem(part: NamedPart, loop: list[int], numbers: list[float], cost: dict[str, int]) -> TraceStep:
    i, k, weight, tried, kept, j, left_out = (int(number) for number in numbers)
    enclosed, ends = loop[i : k + 1], part.name(loop[i], loop[k])
    marks = (*part.polygons("looked_at", [enclosed]), part.path("bound", loop[i], loop[k]))
    what = "The whole outline" if len(enclosed) == len(loop) else f"The piece with {len(enclosed)} corners cut off by {ends}"
    if kept == 0:
        return TraceStep(
            "subproblem", 5, f"{what} has no useful triangle on {ends}, so it is skipped.",
            part.features((loop[i], loop[k])), part.places(enclosed), marks=marks, cost=cost,
        )  # fmt: skip
    corner = loop[j]
    triangle = part.name(loop[i], corner, loop[k])
    outer = (loop[i], corner) if left_out == 1 else (corner, loop[k])
    which = f"the best is {triangle}" if tried > 1 else f"the only triangle is {triangle}"
    among = f"of {tried} triangles on {ends}, {which}" if tried > 1 else which
    out = f", and its side {part.name(*outer)} can be omitted" if left_out else ""
    needs = f"at least {counted(weight, 'cut')}" if weight else "no cut"
    answers = tuple(str(number) for number in ((weight - 1, weight, weight + 1) if weight else (0, 1, 2)))
    return TraceStep(
        "subproblem", 5, f"{what} needs {needs}. {among[0].upper()}{among[1:]}{out}.",
        part.features((loop[i], corner, loop[k])), part.places(enclosed), bound=weight,
        values={"cuts": weight, "triangles": tried, "narrowest pairs": kept},
        marks=(*marks, *part.polygons("best", [[loop[i], corner, loop[k]]])), cost=cost,
        question=Question(f"{what}: what is the minimum number of cuts?", answers, 1 if weight else 0),
    )  # fmt: skip


def _side(part: NamedPart, corners: list[int], is_cut: bool, cuts: tuple[Mark, ...], cost: dict[str, int]) -> TraceStep:
    i, k, j, a, b = corners
    side = part.name(a, b)
    verdict = "is a cut" if is_cut else "is omitted, so the piece continues beyond it"
    said = f"To read off the result, take the triangle {part.name(i, j, k)} next to {part.name(i, k)}. Its side {side} {verdict}."
    return TraceStep(
        "cut" if is_cut else "left out", 7, said,
        part.features((a, b)), part.places((a, b)),
        marks=(*cuts, *part.polygons("looked_at", [[i, j, k]]), part.path("best" if is_cut else "dropped", a, b)), cost=cost,
    )  # fmt: skip


ALGORITHM = Keil()
