"""Shapes that only translate, step by step: events of `engine.continuous._swept_kernel`, in the world's axes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from engine import query
from engine.common.checks import point
from engine.continuous._ray_rounded_kernel import RoundedCorner, RoundedEdge, RoundedEnd
from engine.continuous._swept_kernel import SweptDifference, SweptEdge, SweptEnd, SweptMeasured, SweptStart
from engine.contracts import RayHit, SweptContact
from engine.contracts.status import HIT, OVERLAPPING
from engine.contracts.trace import Feature, Mark, Point, Question, Role, View
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Transform, check_shape
from engine.trace import given
from engine.trace._times import TIMES, Side, TimesDecoder, bar, step_of_time
from engine.trace.cases import PairCase, shape_mark
from engine.trace.marks import Marks, Points, along, arrow, between, dot, hull_mark, path
from engine.trace.protocol import PLANE, Algorithm, code
from engine.trace.words import meters, moment, square_meters

__all__ = ["ALGORITHMS"]

SWEPT_DIFFERENCE_VIEW = View("difference", "the moving shape shrunk to a point O, the other expanded by it")


_MAX_PLACES = 12
"""Maximum number of edges among which a question lets the student choose."""


_FARTHEST = 2.0
"""Motions up to which a crossing is drawn."""


def _n_bars(first: Side, second: Side) -> float:
    """Return the number of bars: for edges, or for the difference's edges and corners."""
    n_a, n_b = len(first.shape.core), len(second.shape.core)
    if first.shape.radius + second.shape.radius == 0.0:
        return float(n_a * (n_a > 1) + n_b * (n_b > 1))
    return 2.0 * (n_a * n_b if min(n_a, n_b) == 1 else n_a + n_b)


def _relative(first: Side, second: Side) -> Point:
    return second.way[0] - first.way[0], second.way[1] - first.way[1]


@lru_cache(maxsize=4)
def _scenery(case: PairCase, first: Side, second: Side) -> Marks:
    """Return the shapes, the frame of the bars, the difference first - second, which the edge tests do not build, and O's path in it."""
    cores = [side.pose.apply_array(side.shape.core) for side in (first, second)]
    points = (cores[0][:, None] - cores[1][None]).reshape(-1, 2)
    body = hull_mark(points, "difference", first.shape.radius + second.shape.radius)
    way = arrow("other", (0.0, 0.0), _relative(first, second), view="difference", text="O")
    return (*case.scenery, *step_of_time(_n_bars(first, second)), body, way)


class SweptAlgorithm(Algorithm[PairCase]):
    """An algorithm on two shapes that translate."""

    page = "swept.md#derivation"

    def case_of(self, *arguments: Any, **named: Any) -> PairCase:
        return given.of_velocities(*arguments, **named)

    def sides(self, case: PairCase) -> tuple[Side, Side]:
        """Return both shapes in the order of the kernel."""
        a, xf_a, b, xf_b = case.both
        way_a, way_b = case.translations
        return Side("a", a, xf_a, way_a), Side("b", b, xf_b, way_b)

    def scenery(self, case: PairCase) -> Marks:
        return _scenery(case, *self.sides(case))

    def query(self, case: PairCase) -> Any:
        (a, xf_a, b, xf_b), (way_a, way_b) = case.both, case.translations
        return query.swept_contact(a, xf_a, way_a, b, xf_b, way_b, 1.0)

    def fits(self, case: PairCase) -> bool:
        return case.translates


