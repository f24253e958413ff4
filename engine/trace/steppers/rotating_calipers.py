"""Rotating calipers, step by step: `engine.bounding.least_area_box`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.bounding import boxes as chapter
from engine.bounding import cloud_of
from engine.bounding.boxes import Caliper
from engine.contracts.trace import Mark, Point, Question, TraceStep, View
from engine.trace._cloud import PointsAlgorithm, PointsDecoder
from engine.trace.cases import PointsCase
from engine.trace.marks import along, as_points, away_from_line, dot, dots, path
from engine.trace.words import meters, square_meters

__all__ = ["ALGORITHM"]


def _area(caliper: Caliper) -> float:
    return caliper.width * caliper.height


class _Decoder(PointsDecoder):
    costs = ("moves",)
    best: Caliper | None = None

    def decode(self, rows: Sequence[Any]) -> list[TraceStep]:
        self.corners = corners = as_points(cloud_of(self.case.points).points)
        self.areas: list[Point] = []
        n = len(corners)
        if n < 3:
            what = "one spot" if n == 1 else f"the line from {self.name(corners[0])} to {self.name(corners[1])}"
            words = f"All points are on {what}, so there is nothing to rotate."
        else:
            words = f"Only the corners of the hull matter, {self.names(corners)}. "
            words += f"A rectangle of minimum area has a side along one of its {n} edges."
        mark = Mark("polygon" if n > 2 else "path" if n > 1 else "point", "kept", corners)
        self.add("hull", 0, words, self.features(*corners), corners, marks=(mark,))
        self.touched = 0, 0, 0
        return super().decode(rows)

    def decode_row(self, row: Caliper) -> None:
        corners, before, name = self.corners, self.best, self.name
        n, area = len(corners), _area(row)
        self.counts["moves"] += sum((now - then) % n for now, then in zip(row[2:5], self.touched, strict=True))
        self.touched = row.right, row.top, row.left
        self.areas.append((float(row.edge), area))
        p, q = corners[row.edge], corners[(row.edge + 1) % n]
        right, top, left = (corners[k] for k in self.touched)
        is_best = before is None or area < _area(before)
        rank = "the first one" if before is None else "the smallest so far" if is_best else f"not less than {square_meters(_area(before))}"
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

    def _curve(self) -> tuple[Mark, ...]:
        """Mark the areas so far, and the smallest."""
        if self.best is None:
            return ()
        least = (float(self.best.edge), _area(self.best))
        way = (path("other", *self.areas, view="areas"),) if len(self.areas) > 1 else ()
        newest = dot("looked_at", self.areas[-1], view="areas")
        return (*way, newest, dot("best", least, view="areas", text=square_meters(least[1])))

    def answer(self) -> None:
        result, corners, best, box = self.result, self.corners, self.best, as_points(self.result.corners)
        length, height = meters(2.0 * result.half_width), meters(2.0 * result.half_height)
        if best is not None:
            edge = f"from {self.name(corners[best.edge])} to {self.name(corners[(best.edge + 1) % len(corners)])}"
            words = f"The smallest rectangle lies on the edge {edge}. Its area is {length} x {height} = {square_meters(result.area)}."
        elif len(corners) > 1:
            words = f"The box lies along the line, {length} long."
        else:
            words = f"The box is that point, enlarged only for rounding to {length}."
        self.add(
            "answer", 8, words, (), box, result.axis, result.area, {"area": result.area},
            marks=(Mark("polygon", "result", box), *self._curve()), result=result,
        )  # fmt: skip


def _box(caliper: Caliper, p: Point, left: Point) -> tuple[Point, ...]:
    """Return the rectangle's corners: from the foot of the left caliper on the edge's line."""
    (ux, uy), w, h = caliper.axis, caliper.width, caliper.height
    x, y = along(p, caliper.axis, ux * (left[0] - p[0]) + uy * (left[1] - p[1]))
    return (x, y), (x + w * ux, y + w * uy), (x + w * ux - h * uy, y + w * uy + h * ux), (x - h * uy, y + h * ux)


class RotatingCalipers(PointsAlgorithm):
    """The rectangle of minimum area, by one round of three calipers."""

    title = "Rotating calipers: the rectangle of minimum area"
    page = "bounding.md#derivation"
    pseudo_code = (
        "hull = the corners of the convex hull, counter-clockwise",
        "right = top = left = the first corner",
        "for each edge e of the hull:",
        "  advance right while the next edge points along e",
        "  advance top while the next edge points away from e",
        "  advance left while the next edge points back along e",
        "  area = (from left to right along e) x (from e to top)",
        "  keep the smallest",
        "the tight box along the best edge, enlarged for rounding",
    )
    views = (View("plane", "the points"), View("areas", "the rectangle on each edge", "edge", "area, m^2"))
    beside = ("smallest_circle",)
    decoder = _Decoder
    ask = staticmethod(chapter.least_area_box)
    example = PointsCase(
        ((-1.9, -0.9), (-1.6, 0.3), (-0.6, -1.3), (-0.4, 0.2), (0.1, 1.5), (0.9, -0.6), (1.4, 1.7), (1.9, 0.6), (0.3, -1.2))
    )


ALGORITHM = RotatingCalipers()
