"""One shot: a bullet flies straight at a target whose middle plane is x = 0, or comes to x = 0 together with it.

    muzzle                          target                               \\  angle > 0: from above
      o ---->    d    d    d        |#|                                    \\
      |------|------|------|------|-|#|--|---->  x                 ---------|#|  the normal of the wall
      step 0    1      2      3     x = 0   4

A step moves the bullet by d = min(speed / hertz, 2 m), because Box2D caps the displacement per step. (Under the rule "substeps", a step
consists of many of Box2D's steps, and the cap is that many times higher.) The positions of the steps relative to the target are arbitrary;
the *phase* describes them. It is the fraction of a step by which the last position before the middle plane falls short of it: without a
target, positions are ``(k - n - phase) d`` along the line of flight. A moving target starts so that it would be at x = 0 together with the
bullet, and the phase refers to the relative displacement per step.
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
"""Contacts only at the end of a step; the world's continuous physics, without and with the body's bullet flag; our own sub-steps and our
own swept test in addition to discrete steps (`engine.experiments.rules`).
"""

_ON_BOX2D: tuple[Rule, ...] = ("substeps", "swept")
"""Rules that control Box2D's discrete steps; a solver with its own continuous collision detection does not need them."""

Target = Literal["static", "dynamic", "kinematic", "blade", "sensor", "head_on"]
TARGETS: tuple[Target, ...] = get_args(Target)
"""A wall; a free plate at rest; a moving wall; a blade that spins at a constant rate; a wall that is a sensor; another bullet, head-on."""

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
"""The phase of a single shot: the middle plane is half-way between two steps, so that it tunnels unless half a step is shorter than the
zone in which it is stopped (`engine.experiments.tunneling`).
"""

DEFAULT_RADIUS = 0.05
"""Radius of the bullet in the demo and the command ``fire``, meters."""

MAX_ANGLE = math.radians(80.0)
"""Maximum angle of incidence, radians; beyond it, a grazing shot travels meters within the zone of the wall."""
MAX_HEIGHT = 0.5
"""Maximum height above the middle of a target, meters, within the extent of every target."""
MAX_TURN = math.radians(360.0)

SHORTEST_STEP = 1.0e-4
"""Shortest step of `engine.world.World`, seconds: 10,000 Hz."""

BLADE_HALF_LENGTH = 0.8
"""Distance from the hub of the blade to its tip, where its speed is measured, meters."""

_RUN_UP = 4.0
"""Length of the flight before the target, meters, up to whole steps."""
_MIN_STEPS, _MAX_STEPS = 2, 48
"""Number of steps of flight: few, so that slow bullets arrive soon, but enough to watch them."""
_ROOM = 1.0
"""Distance between the reaches of a bullet and a target that do not approach each other, meters."""
_LONGEST_RUN_UP = 100.0
"""Maximum distance from the origin, meters; farther out, the spacing of float32 exceeds a hundredth of a millimeter."""
_SHORTEST_WAY = 1.0e-8
"""Minimum displacement per step, meters: the spacing of float32 where a slow bullet starts, 0.1 m away. A slower bullet would not move."""
_MAX_SPEED_BOX2D3 = 400.0
"""m/s. `b2WorldDef.maximumLinearSpeed` of Box2D 3.1, by default."""
_SAME = 1.0e-9
"""Relative rounding of the few operations by which two ways to compute a distance differ."""


def rules_of(solver: str) -> tuple[Rule, ...]:
    """Return the rules that a solver supports."""
    return RULES if solver == "box2d" else tuple(rule for rule in RULES if rule not in _ON_BOX2D)


