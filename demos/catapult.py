"""A catapult: a falling weight throws a stone along a predicted parabola."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from demos._gallery import Scene, add_box, add_disc, add_ground, add_shape, rest_box, rest_disc
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Polygon, Transform
from engine.render import palette
from engine.world import RevoluteJointSpec, WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Catapult", "parabola_range", "range_lost"]

Point = tuple[float, float]

_PIVOT = (0.0, 2.2)
_LONG, _SHORT = 3.4, 1.1
"""Distances from the pivot to the spoon's middle and to the weight, meters."""
_THICKNESS = 0.2
_RADIUS = 0.26
"""Radius of the stone, meters."""
_WEIGHT_SIDE = 1.0
_READY = 0.5
"""Angle of the loaded arm, radians: the spoon is down on the left."""
_LOADED = Transform(_PIVOT, _READY)
"""Pose of the loaded arm."""
_CASTLE = (15.2, 3, 5)
"""Left end of the castle, meters, and its numbers of columns and rows."""
_BRICK = (0.8, 0.6)
_PAUSE = 1.2
"""Seconds from the landing to the next shot."""
_CLEAR = 10
"""Steps after loading in which the stone may still be settling in the spoon: a missing contact does not mean yet that it has left."""
_LOST = 1.05
"""Allowed shortfall of the range, as a multiple of the first-order loss in dt; the rest is of second order."""
_DASHES = 61
_MAX_STONES = 10
"""Number of stones kept."""


def parabola_range(position: Point, velocity: Point, height: float, gravity: float) -> float:
    """Return the x at which a body thrown from `position` falls back to `height` along the exact parabola; infinity without gravity."""
    if gravity == 0.0:
        return math.inf
    return position[0] + velocity[0] * (velocity[1] + _falling(position, velocity, height, gravity)) / gravity


def range_lost(position: Point, velocity: Point, height: float, gravity: float, dt: float) -> float:
    """Return the difference between the parabola's range and that with Box2D's steps, to first order, meters.

    After n steps, t = n dt, a body is ``g t dt / 2`` below the parabola; with a vertical speed v at the landing, it lands earlier by
    ``v_x / v`` times that.
    """
    down = _falling(position, velocity, height, gravity)
    return 0.5 * (velocity[1] + down) * dt * velocity[0] / down if down > 0.0 else 0.0


def _falling(position: Point, velocity: Point, height: float, gravity: float) -> float:
    """Return the downward speed of the parabola at a height, m/s."""
    return math.sqrt(max(velocity[1] ** 2 - 2.0 * gravity * (height - position[1]), 0.0))


