"""Convex shapes of every kind fall into a pit: contact points begin, persist and end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from demos._gallery import place_body
from demos._pit import WALL, Pit
from engine.common.words import counted
from engine.demo import Parameter, Stage, StatusLine, register
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.render.palette import Color
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

__all__ = ["KINDS", "SimpleShapes", "make_shape"]

_COLORS: Mapping[str, Color] = {
    "square": (64, 178, 150),
    "circle": (240, 180, 60),
    "triangle": (140, 200, 90),
    "rhombus": (96, 214, 214),
    "pentagon": (196, 172, 120),
    "hexagon": (70, 130, 240),
    "trapezoid": (160, 90, 225),
    "rectangle": (150, 165, 185),
    "octagon": (226, 130, 196),
    "kite": (225, 225, 110),
    "parallelogram": (56, 170, 220),
    "half disc": (226, 148, 90),
    "right triangle": (188, 176, 240),
}
"""Color of each kind of shape while it touches nothing."""
KINDS = tuple(_COLORS)

_LARGEST = 0.62
"""Meters from a shape's middle to its farthest corner."""
_PITCH = 1.5
"""Meters between two neighbors in the rain: two radii, twice the jitter, and 0.06 to spare for the skins."""
_JITTER = 0.1
_FALL_SPEED = 3.0
_FIRST_RAIN = 4.0
"""Seconds until the first shape falls a second time: all have landed."""


def make_shape(kind: str, size: float) -> Circle | Polygon:
    """Return a shape whose corners are at most `size` meters from its origin."""
    if kind == "circle":
        return Circle(0.8 * size)
    sides = {"triangle": 3, "pentagon": 5, "hexagon": 6, "octagon": 8}.get(kind)
    if sides is not None:
        return Polygon.regular(sides, size)
    if kind == "half disc":
        turn = np.linspace(0.0, math.pi, 8)
        return Polygon(size * np.column_stack((np.cos(turn), np.sin(turn) - 0.4)) * 0.9)
    corners = {
        "square": ((-0.68, -0.68), (0.68, -0.68), (0.68, 0.68), (-0.68, 0.68)),
        "rhombus": ((-1.0, 0.0), (0.0, -0.6), (1.0, 0.0), (0.0, 0.6)),
        "trapezoid": ((-0.9, -0.42), (0.9, -0.42), (0.45, 0.48), (-0.45, 0.48)),
        "rectangle": ((-0.92, -0.36), (0.92, -0.36), (0.92, 0.36), (-0.92, 0.36)),
        "kite": ((0.0, -0.95), (0.6, 0.25), (0.0, 0.75), (-0.6, 0.25)),
        "parallelogram": ((-0.95, -0.3), (0.45, -0.3), (0.95, 0.3), (-0.45, 0.3)),
        "right triangle": ((-0.6, -0.5), (0.8, -0.5), (-0.6, 0.75)),
    }[kind]
    return Polygon(size * np.array(corners))


