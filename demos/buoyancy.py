r"""Bodies float in water; the fraction of a body under water is its density divided by the water's.

Box2D has no fluids. Each step computes the area A of each body below the water line.

        ,-------.
     ~~/~~~~~~~~~\~~~   y = level      Buoyancy, rho_w g A, acts upward at the centroid of the submerged part.
      /     x     \                     If that is not below the center of mass, it turns the body.
     '-------------'

A drag proportional to A and to the velocity at the centroid damps the motion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_ground, add_shape, add_walls, label, place_body
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.world import World

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Buoyancy", "submerged"]

Point = tuple[float, float]

LEVEL, DEPTH, HALF_WIDTH = 0.0, 3.2, 7.0
"""Height of the water's surface, its depth, and half its width, meters."""
BODIES: tuple[tuple[Polygon | Circle, float], ...] = (
    (Polygon.box(0.6, 0.6), 0.5),
    (Circle(0.62), 0.3),
    (Polygon.box(1.0, 0.25), 0.7),
    (Polygon.regular(3, 0.85), 0.4),
    (Polygon.regular(6, 0.65), 0.9),
    (Polygon.box(0.25, 0.8), 0.2),
    (Circle(0.4), 1.3),
)
"""Shapes, and densities in kg/m^2; that of water is 1."""
ALLOWED = 0.01
"""Allowed error of the submerged fraction. Box2D puts bodies to sleep below 0.01 m/s; at 4 rad/s that is an amplitude of 2.5 mm, for
bodies about 0.5 m deep."""
_TURNING_DRAG = 1.5
"""1/s."""
_WORDS, _LINE = 0.85, 16.0
"""Maximum width of the labels on a body, meters, and the distance of their lines, design pixels."""


def submerged(shape: Polygon | Circle, position: Point, angle: float, level: float) -> tuple[float, Point]:
    """Return the area of a shape below a level, m^2, and its centroid, world frame; any point if the area is 0."""
    c, s = math.cos(angle), math.sin(angle)
    if isinstance(shape, Circle):
        x, y = shape.center
        return _submerged_disc(shape.radius, (position[0] + c * x - s * y, position[1] + s * x + c * y), level)
    corners = [(position[0] + c * x - s * y, position[1] + s * x + c * y) for x, y in shape.vertices.tolist()]
    below: list[Point] = []
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        if y0 <= level:
            below.append((x0, y0))
        if (y0 <= level) != (y1 <= level):
            t = (level - y0) / (y1 - y0)
            below.append((x0 + t * (x1 - x0), level))
    doubled, mx, my = 0.0, 0.0, 0.0
    ox, oy = position  # a nearby origin avoids cancellation
    for (x0, y0), (x1, y1) in zip(below, below[1:] + below[:1], strict=True):
        cross = (x0 - ox) * (y1 - oy) - (x1 - ox) * (y0 - oy)
        doubled += cross
        mx += cross * (x0 + x1 - 2.0 * ox)
        my += cross * (y0 + y1 - 2.0 * oy)
    if doubled <= 0.0:
        return 0.0, position
    return 0.5 * doubled, (ox + mx / (3.0 * doubled), oy + my / (3.0 * doubled))


def _submerged_disc(radius: float, center: Point, level: float) -> tuple[float, Point]:
    """Return the area and the centroid of a disc's part below a level; the area is r^2 (a - sin a cos a), 2 a being the chord's angle."""
    height = level - center[1]
    if height <= -radius:
        return 0.0, center
    if height >= radius:
        return math.pi * radius * radius, center
    half = math.acos(-height / radius)
    area = radius * radius * (half - math.sin(half) * math.cos(half))
    return area, (center[0], center[1] - 2.0 * (radius * math.sin(half)) ** 3 / (3.0 * area))


