"""One figure, held in four ways: what a shape too many or too few does at a platform's edge.

Each hold has a world of its own with the same platform, two above two, so that edges lie on one vertical line and the four figures
get the same commands. The figures cannot fall over (fixed rotation) and have no friction: their legs are their grip, a
limited change of velocity a step. They jump only from something that pushes them up, judged by contact normals.

How far a figure *stands on air*: its body rests on the platform with its feet at the platform's height, while the true
outline's feet are beside it. The number is the gap between the edge and the nearer end of the feet.
"""

from __future__ import annotations

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

EDGE = 1.4  # meters from the platform's middle to either edge
TOP = 0.6  # meters, the platform's height
WALL = 3.6  # meters from the middle to the walls
COLUMNS = 2  # of worlds in the picture: all four in one would be smaller, the window being wider than high
SPACING = 3.35  # meters between the floors of two worlds in the picture
PITCH = 2.0 * WALL + 0.7  # meters between the middles of two worlds beside each other
JUMP_SPEED = 4.2  # m/s; rises v^2 / 2 g = 0.88 m
GRIP = 25.0  # m/s^2, how fast a walking figure changes its speed
AIR_GRIP = 8.0  # m/s^2, the same in the air
UPWARD = 0.7  # a normal that points up at least this much carries: slopes below 45 degrees
AT_HEIGHT = 0.05  # meters the feet may be off the platform's height and still count as standing on it
PEEKS = (0.12, 0.25)  # meters the pilot walks the feet past the edge, to look: two of the holds rest at the first, one at the second


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg of the route that the figures walk by themselves: to `x`, then wait `steps`."""

    x: float
    steps: int


def _route() -> tuple[Leg, ...]:
    """Over the right edge, back, over the left edge, back; on the way over an edge they stop to look."""
    looks = (Leg(EDGE - FEET[0] + peek, 75) for peek in PEEKS)
    there = (*looks, Leg(EDGE + 1.1, 20), Leg(0.0, 30))
    return (Leg(0.0, 40), *there, *(Leg(-leg.x, leg.steps) for leg in there))


ROUTE = _route()
ROWS = -(-len(HOLDS) // COLUMNS)

_OUTLINE: Color = mix(palette.ACCENT, palette.TEXT, 0.35)
"""Of the fixtures that hold a figure."""


class Figure:
    """One figure in its world: which way it looks, what it stands on, how far it ever stood on air."""

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
        self.most_on_air = 0.0

    @property
    def position(self) -> tuple[float, float]:
        """The point between the feet."""
        return self.world.state(self.body).position

    @property
    def feet(self) -> tuple[float, float]:
        """Left and right end of the true outline's feet, world x."""
        return self.feet_at(self.position[0])

    def feet_at(self, x: float) -> tuple[float, float]:
        """Return the ends of the feet of a figure that stands at `x`."""
        return (x - FEET[1], x - FEET[0]) if self.looks_left else (x + FEET[0], x + FEET[1])

    @property
    def is_there(self) -> bool:
        """Whether nobody has deleted it."""
        return self.world.is_body(self.body)

    def command(self, direction: int, jump: bool, speed: float) -> None:
        """Walk to the left (-1), the right (1) or not at all, and jump if there is something to jump from; one that is pinned does not."""
        if direction != 0 and (direction < 0) != self.looks_left:
            self._turn()
        vx, vy = self.world.state(self.body).linear_velocity
        change = (GRIP if self.grounded else AIR_GRIP) / self.world.settings.hertz
        wanted = vx + min(max(direction * speed - vx, -change), change)
        upward = JUMP_SPEED if jump and self.grounded else vy
        if (wanted, upward) != (vx, vy) and self.world.body(self.body).spec.type != "static":
            self.world.set_velocity(self.body, (wanted, upward), 0.0)

    def look(self) -> None:
        """Read from the step's contacts what carries the figure, and measure the air under its feet."""
        carriers = self._carriers()
        self.grounded = bool(carriers)
        y = self.position[1]
        left, right = self.feet
        stands = self.platform in carriers and abs(y - TOP) < AT_HEIGHT
        self.on_air = max(0.0, left - EDGE, -EDGE - right) if stands else 0.0
        self.most_on_air = max(self.most_on_air, self.on_air)
        vx = self.world.state(self.body).linear_velocity[0]
        self.walked = self.walked + abs(vx) / self.world.settings.hertz if abs(vx) > 0.05 else 0.0

    def reach(self, below: float) -> float:
        """How far the fixtures that hang lower than `below` meters above the feet stick out ahead."""
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
        """Mirror the fixtures: a figure that looks left sticks out to the left."""
        self.looks_left = not self.looks_left
        for fixture in self.world.body(self.body).fixtures:
            self.world.destroy_fixture(fixture)
        for spec in _fixtures(self.holds[self.looks_left]):
            self.world.create_fixture(self.body, spec)


