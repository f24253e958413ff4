"""Alternating projections, step by step: `engine.narrowphase._projections_kernel`."""

from __future__ import annotations

import math

from engine.common.words import counted
from engine.compare.pair.file import Pair
from engine.contracts import Status
from engine.contracts.trace import Feature, Mark, Point, Question, Role, View
from engine.geometry import Segment, Transform
from engine.narrowphase import alternating_projections as chapter
from engine.narrowphase._projections_kernel import ProjectionsBound, ProjectionsStart, ProjectionsTurn
from engine.trace.cases import PairCase
from engine.trace.marks import Marks, dot, path
from engine.trace.protocol import PLANE, PairAlgorithm, code
from engine.trace.steppers.gjk import DifferenceDecoder
from engine.trace.words import meters

__all__ = ["ALGORITHMS"]

_NEWEST = 60
"""Maximum number of turns drawn, the newest."""


class _Decoder(DifferenceDecoder):
    def set_up(self) -> None:
        super().set_up()
        self.path: list[Point] = []
        self.upper: list[Point] = []
        self.lower: list[Point] = []

    @property
    def cost(self) -> dict[str, int]:
        return {"steps": len(self.steps), "projections": 2 * len(self.upper)}

    def projections_start(self, e: ProjectionsStart) -> None:
        at, self.enough = self.xf_a.apply(e.a), e.enough
        self.path.append(at)
        self.add(
            "start", 0, "The search starts at A's first corner; any point of A would do.", (Feature("a", "vertex", 0),), (at,),
            values={"enough": e.enough}, marks=(dot("new", at, text="a"),),
        )  # fmt: skip

    def projections_turn(self, e: ProjectionsTurn) -> None:
        a, b, before = self.xf_a.apply(e.a), self.xf_a.apply(e.b), self.upper[-1][1] if self.upper else math.inf
        self.path += [b, a]
        self.upper.append((float(len(self.upper) + 1), e.distance))
        less = f", {e.distance / before:.3g} times the previous value" if 0.0 < before < math.inf else ""
        self.add(
            "turn", 3, f"Iteration {len(self.upper)}: b is the point of B nearest to a, and a becomes the point of A nearest to b. They "
            f"are {meters(e.distance)} apart{less}. The distance is at most that.",
            points=(a, b), bound=e.distance, values={"|b - a|": e.distance}, marks=(*self._path(), *self._charts()),
        )  # fmt: skip

    def projections_bound(self, e: ProjectionsBound) -> None:
        high, places = self.upper[-1][1], tuple(self.world_b)
        self.lower.append((float(len(self.upper)), e.low))
        is_done = high - e.low <= self.enough
        after = "so that is the distance" if is_done else f"which differ by {meters(max(high - e.low, 0.0))}, so the method iterates again"
        question = Question(
            "Which corner of B has the smallest coordinate along n, the direction from a to b?",
            tuple(f"B{k}" for k in range(len(places))), e.j, places,
        )  # fmt: skip
        self.add(
            "bound", 7 if is_done else 6, f"Along n, B{e.j} is the nearest corner of B, and A{e.i} is the farthest corner of A: the "
            f"distance is at least {meters(e.low)} and at most {meters(high)}, {after}.",
            self.features(e.i, e.j), (self.path[-1], self.path[-2]), self.xf_a.rotate(e.n), e.low, {"low": e.low, "|b - a|": high},
            marks=(
                *self._path(), dot("looked_at", self.world_a[e.i], text=f"A{e.i}"), dot("looked_at", self.world_b[e.j], text=f"B{e.j}"),
                *self._charts(),
            ),
            question=question if len(places) > 1 else None,
        )  # fmt: skip

    def answer(self) -> None:
        result, points, gap = self.result, self.witnesses, self.result.separation
        turns = counted(len(self.upper), "iteration")
        words = {
            Status.SEPARATED: f"Both bounds agree: the distance is {meters(gap)}, found in {turns}.",
            Status.OVERLAPPING: "a and b are the same point, which both shapes contain. This method does not give the depth.",
            Status.DEGENERATE: "No answer: the squares of these lengths exceed the range of float64.",
            Status.OUT_OF_ITERATIONS: f"The method gives up after {turns}, at {meters(gap)}: the distance is at most that. Between edges "
            "at a small angle, the iterations make almost no progress.",
        }
        marks: Marks = (dot("result", self.path[-1]),) if self.path else ()
        if points:
            marks = (path("result", *points, text=meters(gap)), dot("result", *points))
        line = {Status.OVERLAPPING: 4, Status.SEPARATED: 7}.get(result.status, 8)
        values = {"separation": gap} if math.isfinite(gap) else {}
        self.add(
            "answer", line, words[result.status], (), points, result.normal, values.get("separation"), values,
            marks=(*marks, *self._charts()), result=result,
        )  # fmt: skip

    def _path(self) -> Marks:
        newest = self.path[-2 * _NEWEST - 1 :]
        return path("kept", *newest), path("new", *newest[-3:]), dot("new", newest[-2], text="b"), dot("new", newest[-1], text="a")

    def _charts(self) -> Marks:
        marks: list[Mark] = []
        curves: tuple[tuple[list[Point], Role, str], ...] = ((self.upper, "best", "upper bound"), (self.lower, "bound", "lower bound"))
        for curve, role, text in curves:
            if curve:
                marks += [path(role, *curve[-_NEWEST:], view="bounds", text=text), dot(role, curve[-1], view="bounds")]
        return tuple(marks)


class AlternatingProjections(PairAlgorithm):
    """Projections back and forth between two convex shapes until the points converge."""

    name = "alternating_projections"
    title = "Alternating projections: back and forth"
    page = "alternating_projections.md#derivation"
    pseudo_code = code("""
        a = any point of A
        repeat:
          b = the point of B nearest to a
          a = the point of A nearest to b
          if a = b: the shapes share that point
          n = (b - a) / |b - a|
          low = (B's support along n) - (A's support): a lower bound
          if |b - a| = low: that is the distance
        give up after a thousand iterations
    """)
    views = (PLANE, View("bounds", "the distance lies between the two bounds", "turn", "m"))
    beside = ("gjk",)
    decoder = _Decoder
    ask = staticmethod(chapter.distance)
    example = PairCase(
        Pair(
            "distance", Segment((2.0, 0.0), (0.0, 0.0)), Transform(), Segment((2.0, 0.05), (0.3, 0.05)), Transform((0.0, 0.0), 0.6),
        )
    )  # fmt: skip


ALGORITHMS = (AlternatingProjections(),)
