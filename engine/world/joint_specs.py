"""Joint specifications: how two bodies are joined, in world coordinates at the moment of creation, as a user thinks.

What a joint keeps of the moment of its creation may be given instead, so that one that is loaded goes on where it was: `anchor_b`, the
anchor on body B where it is not the one on A, `reference_angle`, the angle of B less that of A, radians, from which limits count, and the
lengths at rest, metres. None is what it is at creation.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, TypeAlias, get_args

from engine.common.checks import boolean, integer
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_COORDINATE
from engine.common.tolerances import EPS64, LINEAR_SLOP
from engine.world._spec import f32, f32_vec, spec

__all__ = [
    "JOINT_SPECS",
    "DistanceJointSpec",
    "FrictionJointSpec",
    "GearJointSpec",
    "JointSpec",
    "MotorJointSpec",
    "MouseJointSpec",
    "PrismaticJointSpec",
    "PulleyJointSpec",
    "RevoluteJointSpec",
    "RopeJointSpec",
    "WeldJointSpec",
    "WheelJointSpec",
    "bodies_of",
    "joints_of",
]


@spec
class RevoluteJointSpec:
    """A hinge at `anchor` (world, m); limits in rad relative to `reference_angle`, motor in rad/s and N m."""

    body_a: int
    body_b: int
    anchor: tuple[float, float]
    enable_limit: bool = False
    lower_angle: float = 0.0
    upper_angle: float = 0.0
    enable_motor: bool = False
    motor_speed: float = 0.0
    max_motor_torque: float = 0.0
    collide_connected: bool = False
    anchor_b: tuple[float, float] | None = None
    reference_angle: float | None = None

    def __post_init__(self) -> None:
        _check(self, ("lower_angle", "upper_angle"))


@spec
class DistanceJointSpec:
    """A rod of `length` m between two anchors (world, m); a spring where `frequency` > 0 Hz."""

    body_a: int
    body_b: int
    anchor_a: tuple[float, float]
    anchor_b: tuple[float, float]
    frequency: float = 0.0
    damping_ratio: float = 0.0
    collide_connected: bool = False
    length: float | None = None

    def __post_init__(self) -> None:
        _check(self)
        if self.length is None:
            _apart("anchor_b", self.anchor_a, self.anchor_b)


@spec
class WeldJointSpec:
    """Two bodies glued at `anchor` (world, m); soft in rotation where `frequency` > 0 Hz."""

    body_a: int
    body_b: int
    anchor: tuple[float, float]
    frequency: float = 0.0
    damping_ratio: float = 0.0
    collide_connected: bool = False
    anchor_b: tuple[float, float] | None = None
    reference_angle: float | None = None

    def __post_init__(self) -> None:
        _check(self)


@spec
class PrismaticJointSpec:
    """A slider along `axis` (world direction, fixed to body A); limits in m, motor in m/s and N."""

    body_a: int
    body_b: int
    anchor: tuple[float, float]
    axis: tuple[float, float]
    enable_limit: bool = False
    lower_translation: float = 0.0
    upper_translation: float = 0.0
    enable_motor: bool = False
    motor_speed: float = 0.0
    max_motor_force: float = 0.0
    collide_connected: bool = False
    anchor_b: tuple[float, float] | None = None
    reference_angle: float | None = None

    def __post_init__(self) -> None:
        _check(self, ("lower_translation", "upper_translation"))


@spec
class WheelJointSpec:
    """A wheel, body B, that turns freely at `anchor` and is sprung along `axis` (world direction, fixed to body A)."""

    body_a: int
    body_b: int
    anchor: tuple[float, float]
    axis: tuple[float, float] = (0.0, 1.0)
    frequency: float = 2.0
    damping_ratio: float = 0.7
    enable_motor: bool = False
    motor_speed: float = 0.0
    max_motor_torque: float = 0.0
    collide_connected: bool = False
    anchor_b: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _check(self)


@spec
class RopeJointSpec:
    """Two anchors (world, m) never farther apart than `max_length` m; their distance now where it is None."""

    body_a: int
    body_b: int
    anchor_a: tuple[float, float]
    anchor_b: tuple[float, float]
    max_length: float | None = None
    collide_connected: bool = False

    def __post_init__(self) -> None:
        _check(self)


@spec
class PulleyJointSpec:
    """Two bodies on one rope over two fixed points: ``length_a + ratio * length_b`` (m) stays what it is."""

    body_a: int
    body_b: int
    ground_anchor_a: tuple[float, float]
    ground_anchor_b: tuple[float, float]
    anchor_a: tuple[float, float]
    anchor_b: tuple[float, float]
    ratio: float = 1.0
    collide_connected: bool = True
    length_a: float | None = None
    length_b: float | None = None

    def __post_init__(self) -> None:
        _check(self)
        _ratio(self.ratio, self.ratio)
        if self.length_a is None:
            _apart("anchor_a", self.ground_anchor_a, self.anchor_a)
        if self.length_b is None:
            _apart("anchor_b", self.ground_anchor_b, self.anchor_b)


@spec
class MouseJointSpec:
    """A soft pull on `body`, at the point of it that is at `grabbed` (world, m; at `target` where None), towards wherever `target` goes."""

    body: int
    target: tuple[float, float]
    max_force: float
    frequency: float = 5.0
    damping_ratio: float = 0.7
    grabbed: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _check(self)


@spec
class FrictionJointSpec:
    """Friction, as on a table seen from above, at `anchor` (world, m):
    at most `max_force` N against sliding, `max_torque` N m against turning.
    """

    body_a: int
    body_b: int
    anchor: tuple[float, float]
    max_force: float
    max_torque: float = 0.0
    collide_connected: bool = False
    anchor_b: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _check(self)


@spec
class MotorJointSpec:
    """Driving `body_b` to a place and an angle in the frame of `body_a`, as hard as `max_force` N and `max_torque` N m allow.

    `linear_offset` (m, in the frame of body A) is where the origin of body B shall be, `angular_offset` (rad) its angle less that of A;
    None is as they stand. Of what is missing, a share `correction_factor` is asked for in each step.
    """

    body_a: int
    body_b: int
    linear_offset: tuple[float, float] | None = None
    angular_offset: float | None = None
    max_force: float = 1.0
    max_torque: float = 1.0
    correction_factor: float = 0.3
    collide_connected: bool = False

    def __post_init__(self) -> None:
        _check(self)


@spec
class GearJointSpec:
    """Coupling two joints, each revolute or prismatic: ``coordinate_a + ratio * coordinate_b`` (rad, m) stays what it is.

    It drives the second bodies of the two joints, which must be dynamic, against their first; with a positive ratio two wheels turn in
    opposite ways. It goes when one of its joints goes, or a body of theirs is no longer fit for it.
    """

    joint_a: int
    joint_b: int
    ratio: float = 1.0
    collide_connected: bool = False

    def __post_init__(self) -> None:
        _check(self)
        _ratio(abs(self.ratio), self.ratio)
        if self.joint_a == self.joint_b:
            raise InvalidInputError("joint_b", "another joint than joint_a", self.joint_b)


JointSpec: TypeAlias = (
    RevoluteJointSpec
    | DistanceJointSpec
    | WeldJointSpec
    | PrismaticJointSpec
    | WheelJointSpec
    | RopeJointSpec
    | PulleyJointSpec
    | MouseJointSpec
    | FrictionJointSpec
    | MotorJointSpec
    | GearJointSpec
)

JOINT_SPECS: tuple[type, ...] = get_args(JointSpec)
"""All of them."""


def bodies_of(joint: JointSpec) -> tuple[int, ...]:
    """Return the bodies that a specification names."""
    if isinstance(joint, GearJointSpec):
        return ()
    return (joint.body,) if isinstance(joint, MouseJointSpec) else (joint.body_a, joint.body_b)


def joints_of(joint: JointSpec) -> tuple[int, ...]:
    """Return the joints that a specification names: a gear joint's two."""
    return (joint.joint_a, joint.joint_b) if isinstance(joint, GearJointSpec) else ()


