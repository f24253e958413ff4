"""Shared code of the three time-of-impact methods: two shapes at the time of a step, and the gap over the motion."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

from engine.continuous._core_kernel import AXIS_FACE_A, AXIS_POINTS
from engine.continuous._motion_kernel import IMPACT_START
from engine.contracts import Status, TimeOfImpact
from engine.contracts.trace import Feature, Mark, Point, Role, TraceStep, View
from engine.geometry import AnyShape, Polygon, Sweep, Transform
from engine.narrowphase import epa, gjk
from engine.narrowphase.scratch import core_of
from engine.trace import given
from engine.trace._bars import moment
from engine.trace.cases import PairCase, shape_mark
from engine.trace.protocol import PLANE, Algorithm
from engine.trace.rows import record_rows
from engine.trace.words import meters

__all__ = ["CURVE", "Impact", "ImpactAlgorithm", "Measured", "curve", "on_axis_of_time"]

CURVE = View("curve", "the gap during the motion", x="fraction of the motion", y="gap, m")

_SAMPLES = 48


def curve(role: Role, points: list[Point], text: str = "") -> tuple[Mark, ...]:
    """Return a piece of a curve over time, if it is one."""
    finite = tuple((t, y) for t, y in points if math.isfinite(y))
    return (Mark("path", role, finite, "curve", text),) if len(finite) > 1 else ()


def on_axis_of_time(role: Role, start: float, end: float, text: str = "") -> tuple[Mark, ...]:
    """Return an interval of time as a mark at gap 0."""
    return (Mark("path", role, ((start, 0.0), (end, 0.0)), "curve", text),) if end > start else ()


@lru_cache(maxsize=4)
def _true_gaps(case: PairCase) -> tuple[Mark, ...]:
    """Sample the gap by GJK, and by EPA's depth where the cores overlap."""
    pair, points = case.pair, []
    assert pair.shape_b is not None
    for k in range(_SAMPLES + 1):
        t = k / _SAMPLES
        where = pair.shape_a, pair.sweep_a.at(t), pair.shape_b, pair.sweep_b.at(t)
        apart = gjk.distance(*where)
        gap = apart.separation if apart.normal is not None or apart.status is not Status.OVERLAPPING else -epa.penetration(*where).depth
        points.append((t, gap))
    return (*curve("ghost", points, "the gap, sampled"), Mark("path", "other", ((0.0, 0.0), (1.0, 0.0)), "curve", "touch"))


class Measured:
    """A row `IMPACT_GAP`, world frame: the gap between the surfaces of the case's A and B, and the direction of its measurement."""

    def __init__(self, impact: Impact, row: list[float]) -> None:
        t, gap, nx, ny, side, edge, i, j, bend = row[:9]
        first, second = impact.sides
        pose_1, pose_2 = first.sweep.at(t), second.sweep.at(t)
        n = pose_1.rotate((nx, ny))
        p1, p2 = pose_1.apply(first.corner(i)), pose_2.apply(second.corner(j))
        if side == AXIS_FACE_A:
            p1 = p2[0] - gap * n[0], p2[1] - gap * n[1]
        else:
            p2 = p1[0] + gap * n[0], p1[1] + gap * n[1]
        r1, r2 = first.shape.radius, second.shape.radius
        on_1, on_2 = (p1[0] + r1 * n[0], p1[1] + r1 * n[1]), (p2[0] - r2 * n[0], p2[1] - r2 * n[1])
        self.t, self.bend, self.gap = t, bend, gap - impact.target
        self.points, self.axis = ((on_2, on_1), (-n[0], -n[1])) if impact.has_changed else ((on_1, on_2), n)
        self.unit: Point | None = None if self.axis == (0.0, 0.0) else self.axis
        self.face = None if side == AXIS_POINTS else (first if side == AXIS_FACE_A else second)
        self.edge = int(edge)
        corners = (Feature(first.name, "vertex", int(i)), Feature(second.name, "vertex", int(j)))
        if self.face is None:
            self.looked_at = corners
            self.along = f"from {_named(corners[0])} to {_named(corners[1])}"
        else:
            other = corners[1] if side == AXIS_FACE_A else corners[0]
            self.looked_at = (Feature(self.face.name, "edge", self.edge), other)
            self.along = f"along the normal of {_named(self.looked_at[0])}, to {_named(other)}"


