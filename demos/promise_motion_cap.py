"""In a step no body moves more than 2 m or turns more than a quarter turn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from demos._limitations import Limitation
from engine.common.limits import MAX_ROTATION_PER_STEP, MAX_TRANSLATION_PER_STEP
from engine.demo import Parameter, Stage, register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.motion_cap import BLADES_AT, PITCH, SPEEDS, STEPS, TURNINGS, Race, is_capped, measure_cap
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import Color

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PromiseMotionCap"]

DISC_COLUMNS, BLADE_COLUMNS = (17.4, 21.0), (-12.0, -8.4)
"""Left ends of the columns, meters."""
SET_COLUMN = -15.2
"""Left end of the column with the angular velocities that were set, meters."""


@register(
    id="promise_motion_cap",
    category="Limitations of Box2D",
    title="Speed limit: 2 m per step",
    watch="The three fastest discs move at the same speed: Box2D lets no body move more than 2 m or rotate more than 90° in a step.",
)
class PromiseMotionCap(Limitation):
    """A race of discs, and blades that turn."""

    tries = (
        ("Double the step rate: the speed limit doubles.", "set hertz=120"),
        ("Start again (R).", "restart"),
    )
    keywords = "speed limit maximum translation rotation clamp velocity"
    parameters = (Parameter("hertz", 60.0, 15.0, 240.0, "Hz", "step rate", whole=True),)
    run_steps = STEPS + 4
    pitch = 1e3, PITCH

    def setup(self) -> None:
        self.race = Race.start(self.parameter("hertz"))
        self.add_stage(self.race.world)
        self.reset()

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return dict.fromkeys(self.race.discs, palette.NORMAL) | dict.fromkeys(self.race.blades, palette.ACCENT)

    def reset(self) -> None:
        self.ways: list[list[float]] = [[0.0] for _ in self.race.discs]
        self.angles: list[list[float]] = [[0.0] for _ in self.race.blades]

    def after_step(self) -> None:
        world = self.race.world
        if self.age <= STEPS:
            for way, disc in zip(self.ways, self.race.discs, strict=True):
                way.append(world.state(disc).position[0])
            for angles, blade in zip(self.angles, self.race.blades, strict=True):
                angles.append(world.state(blade).angle)
        if self.age == STEPS:
            for body in self.race.blades:  # stop them for inspection
                world.set_velocity(body, (0.0, 0.0))

    def measured(self) -> tuple[Finding, ...]:
        return measure_cap(self.parameter("hertz"))

    def frame(self, has_table: bool) -> AABB:
        left, right, top = (SET_COLUMN, DISC_COLUMNS[1] + 3.3, 3.2) if has_table else (BLADES_AT - 1.4, DISC_COLUMNS[0], 1.4)
        return AABB((left, -PITCH * (len(SPEEDS) - 1) - 1.4), (right, top))

    def draw_background(self, canvas: Canvas) -> None:
        for x in range(0, round(STEPS * MAX_TRANSLATION_PER_STEP) + 1, round(MAX_TRANSLATION_PER_STEP)):
            canvas.segment((x, 0.7), (x, -PITCH * (len(SPEEDS) - 1) - 0.7), palette.GRID_AXIS)

    def draw(self, canvas: Canvas) -> None:
        hertz = self.parameter("hertz")
        self.draw_heads(canvas, DISC_COLUMNS, 1.9, "flies, m/s")
        self.draw_heads(canvas, BLADE_COLUMNS, 1.9, "turns, rad/s")
        self.write(canvas, (SET_COLUMN, 1.9), "set", palette.CAPTION, 14.0)
        for lane, (speed, turning) in enumerate(zip(SPEEDS, TURNINGS, strict=True)):
            y = -PITCH * lane
            color = palette.WARNING if is_capped(speed, MAX_TRANSLATION_PER_STEP, hertz) else palette.TEXT
            self.write(canvas, (0.0, y + 0.95), f"set to {speed:g} m/s", color, 13.0, bold=True)
            color = palette.WARNING if is_capped(turning, MAX_ROTATION_PER_STEP, hertz) else palette.TEXT
            self.write(canvas, (SET_COLUMN, y), f"{turning:g}", color, 12.0)
            for x in self.ways[lane]:
                canvas.point((x, y), palette.NORMAL, 2.5)
            for angle in self.angles[lane]:
                tip = (BLADES_AT + 1.12 * math.cos(angle), y + 1.12 * math.sin(angle))
                canvas.point(tip, palette.ACCENT, 2.0)
            self.draw_finding(canvas, DISC_COLUMNS, y, self._bare(lane))
            self.draw_finding(canvas, BLADE_COLUMNS, y, self._bare(len(SPEEDS) + lane))

    def _bare(self, k: int) -> Finding | None:
        """Return a number without its unit, which the head of the column has."""
        finding = self.finding(k)
        return None if finding is None else replace(finding, unit="")
