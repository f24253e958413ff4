"""Pulley joint."""

from __future__ import annotations

from engine.world.fields import Rule, spec
from engine.world.joints.interface import Label, ResolvedJoint, TwoBodyJointSpec, Vector, check_apart
from engine.world.joints.rows import HIGH, HOLD, LENGTH, SUM, Row, Rows

__all__ = ["PulleyJointSpec"]


@spec
class PulleyJointSpec(TwoBodyJointSpec):
    """Two bodies on a rope over two fixed points: ``length_a + ratio * length_b`` (m) is constant."""

    ground_anchor_a: Vector
    ground_anchor_b: Vector
    anchor_a: Vector
    anchor_b: Vector
    ratio: float = 1.0
    collide_connected: bool = True
    length_a: float | None = None
    length_b: float | None = None

    title = "pulley"
    labels = TwoBodyJointSpec.labels | {
        "length_a": Label("length A", "Initial rope length on A's side. The total is A's length plus the ratio times B's.", 0.1, "m"),
        "length_b": Label("length B", "Initial rope length on B's side.", 0.1, "m"),
        "ratio": Label("ratio", "Change in the rope length on A's side per unit of change on B's side.", 0.5),
    }
    # Box2D divides by the ratio, and does not limit the resulting position correction
    rules = TwoBodyJointSpec.rules | {"ratio": Rule("number", low=1.0e-3, high=1.0e3)}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length_a is None:
            check_apart("anchor_a", self.ground_anchor_a, self.anchor_a)
        if self.length_b is None:
            check_apart("anchor_b", self.ground_anchor_b, self.anchor_b)

    def rows(self, joint: ResolvedJoint) -> Rows:
        rope = joint.length_a + self.ratio * joint.length_b
        # the LENGTHs stop a side that has run out: with the SUM alone its body would pass through the fixed point
        yield Row(LENGTH, HIGH, rope, ends=(None, self.body_a), local=(self.ground_anchor_a, joint.local_anchor_a))
        yield Row(LENGTH, HIGH, rope / self.ratio, ends=(None, self.body_b), local=(self.ground_anchor_b, joint.local_anchor_b))
        yield Row(SUM, HOLD, rope, ratio=self.ratio)
