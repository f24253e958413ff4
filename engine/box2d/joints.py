"""How a resolved joint (`engine.world.joints`) becomes a Box2D joint.

A gear joint stands on two other joints and keeps pointers to their four bodies. Where one of those joints goes before it, or leaves a body
out of its island, Box2D solves it all the same, at the place in the island that the body had last: other bodies are thrown, by whatever
lies there. The solver lets none live that could do so (`Box2DSolver.can_hold`). The sum that it keeps constant is one of the hidden words
(`engine.box2d.hidden`); where memory is out of reach, building anew takes it anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import Box2D

from engine.common.limits import LOOSE_SPRING
from engine.world.joints import (
    DistanceJointSpec,
    FrictionJointSpec,
    GearJointSpec,
    JointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    ResolvedJoint,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
)

__all__ = ["create_joint"]


def create_joint(world: Any, joint: ResolvedJoint, body_a: Any, body_b: Any, others: Mapping[int, Any]) -> Any:
    """Make the Box2D joint between two live Box2D bodies; a gear joint on two of the other joints."""
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
    common["collideConnected"] = settings.collide_connected
    if isinstance(settings, GearJointSpec):
        a, b = others[settings.joint_a], others[settings.joint_b]
        return world.CreateJoint(Box2D.b2GearJointDef(**common, joint1=a, joint2=b, ratio=settings.ratio))
    if isinstance(settings, MotorJointSpec):
        return world.CreateJoint(
            Box2D.b2MotorJointDef(
                **common,
                linearOffset=joint.local_anchor_a,
                angularOffset=joint.reference_angle,
                maxForce=settings.max_force,
                maxTorque=settings.max_torque,
                correctionFactor=settings.correction_factor,
            )
        )
    common |= {
        "localAnchorA": joint.local_anchor_a,
        "localAnchorB": joint.local_anchor_b,
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
        case FrictionJointSpec():
            return Box2D.b2FrictionJointDef(**common, maxForce=settings.max_force, maxTorque=settings.max_torque)
        case MouseJointSpec() | MotorJointSpec() | GearJointSpec():
            raise AssertionError("these have a path of their own in create_joint")