_LEAST_RATIO = 1.0e-3
"""Ratio of a pulley, and of a gear joint but for its sign. Box2D divides by it, and corrects positions by what comes out, however far."""


def _ratio(size: float, given: float) -> None:
    if not _LEAST_RATIO <= size <= 1.0 / _LEAST_RATIO:
        sign = " or the negative of such" if given < 0.0 < size else ""
        raise InvalidInputError("ratio", f"from {_LEAST_RATIO:g} to {1.0 / _LEAST_RATIO:g}{sign}", given)


_POINTS = ("anchor", "anchor_a", "anchor_b", "ground_anchor_a", "ground_anchor_b", "target", "grabbed", "linear_offset")
_SWITCHES = ("enable_limit", "enable_motor", "collide_connected")
_NON_NEGATIVE = {
    "frequency": "Hz",
    "damping_ratio": "",
    "max_motor_torque": "N m",
    "max_motor_force": "N",
    "max_force": "N",
    "max_torque": "N m",
}
_POSITIVE = {"max_length": "m", "length": "m", "length_a": "m", "length_b": "m"}
_OF_A_MOUSE = {"max_force": "N", "frequency": "Hz"}
"""Positive of a mouse joint, which would not hold otherwise."""
_OF_NOW = ("anchor_b", "reference_angle", "max_length", "length", "length_a", "length_b", "grabbed", "linear_offset", "angular_offset")
"""What may be None: as it is when the joint is made."""


