"""Joint specifications: how two bodies are joined, in world coordinates at the moment of creation, as a user thinks.

What a joint keeps of the moment of its creation may be given instead, so that one that is loaded goes on where it was: `anchor_b`, the
anchor on body B where it is not the one on A, `reference_angle`, the angle of B less that of A, radians, from which limits count, and the
lengths at rest, meters. None is what it is at creation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias, get_args

from engine.common.errors import InvalidInputError
from engine.common.tolerances import LINEAR_SLOP
from engine.world.fields import Checked, spec

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
    "body_fields",
    "joint_fields",
    "joints_of",
]


_MIN_RATIO = 1.0e-3
"""Least magnitude of a gear joint's ratio; see the rule of a pulley's (`engine.world.fields`)."""


@dataclass(frozen=True)
class _OfTwoBodies(Checked):
    body_a: int
    body_b: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.body_a == self.body_b:
            raise InvalidInputError("body_b", "another body than body_a", self.body_b)


@spec
class RevoluteJointSpec(_OfTwoBodies):
    """A hinge at `anchor` (world, m); limits in rad relative to `reference_angle`, motor in rad/s and N m."""

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
        super().__post_init__()
        _in_order("upper_angle", self.lower_angle, self.upper_angle)


@spec
class DistanceJointSpec(_OfTwoBodies):
    """A rod of `length` m between two anchors (world, m); a spring where `frequency` > 0 Hz."""

    anchor_a: tuple[float, float]
    anchor_b: tuple[float, float]
    frequency: float = 0.0
    damping_ratio: float = 0.0
    collide_connected: bool = False
    length: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length is None:
            _apart("anchor_b", self.anchor_a, self.anchor_b)


@spec
class WeldJointSpec(_OfTwoBodies):
    """Two bodies glued at `anchor` (world, m); soft in rotation where `frequency` > 0 Hz."""

    anchor: tuple[float, float]
    frequency: float = 0.0
    damping_ratio: float = 0.0
    collide_connected: bool = False
    anchor_b: tuple[float, float] | None = None
    reference_angle: float | None = None


@spec
class PrismaticJointSpec(_OfTwoBodies):
    """A slider along `axis` (world direction, fixed to body A); limits in m, motor in m/s and N."""

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
        super().__post_init__()
        _in_order("upper_translation", self.lower_translation, self.upper_translation)


@spec
class WheelJointSpec(_OfTwoBodies):
    """A wheel, body B, that turns freely at `anchor` and is sprung along `axis` (world direction, fixed to body A)."""

    anchor: tuple[float, float]
    axis: tuple[float, float] = (0.0, 1.0)
    frequency: float = 2.0
    damping_ratio: float = 0.7
    enable_motor: bool = False
    motor_speed: float = 0.0
    max_motor_torque: float = 0.0
    collide_connected: bool = False
    anchor_b: tuple[float, float] | None = None


@spec
class RopeJointSpec(_OfTwoBodies):
    """Two anchors (world, m) never farther apart than `max_length` m; their distance now where it is None."""

    anchor_a: tuple[float, float]
    anchor_b: tuple[float, float]
    max_length: float | None = None
    collide_connected: bool = False


@spec
class PulleyJointSpec(_OfTwoBodies):
    """Two bodies on one rope over two fixed points: ``length_a + ratio * length_b`` (m) stays what it is."""

    ground_anchor_a: tuple[float, float]
    ground_anchor_b: tuple[float, float]
    anchor_a: tuple[float, float]
    anchor_b: tuple[float, float]
    ratio: float = 1.0
    collide_connected: bool = True
    length_a: float | None = None
    length_b: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length_a is None:
            _apart("anchor_a", self.ground_anchor_a, self.anchor_a)
        if self.length_b is None:
            _apart("anchor_b", self.ground_anchor_b, self.anchor_b)


@spec
class MouseJointSpec(Checked):
    """A soft pull on `body`, at the point of it that is at `grabbed` (world, m; at `target` where None), towards wherever `target` goes."""

    body: int
    target: tuple[float, float]
    max_force: float
    frequency: float = 5.0
    damping_ratio: float = 0.7
    grabbed: tuple[float, float] | None = None


@spec
class FrictionJointSpec(_OfTwoBodies):
    """Friction, as on a table seen from above, at `anchor` (world, m):
    at most `max_force` N against sliding, `max_torque` N m against turning.
    """

    anchor: tuple[float, float]
    max_force: float
    max_torque: float = 0.0
    collide_connected: bool = False
    anchor_b: tuple[float, float] | None = None


@spec
class MotorJointSpec(_OfTwoBodies):
    """Driving `body_b` to a place and an angle in the frame of `body_a`, as hard as `max_force` N and `max_torque` N m allow.

    `linear_offset` (m, in the frame of body A) is where the origin of body B shall be, `angular_offset` (rad) its angle less that of A;
    None is as they stand. Of what is missing, a share `correction_factor` is asked for in each step.
    """

    linear_offset: tuple[float, float] | None = None
    angular_offset: float | None = None
    max_force: float = 1.0
    max_torque: float = 1.0
    correction_factor: float = 0.3
    collide_connected: bool = False


@spec
class GearJointSpec(Checked):
    """Coupling two joints, each revolute or prismatic: ``coordinate_a + ratio * coordinate_b`` (rad, m) stays what it is.

    It drives the second bodies of the two joints, which must be dynamic, against their first; with a positive ratio two wheels turn in
    opposite ways. It goes when one of its joints goes, or a body of theirs is no longer fit for it.
    """

    joint_a: int
    joint_b: int
    ratio: float = 1.0
    collide_connected: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _MIN_RATIO <= abs(self.ratio) <= 1.0 / _MIN_RATIO:
            sign = " or the negative of such" if self.ratio < 0.0 else ""
            raise InvalidInputError("ratio", f"from {_MIN_RATIO:g} to {1.0 / _MIN_RATIO:g}{sign}", self.ratio)
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


def body_fields(joint: JointSpec) -> tuple[str, ...]:
    """Return the names of the fields of a specification that name bodies."""
    if isinstance(joint, GearJointSpec):
        return ()
    return ("body",) if isinstance(joint, MouseJointSpec) else ("body_a", "body_b")


def joint_fields(joint: JointSpec) -> tuple[str, ...]:
    """Return the names of the fields of a specification that name other joints: a gear joint's two."""
    return ("joint_a", "joint_b") if isinstance(joint, GearJointSpec) else ()


def bodies_of(joint: JointSpec) -> tuple[int, ...]:
    """Return the bodies that a specification names."""
    return tuple(getattr(joint, name) for name in body_fields(joint))


def joints_of(joint: JointSpec) -> tuple[int, ...]:
    """Return the joints that a specification names."""
    return tuple(getattr(joint, name) for name in joint_fields(joint))


def _in_order(field: str, lower: float, upper: float) -> None:
    if lower > upper:
        raise InvalidInputError(field, f">= {field.replace('upper', 'lower')} = {lower}", upper)


def _apart(field: str, a: tuple[float, float], b: tuple[float, float]) -> None:
    if math.dist(a, b) < LINEAR_SLOP:
        raise InvalidInputError(field, f"at least {LINEAR_SLOP} m from the other end", b)
