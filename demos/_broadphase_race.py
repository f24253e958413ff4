"""All broad phases on the same moving boxes: in turns, a few frames each, timed, and compared with each other and the oracle."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import cache
from statistics import median_low
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from engine.broadphase import STRUCTURES, BroadPhase, BruteForce
from engine.common.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from engine.app.warmup import BackgroundLoad

__all__ = ["Lane", "Race", "is_loaded", "load", "loading"]

_TURN = 10
"""Frames of a turn: the first brings a structure up to date, the others are measured."""
_AT_ONCE = 2
"""Structures that have their turn beside the drawn one."""
_LONG_MS = 8.0
"""A structure that takes longer has shorter turns,"""
_MS_A_FRAME = 1.0
"""and waits for its next turn until this much a frame has paid for the last one."""
_KEPT, _KEPT_SLOW = 30, 5
"""Frames, half a second: the times are their medians. Fewer of a structure whose turns are short and rare: five turns are seconds then."""
_FEW, _SOON = 3, 15
"""Of fewer times one may be the machine's hiccup, as likely as not: the next turn is not later than after so many frames."""


@dataclass(eq=False, slots=True)
class Lane:
    """One structure and what is known of it."""

    phase: BroadPhase
    times: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT))
    fed: int = -2
    """The frame in which it was brought up to date last."""
    due: int = 0
    """The frame from which it may have its next turn."""
    turn_frames: int = 0
    """Of its turn."""
    is_cold: bool = True
    """Whether it was never measured from one frame to the next."""
    wrong: int = 0
    """Frames in which its pairs were not the oracle's."""

    @property
    def ms(self) -> float | None:
        """Milliseconds a frame, the median of the last ones, of two the lower; None while it was not measured."""
        return median_low(self.times) if self.times else None

    def rest(self, frame: int) -> None:
        """End the turn after `frame`: a turn's usual cost says when the next one may be, not what it cost just now."""
        while self.is_slow and len(self.times) > _KEPT_SLOW:
            self.times.popleft()
        wait = round(self.turn_frames * (self.ms or 0.0) / _MS_A_FRAME)
        self.due = frame + 1 + (min(wait, _SOON) if len(self.times) < _FEW else wait)

    @property
    def is_slow(self) -> bool:
        """Whether its turns are short: the quicker of two counts, for anything may delay one."""
        return min(list(self.times)[-2:]) >= _LONG_MS


class Race:
    """The structures on one crowd.

    Attributes
    ----------
    lanes : tuple of Lane
        In the order of `STRUCTURES`.
    pairs : int64 (k, 2)
        Of the drawn structure, in the last frame.
    n_compared : int
        Answers of other structures held against the drawn one's.
    """

    def __init__(self) -> None:
        self.lanes = tuple(Lane(structure()) for structure in STRUCTURES)
        self.pairs: IntArray = np.zeros((0, 2), dtype=np.int64)
        self.n_compared = 0
        self._frame = 0
        self._running: list[tuple[Lane, int]] = []

    @property
    def n_wrong(self) -> int:
        """Answers that were not the oracle's."""
        return sum(lane.wrong for lane in self.lanes)

    def run(self, boxes: FloatArray, moving: IntArray, drawn: int) -> None:
        """Bring the drawn structure and those whose turn it is up to date with `boxes`, of which `moving` moved in this frame."""
        self._frame += 1
        chosen = self.lanes[drawn]
        self.pairs = self._feed(chosen, boxes, moving)
        answers = [(chosen, self.pairs)]
        going: list[tuple[Lane, int]] = []
        for lane, left in self._running:
            if lane is chosen:
                continue
            answers.append((lane, self._feed(lane, boxes, moving)))
            lane.turn_frames += 1
            if left > 1 and not lane.is_slow:
                going.append((lane, left - 1))
            else:
                lane.rest(self._frame)
        self._compare(boxes, answers)
        self._running = going
        waiting = [
            lane for lane in self.lanes if lane is not chosen and lane.due <= self._frame and all(lane is not one for one, _ in going)
        ]
        waiting.sort(key=lambda lane: lane.fed)
        for lane in waiting[: _AT_ONCE - len(going)]:
            lane.turn_frames = 0
            self._running.append((lane, _TURN))

    def _feed(self, lane: Lane, boxes: FloatArray, moving: IntArray) -> IntArray:
        """Return the pairs of one structure, and note what they cost."""
        phase = lane.phase
        follows = lane.fed == self._frame - 1 and len(phase) == len(boxes)
        moved = boxes[moving]
        start = perf_counter()
        if follows and len(moving) < len(boxes):
            if len(moving):
                phase.move(moving, moved)
            pairs = phase.pairs()
        else:
            pairs = phase.pairs(boxes)
        cost = 1000.0 * (perf_counter() - start)
        # a structure that must catch up has more to do than from frame to frame: that counts only until there is something better
        if follows and lane.is_cold:
            lane.times.clear()
            lane.is_cold = False
        if follows or lane.is_cold:
            lane.times.append(cost)
        lane.fed = self._frame
        return pairs

    def _compare(self, boxes: FloatArray, answers: list[tuple[Lane, IntArray]]) -> None:
        """Hold the answers of one frame against each other; where they differ, the oracle says whose is wrong."""
        self.n_compared += len(answers) - 1
        if all(np.array_equal(pairs, self.pairs) for _, pairs in answers[1:]):
            return
        truth = BruteForce().pairs(boxes)
        for lane, pairs in answers:
            lane.wrong += not np.array_equal(pairs, truth)


_loaded = False


def is_loaded() -> bool:
    """Tell whether `load` was called."""
    return _loaded


@cache
def loading() -> BackgroundLoad:
    """Begin to load them in the background, once, however many demos wait for them; return what tells how that goes."""
    from engine.app.warmup import BackgroundLoad

    return BackgroundLoad("from demos._broadphase_race import load; load()", load)


def load() -> None:
    """Load the kernels of all structures, compiling what is not on disk yet."""
    global _loaded
    rng = np.random.default_rng(0)
    for n in (8, 400):
        middle = rng.uniform(0.0, 20.0, (n, 2))
        boxes = np.hstack((middle - 0.5, middle + 0.5))
        ids = np.arange(0, n, 3)
        for structure in STRUCTURES:
            phase = structure()
            for k in range(3):
                phase.pairs(boxes + 0.01 * k)
            phase.move(ids, boxes[ids])
            phase.pairs()
            phase.regions(boxes[:1])
            phase.rays(middle[:1], np.array([(3.0, 2.0)]))
            phase.sketch()
    _loaded = True
