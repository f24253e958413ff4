"""One shot: a bullet flies straight at a target whose middle plane is x = 0, or comes to x = 0 together with it.

    muzzle                          target                               \\  angle > 0: from above
      o ---->    d    d    d        |#|                                    \\
      |------|------|------|------|-|#|--|---->  x                 ---------|#|  the normal of the wall
      step 0    1      2      3     x = 0   4

A step carries the bullet by d = min(speed / hertz, 2 m): Box2D caps the way of a step, and with it the speed. (Under the rule
"substeps" a step is many steps of Box2D's, and the cap is that many times higher.) Where the steps fall with respect to the
target is luck; the *phase* says it. It is the fraction of a step by which the last position before the middle plane falls short
of it: positions are ``(k - n - phase) d`` along the line of flight, were there no target. A target that moves starts so that it
would be at x = 0 together with the bullet, and the same holds for what they come nearer by in a step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from engine.common.checks import choice, within
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_ROTATION_PER_STEP, MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import BOX2D_POLYGON_SKIN

__all__ = [
    "BLADE_HALF_LENGTH",
    "BULLET_SHAPES",
    "DEFAULT_RADIUS",
    "HALF_PHASE",
    "MAX_ANGLE",
    "MAX_HEIGHT",
    "MAX_TURN",
    "RULES",
    "SHORTEST_STEP",
    "TARGETS",
    "BulletShape",
    "Rule",
    "ShotSpec",
    "Target",
    "rules_of",
]

Rule = Literal["discrete", "default", "bullet", "substeps", "swept"]
RULES: tuple[Rule, ...] = get_args(Rule)
"""Contacts only where a step ends; the world's continuous physics, without and with the body's bullet flag; our own sub-steps and
our own swept test on top of discrete steps (`engine.experiments.rules`)."""

_ON_BOX2D: tuple[Rule, ...] = ("substeps", "swept")
"""Those that drive Box2D's discrete steps; a solver that looks between the steps by itself has no use for them."""

Target = Literal["static", "dynamic", "kinematic", "blade", "sensor", "head_on"]
TARGETS: tuple[Target, ...] = get_args(Target)
"""A wall; a plate at rest that nothing holds; a wall that moves; a blade that spins at a constant rate; a wall that only senses; another
bullet, head-on."""

SWEPT: dict[str, dict[Rule, tuple[Target, ...]]] = {
    "box2d": {"default": ("static", "kinematic", "blade"), "bullet": ("static", "kinematic", "blade", "dynamic", "head_on")},
    "box2d3": {"default": ("static",), "bullet": ("static", "kinematic", "blade", "dynamic")},
    "chipmunk": {},
}
"""Targets that an engine sweeps bullets against, by rule. Our own methods sweep all bodies against all targets unless the rule is discrete.
Box2D 3.1 skips pairs of bullets; Chipmunk has no continuous collision detection."""

BulletShape = Literal["disc", "box"]
BULLET_SHAPES: tuple[BulletShape, ...] = get_args(BulletShape)

HALF_PHASE = 0.5
"""The phase of a single shot: the middle plane lies half-way between two steps, so that it tunnels unless half a step is
shorter than the zone that catches it (`engine.experiments.tunneling`)."""

DEFAULT_RADIUS = 0.05
"""Meters: the bullet of the demo and of the command ``fire``."""

MAX_ANGLE = math.radians(80.0)
"""Radians of incidence: beyond, a shot that grazes travels meters inside the zone of the wall."""
MAX_HEIGHT = 0.5
"""Meters off the middle of a target: every target reaches so far."""
MAX_TURN = math.radians(360.0)

SHORTEST_STEP = 1.0e-4
"""Seconds: the shortest step that `engine.world.World` takes, 10,000 Hz."""

BLADE_HALF_LENGTH = 0.8
"""Meters from the hub of the blade to its tip, where its speed is measured."""

