"""Joint specifications, and how each becomes a Box2D joint.

A specification speaks in world coordinates at the moment of creation, as a user thinks. Box2D keeps local anchors, a
reference angle and rest lengths, and does not give all of them back. So creation *resolves* the specification once into
those numbers (`ResolvedJoint`); they are kept, and every rebuild of the world uses them, not the poses of that moment.

What a joint keeps of the moment of its creation may be given instead, so that one that is loaded goes on where it was: `anchor_b`, the
anchor on body B where it is not the one on A, `reference_angle`, the angle of B less that of A, radians, from which limits count, and the
lengths at rest, metres. None is what it is at creation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

import Box2D
import numpy as np

from engine.box2d._spec import f32, f32_vec, spec
from engine.common.checks import boolean, integer
from engine.common.errors import InvalidInputError
from engine.common.limits import LOOSE_SPRING, MAX_COORDINATE
from engine.common.tolerances import EPS64, LINEAR_SLOP
from engine.geometry import Transform

__all__ = [
    "DistanceJointSpec",
    "JointSpec",
    "MouseJointSpec",
    "PrismaticJointSpec",
    "PulleyJointSpec",
    "ResolvedJoint",
    "RevoluteJointSpec",
    "RopeJointSpec",
    "WeldJointSpec",
    "WheelJointSpec",
    "as_it_stands",
    "create_joint",
    "resolve",
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
        if not _LEAST_RATIO <= self.ratio <= 1.0 / _LEAST_RATIO:
            raise InvalidInputError("ratio", f"from {_LEAST_RATIO:g} to {1.0 / _LEAST_RATIO:g}", self.ratio)
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


JointSpec: TypeAlias = (
    RevoluteJointSpec
    | DistanceJointSpec
    | WeldJointSpec
    | PrismaticJointSpec
    | WheelJointSpec
    | RopeJointSpec
    | PulleyJointSpec
    | MouseJointSpec
)


@dataclass(frozen=True)
class ResolvedJoint:
    """A joint in the numbers Box2D keeps: local anchors, float32. `ground` stands for the world's own static body."""

    spec: JointSpec
    bodies: tuple[int | None, int]
    local_anchor_a: tuple[float, float] = (0.0, 0.0)
    local_anchor_b: tuple[float, float] = (0.0, 0.0)
    local_axis_a: tuple[float, float] = (1.0, 0.0)
    reference_angle: float = 0.0
    length_a: float = 0.0
    length_b: float = 0.0


def resolve(joint: JointSpec, pose_of: Callable[[int], Transform]) -> ResolvedJoint:
    """Fix a specification to its bodies as they stand."""
    if isinstance(joint, MouseJointSpec):
        grabbed = joint.target if joint.grabbed is None else joint.grabbed
        return ResolvedJoint(joint, (None, joint.body), joint.target, _local(pose_of(joint.body), grabbed))
    xf_a, xf_b = pose_of(joint.body_a), pose_of(joint.body_b)
    anchor_a, anchor_b = (
        (joint.anchor, joint.anchor if joint.anchor_b is None else joint.anchor_b)
        if isinstance(joint, RevoluteJointSpec | WeldJointSpec | PrismaticJointSpec | WheelJointSpec)
        else (joint.anchor_a, joint.anchor_b)
    )
    axis, length_a, length_b, turned = (1.0, 0.0), math.dist(anchor_a, anchor_b), 0.0, xf_b.angle - xf_a.angle
    if isinstance(joint, PrismaticJointSpec | WheelJointSpec):
        axis = _local_direction(xf_a, joint.axis)
    if isinstance(joint, RevoluteJointSpec | WeldJointSpec | PrismaticJointSpec):
        turned = _or_now(joint.reference_angle, turned)
    if isinstance(joint, RopeJointSpec):
        length_a = _or_now(joint.max_length, length_a)
    if isinstance(joint, DistanceJointSpec):
        length_a = _or_now(joint.length, length_a)
    if isinstance(joint, PulleyJointSpec):
        length_a = _or_now(joint.length_a, math.dist(joint.ground_anchor_a, anchor_a))
        length_b = _or_now(joint.length_b, math.dist(joint.ground_anchor_b, anchor_b))
    return ResolvedJoint(
        joint,
        (joint.body_a, joint.body_b),
        _local(xf_a, anchor_a),
        _local(xf_b, anchor_b),
        axis,
        _round(turned),
        _round(length_a),
        _round(length_b),
    )


