"""Up to 1 m/s nothing bounces, whatever the restitution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demos._limitations import Limitation
from engine.demo import Parameter, Stage, register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.threshold import (
    APPROACHES,
    DROPS,
    PITCH,
    RADIUS,
    dropped_balls,
    flying_balls,
    measure_threshold,
    predicted_drop,
)
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import Color

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PromiseSlowBalls"]

DROPS_AT = (4.2, -2.2)
"""Offset of the world with gravity, meters."""
SPEED_COLUMN, COLUMNS = 0.35, (1.15, 2.0)
"""Left ends of the columns, meters."""
ROW = 0.26
"""Distance of the lines below the floor, meters."""


@register(
    id="promise_slow_balls",
    category="Limitations of Box2D",
    title="Slow balls do not bounce",
    watch="A ball that hits a surface at 1 m/s or less does not bounce, even though its restitution is 1.",
)
class PromiseSlowBalls(Limitation):
    """Balls that hit a wall or the floor at about 1 m/s."""

    tries = (
        ("Start again (R).", "restart"),
        ("Lower the restitution.", "set restitution<"),
        ("Pause (Space) and compare the left side, without gravity, with the right side.", "pause"),
    )
    keywords = "restitution threshold velocity bounce"
    parameters = (Parameter("restitution", 1.0, 0.0, 1.0, "", "restitution (bounce)"),)
    run_steps = 150
    slow_motion = 1 / 2
    pitch = DROPS_AT[0], 1e3

    def setup(self) -> None:
        self.falling = dropped_balls(self.parameter("restitution"))
        self.flying = flying_balls(self.parameter("restitution"))
        self.add_stage(self.flying.world)
        self.add_stage(self.falling.world, DROPS_AT)
        self.bounce = [predicted_drop(drop, self.parameter("restitution"))[1] for drop in DROPS]
        self.reset()

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return dict.fromkeys((self.flying if stage is self.stages[0] else self.falling).balls, palette.NORMAL)

    def reset(self) -> None:
        self.tops = [0.0] * len(DROPS)
        self._touches = dict.fromkeys(self.falling.balls, 0)

    def after_step(self) -> None:
        world = self.falling.world
        for event in world.contacts.began:
            if event.body_b in self._touches:
                self._touches[event.body_b] += 1
        for k, ball in enumerate(self.falling.balls):
            if self._touches[ball] == 1:
                self.tops[k] = max(self.tops[k], world.state(ball).position[1] - RADIUS)

    def measured(self) -> tuple[Finding, ...]:
        return measure_threshold(self.parameter("restitution"))

    def frame(self, has_table: bool) -> AABB:
        return AABB((-1.5, -PITCH * (len(APPROACHES) - 1) - 0.4), (DROPS_AT[0] + PITCH * (len(DROPS) - 1) + 0.3, 0.75))

    def draw(self, canvas: Canvas) -> None:
        self.write(canvas, (-1.5, 0.55), "no gravity", palette.TEXT, bold=True)
        self.draw_heads(canvas, COLUMNS, 0.32, "rebound speed")
        self.write(canvas, (SPEED_COLUMN, 0.32), "speed", palette.CAPTION, 14.0)
        for lane, approach in enumerate(APPROACHES):
            y = -PITCH * lane
            self.write(canvas, (SPEED_COLUMN, y), f"{approach:g} m/s", palette.TEXT, 14.0)
            self.draw_finding(canvas, COLUMNS, y, self.finding(lane), 14.0)
        here = canvas.at(DROPS_AT)
        self.write(here, (-1.2, 1.3), "rebound height with gravity, cm", palette.TEXT, bold=True)
        for line, words in enumerate(("drop, cm", "predicted", "measured", "then")):
            self.write(here, (-0.26, -0.35 - ROW * line), words, palette.CAPTION, 12.0, "right")
        for k, drop in enumerate(DROPS):
            finding = self.finding(len(APPROACHES) + k)
            x = PITCH * k
            here.segment((x - 0.4 * PITCH, RADIUS + drop), (x + 0.4 * PITCH, RADIUS + drop), palette.CAPTION)
            if self.tops[k] > 0.0:
                at, color = RADIUS + self.tops[k], palette.AGREE if finding is None or finding.holds else palette.UNEXPLAINED
                here.segment((x - 0.4 * PITCH, at), (x + 0.4 * PITCH, at), color)
            if finding is None:
                continue
            numbers = (100.0 * drop, 100.0 * (finding.predicted or 0.0), 100.0 * finding.measured)
            cells = [*(f"{number:.3g}" for number in numbers), "flies" if self.bounce[k] else "rests"]
            colors = palette.TEXT, palette.TEXT, palette.AGREE if finding.holds else palette.UNEXPLAINED, palette.CAPTION
            for line, (word, color) in enumerate(zip(cells, colors, strict=True)):
                self.write(here, (x, -0.35 - ROW * line), word, color, 12.0, "center")