@register(
    id="simple_shapes",
    category="Shapes and contacts",
    title="Simple shapes",
    watch="Each kind of shape has its own color. A body turns red while it touches another; dots mark the contact points.",
)
class SimpleShapes(Pit):
    """The pit grows with the number of bodies, so that the heap keeps its proportions."""

    tries = (
        ("Drag a body and throw it.", "Grab"),
        ("Toss everything up (T).", "key t"),
        ("Pause (Space), then step (N): large dots mark new contacts, small dots persistent ones, and fading rings ended ones.", "step"),
    )
    keywords = "contact manifold friction restitution pile polygon circle sleep"
    parameters = (
        Parameter("count", 40, 1, 5000, "", "bodies", whole=True, slider_high=400),
        Parameter("friction", 0.4, 0.0, 1.0, "", "friction"),
        Parameter("restitution", 0.15, 0.0, 0.9, "", "restitution (bounce)"),
        Parameter("gravity", 9.81, 0.0, 20.0, "m/s²", "gravity"),
        Parameter("rain", 1.5, 0.0, 10.0, "1/s", "rain", note="Number of shapes dropped again per second. At 0, the pile falls asleep."),
    )
    toss = 2.0, (6.0, 11.0), 4.0
    opens_list = True

    def build(self) -> None:
        """Create the pit and the shapes above it."""
        self.stage = self.add_stage(World(WorldSettings(gravity=(0.0, -self.parameter("gravity")))), mark_touching=True)
        count = int(self.parameter("count"))
        self._columns = max(5, round(1.05 * math.sqrt(count)))
        rows = math.ceil(count / self._columns)
        self._half_width = 0.5 * (self._columns * _PITCH + 0.4)
        self._first_row = 1.6 + 0.2 * rows * _PITCH
        self.dig(self._half_width, self._first_row + rows * _PITCH + 40.0, self.parameter("friction"), self.parameter("restitution"))
        rng = self.rng("rain")
        for k, kind in enumerate(self._kinds(rng)):
            self._drop(k, kind, rng)
        self._rained = 0

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return dict(enumerate(map(_COLORS.__getitem__, self._kinds(self.rng("rain"))), 1))  # the pit comes first

    def before_step(self) -> None:
        """Move one shape after another from the heap to the top, so that it falls again."""
        rate = self.parameter("rain")
        if rate == 0.0 or self.steps * self.step_seconds < _FIRST_RAIN or self.steps % max(round(1.0 / (rate * self.step_seconds)), 1) > 0:
            return
        world, count = self.stage.world, int(self.parameter("count"))
        # the shapes that `build` made, but for what is deleted, or held or joined by hand
        joined = {body for joint in world.joint_ids for body in world.joint_bodies(joint)}
        shapes = [body for body in range(1, count + 1) if world.is_body(body) and body not in joined]
        if shapes:
            body = shapes[self._rained % len(shapes)]
            self._rained += 1
            column = self._rained * 2 % self._columns  # not where the last one fell
            place = ((column - 0.5 * (self._columns - 1)) * _PITCH, self.home().upper[1] + _LARGEST)
            place_body(world, body, place, world.state(body).angle, (0.0, -_FALL_SPEED), 1.0)

    def home(self) -> AABB:
        """Show the pit and the lower part of the falling shapes."""
        width = self._half_width + WALL
        return AABB((-width, -WALL), (width, max(1.15 * width, 4.0)))

    def on_parameter(self, name: str) -> None:
        """Change material and gravity at once; a new number of bodies restarts the demo."""
        if name == "count":
            self.restart()
        if name in ("count", "rain"):
            return
        if name == "gravity":
            self.stage.world.set_settings(gravity=(0.0, -self.parameter("gravity")))
            self.wake()
        else:
            self.set_material(name)

    def status(self) -> Sequence[StatusLine]:
        """Count the contacts, by the state of their points."""
        contacts = self.stage.world.contacts
        added, persistent = int((contacts.state == 0).sum()), int((contacts.state == 1).sum())
        segments = int((contacts.count == 2).sum())
        asleep = int((~self.stage.world.awake[1:]).sum())  # the pit comes first
        return (
            (f"{counted(len(contacts), 'contact')}, {segments} of them with two points", palette.TEXT),
            (f"points in this step: {added} added, {persistent} persistent, {len(contacts.removed)} removed", palette.CAPTION),
            (f"asleep (dim): {counted(asleep, 'body', 'bodies')}, at rest and not recomputed", palette.CAPTION),
        )

    def _kinds(self, rng: np.random.Generator) -> list[str]:
        """Choose the kind of every shape at random, in the order of the bodies."""
        count = int(self.parameter("count"))
        return [KINDS[k] for k in rng.permutation(count) % len(KINDS)]

    def _drop(self, k: int, kind: str, rng: np.random.Generator) -> None:
        column, row = k % self._columns, k // self._columns
        jitter = rng.uniform(-_JITTER, _JITTER, 2)
        x = (column - 0.5 * (self._columns - 1)) * _PITCH + float(jitter[0])
        y = self._first_row + row * _PITCH + float(jitter[1])
        shape = make_shape(kind, float(rng.uniform(0.42, _LARGEST)))
        material = {name: self.parameter(name) for name in ("friction", "restitution")}
        self.stage.world.create_body(
            BodySpec(
                (FixtureSpec(shape, density=1.0, **material),),
                position=(x, y),
                angle=float(rng.uniform(-math.pi, math.pi)),
                linear_velocity=(0.0, -_FALL_SPEED),
                angular_velocity=float(rng.uniform(-2.0, 2.0)),
                name=kind,
            )
        )
