"""Three methods for the time of impact, step by step: two shapes at the time of a step, and the gap over the motion."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any, ClassVar, NamedTuple

from engine import query
from engine.continuous._advancement_kernel import AdvanceRoot, AdvanceStep, bound_at
from engine.continuous._bilateral_kernel import BilateralFar, BilateralProof, BilateralRoot
from engine.continuous._bisection_kernel import BISECT_CLEAR, BISECT_HALVED, BisectInterval
from engine.continuous._core_kernel import AXIS_FACE_A, AXIS_POINTS
from engine.continuous._motion_kernel import ImpactGap, ImpactStart
from engine.contracts import Status
from engine.contracts.trace import Feature, Mark, Point, Question, Role, View
from engine.geometry import AnyShape, Polygon, Sweep, Transform
from engine.narrowphase.scratch import core_of
from engine.trace import given
from engine.trace.cases import PairCase, shape_mark
from engine.trace.marks import Marks, Points, along, dot, path
from engine.trace.protocol import PLANE, Algorithm, Decoder, PairAlgorithm, code
from engine.trace.words import meters, moment

__all__ = ["ALGORITHMS"]

_SAMPLES = 48


def curve(role: Role, points: list[Point], text: str = "") -> Marks:
    """Return a piece of a curve over time, if it is one."""
    finite = tuple((t, y) for t, y in points if math.isfinite(y))
    return (path(role, *finite, view="curve", text=text),) if len(finite) > 1 else ()


def clear_time(role: Role, start: float, end: float, text: str = "") -> Marks:
    """Return an interval of time as a mark at gap 0."""
    return (path(role, (start, 0.0), (end, 0.0), view="curve", text=text),) if end > start else ()


@lru_cache(maxsize=4)
def _true_gaps(case: PairCase) -> Marks:
    """Sample the gap by GJK, and by EPA's depth where the cores overlap."""
    pair, points = case.pair, []
    assert pair.shape_b is not None
    for k in range(_SAMPLES + 1):
        t = k / _SAMPLES
        where = pair.shape_a, pair.sweep_a.at(t), pair.shape_b, pair.sweep_b.at(t)
        apart = query.distance(*where)
        gap = apart.separation if apart.normal is not None or apart.status is not Status.OVERLAPPING else -query.penetration(*where).depth
        points.append((t, gap))
    return (*curve("ghost", points, "the gap, sampled"), path("other", (0.0, 0.0), (1.0, 0.0), view="curve", text="touch"))


class _Side:
    def __init__(self, name: str, shape: AnyShape, sweep: Sweep) -> None:
        self.name, self.shape, self.sweep = name, shape, sweep
        self.core: list[Point] = [(x, y) for x, y in core_of(shape)[0].tolist()]

    def face_at(self, edge: int, t: float) -> Points:
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


def _along(axis: str, gap: float) -> str:
    """Return the gap along an axis in words, as an overlap if it is negative."""
    return f"the gap along {axis} is {meters(gap)}" if gap >= 0.0 else f"the shapes overlap by {meters(-gap)} along {axis}"


def _named(feature: Feature) -> str:
    return f"{feature.whose.upper()}'s {'corner' if feature.part == 'vertex' else feature.part} {feature.index}"


