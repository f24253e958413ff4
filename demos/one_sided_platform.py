"""Platforms that let bodies up through them, and hold them from above.

Before Box2D solves a contact it asks: `hooks.pre_solve` says False where the jumper's lowest point was under the platform's top when the
step began, and that contact does nothing. The answer depends on where the world's bodies are and on nothing else, so that a step taken
again gives the same answer.

A jump of v comes v^2 / 2g high, and so the jumper lands on the highest platform below that. Box2D's steps of dt change the speed before
the place: after n of them the jumper is n v dt - n (n + 1) g dt^2 / 2 high, at most some v dt / 2 less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_ground, add_shape, add_walls, label, place_body, rest_box, rest_disc
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.contracts import PairEvent
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.world import StepHooks

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PLATFORMS", "OneSidedPlatform"]

PLATFORMS = (1.5, 3.0, 4.5, 6.0)
"""Meters: their upper sides."""
_HALF_THICK = 0.1
_HALF_WIDTH = 5.5
SIZE = 0.3
"""Meters: radius, or half a side."""
_REST = 1.5
"""Seconds that all are given to land and be seen, beyond those of the highest jump."""
_STILL, _NEAR = 0.05, 0.05
"""m/s and meters: who moves up or down no faster than this, as near as this to a floor, stands on it."""
_UNDER = 2.0 * BOX2D_POLYGON_SKIN
"""Meters: whose lowest point is not more than both skins under a top stands on it."""


@register(
    id="one_sided_platform",
    category="Filters and sensors",
    title="One-sided platforms",
    watch="Bodies jump up through the platforms and land on them; green numbers landed on the predicted floor.",
)
class OneSidedPlatform(Scene):
    """They jump together, stand for a moment, and are put back to jump again."""

    tries = (
        ("Let them jump: J.", "key j"),
        ("Change the fastest jump.", "set fastest"),
        ("Drag a body up through a platform and let it fall.", "Grab"),
    )
    keywords = "presolve pre-solve hook platform jump one-way"
    parameters = (
        Parameter("jumpers", 8, 1, 10, "", "jumpers", whole=True),
        Parameter("slowest", 5.0, 3.0, 8.0, "m/s", "slowest jump"),
        Parameter("fastest", 12.5, 8.0, 14.0, "m/s", "fastest jump"),
    )
    keys = (("J", "jump"), ("Enter", "begin again"))

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
        self._begin()

    def is_solid(self, event: PairEvent) -> bool:
        """Tell whether a pair collides: from the world's state at the beginning of the step alone."""
        for platform, other in ((event.body_a, event.body_b), (event.body_b, event.body_a)):
            top = self.tops.get(platform)
            if top is not None:
                return self.world.state(other).position[1] - SIZE >= top - _UNDER
        return True

    def on_key(self, key: str) -> bool:
        """Jump again with J; begin again with Enter."""
        if key == "return":
            self._begin()
        elif key == "j":
            self._jump()
        return key in ("j", "return")

    def before_step(self) -> None:
        """Begin again when all have landed."""
        if (self.steps - self._since) * self.step_seconds >= self.flight + _REST:
            self._begin()

    def floor_of(self, body: int) -> int | None:
        """Return the floor a body stands on, 0 for the ground; None while it flies, or if it was deleted."""
        if not self.world.is_body(body):
            return None
        state = self.world.state(body)
        if abs(state.linear_velocity[1]) > _STILL:
            return None
        feet = state.position[1] - SIZE
        return next((k for k, top in enumerate((0.0, *PLATFORMS)) if abs(feet - top) < _NEAR), None)

    def predicted(self, k: int) -> int:
        """Return the highest floor that jumper `k` comes over, or as little under as still counts as standing on it."""
        speed, dt = self.speeds[k], self.step_seconds
        if self.gravity == 0.0:
            return len(PLATFORMS)
        if not self.sim.is_on_box2d:
            return sum(self._starts[k] + speed * speed / (2.0 * self.gravity) >= top - _UNDER for top in PLATFORMS)
        n = math.floor(speed / (self.gravity * dt))  # Box2D's steps upwards
        apex = self._starts[k] + n * speed * dt - 0.5 * n * (n + 1) * self.gravity * dt * dt
        return sum(apex >= top - _UNDER for top in PLATFORMS)

    def home(self) -> AABB:
        return AABB((-_HALF_WIDTH - 0.5, -0.5), (_HALF_WIDTH + 0.5, 9.4))

    def draw(self, canvas: Canvas) -> None:
        """Write the predicted floor on each jumper."""
        for k, body in enumerate(self.jumpers):
            if self.world.is_body(body):
                x, y, _ = self.stage.drawn_pose(body)
                color = palette.TEXT if not self.is_over else palette.AGREE if self.floor_of(body) == self.predicted(k) else palette.WARNING
                label(canvas, (x, y), f"{self.predicted(k)}", color, 1.0)

    @property
    def is_over(self) -> bool:
        """Whether all should have landed."""
        return (self.steps - self._since) * self.step_seconds > self.flight

    @property
    def flight(self) -> float:
        """Seconds that the longest jump takes, down to the ground; of one that somebody has put below it, back to where it began."""
        if self.gravity == 0.0:
            return math.inf
        jumps = ((speed, max(start, 0.0)) for speed, start in zip(self.speeds, self._starts, strict=True))
        return max((speed + math.sqrt(speed * speed + 2.0 * self.gravity * start)) / self.gravity for speed, start in jumps)

    def status(self) -> Sequence[StatusLine]:
        if not self.is_over:
            return ((f"{len(self.jumpers)} jump at {self.speeds[0]:g} to {self.speeds[-1]:g} m/s", palette.TEXT),)
        right = sum(self.floor_of(body) == self.predicted(k) for k, body in enumerate(self.jumpers))
        color = palette.AGREE if right == len(self.jumpers) else palette.WARNING
        return ((f"{right} of {len(self.jumpers)} stand on the floor that v² / 2g predicts", color),)

    def _begin(self) -> None:
        n = len(self.jumpers)
        for k, body in enumerate(self.jumpers):
            x = (k - 0.5 * (n - 1)) * min(1.2, 2.0 * (_HALF_WIDTH - 0.6) / n)
            place_body(self.world, body, (x, SIZE + (rest_disc(self) if k % 2 else rest_box(self))))
        self._jump()

    def _jump(self) -> None:
        self._since = self.steps
        self._starts = [0.0] * len(self.jumpers)
        """Meters: how high the lowest point of each was."""
        for k, (body, speed) in enumerate(zip(self.jumpers, self.speeds, strict=True)):
            if self.world.is_body(body):
                at = self.world.state(body).position
                self._starts[k] = at[1] - SIZE
                place_body(self.world, body, at, velocity=(0.0, speed))
