"""Measures corrections of the prediction, and smooths them visually so that bodies do not jump.

The prediction is wrong if an action arrived late. The state is corrected at once and never smoothed; what is drawn is the corrected
state plus a decaying error, as in G. Fiedler, "State synchronization", 2015.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.sim.demo import Demo

__all__ = ["Correction", "Moved", "Poses", "Smoothing", "poses_of"]

_DECAY_SECONDS = 0.05
"""Time constant with which the visual error decays; 5 % of the error is left after 0.15 s."""
_MIN_ERROR = 1e-4
"""Smallest visible error, m or rad."""
_MAX_GLIDE = 3.0
"""Largest error that is smoothed, m; a body with a larger one jumps to its place, because gliding would look like a throw."""
_MAX_MOVED = 64

Poses = list[tuple[IntArray, FloatArray]]
"""For each stage, body ids int64 (n,) and x, y, angle (n, 3), m and rad."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A body that was drawn at a wrong pose: the pose x, y, angle in its world's frame, m and rad, and the position error, m."""

    stage: int
    body: int
    before: tuple[float, float, float]
    meters: float


@dataclass(frozen=True, slots=True)
class Correction:
    """How a rollback changed the predicted poses.

    Attributes
    ----------
    age : int
        Number of ticks that had been simulated with wrong actions.
    meters : float
        Largest position error of a body, m.
    moved : tuple of Moved
        Bodies with the largest position errors, largest first.
    """

    age: int
    meters: float
    moved: tuple[Moved, ...]


def poses_of(demo: Demo) -> Poses:
    """Return the poses of all bodies, by stage."""
    return [(np.array(stage.world.body_ids, dtype=np.int64), stage.world.poses) for stage in demo.stages]


class Smoothing:
    """Decaying visual errors, by stage."""

    def __init__(self) -> None:
        self._errors: dict[int, tuple[IntArray, FloatArray, float]] = {}
        """Body ids, errors (n, 3), and the time at which they had that size, s."""

    def note(self, before: Poses, after: Poses, age: int, now: float) -> Correction | None:
        """Record how a rollback changed the poses; return the correction, or None if it is not visible."""
        moved: list[Moved] = []
        for k, ((ids, old), (new_ids, new)) in enumerate(zip(before, after, strict=False)):
            both, first, second = np.intersect1d(ids, new_ids, assume_unique=True, return_indices=True)
            error = old[first] - new[second]
            meters = np.hypot(error[:, 0], error[:, 1])
            rows = np.flatnonzero((meters > _MIN_ERROR) | (np.abs(error[:, 2]) > _MIN_ERROR))
            if len(rows):
                moved += [Moved(k, int(both[row]), tuple(old[first[row]].tolist()), float(meters[row])) for row in rows]
                error += self._remaining(k, both, now)
                error[np.hypot(error[:, 0], error[:, 1]) > _MAX_GLIDE] = 0.0
                error[np.abs(error[:, 2]) > math.pi, 2] = 0.0
                self._errors[k] = both, error, now
        if not moved:
            return None
        moved.sort(key=lambda body: -body.meters)
        return Correction(age, moved[0].meters, tuple(moved[:_MAX_MOVED]))

    def offsets(self, stage: int, body_ids: tuple[int, ...], now: float) -> FloatArray:
        """Return the errors to add to a stage's drawn poses, x, y, angle, (n, 3), rows as in `body_ids`."""
        return self._remaining(stage, np.array(body_ids, dtype=np.int64), now)

    def clear(self) -> None:
        """Discard all errors, because another world is shown."""
        self._errors.clear()

    def _remaining(self, stage: int, ids: IntArray, now: float) -> FloatArray:
        offsets = np.zeros((len(ids), 3))
        known, error, at = self._errors.get(stage, (ids, offsets, now))
        share = math.exp(-max(now - at, 0.0) / _DECAY_SECONDS)
        if share < _MIN_ERROR:
            del self._errors[stage]
        else:
            _, rows, known_rows = np.intersect1d(ids, known, assume_unique=True, return_indices=True)
            offsets[rows] = share * error[known_rows]
        return offsets
