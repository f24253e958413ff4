"""Eleven balls fall from one height, each with another restitution: it bounces to e squared of it.

Restitution e gives back the share e of the speed along the normal, and so the share e^2 of the energy, and of the height.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_disc, add_ground, label, place_body
from engine.common.limits import VELOCITY_THRESHOLD
from engine.common.tolerances import BOX2D_TOI_BACKOFF
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Bounce"]

RADIUS = 0.3
PITCH = 1.0
N_BALLS = 11
_SECONDS = 8.0
"""Until they fall again."""


@register(
    id="bounce",
    category="Materials",
    title="Restitution",
    watch="Each ball should bounce up to its dashed line: e² of the height it fell from.",
)
class Bounce(Scene):
    """They stand clear of each other, and fall again after some seconds."""

    tries = (
        ("Drop them again: Enter.", "key return"),
        ("Change the height of the fall.", "set height"),
        ("Take fewer steps a second: are the bounces still right?", "set hertz"),
    )
    keywords = "restitution bounce ball elastic energy"
    parameters = (
        Parameter("height", 4.0, 0.5, 8.0, "m", "height of the fall"),
        Parameter("gravity", 10.0, 1.0, 20.0, "m/s²", "gravity"),
        Parameter("hertz", 120, 30, 480, "Hz", "steps a second", whole=True),
    )
    keys = (("Enter", "let them fall again"),)

    def settings(self) -> WorldSettings:
        return WorldSettings(gravity=(0.0, -self.parameter("gravity")), hertz=self.parameter("hertz"))

    def furnish(self) -> None:
        add_ground(self.stage, -0.7, N_BALLS * PITCH - 0.3)
        self.balls = [
            add_disc(self.stage, (k * PITCH, RADIUS), RADIUS, restitution=k / (N_BALLS - 1), fixed_rotation=True, name=f"e = {k / 10:g}")
            for k in range(N_BALLS)
        ]
        self._begin()

    def on_key(self, key: str) -> bool:
        """Let them fall again with Enter."""
        if key == "return":
            self._begin()
        return key == "return"

    def before_step(self) -> None:
        """Let them fall again after a while."""
        if self.steps - self._since >= _SECONDS / self.step_seconds:
            self._begin()

    def after_step(self) -> None:
        """Follow each ball: down until it meets the ground, then up to where it turns."""
        stopped = -0.5 * self.gravity * self.step_seconds  # whoever still falls is at least twice as fast after its first step
        for k, ball in enumerate(self.balls):
            if not self.world.is_body(ball):
                continue
            state = self.world.state(ball)
            if self.phases[k] == "falls" and state.linear_velocity[1] > stopped:
                self.phases[k] = "rises"
            elif self.phases[k] == "rises" and state.linear_velocity[1] <= 0.0:
                self.phases[k] = "turned"
            if self.phases[k] == "rises":
                self.tops[k] = max(self.tops[k], state.position[1] - RADIUS)

    def predicted(self, k: int) -> float:
        """Return the height that ball `k` comes back to, meters."""
        e = k / (N_BALLS - 1)
        return e * e * self.parameter("height") if self.impact > VELOCITY_THRESHOLD else 0.0

    @property
    def impact(self) -> float:
        """Speed at which every ball meets the ground, m/s."""
        return math.sqrt(2.0 * self.gravity * self.parameter("height"))

    @property
    def allowed(self) -> float:
        """Meters by which a step of fixed length may miss: half of its way before the impact, half after, and the slop."""
        return self.impact * self.step_seconds + BOX2D_TOI_BACKOFF

    def home(self) -> AABB:
        return AABB((-1.2, -0.9), (N_BALLS * PITCH + 0.2, self.parameter("height") + 2.0 * RADIUS + 0.9))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw the heights that are predicted, of the lowest point of each ball."""
        canvas.dashed((-0.7, self.parameter("height")), (N_BALLS * PITCH - 0.3, self.parameter("height")), palette.GRID_AXIS)
        for k in range(N_BALLS):
            y = self.predicted(k)
            canvas.dashed((k * PITCH - 0.45, y), (k * PITCH + 0.45, y), palette.ACCENT, 5.0, 1.5)

    def draw(self, canvas: Canvas) -> None:
        """Draw how high each came, and its restitution under it."""
        for k in range(N_BALLS):
            label(canvas, (k * PITCH, -0.25), f"e {k / (N_BALLS - 1):.1f}", palette.TEXT, 0.9, height=0.5)
            if self.phases[k] == "turned":
                y = self.tops[k]
                color = palette.AGREE if abs(y - self.predicted(k)) <= self.allowed else palette.WARNING
                canvas.segment((k * PITCH - 0.3, y), (k * PITCH + 0.3, y), color, 2.5)

    def status(self) -> Sequence[StatusLine]:
        errors = [abs(top - self.predicted(k)) for k, top in enumerate(self.tops) if self.phases[k] == "turned"]
        if not errors:
            return (("first bounce: ...", palette.TEXT),)
        color = palette.AGREE if max(errors) <= self.allowed else palette.WARNING
        return (
            (f"{len(errors)} balls turned; worst {1000.0 * max(errors):.0f} mm from e² of {self.parameter('height'):g} m", color),
            (f"steps of {1000.0 * self.step_seconds:.1f} ms allow {1000.0 * self.allowed:.0f} mm", palette.CAPTION),
        )

    def _begin(self) -> None:
        self._since = self.steps
        self.phases = ["falls"] * N_BALLS
        self.tops = [0.0] * N_BALLS
        for k, ball in enumerate(self.balls):
            place_body(self.world, ball, (k * PITCH, self.parameter("height") + RADIUS))
