"""A stage consists of one world of a demo, its offset in the view, and the referee's results for its last step."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Union

import numpy as np

from engine.common.arrays import FloatArray, IntArray
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
    """A step of a stage that consists of a single world step."""

    contacts: StepContacts
    start: float = 0.0
    end: float = 1.0


StepPiece = Union["Piece", WholeStep]
"""A step of the world that covers `start` to `end` of the stage's step, 0 to 1."""


def union(boxes: Sequence[AABB]) -> AABB | None:
    """Return the bounding box of `boxes`, or None if there are none."""
    if not boxes:
        return None
    lower = min(box.lower[0] for box in boxes), min(box.lower[1] for box in boxes)
    return AABB(lower, (max(box.upper[0] for box in boxes), max(box.upper[1] for box in boxes)))


def body_box(world: World, body: int) -> AABB | None:
    """Return the bounding box of a body's fixtures in the world frame, or None if it has none."""
    xf = world.state(body).xf
    return union([world.fixture(fixture).shape.aabb(xf) for fixture in world.fixtures_of(body)])


def stage_under(stages: Sequence[Stage], point: tuple[float, float]) -> int:
    """Return the index of the stage whose bounds contain a point in the view, or are nearest to it; -1 if there are no stages."""

    def away(k: int) -> float:
        box = stages[k].bounds
        if box is None:
            return math.inf
        dx = max(box.lower[0] - point[0], 0.0, point[0] - box.upper[0])
        dy = max(box.lower[1] - point[1], 0.0, point[1] - box.upper[1])
        return math.hypot(dx, dy)

    return min(range(len(stages)), key=away, default=-1)


_KEPT_ERRORS = 2400
"""Number of steps in `Stage.errors`: five seconds at 480 Hz, the highest step rate of a demo."""

RefereeFactory = Callable[[World], "LiveReferee"]
"""Creates a referee, which recomputes the contacts of a world and compares them."""


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Cost of a step, milliseconds: of the solver including contact readout, of the check, and of the same step in a comparison."""

    step: float = 0.0
    check: float = 0.0
    beside: float = 0.0


@dataclass(frozen=True, slots=True)
class TakenPiece:
    """One step of the world within the stage's last step; `start` and `end` are fractions of the stage's step, 0 to 1.

    Attributes
    ----------
    contacts : StepContacts
    body_ids : tuple of int
    before, after : float64 (b, 3)
        Poses x, y, angle before and after the step, one row per body of `body_ids`.
    velocities : float64 (b, 3) or None
        vx, vy, omega before the step; None if bodies were created or destroyed during the step.
    seconds : float
        Step length.
    ms : float
        Cost, milliseconds (`World.last_cost`).
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
    """A world in the view. Only the world is part of the demo's state; `Demo.build` recreates the rest.

    Parameters
    ----------
    world : World
    offset : pair of float
        Position of the world's origin in the view, meters.
    label : str
        Name shown if there are several worlds.
    mark_touching : bool
        Draw a body red while it touches another.

    Attributes
    ----------
    stepper : callable or None
        Replaces the stage's own step: returns an iterator that steps the world and yields after each of the world's steps.
    window : AABB or None
        Visible part of the world, in the world frame; None means all of it.
    pieces : tuple of TakenPiece
        World steps of the stage's last step.
    reasons : Counter
        Number of differences since the stage was built, by reason.
    errors : deque of float
        Largest error of an agreeing contact point in each of the latest checked steps, meters; newest last.
    own_bounds : AABB or None
        Bounding box of all fixtures in their initial poses, in the world frame.
    drawn_poses : float64 (b, 3)
        Interpolated poses of the current frame, one row per body of `world.body_ids`; set by the drawing code.
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
        """True if the world's latest step is the last one of `pieces`, that is, the world has not been rewound or replaced since."""
        return bool(self.pieces) and self.pieces[-1].contacts.step == self.world.contacts.step

    @property
    def displaced(self) -> frozenset[int]:
        """Ids of bodies moved by a command, or destroyed, since the last step: its contacts and joint forces no longer hold for them."""
        if not self.is_last_step or self.pieces[-1].after is self.world.poses:
            return frozenset()
        last, world = self.pieces[-1], self.world
        ids, before, now = np.intersect1d(last.body_ids, world.body_ids, assume_unique=True, return_indices=True)
        still = (last.after[before] == world.poses[now]).all(axis=1)
        return frozenset(last.body_ids).difference(ids[still].tolist())

    @property
    def touching(self) -> IntArray:
        """Ids of the bodies A and B of each contact of the last step that still holds, int64 (2, n); see `displaced`."""
        pairs = np.stack((self.world.contacts.body_a, self.world.contacts.body_b))
        gone = self.displaced
        return pairs[:, ~np.isin(pairs, list(gone)).any(axis=0)] if gone else pairs

    @property
    def agreement(self) -> StepAgreement:
        """Referee's verdicts on the manifolds of the last step; `differences` include those of the pairs."""
        return self._agreement if self.is_last_step else StepAgreement()

    @property
    def pairs(self) -> PairAgreement:
        """Referee's verdicts on the touching pairs of the last step."""
        return self._pairs if self.is_last_step else PairAgreement()

    @property
    def times(self) -> StepTimes:
        """Cost of the last step."""
        return StepTimes(sum(piece.ms for piece in self.pieces), self._check_ms)

    @property
    def total(self) -> StepAgreement:
        """Referee's verdicts on manifolds, summed over all steps."""
        return self.referee.total if self.referee is not None else StepAgreement()

    @property
    def pair_referee(self) -> LivePairs | None:
        """Referee of touching pairs, or None."""
        return self.referee.pairs if self.referee is not None else None

    @property
    def pair_total(self) -> PairAgreement:
        """Referee's verdicts on touching pairs, summed over all steps."""
        return self.pair_referee.total if self.pair_referee is not None else PairAgreement()

    def advance(self, is_checked: bool = True) -> None:
        """Advance by one step; if `is_checked`, the referee checks its contacts."""
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
        """Check one world step with the referee, and add the results."""
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
        """Bounding box of all fixtures in their initial poses, at the stage's current offset in the view; None if there are none."""
        if self.own_bounds is None:
            return None
        (left, bottom), (right, top), (x, y) = self.own_bounds.lower, self.own_bounds.upper, self.offset
        return AABB((left + x, bottom + y), (right + x, top + y))

    @property
    def label_at(self) -> tuple[float, float]:
        """Position of the label in the view: the top center of `bounds`, or the offset if there are none."""
        if self.bounds is None:
            return self.offset
        return 0.5 * (self.bounds.lower[0] + self.bounds.upper[0]), self.bounds.upper[1]

    def measure(self) -> None:
        """Set `own_bounds` from the current poses of all fixtures."""
        boxes = (body_box(self.world, body) for body in self.world.body_ids)
        self.own_bounds = union([box for box in boxes if box is not None])

    def local(self, point: tuple[float, float]) -> tuple[float, float]:
        """Convert a point in the view to the world frame."""
        return point[0] - self.offset[0], point[1] - self.offset[1]

    def drawn_pose(self, body_id: int) -> tuple[float, float, float]:
        """Return the interpolated x, y, angle of a body in the current frame, in world coordinates; for `Demo.draw`."""
        row = self.world.row_of(body_id)
        poses = self.drawn_poses if len(self.drawn_poses) > row else self.world.poses
        x, y, angle = poses[row].tolist()
        return x, y, angle
