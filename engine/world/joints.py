"""Joints resolved into body-local anchors, angles and lengths.

Specifications use world coordinates at creation (`engine.world.joint_specs`), while solvers use local anchors, a reference angle and rest
lengths. A specification is *resolved* into these numbers once, at creation (`ResolvedJoint`). A solver that recreates the joint uses them,
not the current poses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_NUMBER
from engine.geometry import Transform
from engine.world.fields import changed, unit
from engine.world.joint_specs import GearJointSpec, JointSpec, MouseJointSpec, PrismaticJointSpec, PulleyJointSpec, RevoluteJointSpec

__all__ = ["RESOLVED_AS", "ResolvedJoint", "altered", "as_it_stands", "changeable", "check_ends", "check_numbers", "resolve"]


@dataclass(frozen=True)
class ResolvedJoint:
    """A joint in body frames, as solvers use it. None as the first body means the static ground body.

    For a motor joint, the anchor on A and the reference angle are the joint's linear and angular offsets. For a gear joint, A and B are
    body B of its first and second joint.
    """

    spec: JointSpec
    bodies: tuple[int | None, int]
    local_anchor_a: tuple[float, float] = (0.0, 0.0)
    local_anchor_b: tuple[float, float] = (0.0, 0.0)
    local_axis_a: tuple[float, float] = (1.0, 0.0)
    reference_angle: float = 0.0
    length_a: float = 0.0
    length_b: float = 0.0


RESOLVED_AS: Mapping[str, str] = MappingProxyType(
    {
        **{"anchor": "local_anchor_a", "anchor_a": "local_anchor_a", "anchor_b": "local_anchor_b", "axis": "local_axis_a"},
        **{"reference_angle": "reference_angle", "angular_offset": "reference_angle", "linear_offset": "local_anchor_a"},
        **{"length": "length_a", "max_length": "length_a", "length_a": "length_a", "length_b": "length_b"},
    }
)
"""For each specification field that is resolved into a body frame, the corresponding attribute of `ResolvedJoint`."""


def resolve(joint: JointSpec, pose_of: Callable[[int], Transform], others: Mapping[int, ResolvedJoint]) -> ResolvedJoint:
    """Resolve a specification at the current poses of its bodies; a gear joint is resolved from the `others`."""
    if isinstance(joint, GearJointSpec):
        return ResolvedJoint(joint, (others[joint.joint_a].bodies[1], others[joint.joint_b].bodies[1]))
    if isinstance(joint, MouseJointSpec):
        grabbed = joint.target if joint.grabbed is None else joint.grabbed
        return ResolvedJoint(joint, (None, joint.body), joint.target, pose_of(joint.body).apply_inverse(grabbed))
    xf_a, xf_b = pose_of(joint.body_a), pose_of(joint.body_b)
    anchors: dict[str, Any] = {name: value for name in RESOLVED_AS if (value := getattr(joint, name, None)) is not None}
    resolved: dict[str, Any] = {"reference_angle": xf_b.angle - xf_a.angle}
    if "axis" in anchors:
        resolved["local_axis_a"] = Transform((0.0, 0.0), xf_a.angle).apply_inverse(unit(anchors.pop("axis")))
    on_a = anchors.pop("anchor", None) or anchors.pop("anchor_a", None)
    if on_a is None:
        resolved["local_anchor_a"] = xf_a.apply_inverse(xf_b.position)  # a motor joint
    else:
        on_b = anchors.pop("anchor_b", on_a)
        resolved |= {"local_anchor_a": xf_a.apply_inverse(on_a), "local_anchor_b": xf_b.apply_inverse(on_b)}
        if isinstance(joint, PulleyJointSpec):
            resolved |= {"length_a": math.dist(joint.ground_anchor_a, on_a), "length_b": math.dist(joint.ground_anchor_b, on_b)}
        else:
            resolved["length_a"] = math.dist(on_a, on_b)
    return ResolvedJoint(joint, (joint.body_a, joint.body_b), **resolved | {RESOLVED_AS[name]: value for name, value in anchors.items()})


def check_ends(number: int, joint: JointSpec, type_of: Callable[[int], str], others: Mapping[int, ResolvedJoint]) -> None:
    """Check that a joint has a dynamic body, or that a gear joint couples two older joints with different bodies B.

    Raises
    ------
    InvalidInputError
        The joint is invalid; the message names the field.
    """
    if isinstance(joint, GearJointSpec):
        for name, other in (("joint_a", joint.joint_a), ("joint_b", joint.joint_b)):
            resolved = others.get(other)
            if resolved is None or other >= number or not isinstance(resolved.spec, RevoluteJointSpec | PrismaticJointSpec):
                raise InvalidInputError(name, "an older revolute or prismatic joint", other)
        if others[joint.joint_a].bodies[1] == others[joint.joint_b].bodies[1]:
            raise InvalidInputError("joint_b", "a joint with a different body_b than joint_a", joint.joint_b)
    elif isinstance(joint, MouseJointSpec):
        if type_of(joint.body) != "dynamic":
            raise InvalidInputError("body", "a dynamic body", joint.body)
    elif "dynamic" not in (type_of(joint.body_a), type_of(joint.body_b)):
        raise InvalidInputError("body_b", "dynamic unless body_a is", joint.body_b)


def check_numbers(joint: ResolvedJoint) -> None:
    """Check that a joint's numbers are in range; a joint between distant bodies, or one from a file, may exceed the ranges.

    Raises
    ------
    InvalidInputError
        A number is out of range; the message names the field.
    """
    for name in ("local_anchor_a", "local_anchor_b", "local_axis_a"):
        pair = getattr(joint, name)
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(type(part) is float and abs(part) <= MAX_NUMBER for part in pair):
            raise InvalidInputError(name, f"two numbers of magnitude at most {MAX_NUMBER:g}", pair)
    for name in ("reference_angle", "length_a", "length_b"):
        value = getattr(joint, name)
        if type(value) is not float or not abs(value) <= MAX_NUMBER or (value < 0.0 and name != "reference_angle"):
            raise InvalidInputError(name, f"a number up to {MAX_NUMBER:g}", value)


def as_it_stands(joint: ResolvedJoint, pose_of: Callable[[int], Transform]) -> JointSpec:
    """Return the specification that recreates a joint between its bodies at their current poses.

    It has the joint's current anchors, which may have drifted apart, and its original angle and lengths. A gear joint has no anchors,
    angle or lengths; its constant is recomputed.
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
    in_world = {"anchor": on_a, "anchor_a": on_a, "anchor_b": on_b, "axis": xf_a.rotate(joint.local_axis_a)}
    names = [field.name for field in fields(settings) if field.name in RESOLVED_AS]
    made: JointSpec = replace(settings, **{name: in_world.get(name, getattr(joint, RESOLVED_AS[name])) for name in names})
    return made


