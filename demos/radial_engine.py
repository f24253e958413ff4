"""A radial engine: several pistons drive one crank."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from demos._gallery import Scene, add_box, add_shape, label
from engine.common.tolerances import LINEAR_SLOP
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.render.palette import mix
from engine.world import PrismaticJointSpec, RevoluteJointSpec, WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["RadialEngine", "piston_place"]

_CRANK = 0.8
"""Distance of the crank pin from the axle, meters."""
_BORE = 0.8
_HEIGHT = 0.6
"""Height of a piston, meters."""
_TORQUE = 2000.0
"""Maximum torque of the motor, N m."""
_CHART = (4.3, 2.4)
"""Left end and width of the chart, meters."""
_KEPT = 120
"""Number of steps in the chart and in the maximum of the error."""


def piston_place(turn: float, rod: float) -> float:
    """Return the distance of a piston's hinge from the axle, meters, for a crank at angle `turn` to the cylinder's axis.

    The pin is at (r cos turn, r sin turn), and the rod connects it to the cylinder's axis.
    """
    return _CRANK * math.cos(turn) + math.sqrt(rod**2 - (_CRANK * math.sin(turn)) ** 2)


@register(
    id="radial_engine",
    category="Machines and joints",
    title="Radial engine",
    watch="All pistons share one crank pin; rings show where the crank formula puts them.",
)
class RadialEngine(Scene):
    """A crank with a motor, rods and pistons."""

    tries = (
        ("Run the engine faster, or backward.", "set speed"),
        ("Make the rods longer: the curves on the right approach sine waves.", "set rod>"),
        ("Set the solver's iterations to 1.", "set iterations=1"),
    )
    keywords = "piston crank slider prismatic motor engine"
    parameters = (
        Parameter("cylinders", 5, 1, 9, "", "cylinders", whole=True),
        Parameter("speed", 60.0, -300.0, 300.0, "rpm", "motor speed"),
        Parameter("rod", 2.2, 1.7, 4.0, "m", "rod length"),
        Parameter("iterations", 20, 1, 100, "", "velocity iterations", whole=True, setting="velocity_iterations"),
    )
    layers: ClassVar[Mapping[str, bool]] = {"joints": False}
    claims = (Claim("largest piston error", "mm", 1.0, lambda demo: 1000.0 * demo.worst, 0.0, 1000.0 * LINEAR_SLOP),)
    world_settings = WorldSettings(position_iterations=10)

    def furnish(self) -> None:
        n, rod = int(self.parameter("cylinders")), self.parameter("rod")
        self._rod = rod
        world = self.world
        self.angles = [0.5 * math.pi + 2.0 * math.pi * k / n for k in range(n)]
        near = rod - _CRANK - 0.5 * _HEIGHT
        far = rod + _CRANK + 0.5 * _HEIGHT
        walls = []
        for angle in self.angles:
            for side in (-1.0, 1.0):
                out, across = 0.5 * (near + far), side * (0.5 * _BORE + 0.12)
                at = (out * math.cos(angle) - across * math.sin(angle), out * math.sin(angle) + across * math.cos(angle))
                walls.append(Polygon.box(0.5 * (far - near), 0.06, at, angle))
        self.block = add_shape(self.stage, (Circle(0.25), *walls), (0.0, 0.0), type="static", group=-1, name="block")
        pin = (0.0, _CRANK)
        wheel = (Polygon.regular(16, _CRANK + 0.25), Polygon.box(0.25, 0.3, (0.0, -0.7)))
        self.crank = self.paint(add_shape(self.stage, wheel, (0.0, 0.0), density=2.0, group=-1, name="crank"), palette.KINEMATIC)
        self.motor = world.create_joint(
            RevoluteJointSpec(self.block, self.crank, (0.0, 0.0), enable_motor=True, motor_speed=self._omega, max_motor_torque=_TORQUE)
        )
        self.pistons: list[int] = []
        for angle in self.angles:
            place = piston_place(0.5 * math.pi - angle, rod)
            way = (math.cos(angle), math.sin(angle))
            hinge = (place * way[0], place * way[1])
            color = palette.BODY_COLORS[len(self.pistons) % len(palette.BODY_COLORS)]
            piston = self.paint(add_box(self.stage, hinge, _HEIGHT, _BORE, angle, density=0.4, group=-1, name="piston"), color)
            world.create_joint(PrismaticJointSpec(self.block, piston, hinge, way))
            middle = (0.5 * (pin[0] + hinge[0]), 0.5 * (pin[1] + hinge[1]))
            lean = math.atan2(hinge[1] - pin[1], hinge[0] - pin[0])
            bar = self.paint(add_box(self.stage, middle, rod, 0.14, lean, density=0.4, group=-1, name="rod"), palette.STATIC)
            world.create_joint(RevoluteJointSpec(self.crank, bar, pin))
            world.create_joint(RevoluteJointSpec(bar, piston, hinge))
            self.pistons.append(piston)
        self.travels: deque[tuple[float, ...]] = deque(maxlen=_KEPT)
        self.errors: deque[float] = deque(maxlen=_KEPT)

    @property
    def _omega(self) -> float:
        return self.parameter("speed") * 2.0 * math.pi / 60.0

    @property
    def is_whole(self) -> bool:
        """True if no part was deleted."""
        return self.alive(self.crank, self.block, *self.pistons)

    def after_step(self) -> None:
        if not self.is_whole:
            return
        turn = self.world.state(self.crank).angle + 0.5 * math.pi
        travels, error = [], 0.0
        for piston, angle in zip(self.pistons, self.angles, strict=True):
            x, y = self.world.state(piston).position
            travels.append(x * math.cos(angle) + y * math.sin(angle) - self._rod)
            place = piston_place(turn - angle, self._rod)
            error = max(error, math.hypot(x - place * math.cos(angle), y - place * math.sin(angle)))
        self.travels.append(tuple(travels))
        self.errors.append(error)

    @property
    def worst(self) -> float:
        """Largest distance of a piston from its predicted position in the last steps, meters."""
        return max(self.errors, default=0.0)

    def home(self) -> AABB:
        reach = self._rod + _CRANK + 0.7
        return AABB((-reach, -reach), (self._chart_left + _CHART[1] + 0.3, reach))

    def draw(self, canvas: Canvas) -> None:
        if not self.is_whole:
            return
        turn = self.stage.drawn_pose(self.crank)[2] + 0.5 * math.pi
        pin = (_CRANK * math.cos(turn), _CRANK * math.sin(turn))
        for angle in self.angles:
            place = piston_place(turn - angle, self._rod)
            canvas.point((place * math.cos(angle), place * math.sin(angle)), palette.AGREE, 6.0, ring=True)
        canvas.point(pin, palette.NORMAL, 4.0)
        self._draw_chart(canvas)

    def status(self) -> Sequence[StatusLine]:
        speed = self.world.state(self.crank).angular_velocity * 60.0 / (2.0 * math.pi) if self.alive(self.crank) else 0.0
        return ((f"{speed:.1f} rpm, set to {self.parameter('speed'):g} rpm", palette.TEXT),)

    @property
    def _chart_left(self) -> float:
        return max(_CHART[0], self._rod + _CRANK + 0.7)

    def _draw_chart(self, canvas: Canvas) -> None:
        left, width = self._chart_left, _CHART[1]
        canvas.segment((left, 0.0), (left + width, 0.0), palette.GRID_AXIS, 1.5)
        words = f"piston travel, last {_KEPT * self.step_seconds:.3g} s"
        label(canvas, (left + 0.5 * width, _CRANK + 0.3), words, palette.CAPTION, width)
        rows = list(self.travels)
        for k in range(len(self.pistons)):
            color = mix(palette.BODY_COLORS[k % len(palette.BODY_COLORS)], palette.TEXT, 0.2)
            for step in range(1, len(rows)):
                x0, x1 = (left + width * (_KEPT - len(rows) + at) / _KEPT for at in (step - 1, step))
                canvas.segment((x0, rows[step - 1][k]), (x1, rows[step][k]), color, 1.5)
