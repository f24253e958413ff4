"""Welzl's smallest circle, step by step: `engine.bounding.smallest_circle`."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engine.bounding import circles as chapter
from engine.bounding.circles import BoundingCircle, Circumscribed, WelzlRun, WelzlTest
from engine.contracts.trace import Mark, Point, Question, TraceStep
from engine.trace import given
from engine.trace._points import as_points, dots, features, named, names
from engine.trace.cases import PointsCase
from engine.trace.protocol import Algorithm
from engine.trace.words import meters

__all__ = ["ALGORITHM", "SmallestCircle"]

_ANSWERS = ("yes, the circle stays", "no, it lies on the next circle")


class SmallestCircle(Algorithm[PointsCase]):
    """Welzl's incremental algorithm, as three loops."""

    title = "Welzl: the smallest circle around points"
    page = "bounding.md#derivation"
    case_of = staticmethod(given.of_points)
    pseudo_code = (
        "p = the corners of the points' hull, in random order",
        "circle = p[0] alone; for each i: is p[i] in the circle?",
        "  if not, it is on the next circle: circle = p[i] alone",
        "  for each j < i: is p[j] in the circle?",
        "    if not, it is on the next circle: diameter = p[i] to p[j]",
        "    for each k < j: is p[k] in the circle?",
        "      if not: circle = the one through p[i], p[j], p[k]",
        "check: the radius that its points need, and the one that contains all",
        "if these differ by more than rounding: repeat in exact fractions",
        "the circle, enlarged for rounding",
    )
    beside = ("rotating_calipers",)

    @property
    def example(self) -> PointsCase:
        return PointsCase(((-1.9, -0.3), (-1.2, 1.2), (-0.6, -1.4), (-0.3, 0.4), (0.4, 1.6), (0.7, -0.5), (1.2, -1.1), (1.7, 0.8)))

    def query(self, case: PointsCase) -> BoundingCircle:
        return chapter.smallest_circle(case.points)

    def steps(self, case: PointsCase) -> list[TraceStep]:
        trace: list[WelzlRun] = []
        result = chapter.smallest_circle(case.points, trace)
        steps: list[TraceStep] = []
        n_tests = 0
        for row in trace:
            run = _Run(case, row)
            steps.append(run.beginning({"steps": len(steps), "tests": n_tests}))
            for known, at, test, after in _replayed(row):
                n_tests += 1
                steps.append(run.tested(known, at, test, after, {"steps": len(steps), "tests": n_tests}))
            if not row.is_exact:
                steps.append(run.judged(len(trace) == 1, {"steps": len(steps), "tests": n_tests}))
        support = run.of(row.found.support)
        said = f"{names(case, support)} determine the smallest circle, with a radius of {meters(result.radius)}."
        if len(support) == 1:
            said = f"The smallest circle is {case.name(support[0])}, enlarged only for rounding to {meters(result.radius)}."
        return [
            *steps,
            TraceStep(
                "answer", 9, said,
                features(case, *support), (result.center, *support), bound=result.radius, values={"radius": result.radius},
                marks=(Mark("circle", "result", (result.center,), radius=result.radius), *dots("result", (result.center, *support))),
                cost={"steps": len(steps), "tests": n_tests}, result=result,
            ),
        ]  # fmt: skip


def _replayed(run: WelzlRun) -> Iterator[tuple[tuple[int, ...], int, WelzlTest, Circumscribed[float]]]:
    """Yield for each test the points known to be on the circle, the tested one, and the circle after it: the three loops again."""
    after = iter([*(test.circle for test in run.tests[1:]), run.found])
    tests = iter(run.tests)
    for i in range(1, len(run.points)):
        test = next(tests)
        yield (), i, test, next(after)
        for j in range(0 if test.is_in else i):
            inner = next(tests)
            yield (i,), j, inner, next(after)
            for k in range(0 if inner.is_in else j):
                yield (i, j), k, next(tests), next(after)


