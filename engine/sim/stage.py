"""A stage: one world of a demo, where it lies in the picture, and the checks of its last step."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Union

from engine.common.arrays import FloatArray
from engine.contracts import PairAgreement, StepAgreement, StepContacts
from engine.geometry import AABB
from engine.world import World

if TYPE_CHECKING:
    from engine.compare.live.pairs import LivePairs
    from engine.compare.live.referee import LiveReferee
    from engine.experiments.rules import Piece

__all__ = ["RefereeFactory", "Stage", "StepPiece", "StepTimes", "TakenPiece", "WholeStep", "body_box", "stage_under", "union"]


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


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Cost of a step, milliseconds: the solver with the reading of contacts, the check, and the same step of a comparison."""

    step: float = 0.0
    check: float = 0.0
    beside: float = 0.0


@dataclass(frozen=True, slots=True)
class TakenPiece:
    """One step of the world within the stage's last step, from `start` to `end` of it, 0 to 1.

    Attributes
    ----------
    contacts : StepContacts
    body_ids : tuple of int
    before, after : float64 (b, 3)
        Poses x, y, angle at both ends, by `body_ids`.
    velocities : float64 (b, 3) or None
        vx, vy, omega at its beginning; None if bodies came or went in it.
    seconds : float
        Its length.
    ms : float
        Its cost, milliseconds (`World.last_cost`).
    """

    contacts: StepContacts
    start: float
    end: float
    body_ids: tuple[int, ...]
    before: FloatArray
    after: FloatArray
    velocities: FloatArray | None
    seconds: float
    ms: float


class Stage:
    """A world in the picture. Nothing of it is part of the demo's state but the world: `Demo.build` makes the rest anew.

    Parameters
    ----------
    world : World
    offset : pair of float
        Position of the world's origin in the picture, meters.
    label : str
        Its name, if several worlds stand side by side.
    mark_touching : bool
        Draw a body red while it touches another.

    Attributes
    ----------
    stepper : callable or None
        Takes one step in pieces: it returns an iterator that steps the world, and yields after each of the world's steps.
    window : AABB or None
        Visible part of the world, in its own frame; None for all of it.
    pieces : tuple of TakenPiece
        The last step.
    reasons : Counter
        Number of differences since the stage was built, by reason.
    errors : deque of float
        The largest error of a point that agrees, meters, of each of the last steps checked; newest last.
    own_bounds : AABB or None
        Box around all fixtures as they were built, in the world's frame.
    drawn_poses : float64 (b, 3)
        Poses of the picture being drawn, between two steps, by `world.body_ids`; set by whoever draws.
    """

    def __init__(self, world: World, offset: tuple[float, float] = (0.0, 0.0), label: str = "", mark_touching: bool = False) -> None:
        self.world = world
        self.offset = offset
        self.label = label
        self.mark_touching = mark_touching
        self.window: AABB | None = None
        self.stepper: Callable[[], Iterator[StepPiece]] | None = None
        self.pieces: tuple[TakenPiece, ...] = ()
        self.referee: LiveReferee | None = None
        self.reasons: Counter[str] = Counter()
        self.errors: deque[float] = deque(maxlen=_KEPT_ERRORS)
        self.own_bounds: AABB | None = None
        self.drawn_poses: FloatArray = world.poses
        self._agreement, self._pairs, self._check_ms = StepAgreement(), PairAgreement(), 0.0

    @property
    def is_last_step(self) -> bool:
        """True if the world stands after `pieces`, and was not brought elsewhere since."""
        return bool(self.pieces) and self.pieces[-1].contacts.step == self.world.contacts.step

    @property
    def agreement(self) -> StepAgreement:
        """Verdicts on the manifolds of the last step; its `differences` include those of the pairs."""
        return self._agreement if self.is_last_step else StepAgreement()

    @property
    def pairs(self) -> PairAgreement:
        """Agreement on the touching pairs of the last step."""
        return self._pairs if self.is_last_step else PairAgreement()

    @property
    def times(self) -> StepTimes:
        """Cost of the last step."""
        return StepTimes(sum(piece.ms for piece in self.pieces), self._check_ms)

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

    def advance(self, is_checked: bool = True) -> None:
        """Take one step; `is_checked`: let the referee check its contacts."""
        pieces: list[TakenPiece] = []
        self._agreement, self._pairs, self._check_ms = StepAgreement(), PairAgreement(), 0.0
        steps = self.stepper() if self.stepper is not None else self._whole_step()
        n_checked = 0
        while True:
            body_ids, velocities = self.world.body_ids, self.world.velocities
            step = next(steps, None)
            if step is None:
                break
            world, cost = self.world, self.world.last_cost
            pieces.append(
                TakenPiece(
                    contacts=step.contacts,
                    start=step.start,
                    end=step.end,
                    body_ids=world.body_ids,
                    before=world.previous_poses,
                    after=world.poses,
                    velocities=velocities if world.body_ids == body_ids else None,
                    seconds=world.settings.dt,
                    ms=cost.solver + cost.reading,
                )
            )
            if is_checked and self.referee is not None and self.referee.ready:
                self._check(self.referee, step.contacts)
                n_checked += 1
        if n_checked:
            self.errors.append(self._agreement.max_point_error)
        self.pieces = tuple(pieces)

    def _whole_step(self) -> Iterator[StepPiece]:
        yield WholeStep(self.world.step())

    def _check(self, referee: LiveReferee, contacts: StepContacts) -> None:
        """Let the referee check one of the world's steps."""
        agreement = referee.check(contacts)
        self._check_ms += referee.last_ms
        if referee.pairs is not None:
            self._pairs = referee.pairs.check(contacts)
            self._check_ms += referee.pairs.last_ms
            if self._pairs.differences:
                agreement = replace(agreement, differences=(*agreement.differences, *self._pairs.differences))
        self.reasons.update(agreement.reasons)
        self._agreement += agreement

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
