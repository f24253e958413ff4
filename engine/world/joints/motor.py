"""Motor joint."""

from __future__ import annotations

from engine.world.fields import spec
from engine.world.joints.interface import Label, ResolvedJoint, TwoBodyJointSpec, Vector
from engine.world.joints.rows import ANGLE, DRIVE, POINT, Row, Rows

__all__ = ["MotorJointSpec"]


@spec
class MotorJointSpec(TwoBodyJointSpec):
    """Drives `body_b` to a pose in the frame of `body_a`, with at most `max_force`, N, and `max_torque`, N m.

    `linear_offset` (m, frame of body A) is the target of body B's origin, `angular_offset` (rad) the target angle of B relative to A; None
    means the value at creation. `correction_factor` is the fraction of the position error that a step tries to correct.
    """

    linear_offset: Vector | None = None
    angular_offset: float | None = None
    max_force: float = 1.0
    max_torque: float = 1.0
    correction_factor: float = 0.3
    collide_connected: bool = False

    title = "motor"
    labels = TwoBodyJointSpec.labels | {
        "linear_offset": Label("target", "Target position of B's origin, in A's frame.", 0.1, "m"),
        "angular_offset": Label("target angle", "Target angle of B relative to A.", 5.0, "°"),
        "correction_factor": Label("correction", "Fraction of the error corrected in each step, 0 to 1.", 0.1),
    }

    def rows(self, joint: ResolvedJoint) -> Rows:
        correction = (self.correction_factor, 1.0)
        yield Row(ANGLE, DRIVE, joint.reference_angle, max_force=self.max_torque, spring=correction)
        yield Row(POINT, DRIVE, max_force=self.max_force, spring=correction)
