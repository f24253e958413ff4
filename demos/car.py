"""A car with sprung wheels and a motor of limited torque drives over hills."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from demos._gallery import Scene, add_disc, add_shape, add_terrain, rest_disc
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.world import WheelJointSpec

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Car", "surface_height"]

_HALF = 15.0
_LEVEL = -8.0
"""The road is level up to here, meters."""
_LENGTHS = (7.0, 4.3)
"""Lengths of the two waves that form the hills, meters."""
_POINT = 0.25
"""Distance of two points of the road, meters."""
_WALL = 2.5
_RADIUS = 0.42
_WHEELS = (-0.85, 0.9)
_GRIP = 1.2
_GAIN = 6.0
"""Torque per rad/s that a wheel is too slow, up to the motor's torque, N m s."""


def surface_height(x: float, hills: float) -> float:
    """Return the road's height at `x`: level, then two waves that grow to their full height over 3 m."""
    if x <= _LEVEL:
        return 0.0
    way = x - _LEVEL
    share = min(way / 3.0, 1.0) ** 2
    return hills * share * 0.5 * (math.sin(2.0 * math.pi * way / _LENGTHS[0]) + 0.6 * math.sin(2.0 * math.pi * way / _LENGTHS[1]))


@register(
    id="car",
    category="Machines and joints",
    title="Car over hills",
    watch="A car with sprung wheels drives over hills; the readout shows how much the wheels slip.",
)
class Car(Scene):
    """A car and a road."""

    tries = (
        ("Drive the car (Left and Right).", "key left, key right"),
        ("Make the hills higher.", "set hills>"),
        ("Lower the torque: where does the car get stuck?", "set torque<"),
    )
    keywords = "wheel joint motor suspension spring vehicle torque"
    parameters = (
        Parameter("speed", 6.0, 1.0, 15.0, "m/s", "motor speed"),
        Parameter("torque", 14.0, 1.0, 60.0, "N m", "maximum torque per wheel"),
        Parameter("frequency", 4.0, 1.0, 12.0, "Hz", "spring frequency"),
        Parameter("hills", 0.9, 0.0, 2.0, "m", "hill height"),
    )
    layers: ClassVar[Mapping[str, bool]] = {"joints": False}
    keys = (("Left, Right", "drive left, drive right"), ("Down", "coast"))

    def furnish(self) -> None:
        hills = self.parameter("hills")
        n = round(2.0 * _HALF / _POINT)
        surface = [(-_HALF, _WALL + 2.0)]
        surface += [(-_HALF + k * _POINT, surface_height(-_HALF + k * _POINT, hills)) for k in range(n + 1)]
        surface += [(_HALF, _WALL + 2.0)]
        self.surface = tuple(surface)
        add_terrain(self.stage, surface, _GRIP)
        x, y = -_HALF + 3.0, _RADIUS + rest_disc(self)
        body = (
            Polygon(((-1.35, -0.2), (1.35, -0.2), (1.4, 0.1), (0.9, 0.25), (-1.3, 0.25))),
            Polygon(((-1.0, 0.25), (0.75, 0.25), (0.2, 0.72), (-0.7, 0.72))),
        )
        self.body = self.paint(add_shape(self.stage, body, (x, y + 0.3), density=0.8, friction=0.4, name="car"), palette.ACCENT)
        self.wheels = []
        for place in _WHEELS:
            wheel = self.paint(add_disc(self.stage, (x + place, y), _RADIUS, density=1.2, friction=_GRIP, name="wheel"), palette.STATIC)
            anchor = (x + place, y)
            self.world.create_joint(WheelJointSpec(self.body, wheel, anchor, (0.0, 1.0), self.parameter("frequency"), 0.7))
            self.wheels.append(wheel)
        self.steered = False
        self._direction = 1.0

    @property
    def drive(self) -> float:
        """1 to drive right, -1 to drive left, 0 to coast."""
        if self.steered:
            return float("right" in self.held) - float("left" in self.held)
        return self._direction

    @property
    def speed(self) -> float:
        """Speed of the car, m/s, with the sign of its x component."""
        return math.copysign(math.hypot(*self.world.state(self.body).linear_velocity), self.world.state(self.body).linear_velocity[0])

    @property
    def rolling(self) -> float:
        """Mean speed of the wheels' rims, m/s."""
        return -_RADIUS * sum(self.world.state(wheel).angular_velocity for wheel in self.wheels) / len(self.wheels)

    @property
    def is_whole(self) -> bool:
        """True if no part was deleted."""
        return self.alive(self.body, *self.wheels)

    def before_step(self) -> None:
        if not self.is_whole:
            return
        x = self.world.state(self.body).position[0]
        if abs(x) > _HALF - 2.2:
            self._direction = -math.copysign(1.0, x)  # the autopilot turns back before the walls
        if self.drive == 0.0:
            return
        target = -self.drive * self.parameter("speed") / _RADIUS
        limit = self.parameter("torque")
        for wheel in self.wheels:
            torque = min(max(_GAIN * (target - self.world.state(wheel).angular_velocity), -limit), limit)
            self.world.set_awake(wheel, True)
            self.world.set_awake(self.body, True)
            self.world.apply_torque(wheel, torque)
            self.world.apply_torque(self.body, -torque)

    def on_key(self, key: str) -> bool:
        if key not in ("left", "right", "down"):
            return False
        self.steered = True
        return True

    def on_parameter(self, name: str) -> None:
        if name in ("frequency", "hills"):
            self.restart()

    def home(self) -> AABB:
        return AABB((-_HALF - 0.5, -3.4), (_HALF + 0.5, 7.5))

    def draw_background(self, canvas: Canvas) -> None:
        """Fill the ground under the road."""
        earth = palette.mix(palette.BACKGROUND, palette.STATIC, 0.25)
        for (x0, y0), (x1, y1) in zip(self.surface[1:-2], self.surface[2:-1], strict=True):
            canvas.polygon(((x0, y0), (x0, -40.0), (x1 + 0.01, -40.0), (x1 + 0.01, y1)), earth)

    def status(self) -> Sequence[StatusLine]:
        if not self.is_whole:
            return ("the car has been taken apart",)
        driver = "you are driving" if self.steered else "on autopilot: take over with the arrow keys"
        slip = self.rolling - self.speed
        return (
            (f"car {self.speed:.2f} m/s, wheel rims {self.rolling:.2f} m/s: slip {slip:+.2f} m/s", palette.TEXT),
            (driver, palette.CAPTION),
        )