class ImpactDecoder(Decoder[PairCase]):
    """A case as the kernels see it.

    Attributes
    ----------
    gap_line : int
        Line of the pseudocode that measures a gap.
    end_lines : tuple of int
        Lines of a miss without a gap, of a touch, and of a miss.
    last : Measured
        The gap measured last.
    """

    gap_line: ClassVar[int] = 2
    end_lines: tuple[int, int, int] = (0, 3, 4)
    last: Measured | None = None
    n_measured = 0

    def set_up(self) -> None:
        self.dots: list[Mark] = []

    @property
    def cost(self) -> dict[str, int]:
        return {"gaps measured": self.n_measured}

    def add(self, kind: str, line: int, sentence: str, *about: Any, marks: Iterable[Mark] = (), **more: Any) -> None:
        """Add a step with the gaps measured so far on the curve."""
        super().add(kind, line, sentence, *about, marks=(*self.dots, *marks), **more)

    def placed(self, t: float, role: Role = "looked_at") -> Marks:
        """Return both shapes at t, except those that have not moved."""
        moving = (side for side in self.sides if side.sweep.start != side.sweep.end)
        return tuple(shape_mark(side.shape, side.sweep.at(t), role, f"{side.name.upper()} at {moment(t)}") for side in moving)

    def carrier(self, measured: Measured, t: float) -> Marks:
        """Return the face that carries the axis, and its line, at t."""
        if measured.face is None:
            return ()
        ends = measured.face.face_at(measured.edge, t)
        return Mark("line", "bound", ends), path("best", *ends)

    def on_curve(self, t: float, gap: float) -> Mark:
        """Return a new gap as a dot on the curve."""
        return dot("new", (t, gap), view="curve", text=meters(gap))

    def impact_start(self, e: ImpactStart) -> None:
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

    def measure(self, e: ImpactGap) -> Measured:
        """Count and mark a measured gap."""
        first, second = self.sides
        pose_1, pose_2 = first.sweep.at(e.t), second.sweep.at(e.t)
        n, (x, y) = pose_1.rotate(e.n), e.n
        along_a, along_b = ([x * corner[0] + y * corner[1] for corner in core] for core in (e.core_a, e.core_b))
        i, j = along_a.index(max(along_a)), along_b.index(min(along_b))
        p1, p2 = pose_1.apply(first.core[i]), pose_2.apply(second.core[j])
        is_on_first = e.side == AXIS_FACE_A
        if is_on_first:
            p1 = p2[0] - e.gap * n[0], p2[1] - e.gap * n[1]
        else:
            p2 = along(p1, n, e.gap)
        on_1 = along(p1, n, first.shape.radius)
        on_2 = p2[0] - second.shape.radius * n[0], p2[1] - second.shape.radius * n[1]
        corners = Feature(first.name, "vertex", i), Feature(second.name, "vertex", j)
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

    def gap_marks(self, measured: Measured, role: Role = "looked_at") -> Marks:
        """Return both shapes at the time of a measured gap, the gap, and its direction."""
        return (
            *self.placed(measured.t, role), *self.carrier(measured, measured.t),
            path("best", *measured.points, text=meters(measured.gap)), dot("new", *measured.points),
            self.on_curve(measured.t, measured.gap),
        )  # fmt: skip

    def impact_gap(self, e: ImpactGap) -> None:
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
            Status.OUT_OF_ITERATIONS: f"The iteration limit is reached. There is no contact before {moment(t)}, but one may follow.",
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

    def scenery(self, case: PairCase) -> Marks:
        return (*case.scenery, *_true_gaps(case))

    def query(self, case: PairCase) -> Any:
        pair = case.pair
        return self.ask(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b)

    def fits(self, case: PairCase) -> bool:
        return case.pair.query == "toi"


_PIECES = 16
"""Number of segments of a drawn parabola."""


class _ConservativeDecoder(ImpactDecoder):
    def impact_gap(self, e: ImpactGap) -> None:
        self.parabolas: list[AdvanceRoot] = []
        super().impact_gap(e)

    def advance_root(self, e: AdvanceRoot) -> None:
        self.parabolas.append(e)

    def advance_step(self, e: AdvanceStep) -> None:
        at, foremost = self.last, self.parabolas[-1]
        assert at is not None
        reaches = self.result.status is Status.HIT and not any(type(later) is type(e) for later in self.ahead)
        marks: list[Mark] = []
        seen: set[tuple[float, float]] = set()
        end = min(max(1.5 * e.s, 0.02), 1.0 - e.t)
        for f in reversed(self.parabolas):
            if (f.above, f.slope) not in seen:
                seen.add((f.above, f.slope))
                points = [(e.t + end * k / _PIECES, bound_at(f.above, f.slope, f.bend, end * k / _PIECES)) for k in range(_PIECES + 1)]
                name = "F" if len(seen) == 1 else "another corner" if len(seen) == 2 else ""
                marks += curve("bound" if len(seen) == 1 else "dropped", points, name)
        above, slope, bend = meters(foremost.above), foremost.slope, foremost.bend
        corner = "In a fraction s of the motion, the foremost corner"
        if abs(foremost.above - at.gap) > self.tolerance:
            corner = f"By then another corner is foremost, {above} away. In a fraction s of the motion, it"
        speed = f"approaches by {meters(-slope)} x s" if slope < 0.0 else f"moves away by {meters(slope)} x s"
        turning = f", and rotation adds at most K s^2 / 2, K = {meters(bend)}" if bend > 0.0 else ""
        then = (
            f"s = {e.s:.3g}. No contact can be missed by advancing to {moment(e.after, e.s)}."
            if e.after < self.t_last
            else f"the end, so the search advances to {moment(e.after)}."
        )
        self.add(
            "advance", 6, f"{corner} {speed}{turning}: the gap of {above} cannot close before {then}", at.looked_at, at.points, at.unit,
            e.after, {"t": e.t, "above": foremost.above, "slope": slope, "K": bend, "s": e.s},
            marks=(
                *self.gap_marks(at, "ghost"), *marks, *clear_time("kept", e.t, e.after, "clear"),
                *self.placed(e.after), dot("looked_at", (e.after, 0.0), view="curve", text=moment(e.after)),
            ),
            question=Question(
                "Will this advance reach the first contact?",
                ("yes, to within the tolerance", "no, it stops short, or there is none"), 0 if reaches else 1,
            ),
        )  # fmt: skip


