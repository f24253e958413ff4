"""Shared code of the three time-of-impact methods: two shapes at the time of a step, and the gap over the motion."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from engine.continuous._core_kernel import AXIS_FACE_A, AXIS_POINTS
from engine.continuous._motion_kernel import IMPACT_GAP, IMPACT_START
from engine.contracts import Status
from engine.contracts.trace import Feature, Mark, Point, Role, View
from engine.geometry import AnyShape, Polygon, Sweep, Transform
from engine.narrowphase import epa, gjk
from engine.narrowphase.scratch import core_of
from engine.trace import given
from engine.trace.cases import PairCase, shape_mark
from engine.trace.marks import along, dot, path
from engine.trace.protocol import PLANE, Decoder, PairAlgorithm
from engine.trace.rows import Event, Events
from engine.trace.words import meters, moment

__all__ = ["IMPACT_EVENTS", "ImpactAlgorithm", "ImpactDecoder", "Measured", "clear_time", "curve"]

IMPACT_EVENTS: Events = {
    IMPACT_START: Event("start", "is_swapped:b target tolerance overlap t_first t_last rho:2"),
    IMPACT_GAP: Event("gap", "t gap n:2 side edge:i i:i j:i bend"),
}

_SAMPLES = 48


def curve(role: Role, points: list[Point], text: str = "") -> tuple[Mark, ...]:
    """Return a piece of a curve over time, if it is one."""
    finite = tuple((t, y) for t, y in points if math.isfinite(y))
    return (path(role, *finite, view="curve", text=text),) if len(finite) > 1 else ()


def clear_time(role: Role, start: float, end: float, text: str = "") -> tuple[Mark, ...]:
    """Return an interval of time as a mark at gap 0."""
    return (path(role, (start, 0.0), (end, 0.0), view="curve", text=text),) if end > start else ()


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
    return (*curve("ghost", points, "the gap, sampled"), path("other", (0.0, 0.0), (1.0, 0.0), view="curve", text="touch"))


class _Side:
    def __init__(self, name: str, shape: AnyShape, sweep: Sweep) -> None:
        self.name, self.shape, self.sweep = name, shape, sweep
        self.core: list[Point] = [(x, y) for x, y in core_of(shape)[0].tolist()]

    def face_at(self, edge: int, t: float) -> tuple[Point, ...]:
        """Return both ends of an edge of the surface at t, its radius added."""
        pose, r = self.sweep.at(t), self.shape.radius
        ends = self.core[edge], self.core[(edge + 1) % len(self.core)]
        (x, y), (to_x, to_y) = ends
        length = math.hypot(to_x - x, to_y - y)
        off = r * (to_y - y) / length, -r * (to_x - x) / length
        return tuple(pose.apply(along(end, off)) for end in ends)


class Measured(NamedTuple):
    """A gap between the surfaces of the case's A and B, and the direction of its measurement, world frame."""

    t: float
    gap: float
    bend: float
    points: tuple[Point, Point]
    axis: Point
    face: _Side | None
    edge: int
    looked_at: tuple[Feature, Feature]
    where: str

    @property
    def unit(self) -> Point | None:
        """The direction, unless it is 0."""
        return None if self.axis == (0.0, 0.0) else self.axis


def _named(feature: Feature) -> str:
    return f"{feature.whose.upper()}'s {'corner' if feature.part == 'vertex' else feature.part} {feature.index}"


