"""Conversion of our joints to Box2D 3.1's seven.

Revolute, distance, weld, prismatic, wheel, mouse and motor joints are the same; a rope is a distance joint whose spring has no stiffness.
Box2D 3.1 has no pulley, gear and friction joint.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pyb2d3

from engine.common.errors import InvalidInputError
from engine.common.tolerances import LINEAR_SLOP
from engine.world import DistanceJointSpec, JointSpec, MouseJointSpec, RevoluteJointSpec, RopeJointSpec, WeldJointSpec, WheelJointSpec
from engine.world.joints import JOINT_SPECS
from engine.world.joints.interface import ResolvedJoint, resolved_fields

__all__ = ["JOINTS", "check_joint", "create_joint"]


def _function_of(kind: type[JointSpec]) -> Any:
    """Return the function that creates a joint of this kind, or None if Box2D 3.1 does not have the kind."""
    name = "distance" if kind is RopeJointSpec else kind.__name__.removesuffix("JointSpec").lower()
    return getattr(pyb2d3.World, f"create_{name}_joint", None)


JOINTS = tuple(kind for kind in JOINT_SPECS if _function_of(kind) is not None)
"""Supported joint specifications."""

_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("anchor", "anchor_a"), "local_anchor_a"),
    **{"anchor_b": "local_anchor_b", "axis": "local_axis_a", "frequency": "hertz"},
}
"""Names of fields in Box2D's joint definitions, where they differ."""


def check_joint(joint: ResolvedJoint) -> None:
    """Check that Box2D 3.1 supports the numbers of a joint.

    Raises
    ------
    InvalidInputError
        It does not; the message names the setting.
    """
    spec = joint.spec
    if isinstance(spec, RevoluteJointSpec) and spec.enable_limit and max(-spec.lower_angle, spec.upper_angle) > math.pi:
        beyond = spec.lower_angle if -spec.lower_angle > math.pi else spec.upper_angle
        raise InvalidInputError("limits", "from -pi to pi rad with Box2D 3.1", beyond)
    if isinstance(spec, DistanceJointSpec | RopeJointSpec) and joint.length_a < LINEAR_SLOP:
        raise InvalidInputError("length", f"at least {LINEAR_SLOP} m with Box2D 3.1", joint.length_a)


def create_joint(world: pyb2d3.World, joint: ResolvedJoint, a: pyb2d3.Body, b: pyb2d3.Body) -> Any:
    """Create a joint between two bodies and return it."""
    spec: Any = joint.spec
    values = {_NAMES.get(name, name): value for name, value in resolved_fields(joint).items()}
    values |= {"body_a": a, "body_b": b, "collide_connected": spec.collide_connected}
    match spec:
        case DistanceJointSpec() | WheelJointSpec():
            values["enable_spring"] = spec.frequency > 0.0
        case WeldJointSpec():
            values |= {"angular_hertz": values.pop("hertz"), "angular_damping_ratio": values.pop("damping_ratio")}
        case RopeJointSpec():
            values |= {"length": joint.length_a, "enable_spring": True, "hertz": 0.0, "enable_limit": True}
        case MouseJointSpec():  # the joint holds the point of B that is at the target when it is created
            values["target"] = b.world_point(values.pop("grabbed"))
    made = _function_of(type(spec))(world, **values)
    if isinstance(spec, MouseJointSpec):
        made.target = spec.target
    return made
