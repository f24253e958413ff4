"""Time of impact by bisection, step by step: `engine.continuous._bisection_kernel`."""

from __future__ import annotations

import math
from typing import Any

from engine.continuous import time_of_impact as chapter
from engine.continuous._bisection_kernel import BISECT_CLEAR, BISECT_HALVED, BISECT_INTERVAL
from engine.contracts.trace import Mark, Question
from engine.geometry import Sweep, Transform
from engine.trace import given
from engine.trace._impact import IMPACT_EVENTS, ImpactAlgorithm, ImpactDecoder, clear_time, curve
from engine.trace.rows import Event
from engine.trace.words import meters, moment

__all__ = ["ALGORITHM"]


class _Decoder(ImpactDecoder):
    events = {  # noqa: RUF012
        **IMPACT_EVENTS,
        BISECT_INTERVAL: Event("interval", "start width at_start at_end least follows"),
    }
    gap_line = 1
    end_lines = (0, 1, 6)

    def __init__(self, *context: Any) -> None:
        super().__init__(*context)
        self.cleared: list[Mark] = []

    def gap(self, e: Any) -> None:
        """Add a step only for the first gap; the others are those of intervals."""
        if self.last is None:
            super().gap(e)
        else:
            self.measure(e)

    def interval(self, e: Any) -> None:
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

    title = "Bisection: time of impact"
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
    decoder = _Decoder
    ask = staticmethod(chapter.bisection)
    _shapes = ImpactAlgorithm.example.both
    example = given.of_sweeps(
        _shapes[0], Sweep(Transform((0.0, 0.0), -0.1), Transform((-0.4, -0.1), -2.0)),
        _shapes[2], Sweep(Transform((-1.7, 1.3), -0.1), Transform((2.9, 0.7), -2.7)),
    )  # fmt: skip
    """A near pass: a touch takes thirty halvings more."""


ALGORITHM = Bisection()
