"""Without the bullet flag only static and kinematic bodies are swept against: a thin dynamic one is flown through."""

from __future__ import annotations

from demos._promise_rows import N_SHOTS, RowsScene
from engine.demo import register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.rows import TARGETS, RowsSpec, measure_thin_bodies

__all__ = ["PromiseThinBodies"]


@register(
    id="promise_thin_bodies",
    category="Where Box2D surprises",
    title="Through thin bodies",
    watch="Continuous physics is on everywhere; still a body without the bullet flag flies through a dynamic plate.",
)
class PromiseThinBodies(RowsScene):
    """The same shots at bodies of each type."""

    tries = (
        ("Change the speed of the bullets.", "set speed"),
        ("Make the plates thicker.", "set thickness"),
        ("Start again: R.", "restart"),
    )
    keywords = "tunneling ccd bullet flag plate dynamic"

    def lanes(self) -> tuple[tuple[str, RowsSpec], ...]:
        return tuple(
            (
                f"{target} {'plate' if target == 'dynamic' else 'wall'}, bullet flag {'on' if bullet else 'off'}",
                RowsSpec(target, self.parameter("speed"), self.parameter("thickness"), bullet=bullet),
            )
            for target, bullet in TARGETS
        )

    def measured(self) -> tuple[Finding, ...]:
        return measure_thin_bodies(self.parameter("speed"), self.parameter("thickness"), N_SHOTS)
