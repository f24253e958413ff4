"""Alternating projections, step by step: `engine.narrowphase._projections_kernel`."""

from __future__ import annotations

import math
from typing import Any

from engine.common.words import counted
from engine.compare.pair.file import Pair
from engine.contracts import DistanceResult, Status
from engine.contracts.trace import Feature, Mark, Point, Question, Role, TraceStep, View
from engine.geometry import Segment, Transform
from engine.narrowphase import alternating_projections as chapter
from engine.narrowphase._projections_kernel import PROJECTIONS_BOUND, PROJECTIONS_END, PROJECTIONS_START, PROJECTIONS_TURN
from engine.trace import given
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm
from engine.trace.rows import record_rows
from engine.trace.words import meters

__all__ = ["ALGORITHM", "AlternatingProjections"]

_BOUNDS = View("bounds", "the distance lies between the two bounds", "turn", "m")

_NEWEST = 60
"""Maximum number of turns drawn, the newest."""


class AlternatingProjections(Algorithm[PairCase]):
    """Projections to and fro between two convex shapes until the points converge."""

    title = "Alternating projections: back and forth"
    page = "alternating_projections.md#derivation"
    case_of = staticmethod(given.at_rest("distance"))
    pseudo_code = (
        "a = any point of A",
        "repeat:",
        "  b = the point of B nearest to a",
        "  a = the point of A nearest to b",
        "  if a = b: the shapes share that point",
        "  n = (b - a) / |b - a|",
        "  low = (B's support along n) - (A's support): a lower bound",
        "  if |b - a| = low: that is the distance",
        "give up after a thousand iterations",
    )
    views = (PLANE, _BOUNDS)
    beside = ("gjk",)

    @property
    def example(self) -> PairCase:
        a, b = Segment((2.0, 0.0), (0.0, 0.0)), Segment((2.0, 0.05), (0.3, 0.05))
        return PairCase(Pair("distance", a, Transform(), b, Transform((0.0, 0.0), 0.6)))

    def query(self, case: PairCase) -> DistanceResult:
        return chapter.distance(*case.both)

    def steps(self, case: PairCase) -> list[TraceStep]:
        result, rows = record_rows(lambda trace: chapter.distance(*case.both, trace))
        turns = _Turns(case)
        for row in rows:
            turns.decode(row[0], row[1:])
        return [*turns.steps, turns.answer(result)]

    def takes(self, case: Any) -> bool:
        return isinstance(case, PairCase) and case.pair.shape_b is not None


