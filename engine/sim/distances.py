"""How far the bodies of two demos are apart, step by step, and what their contacts say of why.

Two bodies are one another's where stage and id are the same. Their distance is that of their origins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.common.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from engine.contracts import StepContacts
    from engine.sim.demo import Demo
    from engine.world import World

__all__ = ["TOLERANCE", "Apart", "Distances", "Why"]

TOLERANCE = 0.001
"""Meters from which on two bodies are said to have parted: a fifth of Box2D's slop, which leaves the same contacts between them."""

_NONE = (-1, -1)
_NOT_TRACED = "not traced"


@dataclass(frozen=True, slots=True)
class Apart:
    """After `step` steps a body of a stage was `meters` from where the other world has it."""

    step: int
    stage: int
    body: int
    meters: float


@dataclass(frozen=True, slots=True)
class Why:
    """Why two bodies parted: a word for the cause, and what shows it; in which step, where it is shown of one."""

    cause: str
    evidence: str
    step: int | None = None

    @property
    def words(self) -> str:
        """Both in a line."""
        return f"{self.cause}: {self.evidence}"


@dataclass(frozen=True, slots=True)
class _Difference:
    """The first contact of a body that only one world had: after which step, with what other body, and whether the first had it."""

    step: int
    other: int
    is_firsts: bool


class Distances:
    """Distances between two demos after each of their steps.

    Parameters
    ----------
    tolerance : float
        Meters from which on they have parted.
    """

    def __init__(self, tolerance: float = TOLERANCE) -> None:
        self.tolerance = tolerance
        self.names: dict[tuple[int, int], str] = {}
        """Names of the bodies that were farthest apart, by stage and id; empty of one without a name."""
        self._meters: list[float] = []
        self._bodies: list[tuple[int, int]] = []
        self._n_single: list[int] = []
        self._parted: Apart | None = None
        self._why: Why | None = None
        self._differences: dict[tuple[int, int], _Difference] = {}
        """By stage and body, until the two have parted."""
        self._touched: dict[tuple[int, int], int] = {}
        """After which step a body touched something first, in either world; until they have parted."""

    def __len__(self) -> int:
        """How many steps are noted, the state before the first included."""
        return len(self._meters)

    @property
    def meters(self) -> FloatArray:
        """The greatest distance of a body from its other one by step from 0, float64 (n,); 0 without any."""
        return np.array(self._meters)

    def at(self, step: int) -> Apart | None:
        """Return the body that was farthest from its other one after a step; None without any, or where the step is not noted."""
        if not 0 <= step < len(self) or self._bodies[step] == _NONE:
            return None
        return Apart(step, *self._bodies[step], self._meters[step])

    @property
    def worst(self) -> Apart | None:
        """The body that came farthest from its other one, and when it first did; None without any."""
        return self.at(int(np.argmax(self._meters))) if self._meters else None

    @property
    def parted(self) -> Apart | None:
        """The farthest body of the first step after which one was farther than the tolerance from its other one; None if none was."""
        return self._parted

    @property
    def why(self) -> Why | None:
        """Why they parted, as far as contacts and joints show it; None if they did not."""
        return self._why

    @property
    def reason(self) -> str:
        """The words of `why`; empty if they did not part."""
        return self._why.words if self._why is not None else ""

    def n_single(self, step: int) -> int:
        """Return how many bodies only one of the two had after a step."""
        return self._n_single[step] if step < len(self) else 0

    def note(self, first: Demo, second: Demo) -> None:
        """Note the next step, right after both have taken it."""
        step, farthest, at, single = len(self), 0.0, _NONE, 0
        for k, (mine, theirs) in enumerate(zip(first.stages, second.stages, strict=False)):
            ids, away, n_others = _distances(mine.world, theirs.world)
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
        if self._parted is None and farthest > self.tolerance:
            self._parted = Apart(step, *at, farthest)
            self._why = self._shown(self._parted, first.stages[at[0]].world, second.stages[at[0]].world)

    def cut(self, last: int) -> None:
        """Forget what was noted of steps after `last`."""
        for noted in (self._meters, self._bodies, self._n_single):
            del noted[last + 1 :]
        if self._parted is not None and self._parted.step > last:
            self._parted = self._why = None
        self._differences = {body: first for body, first in self._differences.items() if first.step <= last}
        self._touched = {body: step for body, step in self._touched.items() if step <= last}

    # -- inside -------------------------------------------------------------------------------------------------------

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
            return Why("contact", f"in step {difference.step} it touched body {difference.other} in {title} alone", difference.step)
        is_joined = any(apart.body in world.joint_bodies(joint) for world in (first, second) for joint in world.joint_ids)
        if not is_joined and place not in self._touched:
            is_flight = apart.meters <= _most_in_flight(first, apart)
            return Why("free flight", "steps of another length") if is_flight else Why(_NOT_TRACED, "no contact and no joint")
        if self._differences:
            return Why(_NOT_TRACED, "its contacts were the same in both, those of other bodies were not")
        return Why(_NOT_TRACED, "the same contacts in both" if place in self._touched else "no contact, but a joint")


def _most_in_flight(world: World, apart: Apart) -> float:
    """Return how far apart two integrators may be after so many steps of free fall, meters.

    In n semi-implicit steps of dt a body falls ``g dt^2 n (n + 1) / 2``, in as many of k parts ``g dt^2 n (n + 1 / k) / 2``, exactly
    ``g dt^2 n^2 / 2``: at the most ``g dt^2 n / 2`` lie between them. A thousandth more is for rounding.
    """
    settings = world.settings
    pull = float(np.hypot(*settings.gravity)) * abs(world.body(apart.body).spec.gravity_scale)
    return 0.5005 * pull * settings.dt**2 * apart.step


def _distances(first: World, second: World) -> tuple[IntArray, FloatArray, int]:
    """Return the bodies that both worlds have, how far each is from its other one, meters, and how many only one world has."""
    ids, others = np.array(first.body_ids, dtype=np.int64), np.array(second.body_ids, dtype=np.int64)
    here, there = first.poses[:, :2], second.poses[:, :2]
    n_single = 0
    if not np.array_equal(ids, others):
        both, rows, other_rows = np.intersect1d(ids, others, assume_unique=True, return_indices=True)
        n_single = len(ids) + len(others) - 2 * len(both)
        ids, here, there = both, here[rows], there[other_rows]
    apart = here - there
    return ids, np.hypot(apart[:, 0], apart[:, 1]), n_single


def _touching(contacts: StepContacts) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the bodies of each pair of fixtures that touched in a step, those that had parted again by its end included."""
    columns = (contacts.fixture_a, contacts.fixture_b, contacts.body_a, contacts.body_b)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    rows += [(pair.fixture_a, pair.fixture_b, pair.body_a, pair.body_b) for pair in contacts.began if not pair.sensor]
    return {(min(a, b), max(a, b)): (body_a, body_b) for a, b, body_a, body_b in rows}