def _named(feature: Feature) -> str:
    return f"{feature.whose.upper()}'s {'corner' if feature.part == 'vertex' else feature.part} {feature.index}"


class _Side:
    def __init__(self, name: str, shape: AnyShape, sweep: Sweep) -> None:
        self.name, self.shape, self.sweep = name, shape, sweep
        self.core = core_of(shape)[0].tolist()

    def corner(self, index: float) -> Point:
        x, y = self.core[int(index)]
        return x, y

    def face_at(self, edge: int, t: float) -> tuple[Point, Point]:
        """Return both ends of an edge of the surface at t, its radius added."""
        pose, r = self.sweep.at(t), self.shape.radius
        (x, y), (to_x, to_y) = self.corner(edge), self.corner((edge + 1) % len(self.core))
        length = math.hypot(to_x - x, to_y - y)
        off_x, off_y = r * (to_y - y) / length, -r * (to_x - x) / length
        return pose.apply((x + off_x, y + off_y)), pose.apply((to_x + off_x, to_y + off_y))


class Impact:
    """A case as the kernels see it, from its first row."""

    def __init__(self, case: PairCase, result: TimeOfImpact, row: list[float]) -> None:
        pair = case.pair
        assert pair.shape_b is not None and row[0] == IMPACT_START
        changed, self.target, self.tolerance, _, self.t_first, self.t_last, rho_1, rho_2 = row[1:9]
        self.result, self.has_changed, self.rho = result, changed == 1.0, (rho_1, rho_2)
        sides = _Side("a", pair.shape_a, pair.sweep_a), _Side("b", pair.shape_b, pair.sweep_b)
        self.sides = (sides[1], sides[0]) if self.has_changed else sides
        self.measured = 0
        self.dots: list[Mark] = []

    def placed(self, t: float, role: Role = "looked_at") -> tuple[Mark, ...]:
        """Return both shapes at t, except those that have not moved."""
        moving = (side for side in self.sides if side.sweep.start != side.sweep.end)
        return tuple(shape_mark(side.shape, side.sweep.at(t), role, f"{side.name.upper()} at {moment(t)}") for side in moving)

    def carrier(self, measured: Measured, t: float) -> tuple[Mark, ...]:
        """Return the face that carries the axis, and its line, at t."""
        if measured.face is None:
            return ()
        ends = measured.face.face_at(measured.edge, t)
        return Mark("line", "bound", ends), Mark("path", "best", ends)

    def step(self, kind: str, line: int, sentence: str, **more: Any) -> TraceStep:
        """Return a step with the gaps measured so far on the curve."""
        return TraceStep(kind, line, sentence, marks=(*self.dots, *more.pop("marks", ())), cost={"gaps measured": self.measured}, **more)

    def window(self) -> TraceStep:
        """Return the first step: when the circles around the cores come within the radii."""
        t, is_empty = min(max(self.t_first, 0.0), 1.0), self.t_first > self.t_last
        marks = [
            Mark("circle", "bound", (side.sweep.at(t).apply(side.sweep.local_center),), text=f"{side.name.upper()} at any rotation",
                 radius=rho + side.shape.radius)
            for side, rho in zip(self.sides, self.rho, strict=True)
        ]  # fmt: skip
        if is_empty:
            sentence = "The circles around the rotating shapes never meet, so the shapes cannot touch, and no gap needs to be measured."
        elif (self.t_first, self.t_last) == (0.0, 1.0):
            sentence = "The circles around the rotating shapes always overlap, so the shapes may touch at any time."
        else:
            sentence = (
                f"The circles around the rotating shapes overlap only from {moment(self.t_first)} to {moment(self.t_last)}: if the "
                "shapes touch, it is during that time."
            )
        return self.step(
            "window", 0, sentence, bound=None if is_empty else self.t_first, values={"t_first": self.t_first, "t_last": self.t_last},
            marks=(*(() if is_empty else on_axis_of_time("looked_at", self.t_first, self.t_last)), *marks, *self.placed(t, "ghost")),
        )  # fmt: skip

    def measure(self, row: list[float]) -> Measured:
        """Count and mark a measured gap."""
        measured = Measured(self, row)
        self.measured += 1
        self.dots.append(Mark("point", "kept", ((measured.t, measured.gap),), "curve"))
        return measured

    def gap_marks(self, measured: Measured, role: Role = "looked_at") -> tuple[Mark, ...]:
        """Return both shapes at the time of a measured gap, the gap, and its direction."""
        return (
            *self.placed(measured.t, role), *self.carrier(measured, measured.t),
            Mark("path", "best", measured.points, text=meters(measured.gap)), Mark("point", "new", measured.points),
            Mark("point", "new", ((measured.t, measured.gap),), "curve", meters(measured.gap)),
        )  # fmt: skip

    def gap(self, measured: Measured, line: int) -> TraceStep:
        """Return the step of a measured gap."""
        if measured.gap < -self.tolerance:
            sentence = f"At {moment(measured.t)} the shapes overlap by {meters(-measured.gap)} {measured.along}."
        else:
            sentence = f"At {moment(measured.t)} the shapes are {meters(measured.gap)} apart {measured.along}."
        return self.step(
            "gap", line, sentence, looked_at=measured.looked_at, points=measured.points, axis=measured.unit, bound=measured.t,
            values={"t": measured.t, "gap": measured.gap}, marks=self.gap_marks(measured),
        )  # fmt: skip

    def answer(self, before: list[TraceStep], last: Measured | None, lines: tuple[int, int, int]) -> TraceStep:
        """Return the last step; `lines` are those of a miss without a gap, of a touch, and of a miss."""
        result, t = self.result, self.result.fraction
        words = {
            Status.HIT: f"The gap is within the tolerance, {meters(self.tolerance)}: the first contact is at {moment(t)}.",
            Status.OVERLAPPING: "The shapes already touch or overlap at the start: t = 0.",
            Status.OUT_OF_ITERATIONS: f"The iterations are used up. There is no contact before {moment(t)}, but one may follow.",
            Status.MISS: "The whole motion is proven clear: the shapes do not touch.",
        }
        line = lines[0] if last is None else lines[2] if result.status is Status.MISS else lines[1]
        role: Role = "ghost" if result.status is Status.MISS else "result"
        marks: tuple[Mark, ...] = self.placed(t, role)
        points: tuple[Point, ...] = ()
        if result.status is not Status.MISS:
            marks += (Mark("point", "result", ((t, 0.0),), "curve", moment(t)),)
            if last is not None and abs(last.gap) <= 2.0 * self.tolerance:
                points = last.points
                marks += (Mark("point", "result", points),)
        return self.step(
            "answer", line, words[result.status], points=points, bound=t, values={"fraction": t}, result=result,
            marks=(*on_axis_of_time("kept", 0.0, t, "clear"), *marks),
        )  # fmt: skip


