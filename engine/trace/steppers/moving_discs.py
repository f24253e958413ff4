"""Two discs that slide: one quadratic, step by step, as `engine.continuous._ray_rounded_kernel` solves it."""

from __future__ import annotations

import math
from typing import Any

from engine.continuous._ray_rounded_kernel import ROUNDED_CORNER
from engine.contracts import SweptContact
from engine.contracts.trace import Mark, Point, Question, TraceStep, View
from engine.geometry import Circle, Transform
from engine.trace import given
from engine.trace._bars import moment
from engine.trace._swept import SweptDecoder, translates
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm, TraceSteps
from engine.trace.rows import record_rows
from engine.trace.steppers import swept_sat
from engine.trace.words import meters, square_meters

__all__ = ["ALGORITHM", "MovingDiscs"]

QUADRATIC = View("quadratic", "the centers' distance, squared", x="fraction of the motion", y="m^2")

_SAMPLES = 48


class MovingDiscs(Algorithm[PairCase]):
    """First and last touch of two discs: a line and a circle."""

    title = "Two moving discs: one quadratic"
    page = "swept.md#derivation"
    case_of = staticmethod(given.of_velocities)
    pseudo_code = (
        "w = B's motion relative to A; c = from B's center to A's",
        "r = the sum of the radii; if |c| <= r: an overlap at 0",
        "if w = 0: a miss",
        "t0 = c.w / w.w, when B's center is nearest to A's",
        "d = |c x w| / |w|, their distance at that time",
        "if d > r: they miss each other",
        "h = sqrt(r^2 w.w - (c x w)^2) / w.w, half the time within r",
        "first = t0 - h, last = t0 + h",
        "contact at first if that is in [0, 1]",
    )
    views = (PLANE, QUADRATIC)
    beside = ("conservative_advancement", "shape_cast")
    only = "of two discs"

    @property
    def example(self) -> PairCase:
        return given.of_velocities(Circle(0.8), Transform((0.4, -0.3)), (0.3, 0.2), Circle(0.5), Transform((-2.6, 0.9)), (5.4, -0.9))

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
        c, w, r = _relative(case)
        points = []
        for k in range(_SAMPLES + 1):
            t = k / _SAMPLES
            x, y = c[0] - t * w[0], c[1] - t * w[1]
            points.append((t, x * x + y * y))
        line = Mark("path", "other", ((0.0, r * r), (1.0, r * r)), "quadratic", f"r^2 = {square_meters(r * r)}")
        return (*case.scenery, Mark("path", "ghost", tuple(points), "quadratic", "|c - t w|^2"), line)

    def query(self, case: PairCase) -> SweptContact:
        return swept_sat.ALGORITHM.query(case)

    def steps(self, case: PairCase) -> list[TraceStep]:
        return _steps(case, *swept_sat.ways(case))

    def of(self, a: Circle, xf_a: Transform, velocity_a: Point, b: Circle, xf_b: Transform, velocity_b: Point) -> TraceSteps:
        given.instance("a", a, Circle)
        given.instance("b", b, Circle)
        case = self.case_of(a, xf_a, velocity_a, b, xf_b, velocity_b)
        return TraceSteps(_steps(case, velocity_a, velocity_b), self, case)

    def takes(self, case: Any) -> bool:
        return translates(case) and isinstance(case.pair.shape_a, Circle) and isinstance(case.pair.shape_b, Circle)


def _relative(case: PairCase) -> tuple[Point, Point, float]:
    """Return c, w and r of a case."""
    a, xf_a, b, xf_b = case.both
    (ax, ay), (bx, by) = xf_a.apply(a.centroid), xf_b.apply(b.centroid)
    (to_ax, to_ay), (to_bx, to_by) = swept_sat.ways(case)
    return (ax - bx, ay - by), (to_bx - to_ax, to_by - to_ay), a.radius + b.radius