@register(
    id="catapult",
    category="Machines and joints",
    title="Catapult",
    watch="The arm hits its stop and releases the stone; the dashed parabola predicts where it lands.",
)
class Catapult(Scene):
    """A catapult and a castle."""

    tries = (
        ("Shoot again (Enter).", "key return"),
        ("Change the falling weight until you hit the castle.", "set weight"),
        ("Change the release angle.", "set stop"),
    )
    keywords = "throw parabola lever projectile trajectory siege"
    parameters = (
        Parameter("weight", 60.0, 20.0, 400.0, "kg", "falling weight"),
        Parameter("stop", 45.0, 15.0, 75.0, "°", "release angle of the stone"),
        Parameter("stone", 3.0, 0.5, 20.0, "kg", "stone mass"),
    )
    layers: ClassVar[Mapping[str, bool]] = {"joints": False}
    keys = (("Enter", "load and shoot"),)
    claims = (
        Claim(
            "range of the last stone",
            "m",
            5.0,
            lambda demo: demo.last and demo.last[0],
            lambda demo: demo.last[1] if demo.last else demo.expected_range,
            lambda demo: demo.last and _LOST * demo.last[2],
        ),
    )
    released: tuple[Point, Point] | None
    """Position and velocity at which the stone was released; None before that."""
    _landed: int | None
    """Step of the landing; None before that."""
    _before: Point
    world_settings = WorldSettings(hertz=120.0, velocity_iterations=12)

    def furnish(self) -> None:
        add_ground(self.stage, -8.0, 34.0)
        top = ((0.05, _PIVOT[1]), (-0.05, _PIVOT[1]))
        frame = [Polygon(((x, 0.0), (x + 0.3, 0.0), *top)) for x in (-0.9, 0.6)]
        self.frame = add_shape(self.stage, frame, (0.0, 0.0), type="static", group=-1, name="frame")
        density = self.parameter("weight") / _WEIGHT_SIDE**2
        beam = (
            Polygon.box(0.5 * (_LONG + _SHORT + 0.5), 0.5 * _THICKNESS, (0.5 * (_SHORT - _LONG - 0.5), 0.0)),
            Polygon.box(0.05, 0.2, (-_LONG - _RADIUS - 0.12, 0.5 * _THICKNESS + 0.15)),
            Polygon.box(0.05, 0.1, (-_LONG + _RADIUS + 0.12, 0.5 * _THICKNESS + 0.05)),
        )
        self.arm = self.paint(add_shape(self.stage, beam, _PIVOT, _READY, density=1.5, group=-1, name="arm"), palette.BODY_COLORS[3])
        hung = _LOADED.apply((_SHORT, 0.0))
        weight = Polygon.box(0.5 * _WEIGHT_SIDE, 0.5 * _WEIGHT_SIDE, (0.0, -0.5 * _WEIGHT_SIDE))
        self.weight = self.paint(
            add_shape(self.stage, weight, hung, density=density, group=-1, angular_damping=2.0, name="weight"), palette.STATIC
        )
        # the stone leaves perpendicular to the line from the pivot to its center, which is `_lift` above the arm
        swing = _READY + 0.5 * math.pi - math.radians(self.parameter("stop")) - math.atan2(self._lift, _LONG)
        self.world.create_joint(RevoluteJointSpec(self.frame, self.arm, _PIVOT, enable_limit=True, lower_angle=-swing))
        self.world.create_joint(RevoluteJointSpec(self.arm, self.weight, hung))
        self.bricks = self._castle()
        self.stones: list[int] = []
        self.n_shots = 0
        self.last: tuple[float, float, float] | None = None
        """Range of the last landing, that of the parabola, and the loss due to the steps, meters."""
        self.again()

    @property
    def expected_range(self) -> float | None:
        """Range of the parabola of the stone in flight, meters; None before the release."""
        return parabola_range(*self.released, _RADIUS, self.gravity) if self.released is not None else None

    def before_step(self) -> None:
        if self._landed is not None and self.steps - self._landed >= _PAUSE / self.step_seconds and not self.grabbing:
            self.again()

    def after_step(self) -> None:
        stone = self.stones[-1]
        if not self.alive(stone):
            self._landed = self.steps if self._landed is None else self._landed
            return
        contacts = self.world.contacts
        touched = bool(((contacts.body_a == stone) | (contacts.body_b == stone)).any())
        state = self.world.state(stone)
        if self.released is None:
            if not touched and self.steps - self._loaded > _CLEAR and state.linear_velocity[0] > 0.0:
                self.released = (state.position, state.linear_velocity)
        elif self._landed is None and (touched or self.grabbing):
            self._landed = self.steps
            if not self.grabbing and self.gravity > 0.0:
                flight = (*self.released, self._before[1], self.gravity)
                self.last = (self._before[0], parabola_range(*flight), range_lost(*flight, self.step_seconds))
        self._before = state.position  # the last position in free flight: the step of the landing stops the stone

    def home(self) -> AABB:
        return AABB((-6.5, -0.8), (25.0, 13.0))

    def draw(self, canvas: Canvas) -> None:
        if self.released is None or self.gravity == 0.0:
            return
        (x, y), (vx, vy) = self.released
        last = parabola_range((x, y), (vx, vy), _RADIUS, self.gravity)
        reached = [x + (last - x) * k / _DASHES for k in range(_DASHES + 1)]
        points = [(at, y + vy * (at - x) / vx - 0.5 * self.gravity * ((at - x) / vx) ** 2) for at in reached]
        for a, b in zip(points[::2], points[1::2], strict=False):
            canvas.segment(a, b, palette.AGREE, 1.5)
        canvas.point((x, y), palette.NORMAL, 4.0, ring=True)

    def status(self) -> Sequence[StatusLine]:
        if self.released is None:
            return ((f"shot {self.n_shots}", palette.CAPTION),)
        vx, vy = self.released[1]
        energy = 0.5 * self.parameter("stone") * (vx * vx + vy * vy)
        rising = math.degrees(math.atan2(vy, vx))
        return ((f"shot {self.n_shots}: {math.hypot(vx, vy):.2f} m/s at {rising:.1f}°, {energy:.0f} J", palette.TEXT),)

    def _castle(self) -> list[int]:
        left, columns, rows = _CASTLE
        bricks = []
        for column in range(columns):
            for row in range(rows - (column == 1)):
                at = (left + column * (_BRICK[0] + 0.03), 0.5 * _BRICK[1] + rest_box(self) + row * (_BRICK[1] + rest_box(self)))
                bricks.append(self.paint(add_box(self.stage, at, *_BRICK, density=0.8, friction=0.7), palette.BODY_COLORS[row % 2]))
        return bricks

    @property
    def _lift(self) -> float:
        """Height of the stone's center above the arm's, meters."""
        return 0.5 * _THICKNESS + _RADIUS + rest_disc(self)

    def again(self) -> None:
        self.put_back([self.arm, self.weight])
        at = _LOADED.apply((-_LONG, self._lift))
        density = self.parameter("stone") / (math.pi * _RADIUS**2)
        stone = add_disc(self.stage, at, _RADIUS, density=density, friction=0.6, bullet=True, name="stone")
        self.stones.append(self.paint(stone, palette.TOUCHING))
        self.n_shots += 1
        self._loaded = self.steps
        self.released = None
        self._landed = None
        self._before = at
        if len(self.stones) > _MAX_STONES and self.alive(old := self.stones.pop(0)):
            self.world.destroy_body(old)
