"""Two sensors in a door count the balls that pass; the count is compared with the balls' positions.

    left room   | A | B |   right room       A first, B last: one more on the right
                                             B first, A last: one less

A sensor only reports when a ball begins and ends touching it. The sensor that a ball touched first and the one that it left last give its
direction. A ball can skip a sensor that is thinner than a step is long, because Box2D checks sensors only at the ends of steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_shape, label
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.world import BodySpec, FixtureSpec, WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["SensorGates"]

HALF_WIDTH, HEIGHT = 7.0, 7.0
RADIUS = 0.14
_WALL = 0.3
_OWN_GROUP = -1
_STEEPEST = (0.35, 1.2)
"""Range of the balls' initial angles, radians: they hit the walls at more than 1 m/s, below which Box2D lets nothing bounce."""


@register(
    id="sensor_gates",
    category="Filters and sensors",
    title="Sensor gates",
    watch="Two sensors in the door count the balls that fly through. Is the count correct?",
)
class SensorGates(Scene):
    """An ideal gas: balls without gravity or friction that bounce off the walls and do not collide with each other."""

    tries = (
        ("Make the balls faster: the count becomes wrong.", "set speed>"),
        ("Make the sensors thicker: the count becomes correct.", "set thickness>"),
        ("Narrow the door.", "set door<"),
    )
    keywords = "sensor gas count door tunneling diffusion"
    parameters = (
        Parameter("balls", 60, 1, 200, "", "number of balls", whole=True),
        Parameter("speed", 7.0, 3.0, 80.0, "m/s", "ball speed"),
        Parameter("thickness", 0.4, 0.02, 0.6, "m", "sensor thickness"),
        Parameter("door", 2.5, 0.5, 6.0, "m", "door height"),
    )
    claims = (
        Claim("balls on the right, counted by the sensors", "", 0.0, lambda demo: demo.counted, lambda demo: demo.on_the_right, 0.0, 0),
    )
    world_settings = WorldSettings(gravity=(0.0, 0.0))

    def furnish(self) -> None:
        self._build_room()
        thickness, door = self.parameter("thickness"), self.parameter("door")
        self.gates = tuple(
            self.world.create_body(
                BodySpec(
                    (FixtureSpec(Polygon.box(0.5 * thickness, 0.5 * door, (side * 0.5 * thickness, 0.5 * HEIGHT)), sensor=True),),
                    type="static",
                    name=name,
                )
            )
            for side, name in ((-1.0, "A"), (1.0, "B"))
        )
        rng = self.rng("balls")
        spec = FixtureSpec(Circle(RADIUS), friction=0.0, restitution=1.0, group=_OWN_GROUP)
        self.balls = []
        for _ in range(int(self.parameter("balls"))):
            x, y = rng.uniform(-HALF_WIDTH + 0.5, -1.5), rng.uniform(0.5, HEIGHT - 0.5)
            angle = rng.uniform(*_STEEPEST) + 0.5 * math.pi * rng.integers(4)
            velocity = self.parameter("speed") * math.cos(angle), self.parameter("speed") * math.sin(angle)
            self.balls.append(
                self.world.create_body(
                    BodySpec((spec,), position=(float(x), float(y)), linear_velocity=velocity, fixed_rotation=True, allow_sleep=False)
                )
            )
        self.first: dict[int, int] = {}
        self.touched: dict[int, list[int]] = {}
        """For each ball in the door, the sensor that it touched first, and those that it touches now, the newest last."""
        self.counted = 0
        self.crossings = 0
        self._sides = dict.fromkeys(self.balls, False)
        """True for each ball on the right; balls in the door count for the side from which they came."""

    def before_step(self) -> None:
        """Note the balls' positions: a step detects touches at its beginning, not at its end."""
        reach = self.parameter("thickness") + self.world.capabilities.skin_radius + RADIUS
        for ball in self.balls:
            if self.world.is_body(ball):
                x = self.world.state(ball).position[0]
                self._sides[ball] = x > 0.0 if abs(x) > reach else self._sides[ball]

    def after_step(self) -> None:
        """Process the events of the sensors."""
        contacts = self.world.contacts
        for began, events in ((True, contacts.began), (False, contacts.ended)):
            for event in events:
                gate, ball = (event.body_a, event.body_b) if event.body_a in self.gates else (event.body_b, event.body_a)
                if event.sensor and gate in self.gates and began:
                    self.touched.setdefault(ball, []).append(gate)
                    self.first.setdefault(ball, gate)
                elif event.sensor and gate in self.gates and ball in self.touched:
                    self._leave(ball, gate)

    @property
    def on_the_right(self) -> int:
        """Number of balls on the right, by their positions."""
        return sum(on_right and self.world.is_body(ball) for ball, on_right in self._sides.items())

    def home(self) -> AABB:
        return AABB((-HALF_WIDTH - _WALL, -1.4), (HALF_WIDTH + _WALL, HEIGHT + 1.6))

    def draw(self, canvas: Canvas) -> None:
        """Write the counts below the rooms."""
        for side, count in ((-0.5, len(self.balls) - self.counted), (0.5, self.counted)):
            label(canvas, (side * HALF_WIDTH, -0.65), f"counted by the sensors: {count}", palette.TEXT, 0.9 * HALF_WIDTH, 16.0)
        for gate, side in zip("AB", (-0.5, 0.5), strict=True):
            label(canvas, (side * self.parameter("thickness"), 0.5 * HEIGHT), gate, palette.CAPTION, 0.9 * self.parameter("thickness"))

    def status(self) -> Sequence[StatusLine]:
        way = self.parameter("speed") * self.step_seconds
        words = (
            f"a ball moves up to {way:.2f} m per step, and a sensor is {self.parameter('thickness'):g} m thick; {self.crossings} crossings"
        )
        return ((words, palette.CAPTION),)

    def _leave(self, ball: int, gate: int) -> None:
        """Note that a ball has left a sensor; it has passed the door or turned back if it touches no other sensor."""
        touched = self.touched[ball]
        if gate in touched:
            touched.remove(gate)
        if touched:
            return
        first = self.first.pop(ball)
        del self.touched[ball]
        if first != gate:
            self.crossings += 1
            self.counted += 1 if gate == self.gates[1] else -1

    def _build_room(self) -> None:
        w, half_door = HALF_WIDTH, 0.5 * self.parameter("door")
        post = 0.25 * HEIGHT - 0.5 * half_door
        thin = self.parameter("thickness")
        shapes = (
            Polygon.box(w + _WALL, 0.5 * _WALL, (0.0, -0.5 * _WALL)),
            Polygon.box(w + _WALL, 0.5 * _WALL, (0.0, HEIGHT + 0.5 * _WALL)),
            Polygon.box(0.5 * _WALL, 0.5 * HEIGHT, (-w - 0.5 * _WALL, 0.5 * HEIGHT)),
            Polygon.box(0.5 * _WALL, 0.5 * HEIGHT, (w + 0.5 * _WALL, 0.5 * HEIGHT)),
            Polygon.box(thin, post, (0.0, post)),
            Polygon.box(thin, post, (0.0, HEIGHT - post)),
        )
        add_shape(self.stage, shapes, (0.0, 0.0), type="static", friction=0.0, restitution=1.0, name="rooms")
