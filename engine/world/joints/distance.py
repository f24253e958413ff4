"""Distance joint."""

from __future__ import annotations

from engine.common.tolerances import LINEAR_SLOP
from engine.world.fields import spec
from engine.world.joints.interface import Label, ResolvedJoint, TwoBodyJointSpec, Vector, check_apart
from engine.world.joints.rows import HOLD, LENGTH, POINT, SPRING, Row, Rows

__all__ = ["DistanceJointSpec"]


@spec
class DistanceJointSpec(TwoBodyJointSpec):
    """A rod of `length`, m, between two anchors (world, m); a spring if `frequency` > 0 Hz."""

    anchor_a: Vector
    anchor_b: Vector
    frequency: float = 0.0
    damping_ratio: float = 0.0
    collide_connected: bool = False
    length: float | None = None

    title = "rod"
    labels = TwoBodyJointSpec.labels | {"length": Label("length", "Distance between the joint's anchors.", 0.1, "m")}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length is None:
            check_apart("anchor_b", self.anchor_a, self.anchor_b)

    def rows(self, joint: ResolvedJoint) -> Rows:
        is_soft, spring = self.frequency > 0.0, (self.frequency, self.damping_ratio)
        if is_soft or joint.length_a >= LINEAR_SLOP:
            yield Row(LENGTH, SPRING if is_soft else HOLD, joint.length_a, spring=spring)
        else:  # a rod shorter than the slop has no reliable direction
            yield Row(POINT, HOLD)