class SweptDecoder(TimesDecoder):
    """Turns events into steps; the first side is the kernel's A."""

    algorithm: SweptAlgorithm

    def set_up(self) -> None:
        super().set_up()
        self.names = [side.name.upper() for side in self.sides]
        self.radius = sum(side.shape.radius for side in self.sides)
        self.way, self.top = _relative(*self.sides), _n_bars(*self.sides)
        self.length = math.hypot(*self.way)
        self.intervals = [[-math.inf, math.inf], [-math.inf, math.inf]]
        self.closing: list[tuple[float, str, Point]] = []

    def placed(self, t: float, role: Role) -> Marks:
        """Return the marks of the moved shapes at a moment of the motion."""
        if not 0.0 < t <= 1.0:
            return ()
        moving = (side for side in self.sides if side.way != (0.0, 0.0))
        return tuple(
            shape_mark(side.shape, Transform(along(side.pose.position, side.way, t), side.pose.angle), role,
                       f"{side.name.upper()} at {moment(t)}")
            for side in moving
        )  # fmt: skip

    def on_path(self, t: float) -> Marks:
        """Return the position of O on its path through the difference."""
        x, y = self.way
        return (dot("new", (t * x, t * y), view="difference", text=moment(t)),) if abs(t) < _FARTHEST else ()

    def so_far(self) -> tuple[float, float]:
        (first_a, last_a), (first_b, last_b) = self.intervals
        return max(first_a, first_b), min(last_a, last_b)

    def swept_start(self, e: SweptStart) -> None:
        is_inside, self.touch = e.is_inside, e.touch
        gap = e.gap - self.radius
        touch = "They already touch or overlap." if is_inside else f"They are now at least {meters(gap)} apart."
        first, second = self.names
        self.add(
            "start", int(is_inside),
            f"Only the relative motion matters: relative to {first}, {second} moves {meters(self.length)}. {touch}",
            values={"gap": gap, "inside": float(is_inside)}, marks=self.way_marks(),
        )  # fmt: skip

    def way_marks(self) -> Marks:
        """Return the relative motion."""
        side = self.sides[1]
        at = side.pose.apply(side.shape.centroid)
        return (arrow("looked_at", at, self.way, text=f"relative to {self.names[0]}"),) if self.length > 0.0 else ()

    def swept_edge(self, e: SweptEdge) -> None:
        whose, edge, t, s = e.whose, e.edge, e.t, e.s
        self.n_tested += 1
        own, other = self.names[whose], self.names[1 - whose]
        name, label, height = f"{own}'s edge {edge}", f"{own}{edge}", self.n_tested - 1.0
        ends, n, corner = self.ends_of(edge, whose), self.normal_of(edge, whose), self.corners[1 - whose][e.vertex]
        place = f"{name}: {other}'s shadow lies {meters(abs(s))} {'beyond it' if s > 0.0 else 'behind it'}"
        never = math.isnan(t) and s > self.touch
        self.intervals[whose] = [math.inf, -math.inf] if never else [e.first, e.last]
        first, last = self.so_far()
        values = {"s": s, "n.w": e.rate, "first": first, "last": last} | ({} if math.isnan(t) else {"t": t})
        if math.isnan(t):
            kind, line, bar_of = "level", 8, (-math.inf, math.inf)
            sentence = f"{place} and stays there, so {'they never meet' if never else 'this axis excludes no time'}."
        elif e.rate < 0.0:
            kind, line, bar_of = "begins", 6, (t, math.inf)
            self.closing.append((t, name, between(*ends)))
            new = f"; the latest time so far is {moment(first)}" if first != t else ", the latest so far"
            sentence = (
                f"{place} and approaches by {meters(-e.rate)} during the motion, so the shadows begin to overlap at {moment(t)}{new}."
            )
        else:
            kind, line, bar_of = "ends", 7, (-math.inf, t)
            new = f"; the earliest time so far is {moment(last)}" if last != t else ", the earliest so far"
            sentence = f"{place} and recedes by {meters(e.rate)} during the motion, so the shadows stop overlapping at {moment(t)}{new}."
        if not never:
            self.add_bar(height, *bar_of, label)
        foot = (corner[0] - s * n[0], corner[1] - s * n[1])
        prompt = f"On the axis of {name}, does {other}'s shadow approach or recede?"
        question = Question(prompt, ("approach: overlap begins", "recede: overlap ends"), int(e.rate > 0.0))
        self.add(
            kind, line, sentence, (Feature(own.lower(), "edge", edge), Feature(other.lower(), "vertex", e.vertex)), (foot, corner), n,
            values=values, question=None if math.isnan(t) else question,
            marks=(
                *self.edge_marks(ends, n, label), path("best", foot, corner, text=meters(s)), dot("new", corner),
                arrow("other", corner, self.way, -1.0 if whose else 1.0), *([] if math.isnan(t) else self.placed(t, "ghost")),
                *bar(self.top, first, last, "best", "so far"), *self.in_difference(t, n), *self.on_path(t),
            ),
        )  # fmt: skip
        following = next(self.ahead, None)
        if type(following) is not type(e):
            self.interval()

    def in_difference(self, t: float, n: Point) -> Marks:
        """Return the line that O crosses when the shadows meet, the edge's of the difference."""
        if not abs(t) < _FARTHEST:
            return ()
        at, reach = (t * self.way[0], t * self.way[1]), 0.1 * self.length
        return (Mark("line", "bound", (at, (at[0] - reach * n[1], at[1] + reach * n[0])), "difference"),)

    def interval(self) -> None:
        first, last = self.so_far()
        latest = [k for k, (t, _, _) in enumerate(self.closing) if t == first]
        question = None
        if len(latest) == 1 and 2 <= len(self.closing) <= _MAX_PLACES:
            _, names, places = zip(*self.closing, strict=True)
            question = Question("On which axis do the shadows begin to overlap last?", names, latest[0], places)
        if first > last:
            why = (
                "on one axis the shadows never meet"
                if math.isinf(first) and first > 0.0
                else f"on one axis they have already separated at {moment(last)}, before {moment(first)}"
            )
            sentence = f"There is no time at which the shadows overlap on every axis: {why}. The shapes miss each other."
        else:
            which = f" (the last axis belongs to {self.closing[latest[0]][1]})" if latest else ""
            sentence = (
                f"The shadows overlap on every axis from {moment(first)}{which} to {moment(last)}; during that time the shapes touch."
            )
        self.add(
            "interval", 11, sentence, values={"first": first, "last": last}, question=question,
            marks=(*bar(self.top, first, last, "best", "all"), *self.placed(first, "looked_at"), *self.on_path(first)),
        )  # fmt: skip

    def swept_measured(self, e: SweptMeasured) -> None:
        says = (
            "they do not touch. Within rounding, the lines of a sharp corner meet short of its tip, so O is cast instead"
            if e.is_wrong
            else "they do touch"
        )
        self.add(
            "measured", 9, f"There is a sharp corner, so the shapes are moved to {moment(e.t)} and measured: {says}.",
            values={"t": e.t, "wrong": float(e.is_wrong)}, marks=self.placed(e.t, "looked_at"),
        )  # fmt: skip

    def swept_difference(self, e: SweptDifference) -> None:
        first, second = self.names
        r = f", with radii of {meters(self.radius)} around it" if self.radius > 0.0 else ""
        self.add(
            "grown", 9,
            f"{second} is shrunk to a point O, and {first} is expanded by it: {first} - {second} has {e.n_corners} corners{r}. The "
            "shapes touch while O is inside.",
            values={"corners": float(e.n_corners)}, marks=(dot("new", (0.0, 0.0), view="difference", text="O"),),
        )  # fmt: skip

    def rounded_edge(self, e: RoundedEdge) -> None:
        if e.n == (0.0, 0.0):  # a point has no edge
            return
        edge, t, r = e.edge, e.t, self.radius
        self.n_tested += 1
        at, n = self.direction(e.vertex), self.direction(e.n)
        name, counts = f"Edge {edge} of the difference", not math.isnan(t) and 0.0 <= e.along <= e.length
        shifted = f"{name}, shifted outward by {meters(r)}: O"
        ends: Marks = ()
        if math.isnan(t):
            sentence = f"{name}: O moves parallel to it and does not cross it."
        else:
            start = along(at, n, r)
            end = (start[0] - e.length * n[1], start[1] + e.length * n[0])
            ends = (path("looked_at", start, end, view="difference", text=f"edge {edge}"),)
            if counts:
                sentence = f"{shifted} {'enters' if e.rate < 0.0 else 'leaves'} through it at {moment(t)}."
                self.add_bar(2.0 * edge, t, t, f"edge {edge}")
            else:
                sentence = f"{shifted} crosses its line at {moment(t)} but beyond its ends, so this is not a crossing."
        prompt = f"Does O's path cross edge {edge} of the difference, shifted outward by the radii?"
        self.add(
            "rounded edge", 10, sentence, axis=n, question=Question(prompt, ("yes", "no"), int(not counts)),
            values={"x": at[0], "y": at[1], "n.w": e.rate, "t": t, "along": e.along, "length": e.length, "first": e.first, "last": e.last},
            marks=(
                *ends, *((*self.on_path(t), *self.placed(t, "ghost")) if counts else ()), *bar(self.top, e.first, e.last, "best", "so far"),
            ),
        )  # fmt: skip

    def rounded_corner(self, e: RoundedCorner) -> None:
        corner, away, nearest, half = e.corner, e.away, e.nearest, e.half
        self.n_tested += 1
        center, passes = self.direction(e.vertex), math.isnan(half)
        name = f"The circle about corner {corner} of the difference: O's path passes {meters(away)} from its center"
        crossings: Marks = ()
        placed: Marks = ()
        if passes:
            sentence = f"{name}, farther than the sum of the radii, {meters(self.radius)}, so there is no crossing."
        else:
            enters, leaves = nearest - half, nearest + half
            sentence = f"{name}, within the radii, {meters(self.radius)}. It is inside from {moment(enters)} to {moment(leaves)}."
            self.add_bar(2.0 * corner + 1.0, enters, leaves, f"corner {corner}")
            crossings, placed = (*self.on_path(enters), *self.on_path(leaves)), self.placed(enters, "ghost")
        foot = (nearest * self.way[0], nearest * self.way[1])
        beside = (path("bound", center, foot, view="difference", text=meters(away)),) if abs(nearest) < _FARTHEST else ()
        self.add(
            "rounded corner", 10, sentence,
            question=Question(f"Does O's path cross the circle about corner {corner}?", ("yes", "no"), int(passes)),
            values={"x": center[0], "y": center[1], "away": away, "nearest": nearest, "half": half, "first": e.first, "last": e.last},
            marks=(
                Mark("circle", "looked_at", (center,), "difference", f"corner {corner}", self.radius), *crossings, *beside, *placed,
                *bar(self.top, e.first, e.last, "best", "so far"),
            ),
        )  # fmt: skip

    def rounded_end(self, e: RoundedEnd) -> None:
        if e.first > e.last:
            sentence = "O's path does not cross the difference: the shapes miss each other."
        else:
            sentence = f"O enters at the earliest crossing, {moment(e.first)}, and leaves at the latest one, {moment(e.last)}."
        self.add(
            "interval", 10, sentence, values={"first": e.first, "last": e.last},
            marks=(*self.on_path(e.first), *self.placed(e.first, "looked_at"), *bar(self.top, e.first, e.last, "best", "inside")),
        )  # fmt: skip

    def swept_end(self, e: SweptEnd) -> None:
        self.ended = e

    def answer(self) -> None:
        first, last, result = self.ended.first, self.ended.last, self.result
        axis, line, marks = None, 11, ()
        points: Points = ()
        if self.ended.status == OVERLAPPING:
            line, sentence = 1, "They touch or overlap at the start: t = 0."
        elif self.ended.status == HIT:
            axis = self.direction(self.ended.n)
            points = result.contact_set.points if isinstance(result, SweptContact) else (result.point,)
            what = "along a segment" if len(points) > 1 else "at a point"
            sentence = f"They touch {what} at {moment(first)} and separate at {moment(last)}."
            marks = (
                *self.placed(first, "result"), dot("result", *points),
                arrow("result", result.point, result.normal, 0.2 * self.length, text="normal"),
            )  # type: ignore[assignment]  # fmt: skip
        elif self.way == (0.0, 0.0):
            line, sentence = 2, "They miss: they are apart and do not move relative to each other."
        elif first > last:
            sentence = "They miss: there is no time at which they touch."
        else:
            when = "before the start" if first < 0.0 else "after the end"
            sentence = f"They miss: they would touch at {moment(first)}, {when} of the motion."
        self.add("answer", line, sentence, (), points, axis, values={"first": first, "last": last}, marks=marks, result=result)


