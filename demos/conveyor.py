"""Conveyor belts: bodies whose surface moves while they stay in place.

Box2D 2.3 has no surface speed, but friction depends only on the bodies' relative velocity. A belt is therefore a kinematic body with the
belt's velocity that is moved back to its place after each step.

A parcel that is put down at rest slips until friction has accelerated it, by mu g, to the belt's speed v: for a distance v^2 / (2 mu g).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_box, add_ground, add_walls, label, place_body, rest_box
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Circle, Polygon
from engine.render import palette
from engine.world import BodySpec, FixtureSpec

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Conveyor"]

BELTS = ((-6.5, 3.5, 4.2, 1.0), (-3.0, 6.5, 1.9, -1.0))
"""Left end, right end and top of each belt, meters, and the direction of its motion."""
_RADIUS = 0.25
"""Radius of the belts' rollers, meters."""
SIZE = 0.3
"""Half a parcel's side, meters."""
_START = -5.9
_EVERY = 1.4
"""Seconds between two parcels."""
_MAX_PARCELS = 16
"""Number of parcels kept."""


@register(
    id="conveyor",
    category="Materials",
    title="Conveyor belts",
    watch="Each parcel slips until friction has brought it to the belt's speed; the mark shows where slipping should end.",
)
class Conveyor(Scene):
    """Two belts, one above the other, and a bin."""

    tries = (
        ("Reverse the belts (B).", "key b"),
        ("Lower the friction: parcels slip farther.", "set friction<"),
        ("Make the belts faster.", "set speed>"),
    )
    keywords = "friction belt slip tangent speed"
    parameters = (
        Parameter("speed", 3.0, 0.5, 5.0, "m/s", "belt speed"),
        Parameter("friction", 0.25, 0.1, 1.0, "", "friction of belts and parcels"),
    )
    keys = (("B", "reverse the belts"),)
    claims = (
        Claim(
            "slip distance of the last parcel",
            "m",
            4.0,
            lambda demo: demo.slips[-1] if demo.slips else None,
            lambda demo: demo.predicted,
            lambda demo: demo.parameter("speed") * demo.step_seconds,
        ),
    )

    def furnish(self) -> None:
        add_ground(self.stage, -8.0, 8.0)
        add_walls(self.stage, -8.0, 8.0, 0.0, 3.0)
        self.sense = 1.0
        self.belts = []
        for left, right, top, _ in BELTS:
            width = right - left
            shapes = (Polygon.box(0.5 * width, _RADIUS), Circle(_RADIUS, (-0.5 * width, 0.0)), Circle(_RADIUS, (0.5 * width, 0.0)))
            fixtures = tuple(FixtureSpec(shape, friction=self.parameter("friction")) for shape in shapes)
            at = (0.5 * (left + right), top - _RADIUS)
            self.belts.append((self.world.create_body(BodySpec(fixtures, type="kinematic", position=at, name="belt")), at))
        self._run_belts()
        self.parcels: list[int] = []
        self.slipping: dict[int, float] = {}
        """Initial x of each parcel that still slips."""
        self.slips: list[float] = []
        self.travel = 0.0
        self._owed = 1.0

    def on_parameter(self, name: str) -> None:
        if name == "speed":
            self._run_belts()
        else:
            for body in (*(belt for belt, _ in self.belts), *self.parcels):
                for fixture in self.world.body(body).fixtures if self.world.is_body(body) else ():
                    self.world.set_fixture(fixture, friction=self.parameter("friction"))
        self.slipping.clear()
        self.slips.clear()

    def on_key(self, key: str) -> bool:
        if key == "b":
            self.sense = -self.sense
            self._run_belts()
            self.slipping.clear()
        return key == "b"

    def before_step(self) -> None:
        """Add a parcel at regular intervals if there is room for it."""
        self.travel += self.sense * self.parameter("speed") * self.step_seconds
        self._owed += self.step_seconds / _EVERY
        top = BELTS[0][2] + SIZE + rest_box(self)
        if self._owed < 1.0 or self.world.body_at((_START - SIZE, top)) is not None or self.world.body_at((_START + SIZE, top)) is not None:
            return
        self._owed -= 1.0
        parcel = add_box(self.stage, (_START, top), 2.0 * SIZE, 2.0 * SIZE, friction=self.parameter("friction"), allow_sleep=False)
        self.parcels.append(parcel)
        self.slipping[parcel] = _START
        if len(self.parcels) > _MAX_PARCELS:
            old = self.parcels.pop(0)
            self.slipping.pop(old, None)
            if self.world.is_body(old):
                self.world.destroy_body(old)

    def after_step(self) -> None:
        """Put the belts back, and note which parcels have ceased to slip."""
        for belt, at in self.belts:
            if self.world.is_body(belt):
                self.world.set_pose(belt, at, 0.0)
        gained = self.parameter("friction") * self.gravity * self.step_seconds
        for parcel, start in list(self.slipping.items()):
            state = self.world.state(parcel) if self.world.is_body(parcel) else None
            if state is None or abs(state.position[1] - (BELTS[0][2] + SIZE)) > 0.1:
                del self.slipping[parcel]
            elif state.linear_velocity[0] > self.parameter("speed") - 0.5 * gained:
                self.slips = [*self.slips[-9:], state.position[0] - start]
                del self.slipping[parcel]

    @property
    def predicted(self) -> float:
        """Slip distance of a parcel, meters: v^2 / (2 mu g), and half a step's travel of discretization error."""
        v, pull = self.parameter("speed"), self.parameter("friction") * self.gravity
        return v * v / (2.0 * pull) + 0.5 * v * self.step_seconds if pull > 0.0 else math.inf

    def home(self) -> AABB:
        return AABB((-8.5, -0.5), (8.5, 6.6))

    def draw(self, canvas: Canvas) -> None:
        """Draw the moving marks on the belts, and where slipping should end."""
        for left, right, top, way in BELTS:
            shift = (way * self.travel) % 1.0
            for k in range(math.ceil(left - shift), math.floor(right - shift) + 1):
                x = k + shift
                canvas.segment((x - 0.12, top - 0.04), (x + 0.12, top - 0.04), palette.TEXT, 2.0)
                x = left + right - x
                canvas.segment((x - 0.12, top - 2.0 * _RADIUS + 0.04), (x + 0.12, top - 2.0 * _RADIUS + 0.04), palette.TEXT, 2.0)
        if self.sense > 0.0:
            x, top = _START + self.predicted, BELTS[0][2]
            canvas.dashed((_START, top - 0.75), (_START, top + 1.1), palette.GRID_AXIS)
            if x < BELTS[0][1]:
                canvas.segment((x, top - 0.75), (x, top + 1.1), palette.ACCENT, 1.5)
                label(canvas, (x, top - 0.95), "slipping should end here", palette.CAPTION, 4.0, 13.0)

    def status(self) -> Sequence[StatusLine]:
        return ((f"{len(self.parcels)} parcels; belt speed {self.sense * self.parameter('speed'):g} m/s", palette.CAPTION),)

    def _run_belts(self) -> None:
        for (belt, at), (_, _, _, way) in zip(self.belts, BELTS, strict=True):
            place_body(self.world, belt, at, velocity=(way * self.sense * self.parameter("speed"), 0.0))
