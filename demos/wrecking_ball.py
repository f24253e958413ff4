"""A heavy ball on a chain swings into a wall."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from demos._gallery import Scene, add_box, add_chain, add_disc, add_ground, add_shape, rest_box
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.world import RevoluteJointSpec, RopeJointSpec

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["WreckingBall", "pendulum_speed"]

_HOOK = (0.0, 9.0)
_LENGTH = 6.6
"""Distance from the hook to the ball's center, meters."""
_LINKS = 11
_THICKNESS = 0.14
_LINK_DENSITY = 3.0
_CHAIN = _LENGTH * _THICKNESS * _LINK_DENSITY
"""Mass of the chain, kg."""
_RADIUS = 0.8
_BRICK = (0.9, 0.6)
_GAP = 0.04
"""Gap between two bricks of a row, meters, which is more than the skins."""
_COLUMNS = 4
_ROWS = 7
_SCREEN, _SCREEN_HEIGHT = 12.0, 14.0
"""Place and height of the screen at the end of the ground, meters: no brick is thrown over it."""


def pendulum_speed(ball: float, chain: float, angle: float, gravity: float) -> float:
    """Return the ball's speed at the lowest point of a rigid pendulum released at `angle`, m/s.

    The potential energy (ball + chain / 2) g L (1 - cos angle) becomes rotation about the hook with the inertia ball L^2 + chain L^2 / 3.
    The ball does not rotate about its own center, where it is hinged.
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
    """A crane with a ball on a chain, and a wall."""

    tries = (
        ("Swing the ball again (Enter).", "key return"),
        ("Remove the rope joint: the chain stretches like rubber.", "set rope=no"),
        ("Make the ball lighter: the chain stretches less.", "set mass<"),
    )
    keywords = "rope chain pendulum mass ratio crane wall"
    parameters = (
        Parameter("mass", 120.0, 2.0, 2000.0, "kg", "ball mass", slider_high=500.0),
        Parameter("angle", 70.0, 10.0, 85.0, "°", "starting angle of the chain"),
        Parameter.choice("rope", ("no", "yes"), "a rope joint from the hook to the ball", default=1),
    )
    keys = (("Enter", "swing the ball again"),)
    claims = (
        Claim(
            "maximum ball speed before it hits the wall",
            "m/s",
            2.0,
            lambda demo: demo.fastest if demo.is_down or demo.has_hit else None,
            lambda demo: demo.predicted,
            lambda demo: demo.allowed,
        ),
    )

    def furnish(self) -> None:
        angle = math.radians(self.parameter("angle"))
        add_ground(self.stage, -9.0, _SCREEN + 0.4)
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
        add_shape(
            self.stage,
            Polygon.box(0.2, 0.5 * _SCREEN_HEIGHT, (_SCREEN + 0.2, 0.5 * _SCREEN_HEIGHT)),
            (0.0, 0.0),
            type="static",
            name="screen",
        )
        self._swing()

    @property
    def predicted(self) -> float:
        """Predicted speed of the ball at the lowest point, m/s."""
        return pendulum_speed(self.parameter("mass"), _CHAIN, math.radians(self.parameter("angle")), self.gravity)

    @property
    def allowed(self) -> float:
        """Allowed difference from a rigid pendulum, m/s.

        Each step is straight, at an angle of w dt to the direction in which the chain lets the ball move, and loses a fraction
        1 - cos(w dt) of the speed: in total at most w dt / 2 per radian. And a flexible chain can transfer all its energy to the ball.
        """
        speed = self.predicted
        steps = 0.5 * speed / _LENGTH * self.step_seconds * math.radians(self.parameter("angle"))
        return speed * (steps + _CHAIN / (6.0 * self.parameter("mass")))

    @property
    def stretch(self) -> float:
        """Elongation of the chain, meters."""
        return math.dist(self.world.state(self.ball).position, _HOOK) - _LENGTH if self.alive(self.ball) else 0.0

    def after_step(self) -> None:
        if not self.alive(self.ball) or self.has_hit:
            return
        contacts = self.world.contacts
        self.has_hit = bool(((contacts.body_a == self.ball) | (contacts.body_b == self.ball)).any())
        if not self.has_hit:
            state = self.world.state(self.ball)
            self.fastest = max(self.fastest, math.hypot(*state.linear_velocity))
            self.longest = max(self.longest, self.stretch)
            self.is_down = self.is_down or state.position[0] >= _HOOK[0]

    def again(self) -> None:
        self.put_back([self.ball, *self.links])
        self._swing()

    def home(self) -> AABB:
        return AABB((-8.6, -0.7), (_SCREEN + 0.4, _HOOK[1] + 1.2))

    def draw_background(self, canvas: Canvas) -> None:
        for k in range(24):
            start, end = ((-80.0 + 5.0 * (k + part)) * math.pi / 180.0 for part in (0.0, 0.5))
            a, b = (((_HOOK[0] + _LENGTH * math.sin(at)), _HOOK[1] - _LENGTH * math.cos(at)) for at in (start, end))
            canvas.segment(a, b, palette.GRID_AXIS, 1.5)

    def status(self) -> Sequence[StatusLine]:
        words = f"the chain is stretched by {1000.0 * max(self.stretch, 0.0):.0f} mm; the maximum so far is {1000.0 * self.longest:.0f} mm"
        return ((words, palette.TEXT),)

    def _swing(self) -> None:
        self.fastest = self.longest = 0.0
        self.is_down = self.has_hit = False
