"""Joints of a file of R.U.B.E.; see `engine.scenes.rube`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from engine.common.errors import InvalidInputError
from engine.common.tolerances import LINEAR_SLOP
from engine.geometry import Transform
from engine.scenes._rube_object import RubeObject
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FrictionJointSpec,
    GearJointSpec,
    JointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
)

__all__ = ["JOINTS", "RefusedJointError", "gear"]

Point = tuple[float, float]
Bodies = Sequence[BodySpec]


class RefusedJointError(Exception):
    """A joint that Box2D's loader would make, and a scene does not have."""


def _joined(kind: Callable[..., JointSpec], **settings: Any) -> JointSpec:
    try:
        return kind(**settings)
    except InvalidInputError as error:
        raise RefusedJointError(str(error)) from None


def _common(joint: RubeObject, has_motor: bool = False) -> dict[str, Any]:
    motor = {"enable_motor": joint.flag("enableMotor"), "motor_speed": joint.number("motorSpeed")} if has_motor else {}
    return {"collide_connected": joint.flag("collideConnected"), **motor}


def _spring(joint: RubeObject) -> dict[str, float]:
    return {"frequency": joint.number("frequency"), "damping_ratio": joint.number("dampingRatio")}


def _limits(joint: RubeObject) -> Point:
    """Return the limits; those of a joint that has none may be upside down."""
    lower, upper = joint.number("lowerLimit"), joint.number("upperLimit")
    return (lower, upper) if joint.flag("enableLimit") else (min(lower, upper), max(lower, upper))


def _frame(body: BodySpec) -> Transform:
    return Transform(body.position, body.angle)


def _anchors(joint: RubeObject, a: int, b: int, bodies: Bodies) -> tuple[Point, Point]:
    anchors = [_frame(bodies[body]).apply(joint.vector(name)) for body, name in ((a, "anchorA"), (b, "anchorB"))]
    return anchors[0], anchors[1]


def _axis(joint: RubeObject, a: int, bodies: Bodies) -> Point:
    local = joint.vector("localAxisA" if "localAxisA" in joint else "localAxis1")
    return Transform((0.0, 0.0), bodies[a].angle).apply(local)


def _revolute(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    on_a, on_b = _anchors(joint, a, b, bodies)
    lower, upper = _limits(joint)
    return _joined(
        RevoluteJointSpec,
        body_a=a,
        body_b=b,
        anchor=on_a,
        anchor_b=on_b,
        reference_angle=joint.number("refAngle"),
        enable_limit=joint.flag("enableLimit"),
        lower_angle=lower,
        upper_angle=upper,
        max_motor_torque=joint.number("maxMotorTorque"),
        **_common(joint, has_motor=True),
    )


def _prismatic(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    on_a, on_b = _anchors(joint, a, b, bodies)
    lower, upper = _limits(joint)
    return _joined(
        PrismaticJointSpec,
        body_a=a,
        body_b=b,
        anchor=on_a,
        anchor_b=on_b,
        axis=_axis(joint, a, bodies),
        reference_angle=joint.number("refAngle"),
        enable_limit=joint.flag("enableLimit"),
        lower_translation=lower,
        upper_translation=upper,
        max_motor_force=joint.number("maxMotorForce"),
        **_common(joint, has_motor=True),
    )


def _wheel(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    on_a, on_b = _anchors(joint, a, b, bodies)
    return _joined(
        WheelJointSpec,
        body_a=a,
        body_b=b,
        anchor=on_a,
        anchor_b=on_b,
        axis=_axis(joint, a, bodies),
        frequency=joint.number("springFrequency"),
        damping_ratio=joint.number("springDampingRatio"),
        max_motor_torque=joint.number("maxMotorTorque"),
        **_common(joint, has_motor=True),
    )


def _weld(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    on_a, on_b = _anchors(joint, a, b, bodies)
    return _joined(
        WeldJointSpec,
        body_a=a,
        body_b=b,
        anchor=on_a,
        anchor_b=on_b,
        reference_angle=joint.number("refAngle" if "refAngle" in joint else "referenceAngle"),
        **_spring(joint),
        **_common(joint),
    )


def _distance(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    on_a, on_b = _anchors(joint, a, b, bodies)
    length = max(joint.number("length"), LINEAR_SLOP)
    return _joined(DistanceJointSpec, body_a=a, body_b=b, anchor_a=on_a, anchor_b=on_b, length=length, **_spring(joint), **_common(joint))


def _rope(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    on_a, on_b = _anchors(joint, a, b, bodies)
    longest = max(joint.number("maxLength"), LINEAR_SLOP)
    return _joined(RopeJointSpec, body_a=a, body_b=b, anchor_a=on_a, anchor_b=on_b, max_length=longest, **_common(joint))


def _pulley(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    on_a, on_b = _anchors(joint, a, b, bodies)
    return _joined(
        PulleyJointSpec,
        body_a=a,
        body_b=b,
        ground_anchor_a=joint.vector("groundAnchorA"),
        ground_anchor_b=joint.vector("groundAnchorB"),
        anchor_a=on_a,
        anchor_b=on_b,
        ratio=joint.number("ratio"),
        length_a=max(joint.number("lengthA"), LINEAR_SLOP),
        length_b=max(joint.number("lengthB"), LINEAR_SLOP),
        **_common(joint),
    )


def _mouse(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    return _joined(
        MouseJointSpec,
        body=b,
        target=joint.vector("target"),
        grabbed=joint.vector("anchorB"),  # of this one joint in the world's frame
        max_force=joint.number("maxForce"),
        **_spring(joint),
    )


def _friction(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    on_a, on_b = _anchors(joint, a, b, bodies)
    return _joined(
        FrictionJointSpec,
        body_a=a,
        body_b=b,
        anchor=on_a,
        anchor_b=on_b,
        max_force=joint.number("maxForce"),
        max_torque=joint.number("maxTorque"),
        **_common(joint),
    )


def _motor(joint: RubeObject, a: int, b: int, bodies: Bodies) -> JointSpec:
    return _joined(
        MotorJointSpec,
        body_a=a,
        body_b=b,
        linear_offset=joint.vector("linearOffset" if "linearOffset" in joint else "anchorA"),  # the editor writes the latter
        angular_offset=joint.number("refAngle"),
        max_force=joint.number("maxForce"),
        max_torque=joint.number("maxTorque"),
        correction_factor=joint.number("correctionFactor"),
        **_common(joint),
    )


def gear(joint: RubeObject, places: Mapping[int, int]) -> JointSpec:
    """Return a gear joint; `places` are those of the other joints of the file among those of the scene."""
    a, b = (joint.whole(name) for name in ("joint1", "joint2"))
    if a not in places or b not in places:
        raise RefusedJointError(f"joint {b if a in places else a} is not there")
    return _joined(GearJointSpec, joint_a=places[a], joint_b=places[b], ratio=joint.number("ratio"), **_common(joint))


JOINTS: Mapping[str, Callable[[RubeObject, int, int, Bodies], JointSpec]] = MappingProxyType(
    {
        "revolute": _revolute,
        "prismatic": _prismatic,
        "wheel": _wheel,
        "weld": _weld,
        "distance": _distance,
        "rope": _rope,
        "pulley": _pulley,
        "mouse": _mouse,
        "friction": _friction,
        "motor": _motor,
    }
)
"""By the type in the file: from the joint and the places of its bodies among those of the scene to its specification. A gear is another
matter (`gear`): it names joints.
"""
