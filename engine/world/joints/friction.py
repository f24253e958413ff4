"""Friction joint."""

from __future__ import annotations

from engine.world.fields import spec
from engine.world.joints.interface import ResolvedJoint, TwoBodyJointSpec, Vector
from engine.world.joints.rows import ANGLE, DRIVE, POINT, Row, Rows

__all__ = ["FrictionJointSpec"]


@spec
class FrictionJointSpec(TwoBodyJointSpec):
    """Top-down friction at `anchor` (world, m): at most `max_force`, N, against sliding and `max_torque`, N m, against rotation."""

    anchor: Vector
    max_force: float
    max_torque: float = 0.0
    collide_connected: bool = False
    anchor_b: Vector | None = None

    title = "friction"

    def rows(self, joint: ResolvedJoint) -> Rows:
        yield Row(ANGLE, DRIVE, max_force=self.max_torque)
        yield Row(POINT, DRIVE, max_force=self.max_force)
