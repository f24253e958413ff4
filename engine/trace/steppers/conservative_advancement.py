"""Time of impact by conservative advancement, step by step: `engine.continuous._advancement_kernel`."""

from __future__ import annotations

from engine.continuous import time_of_impact as chapter
from engine.continuous._advancement_kernel import ADVANCE_CHORD, ADVANCE_ROOT, ADVANCE_STEP, bound_at
from engine.continuous._motion_kernel import IMPACT_GAP
from engine.contracts import Status
from engine.contracts.trace import Mark, Question, TraceStep
from engine.trace._bars import moment
from engine.trace._impact import Impact, ImpactAlgorithm, Measured, curve, on_axis_of_time
from engine.trace.words import meters

__all__ = ["ALGORITHM", "ConservativeAdvancement"]

_PIECES = 16
"""Number of segments of a drawn parabola."""


class ConservativeAdvancement(ImpactAlgorithm):
    """Mirtich's conservative advancement, with a bound of second order."""

    title = "Conservative advancement: time of impact"
    page = "time_of_impact.md#derivation"
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
    method = staticmethod(chapter.conservative_advancement)

    def decoded(self, impact: Impact, rows: list[list[float]]) -> list[TraceStep]:
        steps: list[TraceStep] = []
        last: Measured | None = None
        parabolas: list[list[float]] = []
        for k, row in enumerate(rows):
            if row[0] == IMPACT_GAP:
                last, parabolas = impact.measure(row[1:]), []
                steps.append(impact.gap(last, 2))
            elif row[0] == ADVANCE_ROOT:
                parabolas.append(row[1:6])
            elif row[0] == ADVANCE_CHORD:
                continue
            elif row[0] == ADVANCE_STEP:
                assert last is not None
                reaches = impact.result.status is Status.HIT and not any(later[0] == ADVANCE_STEP for later in rows[k + 1 :])
                steps.append(_advance(impact, last, parabolas, row[1:4], reaches))
        return [*steps, impact.answer(steps, last, (0, 3, 4))]


def _advance(impact: Impact, at: Measured, parabolas: list[list[float]], row: list[float], reaches: bool) -> TraceStep:
    t, s, after = row
    _, above, slope, bend, _ = parabolas[-1]
    marks: list[Mark] = []
    seen: set[tuple[float, float]] = set()
    for _, start, rate, fall, _ in reversed(parabolas):
        if (start, rate) not in seen:
            seen.add((start, rate))
            end = min(max(1.5 * s, 0.02), 1.0 - t)
            points = [(t + end * k / _PIECES, bound_at(start, rate, fall, end * k / _PIECES)) for k in range(_PIECES + 1)]
            marks += curve(
                "bound" if len(seen) == 1 else "dropped", points, "F" if len(seen) == 1 else "another corner" if len(seen) == 2 else ""
            )
    corner = "In a fraction s of the motion, the foremost corner"
    if abs(above - at.gap) > impact.tolerance:
        corner = f"By then another corner is foremost, {meters(above)} away. In a fraction s of the motion, it"
    speed = f"{corner} approaches by {meters(-slope)} x s" if slope < 0.0 else f"{corner} moves away by {meters(slope)} x s"
    turning = f", and rotation adds at most K s^2 / 2, K = {meters(bend)}" if bend > 0.0 else ""
    sentence = f"{speed}{turning}: the gap of {meters(above)} cannot close before "
    if after < impact.t_last:
        sentence += f"s = {s:.3g}. No contact can be missed by advancing to {moment(after, s)}."
    else:
        sentence += f"the end, so the search advances to {moment(after)}."
    return impact.step(
        "advance", 6, sentence, looked_at=at.looked_at, points=at.points, axis=at.unit, bound=after,
        values={"t": t, "above": above, "slope": slope, "K": bend, "s": s},
        marks=(
            *impact.gap_marks(at, "ghost"), *marks, *on_axis_of_time("kept", t, after, "clear"),
            *impact.placed(after, "looked_at"), Mark("point", "looked_at", ((after, 0.0),), "curve", moment(after)),
        ),
        question=Question(
            "Will this advance reach the first contact?",
            ("yes, to within the tolerance", "no, it stops short, or there is none"), 0 if reaches else 1,
        ),
    )  # fmt: skip


ALGORITHM = ConservativeAdvancement()