class ConservativeAdvancement(ImpactAlgorithm):
    """Mirtich's conservative advancement, with a bound of second order."""

    name = "conservative_advancement"
    title = "Conservative advancement: time of impact"
    pseudo_code = code("""
        t = when the circles around the shapes first meet; if never: a miss
        repeat:
          gap, n = distance between the shapes at t, and its direction
          if gap <= tolerance: they touch at t
          if the circles separate at t, or t is the end: a miss
          F(s) = gap of the foremost corner moving straight - K s^2 / 2
          s = F's first root: the gap cannot close before it
          t = t + s
    """)
    beside = ("bisection", "bilateral_advancement", "swept_sat")
    decoder = _ConservativeDecoder
    ask = staticmethod(partial(query.time_of_impact, method="advancement"))


class _BilateralDecoder(ImpactDecoder):
    def impact_gap(self, e: ImpactGap) -> None:
        self.probes: list[Mark] = []
        super().impact_gap(e)

    def _probe(self, kind: str, line: int, sentence: str, t: float, g: float, marks: Marks = (), **more: Any) -> None:
        """Add the step of a gap along the axis kept since the last measured gap, rotated with its face."""
        at = self.last
        assert at is not None
        turn = 0.0 if at.face is None else at.face.sweep.at(t).angle - at.face.sweep.at(at.t).angle
        cos, sin, (x, y) = math.cos(turn), math.sin(turn), at.axis
        self.n_measured += 1
        self.probes.append(dot("looked_at", (t, g), view="curve"))
        self.add(
            kind, line, sentence, at.looked_at, (), at.axis if at.face is None else (cos * x - sin * y, sin * x + cos * y), at.t,
            marks=(
                *self.probes, *self.placed(t), *self.carrier(at, t), self.on_curve(t, g), dot("kept", (at.t, at.gap), view="curve"), *marks,
            ),
            **more,
        )  # fmt: skip

    def bilateral_far(self, e: BilateralFar) -> None:
        g = e.above + 0.5 * self.tolerance
        state = f"{_along('it', g)}{', still open' if e.above >= 0.0 else ', so g has an earlier root'}"
        self._probe(
            "far end", 6, f"The axis is kept. At the far end, {moment(e.t2)}, {state}.", e.t2, g,
            values={"t": e.t2, "g": g},
            question=Question("Is the gap along this axis open at the far end?", ("open", "closed"), int(e.above < 0.0)),
        )  # fmt: skip

    def bilateral_root(self, e: BilateralRoot) -> None:
        g, (t, low, high) = e.above + 0.5 * self.tolerance, (moment(at, e.high - e.low) for at in (e.t, e.low, e.high))
        self._probe(
            "root", 7,
            f"{'A secant' if e.by_secant else 'A bisection'} tries {t}, where {_along('the axis', g)}. The root lies between "
            f"{low} and {high}.", e.t, g, clear_time("looked_at", e.low, e.high), values={"t": e.t, "g": g, "low": e.low, "high": e.high},
        )  # fmt: skip

    def bilateral_proof(self, e: BilateralProof) -> None:
        at, points, half = self.last, [], 0.5 * self.tolerance
        assert at is not None
        for k in range(_PIECES + 1):
            x = k / _PIECES
            points.append((e.t1 + (e.t2 - e.t1) * x, e.g1 + (e.g2 - e.g1) * x - e.fall * x * (1.0 - x)))
        least = meters(e.least)
        if e.is_proven:
            then = f"stays above {least}. The motion is clear up to {moment(e.t2)}, and the next axis starts there"
        else:
            then = f"falls to {least}, which proves nothing. The search goes halfway back, to {moment(0.5 * (e.t1 + e.t2))}"
        self.add(
            "proof", 8 if e.is_proven else 9,
            f"From {moment(e.t1)} to {moment(e.t2)} the gap along the axis cannot dip below its chord by more than K (t - t1)(t2 - t) / 2. "
            f"This bound {then}.", at.looked_at, bound=e.t2 if e.is_proven else e.t1,
            values={"t1": e.t1, "t2": e.t2, "K": at.bend, "least": e.least, "g1": e.g1 + half, "g2": e.g2 + half},
            marks=(
                *self.probes, *curve("bound", points, "the bound"), *curve("other", [points[0], points[-1]], "chord"),
                *(clear_time("kept", e.t1, e.t2, "clear") if e.is_proven else ()), *self.placed(e.t2),
            ),
            question=Question(
                "Does the bound stay above 0 up to t2?", ("yes, the motion is clear", "no, the search goes halfway back"),
                int(not e.is_proven),
            ),
        )  # fmt: skip


