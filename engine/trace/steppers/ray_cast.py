"""A ray against a convex shape, step by step: `engine.continuous._ray_kernel`."""

from __future__ import annotations

import math
from typing import Any

from engine.compare.pair.file import Pair
from engine.continuous import ray_cast as chapter
from engine.continuous._ray_kernel import RAY_EDGE, RAY_END, RAY_ENTERED, RAY_PASSED, RAY_SETTLED, RAY_START
from engine.continuous._ray_rounded_kernel import ROUNDED_CORNER, ROUNDED_EDGE, ROUNDED_END
from engine.contracts import RayHit, Status
from engine.contracts.trace import Feature, Mark, Point, Question, TraceStep
from engine.geometry import AnyShape, Polygon, Transform
from engine.narrowphase.scratch import core_of
from engine.trace import given
from engine.trace._bars import TIMES, Bars, bar, moment, step_of_time
from engine.trace._points import between
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm, TraceSteps
from engine.trace.rows import record_rows
from engine.trace.words import meters

__all__ = ["ALGORITHM", "RayCast"]

_MAX_PLACES = 12
"""Maximum number of edges for a question that asks for one."""


class RayCast(Algorithm[PairCase]):
    """Cyrus and Beck's clipping of a ray by the edges of a convex polygon; a rounded shape by its edges shifted out and its circles."""

    title = "Ray cast: where a ray meets a shape"
    page = "ray_cast.md#derivation"
    case_of = staticmethod(given.of_ray)
    pseudo_code = (
        "if the start lies inside: a hit at 0",
        "entry = -inf, exit = inf",
        "for each edge, n its outward normal:",
        "  t = when the ray w crosses the edge's line",
        "  if n.w < 0, it enters: entry = max(entry, t)",
        "  if n.w > 0, it leaves: exit = min(exit, t)",
        "  if n.w = 0 (parallel to the edge) and it is in front: a miss",
        "if entry > exit or exit < 0: a miss",
        "if the point is past its edge's end, at a sharp corner: test again",
        "with a radius, for each edge shifted outward and each corner's circle:",
        "  entry = the earliest crossing, exit = the latest",
        "a hit at the entry if that is in [0, 1]; n is that edge's normal",
    )
    views = (PLANE, TIMES)
    beside = ("shape_cast", "swept_sat")

    @property
    def example(self) -> PairCase:
        house = Polygon([(-1.0, -0.8), (1.0, -0.8), (1.2, 0.3), (0.2, 1.1), (-0.9, 0.6)])
        return PairCase(Pair("ray_cast", house, Transform((0.4, 0.0), 0.2), ray=((-2.2, 0.9), (2.6, 0.2))))

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
        n = len(core_of(case.pair.shape_a)[0])
        is_bare = n > 2 and case.pair.shape_a.radius == 0.0
        return (*case.scenery, *step_of_time(n if is_bare else 2.0 * n))

    def query(self, case: PairCase) -> RayHit:
        pair, (origin, way) = case.pair, _ray(case)
        return chapter.ray_cast(pair.shape_a, pair.pose_a, origin, way)

    def steps(self, case: PairCase) -> list[TraceStep]:
        return _steps(case, *_ray(case))

    def of(self, shape: AnyShape, xf: Transform, origin: Point, translation: Point) -> TraceSteps:
        case = self.case_of(shape, xf, origin, translation)
        return TraceSteps(_steps(case, origin, translation), self, case)

    def takes(self, case: Any) -> bool:
        return isinstance(case, PairCase) and case.pair.ray is not None


def _ray(case: PairCase) -> tuple[Point, Point]:
    """Return the start and the translation."""
    assert case.pair.ray is not None
    (x, y), (end_x, end_y) = case.pair.ray
    return (x, y), (end_x - x, end_y - y)


def _steps(case: PairCase, origin: Point, way: Point) -> list[TraceStep]:
    pair = case.pair
    result, rows = record_rows(lambda trace: chapter.ray_cast(pair.shape_a, pair.pose_a, origin, way, trace))
    return _Decoder(case, origin, way, result).decoded(rows)


