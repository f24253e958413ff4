"""Hundreds of non-convex figures fall into a pit: ragdolls with stars and moons for heads, letters with holes, traced birds.

They appear one by one at free places above the pit, so none starts inside another. All random numbers are drawn when the scene is built,
so the next figure depends on neither the pile nor the view.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from demos._gallery import add_shape
from demos._pile_figures import HEADS, LOOSE, VESSELS, add_hinges, loose_pieces, ragdoll_limbs, scaled
from demos._pit import WALL, Pit
from engine.common.words import counted
from engine.demo import Parameter, Stage, StatusLine, register
from engine.geometry import AABB, Circle, Polygon, Transform
from engine.render import palette
from engine.render.palette import Color
from engine.world import World

__all__ = ["RagdollPile"]

_RAGDOLLS = 0.5
"""Fraction of the figures that are ragdolls."""
_SIZES = (0.9, 1.0, 1.15, 1.3)
_PITCH = 1.7
"""Distance of two places above the pit, meters: the largest figures reach less than 0.85 m from their center."""
_RISE = 2.0
"""Height of the places above the rim, meters."""
_FALL = 3.0
"""Initial downward speed, m/s, so that a place is soon free again."""
_CLEAR = 1.45
"""Radius around a free place without origins of other bodies, meters: 0.85 m for the new figure, 0.6 m for another body."""
_JOINT_FRICTION = 0.03
"""Friction torque of a hinge at size 1, N m. The weight of a horizontal arm, 0.05 kg, exerts 0.11 N m: limbs still hang down, but a pile
of them comes to rest."""
_AIR = 1.0
"""Damping, 1/s: it limits the speed of the fall to g / 1 s^-1 = 10 m/s. Between its steps of 1/60 s Box2D does not check two dynamic
bodies, so much faster bodies would go halfway through limbs 0.1 m thick and get stuck."""


@dataclass(frozen=True, slots=True)
class _Coming:
    """A figure that is still to appear."""

    kind: str
    size: float
    angle: float
    spin: float
    color: Color


@register(
    id="ragdoll_pile",
    category="Shapes and contacts",
    title="Ragdoll pile",
    watch="Ragdolls, letters with holes and traced birds pile up, each cut into convex pieces.",
)
class RagdollPile(Pit):
    """The pit grows with the number of figures."""

    tries = (
        ("Drag a ragdoll by its hand.", "Grab"),
        ("Press 1 to see the pieces. Choose bowls and cars, of nine and twelve pieces.", "shapes, set kinds"),
        ("Toss everything up (T). Then drop a picture of your own onto the window.", "key t, Drop"),
    )
    keywords = "convex decomposition pile figures trace"
    parameters = (
        Parameter("figures", 80, 1, 600, "", "figures", whole=True, slider_high=300),
        Parameter("rate", 6.0, 0.5, 30.0, "1/s", "new figures per second"),
        Parameter("friction", 0.4, 0.0, 1.0, "", "friction"),
        Parameter.choice("kinds", ("ragdolls and letters", "bowls and cars"), "kinds of figures"),
    )
    layers: ClassVar[Mapping[str, bool]] = {"joints": False}
    toss = 1.5, (5.0, 9.0), 2.0

    def build(self) -> None:
        """Create the pit and draw the order of the figures."""
        count = int(self.parameter("figures"))
        self._places = max(4, round(0.65 * math.sqrt(count)))
        self._half_width = 0.5 * self._places * _PITCH
        self._depth = max(3.0, self._half_width)
        self.stage = self.add_stage(World())
        self.dig(self._half_width, self._depth + 60.0, self.parameter("friction"))  # high enough for tossed bodies
        rng = self.rng("figures")
        n_ragdolls, loose = (math.ceil(_RAGDOLLS * count), LOOSE) if self.parameter("kinds") == 0.0 else (0, VESSELS)
        kinds = [HEADS[k % len(HEADS)] for k in range(n_ragdolls)] + [loose[k % len(loose)] for k in range(count - n_ragdolls)]
        self._coming = [
            _Coming(
                kinds[k],
                float(rng.choice(_SIZES)),
                float(rng.uniform(-math.pi, math.pi)),
                float(rng.uniform(-2.0, 2.0)),
                palette.BODY_COLORS[int(rng.integers(len(palette.BODY_COLORS)))],
            )
            for k in rng.permutation(count).tolist()
        ]
        self._order = rng.permutation(self._places).tolist()
        self._turn = 0
        self.n_come = 0
        self._owed = 1.0
        self._colors: dict[int, Color] = {}

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return self._colors

    def before_step(self) -> None:
        """Create the figures that are due if there is room for them."""
        while self._owed >= 1.0 and self.n_come < len(self._coming):
            at = self._free_place()
            if at is None:
                break
            self._make(self._coming[self.n_come], self.n_come, at)
            self.n_come += 1
            self._owed -= 1.0
        self._owed = min(self._owed + self.parameter("rate") / self.stage.world.settings.hertz, 2.0)

    def home(self) -> AABB:
        """Show the pit and the lower part of the fall."""
        width = self._half_width + WALL
        return AABB((-width, -WALL), (width, self._depth + 0.5 * _RISE))

    def on_parameter(self, name: str) -> None:
        """Restart for another number of figures; other changes take effect at once."""
        if name in ("figures", "kinds"):
            self.restart()
        elif name == "friction":
            self.set_material(name)

    def status(self) -> Sequence[StatusLine]:
        world = self.stage.world
        n_bodies = len(world.body_ids) - 1  # excluding the pit
        asleep = int((~world.awake[1:]).sum())
        times = self.stage.times
        return (
            (
                f"{self.n_come} of {len(self._coming)} figures: {n_bodies} bodies, {len(world.fixture_ids)} fixtures",
                palette.TEXT,
            ),
            (
                f"{len(world.joint_ids)} joints, {len(world.contacts)} contacts, {counted(asleep, 'body', 'bodies')} asleep (dim)",
                palette.TEXT,
            ),
            (f"{times.step:.1f} ms per step, {times.check:.1f} ms to check it", palette.CAPTION),
        )

    def _free_place(self) -> tuple[float, float] | None:
        """Return the next free place above the pit; None if there is none."""
        positions = self.stage.world.poses[1:, :2]
        for _ in range(self._places):
            place = self._order[self._turn % self._places]
            self._turn += 1
            at = ((place + 0.5) * _PITCH - self._half_width, self._depth + _RISE)
            if not (np.hypot(*(positions - at).T) < _CLEAR).any():
                return at
        return None

    def _make(self, figure: _Coming, number: int, at: tuple[float, float]) -> None:
        if figure.kind in HEADS:
            self._make_ragdoll(figure, number, at)
        else:
            self._make_body(loose_pieces(figure.kind), figure, figure.kind, Transform(at, figure.angle), 0)

    def _make_ragdoll(self, figure: _Coming, number: int, at: tuple[float, float]) -> None:
        frame = Transform(at, figure.angle)
        bodies = []
        for limb in ragdoll_limbs(figure.kind):
            place = frame.apply((figure.size * limb.place[0], figure.size * limb.place[1]))
            bodies.append(self._make_body(limb.pieces, figure, limb.name, Transform(place, figure.angle), -1 - number))
        add_hinges(self.stage.world, bodies, frame, figure.size, _JOINT_FRICTION)

    def _make_body(self, pieces: tuple[Polygon | Circle, ...], figure: _Coming, name: str, xf: Transform, group: int) -> int:
        body = add_shape(
            self.stage,
            scaled(pieces, figure.size),
            xf.position,
            xf.angle,
            friction=self.parameter("friction"),
            group=group,
            name=name,
            linear_velocity=(0.0, -_FALL),
            angular_velocity=figure.spin if group == 0 else 0.0,
            linear_damping=_AIR,
            angular_damping=_AIR,
        )
        self._colors[body] = figure.color
        return body
