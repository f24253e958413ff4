"""Conversion of our joints to Box2D 3.1's seven.

Revolute, distance, weld, prismatic, wheel, mouse and motor joints are the same; a rope is a distance joint whose spring has no stiffness.
Box2D 3.1 has no pulley, gear and friction joint.
"""

from __future__ import annotations

import math
from typing import Any

import pyb2d3

from engine.common.errors import InvalidInputError
from engine.common.tolerances import LINEAR_SLOP
from engine.world.joint_specs import (
    DistanceJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
)
from engine.world.joints import ResolvedJoint

__all__ = ["JOINTS", "check_joint", "create_joint"]

JOINTS: tuple[type, ...] = (
    RevoluteJointSpec,
    DistanceJointSpec,
    WeldJointSpec,
    PrismaticJointSpec,
    WheelJointSpec,
    RopeJointSpec,
    MouseJointSpec,
    MotorJointSpec,
)
"""Supported joint specifications."""


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
    spec = joint.spec
    common: dict[str, Any] = {"body_a": a, "body_b": b, "collide_connected": getattr(spec, "collide_connected", True)}
    anchors = {"local_anchor_a": joint.local_anchor_a, "local_anchor_b": joint.local_anchor_b}
    match spec:
        case RevoluteJointSpec():
            return world.create_revolute_joint(
                **common,
                **anchors,
                reference_angle=joint.reference_angle,
                enable_limit=spec.enable_limit,
                lower_angle=spec.lower_angle,
                upper_angle=spec.upper_angle,
                enable_motor=spec.enable_motor,
                motor_speed=spec.motor_speed,
                max_motor_torque=spec.max_motor_torque,
            )
        case DistanceJointSpec():
            return world.create_distance_joint(
                **common,
                **anchors,
                length=joint.length_a,
                enable_spring=spec.frequency > 0.0,
                hertz=spec.frequency,
                damping_ratio=spec.damping_ratio,
            )
        case WeldJointSpec():
            return world.create_weld_joint(
                **common,
                **anchors,
                reference_angle=joint.reference_angle,
                angular_hertz=spec.frequency,
                angular_damping_ratio=spec.damping_ratio,
            )
        case PrismaticJointSpec():
            return world.create_prismatic_joint(
                **common,
                **anchors,
                local_axis_a=joint.local_axis_a,
                reference_angle=joint.reference_angle,
                enable_limit=spec.enable_limit,
                lower_translation=spec.lower_translation,
                upper_translation=spec.upper_translation,
                enable_motor=spec.enable_motor,
                motor_speed=spec.motor_speed,
                max_motor_force=spec.max_motor_force,
            )
        case WheelJointSpec():
            return world.create_wheel_joint(
                **common,
                **anchors,
                local_axis_a=joint.local_axis_a,
                enable_spring=spec.frequency > 0.0,
                hertz=spec.frequency,
                damping_ratio=spec.damping_ratio,
                enable_motor=spec.enable_motor,
                motor_speed=spec.motor_speed,
                max_motor_torque=spec.max_motor_torque,
            )
        case RopeJointSpec():
            return world.create_distance_joint(
                **common, **anchors, length=joint.length_a, enable_spring=True, hertz=0.0, enable_limit=True, max_length=joint.length_a
            )
        case MouseJointSpec():
            # the joint holds the point of B that is at the target when it is created
            grabbed = b.world_point(joint.local_anchor_b)
            made = world.create_mouse_joint(
                **common, target=grabbed, hertz=spec.frequency, damping_ratio=spec.damping_ratio, max_force=spec.max_force
            )
            made.target = spec.target
            return made
        case MotorJointSpec():
            return world.create_motor_joint(
                **common,
                linear_offset=joint.local_anchor_a,
                angular_offset=joint.reference_angle,
                max_force=spec.max_force,
                max_torque=spec.max_torque,
                correction_factor=spec.correction_factor,
            )
    raise AssertionError(spec)
