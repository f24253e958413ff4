"""Without the bullet flag only static and kinematic bodies are swept against: a thin dynamic one is flown through."""

from __future__ import annotations

from demos._promise_rows import N_SHOTS, RowsScene
from engine.demo import register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.rows import TARGETS, RowsSpec, measure_thin_bodies

__all__ = ["PromiseThinBodies"]


@register(
    id="promise_thin_bodies",
    category="Not promised",
    title="Through thin bodies",
    watch=(
        "Continuous physics is on in all lanes. A body without the bullet flag is stopped by what is static or kinematic, and flies "
        "through a dynamic plate unless a step ends in the green zone."
    ),
)
class PromiseThinBodies(RowsScene):
    """The same shots at bodies of each type."""

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
