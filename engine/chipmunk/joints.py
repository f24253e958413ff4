"""Our joints as Chipmunk constraints, combined as its manual combines them.

| joint | constraints |
|---|---|
| revolute | pivot; rotary limit; simple motor |
| distance | pin, or damped spring if it has a frequency |
| weld | pivot and gear, or pivot and damped rotary spring |
| prismatic | groove from the lower to the upper limit, and gear; no motor |
| wheel | groove, damped spring, simple motor |
| rope | slide |
| mouse | pivot to the static body |
| friction | pivot and gear that correct no position (`max_bias` 0) |
| motor | pivot and gear with limited force |
| pulley, gear | none: Chipmunk has no pulley, and its gear joint couples the angles of two bodies, not two joints |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import pymunk

from engine.common.errors import InvalidInputError
from engine.geometry import Transform
from engine.world import (
    DistanceJointSpec,
    FrictionJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
)
from engine.world.joints.interface import ResolvedJoint

__all__ = ["JOINTS", "ROTARY", "check_joint", "constraints_of"]

JOINTS: tuple[type, ...] = (
    RevoluteJointSpec,
    DistanceJointSpec,
    WeldJointSpec,
    PrismaticJointSpec,
    WheelJointSpec,
    RopeJointSpec,
    MouseJointSpec,
    FrictionJointSpec,
    MotorJointSpec,
)
"""Supported joint specifications."""

ROTARY = (pymunk.RotaryLimitJoint, pymunk.SimpleMotor, pymunk.GearJoint, pymunk.DampedRotarySpring)
"""Constraints whose impulse is angular."""

_UNLIMITED = 1.0e4
"""Half the length of the groove of a joint without limits, m."""
_SPRING_LENGTH = 1.0
"""Rest length of a wheel's spring, m: Chipmunk's spring acts along the line between its ends, so they must not meet."""


def check_joint(spec: object) -> None:
    """Check that Chipmunk supports the settings of a specification, if it is a joint.

    Raises
    ------
    InvalidInputError
        It does not; the message names the setting.
    """
    if isinstance(spec, PrismaticJointSpec) and spec.enable_motor:
        raise InvalidInputError("enable_motor", "False with Chipmunk, which has no linear motor", True)


def constraints_of(
    joint: ResolvedJoint, a: pymunk.Body, b: pymunk.Body, pose_of: Callable[[int | None], Transform], hertz: float
) -> Iterator[pymunk.Constraint]:
    """Yield the constraints of a joint between two bodies; they are not added to a space yet."""
    spec, on_a, on_b = joint.spec, joint.local_anchor_a, joint.local_anchor_b
    match spec:
        case RevoluteJointSpec():
            yield pymunk.PivotJoint(a, b, on_a, on_b)
            if spec.enable_limit:
                low, high = joint.reference_angle + spec.lower_angle, joint.reference_angle + spec.upper_angle
                yield pymunk.RotaryLimitJoint(a, b, low, high)
            if spec.enable_motor:
                yield _motor(a, b, spec.motor_speed, spec.max_motor_torque)
        case DistanceJointSpec():
            if spec.frequency > 0.0:
                (ax, ay), (bx, by) = pose_of(joint.bodies[0]).apply(on_a), pose_of(joint.bodies[1]).apply(on_b)
                length = math.hypot(bx - ax, by - ay) or 1.0
                axis = (bx - ax) / length, (by - ay) / length
                mass = 1.0 / (_compliance(a, (ax, ay), axis) + _compliance(b, (bx, by), axis))
                yield pymunk.DampedSpring(a, b, on_a, on_b, joint.length_a, *_spring(mass, spec.frequency, spec.damping_ratio))
            else:
                rod = pymunk.PinJoint(a, b, on_a, on_b)
                rod.distance = joint.length_a
                yield rod
        case WeldJointSpec():
            yield pymunk.PivotJoint(a, b, on_a, on_b)
            if spec.frequency > 0.0:
                stiffness, damping = _spring(1.0 / (_inverse(a.moment) + _inverse(b.moment)), spec.frequency, spec.damping_ratio)
                # Chipmunk measures the angle of A relative to B
                yield pymunk.DampedRotarySpring(a, b, -joint.reference_angle, stiffness, damping)
            else:
                yield pymunk.GearJoint(a, b, joint.reference_angle, 1.0)
        case PrismaticJointSpec():
            low, high = (spec.lower_translation, spec.upper_translation) if spec.enable_limit else (-_UNLIMITED, _UNLIMITED)
            yield _groove(a, b, joint, low, high)
            yield pymunk.GearJoint(a, b, joint.reference_angle, 1.0)
        case WheelJointSpec():
            yield _groove(a, b, joint, -_UNLIMITED, _UNLIMITED)
            if spec.frequency > 0.0:
                (ux, uy), at = joint.local_axis_a, pose_of(joint.bodies[1]).apply(on_b)
                axis = pose_of(joint.bodies[0]).rotate(joint.local_axis_a)
                mass = 1.0 / (_compliance(a, at, axis) + _compliance(b, at, axis))
                end = on_a[0] + _SPRING_LENGTH * ux, on_a[1] + _SPRING_LENGTH * uy
                yield pymunk.DampedSpring(a, b, end, on_b, _SPRING_LENGTH, *_spring(mass, spec.frequency, spec.damping_ratio))
            if spec.enable_motor:
                yield _motor(a, b, spec.motor_speed, spec.max_motor_torque)
        case RopeJointSpec():
            yield pymunk.SlideJoint(a, b, on_a, on_b, 0.0, joint.length_a)
        case MouseJointSpec():
            hand = pymunk.PivotJoint(a, b, spec.target, on_b)
            hand.max_force = spec.max_force
            hand.error_bias = math.exp(-2.0 * math.pi * spec.frequency)
            yield hand
        case FrictionJointSpec():
            yield _limited(pymunk.PivotJoint(a, b, on_a, on_b), spec.max_force, 0.0)
            yield _limited(pymunk.GearJoint(a, b, joint.reference_angle, 1.0), spec.max_torque, 0.0)
        case MotorJointSpec():
            # a step corrects 1 - error_bias ** dt of the error
            bias = max(1.0 - spec.correction_factor, 1.0e-9) ** hertz
            for part, most in (
                (pymunk.PivotJoint(a, b, on_a, (0.0, 0.0)), spec.max_force),
                (pymunk.GearJoint(a, b, joint.reference_angle, 1.0), spec.max_torque),
            ):
                part.error_bias = bias
                yield _limited(part, most, math.inf)


def _limited(constraint: pymunk.Constraint, max_force: float, max_bias: float) -> pymunk.Constraint:
    constraint.max_force, constraint.max_bias = max_force, max_bias
    return constraint


def _motor(a: pymunk.Body, b: pymunk.Body, speed: float, max_torque: float) -> pymunk.Constraint:
    motor = pymunk.SimpleMotor(a, b, -speed)  # Chipmunk's rate is that of A relative to B
    motor.max_force = max_torque
    return motor


def _groove(a: pymunk.Body, b: pymunk.Body, joint: ResolvedJoint, low: float, high: float) -> pymunk.Constraint:
    """Return a groove along the joint's axis, from `low` to `high`, m."""
    (x, y), (ux, uy) = joint.local_anchor_a, joint.local_axis_a
    high = max(high, low + 1.0e-6)  # a groove without a length has no direction
    return pymunk.GrooveJoint(a, b, (x + low * ux, y + low * uy), (x + high * ux, y + high * uy), joint.local_anchor_b)


def _spring(mass: float, frequency: float, damping_ratio: float) -> tuple[float, float]:
    """Return stiffness and damping of a spring on an effective mass (kg or kg m^2)."""
    omega = 2.0 * math.pi * frequency
    return mass * omega * omega, 2.0 * mass * damping_ratio * omega


def _inverse(value: float) -> float:
    return 0.0 if value <= 0.0 or math.isinf(value) else 1.0 / value


def _compliance(body: pymunk.Body, point: tuple[float, float], axis: tuple[float, float]) -> float:
    """Return the inverse effective mass of a body at a world point along an axis; 0 for a body that is not dynamic."""
    if body.body_type != pymunk.Body.DYNAMIC:
        return 0.0
    center = body.local_to_world(body.center_of_gravity)
    arm = (point[0] - center[0]) * axis[1] - (point[1] - center[1]) * axis[0]
    return _inverse(body.mass) + _inverse(body.moment) * arm * arm