_FIXED_FIELDS = (
    *("body", "body_a", "body_b", "joint_a", "joint_b", "target", "grabbed", "axis", "reference_angle"),
    *("anchor", "anchor_a", "anchor_b", "ground_anchor_a", "ground_anchor_b"),
)
"""Fields that cannot be changed once a joint has been created."""


def changeable(joint: JointSpec) -> tuple[str, ...]:
    """Return the names of the settings that can be changed on an existing joint of this kind.

    Examples
    --------
    >>> changeable(GearJointSpec(0, 1))
    ('ratio', 'collide_connected')
    """
    return tuple(field.name for field in fields(joint) if field.name not in _FIXED_FIELDS)


def altered(joint: ResolvedJoint, changes: Mapping[str, Any]) -> ResolvedJoint:
    """Return a copy of a joint with changed, validated settings; bodies, anchors and reference angle cannot change.

    Raises
    ------
    InvalidInputError
        There is no such setting, or the value is out of range, or it is None, which is valid only at creation.
    """
    settings = changed(joint.spec, "joint", dict(changes), changeable(joint.spec))
    for name, value in changes.items():
        if value is None:
            raise InvalidInputError(name, "given: the joint already exists", None)
    kept: dict[str, Any] = {RESOLVED_AS[name]: getattr(settings, name) for name in changes if name in RESOLVED_AS}
    return replace(joint, spec=settings, **kept)
