"""Distances between corresponding bodies of two demos, step by step, and the cause of a divergence as far as contacts show it.

Bodies correspond if their stages and ids are equal. Their distance is the distance between their centers of mass, because a body's origin
may lie far outside its shapes, where a small rotation moves it far. A restart of the demos begins a new run, with a divergence of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.sim.motion_sums import centers_of_mass

if TYPE_CHECKING:
    from engine.contracts import StepContacts
    from engine.sim.demo import Demo
    from engine.world import World

__all__ = ["TOLERANCE", "Apart", "Distances", "Run", "Why", "farthest"]

TOLERANCE = 0.001
"""Distance above which corresponding bodies count as diverged, meters; a fifth of Box2D's linear slop."""

_NONE = (-1, -1)
_SAME_PUSH = 0.02
"""Maximum relative difference of two normal impulses that count as equal: iterations stop before that."""
_NO_PUSH = 1e-6
"""Impulse below which a contact does not push, N s."""


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
    """A body's first contact that differs: the step, the other body, and its impulse in the first and in the second world, N s.

    None for an impulse means that the contact exists only in the other world.
    """

    step: int
    other: int
    impulses: tuple[float | None, float | None]


@dataclass(slots=True)
class Run:
    """The steps from the start or a restart of the demos to the next restart.

    Attributes
    ----------
    start : int
        The step before its first.
    parted : Apart or None
        The farthest body at the first step where a distance exceeds `TOLERANCE` (the divergence); None if there is none.
    why : Why or None
        Cause of the divergence, as far as contacts and joints show it; None if there is no divergence.
    """

    start: int
    parted: Apart | None = None
    why: Why | None = None
    contacts: dict[tuple[int, int], _Difference] = field(default_factory=dict)
    """First contact of each body, by (stage, body), that exists in only one world; not updated after the divergence."""
    pushes: dict[tuple[int, int], _Difference] = field(default_factory=dict)
    """The same for contacts whose impulses differ."""
    touched: dict[tuple[int, int], int] = field(default_factory=dict)
    """Step of a body's first contact in either world, by (stage, body); not updated after the divergence."""

    def cut(self, last: int) -> None:
        """Discard what came after step `last`."""
        if self.parted is not None and self.parted.step > last:
            self.parted = self.why = None
        for noted in (self.contacts, self.pushes):
            for body in [body for body, difference in noted.items() if difference.step > last]:
                del noted[body]
        self.touched = {body: step for body, step in self.touched.items() if step <= last}