class SweptSat(SweptAlgorithm):
    """The separating axis test of two translating shapes: first and last time of each axis."""

    name = "swept_sat"
    title = "Swept SAT: first and last contact of two sliding shapes"
    pseudo_code = code("""
        w = B's motion relative to A
        if they touch at the start: an overlap
        if w = 0: a miss
        for each edge of A and of B, n its outward normal:
          s = distance of the other shape's shadow beyond the edge, along n
          r = its rate: n.w, for B's edges -n.w
          r < 0: the shadows begin to overlap at -s / r; first = the latest
          r > 0: they stop overlapping at -s / r; last = the earliest
          r = 0 and s > 0: a miss
        if there are radii, or a tip was missed: cast O along w at A - B:
          first, last = earliest, latest crossing of edges and circles
        contact at first, if first <= last and first is in [0, 1]
    """)
    views = (PLANE, TIMES, SWEPT_DIFFERENCE_VIEW)
    beside = ("conservative_advancement", "shape_cast", "bisection")
    decoder = SweptDecoder
    example = given.of_velocities(
        Polygon([(-0.9, -0.6), (0.7, -0.7), (1.0, 0.2), (0.1, 0.9)]), Transform(), (0.5, 0.0),
        Polygon([(-0.6, -0.5), (0.7, -0.4), (0.1, 0.7)]), Transform((-2.3, 1.9), 0.4), (4.6, -2.3),
    )  # fmt: skip


