"""Revolute joint."""

from __future__ import annotations

from engine.world.fields import spec
from engine.world.joints.interface import Label, ResolvedJoint, TwoBodyJointSpec, Vector
from engine.world.joints.rows import ANGLE, DRIVE, HOLD, LOW, POINT, Row, Rows, limits

__all__ = ["RevoluteJointSpec"]


@spec
class RevoluteJointSpec(TwoBodyJointSpec):
    """A hinge at `anchor` (world, m); limits in rad relative to `reference_angle`, motor in rad/s and N m."""

    anchor: Vector
    enable_limit: bool = False
    lower_angle: float = 0.0
    upper_angle: float = 0.0
    enable_motor: bool = False
    motor_speed: float = 0.0
    max_motor_torque: float = 0.0
    collide_connected: bool = False
    anchor_b: Vector | None = None
    reference_angle: float | None = None

    title = "hinge"
    coordinate = ANGLE
    labels = TwoBodyJointSpec.labels | {
        "lower_angle": Label("lower limit", "Smallest angle of B relative to A; 0 is the angle at which they were joined.", 5.0, "°"),
        "upper_angle": Label("upper limit", "Largest angle of B relative to A; 0 is the angle at which they were joined.", 5.0, "°"),
    }

    def rows(self, joint: ResolvedJoint) -> Rows:
        if self.enable_motor:
            yield Row(ANGLE, DRIVE, speed=self.motor_speed, max_force=self.max_motor_torque)
        if self.enable_limit:
            zero = joint.reference_angle
            yield from limits(Row(ANGLE, LOW), zero + self.lower_angle, zero + self.upper_angle)
        yield Row(POINT, HOLD)
