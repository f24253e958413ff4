"""Mouse joint."""

from __future__ import annotations

from collections.abc import Callable

from engine.geometry import Transform
from engine.world.fields import Rule, spec
from engine.world.joints.interface import Joints, JointSpec, ResolvedJoint, Vector
from engine.world.joints.rows import POINT, SPRING, Row, Rows

__all__ = ["MouseJointSpec"]


@spec
class MouseJointSpec(JointSpec):
    """Softly pulls the point of `body` that is initially at `grabbed` toward `target` (world, m); `grabbed` None means at `target`."""

    body: int
    target: Vector
    max_force: float
    frequency: float = 5.0
    damping_ratio: float = 0.7
    grabbed: Vector | None = None

    title = "pull"
    body_fields = ("body",)
    rules = JointSpec.rules | {
        "max_force": Rule("number", "N", 0.0, is_above=True),  # with 0 it would exert no force
        "frequency": Rule("number", "Hz", 0.0, is_above=True),
    }

    def resolve(self, pose_of: Callable[[int], Transform], others: Joints) -> ResolvedJoint:
        grabbed = self.target if self.grabbed is None else self.grabbed
        return ResolvedJoint(self, (None, self.body), self.target, pose_of(self.body).apply_inverse(grabbed))

    def rows(self, joint: ResolvedJoint) -> Rows:
        spring, local = (self.frequency, self.damping_ratio), (self.target, joint.local_anchor_b)
        yield Row(POINT, SPRING, max_force=self.max_force, spring=spring, local=local)
