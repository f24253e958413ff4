"""Actions at a point in the view, such as grabbing or dragging a body, or dropping one into the demo."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from engine.common.files import name_beside, relative_path
from engine.sim.action import Action, Held, Inverse, Number, Part, Point, Size
from engine.sim.actions.edits import DestroyBody, SetPose, SetVelocity
from engine.sim.demo import Demo, Simulation
from engine.sim.dropping import DroppedBody, drop_body
from engine.sim.grip import bodies_under
from engine.sim.ids import called
from engine.sim.stage import Stage

if TYPE_CHECKING:
    from engine.decompose import BodyFile

__all__ = ["AtPoint", "Drag", "Drop", "Grab", "Release", "Turn", "TurnWheel", "laid_out"]

Offsets = Annotated[tuple[Point, ...], Meta(max_length=64)]


def _offsets_of(stages: Sequence[Stage]) -> tuple[tuple[float, float], ...]:
    """Return the offsets of the stages in the view, meters; () if all are (0, 0)."""
    offsets = tuple(stage.offset for stage in stages)
    return offsets if any(x or y for x, y in offsets) else ()


@contextlib.contextmanager
def laid_out(stages: Sequence[Stage], offsets: Sequence[tuple[float, float]] | None) -> Iterator[None]:
    """Set the stages' offsets in the with block, and restore them afterwards; None leaves them unchanged.

    Missing offsets are (0, 0).
    """
    moved = [(stage, stage.offset) for stage in stages] if offsets is not None else []
    places = (*(offsets or ()), *[(0.0, 0.0)] * len(moved))
    for (stage, _), offset in zip(moved, places, strict=False):
        stage.offset = offset
    try:
        yield
    finally:
        for stage, offset in moved:
            stage.offset = offset


class _InPicture(Action, frozen=True, kw_only=True):
    offsets: Offsets | None = None
    """The stages' offsets in the view that the point assumes, meters; missing ones are (0, 0).
    None means the current offsets, or (0, 0) for all in a shared simulation, where windows may differ."""


class AtPoint(_InPicture, frozen=True):
    """Base class of actions at a point in the view, meters."""

    point: Point

    def context(self, sim: Simulation) -> AbstractContextManager[object]:
        is_everywhere_alike = self.offsets is None and sim.is_shared
        return laid_out(sim.demo.stages, () if is_everywhere_alike else self.offsets)

    def resolve(self, sim: Simulation) -> Action:
        return replace(self, offsets=_offsets_of(sim.demo.stages))


class Grab(AtPoint, frozen=True):
    """Grab a body and pull it toward the point; returns False if there is none.

    `held` names the body: stage, id, and grabbed point in the body's frame, meters. `resolve` sets it, because another copy of the
    simulation may have another body at the point. If None, the demo searches for a body at the point.
    """

    held: Held | None = None
    may_create = True

    def apply(self, sim: Simulation) -> bool:
        if self.held is None:
            return sim.demo.grab(self.point)
        sim.hold(*self.held, self.point)
        return True

    def perform(self, sim: Simulation) -> tuple[bool, Inverse | None]:
        is_held, grip = self.apply(sim), sim.demo.grip
        if grip is None:
            return is_held, None
        stage, body, state = sim.demo.stages.index(grip.stage), grip.body, grip.stage.world.state(grip.body)
        back = SetPose(stage, body, state.position, state.angle), SetVelocity(stage, body, state.linear_velocity, state.angular_velocity)
        return is_held, Inverse(f"the grip on {called('body', body)}", (Part(Release()), *map(Part, back)))

    def resolve(self, sim: Simulation) -> Action:
        demo, action = sim.demo, replace(self, offsets=_offsets_of(sim.demo.stages))
        if self.held is not None or type(demo).grab is not Demo.grab:
            return action
        seen = next(bodies_under(demo.stages, self.point), None)
        if seen is None:
            return Release()
        stage, body = seen
        at = demo.stages[stage].world.state(body).xf.apply_inverse(demo.stages[stage].local(self.point))
        return replace(action, held=(stage, body, at))


class Drag(AtPoint, frozen=True):
    """Pull the grabbed body toward the point."""

    undoable = False

    def apply(self, sim: Simulation) -> None:
        sim.demo.drag(self.point)


class Release(Action, frozen=True):
    """Release the grabbed body; returns False if nothing is held."""

    undoable = False
    takes_back = True
    is_of_a_world = True

    def apply(self, sim: Simulation) -> bool | None:
        is_empty = sim.demo._grip is None
        sim.demo.release()
        return False if is_empty else None


class Turn(AtPoint, frozen=True):
    """Right click at the point; the demo may grab something that `Drag` turns. Returns False if it does not."""

    may_create = True

    @staticmethod
    def is_taken_by(demo: Demo) -> bool:
        """Return True if the demo overrides `turn`."""
        return type(demo).turn is not Demo.turn

    def apply(self, sim: Simulation) -> bool:
        return sim.demo.turn(self.point)


class TurnWheel(AtPoint, frozen=True):
    """Turn the mouse wheel at the point; returns False if the demo does not use it."""

    notches: Number
    may_create = True

    @staticmethod
    def is_taken_by(demo: Demo) -> bool:
        """Return True if the demo overrides `on_wheel`."""
        return type(demo).on_wheel is not Demo.on_wheel

    def apply(self, sim: Simulation) -> bool:
        return sim.demo.on_wheel(self.point, self.notches)


class Drop(AtPoint, frozen=True):
    """Drop a body at the point; returns the `DroppedBody`.

    `file` is the content of a body file without its picture. `picture` is the picture's path relative to the working directory, its lower
    and upper corners in the body's frame, meters, and its crop or None.
    """

    file: dict[str, Any]
    picture: tuple[str, Point, Point, tuple[int, int, int, int] | None] | None = None
    may_create = True

    @classmethod
    def of(cls, file: BodyFile, point: Point) -> Drop:
        """Return the action that drops a body."""
        from engine.decompose import body_as_json

        picture = file.picture
        seen = None if picture is None else (relative_path(picture.file, Path.cwd()), picture.lower, picture.upper, picture.crop)
        return cls(point, body_as_json(dataclasses.replace(file, picture=None)), seen)

    def apply(self, sim: Simulation) -> DroppedBody:
        from engine.decompose import Picture, body_from_json

        file = body_from_json(self.file, "file")
        if self.picture is not None:
            name, lower, upper, crop = self.picture
            file = dataclasses.replace(file, picture=Picture(os.path.normpath(name), lower, upper, crop))
        return drop_body(sim.demo.stages, sim.demo.dropped, file, self.point)

    def perform(self, sim: Simulation) -> tuple[DroppedBody, Inverse | None]:
        dropped = self.apply(sim)
        return dropped, Inverse("the dropped body", (Part(DestroyBody(sim.demo.stages.index(dropped.stage), dropped.body)),))

    def without_files(self, folder: Path | None = None) -> Action:
        if self.picture is None or (folder is not None and name_beside(folder, self.picture[0]) is not None):
            return self
        return replace(self, picture=None)

    @property
    def size(self) -> Size:
        fixtures = self.file.get("fixtures")
        return Size(1, len(fixtures) if isinstance(fixtures, list) else 0)
