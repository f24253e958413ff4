"""Base class of the gallery's scenes, and functions that build their grounds, boxes, discs and chains.

Box2D's polygons have a skin of 10 mm, and contacts rest 5 mm inside the sum of both skins. A body that should rest from the first step on,
without a drop or a push, is therefore created a gap above its support: `rest_box` for a polygon on a polygon, `rest_disc` for a disc. For
solvers without a skin the gap is 0; worlds that are compared start with the same gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from engine.common.tolerances import LINEAR_SLOP
from engine.demo import Demo, Stage
from engine.geometry import Circle, Polygon, Segment
from engine.render.palette import Color
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = [
    "MIN_SIZE",
    "Scene",
    "add_box",
    "add_chain",
    "add_disc",
    "add_ground",
    "add_shape",
    "add_terrain",
    "add_walls",
    "label",
    "place_body",
    "rest_box",
    "rest_disc",
    "total_energy",
]

Point = tuple[float, float]

MIN_SIZE = 9.0
"""Design pixels: labels that would have to be smaller are left out."""
_LINE_HEIGHT = 1.1
"""Height of a line of text as a multiple of its size."""


class Scene(Demo):
    """A scene with one world; `furnish` creates the bodies.

    Attributes
    ----------
    stage : Stage
    painted : dict of int to Color
        Colors of bodies by id.
    began : int
        Step at which the scene last started, by a restart or by `again`.
    """

    cycle: ClassVar[float] = math.inf
    """Seconds after which the scene starts again by itself."""
    world_settings: ClassVar[WorldSettings] = WorldSettings()
    """Settings of the world, but for those that are parameters."""

    def build(self) -> None:
        self.painted: dict[int, Color] = {}
        self.began = 0
        self.stage = self.add_stage(World(self.settings()))
        self.furnish()

    def again(self) -> None:
        """Start the scene again, which Enter does; by default, restart."""
        self.restart()

    def on_key(self, key: str) -> bool:
        if key != "return" or all(name != "Enter" for name, _ in self.keys):
            return False
        self.again()
        return True

    def before_step(self) -> None:
        if self.steps - self.began >= self.cycle / self.step_seconds:
            self.again()

    def paint(self, body: int, color: Color) -> int:
        """Set a body's color and return its id."""
        self.painted[body] = color
        return body

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return self.painted

    def settings(self) -> WorldSettings:
        """Return the world's settings: `world_settings`, with those of the parameters that have a `setting`."""
        of_parameters: dict[str, Any] = {entry.setting: int(self.parameter(entry.name)) for entry in self.parameters if entry.setting}
        return replace(self.world_settings, **of_parameters)

    def on_parameter(self, name: str) -> None:
        """Change a world's setting at once; restart for other parameters."""
        setting = next((entry.setting for entry in self.parameters if entry.name == name), "")
        if setting:
            self.world.set_settings(**{setting: int(self.parameter(name))})
        else:
            super().on_parameter(name)

    def furnish(self) -> None:
        """Create the bodies and set all attributes; called at each restart."""
        raise NotImplementedError

    @property
    def world(self) -> World:
        """The scene's world."""
        return self.stage.world

    @property
    def gravity(self) -> float:
        """Current downward gravity, m/s^2; 0 if it points up or sideways."""
        return max(-self.world.settings.gravity[1], 0.0)

    @property
    def seconds(self) -> float:
        """Simulated seconds since the restart."""
        return self.steps * self.step_seconds

    def alive(self, *bodies: int) -> bool:
        """Return True if all of these bodies still exist; users can delete bodies."""
        return all(self.world.is_body(body) for body in bodies)

    def put_back(self, bodies: Iterable[int]) -> None:
        """Give bodies the poses and velocities of their specifications; bodies that no longer exist are skipped."""
        for body in bodies:
            if self.alive(body):
                spec = self.world.body(body).spec
                place_body(self.world, body, spec.position, spec.angle, spec.linear_velocity, spec.angular_velocity)


def rest_box(demo: Demo) -> float:
    """Return the gap between two polygons at rest on each other, not counting their skins, meters."""
    return max(2.0 * demo.sim.skin_radius - LINEAR_SLOP, 0.0)


def rest_disc(demo: Demo) -> float:
    """Return the gap between a disc and the polygon on which it rests, meters."""
    return max(demo.sim.skin_radius - LINEAR_SLOP, 0.0)


def add_shape(
    stage: Stage,
    shape: Polygon | Circle | Sequence[Polygon | Circle],
    at: Point,
    angle: float = 0.0,
    density: float = 1.0,
    friction: float = 0.5,
    restitution: float = 0.0,
    group: int = 0,
    name: str = "",
    **body: Any,
) -> int:
    """Create a body with one or more shapes and return its id; `body` has further fields of `BodySpec`."""
    shapes = (shape,) if isinstance(shape, Polygon | Circle) else tuple(shape)
    fixtures = tuple(FixtureSpec(part, density=density, friction=friction, restitution=restitution, group=group) for part in shapes)
    return stage.world.create_body(BodySpec(fixtures, position=at, angle=angle, name=name, **body))


