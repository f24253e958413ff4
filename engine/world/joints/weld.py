"""Weld joint."""

from __future__ import annotations

from engine.world.fields import spec
from engine.world.joints.interface import ResolvedJoint, TwoBodyJointSpec, Vector
from engine.world.joints.rows import ANGLE, HOLD, POINT, SPRING, Row, Rows

__all__ = ["WeldJointSpec"]


@spec
class WeldJointSpec(TwoBodyJointSpec):
    """Welds two bodies at `anchor` (world, m); rotationally soft if `frequency` > 0 Hz."""

    anchor: Vector
    frequency: float = 0.0
    damping_ratio: float = 0.0
    collide_connected: bool = False
    anchor_b: Vector | None = None
    reference_angle: float | None = None

    title = "weld"

    def rows(self, joint: ResolvedJoint) -> Rows:
        mode = SPRING if self.frequency > 0.0 else HOLD
        yield Row(ANGLE, mode, joint.reference_angle, spring=(self.frequency, self.damping_ratio))
        yield Row(POINT, HOLD)
