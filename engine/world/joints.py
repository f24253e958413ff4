"""A joint fixed to its bodies.

A specification speaks in world coordinates at the moment of creation (`engine.world.joint_specs`). A solver keeps local anchors, a
reference angle and rest lengths. So creation *resolves* the specification once into those numbers (`ResolvedJoint`); they are kept,
and whenever a solver makes the joint anew it uses them, not the poses of that moment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from engine.common.errors import InvalidInputError
from engine.geometry import Transform
from engine.world.joint_specs import (
    JOINT_SPECS,
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
    bodies_of,
    joints_of,
)
from engine.world.specs import changed

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
    "ResolvedJoint",
    "RevoluteJointSpec",
    "RopeJointSpec",
    "WeldJointSpec",
    "WheelJointSpec",
    "altered",
    "as_it_stands",
    "bodies_of",
    "changeable",
    "joints_of",
    "resolve",
]


@dataclass(frozen=True)
class ResolvedJoint:
    """A joint in the numbers a solver keeps, float32: local anchors. None as the first body stands for the world's own static one.

    A motor joint has its offsets in place of the anchor on A and the reference angle; the bodies of a gear joint are the second ones of its
    two joints.
    """

    spec: JointSpec
    bodies: tuple[int | None, int]
    local_anchor_a: tuple[float, float] = (0.0, 0.0)
    local_anchor_b: tuple[float, float] = (0.0, 0.0)
    local_axis_a: tuple[float, float] = (1.0, 0.0)
    reference_angle: float = 0.0
    length_a: float = 0.0
    length_b: float = 0.0


def resolve(joint: JointSpec, pose_of: Callable[[int], Transform], others: Mapping[int, ResolvedJoint]) -> ResolvedJoint:
    """Fix a specification to its bodies as they stand; a gear joint to two of the other joints."""
    if isinstance(joint, GearJointSpec):
        return ResolvedJoint(joint, (others[joint.joint_a].bodies[1], others[joint.joint_b].bodies[1]))
    if isinstance(joint, MouseJointSpec):
        grabbed = joint.target if joint.grabbed is None else joint.grabbed
        return ResolvedJoint(joint, (None, joint.body), joint.target, _local(pose_of(joint.body), grabbed))
    xf_a, xf_b = pose_of(joint.body_a), pose_of(joint.body_b)
    if isinstance(joint, MotorJointSpec):
        offset = _local(xf_a, xf_b.position) if joint.linear_offset is None else joint.linear_offset
        turned = _round(_or_now(joint.angular_offset, xf_b.angle - xf_a.angle))
        return ResolvedJoint(joint, (joint.body_a, joint.body_b), offset, reference_angle=turned)
    anchor_a, anchor_b = (
        (joint.anchor, joint.anchor if joint.anchor_b is None else joint.anchor_b)
        if isinstance(joint, RevoluteJointSpec | WeldJointSpec | PrismaticJointSpec | WheelJointSpec | FrictionJointSpec)
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
    apart, and with the angle and the lengths that it was made with. A gear joint has nothing of that kind, and takes its sum anew.
    """
    settings: Any = joint.spec
    if isinstance(settings, GearJointSpec):
        return settings
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
        case MotorJointSpec():
            changes = {"linear_offset": joint.local_anchor_a, "angular_offset": joint.reference_angle}
        case FrictionJointSpec():
            changes = {"anchor": on_a, "anchor_b": on_b}
        case WheelJointSpec():
            changes = {"anchor": on_a, "anchor_b": on_b, "axis": xf_a.rotate(joint.local_axis_a)}
        case PrismaticJointSpec():
            axis = xf_a.rotate(joint.local_axis_a)
            changes = {"anchor": on_a, "anchor_b": on_b, "axis": axis, "reference_angle": joint.reference_angle}
        case _:
            changes = {"anchor": on_a, "anchor_b": on_b, "reference_angle": joint.reference_angle}
    made: JointSpec = replace(settings, **changes)
    return made


_OF_ITS_MAKING = (
    *("body", "body_a", "body_b", "joint_a", "joint_b", "target", "grabbed", "axis", "reference_angle"),
    *("anchor", "anchor_a", "anchor_b", "ground_anchor_a", "ground_anchor_b"),
)
"""What a joint keeps for as long as it lives."""
_RESOLVED_AS = {
    "length": "length_a",
    "max_length": "length_a",
    "length_a": "length_a",
    "length_b": "length_b",
    "linear_offset": "local_anchor_a",
    "angular_offset": "reference_angle",
}
"""Settings by the name under which `ResolvedJoint` has them."""


def changeable(joint: JointSpec) -> tuple[str, ...]:
    """Return the settings that a living joint of this kind can be given anew.

    Examples
    --------
    >>> changeable(RopeJointSpec(0, 1, (0.0, 0.0), (1.0, 0.0)))
    ('max_length', 'collide_connected')
    """
    return tuple(field.name for field in fields(joint) if field.name not in _OF_ITS_MAKING)


def altered(joint: ResolvedJoint, changes: Mapping[str, Any]) -> ResolvedJoint:
    """Return a living joint with other settings, checked; its bodies, anchors and the angle it counts from stay.

    Raises
    ------
    InvalidInputError
        It has no such setting, or the value is out of range; None, "as it is when it is made", is no value any more.
    """
    settings = changed(joint.spec, "joint", dict(changes), changeable(joint.spec))
    for name, value in changes.items():
        if value is None:
            raise InvalidInputError(name, "given: the joint is made already", None)
    kept: dict[str, Any] = {_RESOLVED_AS[name]: getattr(settings, name) for name in changes if name in _RESOLVED_AS}
    return replace(joint, spec=settings, **kept)


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
