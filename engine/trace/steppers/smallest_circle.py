"""Welzl's smallest circle, step by step: `engine.bounding.smallest_circle`."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engine.bounding import circles as chapter
from engine.bounding.circles import Circumscribed, WelzlRun, WelzlTest
from engine.contracts.trace import Mark, Point, Question
from engine.trace._cloud import PointsAlgorithm, PointsDecoder
from engine.trace.cases import PointsCase
from engine.trace.marks import as_points, dots
from engine.trace.words import meters

__all__ = ["ALGORITHM"]

_ANSWERS = ("yes, the circle stays", "no, it lies on the next circle")


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


class _Decoder(PointsDecoder):
    costs = ("tests",)

    def of(self, indices: tuple[int, ...]) -> tuple[Point, ...]:
        """Return points of the run by their numbers in its order."""
        return tuple(self.points[k] for k in indices)

    def circle(self, circle: Circumscribed[float]) -> tuple[Point, float]:
        """Return center and radius, world frame."""
        return (float(circle.x) + self.middle[0], float(circle.y) + self.middle[1]), math.sqrt(circle.radius_sq)

    def decode_row(self, row: WelzlRun) -> None:
        """Add the steps of a run: the order and the first circle, the tests, and the check of the effect of rounding."""
        (self.middle,), self.points = as_points(row.middle), as_points(row.points)
        n, first = len(self.points), self.points[0]
        why = "This repeats it in exact fractions. " if row.is_exact else "No other points matter. " if n > 2 else ""
        order = f"The {n} corners of the hull are in random order, {self.names(self.points)}." if n > 1 else "All points coincide."
        self.add(
            "order", 8 if row.is_exact else 0, f"{why}{order} The first circle is {self.name(first)} alone.",
            self.features(*self.points), self.points, bound=0.0, marks=(*dots("kept", self.points[1:]), self.named("new", first)),
        )  # fmt: skip
        for known, at, test, after in _replayed(row):
            self.counts["tests"] += 1
            self._tested(known, at, test, after)
        self.support = support = self.of(row.found.support)
        if row.is_exact:
            return
        center, radius = self.circle(row.found)
        verb = "demands" if len(support) == 1 else "demand"
        verdict = (
            "these agree within rounding"
            if len(self.rows) == 1
            else "these differ by more than rounding, so a rounding error decided a test"
        )
        self.add(
            "judged", 7,
            f"{self.names(support)} alone {verb} a radius of {meters(row.demanded)}, and {meters(row.holds_all)} contains all points: "
            f"{verdict}.", self.features(*support), support, bound=row.demanded,
            values={"demanded": row.demanded, "holds all": row.holds_all},
            marks=(*dots("kept", self.points), *dots("best", support), Mark("circle", "best", (center,), radius=radius)),
        )  # fmt: skip

    def _tested(self, known: tuple[int, ...], at: int, test: WelzlTest, after: Circumscribed[float]) -> None:
        """Add the step that tests a point against the circle."""
        point, level, fixed, support = self.points[at], len(known), self.of(known), self.of(test.circle.support)
        name, on_it = self.name(point), self.names(fixed)
        center, radius = self.circle(test.circle)
        next_center, next_radius = self.circle(after)
        off = math.dist(center, point) - radius
        of_whom = f"the circle of {self.names(support).replace(', ', ' ')}{' alone' if len(support) == 1 else ''}"
        if test.is_in:
            what = f"{name} is inside {of_whom}, {meters(max(-off, 0.0))} from its edge, so nothing changes."
        else:
            then = (
                f", so it is on the edge of the next one. All earlier points are tested again, starting with {name} alone",
                f", so it is on the next one as well: {on_it} to {name} is its diameter, and its radius is {meters(next_radius)}",
                f", so the next one passes through {on_it} and {name}, and its radius is {meters(next_radius)}",
            )[level]
            what = f"{name} lies {meters(max(off, 0.0))} outside {of_whom}{then}."
        if known:
            what = f"With {on_it.replace(', ', ' and ')} on the edge, {what}"
        self.add(
            ("among all", "one known", "two known")[level], 2 * level + (1 if test.is_in else 2), what,
            self.features(point, *fixed), (point, *support), bound=radius if level == 0 else None,
            values={"radius": radius, "next radius": next_radius, "outside": off},
            marks=(
                *dots("kept", self.points[:at]), *dots("best", fixed), self.named("looked_at", point),
                Mark("circle", "kept" if test.is_in else "dropped", (center,), radius=radius),
                *(() if test.is_in else (Mark("circle", "new", (next_center,), radius=next_radius),)),
            ),
            question=Question(f"Is {name} in the circle?", _ANSWERS, 0 if test.is_in else 1),
        )  # fmt: skip

    def answer(self) -> None:
        result, support, radius = self.result, self.support, meters(self.result.radius)
        words = f"{self.names(support)} determine the smallest circle, with a radius of {radius}."
        if len(support) == 1:
            words = f"The smallest circle is {self.name(support[0])}, enlarged only for rounding to {radius}."
        self.add(
            "answer", 9, words, self.features(*support), (result.center, *support), bound=result.radius, values={"radius": result.radius},
            marks=(Mark("circle", "result", (result.center,), radius=result.radius), *dots("result", (result.center, *support))),
            result=result,
        )  # fmt: skip


class SmallestCircle(PointsAlgorithm):
    """Welzl's incremental algorithm, as three loops."""

    title = "Welzl: the smallest circle around points"
    page = "bounding.md#derivation"
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
    decoder = _Decoder
    ask = staticmethod(chapter.smallest_circle)
    example = PointsCase(((-1.9, -0.3), (-1.2, 1.2), (-0.6, -1.4), (-0.3, 0.4), (0.4, 1.6), (0.7, -0.5), (1.2, -1.1), (1.7, 0.8)))


ALGORITHM = SmallestCircle()
