"""Below 1 m/s nothing bounces, whatever the restitution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demos._promises import LONGEST_HEAD, Promise
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

DROPS_AT = (4.2, -2.2)  # meters: where the floor of the drops lies in the picture
ASKED = 0.35  # meters: where the speeds asked for stand
COLUMNS = (1.15, 2.0)
COLUMN = 0.75
ROW = 0.26  # meters between the lines under the floor


@register(
    id="promise_slow_balls",
    category="Where Box2D surprises",
    title="Slow balls do not bounce",
    watch="A ball that hits at 1 m/s or less does not bounce, although its restitution is 1.",
)
class PromiseSlowBalls(Promise):
    """Balls about 1 m/s."""

    tries = (
        ("Start again: R.", "restart"),
        ("Lower the restitution.", "set restitution"),
        ("Pause (Space) and compare: on the left without gravity, on the right with it.", "pause"),
    )
    keywords = "restitution threshold velocity bounce"
    parameters = (Parameter("restitution", 1.0, 0.0, 1.0, "", "restitution (bounce)"),)
    run_steps = 150
    slow_motion = 1 / 2

    def setup(self) -> None:
        self.falling = dropped_balls(self.parameter("restitution"))
        self.flying = flying_balls(self.parameter("restitution"))
        self.add_stage(self.flying.world)
        self.add_stage(self.falling.world, DROPS_AT)
        self.bounce = [predicted_drop(drop, self.parameter("restitution"))[1] for drop in DROPS]
        self.began_again()

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return dict.fromkeys((self.flying if stage is self.stages[0] else self.falling).balls, palette.NORMAL)

    def began_again(self) -> None:
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

    def home(self) -> AABB:
        return AABB((-1.5, -PITCH * (len(APPROACHES) - 1) - 0.4), (DROPS_AT[0] + PITCH * (len(DROPS) - 1) + 0.3, 0.75))

    def draw(self, canvas: Canvas) -> None:
        self.write(canvas, (-1.5, 0.55), "at a wall, no gravity", palette.TEXT, 2.0, 15.0, bold=True)
        self.draw_heads(canvas, COLUMNS, 0.32, COLUMN, "leaves at")
        self.write(canvas, (ASKED, 0.32), "comes at", palette.CAPTION, COLUMN, like=LONGEST_HEAD)
        for lane, approach in enumerate(APPROACHES):
            y = -PITCH * lane
            self.write(canvas, (ASKED, y), f"{approach:g} m/s", palette.TEXT, COLUMN, like="0.00 m/s")
            self.draw_finding(canvas, COLUMNS, y, COLUMN, self.finding(lane))
        here = canvas.at(DROPS_AT)
        self.write(here, (-1.2, 1.3), "dropped: greatest height after the touch, cm", palette.TEXT, 4.3, 15.0, bold=True)
        for line, words in enumerate(("falls, cm", "predicted", "measured", "then it")):
            self.write(here, (-0.26, -0.35 - ROW * line), words, palette.CAPTION, 0.95, 13.0, "right")
        for k, drop in enumerate(DROPS):
            one = self.finding(len(APPROACHES) + k)
            x = PITCH * k
            here.segment((x - 0.4 * PITCH, RADIUS + drop), (x + 0.4 * PITCH, RADIUS + drop), palette.CAPTION)
            if self.tops[k] > 0.0:
                at = RADIUS + self.tops[k]
                here.segment(
                    (x - 0.4 * PITCH, at), (x + 0.4 * PITCH, at), palette.AGREE if one is None or one.holds else palette.UNEXPLAINED
                )
            if one is None:
                continue
            numbers = (100.0 * drop, 100.0 * (one.predicted or 0.0), 100.0 * one.measured)
            words = [*(f"{number:.3g}" for number in numbers), "flies" if self.bounce[k] else "lies"]
            colors = palette.TEXT, palette.TEXT, palette.AGREE if one.holds else palette.UNEXPLAINED, palette.CAPTION
            for line, (word, color) in enumerate(zip(words, colors, strict=True)):
                self.write(here, (x, -0.35 - ROW * line), word, color, 0.9 * PITCH, 13.0, "center")