@dataclass(frozen=True, slots=True)
class ShotSpec:
    """The complete input of a shot.

    Parameters
    ----------
    speed : float
        Muzzle speed, 0 to 100,000 m/s; at least 1e-8 m per step, or 0. The same applies to `target_speed`.
    thickness : float
        Thickness of the target, without Box2D's skin of 0.01 m per side, 0.0001 to 100 m. Another bullet has none.
    hertz : float
        Steps per second, 1 to 10,000.
    radius : float
        Radius of the bullet, 0.0001 to 100 m; half of its side for a box.
    target : one of `TARGETS`
    phase : float
        0 to 1; see the module.
    rule : one of `RULES`
    angle : float
        Angle of incidence between the flight and the target's normal, radians, up to `MAX_ANGLE`; positive from above.
    restitution : float
        Restitution of the bullet, 0 to 1.
    target_speed : float
        Speed of the kinematic wall, the other bullet, or the blade's tip, up to 100,000 m/s; positive toward the bullet.
    shape : "disc" or "box"
        A box flies with a face in front.
    height : float
        Height above the target's middle at which the bullet aims, up to 0.5 m.
    turn : float
        Angle of the blade from upright at the time when the bullet would be at x = 0 without a target, radians.
    solver : str
        One of `engine.world.solvers()`. Only Box2D 2.3 has skins; Box2D 3.1 and our own methods report contacts within `contact_margin`;
        only Box2D has a speed limit, which depends on the version. `SWEPT` has the targets that each rule sweeps.

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
        """True if Box2D 2.3 simulates the shot, with its caps, skins and float32."""
        return self.solver == "box2d"

    @property
    def is_ours(self) -> bool:
        """True if one of our own methods simulates the shot."""
        return self.solver not in SWEPT

    @property
    def is_float32(self) -> bool:
        """True if the solver computes in float32."""
        return self.solver in ("box2d", "box2d3")

    @property
    def skin(self) -> float:
        """Skin that the solver adds around a polygon, meters."""
        return BOX2D_POLYGON_SKIN if self.is_box2d else 0.0

    @property
    def contact_margin(self) -> float:
        """Distance before the touch at which the solver reports a contact, meters, in addition to the skins.

        The solver does not stop bodies before the touch. Our own methods report only a pair that will touch within the step.
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
        """True if the solver itself computes the time of impact with this target."""
        if self.is_ours:
            return self.rule != "discrete"
        return self.target in SWEPT[self.solver].get(self.rule, ())

    @property
    def sees_step_end(self) -> bool:
        """True if the solver reports contacts for the poses at the end of a step, False for those at its start."""
        return self.solver == "chipmunk" or (self.solver == "box2d3" and self.target == "sensor")

    @property
    def most_substeps(self) -> int:
        """Maximum number of Box2D's steps per step: one, unless the rule makes more, each of at least `SHORTEST_STEP`."""
        return max(1, int(1.0 / (SHORTEST_STEP * self.hertz))) if self.rule == "substeps" else 1

    @property
    def longest_travel(self) -> float:
        """Maximum distance that the solver moves a body in a step, meters: with Box2D 2.3, 2 m times the sub-steps."""
        if self.solver == "box2d3":
            return _MAX_SPEED_BOX2D3 / self.hertz
        return MAX_TRANSLATION_PER_STEP * self.most_substeps if self.is_box2d else math.inf

    @property
    def travel(self) -> float:
        """Displacement of the bullet per step along its line of flight, meters."""
        return min(self.speed / self.hertz, self.longest_travel)

    @property
    def target_travel(self) -> float:
        """Displacement of the target toward the bullet per step, meters; negative if it moves away, 0 if it does not translate."""
        if self.target not in ("kinematic", "head_on"):
            return 0.0
        return math.copysign(min(abs(self.target_speed) / self.hertz, self.longest_travel), self.target_speed)

    @property
    def closing(self) -> float:
        """Approach of bullet and target per step along the target's normal, before they meet, meters."""
        return self.travel * self._cosine + self.target_travel

    @property
    def is_capped(self) -> bool:
        """True if the solver's speed limit reduces the bullet's speed."""
        return self.speed / self.hertz > self.longest_travel

    @property
    def flown_speed(self) -> float:
        """Actual speed of the bullet, m/s."""
        return self.longest_travel * self.hertz if self.is_capped else self.speed

    @property
    def flown_target_speed(self) -> float:
        """Actual translational speed of the target toward the bullet, m/s."""
        return self.target_travel * self.hertz

    @property
    def spin(self) -> float:
        """Angular velocity of the blade, counter-clockwise, rad/s; Box2D limits rotation to pi / 2 per step."""
        if self.target != "blade":
            return 0.0
        fastest = MAX_ROTATION_PER_STEP * self.hertz * self.most_substeps if self.is_box2d else math.inf
        rate = self.target_speed / BLADE_HALF_LENGTH
        return math.copysign(min(abs(rate), fastest), rate)

    @property
    def half_target(self) -> float:
        """Distance from the target's middle to its face, without skin, meters."""
        return self.radius if self.target == "head_on" else 0.5 * self.thickness

    @property
    def half_bullet(self) -> float:
        """Distance from the bullet's center to its foremost point along the target's normal, without skin, meters; a corner for an inclined
        box.
        """
        if self.shape == "disc" or self.target == "head_on":
            return self.radius
        return self.radius * (math.cos(self.angle) + abs(math.sin(self.angle)))

    @property
    def reach(self) -> float:
        """Distance of the bullet's center from the middle plane within which a contact is detected, meters: with a skin per polygon, and
        the margin.
        """
        target_has_skin = self.shape == "box" or self.target != "head_on"
        skins = self.skin * (int(target_has_skin) + int(self.shape == "box"))
        return self.half_target + self.half_bullet + skins + self.contact_margin

    @property
    def reach_behind(self) -> float:
        """Distance of the bullet's center behind the middle plane within which a contact is still reported, meters.

        Our own methods report a separating bullet only while it touches, within the distance that counts as touching.
        """
        if self.contact_margin == 0.0 or not self.is_ours:
            return self.reach
        from engine.dynamics.model import TOUCH

        return self.reach - self.contact_margin + TOUCH

    @property
    def run_up(self) -> float:
        """Distance along the line of flight from the muzzle to x = 0, meters: whole steps and the phase.

        If a step is so short compared to target and bullet that the bullet would start in contact, it starts three steps before the contact
        instead; such a short step never jumps over anything, and the phase has no effect.
        """
        if self.travel == 0.0:
            return (self.reach + _ROOM) / self._cosine
        distance = _whole_steps(self.travel) * self.travel
        if distance * self._cosine < 2.0 * self.reach:
            distance = self.reach / self._cosine + 3.0 * self.travel
        way = distance + self.phase * self.travel
        if self.closing > 0.0 and way / self.travel * self.closing < 2.0 * self.reach:  # farther away for a receding wall
            farther = (math.ceil(self.reach / self.closing) + 3 + self.phase) * self.travel
            return farther if farther <= _LONGEST_RUN_UP else way
        return way

    @property
    def gap(self) -> float:
        """Distance along the normal between the bullet's center at the muzzle and the target's middle, meters."""
        near = self.run_up * self._cosine
        if self.target_travel == 0.0:
            return near
        steps = self.run_up / self.travel if self.travel > 0.0 else _whole_steps(abs(self.target_travel)) + self.phase
        if steps * self.closing >= 2.0 * self.reach:
            return steps * self.closing
        return (math.ceil(self.reach / self.closing) + 3 + self.phase) * self.closing if self.closing > 0.0 else self.reach + _ROOM

    @property
    def meets_at_center(self) -> bool:
        """Whether bullet and target, if unobstructed, are at x = 0 at the same time; False for a target that the bullet hardly catches up
        with.
        """
        if self.target_travel == 0.0:
            return True
        return self.travel > 0.0 and math.isclose(self.run_up / self.travel * self.closing, self.gap, rel_tol=_SAME)

    @property
    def start(self) -> tuple[float, float]:
        """Position of the bullet at the start, meters."""
        return -self.run_up * math.cos(self.angle), self.height + self.run_up * math.sin(self.angle)

    @property
    def velocity(self) -> tuple[float, float]:
        """The bullet's requested velocity at the muzzle, m/s."""
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
        """Requested velocity of a translating target, m/s."""
        if self.target == "head_on":
            return -self.target_speed * math.cos(self.angle), self.target_speed * math.sin(self.angle)
        return (-self.target_speed if self.target == "kinematic" else 0.0), 0.0

    @property
    def start_turn(self) -> float:
        """The blade's angle from upright when the shot is fired, radians."""
        return self.turn - (self.spin * self.run_up / self.flown_speed if self.flown_speed > 0.0 else 0.0)

    @property
    def _cosine(self) -> float:
        """Share of the bullet's path along the target's normal; another bullet is hit along the line of flight."""
        return 1.0 if self.target == "head_on" else math.cos(self.angle)


def _whole_steps(travel: float) -> int:
    return min(max(round(_RUN_UP / travel), _MIN_STEPS), _MAX_STEPS)
