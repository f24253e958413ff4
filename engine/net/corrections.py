"""Corrections: by how much the picture was wrong, and how it gets right without a jump.

Prediction and truth differ where an action came late. The state is put right at once, and is never smoothed; the picture is
the new state and an error that decays. (Valve's and Gaffer's networked physics do so: G. Fiedler, "State synchronization", 2015.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.sim.demo import Demo

__all__ = ["Correction", "Moved", "Poses", "Smoothing", "poses_of"]

_DECAY_SECONDS = 0.05
"""After which 1/e of an error is left: 5 % after 0.15 s."""
_MIN_ERROR = 1e-4
"""m or rad: nobody sees less."""
_MAX_GLIDE = 3.0
"""m: a body that was farther off is shown where it is, at once; to glide there would look like a throw."""
_MAX_MOVED = 64

Poses = list[tuple[IntArray, FloatArray]]
"""For each stage, ids int64 (n,) and x, y, angle (n, 3), meters and radians."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A body that was shown at the wrong place: its pose x, y, angle then, in its world's frame, m and rad, and how far off it was."""

    stage: int
    body: int
    before: tuple[float, float, float]
    meters: float


@dataclass(frozen=True, slots=True)
class Correction:
    """Change of the picture by a rollback.

    Attributes
    ----------
    age : int
        Ticks that had been simulated with wrong actions.
    meters : float
        Maximum distance by which a body was off.
    moved : tuple of Moved
        The bodies that were off, the farthest of them, farthest first.
    """

    age: int
    meters: float
    moved: tuple[Moved, ...]


def poses_of(demo: Demo) -> Poses:
    """Return the poses of all bodies of a demo."""
    return [(np.array(stage.world.body_ids, dtype=np.int64), stage.world.poses) for stage in demo.stages]


class Smoothing:
    """The errors of the picture that are still decaying, by stage."""

    def __init__(self) -> None:
        self._errors: dict[int, tuple[IntArray, FloatArray, float]] = {}
        """Ids, errors (n, 3), and when they were that large, s."""

    def note(self, before: Poses, after: Poses, age: int, now: float) -> Correction | None:
        """Note that the picture changes; return the correction, or None where nobody could see it."""
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
        """Return what is to be added to the poses drawn of a stage, x, y, angle, (n, 3), rows as in `body_ids`."""
        return self._remaining(stage, np.array(body_ids, dtype=np.int64), now)

    def clear(self) -> None:
        """Forget all errors: another world is shown."""
        self._errors.clear()

    def _remaining(self, stage: int, ids: IntArray, now: float) -> FloatArray:
        offsets = np.zeros((len(ids), 3))
        known, error, at = self._errors.get(stage, (ids, offsets, now))
        share = math.exp(-max(now - at, 0.0) / _DECAY_SECONDS)
        if share < _MIN_ERROR:
            del self._errors[stage]
        else:
            _, here, there = np.intersect1d(ids, known, assume_unique=True, return_indices=True)
            offsets[here] = share * error[there]
        return offsets
