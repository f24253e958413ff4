"""Bodies jump up through one-sided platforms and land on them.

`hooks.pre_solve` disables a contact if the jumper's lowest point was below the platform's top at the beginning of the step. The result
depends only on the positions of the bodies, so a repeated step gives the same result.

A jump at speed v reaches v^2 / 2g, so the jumper lands on the highest platform below that. Box2D updates velocities before positions:
after n steps of dt the height is n v dt - n (n + 1) g dt^2 / 2, which is up to v dt / 2 lower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_ground, add_shape, add_walls, label, place_body, rest_box, rest_disc
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.contracts import PairEvent
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.world import StepHooks

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PLATFORMS", "OneSidedPlatform"]

PLATFORMS = (1.5, 3.0, 4.5, 6.0)
"""Heights of the platforms' tops, meters."""
_HALF_THICK = 0.1
_HALF_WIDTH = 5.5
SIZE = 0.3
"""Radius or half the side of a jumper, meters."""
_REST = 1.5
"""Seconds from the end of the highest jump to the next start."""
_STILL, _NEAR = 0.05, 0.05
"""A jumper stands on a floor if its vertical speed, m/s, and its distance from the floor, meters, are at most this."""
_UNDER = 2.0 * BOX2D_POLYGON_SKIN
"""Depth of a jumper's lowest point below a platform's top up to which it stands on it, meters: both skins."""


