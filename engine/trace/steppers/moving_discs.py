"""Two discs that slide: one quadratic, step by step, as `engine.continuous._ray_rounded_kernel` solves it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from engine.contracts.trace import Mark, Point, Question, Role, View
from engine.geometry import Circle, Transform
from engine.trace import given
from engine.trace._swept import SweptAlgorithm, SweptDecoder
from engine.trace.cases import PairCase
from engine.trace.marks import along, dot, path
from engine.trace.protocol import PLANE
from engine.trace.words import meters, moment, square_meters

__all__ = ["ALGORITHM"]

_SAMPLES = 48


class _Decoder(SweptDecoder):
    """Decodes the rows of the one circle of the difference."""

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

    def start(self, e: Any) -> None:
        at_a, at_b = self.centers(0.0)
        distance = math.dist(at_a, at_b)
        is_inside = e.inside == 1.0
        self.add(
            "start", int(is_inside),
            f"The centers are {meters(distance)} apart, {'at most' if is_inside else 'more than'} the sum of the radii, "
            f"r = {meters(self.radius)}. Relative to A, B moves {meters(self.length)}.",
            points=(at_a, at_b), values={"gap": e.gap - self.radius, "inside": e.inside, "|c|": distance, "r": self.radius},
            marks=(
                *self.way_marks(), Mark("circle", "bound", (at_a,), text="A expanded by B's radius", radius=self.radius),
                Mark("arrow", "best", (at_b, at_a), text="c"), dot("new", (0.0, distance * distance), view="quadratic"),
            ),
        )  # fmt: skip

    def difference(self, e: Any) -> None:
        """The difference is a circle, which needs no step of its own."""

    def rounded_end(self, e: Any) -> None:
        """The answer says the same."""

    def rounded_corner(self, e: Any) -> None:
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
            f"B moves from the edge of A's expanded disc to t0 in h = {e.half:.3g}, so the first contact is at {moment(e.first)}, and the "
            f"last one is at {moment(e.last)}.",
            values={"h": e.half, "first": e.first, "last": e.last},
            marks=(
                *self.placed(e.first, "looked_at"), *self.placed(e.last, "ghost"), *self.on_curve(e.first, r_sq, "new", "first"),
                *self.on_curve(e.last, r_sq, "new", "last"),
            ),
        )  # fmt: skip

    def on_curve(self, t: float, value: float, role: Role, text: str) -> tuple[Mark, ...]:
        return (dot(role, (t, value), view="quadratic", text=text),) if -0.25 <= t <= 1.25 else ()


class MovingDiscs(SweptAlgorithm):
    """First and last touch of two discs: a line and a circle."""

    title = "Two moving discs: one quadratic"
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
    views = (PLANE, View("quadratic", "the centers' distance, squared", x="fraction of the motion", y="m^2"))
    beside = ("conservative_advancement", "shape_cast")
    only = "of two discs"
    decoder = _Decoder
    example = PairCase(
        given.of_velocities(Circle(0.8), Transform((0.4, -0.3)), (0.3, 0.2), Circle(0.5), Transform((-2.6, 0.9)), (5.4, -0.9)).pair
    )

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
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


ALGORITHM = MovingDiscs()
