"""Distances between corresponding bodies of two demos, step by step, and the cause of a divergence as far as contacts show it.

Bodies correspond if their stages and ids are equal. Their distance is the distance between their centers of mass, because a body's origin
may lie far outside its shapes, where a small rotation moves it far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.sim.motion_sums import centers_of_mass

if TYPE_CHECKING:
    from engine.contracts import StepContacts
    from engine.sim.demo import Demo
    from engine.world import World

__all__ = ["TOLERANCE", "Apart", "Distances", "Why"]

TOLERANCE = 0.001
"""Distance above which corresponding bodies count as diverged, meters; a fifth of Box2D's linear slop."""

_NONE = (-1, -1)
_NOT_TRACED = "not traced"


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


@dataclass(frozen=True, slots=True)
class _Difference:
    """A body's first contact that occurs in only one world: the step, the other body, and True if that world is the first."""

    step: int
    other: int
    is_firsts: bool


class Distances:
    """Distances between two demos after each of their steps."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, int], str] = {}
        """Names of the bodies that were farthest apart, by (stage, id); "" for unnamed bodies."""
        self._meters: list[float] = []
        self._bodies: list[tuple[int, int]] = []
        self._n_single: list[int] = []
        self._parted: Apart | None = None
        self._why: Why | None = None
        self._differences: dict[tuple[int, int], _Difference] = {}
        """First differing contact of each body, by (stage, body); not updated after the divergence."""
        self._touched: dict[tuple[int, int], int] = {}
        """Step of a body's first contact in either world, by (stage, body); not updated after the divergence."""
        self._local_centers: dict[tuple[int, bool], tuple[World, int, FloatArray]] = {}
        """World, its structure version, and its bodies' centers of mass in their frames, by (stage, True for the first demo)."""

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

    @property
    def why(self) -> Why | None:
        """Cause of the divergence, as far as contacts and joints show it; None if there is no divergence."""
        return self._why

    def n_single(self, step: int) -> int:
        """Return the number of bodies that existed in only one of the two demos after a step."""
        return self._n_single[step] if step < len(self) else 0

    def note(self, first: Demo, second: Demo) -> None:
        """Record the next step, right after both demos have completed it."""
        step, farthest, at, single = len(self), 0.0, _NONE, 0
        for k, (mine, theirs) in enumerate(zip(first.stages, second.stages, strict=False)):
            centers = self._centers(k, True, mine.world), self._centers(k, False, theirs.world)
            ids, away, n_others = _distances(mine.world, theirs.world, *centers)
            single += n_others
            if len(ids):
                row = int(np.argmax(away))
                if at == _NONE or away[row] > farthest:
                    farthest, at = float(away[row]), (k, int(ids[row]))
            if self._parted is None:
                self._compare_contacts(step, k, mine.world.contacts, theirs.world.contacts)
        if at != _NONE and at not in self.names:
            self.names[at] = first.stages[at[0]].world.name_of(at[1])
        self._meters.append(farthest)
        self._bodies.append(at)
        self._n_single.append(single)
        if self._parted is None and farthest > TOLERANCE:
            self._parted = Apart(step, *at, farthest)
            self._why = self._shown(self._parted, first.stages[at[0]].world, second.stages[at[0]].world)

    def cut(self, last: int) -> None:
        """Discard the records of steps after `last`."""
        for noted in (self._meters, self._bodies, self._n_single):
            del noted[last + 1 :]
        if self._parted is not None and self._parted.step > last:
            self._parted = self._why = None
        self._differences = {body: first for body, first in self._differences.items() if first.step <= last}
        self._touched = {body: step for body, step in self._touched.items() if step <= last}

    # -- inside -------------------------------------------------------------------------------------------------------

    def _centers(self, stage: int, is_first: bool, world: World) -> FloatArray:
        """Return the centers of mass of a world's bodies, world frame, meters, float64 (n, 2)."""
        known = self._local_centers.get((stage, is_first))
        if known is None or known[0] is not world or known[1] != world.structure_version:
            local = np.array([world.body(body).local_center for body in world.body_ids], dtype=np.float64).reshape(-1, 2)
            known = self._local_centers[stage, is_first] = world, world.structure_version, local
        return centers_of_mass(world.poses, known[2])

    def _compare_contacts(self, step: int, stage: int, first: StepContacts, second: StepContacts) -> None:
        mine, theirs = _touching(first), _touching(second)
        for bodies in (*mine.values(), *theirs.values()):
            for body in bodies:
                self._touched.setdefault((stage, body), step)
        for pair in mine.keys() ^ theirs.keys():
            is_firsts = pair in mine
            a, b = mine[pair] if is_firsts else theirs[pair]
            for body, other in ((a, b), (b, a)):
                self._differences.setdefault((stage, body), _Difference(step, other, is_firsts))

    def _shown(self, apart: Apart, first: World, second: World) -> Why:
        place = apart.stage, apart.body
        difference = self._differences.get(place)
        if difference is not None:
            title = (first if difference.is_firsts else second).capabilities.title
            return Why("contact", f"in step {difference.step} it touched body {difference.other} only in {title}", difference.step)
        is_joined = any(apart.body in world.joint_bodies(joint) for world in (first, second) for joint in world.joint_ids)
        if not is_joined and place not in self._touched:
            is_flight = apart.meters <= _most_in_flight(first, apart)
            return (
                Why("free flight", "the two worlds have different step lengths")
                if is_flight
                else Why(_NOT_TRACED, "it has neither a contact nor a joint")
            )
        if self._differences:
            return Why(_NOT_TRACED, "its contacts were the same in both worlds, but those of other bodies were not")
        return Why(
            _NOT_TRACED, "its contacts were the same in both worlds" if place in self._touched else "it has no contact, but it has a joint"
        )


