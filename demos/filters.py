"""Collision filters sort balls: each rolls over a row of colored grids and falls through the one of its own color.

Two fixtures collide if each one's mask contains a bit of the other's category. Ball k has category bit k, which the mask of grid k lacks.
A group other than 0 takes precedence: fixtures with the same negative group never collide, those with the same positive group always do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_shape, label, place_body
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.render.palette import Color
from engine.world import BodySpec, FixtureSpec

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Filters"]

NAMES = ("A", "B", "C", "none")
"""The last kind has no grid and rolls on into the last bin."""
WIDTH, SLOPE = 3.0, 0.14
"""Width of a grid, meters, and its slope."""
DEPTH, RADIUS = 3.6, 0.2
"""Depth of the bins and radius of the balls, meters."""
_HALF_WALL = 0.08
"""Half the thickness of the walls between the bins, meters."""
COUNTER, _BEAM = -1.2, 0.1
"""Height of the sensors, above all balls that lie in a bin, and half their thickness, meters. No ball falls past one, 0.6 m, in a step."""
_APART = 0.05
"""Gap between a wall and the sensor beside it, meters: it must not detect balls on the other side."""
N_KINDS = len(NAMES)
LEFT, RIGHT = 0.0, WIDTH * N_KINDS
_FIRST_BIT = 1
"""Bit 0 is Box2D's default category, which the walls have."""
_START, _SEND = (0.4, 1.6), (2.0, 0.0)