def as_it_stands(joint: ResolvedJoint, pose_of: Callable[[int], Transform]) -> JointSpec:
    """Return the specification that makes the joint anew between its bodies as they stand now: with its anchors, which may have drifted
    apart, and with the angle and the lengths that it was made with.
    """
    settings: Any = joint.spec
    on_b = pose_of(joint.bodies[1]).apply(joint.local_anchor_b)
    if joint.bodies[0] is None:
        pulled: JointSpec = replace(settings, grabbed=on_b)  # only a mouse joint has no body A
        return pulled
    xf_a = pose_of(joint.bodies[0])
    on_a = xf_a.apply(joint.local_anchor_a)
    changes: dict[str, Any] = {}
    match settings:
        case DistanceJointSpec():
            changes = {"anchor_a": on_a, "anchor_b": on_b, "length": joint.length_a}
        case RopeJointSpec():
            changes = {"anchor_a": on_a, "anchor_b": on_b, "max_length": joint.length_a}
        case PulleyJointSpec():
            changes = {"anchor_a": on_a, "anchor_b": on_b, "length_a": joint.length_a, "length_b": joint.length_b}
        case WheelJointSpec():
            changes = {"anchor": on_a, "anchor_b": on_b, "axis": xf_a.rotate(joint.local_axis_a)}
        case PrismaticJointSpec():
            axis = xf_a.rotate(joint.local_axis_a)
            changes = {"anchor": on_a, "anchor_b": on_b, "axis": axis, "reference_angle": joint.reference_angle}
        case _:
            changes = {"anchor": on_a, "anchor_b": on_b, "reference_angle": joint.reference_angle}
    made: JointSpec = replace(settings, **changes)
    return made


def create_joint(world: Any, joint: ResolvedJoint, body_a: Any, body_b: Any) -> Any:
    """Make the Box2D joint between two live Box2D bodies."""
    settings = joint.spec
    common: dict[str, Any] = {"bodyA": body_a, "bodyB": body_b}
    if isinstance(settings, MouseJointSpec):
        # Box2D takes the grabbed point from the target at creation; the target itself is set afterwards
        grabbed = body_b.GetWorldPoint(joint.local_anchor_b)
        made = world.CreateJoint(
            Box2D.b2MouseJointDef(
                **common,
                target=(float(grabbed.x), float(grabbed.y)),
                maxForce=settings.max_force,
                frequencyHz=settings.frequency,
                dampingRatio=settings.damping_ratio,
            )
        )
        made.target = settings.target
        return made
    common |= {
        "localAnchorA": joint.local_anchor_a,
        "localAnchorB": joint.local_anchor_b,
        "collideConnected": settings.collide_connected,
    }
    return world.CreateJoint(_definition(settings, joint, common))


