"""Newton's cradle: as many balls leave as arrive, at the same speed.

Equal balls with a restitution of 1 exchange velocities. Box2D solves all contacts of a step together, which would distribute an impact
among balls that touch; so they hang a few millimeters apart and collide one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from demos._gallery import Scene, add_box, add_disc, place_body, total_energy
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import DistanceJointSpec, WorldSettings

__all__ = ["NewtonsCradle"]

LENGTH, RADIUS = 4.0, 0.5
"""Length of the rods and radius of the balls, meters."""
PULLED_TO = math.radians(45.0)
_QUIET = 0.02
"""Seconds without a new contact after which an impact is over."""
_FULL = 0.75
"""Fraction of the predicted momentum from which contacts count as an impact of the released balls, rather than of balls at rest."""
ALLOWED = 0.02
"""Allowed relative error of the momentum: during the impact, some hundredths of a second, gravity already slows the outgoing balls."""


@register(
    id="newtons_cradle",
    category="Impacts",
    title="Newton's cradle",
    watch="As many balls leave on one side as arrive on the other.",
)
class NewtonsCradle(Scene):
    """Discs on rods, with fixed rotation, so that each acts as a point mass."""

    tries = (
        ("Start again (Enter).", "key return"),
        ("Pull two balls aside.", "set pulled=2"),
        ("Set the gap to 0: Box2D then distributes the impact among all balls.", "set gap=0"),
    )
    keywords = "momentum energy impact pendulum cradle"
    parameters = (
        Parameter("balls", 5, 2, 7, "", "balls", whole=True),
        Parameter("pulled", 1, 1, 4, "", "balls pulled aside", whole=True, note="At least one ball stays at rest."),
        Parameter("gap", 5.0, 0.0, 50.0, "mm", "gap between the balls"),
        Parameter("hertz", 240, 60, 480, "Hz", "step rate", whole=True),
    )
    keys = (("Enter", "pull the balls aside again"),)
    claims = (
        Claim(
            "momentum before the first impact",
            "N s",
            1.5,
            lambda demo: demo.first,
            lambda demo: demo.predicted,
            lambda demo: ALLOWED * demo.predicted,
        ),
        Claim(
            "momentum after the last impact",
            "N s",
            1.5,
            lambda demo: demo.blow and demo.blow[1],
            lambda demo: demo.blow and demo.blow[0],
            lambda demo: demo.blow and ALLOWED * abs(demo.blow[0]),
        ),
    )

    blow: tuple[float, float] | None
    """Momentum before and after the last impact, N s."""
    first: float | None
    """Momentum before the first impact, N s."""
    _since_contact: float

    def settings(self) -> WorldSettings:
        return WorldSettings(hertz=self.parameter("hertz"))

    def furnish(self) -> None:
        n, pitch = int(self.parameter("balls")), 2.0 * RADIUS + 0.001 * self.parameter("gap")
        self.places = [(k - 0.5 * (n - 1)) * pitch for k in range(n)]
        beam = add_box(self.stage, (0.0, LENGTH + 0.1), n * pitch, 0.2, type="static", name="beam")
        self.balls = []
        for k, x in enumerate(self.places):
            fixed: dict[str, Any] = {"fixed_rotation": True, "bullet": True, "allow_sleep": False, "name": "ball"}
            ball = add_disc(self.stage, (x, 0.0), RADIUS, friction=0.0, restitution=1.0, **fixed)
            self.paint(ball, palette.BODY_COLORS[k % len(palette.BODY_COLORS)])
            self.world.create_joint(DistanceJointSpec(beam, ball, (x, LENGTH), (x, 0.0)))
            self.balls.append(ball)
        self.again()

    def before_step(self) -> None:
        """Note the momentum between impacts."""
        if self._since_contact > _QUIET:
            self._before = self.momentum

    def after_step(self) -> None:
        """Detect the beginning and the end of impacts."""
        self._since_contact += self.step_seconds
        if self.world.contacts.began:
            self._since_contact = 0.0
            self._is_blow = True
        elif self._is_blow and self._since_contact > _QUIET:
            self._is_blow = False
            if self.world.is_body(self.balls[0]) and abs(self._before) > _FULL * self.predicted:
                self.blow = (self._before, self.momentum)
                self.first = self.blow[0] if self.first is None else self.first

    @property
    def momentum(self) -> float:
        """Total momentum to the right, N s."""
        return sum(self.world.body(ball).mass * self.world.state(ball).linear_velocity[0] for ball in self._hanging)

    @property
    def predicted(self) -> float:
        """Momentum of the released balls at the first impact, N s, m sqrt(2 g L (1 - cos)) each; 0 if the first ball was deleted."""
        if not self.alive(self.balls[0]):
            return 0.0
        speed = math.sqrt(2.0 * self.gravity * LENGTH * (1.0 - math.cos(PULLED_TO)))
        return self.n_pulled * self.world.body(self.balls[0]).mass * speed

    @property
    def energy(self) -> float:
        """Energy as a fraction of the initial energy."""
        return total_energy(self.world, self._hanging) / self._energy if self._energy > 0.0 else 0.0

    @property
    def _hanging(self) -> list[int]:
        return [ball for ball in self.balls if self.world.is_body(ball)]

    def home(self) -> AABB:
        width = LENGTH * math.sin(PULLED_TO) + self.places[-1] + RADIUS + 0.3
        return AABB((-width, -1.2), (width, LENGTH + 0.6))

    def status(self) -> Sequence[StatusLine]:
        return ((f"energy: {100.0 * self.energy:.1f} % of the initial energy", palette.TEXT),)

    def again(self) -> None:
        """Pull the balls aside and release them."""
        self._is_blow, self._since_contact = False, 1.0
        self._before = 0.0
        self.blow = self.first = None
        self.n_pulled = min(int(self.parameter("pulled")), len(self.balls) - 1)
        for k, (ball, x) in enumerate(zip(self.balls, self.places, strict=True)):
            angle = PULLED_TO if k < self.n_pulled else 0.0
            place_body(self.world, ball, (x - LENGTH * math.sin(angle), LENGTH * (1.0 - math.cos(angle))))
        self._energy = total_energy(self.world, self._hanging)
