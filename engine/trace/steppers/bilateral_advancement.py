"""Time of impact by bilateral advancement, step by step: `engine.continuous._bilateral_kernel`."""

from __future__ import annotations

import math

from engine.continuous import time_of_impact as chapter
from engine.continuous._bilateral_kernel import BILATERAL_FAR, BILATERAL_PROOF, BILATERAL_ROOT
from engine.continuous._motion_kernel import IMPACT_GAP
from engine.contracts.trace import Mark, Point, Question, TraceStep
from engine.trace._bars import moment
from engine.trace._impact import Impact, ImpactAlgorithm, Measured, curve, on_axis_of_time
from engine.trace.words import meters

__all__ = ["ALGORITHM", "BilateralAdvancement"]

_PIECES = 16
"""Number of segments of a drawn parabola."""


class BilateralAdvancement(ImpactAlgorithm):
    """Box2D's method, made safe: an axis is kept as long as it separates the shapes."""

    title = "Bilateral advancement: time of impact"
    page = "time_of_impact.md#derivation"
    pseudo_code = (
        "t1 = when the circles around the shapes first meet; if never: a miss",
        "repeat:",
        "  gap, n = distance between the shapes at t1, and its direction",
        "  if gap <= tolerance: they touch at t1",
        "  if the circles separate at t1, or t1 is the end: a miss",
        "  t2 = the limit of the proof; keep n, rotated with its face",
        "  g(t) = the gap along n at t",
        "  if g(t2) < 0: t2 = a root of g, by secants and bisections",
        "  if chord - K (t - t1)(t2 - t) / 2 stays above 0: clear, t1 = t2",
        "  else: t2 = halfway back",
    )
    beside = ("conservative_advancement", "bisection")
    method = staticmethod(chapter.bilateral_advancement)

    def decoded(self, impact: Impact, rows: list[list[float]]) -> list[TraceStep]:
        steps: list[TraceStep] = []
        last: Measured | None = None
        probes: list[Mark] = []
        for row in rows:
            if row[0] == IMPACT_GAP:
                last, probes = impact.measure(row[1:]), []
                steps.append(impact.gap(last, 2))
                continue
            assert last is not None
            if row[0] == BILATERAL_FAR:
                impact.measured += 1
                steps.append(_far(impact, last, row[1:5], probes))
            elif row[0] == BILATERAL_ROOT:
                impact.measured += 1
                steps.append(_root(impact, last, row[1:6], probes))
            elif row[0] == BILATERAL_PROOF:
                steps.append(_proof(impact, last, row[1:8], probes))
        return [*steps, impact.answer(steps, last, (0, 3, 4))]


def _axis_at(impact: Impact, at: Measured, t: float) -> Point:
    """Return the axis kept since `at`, rotated with its face."""
    if at.face is None:
        return at.axis
    turn = at.face.sweep.at(t).angle - at.face.sweep.at(at.t).angle
    cos, sin, (x, y) = math.cos(turn), math.sin(turn), at.axis
    return cos * x - sin * y, sin * x + cos * y


def _probe(impact: Impact, at: Measured, t: float, g: float, probes: list[Mark]) -> tuple[Mark, ...]:
    probes.append(Mark("point", "looked_at", ((t, g),), "curve"))
    return (
        *probes, *impact.placed(t), *impact.carrier(at, t), Mark("point", "new", ((t, g),), "curve", meters(g)),
        Mark("point", "kept", ((at.t, at.gap),), "curve"),
    )  # fmt: skip


def _far(impact: Impact, at: Measured, row: list[float], probes: list[Mark]) -> TraceStep:
    t1, t2, _, above = row
    g = above + 0.5 * impact.tolerance
    state = f"{meters(g)}, still open" if above >= 0.0 else f"{meters(g)}, closed on this axis, so g has an earlier root"
    return impact.step(
        "far end", 6, f"The axis is kept. At the far end, {moment(t2)}, the gap along it is {state}.",
        looked_at=at.looked_at, axis=_axis_at(impact, at, t2), bound=t1, values={"t": t2, "g": g},
        marks=_probe(impact, at, t2, g, probes),
        question=Question("Is the gap along this axis open at the far end?", ("open", "closed"), int(above < 0.0)),
    )  # fmt: skip


def _root(impact: Impact, at: Measured, row: list[float], probes: list[Mark]) -> TraceStep:
    t, above, low, high, by_secant = row
    g = above + 0.5 * impact.tolerance
    way = "A secant" if by_secant == 1.0 else "A bisection"
    return impact.step(
        "root", 7,
        f"{way} tries {moment(t, high - low)}, where the gap along the axis is {meters(g)}. The root lies between "
        f"{moment(low, high - low)} and "
        f"{moment(high, high - low)}.",
        looked_at=at.looked_at, axis=_axis_at(impact, at, t), bound=at.t, values={"t": t, "g": g, "low": low, "high": high},
        marks=(*_probe(impact, at, t, g, probes), *on_axis_of_time("looked_at", low, high)),
    )  # fmt: skip


def _proof(impact: Impact, at: Measured, row: list[float], probes: list[Mark]) -> TraceStep:
    t1, t2, g1, g2, fall, least, is_proven = row
    points = []
    for k in range(_PIECES + 1):
        x = k / _PIECES
        points.append((t1 + (t2 - t1) * x, g1 + (g2 - g1) * x - fall * x * (1.0 - x)))
    if is_proven == 1.0:
        line, then = 8, f"stays above {meters(least)}. The motion is clear up to {moment(t2)}, and the next axis starts there"
    else:
        line, then = 9, f"falls to {meters(least)}, which proves nothing. It goes halfway back, to {moment(0.5 * (t1 + t2))}"
    return impact.step(
        "proof", line,
        f"From {moment(t1)} to {moment(t2)} the gap along the axis cannot dip below its chord by more than K (t - t1)(t2 - t) / 2. This "
        f"bound {then}.",
        looked_at=at.looked_at, bound=t2 if is_proven == 1.0 else t1,
        values={"t1": t1, "t2": t2, "K": at.bend, "least": least, "g1": g1 + 0.5 * impact.tolerance, "g2": g2 + 0.5 * impact.tolerance},
        marks=(
            *probes, *curve("bound", points, "the bound"), *curve("other", [points[0], points[-1]], "chord"),
            *(on_axis_of_time("kept", t1, t2, "clear") if is_proven == 1.0 else ()), *impact.placed(t2),
        ),
        question=Question("Does the bound stay above 0 up to t2?", ("yes, it is clear", "no, it goes halfway back"), int(is_proven == 0.0)),
    )  # fmt: skip


ALGORITHM = BilateralAdvancement()
