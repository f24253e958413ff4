"""A character built from four sets of shapes, and what each does when it walks off a platform into a gap.

Each set has its own world with the same platform, and all four figures get the same commands. The figures have a fixed rotation and no
friction: they walk by limited changes of velocity, and jump only if a contact normal pushes them up.

A figure *stands on air* if its body rests on the platform or a ledge, while the feet of the true outline are over the gap. The number is
the distance from the feet to the nearer edge. A figure *hangs* if it rests there with its feet below the ledge's top: the second figure
does by the box around its head, which begins lower than that top, but the beak higher.

Source: A. Parać, 2020, p. 59-60 (docs/studies/README.md): a bird of two boxes that walks off a platform is left hanging by its head.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.demo import Demo, Parameter, Stage, StatusLine, register
from engine.geometry import AABB, Polygon, Transform
from engine.render import palette
from engine.render.palette import Color, mix
from engine.world import BodySpec, FixtureSpec, World
from sprites.figure_outline import FEET, HOLDS, Hold

if TYPE_CHECKING:
    from engine.render.canvas import Canvas
    from sprites.figure import FigureSprite

__all__ = ["NonconvexCharacters"]

EDGE, TOP, WALL = 1.4, 0.95, 3.6
"""Half the platform's width, its height, and the distance of the walls from its middle, meters."""
GAP, LEDGE = 1.1, 0.86
"""Width of the gaps beside the platform, and height of the ledges behind them, meters: between those of the chin of the second figure's
head box and of the beak. A ledge as high as the platform would stop a box that crosses the gap by a ghost collision.
"""
COLUMNS, SPACING, PITCH = 2, 3.95, 2.0 * WALL + 0.7
"""Number of worlds side by side, and the distances of their floors and of their middles, meters."""
JUMP_SPEED = 4.8
"""Initial speed of a jump, m/s; it rises v^2 / 2 g = 1.15 m."""
GRIP, AIR_GRIP = 25.0, 8.0
"""Acceleration of a walking figure, on the ground and in the air, m/s^2."""
UPWARD = 0.7
"""Vertical component from which a normal carries a figure: slopes below 45 degrees."""
AT_HEIGHT = 0.05
"""Tolerance of the feet's height for standing on the platform, meters."""
INTO = 0.55
"""Where in a gap the autopilot stops, meters from the edge: the tail has passed the edge, and the body has room."""
STILL = 0.05
"""Speed below which a figure stands still, m/s."""
RUN_UP = 0.45
"""Distance from the platform at which the autopilot jumps, meters: a rise to its top takes 0.28 s, about 0.45 m of walking."""


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg of the autopilot's route: walk to `x`, then wait for `steps`."""

    x: float
    steps: int


