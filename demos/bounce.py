"""Eleven balls with restitutions e from 0 to 1 fall from the same height.

A bounce multiplies the normal velocity by e, so the energy and the height of the rebound are multiplied by e^2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_disc, add_ground, label, place_body
from engine.common.limits import VELOCITY_THRESHOLD
from engine.common.tolerances import BOX2D_TOI_BACKOFF
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Bounce"]

RADIUS = 0.3
PITCH = 1.0
N_BALLS = 11


@register(
    id="bounce",
    category="Materials",
    title="Restitution",
    watch="Each ball should rebound to its dashed line, which marks e² times the drop height.",
)
class Bounce(Scene):
    """Balls side by side, without contact with each other."""

    tries = (
        ("Drop the balls again (Enter).", "key return"),
        ("Change the drop height.", "set height"),
        ("Lower the step rate: are the bounces still correct?", "set hertz"),
    )
    keywords = "restitution bounce ball elastic energy"
    parameters = (
        Parameter("height", 4.0, 0.5, 8.0, "m", "drop height"),
        Parameter("gravity", 10.0, 1.0, 20.0, "m/s²", "gravity"),
        Parameter("hertz", 120, 30, 480, "Hz", "step rate", whole=True),
    )
    keys = (("Enter", "drop the balls again"),)
    claims = (
        Claim(
            "worst rebound height",
            "m",
            3.2,
            lambda demo: None if demo.worst is None else demo.tops[demo.worst],
            lambda demo: demo.predicted(demo.worst or 0),
            lambda demo: demo.allowed,
            3,
        ),
    )
    cycle = 8.0

    def settings(self) -> WorldSettings:
        return WorldSettings(gravity=(0.0, -self.parameter("gravity")), hertz=self.parameter("hertz"))

    def furnish(self) -> None:
        add_ground(self.stage, -0.7, N_BALLS * PITCH - 0.3)
        self.balls = [
            add_disc(self.stage, (k * PITCH, RADIUS), RADIUS, restitution=k / (N_BALLS - 1), fixed_rotation=True, name=f"e = {k / 10:g}")
            for k in range(N_BALLS)
        ]
        self.again()

    def after_step(self) -> None:
        """Track each ball down to the ground, then up to the top of its rebound."""
        stopped = -0.5 * self.gravity * self.step_seconds  # a ball that still falls is at least twice as fast after its first step
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
        """Return the rebound height of ball `k`, meters."""
        e = k / (N_BALLS - 1)
        return e * e * self.parameter("height") if self.impact > VELOCITY_THRESHOLD else 0.0

    @property
    def impact(self) -> float:
        """Speed at which the balls hit the ground, m/s."""
        return math.sqrt(2.0 * self.gravity * self.parameter("height"))

    @property
    def allowed(self) -> float:
        """Error of fixed steps, meters: half a step's travel before the impact, half after it, and the slop."""
        return self.impact * self.step_seconds + BOX2D_TOI_BACKOFF

    @property
    def worst(self) -> int | None:
        """The ball whose rebound is farthest from its prediction; None before the first rebound."""
        turned = [k for k, phase in enumerate(self.phases) if phase == "turned"]
        return max(turned, key=lambda k: abs(self.tops[k] - self.predicted(k)), default=None)

    def home(self) -> AABB:
        return AABB((-1.2, -0.9), (N_BALLS * PITCH + 0.2, self.parameter("height") + 2.0 * RADIUS + 0.9))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw the predicted rebound heights, measured at each ball's lowest point."""
        canvas.dashed((-0.7, self.parameter("height")), (N_BALLS * PITCH - 0.3, self.parameter("height")), palette.GRID_AXIS)
        for k in range(N_BALLS):
            y = self.predicted(k)
            canvas.dashed((k * PITCH - 0.45, y), (k * PITCH + 0.45, y), palette.ACCENT, 5.0, 1.5)

    def draw(self, canvas: Canvas) -> None:
        """Draw each ball's rebound height and its restitution."""
        for k in range(N_BALLS):
            e = f"{k / (N_BALLS - 1):.1f}"
            if not label(canvas, (k * PITCH, -0.25), f"e {e}", palette.TEXT, 0.7, height=0.5):
                label(canvas, (k * PITCH, -0.25), e, palette.TEXT, 0.8, height=0.5)
            if self.phases[k] == "turned":
                y = self.tops[k]
                color = palette.AGREE if abs(y - self.predicted(k)) <= self.allowed else palette.WARNING
                canvas.segment((k * PITCH - 0.3, y), (k * PITCH + 0.3, y), color, 2.5)

    def status(self) -> Sequence[StatusLine]:
        words = f"steps of {1000.0 * self.step_seconds:.1f} ms allow an error of {1000.0 * self.allowed:.0f} mm"
        return ((words, palette.CAPTION),)

    def again(self) -> None:
        self.began = self.steps
        self.phases = ["falls"] * N_BALLS
        self.tops = [0.0] * N_BALLS
        for k, ball in enumerate(self.balls):
            place_body(self.world, ball, (k * PITCH, self.parameter("height") + RADIUS))