@register(
    id="filters",
    category="Filters and sensors",
    title="Collision filters",
    watch="A ball falls through the grid of its own color and rolls over all others.",
)
class Filters(Scene):
    """When all balls have been used, the oldest one starts again."""

    tries = (
        ("Empty the bins (Enter).", "key return"),
        ("Turn off collisions between balls with the same letter.", "set same=never meet"),
        ("Pause (Space) and read the counts: did any ball fall through the wrong grid?", "pause"),
    )
    keywords = "category mask group collision filter bits"
    parameters = (
        Parameter("balls", 44, 4, 60, "", "balls", whole=True),
        Parameter("rate", 2.0, 0.5, 5.0, "1/s", "new balls per second"),
        Parameter.choice(
            "same", ("meet", "never meet"), "balls with the same letter", note="A negative group disables collisions between its members."
        ),
    )
    keys = (("Enter", "empty the bins"),)
    claims = (Claim("balls in a wrong bin", "", 8.0, lambda demo: demo.wrong, 0.0, 0.0, 0),)

    def furnish(self) -> None:
        floors = [Polygon.box(0.5 * WIDTH, 0.1, ((k + 0.5) * WIDTH, -DEPTH - 0.1)) for k in range(N_KINDS)]
        walls = []
        for k in range(1, N_KINDS):  # up to the grids, because a falling ball keeps its horizontal speed
            top = self._height(k * WIDTH) - 0.12
            walls.append(Polygon.box(_HALF_WALL, 0.5 * (DEPTH + top), (k * WIDTH, 0.5 * (top - DEPTH))))
        sides = [Polygon.box(0.1, 0.5 * (DEPTH + 2.4), (x, 0.5 * (2.4 - DEPTH))) for x in (LEFT - 0.1, RIGHT + 0.1)]
        add_shape(self.stage, [*floors, *walls, *sides], (0.0, 0.0), type="static", friction=0.4, name="bins")
        for k in range(N_KINDS - 1):
            x0, x1 = k * WIDTH, (k + 1) * WIDTH
            y0, y1 = self._height(x0), self._height(x1)
            bar = Polygon(((x0, y0 - 0.1), (x1, y1 - 0.1), (x1, y1), (x0, y0)))
            grid = FixtureSpec(bar, friction=0.3, mask=0xFFFF & ~self._category(k), name=f"grid {NAMES[k]}")
            self.paint(self.world.create_body(BodySpec((grid,), type="static", name=f"grid {NAMES[k]}")), _color(k))
        self.bins = {self._sensor(k): k for k in range(N_KINDS)}
        self._balls = self.rng("balls").permutation(int(self.parameter("balls"))) % N_KINDS
        self.kinds: dict[int, int] = {}
        self.sorted = [0] * N_KINDS
        self.wrong = 0
        """Number of balls that fell through a grid of another color."""
        self.missed = 0
        """Number of balls that others pushed past their own grid."""
        self._waiting: list[int] = []
        """Balls in the order in which they started."""
        self._on_the_way: set[int] = set()
        """Balls that have not been counted since they started."""
        self._owed = 1.0

    def again(self) -> None:
        """Empty the bins."""
        for ball in self.kinds:
            if self.world.is_body(ball):
                self.world.destroy_body(ball)
        self.kinds, self._waiting = {}, []
        self._on_the_way.clear()

    def before_step(self) -> None:
        """Start the next ball if there is room for it."""
        self._owed = min(self._owed + self.parameter("rate") * self.step_seconds, 2.0)
        if self._owed < 1.0 or any(self._is_near(ball) for ball in self.kinds):
            return
        self._owed -= 1.0
        if len(self.kinds) < len(self._balls):
            ball = self._make(int(self._balls[len(self.kinds)]))
        else:
            ball = self._waiting.pop(0)
            place_body(self.world, ball, _START, velocity=_SEND)
        self._waiting.append(ball)
        self._on_the_way.add(ball)

    def after_step(self) -> None:
        """Count the balls that enter the bins."""
        for event in self.world.contacts.began:
            for sensor, body in ((event.body_a, event.body_b), (event.body_b, event.body_a)):
                if sensor in self.bins and body in self._on_the_way:
                    self._on_the_way.remove(body)
                    place = self.bins[sensor]
                    if place == self.kinds[body]:
                        self.sorted[place] += 1
                    elif place == N_KINDS - 1:
                        self.missed += 1
                    else:
                        self.wrong += 1

    def home(self) -> AABB:
        return AABB((LEFT - 0.6, -DEPTH - 0.9), (RIGHT + 0.6, 3.0))

    def draw(self, canvas: Canvas) -> None:
        """Write letters on the grids and balls, and the counts below the bins."""
        for k, name in enumerate(NAMES):
            x = (k + 0.5) * WIDTH
            if k < N_KINDS - 1:
                label(canvas, (x, self._height(x) - 0.4), f"lets {name} through", palette.TEXT, 0.9 * WIDTH, height=0.5)
            label(canvas, (x, -DEPTH - 0.5), f"{name}: {self.sorted[k]}", palette.TEXT, 0.9 * WIDTH, 16.0)
        for ball, kind in self.kinds.items():
            if kind < N_KINDS - 1 and self.world.is_body(ball):
                at = canvas.camera.to_screen(self.stage.drawn_pose(ball)[:2])
                size = min(12.0, 2.5 * RADIUS * canvas.camera.scale / canvas.ui_scale)
                if size >= 7.0:
                    canvas.label(
                        at, NAMES[kind], palette.TEXT, round(size), 0.0, sides=((0, 0),)
                    )  # omitted where it would cover other text

    def status(self) -> Sequence[StatusLine]:
        words = f"{len(self.kinds)} balls; {sum(self.sorted)} sorted; {self.missed} pushed past their own grid by others"
        return ((words, palette.CAPTION),)

    def _is_near(self, ball: int) -> bool:
        return self.world.is_body(ball) and math.dist(self.world.state(ball).position, _START) < 2.5 * RADIUS

    def _category(self, kind: int) -> int:
        return 1 << (_FIRST_BIT + kind)

    def _height(self, x: float) -> float:
        return SLOPE * (WIDTH * (N_KINDS - 1) - x)

    def _make(self, kind: int) -> int:
        group = 0 if self.parameter("same") == 0.0 else -1 - kind
        fixture = FixtureSpec(Circle(RADIUS), friction=0.3, restitution=0.1, category=self._category(kind), group=group)
        ball = self.world.create_body(
            BodySpec((fixture,), position=_START, linear_velocity=_SEND, angular_damping=1.0, name=f"ball {NAMES[kind]}")
        )
        self.kinds[ball] = kind
        return self.paint(ball, _color(kind))

    def _sensor(self, kind: int) -> int:
        shape = Polygon.box(0.5 * WIDTH - _HALF_WALL - _APART, _BEAM, ((kind + 0.5) * WIDTH, COUNTER))
        return self.world.create_body(BodySpec((FixtureSpec(shape, sensor=True),), type="static", name=f"counter {NAMES[kind]}"))


def _color(kind: int) -> Color:
    return (palette.BODY_COLORS[0], palette.BODY_COLORS[3], palette.BODY_COLORS[2], palette.STATIC)[kind]
