"""Atwood's machine: two masses on a rope over two pulleys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from demos._gallery import Scene, add_box, add_ground, label, rest_box
from engine.common.tolerances import EPS32
from engine.common.words import decimals
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import PulleyJointSpec

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Pulley", "predicted_acceleration"]

_X = 1.5
_TOP = 7.0
"""Height of the two wheels."""
_RADIUS = 0.35
"""Radius of the drawn wheels, meters; the simulation has neither wheels nor a rope with mass."""
_FALL = 3.6
"""Travel of the faster mass, meters."""
_SIDE = 0.55
"""Side of a box of 1 kg, meters; the area is proportional to the mass."""
_REST = 1.0
"""Seconds from the landing to the next start."""
_ROUNDINGS = 100.0
"""Allowed error of the acceleration in float32 rounding errors of g. A single constraint is solved exactly by one iteration, so only the
rounding of the velocity in each step remains."""
_ARC = 6
"""Number of segments of the rope on a wheel."""


def predicted_acceleration(mass_a: float, mass_b: float, ratio: float, gravity: float) -> float:
    """Return the downward acceleration of A, m/s^2.

    Box2D keeps ``length A + ratio * length B`` constant: B moves 1 / ratio times as far as A, and the tension T pulls A with T and B with
    `ratio` T. From m_A a = m_A g - T and m_B a / ratio = ratio T - m_B g follows

        a = ratio g (ratio m_A - m_B) / (m_B + ratio^2 m_A),      and with ratio 1 Atwood's (m_A - m_B) / (m_A + m_B) g.
    """
    return ratio * gravity * (ratio * mass_a - mass_b) / (mass_b + ratio**2 * mass_a)


@register(
    id="pulley",
    category="Machines and joints",
    title="Atwood's pulley",
    watch="Two masses hang on one rope; dashed boxes show where Newton's formula puts them.",
)
class Pulley(Scene):
    """Two boxes on a rope, which start again after the landing."""

    tries = (
        ("Release the masses again (Enter).", "key return"),
        ("Make both masses equal: what happens?", "set mass_1, set mass_2"),
        ("Set the ratio to 2: the left mass now balances a mass twice as large.", "set ratio=2"),
    )
    keywords = "pulley joint rope mass acceleration atwood newton"
    parameters = (
        Parameter("mass_1", 3.0, 0.5, 10.0, "kg", "mass on the left"),
        Parameter("mass_2", 2.0, 0.5, 10.0, "kg", "mass on the right"),
        Parameter("ratio", 1.0, 0.5, 2.0, "", "pulley ratio"),
    )
    layers: ClassVar[Mapping[str, bool]] = {"joints": False}
    keys = (("Enter", "release the masses again"),)
    claims = (
        Claim(
            "acceleration of the left mass",
            "m/s²",
            0.5,
            lambda demo: demo.measured,
            lambda demo: demo.predicted,
            lambda demo: _ROUNDINGS * EPS32 * demo.gravity,
            3,
        ),
    )

    def furnish(self) -> None:
        masses = self.parameter("mass_1"), self.parameter("mass_2")
        ratio = self.parameter("ratio")
        travel = (_FALL, _FALL / ratio) if ratio >= 1.0 else (_FALL * ratio, _FALL)
        self._travel = travel[0]
        add_ground(self.stage, -4.0, 4.0)
        self.boxes = []
        for k, mass in enumerate(masses):
            side = _SIDE * mass**0.5
            low = 0.5 * side + rest_box(self)
            falls = (self.predicted > 0.0) == (k == 0)
            height = low + (travel[k] if falls else 0.0)
            x = (-_X, _X)[k]
            color = (palette.BODY_COLORS[0], palette.BODY_COLORS[3])[k]
            density = mass / side**2
            self.boxes.append(self.paint(add_box(self.stage, (x, height), side, side, density=density, fixed_rotation=True), color))
        left, right = self.boxes
        self.rope = self.world.create_joint(PulleyJointSpec(left, right, (-_X, _TOP), (_X, _TOP), self._top(0), self._top(1), ratio=ratio))
        self._start = tuple(self.world.state(body).position[1] for body in self.boxes)
        self._landed: int | None = None
        self.measured: float | None = None

    @property
    def predicted(self) -> float:
        """Downward acceleration of the left mass, m/s^2."""
        return predicted_acceleration(self._mass(0), self._mass(1), self.parameter("ratio"), self.gravity)

    @property
    def is_whole(self) -> bool:
        """True if no part was deleted."""
        return self.alive(*self.boxes) and self.world.is_joint(self.rope)

    def before_step(self) -> None:
        if self._landed is not None and self.steps - self._landed >= _REST / self.step_seconds:
            self.again()

    def after_step(self) -> None:
        if not self.is_whole or self._landed is not None:
            return
        moved = abs(self.world.state(self.boxes[0]).position[1] - self._start[0])
        if moved >= self._travel or len(self.world.contacts) > 1:
            self._landed = self.steps
        elif not self.grabbing and self.steps > self.began:
            # starting from rest, Box2D's steps give exactly v = n a dt
            self.measured = -self.world.state(self.boxes[0]).linear_velocity[1] / ((self.steps - self.began) * self.step_seconds)

    def home(self) -> AABB:
        return AABB((-4.6, -0.6), (4.6, _TOP + 0.9))

    def draw_background(self, canvas: Canvas) -> None:
        wood = palette.mix(palette.BACKGROUND, palette.STATIC, 0.8)
        canvas.segment((_RADIUS - _X, _TOP + _RADIUS), (_X - _RADIUS, _TOP + _RADIUS), palette.JOINT, 1.5)
        for x in (_RADIUS - _X, _X - _RADIUS):
            canvas.segment((x, _TOP), (0.0, _TOP + 0.85), wood, 3.0)
            canvas.circle((x, _TOP), _RADIUS, palette.PANEL_RAISED, wood)
            arc = [0.5 * math.pi * (1.0 + k / _ARC) for k in range(_ARC + 1)]
            rope = [(x + math.copysign(_RADIUS, x) * -math.cos(a), _TOP + _RADIUS * math.sin(a)) for a in arc]
            for a, b in pairwise(rope):
                canvas.segment(a, b, palette.JOINT, 1.5)
        if not self.is_whole:
            return
        for k, x in enumerate((-_X, _X)):
            canvas.segment((x, _TOP), self._top(k, drawn=True), palette.JOINT, 1.5)

    def draw(self, canvas: Canvas) -> None:
        if not self.is_whole:
            return
        for k, body in enumerate(self.boxes):
            x, y, _ = self.stage.drawn_pose(body)
            half = 0.5 * _SIDE * self._mass(k) ** 0.5
            label(canvas, (x, y), f"{self._mass(k):g} kg", palette.TEXT, 1.8 * half)
            if self._landed is None and not self.grabbing:
                middle, side = self._predicted_height(k), half + 0.06
                canvas.aabb(AABB((x - side, middle - side), (x + side, middle + side)), palette.AGREE)

    def status(self) -> Sequence[StatusLine]:
        if self.measured is None:
            return ()
        tension = self._mass(0) * (self.gravity - self.measured)
        return ((f"tension at the left mass: {decimals(tension, 1)} N", palette.CAPTION),)

    def _mass(self, k: int) -> float:
        return self.parameter(("mass_1", "mass_2")[k])

    def _top(self, k: int, drawn: bool = False) -> tuple[float, float]:
        body = self.boxes[k]
        x, y = self.stage.drawn_pose(body)[:2] if drawn else self.world.state(body).position
        return x, y + 0.5 * _SIDE * self._mass(k) ** 0.5

    def _predicted_height(self, k: int) -> float:
        seconds = (self.steps - self.began - 1 + self.viewer.drawn_fraction) * self.step_seconds
        way = 0.5 * self.predicted * seconds * (seconds + self.step_seconds)
        return self._start[k] + (-way if k == 0 else way / self.parameter("ratio"))

    def again(self) -> None:
        self.put_back(self.boxes)
        self.began = self.steps
        self._landed = None
        self.measured = None
