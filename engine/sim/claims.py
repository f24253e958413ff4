"""Claims: quantities that a demo predicts and measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from engine.common.words import decimals

__all__ = ["Claim", "Verdict"]

_NEAR = 0.05
"""Relative difference above which a verdict tells the allowed one: 3.20 (predicted 0.00 within 5.00)."""
Number: TypeAlias = Callable[[Any], float | None]
"""A function of the demo."""


class Verdict(NamedTuple):
    """A line with both numbers of a claim; `holds` is None if they cannot be compared yet."""

    words: str
    holds: bool | None


class Claim(NamedTuple):
    """A number that a demo measures, and the one that it predicts.

    Attributes
    ----------
    what, unit : str
        For display: "range of the stone", "m".
    after : float
        Simulated seconds after a restart from which the measurement must agree with the prediction.
    measured : function of the demo
        Returns None while there is no measurement.
    predicted, allowed : float or function of the demo
        The prediction, and its largest allowed difference from the measurement, in `unit`. The prediction is None if there is none; the
        difference is None if the two cannot be compared yet.
    digits : int
        Decimals for display.
    """

    what: str
    unit: str
    after: float
    measured: Number
    predicted: float | Number
    allowed: float | Number
    digits: int = 2

    def holds(self, demo: Any) -> bool | None:
        """Return True if measurement and prediction agree; None if they cannot be compared yet."""
        measured, predicted, allowed = self.measured(demo), _value(self.predicted, demo), _value(self.allowed, demo)
        if measured is None or predicted is None or allowed is None or demo.steps * demo.step_seconds < self.after:
            return None
        return abs(measured - predicted) <= allowed

    def verdict(self, demo: Any) -> Verdict | None:
        """Return a line with both numbers, and whether they agree; None if there is no prediction."""
        measured, predicted = self.measured(demo), _value(self.predicted, demo)
        if predicted is None:
            return None
        numbers = " ".join(part for part in ("..." if measured is None else decimals(measured, self.digits), self.unit) if part)
        allowed = _value(self.allowed, demo)
        is_near = (
            measured is None
            or allowed is None
            or abs(measured - predicted) <= _NEAR * abs(predicted)
            or round(measured - predicted, self.digits) == 0.0
        )
        within = "" if is_near else f" within {decimals(allowed or 0.0, self.digits)}"
        return Verdict(f"{self.what}: {numbers} (predicted {decimals(predicted, self.digits)}{within})", self.holds(demo))


def _value(number: float | Number, demo: Any) -> float | None:
    return number(demo) if callable(number) else number
