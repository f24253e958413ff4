"""Joint specifications, in world coordinates at creation.

By default a joint takes its reference values from the poses at creation. They can also be given, so that a loaded joint continues
unchanged: `anchor_b`, the anchor on body B if it differs from the one on A; `reference_angle`, the angle of B relative to A at which limits
are zero, radians; and the rest lengths, meters. None means the value at creation.
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
"""Minimum magnitude of a gear joint's ratio, the same as a pulley joint's (`engine.world.fields`)."""


@dataclass(frozen=True)
class _OfTwoBodies(Checked):
    body_a: int
    body_b: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.body_a == self.body_b:
            raise InvalidInputError("body_b", "different from body_a", self.body_b)


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
    """A rod of `length`, m, between two anchors (world, m); a spring if `frequency` > 0 Hz."""

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
    """Welds two bodies at `anchor` (world, m); rotationally soft if `frequency` > 0 Hz."""

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
    """A wheel, body B, that rotates freely at `anchor` and is suspended along `axis` (world direction, fixed to body A)."""

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
    """Limits the distance between two anchors (world, m) to `max_length`, m; None means their distance at creation."""

    anchor_a: tuple[float, float]
    anchor_b: tuple[float, float]
    max_length: float | None = None
    collide_connected: bool = False


@spec
class PulleyJointSpec(_OfTwoBodies):
    """Two bodies on a rope over two fixed points: ``length_a + ratio * length_b`` (m) is constant."""

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
    """Softly pulls the point of `body` that is initially at `grabbed` toward `target` (world, m); `grabbed` None means at `target`."""

    body: int
    target: tuple[float, float]
    max_force: float
    frequency: float = 5.0
    damping_ratio: float = 0.7
    grabbed: tuple[float, float] | None = None


@spec
class FrictionJointSpec(_OfTwoBodies):
    """Top-down friction at `anchor` (world, m): at most `max_force`, N, against sliding and `max_torque`, N m, against rotation."""

    anchor: tuple[float, float]
    max_force: float
    max_torque: float = 0.0
    collide_connected: bool = False
    anchor_b: tuple[float, float] | None = None


@spec
class MotorJointSpec(_OfTwoBodies):
    """Drives `body_b` to a pose in the frame of `body_a`, with at most `max_force`, N, and `max_torque`, N m.

    `linear_offset` (m, frame of body A) is the target of body B's origin, `angular_offset` (rad) the target angle of B relative to A; None
    means the value at creation. `correction_factor` is the fraction of the position error that a step tries to correct.
    """

    linear_offset: tuple[float, float] | None = None
    angular_offset: float | None = None
    max_force: float = 1.0
    max_torque: float = 1.0
    correction_factor: float = 0.3
    collide_connected: bool = False


@spec
class GearJointSpec(Checked):
    """Couples two revolute or prismatic joints: ``coordinate_a + ratio * coordinate_b`` (rad, m) is constant.

    It acts on body B of each joint, which must be dynamic, relative to body A; with a positive ratio two wheels turn in opposite
    directions. It is destroyed with either joint, or when one of their bodies no longer meets the requirements.
    """

    joint_a: int
    joint_b: int
    ratio: float = 1.0
    collide_connected: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _MIN_RATIO <= abs(self.ratio) <= 1.0 / _MIN_RATIO:
            sign = " in magnitude" if self.ratio < 0.0 else ""
            raise InvalidInputError("ratio", f"from {_MIN_RATIO:g} to {1.0 / _MIN_RATIO:g}{sign}", self.ratio)
        if self.joint_a == self.joint_b:
            raise InvalidInputError("joint_b", "different from joint_a", self.joint_b)


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
"""All joint specification classes."""


def body_fields(joint: JointSpec) -> tuple[str, ...]:
    """Return the names of the fields of a specification that contain body ids."""
    if isinstance(joint, GearJointSpec):
        return ()
    return ("body",) if isinstance(joint, MouseJointSpec) else ("body_a", "body_b")


def joint_fields(joint: JointSpec) -> tuple[str, ...]:
    """Return the names of the fields of a specification that contain joint ids; only gear joints have any."""
    return ("joint_a", "joint_b") if isinstance(joint, GearJointSpec) else ()


def bodies_of(joint: JointSpec) -> tuple[int, ...]:
    """Return the ids of the bodies that a specification refers to."""
    return tuple(getattr(joint, name) for name in body_fields(joint))


def joints_of(joint: JointSpec) -> tuple[int, ...]:
    """Return the ids of the joints that a specification refers to."""
    return tuple(getattr(joint, name) for name in joint_fields(joint))


def _in_order(field: str, lower: float, upper: float) -> None:
    if lower > upper:
        raise InvalidInputError(field, f">= {field.replace('upper', 'lower')} = {lower}", upper)


def _apart(field: str, a: tuple[float, float], b: tuple[float, float]) -> None:
    if math.dist(a, b) < LINEAR_SLOP:
        raise InvalidInputError(field, f"at least {LINEAR_SLOP} m from the other end", b)