def _definition(settings: JointSpec, joint: ResolvedJoint, common: dict[str, Any]) -> Any:
    match settings:
        case RevoluteJointSpec():
            return Box2D.b2RevoluteJointDef(
                **common,
                referenceAngle=joint.reference_angle,
                enableLimit=settings.enable_limit,
                lowerAngle=settings.lower_angle,
                upperAngle=settings.upper_angle,
                enableMotor=settings.enable_motor,
                motorSpeed=settings.motor_speed,
                maxMotorTorque=settings.max_motor_torque,
            )
        case DistanceJointSpec():
            return Box2D.b2DistanceJointDef(
                **common, length=joint.length_a, frequencyHz=settings.frequency, dampingRatio=settings.damping_ratio
            )
        case WeldJointSpec():
            return Box2D.b2WeldJointDef(
                **common, referenceAngle=joint.reference_angle, frequencyHz=settings.frequency, dampingRatio=settings.damping_ratio
            )
        case PrismaticJointSpec():
            return Box2D.b2PrismaticJointDef(
                **common,
                localAxisA=joint.local_axis_a,
                referenceAngle=joint.reference_angle,
                enableLimit=settings.enable_limit,
                lowerTranslation=settings.lower_translation,
                upperTranslation=settings.upper_translation,
                enableMotor=settings.enable_motor,
                motorSpeed=settings.motor_speed,
                maxMotorForce=settings.max_motor_force,
            )
        case WheelJointSpec():
            return Box2D.b2WheelJointDef(
                **common,
                localAxisA=joint.local_axis_a,
                frequencyHz=settings.frequency or LOOSE_SPRING,
                dampingRatio=settings.damping_ratio,
                enableMotor=settings.enable_motor,
                motorSpeed=settings.motor_speed,
                maxMotorTorque=settings.max_motor_torque,
            )
        case RopeJointSpec():
            return Box2D.b2RopeJointDef(**common, maxLength=joint.length_a)
        case PulleyJointSpec():
            return Box2D.b2PulleyJointDef(
                **common,
                groundAnchorA=settings.ground_anchor_a,
                groundAnchorB=settings.ground_anchor_b,
                lengthA=joint.length_a,
                lengthB=joint.length_b,
                ratio=settings.ratio,
            )
        case MouseJointSpec():
            raise AssertionError("a mouse joint has its own path in create_joint")


_LEAST_RATIO = 1.0e-3
"""Ratio of a pulley. Box2D divides by it, and corrects positions by what comes out, however far."""

_POINTS = ("anchor", "anchor_a", "anchor_b", "ground_anchor_a", "ground_anchor_b", "target", "grabbed")
_SWITCHES = ("enable_limit", "enable_motor", "collide_connected")
_NON_NEGATIVE = {"frequency": "Hz", "damping_ratio": "", "max_motor_torque": "N m", "max_motor_force": "N"}
_POSITIVE = {"max_force": "N", "max_length": "m", "length": "m", "length_a": "m", "length_b": "m", "ratio": ""}
_OF_NOW = ("anchor_b", "reference_angle", "max_length", "length", "length_a", "length_b", "grabbed")
"""What may be None: as it is when the joint is made."""


def _check(joint: Any, limits: tuple[str, str] | None = None) -> None:
    """Check and round every field by its name: a field of one name means one thing in all joints."""
    for field in fields(joint):
        name, value = field.name, getattr(joint, field.name)
        if value is None and name in _OF_NOW and field.default is None:
            continue
        if name in ("body", "body_a", "body_b"):
            rounded: Any = integer(name, value, 0)
        elif name in _POINTS:
            rounded = f32_vec(name, value, "m", MAX_COORDINATE)
        elif name == "axis":
            rounded = _unit(value)
        elif name in _SWITCHES:
            rounded = boolean(name, value)
        elif name in _POSITIVE or (name == "frequency" and isinstance(joint, MouseJointSpec)):
            rounded = f32(name, value, _POSITIVE.get(name, "Hz"), low=0.0)
            if rounded == 0.0:
                raise InvalidInputError(name, f"> 0 {_POSITIVE.get(name, 'Hz')}".strip(), value)
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


def _or_now(given: float | None, now: float) -> float:
    return now if given is None else given


def _round(value: float) -> float:
    return float(np.float32(value))


def _local(xf: Transform, world: tuple[float, float]) -> tuple[float, float]:
    x, y = xf.apply_inverse(world)
    return _round(x), _round(y)


def _local_direction(xf: Transform, world: tuple[float, float]) -> tuple[float, float]:
    x, y = Transform((0.0, 0.0), xf.angle).apply_inverse(world)
    return _round(x), _round(y)