class Pilot:
    """Walks a figure along the route; all wait for each other at the end of a leg, so that they can be compared."""

    def __init__(self, figures: Sequence[Figure]) -> None:
        self._figures = figures
        self._leg = -1
        self._begin_leg()

    def command(self, speed: float) -> None:
        """Command every figure for the next step."""
        goal = self._goal
        tolerance = speed / self._figures[0].world.settings.hertz  # one step's walk
        arrived = 0
        for figure, side in zip(self._figures, self._sides, strict=True):
            if not figure.is_there:
                arrived += 1
                continue
            x, y = figure.position
            # a figure that slides past its goal in the air stays there, rather than turn round for a hand's breadth
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
        """The goal is on the platform, the figure below it, and the side so near that the rise takes it over the top."""
        if direction == 0 or abs(goal) >= EDGE or y > TOP - AT_HEIGHT:
            return False
        return abs(x) - EDGE < figure.reach(TOP) + _RUN_UP


_RUN_UP = 0.35
"""Meters. Rising TOP takes 0.18 s of a jump, and about 0.3 m of walking."""


def _stopping(figure: Figure) -> float:
    """Meters a walking figure needs to come to rest."""
    vx = figure.world.state(figure.body).linear_velocity[0]
    return 0.5 * vx * vx / GRIP


def _fixtures(hold: Hold) -> tuple[FixtureSpec, ...]:
    return tuple(FixtureSpec(shape, density=1.0, friction=0.0) for shape in hold.shapes)


def _block(left: float, right: float, bottom: float, top: float) -> FixtureSpec:
    """A box whose skin, not its core, has the given sides."""
    half_width, half_height = 0.5 * (right - left) - BOX2D_POLYGON_SKIN, 0.5 * (top - bottom) - BOX2D_POLYGON_SKIN
    return FixtureSpec(Polygon.box(half_width, half_height, (0.5 * (left + right), 0.5 * (bottom + top))), friction=0.0)


@register(
    id="nonconvex_characters",
    category="Shapes and contacts",
    title="Non-convex characters",
    watch="Four birds, each built from different shapes, walk off an edge; red bars show the air that holds them up.",
)
class NonconvexCharacters(Demo):
    """One bird in one box, in two, in a circle and three boxes, and in the pieces of its traced outline."""

    tries = (
        ("Pause at the edge (Space): the red bar under the single box is the longest.", "pause"),
        ("Walk back with the arrow keys.", "key left, key right"),
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
            platform = world.create_body(BodySpec((_block(-EDGE, EDGE, 0.0, TOP),), type="static", name="platform"))
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
        """Return the figures that nobody has deleted, with their stages."""
        return [(stage, figure) for stage, figure in zip(self.stages, self.figures, strict=True) if figure.is_there]

    def on_key(self, key: str) -> bool:
        if key not in ("left", "right", "up"):
            return False
        self.pilot = None
        return True

    def on_parameter(self, name: str) -> None:
        """The speed holds from the next step on; nothing is built anew."""

    def home(self) -> AABB:
        return AABB((-WALL - 0.3, -0.25), (WALL + 0.3 + PITCH * (COLUMNS - 1), SPACING * ROWS - 0.4))

    def status(self) -> Sequence[StatusLine]:
        lines: list[StatusLine] = ["stands on air, now / largest so far"]
        for _, figure in self._there():
            now, most = figure.on_air, figure.most_on_air
            text = f"{figure.holds[False].title}: {now:.2f} / {most:.2f} m"
            lines.append((text, palette.WARNING) if now > 0.0 else text)
        lines.append(("green: the drawn feet, while they stand", palette.CAPTION))
        lines.append(("the arrow keys take over" if self.pilot is not None else "R: back to the autopilot", palette.CAPTION))
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
        """Draw the feet and the air under them, where the picture has the figure."""
        x, y, _ = stage.drawn_pose(figure.body)
        left, right = figure.feet_at(x)
        if figure.grounded:
            canvas.segment((left, y - 0.03), (right, y - 0.03), palette.AGREE, 3.0)
        start, end = (EDGE, left) if left > EDGE else (right, -EDGE)
        if figure.on_air > 0.0 and end > start:
            corners = ((start, TOP - 0.1), (end, TOP - 0.1), (end, TOP), (start, TOP))
            canvas.polygon(corners, palette.UNEXPLAINED, palette.TEXT)
            beside = canvas.camera.to_screen((end + 0.12 if left > EDGE else start - 0.12, 0.5 * TOP))
            size = min(15.0, max(9.0, round(0.4 * canvas.camera.scale / canvas.ui_scale)))
            side = ((1, 0),) if left > EDGE else ((-1, 0),)
            canvas.label(beside, f"{figure.on_air:.2f} m of air", palette.UNEXPLAINED, size, 0.0, bold=True, plate=True, sides=side)


@cache
def _sprite() -> FigureSprite:
    """Loaded when it is first drawn: importing a demo loads no picture."""
    from sprites.figure import FigureSprite

    return FigureSprite()
