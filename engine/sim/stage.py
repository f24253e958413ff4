"""A stage: one world of a demo, with its counts, its checks and what the picture shows of it."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Union

import numpy as np

from engine.common.arrays import FloatArray, any_of_rows
from engine.contracts import PairAgreement, StepAgreement, StepContacts
from engine.contracts.contact import PointState
from engine.geometry import AABB
from engine.render.interpolation import PathPiece, StepImpacts, StepPath, step_impacts
from engine.render.palette import Color
from engine.render.trail import ContactTrail
from engine.sim.stateful import Stateful
from engine.world import World

if TYPE_CHECKING:
    from engine.compare.live.pairs import LivePairs
    from engine.compare.live.referee import LiveReferee
    from engine.experiments.rules import Piece

__all__ = ["RefereeFactory", "Stage", "StageCounts", "StepPiece", "StepTimes", "WholeStep", "body_box", "stage_under", "union"]


@dataclass(frozen=True, slots=True)
class WholeStep:
    """A step that was taken in one piece."""

    contacts: StepContacts
    start: float = 0.0
    end: float = 1.0


StepPiece = Union["Piece", WholeStep]
"""A step that the world took, from `start` to `end` of the stage's step."""


def union(boxes: Sequence[AABB]) -> AABB | None:
    """Return the box around all `boxes`, None if there are none."""
    if not boxes:
        return None
    lower = min(box.lower[0] for box in boxes), min(box.lower[1] for box in boxes)
    return AABB(lower, (max(box.upper[0] for box in boxes), max(box.upper[1] for box in boxes)))


def body_box(world: World, body: int) -> AABB | None:
    """Return the box around a body's fixtures where it stands; None without fixtures."""
    xf = world.state(body).xf
    return union([world.fixture(fixture).shape.aabb(xf) for fixture in world.fixtures_of(body)])


def stage_under(stages: Sequence[Stage], point: tuple[float, float]) -> int:
    """Return the stage whose bodies lie at a point of the picture, or nearest to it; -1 without any."""

    def away(k: int) -> float:
        box = stages[k].bounds
        if box is None:
            return math.inf
        dx = max(box.lower[0] - point[0], 0.0, point[0] - box.upper[0])
        dy = max(box.lower[1] - point[1], 0.0, point[1] - box.upper[1])
        return math.hypot(dx, dy)

    return min(range(len(stages)), key=away, default=-1)


_KEPT_ERRORS = 2400
"""Steps: five seconds at 480 Hz, the most hertz a demo has."""

RefereeFactory = Callable[[World], "LiveReferee"]
"""Makes what computes the contacts of a world again and compares them."""


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
    """Cost of a step, milliseconds: stepping with the reading of its contacts, the check, and the same step of a comparison."""

    step: float = 0.0
    check: float = 0.0
    beside: float = 0.0