class _Run:
    """A run, in the case's coordinates."""

    def __init__(self, case: PointsCase, row: WelzlRun) -> None:
        self.case, self.row = case, row
        self.middle: Point = as_points(row.middle)[0]
        self.points = as_points(row.points)

    def of(self, indices: tuple[int, ...]) -> tuple[Point, ...]:
        """Return points of the run by their numbers in its order."""
        return tuple(self.points[k] for k in indices)

    def circle(self, circle: Circumscribed[float]) -> tuple[Point, float]:
        """Return center and radius, world frame."""
        return (float(circle.x) + self.middle[0], float(circle.y) + self.middle[1]), math.sqrt(circle.radius_sq)

    def beginning(self, cost: dict[str, int]) -> TraceStep:
        """Return the step of the order, and the first circle."""
        n, first = len(self.points), self.case.name(self.points[0])
        why = "This repeats it in exact fractions. " if self.row.is_exact else "No other points matter. " if n > 2 else ""
        order = f"The {n} corners of the hull are in random order, {names(self.case, self.points)}." if n > 1 else "All points coincide."
        return TraceStep(
            "order", 8 if self.row.is_exact else 0,
            f"{why}{order} The first circle is {first} alone.",
            features(self.case, *self.points), self.points, bound=0.0,
            marks=(*dots("kept", self.points[1:]), named(self.case, "new", self.points[0])), cost=cost,
        )  # fmt: skip

    def tested(self, known: tuple[int, ...], at: int, test: WelzlTest, after: Circumscribed[float], cost: dict[str, int]) -> TraceStep:
        """Return the step that tests a point against the circle."""
        case, point, level = self.case, self.points[at], len(known)
        name, on_it = case.name(point), names(case, self.of(known)).replace(", ", " and ")
        center, radius = self.circle(test.circle)
        next_center, next_radius = self.circle(after)
        off = math.dist(center, point) - radius
        support = names(case, self.of(test.circle.support)).replace(", ", " ")
        of_whom = f"the circle of {support}{' alone' if len(test.circle.support) == 1 else ''}"
        if test.is_in:
            what = f"{name} is inside {of_whom}, {meters(max(-off, 0.0))} from its edge, so nothing changes."
        else:
            then = (
                f", so it is on the edge of the next one. All earlier points are tested again, starting with {name} alone",
                f", so it is on the next one as well: {on_it} to {name} is its diameter, and its radius is {meters(next_radius)}",
                f", so the next one passes through {on_it.replace(' and ', ', ')} and {name}, and its radius is {meters(next_radius)}",
            )[level]
            what = f"{name} lies {meters(max(off, 0.0))} outside {of_whom}{then}."
        if known:
            what = f"With {on_it} on the edge, {what}"
        question = Question(f"Is {name} in the circle?", _ANSWERS, 0 if test.is_in else 1)
        seen = self.points[:at]
        return TraceStep(
            ("among all", "one known", "two known")[level], 2 * level + (1 if test.is_in else 2), what,
            features(case, point, *self.of(known)), (point, *self.of(test.circle.support)), bound=radius if level == 0 else None,
            values={"radius": radius, "next radius": next_radius, "outside": off},
            marks=(
                *dots("kept", seen), *dots("best", self.of(known)), named(case, "looked_at", point),
                Mark("circle", "kept" if test.is_in else "dropped", (center,), radius=radius),
                *(() if test.is_in else (Mark("circle", "new", (next_center,), radius=next_radius),)),
            ),
            cost=cost, question=question,
        )  # fmt: skip

    def judged(self, is_smallest: bool, cost: dict[str, int]) -> TraceStep:
        """Return the step that checks the effect of rounding."""
        support, (center, radius) = self.of(self.row.found.support), self.circle(self.row.found)
        verb = "demands" if len(support) == 1 else "demand"
        verdict = "these agree within rounding" if is_smallest else "these differ by more than rounding, so a rounding error decided a test"
        return TraceStep(
            "judged", 7,
            f"{names(self.case, support)} alone {verb} a radius of {meters(self.row.demanded)}, and {meters(self.row.holds_all)} "
            "contains all "
            f"points: {verdict}.", features(self.case, *support), support, bound=self.row.demanded,
            values={"demanded": self.row.demanded, "holds all": self.row.holds_all},
            marks=(*dots("kept", self.points), *dots("best", support), Mark("circle", "best", (center,), radius=radius)), cost=cost,
        )  # fmt: skip


ALGORITHM = SmallestCircle()