class ShapeCast(SweptAlgorithm):
    """A ray with a shape: A is cast at B, which is at rest."""

    name = "shape_cast"
    title = "Shape cast: where a cast shape first touches"
    page = "shape_cast.md#derivation"
    pseudo_code = code("""
        w = the translation of A; B is at rest
        if they touch at the start: a hit at 0
        if w = 0: a miss
        for each edge of B and of A, n its outward normal:
          s = distance of the other shape's shadow beyond the edge, along n
          r = its rate: n.w, for A's edges -n.w
          r < 0: the shadows begin to overlap at -s / r; first = the latest
          r > 0: they stop overlapping at -s / r; last = the earliest
          r = 0 and s > 0: a miss
        if there are radii, or a tip was missed: cast O along w at B - A:
          first, last = earliest, latest crossing of edges and circles
        a hit at first, if first <= last and first is in [0, 1]
    """)
    views = (PLANE, SWEPT_DIFFERENCE_VIEW, TIMES)
    beside = ("ray_cast", "swept_sat", "conservative_advancement")
    decoder = SweptDecoder
    example = given.of_velocities(
        Capsule((-0.35, 0.0), (0.35, 0.2), 0.25), Transform((-2.4, 1.2), 0.5), (4.2, -1.3),
        Polygon([(-0.7, -0.6), (0.6, -0.9), (1.0, 0.3), (-0.2, 1.0)]), Transform((0.6, 0.0)), (0.0, 0.0),
    )  # fmt: skip

    def query(self, case: PairCase) -> RayHit:
        a, xf_a, b, xf_b = case.both
        return query.shape_cast(a, xf_a, case.translations[0], b, xf_b)

    def sides(self, case: PairCase) -> tuple[Side, Side]:
        first, second = super().sides(case)
        return second, first

    def case_of(self, shape: AnyShape, xf: Transform, translation: Point, target: AnyShape, xf_target: Transform) -> PairCase:
        """Return the case of the arguments of `engine.query.shape_cast`."""
        check_shape("target", target)
        point("translation", translation)
        return given.of_velocities(shape, xf, translation, target, xf_target, (0.0, 0.0))

    def fits(self, case: PairCase) -> bool:
        return case.translates and case.pair.end_b == case.pair.pose_b