class _Decoder:
    def __init__(self, case: PairCase, origin: Point, way: Point, result: RayHit) -> None:
        pair = case.pair
        self.result, self.shape, self.pose, self.origin, self.way = result, pair.shape_a, pair.pose_a, origin, way
        self.core = core_of(pair.shape_a)[0]
        self.corners: list[Point] = [(x, y) for x, y in pair.pose_a.apply_array(self.core).tolist()]
        self.length = math.hypot(*self.way)
        self.is_bare = len(self.corners) > 2 and pair.shape_a.radius == 0.0
        self.bars = Bars()
        self.n_tested, self.touch = 0, 0.0
        self.towards: list[int] = []

    def decoded(self, rows: list[list[float]]) -> list[TraceStep]:
        steps: list[TraceStep] = []
        decode = {
            RAY_START: self.start, RAY_EDGE: self.edge, RAY_ENTERED: self.entered, RAY_PASSED: self.passed, RAY_SETTLED: self.settled,
            ROUNDED_EDGE: self.rounded_edge, ROUNDED_CORNER: self.rounded_corner, ROUNDED_END: self.rounded_end,
        }  # fmt: skip
        for row in rows:
            if row[0] != RAY_END:
                steps.append(decode[row[0]](row[1:]))
        return [*steps, self.answer(steps)]

    # Places

    def at(self, t: float) -> Point:
        return self.origin[0] + t * self.way[0], self.origin[1] + t * self.way[1]

    def direction(self, x: float, y: float) -> Point:
        """Turn a vector from the shape's frame to the world's."""
        return self.pose.rotate((x, y))

    def ends_of(self, edge: int) -> tuple[Point, Point]:
        return self.corners[edge], self.corners[(edge + 1) % len(self.corners)]

    def normal_of(self, edge: int) -> Point:
        x, y = (self.core[(edge + 1) % len(self.core)] - self.core[edge]).tolist()
        length = math.hypot(x, y)
        return self.direction(y / length, -x / length)

    def crossing(self, t: float) -> tuple[Mark, ...]:
        return (Mark("point", "new", (self.at(t),), text=moment(t)),) if abs(t) < 5.0 else ()

    def kept(self, entry: float, leave: float) -> tuple[Mark, ...]:
        """Mark what is left of the ray, and what is cut off."""
        first, last = min(max(entry, 0.0), 1.0), min(max(leave, 0.0), 1.0)
        if entry > leave or leave < 0.0 or entry > 1.0:
            return (Mark("path", "dropped", (self.origin, self.at(1.0))),)
        parts = [Mark("path", "kept", (self.at(first), self.at(last)))]
        parts += [Mark("path", "dropped", (self.at(s), self.at(e))) for s, e in ((0.0, first), (last, 1.0)) if e > s]
        return tuple(parts)

    def step(self, kind: str, line: int, sentence: str, **more: Any) -> TraceStep:
        marks = (*self.bars.shown(), *more.pop("marks", ()))
        return TraceStep(kind, line, sentence, marks=marks, cost={"edges and corners": self.n_tested}, **more)

    # Rows

    def start(self, row: list[float]) -> TraceStep:
        is_inside, self.touch = row[0] == 1.0, row[5]
        inside = "inside the shape, so there is no entry to find" if is_inside else "outside, so the ray may enter"
        long = "no length" if self.length == 0.0 else f"{meters(self.length)} long"
        return self.step(
            "start", 0, f"The ray is {long}; its start lies {inside}.", points=(self.origin,), values={"inside": row[0]},
            marks=(Mark("point", "result" if is_inside else "looked_at", (self.origin,), text="start"),),
        )  # fmt: skip

    def edge(self, row: list[float]) -> TraceStep:
        edge, in_front, rate, t, entry, leave = int(row[0]), *row[1:6]
        self.n_tested += 1
        ends, n = self.ends_of(edge), self.normal_of(edge)
        name = f"Edge {edge}: the start is {meters(abs(in_front))} {'in front of' if in_front > 0.0 else 'behind'} its line"
        values = {"in front": in_front, "n.w": rate, "entry": entry, "exit": leave}
        if math.isnan(t):
            is_out = in_front > self.touch
            sentence = f"{name}, and the ray runs parallel to it: {'it stays outside' if is_out else 'this edge does not limit it'}."
            if not is_out:
                self.bars.add(edge, -math.inf, math.inf, f"edge {edge}")
            kind, line = "along", 6
        else:
            values["t"] = t
            kind, line = ("entry", 4) if rate < 0.0 else ("exit", 5)
            if rate < 0.0:
                self.towards.append(edge)
                new = f"the latest entry so far is {moment(entry)}" if entry == t else f"{moment(entry)} is later, so nothing changes"
                sentence = f"{name}, and the ray moves toward it, so it is outside until {moment(t)}; {new}."
                self.bars.add(edge, t, math.inf, f"edge {edge}")
            else:
                new = f"the earliest exit so far is {moment(leave)}" if leave == t else f"{moment(leave)} is earlier, so nothing changes"
                sentence = f"{name}, and the ray moves away from it, so it is outside after {moment(t)}; {new}."
                self.bars.add(edge, -math.inf, t, f"edge {edge}")
        question = Question(
            f"Does the ray move toward edge {edge} or away from it?", ("toward it: an entry", "away from it: an exit"), int(rate > 0.0)
        )
        return self.step(
            kind, line, sentence, looked_at=(Feature("a", "edge", edge),), axis=n, values=values,
            points=(self.at(t),) if abs(t) < 5.0 else (), question=None if math.isnan(t) else question,
            marks=(
                Mark("line", "bound", ends), Mark("path", "looked_at", ends, text=f"edge {edge}"), *self.outward(ends, n),
                *self.kept(entry, leave), *([] if math.isnan(t) else self.crossing(t)),
                *bar(len(self.corners), entry, leave, "best", "so far"),
            ),
        )  # fmt: skip

    def outward(self, ends: tuple[Point, Point], n: Point) -> tuple[Mark, ...]:
        middle, reach = between(*ends), 0.3 * math.dist(*ends)
        return (
            (Mark("arrow", "looked_at", (middle, (middle[0] + reach * n[0], middle[1] + reach * n[1])), text="n"),) if reach > 0.0 else ()
        )

    def entered(self, row: list[float]) -> TraceStep:
        edge, t, entry, leave = int(row[0]), *row[1:4]
        question = None
        if 2 <= len(self.towards) <= _MAX_PLACES:
            places = tuple(between(*self.ends_of(k)) for k in self.towards)
            question = Question(
                "Through which edge does the ray enter?", tuple(f"edge {k}" for k in self.towards), self.towards.index(edge), places
            )
        return self.step(
            "entered", 7,
            f"The last entry, at {moment(entry)} through edge {edge}, is before the first exit, at {moment(leave)}: between them the ray "
            "is "
            "behind all edges, that is, inside.",
            looked_at=(Feature("a", "edge", edge),), points=(self.at(t),), axis=self.normal_of(edge),
            values={"t": t, "entry": entry, "exit": leave}, question=question,
            marks=(
                Mark("path", "best", self.ends_of(edge), text=f"edge {edge}"), *self.kept(entry, leave), *self.crossing(t),
                *bar(len(self.corners), entry, leave, "best", "inside"),
            ),
        )  # fmt: skip

    def passed(self, row: list[float]) -> TraceStep:
        entry, leave = row[0], row[1]
        why = (
            f"the first exit, {moment(leave)}, is before the last entry, {moment(entry)}: the ray is never behind all edges at once"
            if entry > leave
            else f"it left the shape at {moment(leave)}, before its start"
            if leave < 0.0
            else "it runs parallel to an edge, outside the shape"
        )
        return self.step(
            "passed", 7 if entry > leave or leave < 0.0 else 6, "The ray's line misses the shape: "
            f"{why}.", values={"entry": entry, "exit": leave},
            marks=(Mark("path", "dropped", (self.origin, self.at(1.0))),),
        )  # fmt: skip

    def settled(self, row: list[float]) -> TraceStep:
        edge, before, after = int(row[0]), row[1], row[2]
        verb = "misses the shape" if math.isinf(after) else f"meets the shape at {moment(after)}"
        return self.step(
            "settled", 8,
            f"At {moment(before)} the ray is on the line of edge {edge}, but past its end: within rounding, the lines of a sharp corner "
            f"meet short of its tip. Tested against each edge between its ends, the ray {verb}.",
            looked_at=(Feature("a", "edge", edge),), values={"before": before, "t": after},
            marks=(Mark("path", "looked_at", self.ends_of(edge)), *self.crossing(after)),
        )  # fmt: skip

    def rounded_edge(self, row: list[float]) -> TraceStep:
        edge, length, rate, t, along, entry, leave = int(row[0]), *row[5:11]
        self.n_tested += 1
        n, r = self.direction(row[3], row[4]), self.shape.radius
        (x, y), (to_x, to_y) = self.ends_of(edge)
        ends = (x + r * n[0], y + r * n[1]), (to_x + r * n[0], to_y + r * n[1])
        name = f"Edge {edge}" + (f", shifted outward by {meters(r)}" if r > 0.0 else "")
        counts = not math.isnan(t) and 0.0 <= along <= length
        if math.isnan(t):
            sentence = f"{name}: the ray runs parallel to it and does not cross its line."
        elif counts:
            sentence = f"{name}: the ray crosses it between its ends at {moment(t)}, and {'enters' if rate < 0.0 else 'leaves'} there."
            self.bars.add(2.0 * edge, t, t, f"edge {edge}")
        else:
            sentence = f"{name}: the ray crosses its line at {moment(t)} but past its ends, so this does not count."
        return self.step(
            "rounded edge", 9, sentence, looked_at=(Feature("a", "edge", edge),), axis=n, points=(self.at(t),) if counts else (),
            values={"n.w": rate, "t": t, "along": along, "length": length, "entry": entry, "exit": leave},
            marks=(
                Mark("path", "looked_at", ends, text=f"edge {edge}"), *(self.crossing(t) if counts else ()), *self.kept(entry, leave),
                *bar(2.0 * len(self.corners), entry, leave, "best", "so far"),
            ),
        )  # fmt: skip

    def rounded_corner(self, row: list[float]) -> TraceStep:
        corner, away, nearest, half, entry, leave = int(row[0]), *row[3:8]
        self.n_tested += 1
        r = self.shape.radius
        what = "The circle" if len(self.corners) == 1 else f"The circle about corner {corner}"
        if math.isnan(half):
            sentence = f"{what}: the ray's line passes its center at {meters(away)}, farther than the radius, {meters(r)}, so it misses."
        else:
            sentence = (
                f"{what}: the ray's line passes its center at {meters(away)}, within the radius, {meters(r)}, and is inside from "
                f"{moment(nearest - half)} to {moment(nearest + half)}."
            )
            self.bars.add(2.0 * corner + 1.0, nearest - half, nearest + half, f"arc {corner}")
        crossings = () if math.isnan(half) else (*self.crossing(nearest - half), *self.crossing(nearest + half))
        beside = (Mark("path", "bound", (self.corners[corner], self.at(nearest)), text=meters(away)),) if abs(nearest) < 5.0 else ()
        return self.step(
            "rounded corner", 9, sentence, looked_at=(Feature("a", "vertex", corner),),
            values={"away": away, "nearest": nearest, "half": half, "entry": entry, "exit": leave},
            marks=(
                Mark("circle", "looked_at", (self.corners[corner],), text=f"corner {corner}", radius=r), *crossings, *beside,
                *self.kept(entry, leave), *bar(2.0 * len(self.corners), entry, leave, "best", "so far"),
            ),
        )  # fmt: skip

    def rounded_end(self, row: list[float]) -> TraceStep:
        entry, leave, corner = row[0], row[1], int(row[4])
        if entry > leave:
            return self.step(
                "passed", 7, "The ray's line crosses neither an edge nor a circle, so it misses the "
                "shape.", values={"entry": entry, "exit": leave},
                marks=(Mark("path", "dropped", (self.origin, self.at(1.0))),),
            )  # fmt: skip
        met = "on a shifted edge" if corner < 0 else f"at the arc of corner {corner}" if len(self.corners) > 1 else "on the circle"
        return self.step(
            "entered", 10,
            f"The earliest crossing, {moment(entry)}, is the entry, and the latest, {moment(leave)}, is the exit, because the shape is "
            "convex. "
            f"The point lies {met}.",
            points=(self.at(entry),) if abs(entry) < 5.0 else (), axis=self.direction(row[2], row[3]),
            values={"t": entry, "entry": entry, "exit": leave},
            marks=(*self.kept(entry, leave), *self.crossing(entry), *bar(2.0 * len(self.corners), entry, leave, "best", "inside")),
        )  # fmt: skip

    def answer(self, before: list[TraceStep]) -> TraceStep:
        hit = self.result
        line, marks = 11, []
        if hit.status is Status.MISS:
            entry = before[-1].values.get("t", before[-1].values.get("entry", math.inf))
            sentence = "A miss."
            if self.length == 0.0:
                sentence = "A miss, because the ray has no length and starts outside."
            elif before[-1].kind in ("entered", "settled") and math.isfinite(entry):
                sentence = f"A miss: the entry, {moment(entry)}, is not in [0, 1], because " + (
                    "the ray ends before it." if entry > 1.0 else "it lies behind the start."
                )
            line = 11 if before[-1].kind in ("entered", "settled") else before[-1].line
            marks.append(Mark("path", "dropped", (self.origin, self.at(1.0))))
        elif hit.normal is None or hit.point is None:
            line, sentence = 0, "A hit at t = 0, without a normal, because the ray starts inside the shape."
            marks.append(Mark("point", "result", (self.origin,), text="hit"))
        else:
            x, y = hit.point
            sentence = f"A hit at {moment(hit.fraction)}, {meters(hit.fraction * self.length)} along the ray, at ({x:.3f}, {y:.3f})."
            reach = 0.2 * self.length
            marks += [
                Mark("path", "kept", (self.origin, hit.point)), Mark("point", "result", (hit.point,), text="hit"),
                Mark("arrow", "result", (hit.point, (x + reach * hit.normal[0], y + reach * hit.normal[1])), text="normal"),
            ]  # fmt: skip
            top = len(self.corners) if self.is_bare else 2.0 * len(self.corners)
            marks += bar(top, hit.fraction, hit.fraction, "result", "hit")
        points = () if hit.point is None else (hit.point,)
        return self.step(
            "answer", line, sentence, points=points, axis=hit.normal, values={"fraction": hit.fraction}, marks=tuple(marks), result=hit
        )


ALGORITHM = RayCast()
