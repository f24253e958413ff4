"""One number of an experiment, as predicted by a derivation and as measured with Box2D."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A named number, its prediction (None if none was derived) and its measurement.

    Numbers in "%" are shares, 0 to 1, shown as percentages, with `digits` after the point. `allowance` is the allowed difference: rounding,
    or the sampling error of a share, derived in the module that creates the finding.
    """

    what: str
    predicted: float | None
    measured: float
    unit: str = ""
    allowance: float = 0.0
    digits: int = 2

    @property
    def holds(self) -> bool:
        """True if the measurement lies within the allowance of the prediction, or if there is none."""
        return self.predicted is None or abs(self.predicted - self.measured) <= self.allowance

    @property
    def prediction_words(self) -> str:
        """The prediction with its unit."""
        return "none" if self.predicted is None else self._shown(self.predicted)

    @property
    def measurement_words(self) -> str:
        """The measurement with its unit."""
        return self._shown(self.measured)

    @property
    def words(self) -> str:
        """The finding in one line."""
        if self.predicted is None:
            return f"{self.what}: measured {self.measurement_words}"
        return f"{self.what}: predicted {self.prediction_words} | measured {self.measurement_words}"

    def _shown(self, number: float) -> str:
        scaled = 100.0 * number if self.unit == "%" else number
        text = f"{scaled:.{self.digits}f}"
        if float(text) == 0.0:
            text = text.lstrip("-")
        return f"{text} {self.unit}" if self.unit else text
