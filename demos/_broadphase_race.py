"""All broad phases on the same moving boxes: timed in turns of a few frames, and compared with each other and with brute force."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from statistics import median_low
from time import perf_counter

import numpy as np

from engine.broadphase import STRUCTURES, BroadPhase, BruteForce
from engine.common.arrays import FloatArray, IntArray

__all__ = ["Lane", "Race"]

_TURN = 6
"""Frames of a turn: the first brings the structure up to date, the others are measured."""
_LONG_MS = 8.0
"""Time of a frame after which a turn ends."""
_MS_A_FRAME = 1.0
"""Average time per frame that the turns of a structure may cost; its next turn waits accordingly."""
_KEPT = 15
"""Number of times in the median of a structure."""


@dataclass(eq=False, slots=True)
class Lane:
    """A structure and its measurements."""

    phase: BroadPhase
    times: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT))
    fed: int = -2
    """Frame of its last update."""
    due: int = 0
    """Earliest frame of its next turn."""
    wrong: int = 0
    """Number of frames in which its pairs differed from those of brute force."""

    @property
    def ms(self) -> float | None:
        """Median time per frame, milliseconds, the lower one of two; None before the first measurement."""
        return median_low(self.times) if self.times else None


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
        self._running: Lane | None = None
        self._begun = 0
        """First frame of its turn."""

    @property
    def n_wrong(self) -> int:
        """Number of wrong results."""
        return sum(lane.wrong for lane in self.lanes)

    def run(self, boxes: FloatArray, drawn: int) -> None:
        """Run the drawn structure and the one whose turn it is on `boxes`."""
        self._frame += 1
        chosen = self.lanes[drawn]
        self.pairs, _ = self._feed(chosen, boxes)
        waiting = [lane for lane in self.lanes if lane is not chosen and lane.due <= self._frame]
        if self._running not in waiting:
            self._running, self._begun = min(waiting, key=lambda lane: lane.fed, default=None), self._frame
        if (lane := self._running) is None:
            return
        pairs, cost = self._feed(lane, boxes)
        n_frames = self._frame - self._begun + 1
        if n_frames == _TURN or (n_frames > 1 and cost >= _LONG_MS):
            lane.due, self._running = self._frame + 1 + round(n_frames * (lane.ms or 0.0) / _MS_A_FRAME), None
        self._compare(boxes, [(chosen, self.pairs), (lane, pairs)])

    def _feed(self, lane: Lane, boxes: FloatArray) -> tuple[IntArray, float]:
        """Return the pairs of a structure and the time that they took, milliseconds."""
        phase = lane.phase
        follows = lane.fed == self._frame - 1 and len(phase) == len(boxes)
        start = perf_counter()
        pairs = phase.pairs(boxes)
        cost = 1000.0 * (perf_counter() - start)
        if follows:  # after a pause, an update takes longer than from frame to frame
            lane.times.append(cost)
        lane.fed = self._frame
        return pairs, cost

    def _compare(self, boxes: FloatArray, answers: list[tuple[Lane, IntArray]]) -> None:
        """Compare the results of a frame; if they differ, brute force decides which are wrong."""
        self.n_compared += len(answers) - 1
        if all(np.array_equal(pairs, self.pairs) for _, pairs in answers[1:]):
            return
        truth = BruteForce().pairs(boxes)
        for lane, pairs in answers:
            lane.wrong += not np.array_equal(pairs, truth)