@register(
    id="one_sided_platform",
    category="Filters and sensors",
    title="One-sided platforms",
    watch="Bodies jump up through the platforms and land on them; a number turns green if its body lands on the predicted floor.",
)
class OneSidedPlatform(Scene):
    """Jumpers that all jump at the same time, again and again."""

    tries = (
        ("Make all bodies jump (J).", "key j"),
        ("Change the highest jump speed.", "set fastest"),
        ("Drag a body up through a platform and let it fall.", "Grab"),
    )
    keywords = "presolve pre-solve hook platform jump one-way"
    parameters = (
        Parameter("jumpers", 8, 1, 10, "", "jumpers", whole=True),
        Parameter("slowest", 5.0, 3.0, 8.0, "m/s", "lowest jump speed"),
        Parameter("fastest", 12.5, 8.0, 14.0, "m/s", "highest jump speed"),
    )
    keys = (("J", "jump"), ("Enter", "start again"))
    claims = (
        Claim(
            "jumpers on the predicted floor",
            "",
            2.6,
            lambda demo: sum(map(demo.is_right, range(len(demo.jumpers)))) if demo.is_over else None,
            lambda demo: len(demo.jumpers),
            0.0,
            0,
        ),
    )

    def furnish(self) -> None:
        add_ground(self.stage, -_HALF_WIDTH - 0.5, _HALF_WIDTH + 0.5)
        add_walls(self.stage, -_HALF_WIDTH, _HALF_WIDTH, 0.0, 14.0)
        slab = Polygon.box(_HALF_WIDTH - 0.05, _HALF_THICK)
        self.tops: dict[int, float] = {}
        for y in PLATFORMS:
            at = (0.0, y - _HALF_THICK)
            self.tops[self.paint(add_shape(self.stage, slab, at, type="static", friction=0.6, name="platform"), palette.ACCENT)] = y
        n = int(self.parameter("jumpers"))
        self.jumpers = [
            add_shape(self.stage, Circle(SIZE) if k % 2 else Polygon.box(SIZE, SIZE), (0.0, 20.0 + k), fixed_rotation=True, name="jumper")
            for k in range(n)
        ]
        slow, fast = self.parameter("slowest"), self.parameter("fastest")
        self.speeds = [slow + (fast - slow) * (k / (n - 1) if n > 1 else 0.5) for k in range(n)]
        self.world.hooks = StepHooks(pre_solve=self.is_solid)
        self.again()

    def is_solid(self, event: PairEvent) -> bool:
        """Return True if a pair collides, from the state at the beginning of the step."""
        for platform, other in ((event.body_a, event.body_b), (event.body_b, event.body_a)):
            top = self.tops.get(platform)
            if top is not None:
                return self.world.state(other).position[1] - SIZE >= top - _UNDER
        return True

    def on_key(self, key: str) -> bool:
        if key == "j":
            self._jump()
        return key == "j" or super().on_key(key)

    def before_step(self) -> None:
        """Start again when all bodies have landed."""
        if (self.steps - self.began) * self.step_seconds >= self.flight + _REST:
            self.again()

    def floor_of(self, body: int) -> int | None:
        """Return the floor on which a body stands, 0 for the ground; None in the air, or if it was deleted."""
        if not self.world.is_body(body):
            return None
        state = self.world.state(body)
        if abs(state.linear_velocity[1]) > _STILL:
            return None
        feet = state.position[1] - SIZE
        return next((k for k, top in enumerate((0.0, *PLATFORMS)) if abs(feet - top) < _NEAR), None)

    def predicted(self, k: int) -> int:
        """Return the floor on which jumper `k` should land."""
        speed, dt = self.speeds[k], self.step_seconds
        if self.gravity == 0.0:
            return len(PLATFORMS)
        if not self.sim.is_on_box2d:
            return sum(self._starts[k] + speed * speed / (2.0 * self.gravity) >= top - _UNDER for top in PLATFORMS)
        n = math.floor(speed / (self.gravity * dt))  # number of upward steps in Box2D
        apex = self._starts[k] + n * speed * dt - 0.5 * n * (n + 1) * self.gravity * dt * dt
        return sum(apex >= top - _UNDER for top in PLATFORMS)

    def home(self) -> AABB:
        return AABB((-_HALF_WIDTH - 0.5, -0.5), (_HALF_WIDTH + 0.5, 9.4))

    def draw(self, canvas: Canvas) -> None:
        """Write the predicted floor on each jumper."""
        for k, body in enumerate(self.jumpers):
            if self.world.is_body(body):
                x, y, _ = self.stage.drawn_pose(body)
                color = palette.TEXT if not self.is_over else palette.AGREE if self.is_right(k) else palette.WARNING
                label(canvas, (x, y), f"{self.predicted(k)}", color, 1.0)

    @property
    def is_over(self) -> bool:
        """True if all bodies should have landed."""
        return (self.steps - self.began) * self.step_seconds > self.flight

    def is_right(self, k: int) -> bool:
        """Return True if jumper `k` stands on the predicted floor."""
        return self.floor_of(self.jumpers[k]) == self.predicted(k)

    @property
    def flight(self) -> float:
        """Duration of the longest jump, down to the ground or, if it started below the ground, to the start, seconds."""
        if self.gravity == 0.0:
            return math.inf
        jumps = ((speed, max(start, 0.0)) for speed, start in zip(self.speeds, self._starts, strict=True))
        return max((speed + math.sqrt(speed * speed + 2.0 * self.gravity * start)) / self.gravity for speed, start in jumps)

    def status(self) -> Sequence[StatusLine]:
        return ((f"jumps at {self.speeds[0]:g} to {self.speeds[-1]:g} m/s; jump height v² / 2g", palette.CAPTION),)

    def again(self) -> None:
        """Put all bodies on the ground and jump."""
        n = len(self.jumpers)
        for k, body in enumerate(self.jumpers):
            x = (k - 0.5 * (n - 1)) * min(1.2, 2.0 * (_HALF_WIDTH - 0.6) / n)
            place_body(self.world, body, (x, SIZE + (rest_disc(self) if k % 2 else rest_box(self))))
        self._jump()

    def _jump(self) -> None:
        self.began = self.steps
        self._starts = [0.0] * len(self.jumpers)
        """Initial height of each jumper's lowest point, meters."""
        for k, (body, speed) in enumerate(zip(self.jumpers, self.speeds, strict=True)):
            if self.world.is_body(body):
                at = self.world.state(body).position
                self._starts[k] = at[1] - SIZE
                place_body(self.world, body, at, velocity=(0.0, speed))