class ImpactAlgorithm(Algorithm[PairCase]):
    """Base of the time-of-impact methods."""

    views = (PLANE, CURVE)
    case_of = staticmethod(given.of_sweeps)
    method: ClassVar[Callable[..., TimeOfImpact]]

    @property
    def example(self) -> PairCase:
        bar = Polygon.box(1.3, 0.12)
        house = Polygon([(-0.6, -0.5), (0.6, -0.5), (0.6, 0.2), (0.0, 0.6), (-0.6, 0.2)])
        return given.of_sweeps(
            bar, Sweep(Transform((0.0, 0.0), -0.6), Transform((-0.1, 0.0), -0.9)),
            house, Sweep(Transform((-2.7, 0.7), -0.1), Transform((0.4, -1.0), 1.4)),
        )  # fmt: skip

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
        return (*case.scenery, *_true_gaps(case))

    def query(self, case: PairCase) -> TimeOfImpact:
        return self._query(case, None)

    def steps(self, case: PairCase) -> list[TraceStep]:
        result, rows = record_rows(lambda trace: self._query(case, trace))
        impact = Impact(case, result, rows[0])
        return [impact.window(), *self.decoded(impact, rows[1:-1])]

    def takes(self, case: Any) -> bool:
        return isinstance(case, PairCase) and case.pair.query == "toi"

    @abstractmethod
    def decoded(self, impact: Impact, rows: list[list[float]]) -> list[TraceStep]:
        """Return the steps between the first and the last, from their rows."""

    def _query(self, case: PairCase, trace: Any) -> TimeOfImpact:
        pair = case.pair
        impact: TimeOfImpact = type(self).method(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b, trace=trace)
        return impact
