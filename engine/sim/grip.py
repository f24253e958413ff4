"""Grabs a body with a mouse joint between a point of the body and the pointer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.common.errors import LabError
from engine.sim.stage import Stage
from engine.world import MouseJointSpec

__all__ = ["Grip", "bodies_under", "take_hold", "take_hold_of"]

_FORCE_PER_KG = 1000.0
"""Maximum force per body mass, N/kg, about a hundred times the weight under default gravity."""
_MIN_MASS = 1e-3
"""Minimum mass for the maximum force, kg, so that it is not zero for massless bodies."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Grip:
    """A mouse joint in the world of a stage; it is destroyed with its body."""

    stage: Stage
    joint: int

    @property
    def is_there(self) -> bool:
        """True if the joint still exists."""
        return self.stage.world.is_joint(self.joint)

    @property
    def body(self) -> int:
        """Id of the grabbed body."""
        return self.stage.world.joint_bodies(self.joint)[1]

    @property
    def point(self) -> Point:
        """Grabbed point in the body's frame, meters."""
        world = self.stage.world
        return world.state(self.body).xf.apply_inverse(world.joint_anchors(self.joint)[1])

    def pull(self, point: Point) -> None:
        """Pull the body toward a point in the view; points outside the world's bounds are ignored."""
        if not self.is_there:
            return
        try:
            self.stage.world.set_mouse_target(self.joint, self.stage.local(point))
        except LabError:
            return

    def let_go(self) -> None:
        """Destroy the joint, if it still exists."""
        if self.is_there:
            self.stage.world.destroy_joint(self.joint)


def take_hold(stages: Sequence[Stage], point: Point) -> Grip | None:
    """Grab the dynamic body at a point in the view; None if there is none.

    Bodies for which the world rejects the joint, because they are too far out or too heavy, are skipped.
    """
    for k, body in bodies_under(stages, point):
        target = stages[k].local(point)
        with contextlib.suppress(LabError):
            return _joined(stages[k], body, target, target)
    return None


def bodies_under(stages: Sequence[Stage], point: Point) -> Iterator[tuple[int, int]]:
    """Yield (stage index, body id) of the dynamic bodies at a point in the view, at most one per stage."""
    for k, stage in enumerate(stages):
        with contextlib.suppress(LabError):
            body = stage.world.body_at(stage.local(point))
            if body is not None:
                yield k, body


def take_hold_of(stage: Stage, body: int, held: Point, point: Point) -> Grip:
    """Grab a body at `held`, in its own frame, and pull it toward `point`, in the view; both in meters.

    Raises
    ------
    LabError
        The body does not exist or cannot be grabbed.
    """
    return _joined(stage, body, stage.world.state(body).xf.apply(held), stage.local(point))


def _joined(stage: Stage, body: int, grabbed: Point, target: Point) -> Grip:
    world = stage.world
    force = _FORCE_PER_KG * max(world.body(body).mass, _MIN_MASS)
    spec = MouseJointSpec(body, target, max_force=force, grabbed=None if grabbed == target else grabbed)
    grip = Grip(stage, world.create_joint(spec))
    world.set_awake(body, True)
    return grip
