"""The hand that takes hold of a body: a mouse joint between a point of the body and the pointer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.common.errors import LabError
from engine.sim.stage import Stage
from engine.world import MouseJointSpec

__all__ = ["Grip", "bodies_under", "take_hold", "take_hold_of"]

_FORCE_PER_KG = 1000.0
"""N/kg, the hand's strength: a hundred times the weight under the usual gravity, so that nothing pinned resists it long."""
_MIN_MASS = 1e-3
"""kg for which the hand is strong enough: of nothing it would have no strength at all."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Grip:
    """The joint, and the stage in whose world it is. It ends with the body."""

    stage: Stage
    joint: int

    @property
    def is_there(self) -> bool:
        """True if it still holds."""
        return self.stage.world.is_joint(self.joint)

    @property
    def body(self) -> int:
        """The body that it holds."""
        return self.stage.world.joint_bodies(self.joint)[1]

    @property
    def point(self) -> Point:
        """The point of the body that it holds, in the body's frame, meters."""
        world = self.stage.world
        return world.state(self.body).xf.apply_inverse(world.joint_anchors(self.joint)[1])

    def pull(self, point: Point) -> None:
        """Pull towards a point of the picture; beyond the world's bounds the hand stays where it was."""
        if not self.is_there:
            return
        try:
            self.stage.world.set_mouse_target(self.joint, self.stage.local(point))
        except LabError:
            return

    def let_go(self) -> None:
        """Let go."""
        if self.is_there:
            self.stage.world.destroy_joint(self.joint)


def take_hold(stages: Sequence[Stage], point: Point) -> Grip | None:
    """Take hold of the dynamic body at a point of the picture; None where there is none, or none that can be held.

    What lies too far out, or is too heavy, is refused by the world: there is nothing to hold.
    """
    for k, body in bodies_under(stages, point):
        target = stages[k].local(point)
        with contextlib.suppress(LabError):
            return _joined(stages[k], body, target, target)
    return None


def bodies_under(stages: Sequence[Stage], point: Point) -> Iterator[tuple[int, int]]:
    """Yield stage and id of the dynamic body at a point of the picture, of each stage that has one there."""
    for k, stage in enumerate(stages):
        with contextlib.suppress(LabError):
            body = stage.world.body_at(stage.local(point))
            if body is not None:
                yield k, body


def take_hold_of(stage: Stage, body: int, held: Point, point: Point) -> Grip:
    """Take hold of a body at a point of its own frame, and pull it towards a point of the picture.

    Raises
    ------
    LabError
        There is no such body, or none that can be held.
    """
    return _joined(stage, body, stage.world.state(body).xf.apply(held), stage.local(point))


def _joined(stage: Stage, body: int, grabbed: Point, target: Point) -> Grip:
    world = stage.world
    force = _FORCE_PER_KG * max(world.body(body).mass, _MIN_MASS)
    spec = MouseJointSpec(body, target, max_force=force, grabbed=None if grabbed == target else grabbed)
    grip = Grip(stage, world.create_joint(spec))
    world.set_awake(body, True)
    return grip
