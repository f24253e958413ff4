"""Time of impact by conservative advancement, step by step: `engine.continuous._advancement_kernel`."""

from __future__ import annotations

from typing import Any

from engine.continuous import time_of_impact as chapter
from engine.continuous._advancement_kernel import ADVANCE_ROOT, ADVANCE_STEP, bound_at
from engine.contracts import Status
from engine.contracts.trace import Mark, Question
from engine.trace._impact import IMPACT_EVENTS, ImpactAlgorithm, ImpactDecoder, clear_time, curve
from engine.trace.marks import dot
from engine.trace.rows import Event
from engine.trace.words import meters, moment

__all__ = ["ALGORITHM"]

_PIECES = 16
"""Number of segments of a drawn parabola."""


class _Decoder(ImpactDecoder):
    events = {  # noqa: RUF012
        **IMPACT_EVENTS,
        ADVANCE_ROOT: Event("root", "s above slope bend bound"),
        ADVANCE_STEP: Event("advance", "t s after"),
    }

    def gap(self, e: Any) -> None:
        self.parabolas: list[Any] = []
        super().gap(e)

    def root(self, e: Any) -> None:
        self.parabolas.append(e)

    def advance(self, e: Any) -> None:
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

    title = "Conservative advancement: time of impact"
    pseudo_code = (
        "t = when the circles around the shapes first meet; if never: a miss",
        "repeat:",
        "  gap, n = distance between the shapes at t, and its direction",
        "  if gap <= tolerance: they touch at t",
        "  if the circles separate at t, or t is the end: a miss",
        "  F(s) = gap of the foremost corner moving straight - K s^2 / 2",
        "  s = F's first root: the gap cannot close before it",
        "  t = t + s",
    )
    beside = ("bisection", "bilateral_advancement", "swept_sat")
    decoder = _Decoder
    ask = staticmethod(chapter.conservative_advancement)


ALGORITHM = ConservativeAdvancement()
