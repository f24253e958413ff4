"""A bridge of hanging planks, and its shape under a rolling ball."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_chain, add_disc, add_shape, label
from demos._hanging_chain import catenary_sag, hanging_points
from engine.common.tolerances import LINEAR_SLOP
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.world import WorldSettings

if TYPE_CHECKING:
    from engine.common.arrays import FloatArray
    from engine.render.canvas import Canvas

__all__ = ["HALF", "Bridge"]

HALF = 7.0
"""Half the span, meters."""
_BANK = 5.0
_RISE = 1.6
"""Height by which a bank rises toward its end, so that the ball rolls back, meters."""
_THICKNESS = 0.16
_RADIUS = 0.55
_DENSITY = 20.0
_DAMPING = 0.35
"""Damping of the planks, 1/s."""
_CALM_SPEED = 0.1
"""Speed below which the bridge counts as at rest, m/s. On a circle of 2 m, about the sag, v^2 / r is then 0.0005 g."""


@register(
    id="bridge",
    category="Machines and joints",
    title="Hanging bridge",
    watch="A ball rolls over hanging planks; the dashed line shows the shape that statics predicts.",
)
class Bridge(Scene):
    """Planks between two banks, and a ball."""

    tries = (
        ("Roll the ball again (Enter).", "key return"),
        ("Make the ball heavier: the gaps at the hinges grow.", "set mass>"),
        ("Cut a plank out: select it (Shift S) and press Del.", "DestroyBody, DestroyJoint"),
    )
    keywords = "chain catenary rope hinge iterations mass ratio"
    parameters = (
        Parameter("planks", 16, 6, 40, "", "planks", whole=True),
        Parameter("slack", 0.05, 0.01, 0.3, "", "slack as a fraction of the span"),
        Parameter("mass", 40.0, 1.0, 1000.0, "kg", "ball mass", slider_high=400.0),
        Parameter("iterations", 20, 1, 100, "", "velocity iterations", whole=True, setting="velocity_iterations"),
    )
    keys = (("Enter", "roll the ball again"),)
    claims = (
        Claim(
            "sag",
            "m",
            0.0,
            lambda demo: demo.sag,
            lambda demo: -float(demo.shape(demo.load_at)[:, 1].min()),
            lambda demo: demo.allowed if demo.is_calm else None,
            3,
        ),
    )
    world_settings = WorldSettings(hertz=120.0, position_iterations=10)
    """Use 120 steps per second: the hinges open by a third less than at 60."""

    def furnish(self) -> None:
        banks = []
        for side in (-1.0, 1.0):
            corners = ((side * HALF, 0.0), (side * (HALF + _BANK), _RISE), (side * (HALF + _BANK), -3.0), (side * HALF, -3.0))
            banks.append(add_shape(self.stage, Polygon(corners), (0.0, 0.0), type="static", friction=0.8, name="bank"))
        n_planks = int(self.parameter("planks"))
        self.plank_length = 2.0 * HALF * (1.0 + self.parameter("slack")) / n_planks
        points = self.shape(None)
        self.planks = add_chain(
            self.stage,
            [(x, y) for x, y in points.tolist()],
            _THICKNESS,
            (banks[0], banks[1]),
            density=_DENSITY,
            friction=0.8,
            linear_damping=_DAMPING,
            angular_damping=_DAMPING,
            name="plank",
        )
        for plank in self.planks:
            self.paint(plank, palette.BODY_COLORS[3])
        self.hinges = self.world.joint_ids
        density = self.parameter("mass") / (math.pi * _RADIUS**2)
        at = (-HALF - 0.8 * _BANK, 0.8 * _RISE + 1.06 * _RADIUS)
        ball = add_disc(self.stage, at, _RADIUS, density=density, friction=0.8, linear_velocity=(3.0, -1.0), name="ball")
        self.ball = self.paint(ball, palette.BODY_COLORS[0])

    @property
    def predicted(self) -> float:
        """Sag of a catenary as long as the bridge, meters."""
        return catenary_sag(self.plank_length * len(self.planks), 2.0 * HALF)

    @property
    def sag(self) -> float | None:
        """Depth of the lowest hinge below the banks' edges, meters; None if the bridge is broken."""
        if not all(self.world.is_joint(joint) for joint in self.hinges):
            return None
        return max(-self.world.joint_anchors(joint)[0][1] for joint in self.hinges)

    @property
    def gap(self) -> float:
        """Largest gap of a hinge, meters."""
        world = self.world
        return max((math.dist(*world.joint_anchors(joint)) for joint in self.hinges if world.is_joint(joint)), default=0.0)

    @property
    def load_at(self) -> float | None:
        """Position of the ball's load in planks from the left end (2.5 is the middle of the third); None if it touches no plank."""
        if not self.alive(self.ball):
            return None
        contacts = self.world.contacts
        places, impulses = [], []
        for row, pair in enumerate(zip(contacts.body_a.tolist(), contacts.body_b.tolist(), strict=True)):
            plank = next((body for body in pair if self.ball in pair and body in self.planks), None)
            if plank is not None:
                (x, y), state = contacts.position[row, 0].tolist(), self.world.state(plank)
                along = (x - state.position[0]) * math.cos(state.angle) + (y - state.position[1]) * math.sin(state.angle)
                places.append(self.planks.index(plank) + 0.5 + along / self.plank_length)
                impulses.append(float(contacts.normal_impulse[row, 0]))
        if sum(impulses) == 0.0:
            return sum(places) / len(places) if places else None
        return math.fsum(place * impulse for place, impulse in zip(places, impulses, strict=True)) / math.fsum(impulses)

    def again(self) -> None:
        self.put_back([self.ball])

    def home(self) -> AABB:
        reach = HALF + _BANK
        return AABB((-reach, -max(3.4, self.predicted + 1.5)), (reach, _RISE + 2.2))

    def draw(self, canvas: Canvas) -> None:
        for a, b in pairwise(self.shape(self.load_at).tolist()):
            canvas.dashed(a, b, palette.AGREE, 4.0, 1.5)
        if self.alive(self.ball):
            label(canvas, self.stage.drawn_pose(self.ball)[:2], f"{self.parameter('mass'):g} kg", palette.TEXT, 1.8 * _RADIUS)

    def status(self) -> Sequence[StatusLine]:
        return ((f"largest hinge gap: {1000.0 * self.gap:.1f} mm", palette.CAPTION),)

    @property
    def is_calm(self) -> bool:
        """True if the bridge and its load are slow enough for statics."""
        world = self.world
        moving = [*self.planks, self.ball] if self.load_at is not None else self.planks
        return all(math.hypot(*world.state(body).linear_velocity) < _CALM_SPEED for body in moving if world.is_body(body))

    @property
    def allowed(self) -> float:
        """Allowed error of the sag for the present gaps of the hinges, meters.

        A chain longer by dl sags deeper by 3 span / (16 sag) dl, which follows from sag^2 = 3/8 span (length - span) of a shallow chain.
        """
        opened = self.gap * len(self.hinges) + LINEAR_SLOP
        return LINEAR_SLOP + 3.0 * 2.0 * HALF / (16.0 * self.predicted) * opened

    def shape(self, load_at: float | None) -> FloatArray:
        """Return the hinges of the bridge at rest, (n + 1, 2), with the ball's load at `load_at` or without a load."""
        plank = self.plank_length * _THICKNESS * _DENSITY
        load, at = (0.0, 0.0) if load_at is None else (self.parameter("mass"), load_at)
        return hanging_points(int(self.parameter("planks")), self.plank_length, 2.0 * HALF, plank, load, at) + (-HALF, 0.0)
