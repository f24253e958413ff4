"""A wrecking ball: what the chain must hold, and whether the solver lets it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from demos._gallery import Scene, add_box, add_chain, add_disc, add_ground, add_shape, beside, rest_box
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.world import RevoluteJointSpec, RopeJointSpec

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["WreckingBall", "pendulum_speed"]

_HOOK = (0.0, 9.0)
_LENGTH = 6.6
"""Meters from the hook to the ball's middle."""
_LINKS = 11
_THICKNESS = 0.14
_LINK_DENSITY = 3.0
_CHAIN = _LENGTH * _THICKNESS * _LINK_DENSITY
"""kg, of the whole chain."""
_RADIUS = 0.8
_BRICK = (0.9, 0.6)
_GAP = 0.04
"""Meters between two bricks of a row: more than the skins, so that they do not touch."""
_COLUMNS = 4
_ROWS = 7


def pendulum_speed(ball: float, chain: float, angle: float, gravity: float) -> float:
    """Return the speed in m/s of the ball at the lowest point, let go at `angle` with the chain straight: one stiff pendulum.

    Falling, it gives up (ball + chain / 2) g L (1 - cos angle), which becomes the spin of ball L^2 + chain L^2 / 3 about the hook. The ball
    itself hangs on a hinge in its middle, that nothing turns it by: it keeps upright.
    """
    inertia = ball * _LENGTH**2 + chain * _LENGTH**2 / 3.0
    return _LENGTH * math.sqrt(2.0 * (ball + 0.5 * chain) * gravity * _LENGTH * (1.0 - math.cos(angle)) / inertia)


@register(
    id="wrecking_ball",
    category="Machines and joints",
    title="Wrecking ball",
    watch="The ball should hit the wall with the speed of a pendulum.",
)
class WreckingBall(Scene):
    """A crane, a chain, a ball, a wall."""

    tries = (
        ("Swing again: Enter.", "key return"),
        ("Take the rope joint away: the chain stretches like rubber.", "set rope"),
        ("Make the ball lighter: the chain holds better.", "set mass"),
    )
    keywords = "rope chain pendulum mass ratio crane wall"
    parameters = (
        Parameter("mass", 120.0, 2.0, 2000.0, "kg", "mass of the ball", slider_high=500.0),
        Parameter("angle", 70.0, 10.0, 85.0, "°", "starting angle of the chain"),
        Parameter.choice("rope", ("no", "yes"), "a rope joint from hook to ball", default=1),
    )
    keys = (("Enter", "swing again"),)

    def furnish(self) -> None:
        angle = math.radians(self.parameter("angle"))
        add_ground(self.stage, -9.0, 14.0)
        crane = (Polygon.box(0.3, 0.3, _HOOK), Polygon.box(4.2, 0.15, (_HOOK[0] - 4.0, _HOOK[1] + 0.45)))
        self.crane = self.paint(add_shape(self.stage, crane, (0.0, 0.0), type="static", name="crane"), palette.BODY_COLORS[3])
        way = (-math.sin(angle), -math.cos(angle))
        along = [(_HOOK[0] + k * _LENGTH / _LINKS * way[0], _HOOK[1] + k * _LENGTH / _LINKS * way[1]) for k in range(_LINKS + 1)]
        density = self.parameter("mass") / (math.pi * _RADIUS**2)
        self.ball = self.paint(
            add_disc(self.stage, along[-1], _RADIUS, density=density, bullet=True, group=-1, name="ball"), palette.TOUCHING
        )
        chain: dict[str, Any] = {"density": _LINK_DENSITY, "group": -1, "name": "link"}
        self.links = add_chain(self.stage, along, _THICKNESS, (self.crane, None), **chain)
        for link in self.links:
            self.paint(link, palette.STATIC)
        self.world.create_joint(RevoluteJointSpec(self.links[-1], self.ball, along[-1]))
        if self.parameter("rope") == 1.0:
            self.world.create_joint(RopeJointSpec(self.crane, self.ball, _HOOK, along[-1], _LENGTH))
        self.bricks = []
        for row in range(_ROWS):
            for column in range(_COLUMNS):
                shift = 0.25 * _BRICK[0] * (1 if row % 2 else -1)
                x = 1.9 + 0.5 * _BRICK[0] + column * (_BRICK[0] + _GAP) + shift
                y = 0.5 * _BRICK[1] + rest_box(self) + row * (_BRICK[1] + rest_box(self))
                self.bricks.append(
                    self.paint(add_box(self.stage, (x, y), *_BRICK, density=1.5, friction=0.6), palette.BODY_COLORS[row % 2])
                )
        self._swing()

    @property
    def predicted(self) -> float:
        """Speed of the ball at the lowest point, m/s."""
        return pendulum_speed(self.parameter("mass"), _CHAIN, math.radians(self.parameter("angle")), self.gravity)

    @property
    def allowed(self) -> float:
        """Return the m/s by which the ball may differ from a stiff pendulum.

        A step goes straight on, at w dt to where the chain lets the ball go next, and loses 1 - cos(w dt) of the speed: in all no more than
        w dt / 2 of it for each radian. And a chain that is not stiff may end at rest and leave its share of the energy to the ball.
        """
        speed = self.predicted
        steps = 0.5 * speed / _LENGTH * self.step_seconds * math.radians(self.parameter("angle"))
        return speed * (steps + _CHAIN / (6.0 * self.parameter("mass")))

    @property
    def stretch(self) -> float:
        """Meters by which the chain is longer than its links."""
        return math.dist(self.world.state(self.ball).position, _HOOK) - _LENGTH if self.alive(self.ball) else 0.0

    def after_step(self) -> None:
        if not self.alive(self.ball) or self._hit:
            return
        contacts = self.world.contacts
        self._hit = bool(((contacts.body_a == self.ball) | (contacts.body_b == self.ball)).any())
        if not self._hit:
            state = self.world.state(self.ball)
            self.fastest = max(self.fastest, math.hypot(*state.linear_velocity))
            self.longest = max(self.longest, self.stretch)
            self.is_down = self.is_down or state.position[0] >= _HOOK[0]

    def on_key(self, key: str) -> bool:
        if key != "return":
            return False
        self.put_back([self.ball, *self.links])
        self._swing()
        return True

    def home(self) -> AABB:
        return AABB((-8.6, -0.7), (12.0, _HOOK[1] + 1.2))

    def draw_background(self, canvas: Canvas) -> None:
        for k in range(24):
            start, end = ((-80.0 + 5.0 * (k + part)) * math.pi / 180.0 for part in (0.0, 0.5))
            a, b = (((_HOOK[0] + _LENGTH * math.sin(at)), _HOOK[1] - _LENGTH * math.cos(at)) for at in (start, end))
            canvas.segment(a, b, palette.GRID_AXIS, 1.5)

    def status(self) -> Sequence[StatusLine]:
        limit = "the rope joint holds the ball" if self.parameter("rope") == 1.0 else "only the chain holds the ball"
        return (
            beside("fastest before the wall", self.fastest if self.is_down or self._hit else None, self.predicted, "m/s", self.allowed),
            (f"the chain is stretched by {1000.0 * max(self.stretch, 0.0):.0f} mm, {1000.0 * self.longest:.0f} mm at most", palette.TEXT),
            (limit, palette.CAPTION),
        )

    def _swing(self) -> None:
        self.fastest = self.longest = 0.0
        self.is_down = self._hit = False
