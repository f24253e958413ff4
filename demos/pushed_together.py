"""Two bodies at rest that two users of a shared world push toward each other in the same step.

The scene is figure 4.2 of M. Pawłowski, 2015, p. 59 (docs/studies/README.md): steps of 40 ms, the first body is that of the server's own
user, the second that of the first client, and so on; whoever joins later only watches. W, A, S and D push with 20 N at the center of mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from demos._gallery import Scene, add_box, label
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PushedTogether"]

_HERTZ = 25.0
"""Steps per second: steps of 40 ms."""
_APART = 4.0
"""Distance of two neighboring bodies, meters."""
_DAMPING = 1.0
"""1/s."""


@register(
    id="pushed_together",
    category="Machines and joints",
    title="Pushed together",
    watch="Two users push two bodies toward each other in the same step. Do they meet in the middle on every screen?",
)
class PushedTogether(Scene):
    """Boxes in a row without gravity, one per user."""

    tries = (
        ("Run python main.py host pushed_together, join from another window, and push your body (W, A, S, D).", "Drive"),
        ("Pause for all users (Space).", "pause"),
    )
    keywords = "network shared rollback latency server client"
    parameters = (Parameter("bodies", 2, 2, 8, "", "bodies", whole=True),)
    world_settings: ClassVar[WorldSettings] = WorldSettings(gravity=(0.0, 0.0), hertz=_HERTZ)

    def furnish(self) -> None:
        n = int(self.parameter("bodies"))
        self.bodies = [
            add_box(self.stage, (_APART * (k - 0.5 * (n - 1)), 0.0), 1.0, 1.0, linear_damping=_DAMPING, name=f"user {k + 1}")
            for k in range(n)
        ]

    def before_step(self) -> None:
        """Give each user without a body the one with the user's number."""
        for number, user in self.sim.users.users.items():
            if user.drives is None and number <= len(self.bodies) and self.alive(self.bodies[number - 1]):
                user.drives = 0, self.bodies[number - 1]

    def home(self) -> AABB:
        half = 0.5 * _APART * len(self.bodies)
        return AABB((-half, -0.5 * half), (half, 0.5 * half))

    def status(self) -> Sequence[StatusLine]:
        users = self.sim.users.users.values()
        driven = f"users pushing a body: {sum(user.drives is not None for user in users)} of {len(users)}"
        return driven, (f"momentum: {self.momentum:.2f} kg m/s", palette.CAPTION)

    @property
    def momentum(self) -> float:
        """Total momentum along x, kg m/s: 0 if equal pushes began and ended in the same steps."""
        world = self.world
        return sum(world.body(body).mass * world.state(body).linear_velocity[0] for body in self.bodies if self.alive(body))

    def draw(self, canvas: Canvas) -> None:
        for body in self.bodies:
            if self.alive(body):
                x, y, _ = self.stage.drawn_pose(body)
                label(canvas, (x, y + 0.75), self.world.body(body).spec.name, palette.CAPTION, _APART)
