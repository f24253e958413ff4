"""What the scenes of the gallery have in common: a ground, boxes, discs, chains of links, and a number beside the one predicted.

Box2D's polygons have a skin of 10 mm, and contacts rest 5 mm inside the sum of both skins: what is to lie on something from the first step
on, without a drop and without a push, is built a gap above it, `rest_box` for a polygon on a polygon and `rest_disc` for a disc. Solvers
without a skin leave none; beside another world a scene is built as that one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from engine.common.tolerances import LINEAR_SLOP
from engine.common.words import decimals
from engine.demo import Demo, Stage, StatusLine
from engine.geometry import Circle, Polygon, Segment
from engine.render import palette
from engine.render.palette import Color
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = [
    "Scene",
    "add_box",
    "add_chain",
    "add_disc",
    "add_ground",
    "add_shape",
    "add_terrain",
    "add_walls",
    "beside",
    "dynamic_bodies",
    "label",
    "place_body",
    "rest_box",
    "rest_disc",
    "total_energy",
]

Point = tuple[float, float]

_SMALLEST = 9.0
"""Design pixels: labels are not made smaller than this, but left out."""
_HIGH = 1.1
"""Of the size of a text: how high its letters are, with a little room."""


class Scene(Demo):
    """A scene with one world: `furnish` puts the bodies in."""

    stage: Stage

    painted: dict[int, Color]
    """Colors of bodies, by id."""

    def build(self) -> None:
        self.painted = {}
        self.stage = self.add_stage(World(self.settings()))
        self.furnish()

    def paint(self, body: int, color: Color) -> int:
        """Give a body a color; return its id."""
        self.painted[body] = color
        return body

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return self.painted

    def settings(self) -> WorldSettings:
        """Return the world's settings."""
        return WorldSettings()

    def furnish(self) -> None:
        """Put the bodies into `stage`, and set every attribute of the scene: it is called again at each restart."""
        raise NotImplementedError

    @property
    def world(self) -> World:
        """The world of the one stage."""
        return self.stage.world

    @property
    def gravity(self) -> float:
        """m/s^2 downwards, as the world has it now; 0 where it points up, or sideways only."""
        return max(-self.world.settings.gravity[1], 0.0)

    @property
    def seconds(self) -> float:
        """Simulated since the restart."""
        return self.steps * self.step_seconds

    def alive(self, *bodies: int) -> bool:
        """Tell whether all of these are still there: anybody may delete a body by hand."""
        return all(self.world.is_body(body) for body in bodies)

    def put_back(self, bodies: Iterable[int]) -> None:
        """Bring bodies back to where, and to how fast, their specification began; those that were deleted stay away."""
        for body in bodies:
            if self.alive(body):
                spec = self.world.body(body).spec
                place_body(self.world, body, spec.position, spec.angle, spec.linear_velocity, spec.angular_velocity)


def rest_box(demo: Demo) -> float:
    """Return the meters between two polygons, skins not counted, one of which rests on the other."""
    return max(2.0 * demo.sim.skin_radius - LINEAR_SLOP, 0.0)


def rest_disc(demo: Demo) -> float:
    """Return the meters between a disc and a polygon on which it rests."""
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
    """Create a body of one shape, or of several that are one body, and return its id; `body` are further fields of `BodySpec`."""
    shapes = (shape,) if isinstance(shape, Polygon | Circle) else tuple(shape)
    fixtures = tuple(FixtureSpec(one, density=density, friction=friction, restitution=restitution, group=group) for one in shapes)
    return stage.world.create_body(BodySpec(fixtures, position=at, angle=angle, name=name, **body))


def add_box(stage: Stage, at: Point, width: float, height: float, angle: float = 0.0, **more: Any) -> int:
    """Create a box, its middle at `at`; `more` as for `add_shape`."""
    return add_shape(stage, Polygon.box(0.5 * width, 0.5 * height), at, angle, **more)


def add_disc(stage: Stage, at: Point, radius: float, **more: Any) -> int:
    """Create a disc; `more` as for `add_shape`."""
    return add_shape(stage, Circle(radius), at, **more)


