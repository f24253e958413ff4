"""One world of a demo, with what is counted, checked and remembered about it for the picture."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np

from engine.box2d import World
from engine.common.arrays import FloatArray
from engine.contracts import StepAgreement, StepContacts
from engine.contracts.contact import PointState
from engine.geometry import AABB, Transform
from engine.render.impacts import StepImpacts, step_impacts
from engine.render.palette import Color
from engine.render.trail import ContactTrail

__all__ = ["Referee", "RefereeFactory", "Stage", "StageCounts", "StepTimes", "union"]


class Referee(Protocol):
    """Recomputes a step's contacts and compares them: `engine.compare.live.LiveReferee`."""

    @property
    def ready(self) -> bool:
        """False while its kernels are not warmed up."""

    @property
    def total(self) -> StepAgreement:
        """Running totals."""

    def check(self, contacts: StepContacts, /) -> StepAgreement:
        """Compare one step."""


def union(boxes: Sequence[AABB]) -> AABB | None:
    """Return the box around all `boxes`, None if there are none."""
    if not boxes:
        return None
    lower = min(box.lower[0] for box in boxes), min(box.lower[1] for box in boxes)
    return AABB(lower, (max(box.upper[0] for box in boxes), max(box.upper[1] for box in boxes)))


_KEPT_ERRORS = 2400
"""Steps: five seconds at 480 Hz, the most hertz a demo has."""

RefereeFactory = Callable[[World], Referee]


@dataclass(slots=True)
class StageCounts:
    """Running counts since the stage was built."""

    begun: int = 0
    ended: int = 0
    added: int = 0
    persisted: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class StepTimes:
    """What one step cost, milliseconds: stepping with the reading of its contacts, and the check."""

    step: float = 0.0
    check: float = 0.0


class Stage:
    """A world in the picture.

    Parameters
    ----------
    world : World
    offset : pair of float
        Where the world's origin lies in the picture, metres.
    label : str
        Its name, where several worlds stand side by side.
    mark_touching : bool
        Draw a body red while it touches another.

    Attributes
    ----------
    colors : dict
        Colours of single bodies by id, instead of the usual ones.
    outline_only : set
        Ids of bodies drawn without a fill.
    """

    def __init__(self, world: World, offset: tuple[float, float] = (0.0, 0.0), label: str = "", mark_touching: bool = False) -> None:
        self.world = world
        self.offset = offset
        self.label = label
        self.mark_touching = mark_touching
        self.colors: dict[int, Color] = {}
        self.outline_only: set[int] = set()
        self.trail = ContactTrail()
        self.impacts: StepImpacts | None = None
        """When, inside the last step, continuous physics let bodies meet: what the picture must not show before."""
        self.referee: Referee | None = None
        self.checking = True
        self.agreement = StepAgreement()
        self.reasons: Counter[str] = Counter()
        """Of all differences since the stage was built, with their numbers."""
        self.errors: deque[float] = deque(maxlen=_KEPT_ERRORS)
        """The largest error of a point that agrees, metres, of each of the last steps checked; newest last."""
        self.counts = StageCounts()
        self.times = StepTimes()
        self.bounds: AABB | None = None
        """All fixtures as they were built, in the picture's frame; None without any."""
        self.drawn_poses: FloatArray = world.poses
        """Poses of the picture being drawn, between two steps; aligned with `world.body_ids`."""

    @property
    def total(self) -> StepAgreement:
        """Everything the referee has compared here."""
        return self.referee.total if self.referee is not None else StepAgreement()

    def advance(self) -> StepContacts:
        """Take one step, count its events, check its contacts."""
        start = perf_counter()
        world = self.world
        body_ids, before, velocities = world.body_ids, world.poses, world.velocities
        contacts = world.step()
        stepped = perf_counter()
        if self.referee is not None and self.checking and self.referee.ready:
            self.agreement = self.referee.check(contacts)
            self.reasons.update([difference.reason for difference in self.agreement.differences])
            self.errors.append(self.agreement.max_point_error)
        else:
            self.agreement = StepAgreement()
        checked = perf_counter()
        self.times = StepTimes(1000.0 * (stepped - start), 1000.0 * (checked - stepped))
        self.impacts = None
        if contacts.in_toi.any() and world.body_ids == body_ids:
            ids = np.array(body_ids, dtype=np.int64)
            self.impacts = step_impacts(contacts, ids, before, velocities, 1.0 / world.settings.hertz)
        self.trail.record(contacts, self.impacts.contact_moments if self.impacts is not None else None)
        counts = self.counts
        counts.begun += len(contacts.began)
        counts.ended += len(contacts.ended)
        counts.added += int((contacts.state == PointState.ADD).sum())
        counts.persisted += int((contacts.state == PointState.PERSIST).sum())
        counts.removed += len(contacts.removed)
        return contacts

    @property
    def label_at(self) -> tuple[float, float]:
        """Where the label stands: above the middle of what was built."""
        if self.bounds is None:
            return self.offset
        return 0.5 * (self.bounds.lower[0] + self.bounds.upper[0]), self.bounds.upper[1]

    def measure(self) -> None:
        """Note the bounds of all fixtures as they stand now."""
        boxes: list[AABB] = []
        for body_id in self.world.body_ids:
            x, y, angle = self.world.poses[self.world.row_of(body_id)].tolist()
            xf = Transform((x + self.offset[0], y + self.offset[1]), angle)
            boxes.extend(self.world.fixture(fixture_id).shape.aabb(xf) for fixture_id in self.world.body(body_id).fixtures)
        self.bounds = union(boxes)

    def drawn_pose(self, body_id: int) -> tuple[float, float, float]:
        """Return x, y, angle of a body in the picture being drawn, the world's own frame; for `Demo.draw`."""
        row = self.world.row_of(body_id)
        poses = self.drawn_poses if len(self.drawn_poses) > row else self.world.poses
        x, y, angle = poses[row].tolist()
        return x, y, angle
