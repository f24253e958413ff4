r"""A walking machine after Theo Jansen's Strandbeest, with the dimensions of Box2D's sample "Theo Jansen's Walker".

One crank drives six legs, three on each side, a third of a turn apart. Each leg consists of two rigid triangles and four rods:

        p6 ___                      upper triangle: p4 (hinged to the body), p5, p6
          /   \___ crank            lower triangle: p1 (the foot), p2, p3
    p5 __/ p4    /                  rods: p6 to the crank, p3 to the crank, p5 to p2, p4 to p3
      |   |     /
    p2|___|p3__/                    For a given crank angle, p6 and p3 are intersections of circles, p5 follows from p6, p2 from
       \  |                         p3 and p5, and the foot from p2 and p3: `leg_points` computes them in this order.
        \ |
         p1
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from demos._gallery import Scene, add_disc, add_ground, add_shape, add_walls
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.world import DistanceJointSpec, RevoluteJointSpec, WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["SCALE", "Walker", "foot", "stride"]

Point = tuple[float, float]

_PIVOT = (0.0, 0.8)
"""The crank's axle in the frame of the sample, meters."""
_CRANK = (0.0, -0.8)
"""Initial position of the pin relative to the axle."""
_LEG: tuple[Point, ...] = ((5.4, -6.1), (7.2, -1.2), (4.3, -1.9), (3.1, 0.8), (6.0, 1.5), (2.5, 3.7))
"""p1 to p6 of a leg on the right; the left legs are mirrored."""
SCALE = 0.35
"""Size as a fraction of the sample's 13 m."""
_PHASES = (0.0, 2.0 * math.pi / 3.0, -2.0 * math.pi / 3.0)
_TORQUE = 400.0
"""Maximum torque of the motor at the sample's size, N m."""
_PEBBLES = 14
_HALF = 9.0
_MARGIN = 3.0
"""Distance from a wall at which the machine turns back, meters."""
_SAMPLES = 720
"""Number of crank angles at which the stride is evaluated."""
_PITCHING = 0.1
"""Allowed relative error of the stride: the formula neglects the pitching of the body."""


def leg_points(side: float, turn: float) -> tuple[Point, ...]:
    """Return p1 to p6 of a leg relative to the axle, in meters of the sample; `side` is -1 or 1, `turn` the crank angle in radians."""
    p1, p2, p3, p4, p5, p6 = ((side * (x - _PIVOT[0]), y - _PIVOT[1]) for x, y in _LEG)
    pin = _pin(turn)
    q6 = _meet((_CRANK, p4, p6), pin, p4)
    q5 = _carried(p5, (p4, p6), (p4, q6))
    q3 = _meet((_CRANK, p4, p3), pin, p4)
    q2 = _meet((p5, p3, p2), q5, q3)
    return _carried(p1, (p3, p2), (q3, q2)), q2, q3, p4, q5, q6


def foot(side: float, turn: float) -> Point:
    """Return the position of a leg's foot; see `leg_points`."""
    return leg_points(side, turn)[0]


def stride() -> float:
    """Return how far the machine walks to the right in a clockwise turn of its crank, meters of the sample, if no foot slips.

    The lowest of the six feet stands still, and the body moves over it in the opposite direction: the distance is the sum of the lowest
    foot's backward motion.
    """
    way = 0.0
    for k in range(_SAMPLES):
        turn, after = -2.0 * math.pi * k / _SAMPLES, -2.0 * math.pi * (k + 1) / _SAMPLES
        side, phase = min(((s, p) for s in (-1.0, 1.0) for p in _PHASES), key=lambda leg: foot(leg[0], turn + leg[1])[1])
        way -= foot(side, after + phase)[0] - foot(side, turn + phase)[0]
    return way