def add_ground(stage: Stage, left: float, right: float, top: float = 0.0, depth: float = 0.5, friction: float = 0.6) -> int:
    """Create a static slab, one polygon, so that nothing trips over seams; return its id."""
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
    """Create a static chain of edges through points from left to right, solid from above, each edge with its neighbors as ghosts."""
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
    overlap: float = 0.0,
    collide: bool = False,
    **more: Any,
) -> list[int]:
    """Create a chain of straight links, one from each point to the next, hinged at the points; return the links' bodies.

    Parameters
    ----------
    along : sequence of points
        n + 1 of them for n links, world frame, meters.
    thickness : float
        Meters.
    ends : pair of body ids or None
        What the first and the last point are hinged to; None: they hang free.
    overlap : float
        Meters by which a link goes beyond its hinge, or, where it is negative, ends before it.
    collide : bool
        Whether neighbors collide. Links that are hinged end to end overlap when the chain bends.
    more
        As for `add_shape`.
    """
    links = []
    for (x0, y0), (x1, y1) in pairwise(along):
        length = math.hypot(x1 - x0, y1 - y0) + 2.0 * overlap
        links.append(add_box(stage, (0.5 * (x0 + x1), 0.5 * (y0 + y1)), length, thickness, math.atan2(y1 - y0, x1 - x0), **more))
    held = [ends[0], *links, ends[1]]
    for k, point in enumerate(along):
        first, second = held[k], held[k + 1]
        if first is not None and second is not None:
            stage.world.create_joint(RevoluteJointSpec(first, second, point, collide_connected=collide))
    return links


def dynamic_bodies(world: World) -> list[int]:
    """Return the ids of the bodies that forces move."""
    return [body for body in world.body_ids if world.body(body).spec.type == "dynamic"]


def place_body(world: World, body: int, at: Point, angle: float = 0.0, velocity: Point = (0.0, 0.0), spin: float = 0.0) -> None:
    """Put a body somewhere, awake and with a velocity; one that somebody deleted is left out, one made static stays still."""
    if not world.is_body(body):
        return
    world.set_pose(body, at, angle)
    if world.body(body).spec.type != "static":
        world.set_velocity(body, velocity, spin)
        world.set_awake(body, True)


def total_energy(world: World, bodies: Sequence[int]) -> float:
    """Return the energy of bodies in joules: of their motion, their spin, and their height above y = 0."""
    gravity = math.hypot(*world.settings.gravity)
    found = 0.0
    for number in bodies:
        body, state = world.body(number), world.state(number)
        vx, vy = state.linear_velocity
        height = state.xf.apply(body.local_center)[1]
        found += body.mass * (0.5 * (vx * vx + vy * vy) + gravity * height) + 0.5 * body.inertia * state.angular_velocity**2
    return found


def beside(what: str, measured: float | None, predicted: float, unit: str, allowed: float | None, digits: int = 2) -> StatusLine:
    """Return a line with a number and the predicted one: green where they are no farther apart than `allowed`, in the same unit.

    Without a measured number, None, the line has the predicted one alone; without `allowed` it takes no side.
    """
    wanted = f"(predicted {decimals(predicted, digits)}"
    if measured is None:
        return f"{what}: ... {wanted} {unit})", palette.TEXT
    words = f"{what}: {decimals(measured, digits)} {unit} {wanted})"
    if allowed is None:
        return words, palette.TEXT
    return words, palette.AGREE if abs(measured - predicted) <= allowed else palette.WARNING


def label(
    canvas: Canvas, at: Point, words: str, color: Color, width: float, size: float = 14.0, anchor: str = "center", height: float = math.inf
) -> bool:
    """Write a line at most `width` meters wide and `height` meters high: smaller where the view is, and not where it cannot be read.

    Return whether it was written.
    """
    high = _HIGH * canvas.ui_scale / canvas.camera.scale
    while canvas.fonts.width(words, size) > width * canvas.camera.scale or high * size > height:
        size -= 1.0
        if size < _SMALLEST:
            return False
    canvas.text(at, words, color, size, anchor)
    return True
