"""Corrections: by how much the picture was wrong, and how it gets right without a jump.

What was predicted and what came to be differ where an act came late. The state is put right at once, and is never smoothed; drawn is
the new state and an error that decays. (Valve's and Gaffer's networked physics do so: G. Fiedler, "State synchronization", 2015.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.sim.demo import Demo

__all__ = ["Correction", "Moved", "Smoothing", "poses_of"]

_DECAY_SECONDS = 0.05
"""After which e-th part of an error is left: 5 % after 0.15 s."""
_MIN_ERROR = 1e-4
"""m or rad: what is smaller nobody sees."""
_FARTHEST = 3.0
"""m: what was farther off is shown where it is, at once; to glide there would look like a throw."""
_MAX_MOVED = 64

Poses = list[tuple[IntArray, FloatArray]]
"""For each stage, ids int64 (n,) and x, y, angle (n, 3), meters and radians."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A body that was shown at the wrong place; poses are x, y, angle in its world's frame, m and rad."""

    stage: int
    body: int
    before: tuple[float, float, float]
    after: tuple[float, float, float]

    @property
    def meters(self) -> float:
        """By how much."""
        return math.hypot(self.after[0] - self.before[0], self.after[1] - self.before[1])


@dataclass(frozen=True, slots=True)
class Correction:
    """Change of the picture by a rollback.

    Attributes
    ----------
    tick : int
        The state shown was the one right before it.
    age : int
        Ticks that had been taken with what was not so.
    meters : float
        The farthest that a body was off.
    n_moved : int
        Bodies that were off.
    moved : tuple of Moved
        The farthest of them, farthest first.
    """

    tick: int
    age: int
    meters: float
    n_moved: int
    moved: tuple[Moved, ...]


def poses_of(demo: Demo) -> Poses:
    """Return where all bodies of a demo are."""
    return [(np.array(stage.world.body_ids, dtype=np.int64), stage.world.poses) for stage in demo.stages]


class Smoothing:
    """The errors of the picture that are still decaying, by stage."""

    def __init__(self) -> None:
        self._errors: dict[int, tuple[IntArray, FloatArray, float]] = {}
        """Ids, errors (n, 3), and when they were that large, s."""

    def note(self, before: Poses, after: Poses, tick: int, age: int, now: float) -> Correction | None:
        """Take in that what was shown is something else; return the correction, or None where nobody could see it."""
        found: list[Moved] = []
        for k, ((ids, old), (new_ids, new)) in enumerate(zip(before, after, strict=False)):
            if ids.shape == new_ids.shape and (ids == new_ids).all():
                both, first, second = ids, np.arange(len(ids)), np.arange(len(ids))
            else:
                both, first, second = np.intersect1d(ids, new_ids, assume_unique=True, return_indices=True)
            error = old[first] - new[second]
            off = np.hypot(error[:, 0], error[:, 1])
            is_off = (off > _MIN_ERROR) | (np.abs(error[:, 2]) > _MIN_ERROR)
            for row in np.flatnonzero(is_off).tolist():
                x, y, angle = old[first][row].tolist()
                x_new, y_new, angle_new = new[second][row].tolist()
                found.append(Moved(k, int(both[row]), (x, y, angle), (x_new, y_new, angle_new)))
            if is_off.any():
                error = error + self._left(k, both, now)
                error[np.hypot(error[:, 0], error[:, 1]) > _FARTHEST] = 0.0
                error[np.abs(error[:, 2]) > math.pi, 2] = 0.0
                self._errors[k] = both, error, now
        if not found:
            return None
        found.sort(key=lambda one: -one.meters)
        return Correction(tick, age, found[0].meters, len(found), tuple(found[:_MAX_MOVED]))

    def offsets(self, stage: int, body_ids: tuple[int, ...], now: float) -> FloatArray:
        """Return what is to be added to the poses drawn of a stage, x, y, angle, (n, 3), rows as in `body_ids`."""
        return self._left(stage, np.array(body_ids, dtype=np.int64), now)

    def clear(self) -> None:
        """Forget all errors: another world is shown."""
        self._errors.clear()

    def _left(self, stage: int, ids: IntArray, now: float) -> FloatArray:
        left = np.zeros((len(ids), 3))
        if stage not in self._errors:
            return left
        known, error, at = self._errors[stage]
        share = math.exp(-max(now - at, 0.0) / _DECAY_SECONDS)
        if share < _MIN_ERROR:
            del self._errors[stage]
            return left
        _, here, there = np.intersect1d(ids, known, assume_unique=True, return_indices=True)
        left[here] = share * error[there]
        return left