class BilateralAdvancement(ImpactAlgorithm):
    """Box2D's method, made safe: an axis is kept as long as it separates the shapes."""

    name = "bilateral_advancement"
    title = "Bilateral advancement: time of impact"
    pseudo_code = code("""
        t1 = when the circles around the shapes first meet; if never: a miss
        repeat:
          gap, n = distance between the shapes at t1, and its direction
          if gap <= tolerance: they touch at t1
          if the circles separate at t1, or t1 is the end: a miss
          t2 = the limit of the proof; keep n, rotated with its face
          g(t) = the gap along n at t
          if g(t2) < 0: t2 = a root of g, by secants and bisections
          if chord - K (t - t1)(t2 - t) / 2 stays above 0: clear, t1 = t2
          else: t2 = halfway back
    """)
    beside = ("conservative_advancement", "bisection")
    decoder = _BilateralDecoder
    ask = staticmethod(partial(query.time_of_impact, method="bilateral"))


class _BisectionDecoder(ImpactDecoder):
    gap_line = 1
    end_lines = (0, 1, 6)

    def set_up(self) -> None:
        super().set_up()
        self.cleared: list[Mark] = []

    def impact_gap(self, e: ImpactGap) -> None:
        """Add a step only for the first gap; the others are those of intervals."""
        if self.last is None:
            super().impact_gap(e)
        else:
            self.measure(e)

    def bisect_interval(self, e: BisectInterval) -> None:
        at, self.end_lines = self.last, (0, 7, 6)
        assert at is not None
        start, end, gap = e.start, e.start + e.width, meters(at.gap)
        which, is_short = f"From {moment(start, e.width)} to {moment(end, e.width)}", math.isnan(e.at_start)
        if is_short:
            bound = f"{which}: in the middle the gap is {gap}, {'so they touch' if at.gap <= 0.0 else 'within the tolerance'}"
        else:
            bound = f"{which}: the gap is {gap} in the middle, and at least {meters(e.at_start)} and {meters(e.at_end)} at the ends"
        if e.follows == BISECT_CLEAR:
            line = 5
            then = ". The bound F is concave, so it lies above the line between its ends: the gap stays open, and the interval is clear"
            self.cleared += clear_time("kept", start, end)
        elif e.follows == BISECT_HALVED:
            line, then = 8, ". It may close in between, so the first half is next"
        else:
            line, then = 7, ". It may close, but the shapes hardly move during this interval, so this counts as contact"
        question = Question("Is this interval proven clear?", ("yes", "no, it is halved"), int(e.follows == BISECT_HALVED))
        self.add(
            "interval", line, f"{bound}{then}.", at.looked_at, at.points, at.unit, end if e.follows == BISECT_CLEAR else start,
            {"t": at.t, "gap": at.gap, "K": at.bend, "start": start, "end": end, "at start": e.at_start, "at end": e.at_end,
             "least": e.least},
            marks=(
                *self.cleared, *clear_time("looked_at", start, end), *self.gap_marks(at),
                *curve("bound", [(start, e.at_start), (at.t, at.gap), (end, e.at_end)], "F's chords"),
            ),
            question=question if e.follows in (BISECT_CLEAR, BISECT_HALVED) and not is_short else None,
        )  # fmt: skip


class Bisection(ImpactAlgorithm):
    """Proves the motion clear, one interval after the other, halving where it cannot."""

    name = "bisection"
    title = "Bisection: time of impact"
    pseudo_code = code("""
        interval = while the circles around the shapes meet; if never: a miss
        if the gap at its start is within the tolerance: contact there
        repeat:
          gap, n = distance at the interval's middle, and its direction
          F(s) = gap of the foremost corners moving straight - K s^2 / 2
          if F > 0 at both ends, and therefore in between: clear
            next interval; if none is left: a miss
          else if the interval is too short for the shapes to move: contact
          else: examine its first half, then its second
    """)
    beside = ("conservative_advancement", "bilateral_advancement")
    decoder = _BisectionDecoder
    ask = staticmethod(partial(query.time_of_impact, method="bisection"))
    _shapes = ImpactAlgorithm.example.both
    example = given.of_sweeps(
        _shapes[0], Sweep(Transform((0.0, 0.0), -0.1), Transform((-0.4, -0.1), -2.0)),
        _shapes[2], Sweep(Transform((-1.7, 1.3), -0.1), Transform((2.9, 0.7), -2.7)),
    )  # fmt: skip
    """A near pass: a touch takes thirty halvings more."""


ALGORITHMS: tuple[Algorithm[Any], ...] = (ConservativeAdvancement(), BilateralAdvancement(), Bisection())