_RUN_UP = 4.0
"""Meters of flight before the target, as far as whole steps allow."""
_MIN_STEPS, _MAX_STEPS = 2, 48
"""Steps of flight: few enough for slow bullets to arrive soon, and enough to see them come."""
_ROOM = 1.0
"""Meters between the reaches of a bullet and a target that do not come nearer to each other."""
_LONGEST_RUN_UP = 100.0
"""Meters: farther off, float32 sees less than a hundredth of a millimeter."""
_SHORTEST_WAY = 1.0e-8
"""Meters a step, of what moves at all: the spacing of float32 where a slow bullet starts, 0.1 m away. What is slower stands still there."""
_MAX_SPEED_BOX2D3 = 400.0
"""m/s. `b2WorldDef.maximumLinearSpeed` of Box2D 3.1, by default."""
_SAME = 1.0e-9
"""Rounding, relative: of the few operations from one way to compute a distance to another."""


def rules_of(solver: str) -> tuple[Rule, ...]:
    """Return the rules that mean something on a solver."""
    return RULES if solver == "box2d" else tuple(rule for rule in RULES if rule not in _ON_BOX2D)


@dataclass(frozen=True, slots=True)
class ShotSpec:
    """Everything that decides a shot.

    Parameters
    ----------
    speed : float
        Muzzle speed, 0 to 100,000 m/s; 1e-8 m a step at least, or 0. So too `target_speed`.
    thickness : float
        Of the target, without Box2D's skin of 0.01 m a side, 0.0001 to 100 m. Another bullet has none.
    hertz : float
        Steps a second, 1 to 10,000.
    radius : float
        Of the bullet, 0.0001 to 100 m; half of its side where it is a box.
    target : one of `TARGETS`
    phase : float
        0 to 1, see the module.
    rule : one of `RULES`
    angle : float
        Incidence: radians between the flight and the normal of the target, up to `MAX_ANGLE`; positive comes from above.
    restitution : float
        0 to 1, of the bullet.
    target_speed : float
        m/s, up to 100,000, toward the bullet, negative away: of the kinematic wall, of the other bullet, of the blade's tip.
    shape : "disc" or "box"
        A box flies with a face ahead.
    height : float
        Meters above the target's middle at which the bullet aims, up to 0.5.
    turn : float
        Radians by which the blade is turned from upright at the moment when the bullet, were it alone, would be at x = 0.
    solver : str
        Of `engine.world.solvers()`. Only Box2D 2.3 has skins; Box2D 3.1 and our own methods report contacts within `contact_margin`; only
        Box2D has a speed limit, in each version its own. `SWEPT` says which targets each rule sweeps.

    Raises
    ------
    InvalidInputError
        A value is outside its range.
    """

    speed: float = 110.0
    thickness: float = 0.05
    hertz: float = 60.0
    radius: float = DEFAULT_RADIUS
    target: Target = "static"
    phase: float = HALF_PHASE
    rule: Rule = "discrete"
    angle: float = 0.0
    restitution: float = 0.0
    target_speed: float = 0.0
    shape: BulletShape = "disc"
    height: float = 0.0
    turn: float = 0.0
    solver: str = "box2d"

    def __post_init__(self) -> None:
        for name, unit, low, high in (
            ("speed", "m/s", 0.0, 1.0e5),
            ("thickness", "m", 1.0e-4, 100.0),
            ("hertz", "Hz", 1.0, 1.0e4),
            ("radius", "m", 1.0e-4, 100.0),
            ("phase", "", 0.0, 1.0),
            ("angle", "rad", -MAX_ANGLE, MAX_ANGLE),
            ("restitution", "", 0.0, 1.0),
            ("target_speed", "m/s", -1.0e5, 1.0e5),
            ("height", "m", -MAX_HEIGHT, MAX_HEIGHT),
            ("turn", "rad", -MAX_TURN, MAX_TURN),
        ):
            object.__setattr__(self, name, within(name, getattr(self, name), low, high, unit))
        for name in ("speed", "target_speed"):
            if 0.0 < abs(getattr(self, name)) < _SHORTEST_WAY * self.hertz:
                least = f"0 or at least {_SHORTEST_WAY * self.hertz:g} m/s ({_SHORTEST_WAY:g} m per step)"
                raise InvalidInputError(name, least, getattr(self, name))
        if not self.is_box2d:
            from engine.world.solver import solvers

            choice("solver", self.solver, solvers())
        for name, allowed in (("target", TARGETS), ("rule", rules_of(self.solver)), ("shape", BULLET_SHAPES)):
            choice(name, getattr(self, name), allowed)

    @property
    def is_box2d(self) -> bool:
        """True if Box2D 2.3 drives the world of the shot, with its caps, skins and float32."""
        return self.solver == "box2d"

    @property
    def is_ours(self) -> bool:
        """True if one of our own methods drives the world of the shot."""
        return self.solver not in SWEPT

    @property
    def is_float32(self) -> bool:
        """True if the solver computes in float32."""
        return self.solver in ("box2d", "box2d3")

    @property
    def skin(self) -> float:
        """Meters that the solver puts around a polygon."""
        return BOX2D_POLYGON_SKIN if self.is_box2d else 0.0

    @property
    def contact_margin(self) -> float:
        """Distance before the touch at which the solver reports a contact, meters, in addition to the skins.

        It stops nothing before the touch. Our own methods report only a pair that will touch within the step.
        """
        if self.is_box2d or self.target == "sensor":
            return 0.0
        from engine.world.solver import load_solver

        margin = 2.0 * load_solver(self.solver).capabilities.margin
        if not self.is_ours or self.spin != 0.0:
            return margin
        from engine.dynamics.model import TOUCH

        return min(margin, max(self.closing, 0.0) + TOUCH)

    @property
    def looks_between_steps(self) -> bool:
        """True if the solver itself looks for the time of impact with this target."""
        if self.is_ours:
            return self.rule != "discrete"
        return self.target in SWEPT[self.solver].get(self.rule, ())

    @property
    def sees_step_end(self) -> bool:
        """True if the solver reports the contacts of the poses at the end of a step, otherwise of those at its start."""
        return self.solver == "chipmunk" or (self.solver == "box2d3" and self.target == "sensor")

    @property
    def most_substeps(self) -> int:
        """Steps of Box2D's that one step may be made of, at the most: one, unless the rule makes more, of `SHORTEST_STEP` at least."""
        return max(1, int(1.0 / (SHORTEST_STEP * self.hertz))) if self.rule == "substeps" else 1

    @property
    def longest_travel(self) -> float:
        """Maximum distance that the solver moves a body in a step, meters: with Box2D 2.3, 2 m times the sub-steps."""
        if self.solver == "box2d3":
            return _MAX_SPEED_BOX2D3 / self.hertz
        return MAX_TRANSLATION_PER_STEP * self.most_substeps if self.is_box2d else math.inf

    @property
    def travel(self) -> float:
        """Meters the bullet moves in a step, along its line of flight."""
        return min(self.speed / self.hertz, self.longest_travel)

    @property
    def target_travel(self) -> float:
        """Meters the target comes toward the bullet in a step; negative where it runs away, 0 for what does not move as a whole."""
        if self.target not in ("kinematic", "head_on"):
            return 0.0
        return math.copysign(min(abs(self.target_speed) / self.hertz, self.longest_travel), self.target_speed)

    @property
    def closing(self) -> float:
        """Meters that bullet and target come nearer in a step, along the target's normal, before they meet."""
        return self.travel * self._cosine + self.target_travel

    @property
    def is_capped(self) -> bool:
        """True if the solver's speed limit makes the bullet slower than its muzzle speed."""
        return self.speed / self.hertz > self.longest_travel

    @property
    def flown_speed(self) -> float:
        """Speed that the bullet really has, m/s."""
        return self.longest_travel * self.hertz if self.is_capped else self.speed

    @property
    def flown_target_speed(self) -> float:
        """Speed that the target as a whole really has, toward the bullet, m/s."""
        return self.target_travel * self.hertz

    @property
    def spin(self) -> float:
        """Radians a second that the blade turns, counter-clockwise; Box2D turns nothing by more than pi / 2 in a step."""
        if self.target != "blade":
            return 0.0
        fastest = MAX_ROTATION_PER_STEP * self.hertz * self.most_substeps if self.is_box2d else math.inf
        rate = self.target_speed / BLADE_HALF_LENGTH
        return math.copysign(min(abs(rate), fastest), rate)

    @property
    def half_target(self) -> float:
        """Meters from the target's middle to its face, without skin."""
        return self.radius if self.target == "head_on" else 0.5 * self.thickness

    @property
    def half_bullet(self) -> float:
        """Meters from the bullet's center to its foremost point along the target's normal, without skin: of a box at an angle a corner."""
        if self.shape == "disc" or self.target == "head_on":
            return self.radius
        return self.radius * (math.cos(self.angle) + abs(math.sin(self.angle)))

    @property
    def reach(self) -> float:
        """Meters from the middle plane to the bullet's center within which a contact is seen: a skin for each polygon, and the margin."""
        target_has_skin = self.shape == "box" or self.target != "head_on"
        skins = self.skin * (int(target_has_skin) + int(self.shape == "box"))
        return self.half_target + self.half_bullet + skins + self.contact_margin

    @property
    def reach_behind(self) -> float:
        """Meters from the middle plane to the bullet's center, behind the target, within which a contact is still reported.

        Our own methods report a bullet that leaves again only while it touches, within the distance that counts as touching.
        """
        if self.contact_margin == 0.0 or not self.is_ours:
            return self.reach
        from engine.dynamics.model import TOUCH

        return self.reach - self.contact_margin + TOUCH

    @property
    def run_up(self) -> float:
        """Meters along the line of flight from the muzzle to x = 0.

        Whole steps and the phase. Where a step is so short against target and bullet that the bullet would start in contact, it
        starts three steps before the contact instead; a step that short never jumps over anything, and the phase decides nothing.
        """
        if self.travel == 0.0:
            return (self.reach + _ROOM) / self._cosine
        distance = _whole_steps(self.travel) * self.travel
        if distance * self._cosine < 2.0 * self.reach:
            distance = self.reach / self._cosine + 3.0 * self.travel
        way = distance + self.phase * self.travel
        if self.closing > 0.0 and way / self.travel * self.closing < 2.0 * self.reach:  # a wall that runs away: from farther off
            farther = (math.ceil(self.reach / self.closing) + 3 + self.phase) * self.travel
            return farther if farther <= _LONGEST_RUN_UP else way
        return way

    @property
    def gap(self) -> float:
        """Meters along the normal between the bullet's center and the target's middle at the muzzle."""
        near = self.run_up * self._cosine
        if self.target_travel == 0.0:
            return near
        steps = self.run_up / self.travel if self.travel > 0.0 else _whole_steps(abs(self.target_travel)) + self.phase
        if steps * self.closing >= 2.0 * self.reach:
            return steps * self.closing
        return (math.ceil(self.reach / self.closing) + 3 + self.phase) * self.closing if self.closing > 0.0 else self.reach + _ROOM

    @property
    def meets_at_center(self) -> bool:
        """Whether bullet and target, unhindered, are at x = 0 together; not so a target that one of them can hardly catch up with."""
        if self.target_travel == 0.0:
            return True
        return self.travel > 0.0 and math.isclose(self.run_up / self.travel * self.closing, self.gap, rel_tol=_SAME)

    @property
    def start(self) -> tuple[float, float]:
        """Position of the bullet at the start, meters."""
        return -self.run_up * math.cos(self.angle), self.height + self.run_up * math.sin(self.angle)

    @property
    def velocity(self) -> tuple[float, float]:
        """The bullet's velocity at the muzzle, m/s, as asked for."""
        return self.speed * math.cos(self.angle), -self.speed * math.sin(self.angle)

    @property
    def target_start(self) -> tuple[float, float]:
        """Center of a translating target at the start, meters."""
        ahead = self.gap - self.run_up * self._cosine
        if self.target == "head_on":
            return ahead * math.cos(self.angle), self.height - ahead * math.sin(self.angle)
        return ahead, 0.0

    @property
    def target_velocity(self) -> tuple[float, float]:
        """Velocity of a target that moves as a whole, m/s, as asked for."""
        if self.target == "head_on":
            return -self.target_speed * math.cos(self.angle), self.target_speed * math.sin(self.angle)
        return (-self.target_speed if self.target == "kinematic" else 0.0), 0.0

    @property
    def start_turn(self) -> float:
        """The blade's angle from upright when the shot is fired, radians."""
        return self.turn - (self.spin * self.run_up / self.flown_speed if self.flown_speed > 0.0 else 0.0)

    @property
    def _cosine(self) -> float:
        """Share of the bullet's way that goes along the target's normal; another bullet is met along the line of flight."""
        return 1.0 if self.target == "head_on" else math.cos(self.angle)


def _whole_steps(travel: float) -> int:
    return min(max(round(_RUN_UP / travel), _MIN_STEPS), _MAX_STEPS)