@register(
    id="walker",
    category="Machines and joints",
    title="Walking machine",
    watch="One crank moves six legs; the dotted paths of the feet predict the distance walked per turn.",
)
class Walker(Scene):
    """The machine, and pebbles on the ground."""

    tries = (
        ("Walk (Left and Right).", "key left, key right"),
        ("Lower the friction of the ground: the machine's feet slip.", "set friction<"),
        ("Put pebbles in the machine's way.", "set pebbles>"),
    )
    keywords = "jansen linkage legs crank strandbeest theo"
    parameters = (
        Parameter("speed", 3.0, 0.5, 6.0, "rad/s", "crank speed"),
        Parameter("friction", 0.9, 0.05, 1.5, "", "ground friction"),
        Parameter("springs", 0.0, 0.0, 30.0, "Hz", "frequency of the rods' springs (0: rigid)", note="Box2D's sample uses 10 Hz."),
        Parameter("pebbles", 0, 0, _PEBBLES, "", "pebbles in the way", whole=True),
    )
    layers: ClassVar[Mapping[str, bool]] = {"points": False}
    keys = (("Left, Right", "walk left, walk right"),)
    claims = (
        Claim(
            "distance per turn of the crank",
            "m",
            3.0,
            lambda demo: demo.per_turn,
            lambda demo: demo.predicted,
            lambda demo: _PITCHING * demo.predicted,
            3,
        ),
    )
    world_settings = WorldSettings(hertz=120.0, velocity_iterations=12)

    def furnish(self) -> None:
        friction = self.parameter("friction")
        add_ground(self.stage, -_HALF - 0.5, _HALF + 0.5, friction=friction)
        add_walls(self.stage, -_HALF, _HALF, 0.0, 4.0)
        self.direction = 1.0
        lowest = min(foot(side, phase)[1] for side in (-1.0, 1.0) for phase in _PHASES)
        self.origin = (-4.5, 0.05 - lowest * SCALE)
        chassis = Polygon.box(2.5 * SCALE, 1.0 * SCALE)
        self.body = self.paint(add_shape(self.stage, chassis, self.origin, group=-1, name="body"), palette.BODY_COLORS[3])
        self.crank = self.paint(add_disc(self.stage, self.origin, 1.6 * SCALE, group=-1, name="crank"), palette.KINEMATIC)
        self.motor = self.world.create_joint(
            RevoluteJointSpec(
                self.crank,
                self.body,
                self.origin,
                enable_motor=True,
                motor_speed=self.direction * self.parameter("speed"),
                max_motor_torque=_TORQUE * SCALE**3,
            )
        )
        self.feet: list[int] = []
        for phase in _PHASES:
            for side in (-1.0, 1.0):
                self._leg(side, phase)
        rng = self.rng("pebbles")
        for k in range(int(self.parameter("pebbles"))):
            radius = float(rng.uniform(0.06, 0.14))
            at = (-1.0 + 0.6 * k + float(rng.uniform(-0.2, 0.2)), radius + 0.01)
            self.paint(add_disc(self.stage, at, radius, friction=0.8, angular_damping=3.0, name="pebble"), palette.STATIC)
        self._since = (0.0, self.origin[0])
        self.per_turn: float | None = None
        self.predicted = SCALE * stride()

    @property
    def is_whole(self) -> bool:
        """True if neither the body nor the crank was deleted."""
        return self.alive(self.body, self.crank)

    def after_step(self) -> None:
        if not self.is_whole:
            return
        x = self.world.state(self.body).position[0]
        turn = self.world.state(self.crank).angle - self.world.state(self.body).angle
        if abs(turn - self._since[0]) >= 2.0 * math.pi:
            self.per_turn = (x - self._since[1]) * math.copysign(1.0, self._since[0] - turn)
            self._since = (turn, x)
        if abs(x) > _HALF - _MARGIN and self.direction * x > 0.0:
            self._turn_to(-self.direction)

    def on_key(self, key: str) -> bool:
        if key not in ("left", "right") or not self.is_whole:
            return False
        self._turn_to(1.0 if key == "right" else -1.0)
        return True

    def home(self) -> AABB:
        return AABB((-_HALF - 0.5, -0.7), (_HALF + 0.5, 6.5))

    def draw(self, canvas: Canvas) -> None:
        if not self.is_whole:
            return
        x, y, angle = self.stage.drawn_pose(self.body)
        cos, sin = math.cos(angle), math.sin(angle)
        for side in (-1.0, 1.0):
            for k in range(48):
                px, py = foot(side, 2.0 * math.pi * k / 48)
                canvas.point((x + SCALE * (cos * px - sin * py), y + SCALE * (sin * px + cos * py)), palette.AGREE, 1.5)

    def status(self) -> Sequence[StatusLine]:
        speed = self.world.state(self.body).linear_velocity[0] if self.is_whole else 0.0
        return ((f"{speed:+.2f} m/s", palette.TEXT),)

    def _turn_to(self, direction: float) -> None:
        """Reverse the motor if the direction differs."""
        if direction == self.direction or not self.world.is_joint(self.motor):
            return
        self.direction = direction
        self.world.set_joint(self.motor, motor_speed=direction * self.parameter("speed"))
        self._since = (self.world.state(self.crank).angle - self.world.state(self.body).angle, self.world.state(self.body).position[0])

    def _leg(self, side: float, phase: float) -> None:
        p1, p2, p3, p4, p5, p6 = leg_points(side, phase)
        pin = _pin(phase)
        lower_shape = Polygon([(SCALE * x, SCALE * y) for x, y in (p1, p2, p3)])
        upper_shape = Polygon([(SCALE * (x - p4[0]), SCALE * (y - p4[1])) for x, y in (p4, p5, p6)])
        color = palette.BODY_COLORS[_PHASES.index(phase)]
        common: dict[str, Any] = {"group": -1, "angular_damping": 10.0, "friction": 1.0, "name": "leg"}
        lower = self.paint(add_shape(self.stage, lower_shape, self.origin, **common), color)
        upper = self.paint(add_shape(self.stage, upper_shape, self._place(p4), **common), color)
        for a, b, at_a, at_b in (
            (lower, upper, p2, p5),
            (lower, upper, p3, p4),
            (lower, self.crank, p3, pin),
            (upper, self.crank, p6, pin),
        ):
            joint = DistanceJointSpec(a, b, self._place(at_a), self._place(at_b), frequency=self.parameter("springs"), damping_ratio=0.5)
            self.world.create_joint(joint)
        self.world.create_joint(RevoluteJointSpec(upper, self.body, self._place(p4)))
        self.feet.append(lower)

    def _place(self, point: Point) -> Point:
        return self.origin[0] + SCALE * point[0], self.origin[1] + SCALE * point[1]