class Distances:
    """Distances between two demos after each of their steps."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, int], str] = {}
        """Names of the bodies that were farthest apart, by (stage, id); "" for unnamed bodies."""
        self._meters: list[float] = []
        self._bodies: list[tuple[int, int]] = []
        self._n_single: list[int] = []
        self._runs = [Run(0)]
        self._own_steps = 0
        """Number of the last recorded step since the restart."""
        self._centers = Centers()

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

    def run(self, step: int) -> Run:
        """Return the run to which a step belongs."""
        return next(run for run in reversed(self._runs) if run.start < step or run is self._runs[0])

    def worst(self, step: int) -> Apart | None:
        """Return the maximum distance in the run of a step, at its first occurrence; None if no bodies correspond."""
        run = self.run(step)
        after = next((other.start for other in self._runs if other.start > run.start), len(self) - 1)
        first = run.start + (run is not self._runs[0])
        return self.at(first + int(np.argmax(self._meters[first : after + 1]))) if first <= after else None

    def n_single(self, step: int) -> int:
        """Return the number of bodies that existed in only one of the two demos after a step."""
        return self._n_single[step] if step < len(self) else 0

    def note(self, first: Demo, second: Demo) -> None:
        """Record the next step, right after both demos have completed it."""
        step = len(self)
        if first.steps <= self._own_steps and step > 0:
            self._runs.append(Run(step - 1))
        self._own_steps, run = first.steps, self._runs[-1]
        if run.parted is None:
            for k, (mine, theirs) in enumerate(zip(first.stages, second.stages, strict=False)):
                _compare_contacts(run, step, k, mine.world.contacts, theirs.world.contacts)
        apart, single = self._centers.farthest(first, second, step)
        self._meters.append(0.0 if apart is None else apart.meters)
        self._bodies.append(_NONE if apart is None else (apart.stage, apart.body))
        self._n_single.append(single)
        if apart is None:
            return
        if (apart.stage, apart.body) not in self.names:
            self.names[apart.stage, apart.body] = first.stages[apart.stage].world.name_of(apart.body)
        if run.parted is None and apart.meters > TOLERANCE:
            run.parted, run.why = apart, _shown(run, apart, first.stages[apart.stage].world, second.stages[apart.stage].world)

    def cut(self, last: int) -> None:
        """Discard the records of steps after `last`."""
        for noted in (self._meters, self._bodies, self._n_single):
            del noted[last + 1 :]
        self._runs = [run for run in self._runs if run.start < last or run is self._runs[0]]
        self._runs[-1].cut(last)
        self._own_steps = last - self._runs[-1].start


class Centers:
    """Centers of mass of the bodies of two demos; those in the bodies' own frames are kept between steps."""

    def __init__(self) -> None:
        self._local: dict[tuple[int, bool], tuple[World, int, FloatArray]] = {}
        """World, its structure version, and its bodies' centers of mass in their frames, by (stage, True for the first demo)."""

    def farthest(self, first: Demo, second: Demo, step: int) -> tuple[Apart | None, int]:
        """Return the body farthest from its counterpart, and the number of bodies that only one demo has."""
        apart, single = None, 0
        for k, (mine, theirs) in enumerate(zip(first.stages, second.stages, strict=False)):
            ids, away, n_others = _distances(mine.world, theirs.world, self._of(k, True, mine.world), self._of(k, False, theirs.world))
            single += n_others
            if len(ids):
                row = int(np.argmax(away))
                if apart is None or away[row] > apart.meters:
                    apart = Apart(step, k, int(ids[row]), float(away[row]))
        return apart, single

    def _of(self, stage: int, is_first: bool, world: World) -> FloatArray:
        """Return the centers of mass of a world's bodies, world frame, meters, float64 (n, 2)."""
        known = self._local.get((stage, is_first))
        if known is None or known[0] is not world or known[1] != world.structure_version:
            local = np.array([world.body(body).local_center for body in world.body_ids], dtype=np.float64).reshape(-1, 2)
            known = self._local[stage, is_first] = world, world.structure_version, local
        return centers_of_mass(world.poses, known[2])


def farthest(first: Demo, second: Demo, step: int) -> Apart | None:
    """Return the body farthest from its counterpart in the present states of two demos; None if no bodies correspond."""
    return Centers().farthest(first, second, step)[0]


def _compare_contacts(run: Run, step: int, stage: int, first: StepContacts, second: StepContacts) -> None:
    """Record the first contacts of each body that only one world has, or that push differently."""
    mine, theirs = _touching(first), _touching(second)
    for pair in {**mine, **theirs}:
        own, other = mine.get(pair), theirs.get(pair)
        bodies, impulses = (own or other or (_NONE, 0.0))[0], (own and own[1], other and other[1])
        p, q = (impulse or 0.0 for impulse in impulses)
        for body, touched in (bodies, bodies[::-1]):
            run.touched.setdefault((stage, body), step)
            difference = _Difference(step, touched, impulses)
            if own is None or other is None:
                run.contacts.setdefault((stage, body), difference)
            elif abs(p - q) > max(_SAME_PUSH * max(p, q), _NO_PUSH):
                run.pushes.setdefault((stage, body), difference)