def _check(joint: Any, limits: tuple[str, str] | None = None) -> None:
    """Check and round every field by its name: a field of one name means one thing in all joints."""
    for field in fields(joint):
        name, value = field.name, getattr(joint, field.name)
        if value is None and name in _OF_NOW and field.default is None:
            continue
        if name in ("body", "body_a", "body_b", "joint_a", "joint_b"):
            rounded: Any = integer(name, value, 0)
        elif name in _POINTS:
            rounded = f32_vec(name, value, "m", MAX_COORDINATE)
        elif name == "axis":
            rounded = _unit(value)
        elif name in _SWITCHES:
            rounded = boolean(name, value)
        elif name == "correction_factor":
            rounded = f32(name, value, low=0.0, high=1.0)
        elif name in (positive := _POSITIVE | (_OF_A_MOUSE if isinstance(joint, MouseJointSpec) else {})):
            rounded = f32(name, value, positive[name], low=0.0)
            if rounded == 0.0:
                raise InvalidInputError(name, f"> 0 {positive[name]}".strip(), value)
        else:
            rounded = f32(name, value, _NON_NEGATIVE.get(name, ""), low=0.0 if name in _NON_NEGATIVE else None)
        object.__setattr__(joint, name, rounded)
    if hasattr(joint, "body_a") and joint.body_a == joint.body_b:
        raise InvalidInputError("body_b", "another body than body_a", joint.body_b)
    if limits is not None and getattr(joint, limits[0]) > getattr(joint, limits[1]):
        raise InvalidInputError(limits[1], f">= {limits[0]} = {getattr(joint, limits[0])}", getattr(joint, limits[1]))


_UNIT_ROUNDING = 4.0 * EPS64
"""Rounding, relative: two divisions, and the length taken again."""


def _unit(value: object) -> tuple[float, float]:
    x, y = f32_vec("axis", value)
    if isinstance(value, tuple | list) and abs(math.hypot(*value) - 1.0) <= _UNIT_ROUNDING:
        return float(value[0]), float(value[1])  # a unit vector already, as of a joint that is copied: it stays the same to the bit
    length = math.hypot(x, y)
    if length < LINEAR_SLOP:
        raise InvalidInputError("axis", f"a direction of length >= {LINEAR_SLOP}", value)
    return x / length, y / length


def _apart(field: str, a: tuple[float, float], b: tuple[float, float]) -> None:
    if math.dist(a, b) < LINEAR_SLOP:
        raise InvalidInputError(field, f"at least {LINEAR_SLOP} m from the other end", b)
