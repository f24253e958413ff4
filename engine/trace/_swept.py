"""Shared code of the steppers of shapes that only translate: rows of `engine.continuous._swept_kernel`, in the world's axes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from engine.continuous._ray_rounded_kernel import ROUNDED_CORNER, ROUNDED_EDGE, ROUNDED_END
from engine.continuous._swept_kernel import SWEPT_DIFFERENCE, SWEPT_EDGE, SWEPT_END, SWEPT_MEASURED, SWEPT_START
from engine.contracts.status import HIT, OVERLAPPING
from engine.contracts.trace import Feature, Mark, Point, Question, Role, TraceStep, View
from engine.geometry import AnyShape, Transform
from engine.narrowphase.scratch import core_of
from engine.trace._bars import Bars, bar, moment
from engine.trace._points import between, hull_mark
from engine.trace.cases import PairCase, shape_mark
from engine.trace.words import meters

__all__ = ["SWEPT_DIFFERENCE_VIEW", "SweptDecoder", "Thrown", "grown_scenery", "n_bars", "translates", "translation_of"]

SWEPT_DIFFERENCE_VIEW = View("difference", "the moving shape shrunk to a point O, the other expanded by it")

_MAX_PLACES = 12
"""Edges up to which a student is asked for one of them."""

_FARTHEST = 2.0
"""Motions up to which a crossing is drawn."""


def translation_of(start: Transform, end: Transform | None) -> Point:
    """Return the way of a pose over the motion."""
    if end is None:
        return (0.0, 0.0)
    return end.position[0] - start.position[0], end.position[1] - start.position[1]


def translates(case: Any) -> bool:
    """Return True if a case is a pair that moves and does not turn."""
    if not (isinstance(case, PairCase) and case.pair.query == "toi"):
        return False
    pair = case.pair
    assert pair.end_a is not None and pair.end_b is not None
    return pair.end_a.angle == pair.pose_a.angle and pair.end_b.angle == pair.pose_b.angle


class Thrown(NamedTuple):
    """One of the two shapes: its name in the case, its pose at 0, and its translation over the motion."""

    name: str
    shape: AnyShape
    pose: Transform
    way: Point


def n_bars(first: Thrown, second: Thrown) -> float:
    """Return the number of bars: for edges, or for the difference's edges and corners."""
    n_a, n_b = len(core_of(first.shape)[0]), len(core_of(second.shape)[0])
    if first.shape.radius + second.shape.radius == 0.0:
        return float(n_a * (n_a > 1) + n_b * (n_b > 1))
    return 2.0 * (n_a * n_b if min(n_a, n_b) == 1 else n_a + n_b)


def grown_scenery(first: Thrown, second: Thrown) -> tuple[Mark, ...]:
    """Return the difference first - second, which the edge tests do not build, and the path of O through it."""
    cores = [side.pose.apply_array(core_of(side.shape)[0]) for side in (first, second)]
    points = (cores[0][:, None] - cores[1][None]).reshape(-1, 2)
    body = hull_mark(points, "difference", first.shape.radius + second.shape.radius)
    way = second.way[0] - first.way[0], second.way[1] - first.way[1]
    return body, Mark("arrow", "other", ((0.0, 0.0), way), "difference", "O")


