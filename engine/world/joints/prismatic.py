"""Prismatic joint."""

from __future__ import annotations

from engine.world.fields import spec
from engine.world.joints.interface import Label, ResolvedJoint, TwoBodyJointSpec, Vector
from engine.world.joints.rows import ALONG, ANGLE, DRIVE, HOLD, LOW, Row, Rows, across, limits

__all__ = ["PrismaticJointSpec"]


@spec
class PrismaticJointSpec(TwoBodyJointSpec):
    """A slider along `axis` (world direction, fixed to body A); limits in m, motor in m/s and N."""

    anchor: Vector
    axis: Vector
    enable_limit: bool = False
    lower_translation: float = 0.0
    upper_translation: float = 0.0
    enable_motor: bool = False
    motor_speed: float = 0.0
    max_motor_force: float = 0.0
    collide_connected: bool = False
    anchor_b: Vector | None = None
    reference_angle: float | None = None

    title = "slider"
    coordinate = ALONG
    labels = TwoBodyJointSpec.labels | {
        "motor_speed": Label("motor speed", "Speed along the axis; negative is backward, and 0 brakes.", 1.0, "m/s"),
        "max_motor_force": Label("max force", "Maximum force of the motor. At 0 it does nothing.", 5.0, "N"),
        "lower_translation": Label(
            "lower limit", "Smallest displacement along the axis; 0 is the position at which they were joined.", 0.1, "m"
        ),
        "upper_translation": Label(
            "upper limit", "Largest displacement along the axis; 0 is the position at which they were joined.", 0.1, "m"
        ),
    }

    def rows(self, joint: ResolvedJoint) -> Rows:
        axis = joint.local_axis_a
        if self.enable_motor:
            yield Row(ALONG, DRIVE, speed=self.motor_speed, max_force=self.max_motor_force, axis=axis)
        if self.enable_limit:
            yield from limits(Row(ALONG, LOW, axis=axis), self.lower_translation, self.upper_translation)
        yield Row(ALONG, HOLD, axis=across(axis))
        yield Row(ANGLE, HOLD, joint.reference_angle)