ROUTE = (Leg(0.0, 40), Leg(EDGE + INTO, 90), Leg(0.0, 40), Leg(-EDGE - INTO, 90))
"""Off the right edge and back by a jump, then the same at the left edge."""
ROWS = -(-len(HOLDS) // COLUMNS)

_OUTLINE: Color = mix(palette.ACCENT, palette.TEXT, 0.35)
"""Color of the fixtures."""


class Figure:
    """A figure in its world.

    Attributes
    ----------
    walked : float
        Distance since it last stopped, meters, for the animation.
    on_air, max_on_air : float
        Distance of the feet over a gap from its nearer edge, now and at most, meters.
    hangs : bool
        True if it rests on the platform or a ledge with its feet below both.
    """

    def __init__(self, world: World, hold: Hold, platform: int) -> None:
        self.world = world
        self.platform = platform
        self.holds = {False: hold, True: hold.mirrored()}
        self.looks_left = False
        self.body = world.create_body(
            BodySpec(_fixtures(hold), position=(0.0, TOP + 0.3), fixed_rotation=True, allow_sleep=False, name=f"figure, {hold.title}")
        )
        self.walked = 0.0
        self.grounded = False
        self.on_air = 0.0
        self.max_on_air = 0.0
        self.hangs = False

    @property
    def position(self) -> tuple[float, float]:
        """Position of the feet's middle."""
        return self.world.state(self.body).position

    @property
    def feet(self) -> tuple[float, float]:
        """Left and right end of the true outline's feet."""
        return self.feet_at(self.position[0])

    def feet_at(self, x: float) -> tuple[float, float]:
        """Return the ends of the feet for a figure at `x`."""
        return (x - FEET[1], x - FEET[0]) if self.looks_left else (x + FEET[0], x + FEET[1])

    @property
    def is_there(self) -> bool:
        """True if it was not deleted."""
        return self.world.is_body(self.body)

    def command(self, direction: int, jump: bool, speed: float) -> None:
        """Walk left (-1), right (1) or not at all, and jump if it is grounded; a static figure does nothing."""
        if direction != 0 and (direction < 0) != self.looks_left:
            self._turn()
        vx, vy = self.world.state(self.body).linear_velocity
        change = (GRIP if self.grounded else AIR_GRIP) / self.world.settings.hertz
        target = vx + min(max(direction * speed - vx, -change), change)
        upward = JUMP_SPEED if jump and self.grounded else vy
        if (target, upward) != (vx, vy) and self.world.body(self.body).spec.type != "static":
            self.world.set_velocity(self.body, (target, upward), 0.0)

    def look(self) -> None:
        """Determine from the step's contacts if the figure is grounded or hangs, and measure the air under its feet."""
        carriers = self._carriers()
        self.grounded = bool(carriers)
        y = self.position[1]
        nearer, farther = sorted(map(abs, self.feet))
        stands = self.platform in carriers and y > LEDGE - AT_HEIGHT
        vx, vy = self.world.state(self.body).linear_velocity
        self.hangs = carriers == {self.platform} and y < LEDGE - AT_HEIGHT and math.hypot(vx, vy) < STILL
        self.on_air = max(0.0, min(nearer - EDGE, EDGE + GAP - farther)) if stands else 0.0
        self.max_on_air = max(self.max_on_air, self.on_air)
        self.walked = self.walked + abs(vx) / self.world.settings.hertz if abs(vx) > STILL else 0.0

    def reach(self, below: float) -> float:
        """Return how far fixtures that begin less than `below` meters above the feet extend ahead, meters."""
        boxes = [shape.aabb(Transform()) for shape in self.holds[self.looks_left].shapes]
        low = [box for box in boxes if box.lower[1] < below]
        return max(-box.lower[0] if self.looks_left else box.upper[0] for box in low)

    def _carriers(self) -> set[int]:
        contacts = self.world.contacts
        carriers = set()
        for row in range(len(contacts)):
            a, b = int(contacts.body_a[row]), int(contacts.body_b[row])
            up = float(contacts.normal[row, 1])
            if b == self.body and up > UPWARD:
                carriers.add(a)
            elif a == self.body and up < -UPWARD:
                carriers.add(b)
        return carriers

    def _turn(self) -> None:
        """Turn around and mirror the fixtures."""
        self.looks_left = not self.looks_left
        for fixture in self.world.body(self.body).fixtures:
            self.world.destroy_fixture(fixture)
        for spec in _fixtures(self.holds[self.looks_left]):
            self.world.create_fixture(self.body, spec)


class Pilot:
    """Autopilot: walks the figures along the route; they wait for each other at the end of each leg."""

    def __init__(self, figures: Sequence[Figure]) -> None:
        self._figures = figures
        self._leg = -1
        self._begin_leg()

    def command(self, speed: float) -> None:
        """Command every figure for the next step."""
        goal = self._goal
        tolerance = speed / self._figures[0].world.settings.hertz
        arrived = 0
        for figure, side in zip(self._figures, self._sides, strict=True):
            if not figure.is_there:
                arrived += 1
                continue
            x, y = figure.position
            # a figure that overshoots its goal in the air stays there
            direction = side if side * (goal.x - x) - _stopping(figure) > tolerance else 0
            arrived += direction == 0 and figure.grounded
            figure.command(direction, self._must_jump(figure, goal.x, direction, x, y), speed)
        if arrived == len(self._figures):
            self._waited += 1
        if self._waited > goal.steps:
            self._begin_leg()

    def _begin_leg(self) -> None:
        self._leg += 1
        self._waited = 0
        self._goal = ROUTE[self._leg % len(ROUTE)]
        self._sides = [1 if not figure.is_there or self._goal.x > figure.position[0] else -1 for figure in self._figures]

    @staticmethod
    def _must_jump(figure: Figure, goal: float, direction: int, x: float, y: float) -> bool:
        """Return True if the figure walks toward the platform to a goal on it or beside it, and is below and near enough for a jump."""
        leaves = abs(goal) >= EDGE and direction * goal > 0.0
        if direction == 0 or leaves or y > TOP - AT_HEIGHT:
            return False
        return abs(x) - EDGE < figure.reach(TOP) + RUN_UP


def _stopping(figure: Figure) -> float:
    """Return the distance in which a walking figure stops, meters."""
    vx = figure.world.state(figure.body).linear_velocity[0]
    return 0.5 * vx * vx / GRIP


def _fixtures(hold: Hold) -> tuple[FixtureSpec, ...]:
    return tuple(FixtureSpec(shape, density=1.0, friction=0.0) for shape in hold.shapes)


def _block(left: float, right: float, bottom: float, top: float) -> FixtureSpec:
    """Return a box whose sides, including the skin, are at the given coordinates."""
    half_width, half_height = 0.5 * (right - left) - BOX2D_POLYGON_SKIN, 0.5 * (top - bottom) - BOX2D_POLYGON_SKIN
    return FixtureSpec(Polygon.box(half_width, half_height, (0.5 * (left + right), 0.5 * (bottom + top))), friction=0.0)


@register(
    id="nonconvex_characters",
    category="Shapes and contacts",
    title="Non-convex characters",
    watch="Four birds built from different shapes walk off a platform into a gap; red marks birds that stand on air or hang by the head.",
)
class NonconvexCharacters(Demo):
    """A bird built from one box, from two, from a circle and three boxes, and from the pieces of its traced outline."""

    tries = (
        ("Pause over the gap (Space): the bird made of one box stands on air.", "pause"),
        ("Walk into the gap with the arrow keys: the bird made of two boxes hangs by its head.", "key left, key right, key up"),
        ("Press 2 to see the bounding boxes: which corners are empty?", "aabbs"),
    )
    keywords = "convex concave decomposition outline trace box sprite platform"
    parameters = (Parameter("speed", 1.6, 0.2, 6.0, "m/s", "walking speed"),)
    layers: ClassVar[Mapping[str, bool]] = {"aabbs": True}
    keys = (("Left, Right", "walk left, walk right"), ("Up", "jump"))

    def build(self) -> None:
        self.figures: list[Figure] = []
        for k, hold in enumerate(HOLDS):
            world = World()
            ground = (
                _block(-WALL, WALL, -0.15, 0.0),
                _block(-WALL - 0.2, -WALL, -0.15, SPACING - 0.8),
                _block(WALL, WALL + 0.2, -0.15, SPACING - 0.8),
            )
            world.create_body(BodySpec(ground, type="static", name="ground"))
            parts = ((-WALL, -EDGE - GAP, LEDGE), (-EDGE, EDGE, TOP), (EDGE + GAP, WALL, LEDGE))
            blocks = tuple(_block(left, right, 0.0, top) for left, right, top in parts)
            platform = world.create_body(BodySpec(blocks, type="static", name="platform"))
            self.add_stage(world, offset=(PITCH * (k % COLUMNS), SPACING * (ROWS - 1 - k // COLUMNS)), label=hold.title)
            figure = Figure(world, hold, platform)
            self.figures.append(figure)
        self.pilot: Pilot | None = Pilot(self.figures)

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return {self.figures[self.stages.index(stage)].body: _OUTLINE}

    def outlined_bodies(self, stage: Stage) -> Collection[int]:
        return (self.figures[self.stages.index(stage)].body,)

    def before_step(self) -> None:
        speed = self.parameter("speed")
        if self.held & {"left", "right", "up"}:
            self.pilot = None
        if self.pilot is not None:
            self.pilot.command(speed)
            return
        direction = ("right" in self.held) - ("left" in self.held)
        for _, figure in self._there():
            figure.command(direction, "up" in self.held, speed)

    def after_step(self) -> None:
        for _, figure in self._there():
            figure.look()

    def _there(self) -> list[tuple[Stage, Figure]]:
        """Return the figures that were not deleted, with their stages."""
        return [(stage, figure) for stage, figure in zip(self.stages, self.figures, strict=True) if figure.is_there]

    def on_key(self, key: str) -> bool:
        if key not in ("left", "right", "up"):
            return False
        self.pilot = None
        return True

    def on_parameter(self, name: str) -> None:
        """Change the speed without a restart."""

    def home(self) -> AABB:
        return AABB((-WALL - 0.3, -0.25), (WALL + 0.3 + PITCH * (COLUMNS - 1), SPACING * ROWS - 0.4))

    def status(self) -> Sequence[StatusLine]:
        lines: list[StatusLine] = ["feet over the gap, distance from the edge, now / maximum"]
        for _, figure in self._there():
            now, most = figure.on_air, figure.max_on_air
            text = f"{figure.holds[False].title}: {now:.2f} / {most:.2f} m" + (", hangs" if figure.hangs else "")
            lines.append((text, palette.WARNING) if now > 0.0 or figure.hangs else text)
        lines.append(("green: feet of a grounded figure", palette.CAPTION))
        lines.append(
            (
                "autopilot: take over with the arrow keys" if self.pilot is not None else "press R to return to the autopilot",
                palette.CAPTION,
            )
        )
        return lines

    def draw_background(self, canvas: Canvas) -> None:
        for stage, figure in self._there():
            x, y, angle = stage.drawn_pose(figure.body)
            _sprite().draw(canvas.at(stage.offset), (x, y), angle, figure.looks_left, figure.walked)

    def draw(self, canvas: Canvas) -> None:
        for edge in [PITCH * column + side for column in range(COLUMNS) for side in (-EDGE, EDGE)]:
            canvas.dashed((edge, 0.0), (edge, SPACING * ROWS - 0.8), palette.GRID_AXIS)
        for stage, figure in self._there():
            self._draw_figure(canvas.at(stage.offset), stage, figure)

    def _draw_figure(self, canvas: Canvas, stage: Stage, figure: Figure) -> None:
        """Draw the feet and the air under them."""
        x, y, _ = stage.drawn_pose(figure.body)
        left, right = figure.feet_at(x)
        if figure.grounded:
            canvas.segment((left, y - 0.03), (right, y - 0.03), palette.AGREE, 3.0)
        if figure.on_air > 0.0:
            canvas.polygon(((left, y - 0.1), (right, y - 0.1), (right, y), (left, y)), palette.UNEXPLAINED, palette.TEXT)
            self._label(canvas, x, f"{figure.on_air:.2f} m of air")
        elif figure.hangs:
            self._label(canvas, x, "hangs")

    @staticmethod
    def _label(canvas: Canvas, x: float, words: str) -> None:
        """Write a label on the platform, beside the gap that contains `x`."""
        side = 1 if x > 0.0 else -1
        at = canvas.camera.to_screen((side * (EDGE - 0.12), 0.5 * TOP))
        size = min(15.0, max(9.0, round(0.4 * canvas.camera.scale / canvas.ui_scale)))
        canvas.label(at, words, palette.UNEXPLAINED, size, 0.0, bold=True, plate=True, sides=((-side, 0),))


@cache
def _sprite() -> FigureSprite:
    """Load the sprite when it is first drawn: importing a demo loads no picture."""
    from sprites.figure import FigureSprite

    return FigureSprite()