class SweptDecoder:
    """Turns rows into steps; `first` is the kernel's A, in whose frame the rows are."""

    def __init__(self, first: Thrown, second: Thrown) -> None:
        self.sides = (first, second)
        self.cores = [core_of(side.shape)[0] for side in self.sides]
        self.corners = [side.pose.apply_array(core).tolist() for side, core in zip(self.sides, self.cores, strict=True)]
        self.radius = first.shape.radius + second.shape.radius
        self.way = second.way[0] - first.way[0], second.way[1] - first.way[1]
        self.top = n_bars(first, second)
        self.bars = Bars()
        self.intervals = [[-math.inf, math.inf], [-math.inf, math.inf]]
        self.closing: list[tuple[float, str, Point]] = []
        self.touch = 0.0
        self.n_tested = 0

    def decoded(self, rows: list[list[float]], result: Any) -> list[TraceStep]:
        """Return the steps; the last has the result."""
        steps: list[TraceStep] = []
        for k, row in enumerate(rows):
            if row[0] == SWEPT_START:
                steps.append(self.start(row[1:]))
            elif row[0] == SWEPT_EDGE:
                steps.append(self.edge(row[1:]))
                if k + 1 == len(rows) or rows[k + 1][0] != SWEPT_EDGE:
                    steps.append(self.interval())
            elif row[0] == SWEPT_MEASURED:
                steps.append(self.measured(row[1:]))
            elif row[0] == SWEPT_DIFFERENCE:
                steps.append(self.grown(row[1:]))
            elif row[0] == ROUNDED_EDGE and not (row[4] == row[5] == 0.0):  # a point has no edge
                steps.append(self.rounded_edge(row[1:]))
            elif row[0] == ROUNDED_CORNER:
                steps.append(self.rounded_corner(row[1:]))
            elif row[0] == ROUNDED_END:
                steps.append(self.rounded_end(row[1:]))
            elif row[0] == SWEPT_END:
                steps.append(self.answer(row[1:], result))
        return steps

    # Places

    def direction(self, x: float, y: float) -> Point:
        """Turn a vector from the first's frame to the world's axes."""
        return self.sides[0].pose.rotate((x, y))

    def placed(self, t: float, role: Role) -> tuple[Mark, ...]:
        """Return the marks of the moved shapes at a moment of the motion."""
        if not 0.0 < t <= 1.0:
            return ()
        marks = []
        for side in self.sides:
            if side.way != (0.0, 0.0):
                (x, y), (dx, dy) = side.pose.position, side.way
                pose = Transform((x + t * dx, y + t * dy), side.pose.angle)
                marks.append(shape_mark(side.shape, pose, role, f"{side.name.upper()} at {moment(t)}"))
        return tuple(marks)

    def ends_of(self, whose: int, edge: int) -> tuple[Point, Point]:
        (x, y), (to_x, to_y) = self.corners[whose][edge], self.corners[whose][(edge + 1) % len(self.corners[whose])]
        return (x, y), (to_x, to_y)

    def normal_of(self, whose: int, edge: int) -> Point:
        core, pose = self.cores[whose], self.sides[whose].pose
        x, y = (core[(edge + 1) % len(core)] - core[edge]).tolist()
        length = math.hypot(x, y)
        return pose.rotate((y / length, -x / length))

    def on_path(self, t: float) -> tuple[Mark, ...]:
        """Return the position of O on its path through the difference."""
        x, y = self.way
        return (Mark("point", "new", ((t * x, t * y),), "difference", moment(t)),) if abs(t) < _FARTHEST else ()

    def so_far(self) -> tuple[float, float]:
        (first_a, last_a), (first_b, last_b) = self.intervals
        return max(first_a, first_b), min(last_a, last_b)

    def step(self, kind: str, line: int, sentence: str, **more: Any) -> TraceStep:
        marks = (*self.bars.shown(), *more.pop("marks", ()))
        return TraceStep(kind, line, sentence, marks=marks, cost={"edges and corners": self.n_tested}, **more)

    # Rows

    def start(self, row: list[float]) -> TraceStep:
        gap, inside, _, _, _, self.touch = row[:6]
        first, second = (side.name.upper() for side in self.sides)
        length = math.hypot(*self.way)
        x, y = self.sides[1].pose.apply(self.sides[1].shape.centroid)
        arrow = (
            (Mark("arrow", "looked_at", ((x, y), (x + self.way[0], y + self.way[1])), text=f"relative to {first}"),) if length > 0.0 else ()
        )
        touch = "They already touch or overlap." if inside == 1.0 else f"They are now at least {meters(gap - self.radius)} apart."
        return self.step(
            "start", 1 if inside == 1.0 else 0,
            f"Only the relative motion matters: relative to {first}, {second} moves {meters(length)}. {touch}",
            values={"gap": gap - self.radius, "inside": inside}, marks=arrow,
        )  # fmt: skip

    def edge(self, row: list[float]) -> TraceStep:
        whose, edge, vertex, s, rate, t, own_first, own_last = int(row[0]), int(row[1]), int(row[2]), *row[3:8]
        self.n_tested += 1
        own, other = self.sides[whose], self.sides[1 - whose]
        name, ends, n = f"{own.name.upper()}'s edge {edge}", self.ends_of(whose, edge), self.normal_of(whose, edge)
        (x, y) = self.corners[1 - whose][vertex]
        label, height = f"{own.name.upper()}{edge}", self.n_tested - 1.0
        place = f"{name}: {other.name.upper()}'s shadow lies {meters(abs(s))} {'beyond it' if s > 0.0 else 'behind it'}"
        never = math.isnan(t) and s > self.touch
        self.intervals[whose] = [math.inf, -math.inf] if never else [own_first, own_last]
        first, last = self.so_far()
        values = {"s": s, "n.w": rate, "first": first, "last": last}
        question = None
        if math.isnan(t):
            kind, line = "level", 8
            sentence = f"{place} and stays there, so {'they never meet' if never else 'this axis excludes nothing'}."
            if not never:
                self.bars.add(height, -math.inf, math.inf, label)
        else:
            values["t"] = t
            question = Question(
                f"On the axis of {name}, does {other.name.upper()}'s shadow approach or "
                "recede?", ("approach: overlap begins", "recede: overlap ends"),
                int(rate > 0.0),
            )  # fmt: skip
            if rate < 0.0:
                kind, line = "begins", 6
                self.closing.append((t, name, between(*ends)))
                new = f"the latest so far is {moment(first)}" if first != t else "the latest so far"
                sentence = (
                    f"{place} and approaches by {meters(-rate)} during the motion, so the shadows begin to overlap at {moment(t)}, {new}."
                )
                self.bars.add(height, t, math.inf, label)
            else:
                kind, line = "ends", 7
                new = f"the earliest so far is {moment(last)}" if last != t else "the earliest so far"
                sentence = (
                    f"{place} and recedes by {meters(rate)} during the motion, so the shadows stop overlapping at {moment(t)}, {new}."
                )
                self.bars.add(height, -math.inf, t, label)
        foot = (x - s * n[0], y - s * n[1])
        way = (self.way[0], self.way[1]) if whose == 0 else (-self.way[0], -self.way[1])
        middle, reach = between(*ends), 0.3 * math.dist(*ends)
        return self.step(
            kind, line, sentence, looked_at=(Feature(own.name, "edge", edge), Feature(other.name, "vertex", vertex)), axis=n, values=values,
            points=(foot, (x, y)), question=question,
            marks=(
                Mark("line", "bound", ends), Mark("path", "looked_at", ends, text=label),
                Mark("arrow", "looked_at", (middle, (middle[0] + reach * n[0], middle[1] + reach * n[1])), text="n"),
                Mark("path", "best", (foot, (x, y)), text=meters(s)), Mark("point", "new", ((x, y),)),
                Mark("arrow", "other", ((x, y), (x + way[0], y + way[1]))), *([] if math.isnan(t) else self.placed(t, "ghost")),
                *bar(self.top, first, last, "best", "so far"), *self.in_difference(t, n), *self.on_path(t),
            ),
        )  # fmt: skip

    def in_difference(self, t: float, n: Point) -> tuple[Mark, ...]:
        """Return the line that O crosses when the shadows meet, the edge's of the difference."""
        if not abs(t) < _FARTHEST:
            return ()
        x, y, reach = t * self.way[0], t * self.way[1], 0.1 * math.hypot(*self.way)
        return (Mark("line", "bound", ((x, y), (x - reach * n[1], y + reach * n[0])), "difference"),)

    def interval(self) -> TraceStep:
        first, last = self.so_far()
        latest = [k for k, (t, _, _) in enumerate(self.closing) if t == first]
        question = None
        if len(latest) == 1 and 2 <= len(self.closing) <= _MAX_PLACES:
            question = Question(
                "On which axis do the shadows begin to overlap last?", tuple(name for _, name, _ in self.closing), latest[0],
                tuple(place for _, _, place in self.closing),
            )  # fmt: skip
        if first > last:
            parted = math.isinf(first) and first > 0.0
            why = (
                "on one axis the shadows never meet"
                if parted
                else f"on one axis they have already separated at {moment(last)}, before {moment(first)}"
            )
            sentence = f"There is no time at which the shadows overlap on every axis: {why}. The shapes miss each other."
        else:
            which = f" (the last axis is that of {self.closing[latest[0]][1]})" if latest else ""
            sentence = (
                f"The shadows overlap on every axis from {moment(first)}{which} to {moment(last)}; during that time the shapes touch."
            )
        return self.step(
            "interval", 11, sentence, values={"first": first, "last": last}, question=question,
            marks=(*bar(self.top, first, last, "best", "all"), *self.placed(first, "looked_at"), *self.on_path(first)),
        )  # fmt: skip

    def measured(self, row: list[float]) -> TraceStep:
        t, wrong = row[0], row[1] == 1.0
        finding = (
            "they do not touch. Within rounding, the lines of a sharp corner meet short of its tip, so O is cast instead"
            if wrong
            else "they do touch"
        )
        return self.step(
            "measured", 9, f"There is a sharp corner, so the shapes are moved to {moment(t)} and measured: {finding}.",
            values={"t": t, "wrong": row[1]}, marks=self.placed(t, "looked_at"),
        )  # fmt: skip

    def grown(self, row: list[float]) -> TraceStep:
        first, second = (side.name.upper() for side in self.sides)
        r = f", with radii of {meters(self.radius)} around it" if self.radius > 0.0 else ""
        return self.step(
            "grown", 9,
            f"{second} is shrunk to a point O, and {first} is expanded by it: {first} - {second} has {int(row[0])} corners{r}. The shapes "
            "touch while O is inside.",
            values={"corners": row[0]}, marks=(Mark("point", "new", ((0.0, 0.0),), "difference", "O"),),
        )  # fmt: skip

    def rounded_edge(self, row: list[float]) -> TraceStep:
        edge, x, y, nx, ny, length, rate, t, along, first, last = int(row[0]), *row[1:11]
        self.n_tested += 1
        (px, py), n, r = self.direction(x, y), self.direction(nx, ny), self.radius
        ends: tuple[Point, ...] = ()
        name, counts = f"Edge {edge} of the difference", not math.isnan(t) and 0.0 <= along <= length
        if math.isnan(t):
            sentence = f"{name}: O moves parallel to it and does not cross it."
        else:
            start = px + r * n[0], py + r * n[1]
            ends = (start, (start[0] - length * n[1], start[1] + length * n[0]))
            if counts:
                sentence = f"{name}, shifted outward by {meters(r)}: O {'enters' if rate < 0.0 else 'leaves'} through it at {moment(t)}."
                self.bars.add(2.0 * edge, t, t, f"edge {edge}")
            else:
                sentence = (
                    f"{name}, shifted outward by {meters(r)}: O crosses its line "
                    f"at {moment(t)} but beyond its ends, so this is no crossing."
                )
        question = Question(
            f"Does O's path cross edge {edge} of the difference, shifted outward by the radii?", ("yes", "no"), int(not counts)
        )
        return self.step(
            "rounded edge", 10, sentence, axis=n, question=question,
            values={"x": px, "y": py, "n.w": rate, "t": t, "along": along, "length": length, "first": first, "last": last},
            marks=(
                *((Mark("path", "looked_at", ends, "difference", f"edge {edge}"),) if ends else ()),
                *(self.on_path(t) if counts else ()), *(self.placed(t, "ghost") if counts else ()),
                *bar(self.top, first, last, "best", "so far"),
            ),
        )  # fmt: skip

    def rounded_corner(self, row: list[float]) -> TraceStep:
        corner, x, y, away, nearest, half, first, last = int(row[0]), *row[1:8]
        self.n_tested += 1
        center = self.direction(x, y)
        name = f"The circle about corner {corner} of the difference"
        if math.isnan(half):
            sentence = (
                f"{name}: O's path passes {meters(away)} from its center, farther than the sum of the radii, {meters(self.radius)}, so "
                "there is no crossing."
            )
        else:
            sentence = (
                f"{name}: O's path passes {meters(away)} from its center, within the radii, {meters(self.radius)}. It is inside from "
                f"{moment(nearest - half)} to {moment(nearest + half)}."
            )
            self.bars.add(2.0 * corner + 1.0, nearest - half, nearest + half, f"corner {corner}")
        crossings = () if math.isnan(half) else (*self.on_path(nearest - half), *self.on_path(nearest + half))
        foot = (nearest * self.way[0], nearest * self.way[1])
        beside = (Mark("path", "bound", (center, foot), "difference", meters(away)),) if abs(nearest) < _FARTHEST else ()
        question = Question(f"Does O's path cross the circle about corner {corner}?", ("yes", "no"), int(math.isnan(half)))
        return self.step(
            "rounded corner", 10, sentence, question=question,
            values={"x": center[0], "y": center[1], "away": away, "nearest": nearest, "half": half, "first": first, "last": last},
            marks=(
                Mark("circle", "looked_at", (center,), "difference", f"corner {corner}", self.radius), *crossings, *beside,
                *([] if math.isnan(half) else self.placed(nearest - half, "ghost")), *bar(self.top, first, last, "best", "so far"),
            ),
        )  # fmt: skip

    def rounded_end(self, row: list[float]) -> TraceStep:
        first, last = row[0], row[1]
        if first > last:
            sentence = "O's path does not cross the difference: the shapes miss each other."
        else:
            sentence = f"O enters at the earliest crossing, {moment(first)}, and leaves at the latest one, {moment(last)}."
        return self.step(
            "interval", 10, sentence, values={"first": first, "last": last},
            marks=(*self.on_path(first), *self.placed(first, "looked_at"), *bar(self.top, first, last, "best", "inside")),
        )  # fmt: skip

    def answer(self, row: list[float], result: Any) -> TraceStep:
        status, first, last, nx, ny = row[:5]
        axis, line = None, 11
        points: tuple[Point, ...] = ()
        marks: list[Mark] = []
        if status == OVERLAPPING:
            line, sentence = 1, "They touch or overlap at the start: t = 0."
        elif status == HIT:
            axis = self.direction(nx, ny)
            points, normal, (x, y) = self.contact(result)
            what = "a segment" if len(points) > 1 else "a point"
            sentence = f"They touch at {moment(first)}, in {what}, and separate at {moment(last)}."
            reach = 0.2 * math.hypot(*self.way)
            marks += [
                *self.placed(first, "result"), Mark("point", "result", points),
                Mark("arrow", "result", ((x, y), (x + reach * normal[0], y + reach * normal[1])), text="normal"),
            ]  # fmt: skip
        elif self.way == (0.0, 0.0):
            line, sentence = 2, "A miss: the shapes are apart and do not move relative to each other."
        elif first > last:
            sentence = "A miss: there is no time at which they touch."
        else:
            when = "before the start" if first < 0.0 else "after the end"
            sentence = f"A miss: they would touch at {moment(first)}, {when} of the motion."
        return self.step(
            "answer", line, sentence, points=points, axis=axis, values={"first": first, "last": last}, marks=tuple(marks), result=result
        )

    def contact(self, result: Any) -> tuple[tuple[Point, ...], Point, Point]:
        """Return the points of the answer, its normal, and where that is drawn."""
        points = result.contact_set.points
        return points, result.normal, result.point
