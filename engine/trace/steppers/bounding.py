"""The smallest rectangle and the smallest circle around points, step by step: `engine.bounding`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from engine.bounding import boxes as boxes
from engine.bounding import circles as circles
from engine.bounding import cloud_of
from engine.bounding.boxes import Caliper
from engine.bounding.circles import Circumscribed, WelzlOrder, WelzlResult, WelzlTest
from engine.contracts.trace import Mark, Point, Question, TraceStep, View
from engine.trace._cloud import PointsAlgorithm, PointsDecoder
from engine.trace.cases import PointsCase
from engine.trace.marks import Marks, Points, along, as_points, away_from_line, dot, dots, path
from engine.trace.protocol import Algorithm, code
from engine.trace.words import meters, square_meters

__all__ = ["ALGORITHMS"]


def _area(caliper: Caliper) -> float:
    return caliper.width * caliper.height


class _CalipersDecoder(PointsDecoder):
    costs = ("moves",)
    best: Caliper | None = None

    def decode(self, events: Sequence[Any]) -> list[TraceStep]:
        self.corners = corners = as_points(cloud_of(self.case.points).points)
        self.areas: list[Point] = []
        n = len(corners)
        if n < 3:
            what = "one spot" if n == 1 else f"the line from {self.name(corners[0])} to {self.name(corners[1])}"
            words = f"All points are on {what}, so there is nothing to rotate."
        else:
            words = f"Only the corners of the hull matter, {self.names(corners)}. "
            words += f"A rectangle of minimum area has a side along one of the hull's {n} edges."
        mark = Mark("polygon" if n > 2 else "path" if n > 1 else "point", "kept", corners)
        self.add("hull", 0, words, self.features(*corners), corners, marks=(mark,))
        self.touched = 0, 0, 0
        return super().decode(events)

    def caliper(self, row: Caliper) -> None:
        corners, before, name = self.corners, self.best, self.name
        n, area = len(corners), _area(row)
        self.counts["moves"] += sum((now - then) % n for now, then in zip(row[2:5], self.touched, strict=True))
        self.touched = row.right, row.top, row.left
        self.areas.append((float(row.edge), area))
        p, q = corners[row.edge], corners[(row.edge + 1) % n]
        right, top, left = (corners[k] for k in self.touched)
        is_best = before is None or area < _area(before)
        rank = "the first" if before is None else "the smallest so far" if is_best else f"not less than {square_meters(_area(before))}"
        self.best = best = row if before is None or is_best else before
        # where the opposite edge is parallel two corners are the answer
        heights = [away_from_line(p, q, corner)[0] for corner in corners]
        is_one = sum(height > row.height * (1.0 - 1e-6) for height in heights) == 1
        prompt = f"The box rests on the edge from {name(p)} to {name(q)}. Which corner touches its top?"
        self.add(
            "edge", 7 if is_best else 6,
            f"On the edge from {name(p)} to {name(q)} the calipers touch {name(right)}, {name(top)} and {name(left)}. The area is "
            f"{meters(row.width)} x {meters(row.height)} = {square_meters(area)}, {rank}.",
            self.features(p, q, right, top, left), (p, q, right, top, left), row.axis, _area(best),
            {"width": row.width, "height": row.height, "area": area},
            marks=(
                Mark("polygon", "kept", corners), Mark("polygon", "best" if is_best else "looked_at", _box(row, p, left)),
                path("new", p, q), *dots("looked_at", (right, top, left)), *self._curve(),
            ),
            question=Question(prompt, tuple(map(name, corners)), row.top, corners) if is_one else None,
        )  # fmt: skip

    def _curve(self) -> Marks:
        """Mark the areas so far, and the smallest."""
        if self.best is None:
            return ()
        least = (float(self.best.edge), _area(self.best))
        way = (path("other", *self.areas, view="areas"),) if len(self.areas) > 1 else ()
        newest = dot("looked_at", self.areas[-1], view="areas")
        return (*way, newest, dot("best", least, view="areas", text=square_meters(least[1])))

    def answer(self) -> None:
        result, corners, best, box = self.result, self.corners, self.best, as_points(self.result.core)
        length, height = meters(math.dist(box[0], box[1])), meters(math.dist(box[1], box[2]))
        if best is not None:
            edge = f"from {self.name(corners[best.edge])} to {self.name(corners[(best.edge + 1) % len(corners)])}"
            words = f"The smallest rectangle lies on the edge {edge}. Its area is {length} x {height} = {square_meters(result.area)}."
        elif len(corners) > 1:
            words = f"The box lies along the line, {length} long."
        else:
            words = f"The box is that point, {length} wide to allow for rounding."
        self.add(
            "answer", 8, words, (), box, best.axis if best is not None else None, result.area, {"area": result.area},
            marks=(Mark("polygon", "result", box), *self._curve()), result=result,
        )  # fmt: skip


def _box(caliper: Caliper, p: Point, left: Point) -> Points:
    """Return the rectangle's corners: from the foot of the left caliper on the edge's line."""
    (ux, uy), w, h = caliper.axis, caliper.width, caliper.height
    x, y = along(p, caliper.axis, ux * (left[0] - p[0]) + uy * (left[1] - p[1]))
    return (x, y), (x + w * ux, y + w * uy), (x + w * ux - h * uy, y + w * uy + h * ux), (x - h * uy, y + h * ux)


class RotatingCalipers(PointsAlgorithm):
    """The rectangle of minimum area, by one revolution of three calipers."""

    name = "rotating_calipers"
    title = "Rotating calipers: the rectangle of minimum area"
    page = "bounding.md#derivation"
    pseudo_code = code("""
        hull = the corners of the convex hull, counter-clockwise
        right = top = left = the first corner
        for each edge e of the hull:
          advance right while the next edge points along e
          advance top while the next edge points away from e
          advance left while the next edge points back along e
          area = (from left to right along e) x (from e to top)
          keep the smallest
        the tight box along the best edge, enlarged for rounding
    """)
    views = (View("plane", "the points"), View("areas", "the rectangle on each edge", "edge", "area, m^2"))
    beside = ("smallest_circle",)
    decoder = _CalipersDecoder
    ask = staticmethod(boxes.least_area_box)
    example = PointsCase(
        ((-1.9, -0.9), (-1.6, 0.3), (-0.6, -1.3), (-0.4, 0.2), (0.1, 1.5), (0.9, -0.6), (1.4, 1.7), (1.9, 0.6), (0.3, -1.2))
    )


_ANSWERS = ("yes, the circle stays", "no, it lies on the next circle")


def _replayed(
    n: int, run: list[WelzlTest], result: Circumscribed[float]
) -> Iterator[tuple[tuple[int, ...], int, WelzlTest, Circumscribed[float]]]:
    """Yield for each test the points known to be on the circle, the tested one, and the circle after it: the three loops again."""
    after = iter([*(test.circle for test in run[1:]), result])
    tests = iter(run)
    for i in range(1, n):
        test = next(tests)
        yield (), i, test, next(after)
        for j in range(0 if test.is_in else i):
            inner = next(tests)
            yield (i,), j, inner, next(after)
            for k in range(0 if inner.is_in else j):
                yield (i, j), k, next(tests), next(after)


class _CircleDecoder(PointsDecoder):
    costs = ("tests",)

    def of(self, indices: tuple[int, ...]) -> Points:
        """Return points of the run by their numbers in its order."""
        return tuple(self.points[k] for k in indices)

    def circle(self, circle: Circumscribed[float]) -> tuple[Point, float]:
        """Return center and radius, world frame."""
        return (float(circle.x) + self.middle[0], float(circle.y) + self.middle[1]), math.sqrt(circle.radius_sq)

    def welzl_order(self, e: WelzlOrder) -> None:
        """Add the steps of a run: the order and the first circle, the tests, and the check of the effect of rounding."""
        (self.middle,), self.points = as_points(e.middle), as_points(e.points)
        tests: list[WelzlTest] = [*takewhile(lambda event: not isinstance(event, WelzlResult), self.ahead)]
        result: WelzlResult = next(event for event in self.ahead if isinstance(event, WelzlResult))
        n, first = len(self.points), self.points[0]
        why = "This pass repeats the search in exact fractions. " if e.is_exact else "No other points matter. " if n > 2 else ""
        order = f"The {n} corners of the hull are in random order, {self.names(self.points)}." if n > 1 else "All points coincide."
        self.add(
            "order", 8 if e.is_exact else 0, f"{why}{order} The first circle is {self.name(first)} alone.",
            self.features(*self.points), self.points, bound=0.0, marks=(*dots("kept", self.points[1:]), self.named("new", first)),
        )  # fmt: skip
        for known, at, test, after in _replayed(n, tests, result.circle):
            self.counts["tests"] += 1
            self._tested(known, at, test, after)
        self.support = support = self.of(result.circle.support)
        if e.is_exact:
            return
        center, radius = self.circle(result.circle)
        verb = "requires" if len(support) == 1 else "require"
        verdict = (
            "these agree within rounding"
            if sum(isinstance(event, WelzlOrder) for event in self.events) == 1
            else "these differ by more than rounding, so a rounding error decided a test"
        )
        self.add(
            "judged", 7,
            f"{self.names(support)} alone {verb} a radius of {meters(result.demanded)}, and one of {meters(result.holds_all)} contains all "
            f"points: {verdict}.", self.features(*support), support, bound=result.demanded,
            values={"demanded": result.demanded, "holds all": result.holds_all},
            marks=(*dots("kept", self.points), *dots("best", support), Mark("circle", "best", (center,), radius=radius)),
        )  # fmt: skip

    def _tested(self, known: tuple[int, ...], at: int, test: WelzlTest, after: Circumscribed[float]) -> None:
        """Add the step that tests a point against the circle."""
        point, level, fixed, support = self.points[at], len(known), self.of(known), self.of(test.circle.support)
        name, on_it = self.name(point), self.names(fixed)
        center, radius = self.circle(test.circle)
        next_center, next_radius = self.circle(after)
        off = math.dist(center, point) - radius
        of_whom = f"the circle {'of' if len(support) == 1 else 'through'} {self.names(support)}{' alone' if len(support) == 1 else ''}"
        if test.is_in:
            what = f"{name} is inside {of_whom}, {meters(max(-off, 0.0))} from its edge, so nothing changes."
        else:
            then = (
                f", so it is on the edge of the next one. All earlier points are tested again, starting with {name} alone",
                f", so it is on the next one as well: {on_it} to {name} is its diameter, and its radius is {meters(next_radius)}",
                f", so the next one passes through {self.names((*fixed, point))}, and its radius is {meters(next_radius)}",
            )[level]
            what = f"{name} lies {meters(max(off, 0.0))} outside {of_whom}{then}."
        if known:
            what = f"With {on_it} on the edge, {what}"
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
        (middle,) = as_points(result.core)
        words = f"The smallest circle has a radius of {radius} and is determined by these points: {self.names(support)}."
        if len(support) == 1:
            words = f"The smallest circle is {self.name(support[0])}, with a radius of {radius} to allow for rounding."
        self.add(
            "answer", 9, words, self.features(*support), (middle, *support), bound=result.radius, values={"radius": result.radius},
            marks=(Mark("circle", "result", (middle,), radius=result.radius), *dots("result", (middle, *support))),
            result=result,
        )  # fmt: skip


class SmallestCircle(PointsAlgorithm):
    """Welzl's incremental algorithm, as three loops."""

    name = "smallest_circle"
    title = "Welzl: the smallest circle around points"
    page = "bounding.md#derivation"
    pseudo_code = code("""
        p = the corners of the points' hull, in random order
        circle = p[0] alone; for each i: is p[i] in the circle?
          if not, it is on the next circle: circle = p[i] alone
          for each j < i: is p[j] in the circle?
            if not, it is on the next circle: diameter = p[i] to p[j]
            for each k < j: is p[k] in the circle?
              if not: circle = the one through p[i], p[j], p[k]
        check: the radius that its points need, and the one that contains all
        if these differ by more than rounding: repeat in exact fractions
        the circle, enlarged for rounding
    """)
    beside = ("rotating_calipers",)
    decoder = _CircleDecoder
    ask = staticmethod(circles.smallest_circle)
    example = PointsCase(((-1.9, -0.3), (-1.2, 1.2), (-0.6, -1.4), (-0.3, 0.4), (0.4, 1.6), (0.7, -0.5), (1.2, -1.1), (1.7, 0.8)))


ALGORITHMS: tuple[Algorithm[Any], ...] = (RotatingCalipers(), SmallestCircle())
