"""All broad phases on the same moving boxes: timed in turns of a few frames, and compared with each other and with brute force."""

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
"""Frames of a turn: the first updates the structure, the others are measured."""
_AT_ONCE = 2
"""Number of structures that run besides the drawn one."""
_LONG_MS = 8.0
"""Time per frame from which a structure is slow: its turn has one frame."""
_MS_A_FRAME = 1.0
"""Average time per frame that the turns of a structure may cost; its next turn waits accordingly."""
_KEPT, _KEPT_SLOW = 30, 5
"""Number of times in the median of a structure, and of a slow one, whose turns are rare."""
_FEW, _SOON = 3, 15
"""With fewer than `_FEW` times, of which one may be an outlier, the next turn comes after at most `_SOON` frames."""


@dataclass(eq=False, slots=True)
class Lane:
    """A structure and its measurements."""

    phase: BroadPhase
    times: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT))
    fed: int = -2
    """Frame of its last update."""
    due: int = 0
    """Earliest frame of its next turn."""
    turn_frames: int = 0
    """Frames of its turn so far."""
    is_cold: bool = True
    """True if it was never measured in two consecutive frames."""
    wrong: int = 0
    """Number of frames in which its pairs differed from those of brute force."""

    @property
    def ms(self) -> float | None:
        """Median time per frame, milliseconds, the lower one of two; None before the first measurement."""
        return median_low(self.times) if self.times else None

    def rest(self, frame: int) -> None:
        """End the turn after `frame`, and schedule the next one by the median cost, not by the last one."""
        while self.is_slow and len(self.times) > _KEPT_SLOW:
            self.times.popleft()
        wait = round(self.turn_frames * (self.ms or 0.0) / _MS_A_FRAME)
        self.due = frame + 1 + (min(wait, _SOON) if len(self.times) < _FEW else wait)

    @property
    def is_slow(self) -> bool:
        """True if its turns are short, judged by the faster one of two measurements."""
        return min(list(self.times)[-2:]) >= _LONG_MS


class Race:
    """All structures on the same boxes.

    Attributes
    ----------
    lanes : tuple of Lane
        In the order of `STRUCTURES`.
    pairs : int64 (k, 2)
        Pairs of the drawn structure in the last frame.
    n_compared : int
        Number of results compared with the drawn structure's.
    """

    def __init__(self) -> None:
        self.lanes = tuple(Lane(structure()) for structure in STRUCTURES)
        self.pairs: IntArray = np.zeros((0, 2), dtype=np.int64)
        self.n_compared = 0
        self._frame = 0
        self._running: list[tuple[Lane, int]] = []

    @property
    def n_wrong(self) -> int:
        """Number of wrong results."""
        return sum(lane.wrong for lane in self.lanes)

    def run(self, boxes: FloatArray, moving: IntArray, drawn: int) -> None:
        """Run the drawn structure and those whose turn it is on `boxes`, of which `moving` moved in this frame."""
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
            lane for lane in self.lanes if lane is not chosen and lane.due <= self._frame and all(lane is not other for other, _ in going)
        ]
        waiting.sort(key=lambda lane: lane.fed)
        for lane in waiting[: _AT_ONCE - len(going)]:
            lane.turn_frames = 0
            self._running.append((lane, _TURN))

    def _feed(self, lane: Lane, boxes: FloatArray, moving: IntArray) -> IntArray:
        """Return the pairs of a structure and measure the time."""
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
        # an update after a pause takes longer than from frame to frame, and counts only until there are better measurements
        if follows and lane.is_cold:
            lane.times.clear()
            lane.is_cold = False
        if follows or lane.is_cold:
            lane.times.append(cost)
        lane.fed = self._frame
        return pairs

    def _compare(self, boxes: FloatArray, answers: list[tuple[Lane, IntArray]]) -> None:
        """Compare the results of a frame; if they differ, brute force tells which are wrong."""
        self.n_compared += len(answers) - 1
        if all(np.array_equal(pairs, self.pairs) for _, pairs in answers[1:]):
            return
        truth = BruteForce().pairs(boxes)
        for lane, pairs in answers:
            lane.wrong += not np.array_equal(pairs, truth)


_loaded = False


def is_loaded() -> bool:
    """Return True if the kernels are loaded."""
    return _loaded


@cache
def loading() -> BackgroundLoad:
    """Start loading the kernels in the background, once for all demos, and return the load."""
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
