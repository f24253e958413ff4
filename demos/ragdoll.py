"""A ragdoll falls down the stairs and loses its energy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from demos._gallery import Scene, add_shape, add_walls, total_energy
from demos._pile_figures import HEADS, add_hinges, ragdoll_limbs, scaled
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Polygon, Transform
from engine.render import palette
from engine.world import WorldSettings

__all__ = ["Ragdoll"]

_SIZE = 1.6
_STEPS = 9
_RUN, _RISE = 1.25, 0.62
_LANDING = 5.0
_DENSITY = 1.0
_HINGE = 0.05
"""Friction torque of a hinge at size 1 and `stiffness` 1, N m."""
_MAX_FIGURES = 8
"""Number of figures kept."""
_MAX_GAIN = 0.1
"""Allowed gain of energy in a step, J: separating overlapping parts gives back some energy."""


@register(
    id="ragdoll",
    category="Machines and joints",
    title="Down the stairs",
    watch="A ragdoll tumbles down the stairs; it loses energy on each stair.",
)
class Ragdoll(Scene):
    """Stairs, and ragdolls to throw."""

    tries = (
        ("Throw another ragdoll (Enter).", "key return"),
        ("Drag the ragdoll by an arm.", "Grab"),
        ("Stiffen the hinges: the ragdoll becomes a wooden doll.", "set stiffness>"),
    )
    keywords = "hinge limit revolute energy stairs figure"
    parameters = (
        Parameter("speed", 4.0, 0.0, 10.0, "m/s", "throwing speed"),
        Parameter("stiffness", 1.0, 0.0, 30.0, "", "hinge friction"),
        Parameter("restitution", 0.0, 0.0, 0.7, "", "restitution (bounce)"),
    )
    layers: ClassVar[Mapping[str, bool]] = {"joints": False}
    keys = (("Enter", "throw another ragdoll"),)
    claims = (Claim("largest energy gain in a step", "J", 5.0, lambda demo: demo.given_back, 0.0, _MAX_GAIN),)
    world_settings = WorldSettings(hertz=120.0)

    def furnish(self) -> None:
        steps = []
        for k in range(_STEPS):
            top = (_STEPS - k) * _RISE
            left = -_RUN * (_STEPS - k) - (2.0 if k == 0 else 0.0)
            steps.append(Polygon(((left, 0.0), (-_RUN * (_STEPS - k - 1), 0.0), (-_RUN * (_STEPS - k - 1), top), (left, top))))
        steps.append(Polygon.box(0.5 * (_STEPS * _RUN + 2.0 + _LANDING), 0.25, (0.5 * (_LANDING - _STEPS * _RUN - 2.0), -0.25)))
        self.stairs = add_shape(self.stage, steps, (0.0, 0.0), type="static", friction=0.6, name="stairs")
        add_walls(self.stage, -_STEPS * _RUN - 2.0, _LANDING, 0.0, _STEPS * _RISE + 5.0)
        self.figures: list[list[int]] = []
        self.hinges: list[int] = []
        self.n_thrown = 0
        self.again()

    def after_step(self) -> None:
        """Note the energy gained in the step."""
        energy = self.energy
        if self.grabbing or energy == self._energy:
            self._energy = energy
            return
        self.given_back = max(self.given_back, energy - self._energy)
        self._energy = energy

    @property
    def energy(self) -> float:
        """Energy of the last ragdoll, J; potential energy is 0 on the floor."""
        return total_energy(self.world, [body for body in self.figures[-1] if self.alive(body)])

    @property
    def widest(self) -> float:
        """Largest gap of a hinge, meters."""
        world = self.world
        return max((math.dist(*world.joint_anchors(joint)) for joint in self.hinges if world.is_joint(joint)), default=0.0)

    def home(self) -> AABB:
        return AABB((-_STEPS * _RUN - 2.3, -0.7), (_LANDING + 0.3, _STEPS * _RISE + 4.0))

    def status(self) -> Sequence[StatusLine]:
        energy = self.energy
        lost = 100.0 * (1.0 - energy / self.began_with)
        return (
            (f"energy of the last ragdoll: {energy:.1f} of {self.began_with:.1f} J, {lost:.0f} % lost", palette.TEXT),
            (f"largest hinge gap: {1000.0 * self.widest:.1f} mm", palette.CAPTION),
        )

    def again(self) -> None:
        """Throw a ragdoll."""
        rng = self.rng(f"throw {self.n_thrown}")
        head = HEADS[int(rng.integers(len(HEADS)))]
        color = palette.BODY_COLORS[self.n_thrown % len(palette.BODY_COLORS)]
        speed, spin = self.parameter("speed"), float(rng.uniform(-6.0, 0.0))
        origin = (-_STEPS * _RUN - 0.4, _STEPS * _RISE + 1.4 + float(rng.uniform(0.0, 0.8)))
        limbs = ragdoll_limbs(head)
        bodies = []
        for limb in limbs:
            x, y = _SIZE * limb.place[0], _SIZE * limb.place[1]
            velocity = (speed - spin * y, 1.5 + spin * x)  # initially the ragdoll rotates as a whole
            body = add_shape(
                self.stage,
                scaled(limb.pieces, _SIZE),
                (origin[0] + x, origin[1] + y),
                density=_DENSITY,
                friction=0.5,
                restitution=self.parameter("restitution"),
                group=-1 - self.n_thrown % (2 * _MAX_FIGURES),
                linear_velocity=velocity,
                angular_velocity=spin,
                name=limb.name,
            )
            bodies.append(self.paint(body, color))
        self.hinges += add_hinges(self.world, bodies, Transform(origin), _SIZE, _HINGE * self.parameter("stiffness"))
        self.figures.append(bodies)
        self.n_thrown += 1
        self.began_with = self._energy = self.energy
        self.given_back = 0.0
        if len(self.figures) > _MAX_FIGURES:
            for body in self.figures.pop(0):
                if self.alive(body):
                    self.world.destroy_body(body)
            self.hinges = [joint for joint in self.hinges if self.world.is_joint(joint)]
