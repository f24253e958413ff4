"""Wheel joint."""

from __future__ import annotations

from engine.world.fields import spec
from engine.world.joints.interface import ResolvedJoint, TwoBodyJointSpec, Vector
from engine.world.joints.rows import ALONG, ANGLE, DRIVE, HOLD, SPRING, Row, Rows, across

__all__ = ["WheelJointSpec"]


@spec
class WheelJointSpec(TwoBodyJointSpec):
    """A wheel, body B, that rotates freely at `anchor` and is suspended along `axis` (world direction, fixed to body A)."""

    anchor: Vector
    axis: Vector = (0.0, 1.0)
    frequency: float = 2.0
    damping_ratio: float = 0.7
    enable_motor: bool = False
    motor_speed: float = 0.0
    max_motor_torque: float = 0.0
    collide_connected: bool = False
    anchor_b: Vector | None = None

    title = "wheel"

    def rows(self, joint: ResolvedJoint) -> Rows:
        if self.enable_motor:
            yield Row(ANGLE, DRIVE, speed=self.motor_speed, max_force=self.max_motor_torque)
        if self.frequency > 0.0:
            yield Row(ALONG, SPRING, spring=(self.frequency, self.damping_ratio), axis=joint.local_axis_a)
        yield Row(ALONG, HOLD, axis=across(joint.local_axis_a))