class ImpactDecoder(Decoder[PairCase]):
    """A case as the kernels see it.

    Attributes
    ----------
    gap_line : int
        Line of the pseudo-code that measures a gap.
    end_lines : tuple of int
        Lines of a miss without a gap, of a touch, and of a miss.
    last : Measured
        The gap measured last.
    """

    gap_line: ClassVar[int] = 2
    end_lines: tuple[int, int, int] = (0, 3, 4)
    last: Measured | None = None
    n_measured = 0

    def __init__(self, *context: Any) -> None:
        super().__init__(*context)
        self.dots: list[Mark] = []

    @property
    def cost(self) -> dict[str, int]:
        return {"gaps measured": self.n_measured}

    def add(self, kind: str, line: int, sentence: str, *about: Any, marks: Iterable[Mark] = (), **more: Any) -> None:
        """Add a step with the gaps measured so far on the curve."""
        super().add(kind, line, sentence, *about, marks=(*self.dots, *marks), **more)

    def placed(self, t: float, role: Role = "looked_at") -> tuple[Mark, ...]:
        """Return both shapes at t, except those that have not moved."""
        moving = (side for side in self.sides if side.sweep.start != side.sweep.end)
        return tuple(shape_mark(side.shape, side.sweep.at(t), role, f"{side.name.upper()} at {moment(t)}") for side in moving)

    def carrier(self, measured: Measured, t: float) -> tuple[Mark, ...]:
        """Return the face that carries the axis, and its line, at t."""
        if measured.face is None:
            return ()
        ends = measured.face.face_at(measured.edge, t)
        return Mark("line", "bound", ends), path("best", *ends)

    def on_curve(self, t: float, gap: float) -> Mark:
        """Return a new gap as a dot on the curve."""
        return dot("new", (t, gap), view="curve", text=meters(gap))

    def start(self, e: Any) -> None:
        """Add the first step: when the circles around the cores come within the radii."""
        pair = self.case.pair
        assert pair.shape_b is not None
        sides = _Side("a", pair.shape_a, pair.sweep_a), _Side("b", pair.shape_b, pair.sweep_b)
        self.is_swapped, self.target, self.tolerance, self.t_last = e.is_swapped, e.target, e.tolerance, e.t_last
        self.sides = sides[::-1] if e.is_swapped else sides
        t, is_empty, first, last = min(max(e.t_first, 0.0), 1.0), e.t_first > e.t_last, moment(e.t_first), moment(e.t_last)
        marks = [
            Mark("circle", "bound", (side.sweep.at(t).apply(side.sweep.local_center),), text=f"{side.name.upper()} at any rotation",
                 radius=rho + side.shape.radius)
            for side, rho in zip(self.sides, e.rho, strict=True)
        ]  # fmt: skip
        if is_empty:
            says = "never meet, so the shapes cannot touch, and no gap needs to be measured."
        elif (e.t_first, e.t_last) == (0.0, 1.0):
            says = "always overlap, so the shapes may touch at any time."
        else:
            says = f"overlap only from {first} to {last}: if the shapes touch, it is during that time."
        self.add(
            "window", 0, f"The circles around the rotating shapes {says}", bound=None if is_empty else e.t_first,
            values={"t_first": e.t_first, "t_last": e.t_last},
            marks=(*(() if is_empty else clear_time("looked_at", e.t_first, e.t_last)), *marks, *self.placed(t, "ghost")),
        )  # fmt: skip

    def measure(self, e: Any) -> Measured:
        """Count and mark a measured gap."""
        first, second = self.sides
        pose_1, pose_2 = first.sweep.at(e.t), second.sweep.at(e.t)
        n = pose_1.rotate(e.n)
        p1, p2 = pose_1.apply(first.core[e.i]), pose_2.apply(second.core[e.j])
        is_on_first = e.side == AXIS_FACE_A
        if is_on_first:
            p1 = p2[0] - e.gap * n[0], p2[1] - e.gap * n[1]
        else:
            p2 = along(p1, n, e.gap)
        on_1 = along(p1, n, first.shape.radius)
        on_2 = p2[0] - second.shape.radius * n[0], p2[1] - second.shape.radius * n[1]
        corners = Feature(first.name, "vertex", e.i), Feature(second.name, "vertex", e.j)
        face = None if e.side == AXIS_POINTS else first if is_on_first else second
        looked_at, where = corners, f"from {_named(corners[0])} to {_named(corners[1])}"
        if face is not None:
            looked_at = (Feature(face.name, "edge", e.edge), corners[is_on_first])
            where = f"along the normal of {_named(looked_at[0])}, to {_named(looked_at[1])}"
        points, axis = ((on_2, on_1), (-n[0], -n[1])) if self.is_swapped else ((on_1, on_2), n)
        self.n_measured += 1
        self.last = measured = Measured(e.t, e.gap - self.target, e.bend, points, axis, face, e.edge, looked_at, where)
        self.dots.append(dot("kept", (measured.t, measured.gap), view="curve"))
        return measured

    def gap_marks(self, measured: Measured, role: Role = "looked_at") -> tuple[Mark, ...]:
        """Return both shapes at the time of a measured gap, the gap, and its direction."""
        return (
            *self.placed(measured.t, role), *self.carrier(measured, measured.t),
            path("best", *measured.points, text=meters(measured.gap)), dot("new", *measured.points),
            self.on_curve(measured.t, measured.gap),
        )  # fmt: skip

    def gap(self, e: Any) -> None:
        """Add the step of a measured gap."""
        at = self.measure(e)
        state = f"overlap by {meters(-at.gap)}" if at.gap < -self.tolerance else f"are {meters(at.gap)} apart"
        self.add(
            "gap", self.gap_line, f"At {moment(at.t)} the shapes {state} {at.where}.", at.looked_at, at.points, at.unit, at.t,
            {"t": at.t, "gap": at.gap}, marks=self.gap_marks(at),
        )  # fmt: skip

    def answer(self) -> None:
        result, t, last = self.result, self.result.fraction, self.last
        words = {
            Status.HIT: f"The gap is within the tolerance, {meters(self.tolerance)}: the first contact is at {moment(t)}.",
            Status.OVERLAPPING: "The shapes already touch or overlap at the start: t = 0.",
            Status.OUT_OF_ITERATIONS: f"The iterations are used up. There is no contact before {moment(t)}, but one may follow.",
            Status.MISS: "The whole motion is proven clear: the shapes do not touch.",
        }
        is_miss, points = result.status is Status.MISS, ()
        marks = self.placed(t, "ghost" if is_miss else "result")
        if not is_miss:
            marks += (dot("result", (t, 0.0), view="curve", text=moment(t)),)
            if last is not None and abs(last.gap) <= 2.0 * self.tolerance:
                points = last.points  # type: ignore[assignment]
                marks += (dot("result", *points),)
        self.add(
            "answer", self.end_lines[0 if last is None else 2 if is_miss else 1], words[result.status], (), points, bound=t,
            values={"fraction": t}, result=result, marks=(*clear_time("kept", 0.0, t, "clear"), *marks),
        )  # fmt: skip


class ImpactAlgorithm(PairAlgorithm):
    """Base of the time-of-impact methods."""

    page = "time_of_impact.md#derivation"
    views = (PLANE, View("curve", "the gap during the motion", x="fraction of the motion", y="gap, m"))
    example = given.of_sweeps(
        Polygon.box(1.3, 0.12), Sweep(Transform((0.0, 0.0), -0.6), Transform((-0.1, 0.0), -0.9)),
        Polygon([(-0.6, -0.5), (0.6, -0.5), (0.6, 0.2), (0.0, 0.6), (-0.6, 0.2)]),
        Sweep(Transform((-2.7, 0.7), -0.1), Transform((0.4, -1.0), 1.4)),
    )  # fmt: skip

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
        return (*case.scenery, *_true_gaps(case))

    def run(self, case: PairCase, trace: Any) -> Any:
        pair = case.pair
        return self.ask(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b, trace=trace)

    def fits(self, case: PairCase) -> bool:
        return case.pair.query == "toi"