_SAMPLES = 48


class _DiscsDecoder(SweptDecoder):
    """Decodes the events of the one circle of the difference."""

    n_roots: int | None = None

    @property
    def cost(self) -> dict[str, int]:
        return {} if self.n_roots is None else {"square roots": self.n_roots}

    def add(self, kind: str, line: int, sentence: str, *about: Any, marks: Iterable[Mark] = (), **more: Any) -> None:
        if kind == "answer":
            self.n_roots = self.n_roots or 0
            line = 1 if "overlap" in sentence else 2 if self.way == (0.0, 0.0) else 8
            marks = (*marks, *self.on_curve(more["values"]["first"], self.radius * self.radius, "result", "first"))
        super().add(kind, line, sentence, *about, marks=marks, **more)

    def centers(self, t: float) -> tuple[Point, Point]:
        """Return both centers at a moment."""
        at_a, at_b = (along(corner, side.way, t) for side, (corner,) in zip(self.sides, self.corners, strict=True))
        return at_a, at_b

    def swept_start(self, e: SweptStart) -> None:
        at_a, at_b = self.centers(0.0)
        distance = math.dist(at_a, at_b)
        is_inside = e.is_inside
        self.add(
            "start", int(is_inside),
            f"The centers are {meters(distance)} apart, {'at most' if is_inside else 'more than'} the sum of the radii, "
            f"r = {meters(self.radius)}. Relative to A, B moves {meters(self.length)}.",
            points=(at_a, at_b), values={"gap": e.gap - self.radius, "inside": float(e.is_inside), "|c|": distance, "r": self.radius},
            marks=(
                *self.way_marks(), Mark("circle", "bound", (at_a,), text="A expanded by B's radius", radius=self.radius),
                Mark("arrow", "best", (at_b, at_a), text="c"), dot("new", (0.0, distance * distance), view="quadratic"),
            ),
        )  # fmt: skip

    def swept_difference(self, e: SweptDifference) -> None:
        """The difference is a circle, which needs no step of its own."""

    def rounded_end(self, e: RoundedEnd) -> None:
        """The answer is the same."""

    def rounded_corner(self, e: RoundedCorner) -> None:
        away, nearest = e.away, e.nearest
        at_a, at_b = self.centers(nearest)
        passes, is_drawn, r = math.isnan(e.half), abs(nearest) < 5.0, meters(self.radius)
        so = f"more than r = {r}, so they miss." if passes else f"within r = {r}, so they touch."
        self.add(
            "nearest", 5 if passes else 4, f"B's center is nearest to A's at t0, {moment(nearest)}. It is then {meters(away)} away, {so}",
            points=(at_a, at_b) if is_drawn else (), values={"t0": nearest, "d": away, "r": self.radius},
            marks=(
                *self.placed(nearest, "looked_at"), *((path("best", at_a, at_b, text=meters(away)),) if is_drawn else ()),
                *self.on_curve(nearest, away * away, "new", "nearest"),
            ),
            question=Question(f"d = {meters(away)}, r = {r}: do they touch during the motion?", ("yes", "no"), int(passes)),
        )  # fmt: skip
        if passes:
            return
        self.n_roots = 1
        r_sq = self.radius * self.radius
        self.add(
            "chord", 7,
            f"B takes h = {e.half:.3g} to move from the edge of A's expanded disc to its position at t0, so the first contact is at "
            f"{moment(e.first)}, and the last one is at {moment(e.last)}.",
            values={"h": e.half, "first": e.first, "last": e.last},
            marks=(
                *self.placed(e.first, "looked_at"), *self.placed(e.last, "ghost"), *self.on_curve(e.first, r_sq, "new", "first"),
                *self.on_curve(e.last, r_sq, "new", "last"),
            ),
        )  # fmt: skip

    def on_curve(self, t: float, value: float, role: Role, text: str) -> Marks:
        return (dot(role, (t, value), view="quadratic", text=text),) if -0.25 <= t <= 1.25 else ()