def _pin(turn: float) -> Point:
    return -_CRANK[1] * math.sin(turn), _CRANK[1] * math.cos(turn)


def _meet(start: tuple[Point, Point, Point], a: Point, b: Point) -> Point:
    """Return the new position of the third point of `start`, which rods connect to the first two, now at a and b; it keeps its side."""
    (ax, ay), (bx, by), (x, y) = start
    side = math.copysign(1.0, (bx - ax) * (y - ay) - (by - ay) * (x - ax))
    from_a, from_b, apart = math.dist(start[0], start[2]), math.dist(start[1], start[2]), math.dist(a, b)
    along = 0.5 * (apart + (from_a**2 - from_b**2) / apart)
    across = side * math.sqrt(max(from_a**2 - along**2, 0.0))
    ux, uy = (b[0] - a[0]) / apart, (b[1] - a[1]) / apart
    return a[0] + along * ux - across * uy, a[1] + along * uy + across * ux


def _carried(point: Point, before: tuple[Point, Point], after: tuple[Point, Point]) -> Point:
    """Return the new position of a point of a rigid body of which two other points move from `before` to `after`."""
    (ax, ay), (bx, by) = before
    (cx, cy), (dx, dy) = after
    turn = math.atan2(dy - cy, dx - cx) - math.atan2(by - ay, bx - ax)
    x, y = point[0] - ax, point[1] - ay
    return cx + math.cos(turn) * x - math.sin(turn) * y, cy + math.sin(turn) * x + math.cos(turn) * y
