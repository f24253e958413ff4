"""Rotating calipers, step by step: `engine.bounding.least_area_box`."""

from __future__ import annotations

from engine.bounding import OrientedBox, cloud_of
from engine.bounding import boxes as chapter
from engine.bounding.boxes import Caliper
from engine.contracts.trace import Mark, Point, Question, TraceStep, View
from engine.trace import given
from engine.trace._points import as_points, away_from_line, dots, features, names
from engine.trace.cases import PointsCase
from engine.trace.protocol import Algorithm
from engine.trace.words import meters, square_meters

__all__ = ["ALGORITHM", "RotatingCalipers"]

AREAS = View("areas", "the rectangle on each edge", "edge", "area, m^2")


class RotatingCalipers(Algorithm[PointsCase]):
    """The rectangle of minimum area, by one round of three calipers."""

    title = "Rotating calipers: the rectangle of minimum area"
    page = "bounding.md#derivation"
    case_of = staticmethod(given.of_points)
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
    views = (View("plane", "the points"), AREAS)
    beside = ("smallest_circle",)

    @property
    def example(self) -> PointsCase:
        return PointsCase(
            ((-1.9, -0.9), (-1.6, 0.3), (-0.6, -1.3), (-0.4, 0.2), (0.1, 1.5), (0.9, -0.6), (1.4, 1.7), (1.9, 0.6), (0.3, -1.2))
        )

    def query(self, case: PointsCase) -> OrientedBox:
        return chapter.least_area_box(case.points)

    def steps(self, case: PointsCase) -> list[TraceStep]:
        cloud = cloud_of(case.points)
        corners = as_points(cloud.points)
        trace: list[Caliper] = []
        result = chapter.least_area_box(cloud, trace)
        steps = [
            TraceStep(
                "hull", 0, _begins(case, corners), features(case, *corners), corners,
                marks=((Mark("polygon" if len(corners) > 2 else "path", "kept", corners),) if len(corners) > 1 else dots("kept", corners)),
                cost={"steps": 0, "moves": 0},
            )
        ]  # fmt: skip
        best: Caliper | None = None
        moves = 0
        for k, caliper in enumerate(trace):
            before = trace[k - 1] if k else Caliper(0, (1.0, 0.0), 0, 0, 0, 0.0, 0.0)
            moves += sum((now - then) % len(corners) for now, then in zip(caliper[2:5], before[2:5], strict=True))
            is_best = best is None or _area(caliper) < _area(best)
            steps.append(_on_edge(case, corners, trace[: k + 1], best, {"steps": len(steps), "moves": moves}))
            best = caliper if is_best else best
        box = as_points(result.corners)
        length, height = meters(2.0 * result.half_width), meters(2.0 * result.half_height)
        said = (
            f"The box lies along the line, {length} long."
            if len(corners) > 1
            else f"The box is that point, enlarged only for rounding to {length}."
        )
        if best is not None:
            edge = f"from {case.name(corners[best.edge])} to {case.name(corners[(best.edge + 1) % len(corners)])}"
            said = f"The smallest rectangle lies on the edge {edge}. Its area is {length} x {height} = {square_meters(result.area)}."
        return [
            *steps,
            TraceStep(
                "answer", 8, said,
                (), box, result.axis, result.area, {"area": result.area},
                (Mark("polygon", "result", box), *(_curve(trace, best) if best is not None else ())),
                {"steps": len(steps), "moves": moves}, result=result,
            ),
        ]  # fmt: skip


def _begins(case: PointsCase, corners: tuple[Point, ...]) -> str:
    if len(corners) < 3:
        what = "one spot" if len(corners) == 1 else f"the line from {case.name(corners[0])} to {case.name(corners[1])}"
        return f"All points are on {what}, so there is nothing to rotate."
    return (
        f"Only the corners of the hull matter, {names(case, corners)}. "
        f"A rectangle of minimum area has a side along one of its {len(corners)} edges."
    )


def _area(caliper: Caliper) -> float:
    return caliper.width * caliper.height


def _on_edge(case: PointsCase, corners: tuple[Point, ...], trace: list[Caliper], best: Caliper | None, cost: dict[str, int]) -> TraceStep:
    caliper = trace[-1]
    n, area = len(corners), _area(caliper)
    p, q = corners[caliper.edge], corners[(caliper.edge + 1) % n]
    right, top, left = corners[caliper.right], corners[caliper.top], corners[caliper.left]
    is_best = best is None or area < _area(best)
    rank = "the first one" if best is None else "the smallest so far" if is_best else f"not less than {square_meters(_area(best))}"
    # where the opposite edge is parallel two corners are the answer
    heights = [away_from_line(p, q, corner)[0] for corner in corners]
    is_one = sum(height > caliper.height * (1.0 - 1e-6) for height in heights) == 1
    question = Question(
        f"The box rests on the edge from {case.name(p)} to {case.name(q)}. Which corner touches its top?", tuple(map(case.name, corners)),
        caliper.top, corners,
    )  # fmt: skip
    return TraceStep(
        "edge", 7 if is_best else 6,
        f"On the edge from {case.name(p)} to {case.name(q)} the calipers touch {case.name(right)}, {case.name(top)} and {case.name(left)}. "
        f"The area is {meters(caliper.width)} x {meters(caliper.height)} = {square_meters(area)}, {rank}.",
        features(case, p, q, right, top, left), (p, q, right, top, left), caliper.axis, area if is_best or best is None else _area(best),
        {"width": caliper.width, "height": caliper.height, "area": area},
        (
            Mark("polygon", "kept", corners), Mark("polygon", "best" if is_best else "looked_at", _box(caliper, p, left)),
            Mark("path", "new", (p, q)), *dots("looked_at", (right, top, left)), *_curve(trace, caliper if is_best else best),
        ),
        cost, question if is_one else None,
    )  # fmt: skip


def _box(caliper: Caliper, p: Point, left: Point) -> tuple[Point, ...]:
    """Return the rectangle's corners: from the foot of the left caliper on the edge's line."""
    (ux, uy), w, h = caliper.axis, caliper.width, caliper.height
    back = ux * (left[0] - p[0]) + uy * (left[1] - p[1])
    x, y = p[0] + back * ux, p[1] + back * uy
    return (x, y), (x + w * ux, y + w * uy), (x + w * ux - h * uy, y + w * uy + h * ux), (x - h * uy, y + h * ux)


def _curve(trace: list[Caliper], best: Caliper | None) -> tuple[Mark, ...]:
    """Mark the areas so far, and the smallest."""
    areas = tuple((float(caliper.edge), _area(caliper)) for caliper in trace)
    path = (Mark("path", "other", areas, "areas"),) if len(areas) > 1 else ()
    least = () if best is None else (Mark("point", "best", ((float(best.edge), _area(best)),), "areas", square_meters(_area(best))),)
    return (*path, Mark("point", "looked_at", areas[-1:], "areas"), *least)


ALGORITHM = RotatingCalipers()
