"""What a time line shows of one step: numbers and words, computed elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.common.arrays import FloatArray
from engine.render.palette import Color

__all__ = ["GapTimeline", "Heading", "Mark", "MarkKind"]

Heading = tuple[tuple[str, Color], ...]
MarkKind = Literal["diamond", "triangle", "ring", "tick"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of the step.

    Parameters
    ----------
    fraction : float
    gap : float or None
        Metres, where it lies on the curve; None for a tick on the axis of time.
    kind, color
    words : str
        For the pointer.
    legend : str
        Under the plot, once for all marks that share it; "" for none.
    in_lens : bool
        Whether the close-up writes its fraction beside it.
    """

    fraction: float
    gap: float | None
    kind: MarkKind
    color: Color
    words: str
    legend: str = ""
    in_lens: bool = False


@dataclass(frozen=True, slots=True)
class GapTimeline:
    """What is drawn.

    Parameters
    ----------
    title : tuple of headings
        Pieces (str, Color) each; the first heading that fits is written.
    fractions, gaps : float64 (n,)
        The curve: ascending fractions of the step, metres.
    walk : float64 (m, 2)
        Fraction and gap of each step of an advancement down to the root; may be empty.
    target : float or None
        A gap drawn as a line, metres.
    lens : pair of float or None
        Fractions of the close-up.
    marks : sequence of Mark
    milliseconds : float
        Length of the step.
    now : float or None
        The fraction that the picture shows, drawn as a bar; None where it shows another step.
    """

    title: tuple[Heading, ...]
    fractions: FloatArray
    gaps: FloatArray
    walk: FloatArray
    target: float | None
    lens: tuple[float, float] | None
    marks: Sequence[Mark]
    milliseconds: float
    now: float | None = None

    def gap_at(self, fraction: float) -> float:
        """Return the gap at a fraction, metres."""
        return float(np.interp(fraction, self.fractions, self.gaps))
