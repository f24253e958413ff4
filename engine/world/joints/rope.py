"""Rope joint."""

from __future__ import annotations

from engine.common.tolerances import LINEAR_SLOP
from engine.world.fields import spec
from engine.world.joints.interface import Label, ResolvedJoint, TwoBodyJointSpec, Vector
from engine.world.joints.rows import HIGH, HOLD, LENGTH, POINT, Row, Rows

__all__ = ["RopeJointSpec"]


@spec
class RopeJointSpec(TwoBodyJointSpec):
    """Limits the distance between two anchors (world, m) to `max_length`, m; None means their distance at creation."""

    anchor_a: Vector
    anchor_b: Vector
    max_length: float | None = None
    collide_connected: bool = False

    title = "rope"
    labels = TwoBodyJointSpec.labels | {"max_length": Label("max length", "Maximum distance between the joint's anchors.", 0.1, "m")}

    def rows(self, joint: ResolvedJoint) -> Rows:
        yield Row(LENGTH, HIGH, joint.length_a) if joint.length_a >= LINEAR_SLOP else Row(POINT, HOLD)