class _Turns:
    """Decodes the rows into steps."""

    def __init__(self, case: PairCase) -> None:
        a, self.frame, b, xf_b = case.both
        placed = ((self.frame, a.core), (xf_b, b.core))
        self.cores: list[list[Point]] = [[(x, y) for x, y in xf.apply_array(core).tolist()] for xf, core in placed]
        self.path: list[Point] = []
        self.upper: list[Point] = []
        self.lower: list[Point] = []
        self.enough = 0.0
        self.steps: list[TraceStep] = []

    def decode(self, kind: float, numbers: list[float]) -> None:
        if kind == PROJECTIONS_START:
            self._start(numbers)
        elif kind == PROJECTIONS_TURN:
            self._turn(numbers)
        elif kind == PROJECTIONS_BOUND:
            self._bound(numbers)
        else:
            assert kind == PROJECTIONS_END

    @property
    def cost(self) -> dict[str, int]:
        return {"steps": len(self.steps), "projections": 2 * len(self.upper)}

    def _start(self, numbers: list[float]) -> None:
        at = self.frame.apply((numbers[0], numbers[1]))
        self.enough = numbers[3]
        self.path.append(at)
        self.steps.append(
            TraceStep(
                "start", 0, "The search starts at A's first corner; any point of A would do.", (Feature("a", "vertex", 0),), (at,),
                values={"enough": self.enough}, marks=(Mark("point", "new", (at,), text="a"),), cost=self.cost,
            )
        )  # fmt: skip

    def _turn(self, numbers: list[float]) -> None:
        b, a = self.frame.apply((numbers[0], numbers[1])), self.frame.apply((numbers[2], numbers[3]))
        distance, before = numbers[4], self.upper[-1][1] if self.upper else math.inf
        self.path += [b, a]
        self.upper.append((float(len(self.upper) + 1), distance))
        less = f", {distance / before:.3g} times the previous value" if 0.0 < before < math.inf else ""
        self.steps.append(
            TraceStep(
                "turn", 3, f"Iteration {len(self.upper)}: b is the point of B nearest to a, and a becomes the point of A nearest to b. "
                "They are "
                f"{meters(distance)} apart{less}. The distance is at most that.",
                points=(a, b), bound=distance, values={"|b - a|": distance}, marks=(*self._path(), *self._charts()), cost=self.cost,
            )
        )  # fmt: skip

    def _path(self) -> tuple[Mark, ...]:
        newest = tuple(self.path[-2 * _NEWEST - 1 :])
        return (
            Mark("path", "kept", newest), Mark("path", "new", tuple(self.path[-3:])),
            Mark("point", "new", (self.path[-2],), text="b"), Mark("point", "new", (self.path[-1],), text="a"),
        )  # fmt: skip

    def _charts(self) -> tuple[Mark, ...]:
        marks: list[Mark] = []
        curves: tuple[tuple[list[Point], Role, str], ...] = ((self.upper, "best", "upper bound"), (self.lower, "bound", "lower bound"))
        for curve, role, text in curves:
            if curve:
                newest = tuple(curve[-_NEWEST:])
                marks += [Mark("path", role, newest, "bounds", text), Mark("point", role, newest[-1:], "bounds")]
        return tuple(marks)

    def _bound(self, numbers: list[float]) -> None:
        i, j, low = int(numbers[0]), int(numbers[1]), numbers[4]
        n = self.frame.rotate((numbers[2], numbers[3]))
        corners = tuple(
            Mark("point", "looked_at", (self.cores[side][k],), text=f"{'AB'[side]}{k}") for side, k in enumerate((i, j))
        )  # fmt: skip
        high = self.upper[-1][1]
        self.lower.append((float(len(self.upper)), low))
        is_done = high - low <= self.enough
        after = "so that is the distance" if is_done else f"which differ by {meters(max(high - low, 0.0))}, so it iterates again"
        places = tuple(self.cores[1])
        question = Question(
            "Which corner of B has the smallest coordinate along n, the direction from a to b?",
            tuple(f"B{k}" for k in range(len(places))),
            j,
            places,
        )
        self.steps.append(
            TraceStep(
                "bound", 7 if is_done else 6, f"Along n, B{j} is the nearest corner of B, and A{i} is the farthest corner of A: the "
                "distance is "
                f"at least {meters(low)} and at most {meters(high)}, {after}.",
                (Feature("a", "vertex", i), Feature("b", "vertex", j)), (self.path[-1], self.path[-2]), n, low,
                {"low": low, "|b - a|": high}, (*self._path(), *corners, *self._charts()),
                self.cost, question if len(places) > 1 else None,
            )
        )  # fmt: skip

    def answer(self, result: DistanceResult) -> TraceStep:
        words = {
            Status.SEPARATED: f"Both bounds agree: the distance is {meters(result.separation)}, found in "
            f"{counted(len(self.upper), 'iteration')}.",
            Status.OVERLAPPING: "a and b are the same point, which both shapes contain. This method does not give the depth.",
            Status.DEGENERATE: "No answer: the squares of these lengths exceed the range of float64.",
            Status.OUT_OF_ITERATIONS: f"It gives up after {counted(len(self.upper), 'iteration')} at {meters(result.separation)}: the "
            "distance "
            "is at most that. Between edges at a small angle, each iteration gains almost nothing.",
        }
        points = () if result.point_a is None or result.point_b is None else (result.point_a, result.point_b)
        marks: tuple[Mark, ...] = ()
        if points:
            marks = (Mark("path", "result", points, text=meters(result.separation)), Mark("point", "result", points))
        if not points and self.path:
            marks = (Mark("point", "result", (self.path[-1],)),)
        line = {Status.OVERLAPPING: 4, Status.SEPARATED: 7}.get(result.status, 8)
        values = {"separation": result.separation} if math.isfinite(result.separation) else {}
        return TraceStep(
            "answer", line, words[result.status], points=points, axis=result.normal, bound=values.get("separation"), values=values,
            marks=(*marks, *(self._charts() if self.upper else ())), cost=self.cost, result=result,
        )  # fmt: skip


ALGORITHM = AlternatingProjections()