def _most_in_flight(world: World, apart: Apart) -> float:
    """Return the maximum distance between two integrators after `apart.step` steps of free fall, meters.

    In n semi-implicit steps of dt a body falls ``g dt^2 n (n + 1) / 2``, with k substeps per step ``g dt^2 n (n + 1 / k) / 2``, exactly
    ``g dt^2 n^2 / 2``. The difference is at most ``g dt^2 n / 2``; 0.1% is added for rounding.
    """
    settings = world.settings
    pull = float(np.hypot(*settings.gravity)) * abs(world.body(apart.body).spec.gravity_scale)
    return 0.5005 * pull * settings.dt**2 * apart.step


def _distances(first: World, second: World, here: FloatArray, there: FloatArray) -> tuple[IntArray, FloatArray, int]:
    """Return the ids of bodies in both worlds, their distances, meters, and the number of bodies in only one world.

    `here` and `there` are the centers of mass in the two worlds, meters, float64 (n, 2).
    """
    ids, others = np.array(first.body_ids, dtype=np.int64), np.array(second.body_ids, dtype=np.int64)
    n_single = 0
    if not np.array_equal(ids, others):
        both, rows, other_rows = np.intersect1d(ids, others, assume_unique=True, return_indices=True)
        n_single = len(ids) + len(others) - 2 * len(both)
        ids, here, there = both, here[rows], there[other_rows]
    apart = here - there
    return ids, np.hypot(apart[:, 0], apart[:, 1]), n_single


def _touching(contacts: StepContacts) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the bodies of each pair of fixtures that touched in a step, including pairs that had separated again by its end."""
    columns = (contacts.fixture_a, contacts.fixture_b, contacts.body_a, contacts.body_b)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    rows += [(pair.fixture_a, pair.fixture_b, pair.body_a, pair.body_b) for pair in contacts.began if not pair.sensor]
    return {(min(a, b), max(a, b)): (body_a, body_b) for a, b, body_a, body_b in rows}
