"""One shot: a disc flies along the x axis at a target whose middle plane is x = 0.

    muzzle                          target
      o ---->    d    d    d        |#|
      |------|------|------|------|-|#|--|---->  x
      step 0    1      2      3     x = 0   4

A step carries the bullet by d = min(speed / hertz, 2 m): Box2D caps the way of a step, and with it the speed. Where the steps
fall with respect to the target is luck; the *phase* says it. It is the fraction of a step by which the last position
before the middle plane falls short of it: positions are ``x = (k - n - phase) d``, were there no target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from engine.common.checks import boolean, choice, finite
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import BOX2D_POLYGON_SKIN

__all__ = ["DEFAULT_RADIUS", "HALF_PHASE", "TARGETS", "ShotSpec", "Target"]

Target = Literal["static", "dynamic", "hinged", "stack"]
TARGETS: tuple[Target, ...] = get_args(Target)
"""A wall; a plate at rest that nothing holds; a plate hanging from a hinge; planks standing on each other."""

HALF_PHASE = 0.5
"""The phase of a single shot: the middle plane lies half-way between two steps, so that it tunnels unless half a step is
shorter than the zone that catches it (`engine.experiments.prediction`)."""

DEFAULT_RADIUS = 0.05
"""Metres: the bullet of the demo and of the command ``fire``."""

_RUN_UP = 4.0
"""Metres of flight before the target, as far as whole steps allow."""
_FEWEST_STEPS, _MOST_STEPS = 2, 48
"""Steps of flight: few enough for slow bullets to arrive soon, and enough to see them come."""


@dataclass(frozen=True, slots=True)
class ShotSpec:
    """Everything that decides a shot.

    Parameters
    ----------
    speed : float
        Muzzle speed, 0 to 100,000 m/s.
    thickness : float
        Of the target, without Box2D's skin of 0.01 m a side, 0.0001 to 100 m.
    hertz : float
        Steps a second, 1 to 10,000.
    radius : float
        Of the bullet, 0.0001 to 100 m.
    ccd : bool
        Both switches together: the world's continuous physics and the body's bullet flag.
    target : "static", "dynamic", "hinged" or "stack"
    phase : float
        0 to 1, see the module.
    direction : int
        1 shoots to the right, -1 to the left.

    Raises
    ------
    InvalidInputError
        A value is outside its range.
    """

    speed: float = 110.0
    thickness: float = 0.05
    hertz: float = 60.0
    radius: float = DEFAULT_RADIUS
    ccd: bool = False
    target: Target = "static"
    phase: float = HALF_PHASE
    direction: int = 1

    def __post_init__(self) -> None:
        for name, unit, low, high in (
            ("speed", "m/s", 0.0, 1.0e5),
            ("thickness", "m", 1.0e-4, 100.0),
            ("hertz", "Hz", 1.0, 1.0e4),
            ("radius", "m", 1.0e-4, 100.0),
            ("phase", "", 0.0, 1.0),
        ):
            object.__setattr__(self, name, _within(name, getattr(self, name), unit, low, high))
        boolean("ccd", self.ccd)
        choice("target", self.target, TARGETS)
        if self.direction not in (1, -1):
            raise InvalidInputError("direction", "1 or -1", self.direction)

    @property
    def travel(self) -> float:
        """Metres the bullet moves in a step."""
        return min(self.speed / self.hertz, MAX_TRANSLATION_PER_STEP)

    @property
    def is_capped(self) -> bool:
        """Whether Box2D's cap of 2 m a step makes the bullet slower than its speed says."""
        return self.speed / self.hertz > MAX_TRANSLATION_PER_STEP

    @property
    def flown_speed(self) -> float:
        """Speed that the bullet really has, m/s."""
        return MAX_TRANSLATION_PER_STEP * self.hertz if self.is_capped else self.speed

    @property
    def reach(self) -> float:
        """Distance of the bullet's centre from the middle plane within which Box2D makes contact points, metres."""
        return 0.5 * self.thickness + self.radius + BOX2D_POLYGON_SKIN

    @property
    def muzzle(self) -> float:
        """Where the bullet starts, x in metres.

        Whole steps and the phase before the middle plane. Where a step is so short against target and bullet that the
        bullet would start in contact, it starts three steps before the contact instead; a step that short never jumps
        over anything, and the phase decides nothing.
        """
        if self.travel == 0.0:
            return -self.direction * (self.reach + 1.0)
        n_steps = min(max(round(_RUN_UP / self.travel), _FEWEST_STEPS), _MOST_STEPS)
        distance = n_steps * self.travel
        if distance < 2.0 * self.reach:
            distance = self.reach + 3.0 * self.travel
        return -self.direction * (distance + self.phase * self.travel)


def _within(field: str, value: object, unit: str, low: float, high: float) -> float:
    wanted = f"from {low:g} to {high:g}" + (f" {unit}" if unit else "")
    try:
        number = finite(field, value)
    except InvalidInputError:
        raise InvalidInputError(field, wanted, value) from None
    if not low <= number <= high:
        raise InvalidInputError(field, wanted, value)
    return number
