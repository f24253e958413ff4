"""Gear joint."""

from __future__ import annotations

from collections.abc import Callable

from engine.common.errors import InvalidInputError
from engine.geometry import Transform
from engine.world.fields import spec
from engine.world.joints.interface import Joints, JointSpec, Label, ResolvedJoint
from engine.world.joints.rows import HOLD, SUM, Row, Rows

__all__ = ["GearJointSpec"]

_MIN_RATIO = 1.0e-3
"""Minimum magnitude of the ratio, the same as a pulley joint's."""


@spec
class GearJointSpec(JointSpec):
    """Couples two revolute or prismatic joints: ``coordinate_a + ratio * coordinate_b`` (rad, m) is constant.

    It acts on body B of each joint, which must be dynamic, relative to body A; with a positive ratio two wheels turn in opposite
    directions. It is destroyed with either joint, or when one of their bodies no longer meets the requirements.
    """

    joint_a: int
    joint_b: int
    ratio: float = 1.0
    collide_connected: bool = False

    title = "gear"
    labels = JointSpec.labels | {"ratio": Label("ratio", "Change in A's coordinate per unit of opposite change in B's.", 0.5)}
    joint_fields = ("joint_a", "joint_b")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _MIN_RATIO <= abs(self.ratio) <= 1.0 / _MIN_RATIO:
            sign = " in magnitude" if self.ratio < 0.0 else ""
            raise InvalidInputError("ratio", f"from {_MIN_RATIO:g} to {1.0 / _MIN_RATIO:g}{sign}", self.ratio)

    def check_ends(self, number: int, type_of: Callable[[int], str], others: Joints) -> None:
        for name, other in (("joint_a", self.joint_a), ("joint_b", self.joint_b)):
            resolved = others.get(other)
            if resolved is None or other >= number or resolved.spec.coordinate is None:
                raise InvalidInputError(name, "an older revolute or prismatic joint", other)
        if others[self.joint_a].bodies[1] == others[self.joint_b].bodies[1]:
            raise InvalidInputError("joint_b", "a joint with a different body_b than joint_a", self.joint_b)

    def resolve(self, pose_of: Callable[[int], Transform], others: Joints) -> ResolvedJoint:
        return ResolvedJoint(self, (others[self.joint_a].bodies[1], others[self.joint_b].bodies[1]))

    def rows(self, joint: ResolvedJoint) -> Rows:
        yield Row(SUM, HOLD, ratio=self.ratio)  # of the coordinates of both joints