class MovingDiscs(SweptAlgorithm):
    """First and last touch of two discs: a line and a circle."""

    name = "moving_discs"
    title = "Two moving discs: one quadratic"
    pseudo_code = code("""
        w = B's motion relative to A; c = from B's center to A's
        r = the sum of the radii; if |c| <= r: an overlap at 0
        if w = 0: a miss
        t0 = c.w / w.w, when B's center is nearest to A's
        d = |c x w| / |w|, their distance at that time
        if d > r: they miss each other
        h = sqrt(r^2 w.w - (c x w)^2) / w.w, half the time within r
        first = t0 - h, last = t0 + h
        contact at first if that is in [0, 1]
    """)
    views = (PLANE, View("quadratic", "the centers' distance, squared", x="fraction of the motion", y="m^2"))
    beside = ("conservative_advancement", "shape_cast")
    only = "of two discs"
    decoder = _DiscsDecoder
    example = PairCase(
        given.of_velocities(Circle(0.8), Transform((0.4, -0.3)), (0.3, 0.2), Circle(0.5), Transform((-2.6, 0.9)), (5.4, -0.9)).pair
    )

    def scenery(self, case: PairCase) -> Marks:
        a, b = self.sides(case)
        (ax, ay), (bx, by) = a.pose.apply(a.shape.centroid), b.pose.apply(b.shape.centroid)
        c, w, r = (ax - bx, ay - by), (b.way[0] - a.way[0], b.way[1] - a.way[1]), a.shape.radius + b.shape.radius
        points = []
        for k in range(_SAMPLES + 1):
            t = k / _SAMPLES
            x, y = c[0] - t * w[0], c[1] - t * w[1]
            points.append((t, x * x + y * y))
        line = path("other", (0.0, r * r), (1.0, r * r), view="quadratic", text=f"r^2 = {square_meters(r * r)}")
        return (*case.scenery, path("ghost", *points, view="quadratic", text="|c - t w|^2"), line)

    def case_of(self, a: Circle, xf_a: Transform, velocity_a: Point, b: Circle, xf_b: Transform, velocity_b: Point) -> PairCase:
        """Return two discs that translate for a second as a case."""
        given.instance("a", a, Circle)
        given.instance("b", b, Circle)
        return given.of_velocities(a, xf_a, velocity_a, b, xf_b, velocity_b)

    def fits(self, case: PairCase) -> bool:
        return case.translates and isinstance(case.pair.shape_a, Circle) and isinstance(case.pair.shape_b, Circle)


ALGORITHMS: tuple[Algorithm[Any], ...] = (SweptSat(), ShapeCast(), MovingDiscs())