def _shown(run: Run, apart: Apart, first: World, second: World) -> Why:
    """Return why two worlds parted, as their contacts and joints show it: the first thing that differed for the body, or before it."""
    place, titles = (apart.stage, apart.body), (first.capabilities.title, second.capabilities.title)
    own = run.contacts.get(place)
    if own is not None:
        return Why("contact", f"in step {own.step} it {_only_in(own, titles)}", own.step)
    pushed = run.pushes.get(place)
    if pushed is not None:
        p, q = (f"{impulse or 0.0:.3g} N s in {title}" for impulse, title in zip(pushed.impulses, titles, strict=True))
        words = f"in step {pushed.step} body {pushed.other} pushed it with {p}, with {q}"
        return Why("push", words, pushed.step)
    is_joined = any(apart.body in world.joint_bodies(joint) for world in (first, second) for joint in world.joint_ids)
    if not is_joined and place not in run.touched:
        if apart.meters <= _most_in_flight(first, apart, run.start):
            return Why("free flight", "nothing touches it; the two divide a step differently, so their falls differ")
        return Why("motion", f"nothing touches it; {titles[0]} and {titles[1]} move it differently")
    others = [*run.contacts.items(), *run.pushes.items()]
    if others:
        (_, body), difference = min(others, key=lambda entry: entry[1].step)
        does = _only_in(difference, titles) if None in difference.impulses else f"was pushed differently by body {difference.other}"
        return Why("others", f"its own contacts agree, but in step {difference.step} body {body} {does}", difference.step)
    near = _nearest(apart.body, first.contacts), _nearest(apart.body, second.contacts)
    gap, other = min(each for each in near if each is not None) if any(near) else (math.inf, -1)
    skins = first.capabilities.skin_radius, second.capabilities.skin_radius
    if skins[0] != skins[1] and gap < 2.0 * max(skins):
        title = titles[skins[1] > skins[0]]
        words = f"keeps a skin of {1e3 * max(skins):.0f} mm around shapes and pushes it away from body {other}"
        return Why("skins", f"{title} {words}, to which the gap is {round(1e3 * gap, 2) + 0.0:g} mm", apart.step)
    if gap < -TOLERANCE:
        words = f"in step {apart.step} it overlaps body {other} by {-1e3 * gap:.3g} mm, which the two push apart by different amounts"
        return Why("position correction", words, apart.step)
    cause = "joint" if is_joined else "motion"
    return Why(cause, f"its contacts agree; its {cause} is computed differently")


def _nearest(body: int, contacts: StepContacts) -> tuple[float, int] | None:
    """Return the least gap of a body's contacts, meters, and the other body; None without a contact."""
    is_point = np.arange(2) < contacts.count[:, None]
    gaps = np.where(is_point, contacts.separation, math.inf).min(axis=1, initial=math.inf)
    is_own = (contacts.body_a == body) | (contacts.body_b == body)
    if not is_own.any():
        return None
    row = int(np.argmin(np.where(is_own, gaps, math.inf)))
    a, b = int(contacts.body_a[row]), int(contacts.body_b[row])
    return float(gaps[row]), b if a == body else a


def _only_in(difference: _Difference, titles: tuple[str, str]) -> str:
    return f"touched body {difference.other} only in {titles[difference.impulses[0] is None]}"


def _most_in_flight(world: World, apart: Apart, start: int) -> float:
    """Return the maximum distance between two integrators after the steps of free fall since `start`, meters.

    In n semi-implicit steps of dt a body falls ``g dt^2 n (n + 1) / 2``, with k substeps per step ``g dt^2 n (n + 1 / k) / 2``, exactly
    ``g dt^2 n^2 / 2``. The difference is at most ``g dt^2 n / 2``; 0.1% is added for rounding.
    """
    settings = world.settings
    pull = float(np.hypot(*settings.gravity)) * abs(world.body(apart.body).spec.gravity_scale)
    return 0.5005 * pull * settings.dt**2 * (apart.step - start)


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


def _touching(contacts: StepContacts) -> dict[tuple[int, int], tuple[tuple[int, int], float]]:
    """Return the bodies and the normal impulse, N s, of each pair of fixtures that touched in a step, by fixtures."""
    columns = (contacts.fixture_a, contacts.fixture_b, contacts.body_a, contacts.body_b, contacts.normal_impulse.sum(axis=1))
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    seen = {(row[0], row[1]) for row in rows}
    for pair in contacts.began:
        if not pair.sensor and (pair.fixture_a, pair.fixture_b) not in seen:
            rows.append((pair.fixture_a, pair.fixture_b, pair.body_a, pair.body_b, 0.0))
    return {(min(a, b), max(a, b)): ((body_a, body_b), push) for a, b, body_a, body_b, push in rows}
