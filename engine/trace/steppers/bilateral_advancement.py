"""Time of impact by bilateral advancement, step by step: `engine.continuous._bilateral_kernel`."""

from __future__ import annotations

import math
from typing import Any

from engine.continuous import time_of_impact as chapter
from engine.continuous._bilateral_kernel import BILATERAL_FAR, BILATERAL_PROOF, BILATERAL_ROOT
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
        BILATERAL_FAR: Event("far", "t1 t2 g1 above"),
        BILATERAL_ROOT: Event("root", "t above low high by_secant:b"),
        BILATERAL_PROOF: Event("proof", "t1 t2 g1 g2 fall least is_proven:b"),
    }

    def gap(self, e: Any) -> None:
        self.probes: list[Mark] = []
        super().gap(e)

    def _probe(self, kind: str, line: int, sentence: str, t: float, g: float, marks: tuple[Mark, ...] = (), **more: Any) -> None:
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

    def far(self, e: Any) -> None:
        g = e.above + 0.5 * self.tolerance
        state = f"{meters(g)}, still open" if e.above >= 0.0 else f"{meters(g)}, closed on this axis, so g has an earlier root"
        self._probe(
            "far end", 6, f"The axis is kept. At the far end, {moment(e.t2)}, the gap along it is {state}.", e.t2, g,
            values={"t": e.t2, "g": g},
            question=Question("Is the gap along this axis open at the far end?", ("open", "closed"), int(e.above < 0.0)),
        )  # fmt: skip

    def root(self, e: Any) -> None:
        g, (t, low, high) = e.above + 0.5 * self.tolerance, (moment(at, e.high - e.low) for at in (e.t, e.low, e.high))
        self._probe(
            "root", 7,
            f"{'A secant' if e.by_secant else 'A bisection'} tries {t}, where the gap along the axis is {meters(g)}. The root lies between "
            f"{low} and {high}.", e.t, g, clear_time("looked_at", e.low, e.high), values={"t": e.t, "g": g, "low": e.low, "high": e.high},
        )  # fmt: skip

    def proof(self, e: Any) -> None:
        at, points, half = self.last, [], 0.5 * self.tolerance
        assert at is not None
        for k in range(_PIECES + 1):
            x = k / _PIECES
            points.append((e.t1 + (e.t2 - e.t1) * x, e.g1 + (e.g2 - e.g1) * x - e.fall * x * (1.0 - x)))
        least = meters(e.least)
        if e.is_proven:
            then = f"stays above {least}. The motion is clear up to {moment(e.t2)}, and the next axis starts there"
        else:
            then = f"falls to {least}, which proves nothing. It goes halfway back, to {moment(0.5 * (e.t1 + e.t2))}"
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
                "Does the bound stay above 0 up to t2?", ("yes, it is clear", "no, it goes halfway back"), int(not e.is_proven)
            ),
        )  # fmt: skip


class BilateralAdvancement(ImpactAlgorithm):
    """Box2D's method, made safe: an axis is kept as long as it separates the shapes."""

    title = "Bilateral advancement: time of impact"
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
    decoder = _Decoder
    ask = staticmethod(chapter.bilateral_advancement)


ALGORITHM = BilateralAdvancement()
