"""Time of impact by bisection, step by step: `engine.continuous._bisection_kernel`."""

from __future__ import annotations

import math

from engine.continuous import time_of_impact as chapter
from engine.continuous._bisection_kernel import BISECT_CLEAR, BISECT_HALVED
from engine.continuous._motion_kernel import IMPACT_GAP
from engine.contracts.trace import Mark, Question, TraceStep
from engine.geometry import Sweep, Transform
from engine.trace import given
from engine.trace._bars import moment
from engine.trace._impact import Impact, ImpactAlgorithm, Measured, curve, on_axis_of_time
from engine.trace.cases import PairCase
from engine.trace.words import meters

__all__ = ["ALGORITHM", "Bisection"]


class Bisection(ImpactAlgorithm):
    """Proves the motion clear, one interval after the other, halving where it cannot."""

    title = "Bisection: time of impact"
    page = "time_of_impact.md#derivation"
    pseudo_code = (
        "interval = while the circles around the shapes meet; if never: a miss",
        "if the gap at its start is within the tolerance: contact there",
        "repeat:",
        "  gap, n = distance at the interval's middle, and its direction",
        "  F(s) = gap of the foremost corners moving straight - K s^2 / 2",
        "  if F > 0 at both ends, and therefore in between: clear",
        "    next interval; if none is left: a miss",
        "  else if the interval is too short for the shapes to move: contact",
        "  else: examine its first half, then its second",
    )
    beside = ("conservative_advancement", "bilateral_advancement")
    method = staticmethod(chapter.bisection)

    @property
    def example(self) -> PairCase:
        """A near pass: a touch takes thirty halvings more."""
        touching = super().example.pair
        assert touching.shape_b is not None
        return given.of_sweeps(
            touching.shape_a, Sweep(Transform((0.0, 0.0), -0.1), Transform((-0.4, -0.1), -2.0)),
            touching.shape_b, Sweep(Transform((-1.7, 1.3), -0.1), Transform((2.9, 0.7), -2.7)),
        )  # fmt: skip

    def decoded(self, impact: Impact, rows: list[list[float]]) -> list[TraceStep]:
        steps: list[TraceStep] = []
        last: Measured | None = None
        cleared: list[Mark] = []
        for row in rows:
            if row[0] == IMPACT_GAP:
                last = impact.measure(row[1:])
                if not steps:
                    steps.append(impact.gap(last, 1))
            else:
                assert last is not None
                steps.append(_interval(impact, last, row[1:7], cleared))
        return [*steps, impact.answer(steps, last, (0, 7 if len(steps) > 1 else 1, 6))]


def _interval(impact: Impact, at: Measured, row: list[float], cleared: list[Mark]) -> TraceStep:
    start, width, at_start, at_end, least, follows = row
    end = start + width
    which = f"From {moment(start, width)} to {moment(end, width)}"
    if math.isnan(at_start):
        state = "so they touch" if at.gap <= 0.0 else "within the tolerance"
        bound = f"{which}: in the middle the gap is {meters(at.gap)}, {state}"
    else:
        bound = f"{which}: the gap is {meters(at.gap)} in the middle, and at least {meters(at_start)} and {meters(at_end)} at the ends"
    if follows == BISECT_CLEAR:
        line = 5
        then = ". The bound F is concave, so it lies above the line between its ends: the gap stays open, and the interval is clear"
        cleared += on_axis_of_time("kept", start, end)
    elif follows == BISECT_HALVED:
        line, then = 8, ". It may close in between, so the first half is next"
    else:
        line, then = 7, ". It may close, but the shapes hardly move during this interval, so this counts as contact"
    is_asked = follows in (BISECT_CLEAR, BISECT_HALVED) and not math.isnan(at_start)
    return impact.step(
        "interval", line, f"{bound}{then}.", looked_at=at.looked_at, points=at.points, axis=at.unit,
        bound=end if follows == BISECT_CLEAR else start,
        values={"t": at.t, "gap": at.gap, "K": at.bend, "start": start, "end": end, "at start": at_start, "at end": at_end, "least": least},
        marks=(
            *cleared, *on_axis_of_time("looked_at", start, end), *impact.gap_marks(at),
            *curve("bound", [(start, at_start), (at.t, at.gap), (end, at_end)], "F's chords"),
        ),
        question=Question("Is this interval proven clear?", ("yes", "no, it is halved"), int(follows == BISECT_HALVED))
        if is_asked else None,
    )  # fmt: skip


ALGORITHM = Bisection()