class Stage(Stateful):
    """A world in the picture.

    Parameters
    ----------
    world : World
    offset : pair of float
        Where the world's origin lies in the picture, meters.
    label : str
        Its name, where several worlds stand side by side.
    mark_touching : bool
        Draw a body red while it touches another.

    Attributes
    ----------
    colors : dict
        Colors of single bodies by id, instead of the usual ones.
    outline_only : set
        Ids of bodies drawn without a fill.
    stepper : callable or None
        Takes one step in pieces: it returns an iterator that steps the world, and yields after each of the world's steps.
    recording : bool
        True if steps are counted, and what the picture shows of them is kept: not of those that are taken again.
    window : AABB or None
        The part of the world that is shown, its own frame; None for all of it.
    """

    state_names: ClassVar[tuple[str, ...]] = ("label", "mark_touching", "colors", "outline_only", "counts", "own_bounds")

    def __init__(self, world: World, offset: tuple[float, float] = (0.0, 0.0), label: str = "", mark_touching: bool = False) -> None:
        self.world = world
        self.offset = offset
        self.label = label
        self.mark_touching = mark_touching
        self.colors: dict[int, Color] = {}
        self.outline_only: set[int] = set()
        self.window: AABB | None = None
        self.stepper: Callable[[], Iterator[StepPiece]] | None = None
        self.trail = ContactTrail()
        self.impacts: StepImpacts | StepPath | None = None
        """When, inside the last step, bodies met: what the picture must not show before."""
        self.referee: LiveReferee | None = None
        self.checking = self.recording = True
        self.agreement = StepAgreement()
        """Verdicts on the manifolds of the last step; its `differences` include those of the pairs."""
        self.pairs = PairAgreement()
        """Agreement on the touching pairs of the last step."""
        self.reasons: Counter[str] = Counter()
        """Reasons of all differences since the stage was built, with their numbers."""
        self.errors: deque[float] = deque(maxlen=_KEPT_ERRORS)
        """The largest error of a point that agrees, meters, of each of the last steps checked; newest last."""
        self.counts = StageCounts()
        self.times = StepTimes()
        self.own_bounds: AABB | None = None
        """All fixtures as they were built, in the world's frame; None without any."""
        self.drawn_poses: FloatArray = world.poses
        """Poses of the picture being drawn, between two steps; aligned with `world.body_ids`."""

    def state_attributes(self) -> dict[str, Any]:
        """Return its state by name; with the offset where there is one."""
        return super().state_attributes() | ({"offset": self.offset} if self.offset != (0.0, 0.0) else {})

    def set_state_attributes(self, state: Mapping[str, Any]) -> None:
        """Replace its state, and drop what the picture and the referee have of the last steps."""
        super().set_state_attributes(state)
        self.trail, self.impacts = ContactTrail(), None
        self.agreement, self.pairs = StepAgreement(), PairAgreement()

    @property
    def total(self) -> StepAgreement:
        """Everything that was compared here."""
        return self.referee.total if self.referee is not None else StepAgreement()

    @property
    def pair_referee(self) -> LivePairs | None:
        """The check of which pairs touch, if there is one."""
        return self.referee.pairs if self.referee is not None else None

    @property
    def pair_total(self) -> PairAgreement:
        """All touching pairs compared here, summed over the steps."""
        return self.pair_referee.total if self.pair_referee is not None else PairAgreement()

    def advance(self) -> StepContacts:
        """Take one step, count its events, check its contacts."""
        start = perf_counter()
        checked_for = 0.0
        contacts: StepContacts | None = None
        path: list[PathPiece] = []
        agreements: list[StepAgreement] = []
        moments = np.zeros(0)
        pieces = self.stepper() if self.stepper is not None else self._whole_step()
        while True:
            world = self.world
            body_ids, velocities = world.body_ids, world.velocities
            piece = next(pieces, None)
            if piece is None:
                break
            contacts = piece.contacts
            checking = perf_counter()
            agreements += self._checked(contacts)
            checked_for += perf_counter() - checking
            if not self.recording:
                continue
            impacts = None
            if contacts.in_toi.any() and world.body_ids == body_ids:
                ids = np.array(body_ids, dtype=np.int64)
                impacts = step_impacts(contacts, ids, world.previous_poses, velocities, 1.0 / world.settings.hertz)
            path.append(PathPiece(piece.start, piece.end, world.body_ids, world.previous_poses, world.poses, impacts))
            moments = impacts.contact_moments if impacts is not None else np.zeros(len(contacts))
            is_new = any_of_rows(contacts.state == PointState.ADD)
            moments = np.where(is_new | (moments > 0.0), piece.start + (piece.end - piece.start) * moments, 0.0)
            self._count(contacts, moments)
        if self.referee is not None:
            self.agreement = sum(agreements, StepAgreement())
        if agreements:
            self.errors.append(self.agreement.max_point_error)
        self.impacts = None if not path else path[0].impacts if len(path) == 1 else StepPath(tuple(path), moments)
        self.times = StepTimes(1000.0 * (perf_counter() - start - checked_for), 1000.0 * checked_for)
        assert contacts is not None
        return contacts

    def _whole_step(self) -> Iterator[StepPiece]:
        yield WholeStep(self.world.step())

    def _checked(self, contacts: StepContacts) -> list[StepAgreement]:
        """Let the referee check one of the world's steps; return what it says, or nothing where there is none."""
        if self.referee is None or not self.checking or not self.referee.ready:
            return []
        agreement = self.referee.check(contacts)
        if self.referee.pairs is not None:
            self.pairs = self.referee.pairs.check(contacts)
            if self.pairs.differences:
                agreement = replace(agreement, differences=(*agreement.differences, *self.pairs.differences))
        self.reasons.update(agreement.reasons)
        return [agreement]

    def _count(self, contacts: StepContacts, moments: FloatArray) -> None:
        self.trail.record(contacts, moments)
        counts = self.counts
        counts.begun += len(contacts.began)
        counts.ended += len(contacts.ended)
        counts.added += int((contacts.state == PointState.ADD).sum())
        counts.persisted += int((contacts.state == PointState.PERSIST).sum())
        counts.removed += len(contacts.removed)

    @property
    def bounds(self) -> AABB | None:
        """All fixtures as they were built, in the picture's frame, wherever the stage lies in it now; None without any."""
        if self.own_bounds is None:
            return None
        (left, bottom), (right, top), (x, y) = self.own_bounds.lower, self.own_bounds.upper, self.offset
        return AABB((left + x, bottom + y), (right + x, top + y))

    @property
    def label_at(self) -> tuple[float, float]:
        """Position of the label: above the middle of the fixtures as they were built."""
        if self.bounds is None:
            return self.offset
        return 0.5 * (self.bounds.lower[0] + self.bounds.upper[0]), self.bounds.upper[1]

    def measure(self) -> None:
        """Note the bounds of all fixtures as they stand now, in the world's frame: where it lies in the picture is no part of the past."""
        boxes = (body_box(self.world, body) for body in self.world.body_ids)
        self.own_bounds = union([box for box in boxes if box is not None])

    def local(self, point: tuple[float, float]) -> tuple[float, float]:
        """Return a point of the picture in the world's frame."""
        return point[0] - self.offset[0], point[1] - self.offset[1]

    def drawn_pose(self, body_id: int) -> tuple[float, float, float]:
        """Return x, y, angle of a body in the picture being drawn, the world's own frame; for `Demo.draw`."""
        row = self.world.row_of(body_id)
        poses = self.drawn_poses if len(self.drawn_poses) > row else self.world.poses
        x, y, angle = poses[row].tolist()
        return x, y, angle
