"""The bullet flag does nothing where the world's continuous physics is off."""

from __future__ import annotations

from demos._promise_rows import N_SHOTS, RowsScene
from engine.demo import register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.rows import SWITCHES, RowsSpec, measure_switches

__all__ = ["PromiseSwitches"]


@register(
    id="promise_switches",
    category="Where Box2D surprises",
    title="The flag alone does nothing",
    watch="The same shots at a static wall for each setting of two switches: only continuous physics stops the bullets.",
)
class PromiseSwitches(RowsScene):
    """The four settings of two switches."""

    tries = (
        ("Change the speed of the bullets.", "set speed"),
        ("Make the wall thicker.", "set thickness"),
        ("Start again: R.", "restart"),
    )
    keywords = "bullet flag ccd continuous physics switch tunneling"

    def lanes(self) -> tuple[tuple[str, RowsSpec], ...]:
        return tuple(
            (
                f"continuous physics {'on' if continuous else 'off'}, bullet flag {'on' if bullet else 'off'}",
                RowsSpec("static", self.parameter("speed"), self.parameter("thickness"), continuous=continuous, bullet=bullet),
            )
            for continuous, bullet in SWITCHES
        )

    def measured(self) -> tuple[Finding, ...]:
        return measure_switches(self.parameter("speed"), self.parameter("thickness"), N_SHOTS)
