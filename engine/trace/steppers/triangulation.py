"""The triangles of an outline, one by one: `engine.decompose.hertel_mehlhorn.triangulate`."""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.contracts.trace import Mark, Question, TraceStep
from engine.decompose.hertel_mehlhorn import TriangleStep, triangulate
from engine.trace import given
from engine.trace._outline import EXAMPLE, NamedPart, area_of, parts_of
from engine.trace.cases import OutlineCase
from engine.trace.protocol import Algorithm
from engine.trace.words import square_meters

__all__ = ["ALGORITHM", "Triangulation"]

_KINDS = ("no side is an outline edge", "one side is an outline edge", "an ear: two sides are outline edges", "it is the whole outline")


class Triangulation(Algorithm[OutlineCase]):
    """GEOS's constrained Delaunay triangles, and the check on them."""

    title = "Triangulation: an outline split into triangles at its own corners"
    page = "decomposition.md#derivation"
    case_of = staticmethod(given.of_outline)
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

    @property
    def example(self) -> OutlineCase:
        return EXAMPLE

    def query(self, case: OutlineCase) -> list[FloatArray]:
        return [piece for part in parts_of(case) for piece in part.loops(triangulate(part.grid))]

    def steps(self, case: OutlineCase) -> list[TraceStep]:
        steps: list[TraceStep] = []
        result: list[FloatArray] = []
        marks: tuple[Mark, ...] = ()
        for part in parts_of(case):
            trace: list[TriangleStep] = []
            pieces = triangulate(part.grid, trace)
            n, h = len(part.points), len(part.grid.rings) - 1
            steps.append(_begin(part, n, h, len(trace), {"steps": len(steps), "triangles": len(result)}))
            for k, row in enumerate(trace):
                cost = {"steps": len(steps), "triangles": len(result) + k + 1}
                steps.append(_triangle(part, [earlier.corners for earlier in trace[:k]], row, cost))
            result += part.loops(pieces)
            marks += part.polygons("result", pieces)
        total = sum(area_of(mark.points) for mark in marks)
        said = f"{counted(len(result), 'triangle')} and the outline have the same area, {square_meters(total)}, as checked in integers."
        return [
            *steps,
            TraceStep(
                "answer", 6, said,
                values={"area": total}, marks=marks, cost={"steps": len(steps), "triangles": len(result)}, result=result,
            ),
        ]  # fmt: skip


def _begin(part: NamedPart, n: int, h: int, n_triangles: int, cost: dict[str, int]) -> TraceStep:
    holes = "" if h == 0 else f" and {counted(h, 'hole')}"
    because = ", whichever diagonals are chosen, because its interior angles sum to that many times 180 degrees"
    why = because if n_triangles == n + 2 * h - 2 else ""
    answers = tuple(str(max(n_triangles + more, 0)) for more in (-1, 0, 1))
    return TraceStep(
        "begin", 0, f"{n} corners{holes}: {counted(n_triangles, 'triangle')}{why}.", part.features(range(n)), part.points,
        values={"corners": n, "holes": h, "triangles": n_triangles}, cost=cost,
        question=Question(f"How many triangles make up these {n} corners{holes}?", answers, 1),
    )  # fmt: skip


def _triangle(part: NamedPart, before: list[list[int]], row: TriangleStep, cost: dict[str, int]) -> TraceStep:
    edges = {(u, v) for ring in part.grid.rings for u, v in zip(ring, [*ring[1:], ring[0]], strict=True)}
    a, b, c = row.corners
    kind = _KINDS[sum(side in edges for side in ((a, b), (b, c), (c, a)))]
    area = area_of(part.places(row.corners))
    sofar = sum(area_of(part.places(corners)) for corners in before) + area
    what = f": {kind}; {square_meters(area)}" if row.twice else " is dropped, because all three corners are on one line"
    return TraceStep(
        "triangle", 4 if row.twice else 5, f"Triangle {part.name(a, b, c)}{what}. The sum is {square_meters(sofar)}.",
        part.features(row.corners), part.places(row.corners), values={"area": area, "sum": sofar},
        marks=(*part.polygons("kept", before), *part.polygons("new", [row.corners])), cost=cost,
    )  # fmt: skip


ALGORITHM = Triangulation()
