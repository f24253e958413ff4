"""Newton's cradle: as many balls leave as came in, and with their speed.

Equal balls of restitution 1 exchange velocities. Box2D solves all contacts of a step together, and would share the blow out among balls
that touch; so they hang a few millimeters apart, and meet one after the other, at moments of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from demos._gallery import Scene, add_box, add_disc, beside, place_body, total_energy
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import DistanceJointSpec, WorldSettings

__all__ = ["NewtonsCradle"]

LENGTH, RADIUS = 4.0, 0.5
"""Meters: of the rods, of the balls."""
PULLED_TO = math.radians(45.0)
_QUIET = 0.02
"""Seconds without a new contact after which a blow has gone through."""
_FULL = 0.75
"""Share of the momentum predicted from which a row of contacts is the blow of the balls that fell, and not the rest hanging together."""
ALLOWED = 0.02
"""Share of the momentum: while the blow goes through, some hundredths of a second, gravity already slows the balls that swing out."""


@register(
    id="newtons_cradle",
    category="Impacts",
    title="Newton's cradle",
    watch="As many balls leave on one side as fall in on the other.",
)
class NewtonsCradle(Scene):
    """Discs on rods; their spin is locked, so that a disc is a point of its mass."""

    tries = (
        ("Start again: Enter.", "key return"),
        ("Pull two balls aside.", "set pulled"),
        ("Close the gaps to 0: Box2D then shares the blow among all balls.", "set gap"),
    )
    keywords = "momentum energy impact pendulum cradle"
    parameters = (
        Parameter("balls", 5, 2, 7, "", "balls", whole=True),
        Parameter("pulled", 1, 1, 4, "", "balls pulled aside", whole=True, note="At least one ball stays at rest."),
        Parameter("gap", 5.0, 0.0, 50.0, "mm", "gap between the balls"),
        Parameter("hertz", 240, 60, 480, "Hz", "steps a second", whole=True),
    )
    keys = (("Enter", "pull again"),)

    blow: tuple[float, float] | None
    """Momentum before and after the last blow."""
    first: float | None
    """Momentum before the first blow."""
    n_blows: int
    _since_contact: float

    def settings(self) -> WorldSettings:
        return WorldSettings(hertz=self.parameter("hertz"))

    def furnish(self) -> None:
        n, pitch = int(self.parameter("balls")), 2.0 * RADIUS + 0.001 * self.parameter("gap")
        self.places = [(k - 0.5 * (n - 1)) * pitch for k in range(n)]
        beam = add_box(self.stage, (0.0, LENGTH + 0.1), n * pitch, 0.2, type="static", name="beam")
        self.balls = []
        for k, x in enumerate(self.places):
            ball = self.paint(
                add_disc(
                    self.stage,
                    (x, 0.0),
                    RADIUS,
                    friction=0.0,
                    restitution=1.0,
                    fixed_rotation=True,
                    bullet=True,
                    allow_sleep=False,
                    name="ball",
                ),
                palette.BODY_COLORS[k % len(palette.BODY_COLORS)],
            )
            self.world.create_joint(DistanceJointSpec(beam, ball, (x, LENGTH), (x, 0.0)))
            self.balls.append(ball)
        self._pull()

    def on_key(self, key: str) -> bool:
        """Pull the balls aside again with Enter."""
        if key == "return":
            self._pull()
        return key == "return"

    def before_step(self) -> None:
        """Remember the momentum while no blow goes through."""
        if self._since_contact > _QUIET:
            self._before = self.momentum

    def after_step(self) -> None:
        """See blows begin and end."""
        self._since_contact += self.step_seconds
        if self.world.contacts.began:
            self._since_contact = 0.0
            self._is_blow = True
        elif self._is_blow and self._since_contact > _QUIET:
            self._is_blow = False
            if self.world.is_body(self.balls[0]) and abs(self._before) > _FULL * self.predicted:
                self.blow = (self._before, self.momentum)
                self.first = self.blow[0] if self.first is None else self.first
                self.n_blows += 1

    @property
    def momentum(self) -> float:
        """Of all balls, N s, to the right."""
        return sum(self.world.body(ball).mass * self.world.state(ball).linear_velocity[0] for ball in self._hanging)

    @property
    def predicted(self) -> float:
        """Momentum of the balls that were pulled aside when they first come down, N s: of m sqrt(2 g L (1 - cos)) each."""
        speed = math.sqrt(2.0 * self.gravity * LENGTH * (1.0 - math.cos(PULLED_TO)))
        return self.n_pulled * self.world.body(self.balls[0]).mass * speed

    @property
    def energy(self) -> float:
        """Share of the energy at the start that is left."""
        return total_energy(self.world, self._hanging) / self._energy if self._energy > 0.0 else 0.0

    @property
    def _hanging(self) -> list[int]:
        return [ball for ball in self.balls if self.world.is_body(ball)]

    def home(self) -> AABB:
        width = LENGTH * math.sin(PULLED_TO) + self.places[-1] + RADIUS + 0.3
        return AABB((-width, -1.2), (width, LENGTH + 0.6))

    def status(self) -> Sequence[StatusLine]:
        lines: list[StatusLine] = [(f"energy: {100.0 * self.energy:.1f} % of that at the start", palette.TEXT)]
        if self.world.is_body(self.balls[0]):
            lines.insert(0, beside("momentum that came in first", self.first, self.predicted, "N s", ALLOWED * self.predicted))
        if self.blow is not None:
            before, after = self.blow
            color = palette.AGREE if abs(after - before) <= ALLOWED * abs(before) else palette.WARNING
            lines.append((f"blow {self.n_blows}: momentum {before:+.2f} N s before, {after:+.2f} after", color))
        return lines

    def _pull(self) -> None:
        self._is_blow, self._since_contact = False, 1.0
        self._before = 0.0
        self.blow = self.first = None
        self.n_blows = 0
        self.n_pulled = min(int(self.parameter("pulled")), len(self.balls) - 1)
        for k, (ball, x) in enumerate(zip(self.balls, self.places, strict=True)):
            angle = PULLED_TO if k < self.n_pulled else 0.0
            place_body(self.world, ball, (x - LENGTH * math.sin(angle), LENGTH * (1.0 - math.cos(angle))))
        self._energy = total_energy(self.world, self._hanging)