class _Decoder(SweptDecoder):
    """Decodes the rows of the one circle of the difference."""

    def decoded(self, rows: list[list[float]], result: Any) -> list[TraceStep]:
        steps: list[TraceStep] = []
        for step in super().decoded(rows, result):
            if step.kind == "start":
                steps.append(self.relative(step))
            elif step.kind == "answer":
                steps.append(TraceStep(
                    "answer", 1 if "overlap" in step.sentence else 2 if self.way == (0.0, 0.0) else 8, step.sentence, points=step.points,
                    axis=step.axis, values=step.values, result=result, marks=(
                        *(mark for mark in step.marks if mark.view == "plane"),
                        *self.on_curve(step.values["first"], self.radius * self.radius, "result", "first"),
                    ),
                    cost={"square roots": sum(before.kind == "chord" for before in steps)},
                ))  # fmt: skip
            elif step.kind == "rounded corner":
                row = next(row for row in rows if row[0] == ROUNDED_CORNER)
                steps += self.quadratic(row[1:])
        return steps

    def centers(self, t: float) -> tuple[Point, Point]:
        """Return both centers at a moment."""
        centers = []
        for side, (corner,) in zip(self.sides, self.corners, strict=True):
            centers.append((corner[0] + t * side.way[0], corner[1] + t * side.way[1]))
        return centers[0], centers[1]

    def relative(self, step: TraceStep) -> TraceStep:
        at_a, at_b = self.centers(0.0)
        distance = math.dist(at_a, at_b)
        state = "at most" if step.values["inside"] == 1.0 else "more than"
        return TraceStep(
            "start", step.line,
            f"The centers are {meters(distance)} apart, {state} the sum of the radii, r = {meters(self.radius)}. Relative to A, B moves "
            f"{meters(math.hypot(*self.way))}.",
            points=(at_a, at_b), values={**step.values, "|c|": distance, "r": self.radius},
            marks=(
                *step.marks, Mark("circle", "bound", (at_a,), text="A expanded by B's radius", radius=self.radius),
                Mark("arrow", "best", (at_b, at_a), text="c"), Mark("point", "new", ((0.0, distance * distance),), "quadratic"),
            ),
        )  # fmt: skip

    def quadratic(self, row: list[float]) -> list[TraceStep]:
        _, _, _, away, nearest, half, first, last = row[:8]
        at_a, at_b = self.centers(nearest)
        passes = math.isnan(half)
        r_sq = self.radius * self.radius
        is_drawn = abs(nearest) < 5.0
        steps = [
            TraceStep(
                "nearest", 5 if passes else 4,
                f"B's center is nearest to A's at t0, {moment(nearest)}. It is then {meters(away)} away, "
                + (f"more than r = {meters(self.radius)}, so they "
                "miss." if passes else f"within r = {meters(self.radius)}, so they touch."),
                points=(at_a, at_b) if is_drawn else (), values={"t0": nearest, "d": away, "r": self.radius},
                marks=(
                    *self.placed(nearest, "looked_at"), *((Mark("path", "best", (at_a, at_b), text=meters(away)),) if is_drawn else ()),
                    *self.on_curve(nearest, away * away, "new", "nearest"),
                ),
                question=Question(f"d = {meters(away)}, r = {meters(self.radius)}: do they touch during the "
                "motion?", ("yes", "no"), int(passes)),
            )
        ]  # fmt: skip
        if not passes:
            steps.append(
                TraceStep(
                    "chord", 7,
                    f"B moves from the edge of A's expanded disc to t0 in h = {half:.3g}, so the first contact is at {moment(first)}, "
                    f"and the last one is at {moment(last)}.",
                    values={"h": half, "first": first, "last": last},
                    marks=(
                        *self.placed(first, "looked_at"), *self.placed(last, "ghost"), *self.on_curve(first, r_sq, "new", "first"),
                        *self.on_curve(last, r_sq, "new", "last"),
                    ),
                    cost={"square roots": 1},
                )
            )  # fmt: skip
        return steps

    def on_curve(self, t: float, value: float, role: Any, text: str) -> tuple[Mark, ...]:
        return (Mark("point", role, ((t, value),), "quadratic", text),) if -0.25 <= t <= 1.25 else ()


def _steps(case: PairCase, way_a: Point, way_b: Point) -> list[TraceStep]:
    result, rows = record_rows(lambda trace: swept_sat.solve(case, way_a, way_b, trace))
    return _Decoder(*swept_sat.sides(case, way_a, way_b)).decoded(rows, result)


ALGORITHM = MovingDiscs()