@register(
    id="buoyancy",
    category="Materials",
    title="Buoyancy",
    watch="Bodies of different densities float; the submerged fraction should equal their density divided by the water's.",
)
class Buoyancy(Scene):
    """A tank, and bodies that start side by side above it."""

    tries = (
        ("Drop the bodies again (Enter).", "key return"),
        ("Push a body under water and let go.", "Grab"),
        ("Change the density of the water.", "set water"),
    )
    keywords = "water density float archimedes drag fluid"
    parameters = (
        Parameter("water", 1.0, 0.5, 2.0, "kg/m²", "water density"),
        Parameter("drag", 2.5, 0.2, 6.0, "1/s", "water drag"),
    )
    keys = (("Enter", "drop the bodies again"),)
    claims = (
        Claim(
            "bodies that float at the predicted depth",
            "",
            8.0,
            lambda demo: sum(error <= ALLOWED for error in demo.errors),
            lambda demo: len(demo.errors),
            0.0,
            0,
        ),
    )

    def furnish(self) -> None:
        add_ground(self.stage, -HALF_WIDTH - 0.5, HALF_WIDTH + 0.5, top=-DEPTH)
        add_walls(self.stage, -HALF_WIDTH, HALF_WIDTH, -DEPTH, 1.0)
        self._places = [(-HALF_WIDTH + 1.0 + 2.0 * k, 1.5 + 0.25 * (k % 3)) for k in range(len(BODIES))]
        self._angles = self.rng("angles").uniform(-0.5, 0.5, len(BODIES)).tolist()
        self.bodies = [
            add_shape(self.stage, shape, at, angle, density=density, angular_damping=_TURNING_DRAG, name=f"density {density:g}")
            for (shape, density), at, angle in zip(BODIES, self._places, self._angles, strict=True)
        ]

    def again(self) -> None:
        for body, at, angle in zip(self.bodies, self._places, self._angles, strict=True):
            place_body(self.world, body, at, angle)

    def on_parameter(self, name: str) -> None:
        """Wake the bodies, as the water has changed."""
        for body in self._floating():
            self.world.set_awake(body, True)

    def before_step(self) -> None:
        """Apply buoyancy and drag to all awake bodies."""
        water, drag = self.parameter("water"), self.parameter("drag")
        world, gravity = self.world, self.gravity
        for body in self._floating():
            state = world.state(body)
            if not state.awake:
                continue
            for area, middle, _ in _parts(world, body):
                if area > 0.0:
                    w, (px, py) = state.angular_velocity, state.position
                    vx, vy = state.linear_velocity[0] - w * (middle[1] - py), state.linear_velocity[1] + w * (middle[0] - px)
                    share = water * area
                    world.apply_force(body, (-drag * share * vx, share * (gravity - drag * vy)), middle)

    def shares(self) -> list[tuple[int, float, float]]:
        """Return the id, the submerged fraction and the predicted fraction of each body."""
        shares = []
        for body in self._floating():
            parts = _parts(self.world, body)
            total = sum(area for _, _, area in parts)
            if total > 0.0:
                density = self.world.body(body).mass / total
                shares.append((body, sum(area for area, _, _ in parts) / total, min(density / self.parameter("water"), 1.0)))
        return shares

    @property
    def errors(self) -> list[float]:
        """Error of the submerged fraction of each body that should float."""
        return [abs(share - predicted) for _, share, predicted in self.shares() if predicted < 1.0]

    def _floating(self) -> list[int]:
        return [body for body in self.world.body_ids if self.world.body(body).spec.type == "dynamic"]

    def home(self) -> AABB:
        return AABB((-HALF_WIDTH - 0.5, -DEPTH - 0.5), (HALF_WIDTH + 0.5, 3.6))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw the water."""
        corners = ((-HALF_WIDTH, -DEPTH), (HALF_WIDTH, -DEPTH), (HALF_WIDTH, LEVEL), (-HALF_WIDTH, LEVEL))
        canvas.polygon(corners, palette.ACCENT, None, 0.18)
        canvas.segment((-HALF_WIDTH, LEVEL), (HALF_WIDTH, LEVEL), palette.ACCENT, 1.5)

    def draw(self, canvas: Canvas) -> None:
        """Write the submerged fraction on each body, with the predicted one in parentheses below."""
        line = 0.5 * _LINE * canvas.ui_scale / canvas.camera.scale
        for body, share, predicted in self.shares():
            x, y, _ = self.stage.drawn_pose(body)
            color = palette.AGREE if abs(share - predicted) <= ALLOWED else palette.TEXT
            label(canvas, (x, y + line), f"{100.0 * share:.0f} %", color, _WORDS)
            label(canvas, (x, y - line), f"({100.0 * predicted:.0f} %)", color, _WORDS)

    def status(self) -> Sequence[StatusLine]:
        errors = self.errors
        words = f"largest error in the submerged fraction: {100.0 * max(errors, default=0.0):.1f} %"
        return ((f"{words}; {len(self.shares()) - len(errors)} should sink", palette.CAPTION),)


def _parts(world: World, body: int) -> list[tuple[float, Point, float]]:
    """Return the submerged area, its centroid and the total area of each shape of a body."""
    state = world.state(body)
    parts = []
    for fixture in world.body(body).fixtures:
        shape = world.fixture(fixture).shape
        if isinstance(shape, Polygon | Circle):
            parts.append((*submerged(shape, state.position, state.angle, LEVEL), shape.mass(1.0).mass))
    return parts
