"""A pyramid or a tower of boxes, each colored by its load."""

from __future__ import annotations

import math
from collections.abc import Sequence

from demos._gallery import Scene, add_box, add_disc, add_ground, rest_box
from engine.common.arrays import FloatArray
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import Color, mix

__all__ = ["Pyramid"]

_SIDE = 0.9
_PITCH = 1.0
"""Distance of the centers of two boxes of a row, meters."""
_DROP = 0.06
"""Initial gap between two rows, meters: they land one after another."""
_BALL = 0.8
"""Radius of the ball, meters."""
_BALL_SPEED = 22.0
"""m/s."""
_LANDING = 1.5
"""Seconds until all rows have landed."""
_MOVING = 0.02
"""Allowed relative error of the force on the ground: the remaining acceleration of the pyramid as a fraction of g."""
_MAX_LOAD = 0.75
"""Load with the full color, as a fraction of the weight of as many boxes as there are rows."""
_LIGHT: Color = (86, 156, 214)
_HEAVY: Color = (244, 146, 62)


@register(
    id="pyramid",
    category="Stacks and towers",
    title="Pyramid",
    watch="Boxes that carry more weight are more orange. Does the ground carry the total weight?",
)
class Pyramid(Scene):
    """Boxes that drop into place."""

    tries = (
        ("Set the solver's iterations to 1: the pyramid sinks and trembles.", "set iterations=1"),
        ("Throw a ball (Enter).", "key return"),
        ("Add rows until the pyramid no longer stays still, or build a tower of six.", "set rows>, set shape=tower"),
    )
    keywords = "stack solver iterations stability weight"
    parameters = (
        Parameter("rows", 12, 2, 30, "", "rows", whole=True),
        Parameter("friction", 0.6, 0.0, 1.0, "", "friction"),
        Parameter("iterations", 8, 1, 50, "", "velocity iterations", whole=True, setting="velocity_iterations"),
        Parameter("mass", 40.0, 1.0, 400.0, "kg", "ball mass"),
        Parameter.choice("shape", ("pyramid", "tower"), "shape"),
    )
    keys = (("Enter", "throw a ball"),)
    claims = (
        Claim(
            "force on the ground",
            "N",
            _LANDING,
            lambda demo: demo.floor_force,
            lambda demo: demo.weight,
            lambda demo: _MOVING * demo.weight,
            1,
        ),
    )

    def furnish(self) -> None:
        rows, friction = int(self.parameter("rows")), self.parameter("friction")
        self.ground = add_ground(self.stage, -rows - 8.0, rows + 8.0, friction=friction)
        self.boxes: list[int] = []
        for row in range(rows):
            y = 0.5 * _SIDE + rest_box(self) + row * (_SIDE + rest_box(self) + _DROP)
            n_boxes = rows - row if self.parameter("shape") == 0.0 else 1
            for k in range(n_boxes):
                x = (k - 0.5 * (n_boxes - 1)) * _PITCH
                self.boxes.append(self.paint(add_box(self.stage, (x, y), _SIDE, _SIDE, friction=friction, name=f"row {row}"), _LIGHT))
        self.balls: list[int] = []
        self.floor_force = 0.0

    @property
    def weight(self) -> float:
        """Weight of all boxes and balls, N."""
        world = self.world
        bodies = [body for body in (*self.boxes, *self.balls) if world.is_body(body)]
        return self.gravity * sum(world.body(body).mass for body in bodies)

    @property
    def sunk(self) -> float | None:
        """Depth of the top box below its place in an undeformed pyramid, meters; None if it was deleted."""
        if not self.alive(self.boxes[-1]):
            return None
        rows = int(self.parameter("rows"))
        return rows * (_SIDE + rest_box(self)) - 0.5 * _SIDE - self.world.state(self.boxes[-1]).position[1]

    def after_step(self) -> None:
        if not self.alive(self.ground):
            self.floor_force = 0.0
            return
        contacts = self.world.contacts
        force = contacts.normal_impulse.sum(axis=1) * self.world.settings.hertz
        upward = force * contacts.normal[:, 1]
        on_ground = contacts.body_a == self.ground
        self.floor_force = float(upward[on_ground].sum() - upward[contacts.body_b == self.ground].sum())
        if self.steps % 2 == 0:
            self._color_loads(force)

    def again(self) -> None:
        """Throw a ball."""
        rows = int(self.parameter("rows"))
        density = self.parameter("mass") / (math.pi * _BALL**2)
        at = (-rows - 3.0, 0.5 * rows)
        ball = add_disc(self.stage, at, _BALL, density=density, linear_velocity=(_BALL_SPEED, 3.0), bullet=True)
        self.balls.append(self.paint(ball, palette.TOUCHING))

    def on_parameter(self, name: str) -> None:
        if name == "friction":
            for fixture in self.world.fixture_ids:
                self.world.set_fixture(fixture, friction=self.parameter("friction"))
        elif name != "mass":
            super().on_parameter(name)
        for body in self.boxes:
            if self.alive(body):
                self.world.set_awake(body, True)

    def home(self) -> AABB:
        rows = int(self.parameter("rows"))
        return AABB((-0.75 * rows - 2.0, -0.6), (0.75 * rows + 2.0, 1.1 * rows + 1.5))

    def status(self) -> Sequence[StatusLine]:
        sunk = self.sunk
        return (
            () if sunk is None else ((f"the top box is {abs(1000.0 * sunk):.1f} mm too {'low' if sunk > 0.0 else 'high'}", palette.TEXT),)
        )

    def _color_loads(self, force: FloatArray) -> None:
        """Color each box by the force that it passes on downwards, relative to the full load."""
        contacts = self.world.contacts
        loads = dict.fromkeys(self.boxes, 0.0)
        for a, b, newtons, up in zip(
            contacts.body_a.tolist(), contacts.body_b.tolist(), force.tolist(), contacts.normal[:, 1].tolist(), strict=True
        ):
            upper = b if up > 0.0 else a
            if upper in loads:
                loads[upper] += newtons * abs(up)
        full = self.gravity * _SIDE**2 * _MAX_LOAD * self.parameter("rows")
        for box, load in loads.items():
            self.painted[box] = mix(_LIGHT, _HEAVY, min(max(load / full, 0.0), 1.0) if full > 0.0 else 0.0)
