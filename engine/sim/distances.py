"""Distances between corresponding bodies of two demos, step by step.

Bodies correspond if their stages and ids are equal. Their distance is the distance between their origins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.common.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from engine.sim.demo import Demo
    from engine.world import World

__all__ = ["TOLERANCE", "Apart", "Distances", "Why"]

TOLERANCE = 0.001
"""Distance above which corresponding bodies count as diverged, meters; a fifth of Box2D's linear slop."""

_NONE = (-1, -1)


@dataclass(frozen=True, slots=True)
class Apart:
    """Distance, meters, between a body and its counterpart after `step` steps."""

    step: int
    stage: int
    body: int
    meters: float


@dataclass(frozen=True, slots=True)
class Why:
    """Cause of a divergence: a term, the evidence as a sentence, and the step, if the evidence is from a single step."""

    cause: str
    evidence: str
    step: int | None = None


class Distances:
    """Distances between two demos after each of their steps."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, int], str] = {}
        """Names of the bodies that were farthest apart, by (stage, id); "" for unnamed bodies."""
        self._meters: list[float] = []
        self._bodies: list[tuple[int, int]] = []
        self._n_single: list[int] = []
        self._parted: Apart | None = None

    def __len__(self) -> int:
        """Number of recorded states, including the initial state."""
        return len(self._meters)

    @property
    def meters(self) -> FloatArray:
        """Maximum distance of corresponding bodies, by step from 0, float64 (n,); 0 if there are none."""
        return np.array(self._meters)

    def at(self, step: int) -> Apart | None:
        """Return the body farthest from its counterpart after a step; None if there is none, or the step is not recorded."""
        if not 0 <= step < len(self) or self._bodies[step] == _NONE:
            return None
        return Apart(step, *self._bodies[step], self._meters[step])

    @property
    def worst(self) -> Apart | None:
        """The maximum distance over all steps, at its first occurrence; None if no bodies correspond."""
        return self.at(int(np.argmax(self._meters))) if self._meters else None

    @property
    def parted(self) -> Apart | None:
        """The farthest body at the first step where a distance exceeds `TOLERANCE` (the divergence); None if there is none."""
        return self._parted

    def n_single(self, step: int) -> int:
        """Return the number of bodies that existed in only one of the two demos after a step."""
        return self._n_single[step] if step < len(self) else 0

    def note(self, first: Demo, second: Demo) -> None:
        """Record the next step, right after both demos have completed it."""
        step, farthest, at, single = len(self), 0.0, _NONE, 0
        for k, (mine, theirs) in enumerate(zip(first.stages, second.stages, strict=False)):
            ids, away, n_others = _distances(mine.world, theirs.world)
            single += n_others
            if len(ids):
                row = int(np.argmax(away))
                if at == _NONE or away[row] > farthest:
                    farthest, at = float(away[row]), (k, int(ids[row]))
        if at != _NONE and at not in self.names:
            self.names[at] = first.stages[at[0]].world.name_of(at[1])
        self._meters.append(farthest)
        self._bodies.append(at)
        self._n_single.append(single)
        if self._parted is None and farthest > TOLERANCE:
            self._parted = Apart(step, *at, farthest)

    def cut(self, last: int) -> None:
        """Discard the records of steps after `last`."""
        for noted in (self._meters, self._bodies, self._n_single):
            del noted[last + 1 :]
        if self._parted is not None and self._parted.step > last:
            self._parted = None


def _distances(first: World, second: World) -> tuple[IntArray, FloatArray, int]:
    """Return the ids of bodies in both worlds, their distances, meters, and the number of bodies in only one world."""
    ids, others = np.array(first.body_ids, dtype=np.int64), np.array(second.body_ids, dtype=np.int64)
    here, there = first.poses[:, :2], second.poses[:, :2]
    n_single = 0
    if not np.array_equal(ids, others):
        both, rows, other_rows = np.intersect1d(ids, others, assume_unique=True, return_indices=True)
        n_single = len(ids) + len(others) - 2 * len(both)
        ids, here, there = both, here[rows], there[other_rows]
    apart = here - there
    return ids, np.hypot(apart[:, 0], apart[:, 1]), n_single