def add_box(stage: Stage, at: Point, width: float, height: float, angle: float = 0.0, **more: Any) -> int:
    """Create a box centered at `at`; `more` as for `add_shape`."""
    return add_shape(stage, Polygon.box(0.5 * width, 0.5 * height), at, angle, **more)


def add_disc(stage: Stage, at: Point, radius: float, **more: Any) -> int:
    """Create a disc; `more` as for `add_shape`."""
    return add_shape(stage, Circle(radius), at, **more)


def add_ground(stage: Stage, left: float, right: float, top: float = 0.0, depth: float = 0.5, friction: float = 0.6) -> int:
    """Create a static slab and return its id; a single polygon has no seams to trip over."""
    slab = Polygon.box(0.5 * (right - left), 0.5 * depth)
    return add_shape(stage, slab, (0.5 * (left + right), top - 0.5 * depth), type="static", friction=friction, name="ground")


def add_walls(stage: Stage, left: float, right: float, bottom: float, top: float, thickness: float = 0.5, friction: float = 0.3) -> int:
    """Create two static walls whose inner faces are at `left` and `right`; return their body's id."""
    half, middle = 0.5 * (top - bottom), 0.5 * (top + bottom)
    sides = (
        Polygon.box(0.5 * thickness, half, (left - 0.5 * thickness, middle)),
        Polygon.box(0.5 * thickness, half, (right + 0.5 * thickness, middle)),
    )
    return add_shape(stage, sides, (0.0, 0.0), type="static", friction=friction, name="walls")


def add_terrain(stage: Stage, surface: Sequence[Point], friction: float = 0.8) -> int:
    """Create a static chain of edges through points from left to right, with ghost vertices, and return its id."""
    fixtures = []
    for k, (left, right) in enumerate(pairwise(surface)):
        before = surface[k - 1] if k > 0 else (2.0 * left[0] - right[0], 2.0 * left[1] - right[1])
        after = surface[k + 2] if k + 2 < len(surface) else (2.0 * right[0] - left[0], 2.0 * right[1] - left[1])
        edge = Segment(left, right, stage.world.capabilities.skin_radius, ghost1=before, ghost2=after)
        fixtures.append(FixtureSpec(edge, friction=friction))
    return stage.world.create_body(BodySpec(tuple(fixtures), type="static", name="terrain"))


def add_chain(
    stage: Stage,
    along: Sequence[Point],
    thickness: float,
    ends: tuple[int | None, int | None] = (None, None),
    **more: Any,
) -> list[int]:
    """Create a chain of straight links between consecutive points, hinged at the points, and return the links' ids.

    Parameters
    ----------
    along : sequence of points
        n + 1 of them for n links, world frame, meters.
    thickness : float
        Meters.
    ends : pair of body ids or None
        Bodies to which the first and the last point are hinged; None for a free end.
    more
        As for `add_shape`.
    """
    links = []
    for (x0, y0), (x1, y1) in pairwise(along):
        middle = 0.5 * (x0 + x1), 0.5 * (y0 + y1)
        links.append(add_box(stage, middle, math.hypot(x1 - x0, y1 - y0), thickness, math.atan2(y1 - y0, x1 - x0), **more))
    bodies = [ends[0], *links, ends[1]]
    for k, point in enumerate(along):
        first, second = bodies[k], bodies[k + 1]
        if first is not None and second is not None:
            stage.world.create_joint(RevoluteJointSpec(first, second, point))
    return links


def place_body(world: World, body: int, at: Point, angle: float = 0.0, velocity: Point = (0.0, 0.0), spin: float = 0.0) -> None:
    """Set a body's pose and velocity and wake it; no-op if it no longer exists, and a static body gets no velocity."""
    if not world.is_body(body):
        return
    world.set_pose(body, at, angle)
    if world.body(body).spec.type != "static":
        world.set_velocity(body, velocity, spin)
        world.set_awake(body, True)


def total_energy(world: World, bodies: Sequence[int]) -> float:
    """Return the kinetic and potential energy of bodies, joules; potential energy is 0 at y = 0."""
    gravity = math.hypot(*world.settings.gravity)
    energy = 0.0
    for number in bodies:
        body, state = world.body(number), world.state(number)
        vx, vy = state.linear_velocity
        height = state.xf.apply(body.local_center)[1]
        energy += body.mass * (0.5 * (vx * vx + vy * vy) + gravity * height) + 0.5 * body.inertia * state.angular_velocity**2
    return energy


def label(
    canvas: Canvas, at: Point, words: str, color: Color, width: float, size: float = 14.0, anchor: str = "center", height: float = math.inf
) -> bool:
    """Write a line, reduced to fit into `width` and `height` meters; return False if it would be too small to read."""
    high = _LINE_HEIGHT * canvas.ui_scale / canvas.camera.scale
    while size >= MIN_SIZE and (canvas.fonts.width(words, size) > width * canvas.camera.scale or high * size > height):
        size -= 1.0
    if size < MIN_SIZE:
        return False
    canvas.text(at, words, color, size, anchor)
    return True
