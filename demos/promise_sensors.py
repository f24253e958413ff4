"""A bullet passes a sensor unseen: continuous collision detection leaves sensors out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demos._promise_rows import N_SHOTS, RowsScene
from engine.demo import register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.rows import Rows, RowsSpec, first_swept_touch, measure_sensors
from engine.render import palette
from engine.render.palette import Color

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PromiseSensors"]


@register(
    id="promise_sensors",
    category="Where Box2D surprises",
    title="Sensors miss bullets",
    watch="A sensor notices a bullet only if a step ends in the green zone, whatever the bullet flag says.",
)
class PromiseSensors(RowsScene):
    """Bullets at sensors."""

    tries = (
        ("Slow the bullets down until the sensors notice them.", "set speed"),
        ("Make the targets thicker.", "set thickness"),
        ("Start again: R.", "restart"),
    )
    keywords = "sensor tunneling ccd bullet flag trigger"
    column_title = f"share seen, of {N_SHOTS} shots"

    def lanes(self) -> tuple[tuple[str, RowsSpec], ...]:
        spec = self.parameter("speed"), self.parameter("thickness")
        return (
            ("sensor, bullet flag on", RowsSpec("sensor", *spec)),
            ("sensor, bullet flag off", RowsSpec("sensor", *spec, bullet=False)),
            ("wall, bullet flag on", RowsSpec("static", *spec)),
        )

    def measured(self) -> tuple[Finding, ...]:
        return measure_sensors(self.parameter("speed"), self.parameter("thickness"), N_SHOTS)

    def counted(self, rows: Rows) -> tuple[str, list[tuple[str, Color]]]:
        words = [("seen", palette.AGREE) if seen else ("unseen", palette.UNEXPLAINED) for seen in rows.seen]
        return f"{sum(rows.seen)} of {len(rows.seen)} seen", words

    def draw(self, canvas: Canvas) -> None:
        super().draw(canvas)
        for _, rows, stage in self.rows:
            if rows.spec.target == "sensor" and self.findings():  # by then the swept test is loaded
                for row, y in enumerate(rows.heights):
                    time = first_swept_touch(rows, row)
                    if time is not None:
                        x = rows.ways[row][0] + rows.spec.travel * rows.spec.hertz * time
                        canvas.at(stage.offset).circle((x, y), rows.spec.radius, None, palette.AGREE)
