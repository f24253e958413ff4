"""The pipeline of a step: find contacts, solve, stop fast bodies, put islands to sleep."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.contracts import PairEvent
from engine.dynamics._contact_kernel import contacts_of
from engine.dynamics._island_kernel import settle
from engine.dynamics._matching_kernel import Cores, Ends, Manifolds, match_contacts
from engine.dynamics._pairs_kernel import SOLID, classify_pairs, mark_moving, place
from engine.dynamics._seam_kernel import drop_seams
from engine.dynamics.contacts import (
    ContactRows,
    Nearby,
    empty_rows,
    fill_manifolds,
    ids_of,
    key_of,
    pair_events,
    places_of,
    reported_contacts,
    sensed_pairs,
    without,
)
from engine.dynamics.continuous import are_on_chains, no_moments, stop_at_first_touch
from engine.dynamics.joints import JointTable
from engine.dynamics.methods.protocol import Found, Method, Problem, StepBegin
from engine.dynamics.model import (
    FLAGS,
    FRICTION,
    IMPULSE,
    N_FLOATS,
    NORMAL,
    PASSES,
    POINTS,
    POSITION,
    RADII,
    SEPARATION,
    SOLVED,
    TOUCH,
    Bodies,
)
from engine.dynamics.state import Memory, State
from engine.dynamics.tables import Tables
from engine.dynamics.workspace import Workspace
from engine.narrowphase.batched import ManifoldRows
from engine.world.hooks import PreSolveHook, StepHooks
from engine.world.specs import WorldSettings
from engine.world.step_pairs import Approach

__all__ = ["Step"]

SLOW = np.array([0.01, math.radians(2.0)])
"""m/s and rad/s below which a body counts as resting, as in Box2D 2.3. At 0.05 m/s, two slipping cards fell asleep before they fell."""
FOLLOWS = 0.25
"""Seconds in which the duration of steps whose stiffness constraints have follows that of the steps, by a factor of e."""
PATIENCE = 0.5
"""Seconds for which an island must rest before it sleeps."""
NO_PAIRS = np.zeros((0, 4), dtype=np.int64)


class Step:
    """One step of a world, in progress.

    Parameters
    ----------
    number : int
    settings : WorldSettings
    tables : Tables
    joints : JointTable
    nearby : Nearby
        The broad phase.
    space : Workspace
    state : State
        As the step begins.
    hooks : StepHooks
    call : callable
        Calls a hook, and keeps what it raises.
    method : Method
        How contacts and joints are solved.
    is_reported : bool
        Whether events and contacts are reported, which takes a microsecond an event; without, `State.contacts` stays as it is.

    Attributes
    ----------
    problem : Problem
        Input of the method; from `solve` on.
    moving : bool (n,)
        Bodies that move as the step begins; from `find` on.
    approach : Approach
        Poses and velocities as the step begins, for an independent check.
    is_idle : bool
        True if nothing moves and no contact has begun or ended; from `find` on.
    """

    def __init__(
        self,
        number: int,
        settings: WorldSettings,
        tables: Tables,
        joints: JointTable,
        nearby: Nearby,
        space: Workspace,
        state: State,
        hooks: StepHooks,
        call: Callable[..., object],
        method: Method,
        is_reported: bool = True,
    ) -> None:
        self._number, self._settings, self._tables, self._joints = number, settings, tables, joints
        self._nearby, self._space, self._old, self._hooks, self._call = nearby, space, state, hooks, call
        self._method, self._is_reported = method, is_reported
        self._n = n = len(state.ids)
        self._values, self._m = state.values, len(tables.fixtures.ids)
        self._awake, self._island, self._resting = state.awake.copy(), state.memory.island.copy(), state.memory.resting.copy()
        bodies = space.bundle("bodies", n + 1, _arrays_of_bodies)
        self._center, self._turned, self._is_moving, self._is_asleep, self._moves, self._drives, self._is_woken, *self._for_islands = bodies
        self.moments = no_moments()

    @property
    def moving(self) -> NDArray[np.bool_]:
        return self._is_moving[: self._n].copy()

    @property
    def approach(self) -> Approach:
        return Approach(self._old.values[:, 3:], self._center[: self._n].copy(), self._settings.dt, TOUCH)

    # -- contacts -----------------------------------------------------------------------------------------------------

    def find(self) -> None:
        """Find the contacts, determine which ones began, and let the hook disable contacts."""
        tables, space, nearby, memory, n, m = self._tables, self._space, self._nearby, self._old.memory, self._n, self._m
        bodies, fixtures, packed = tables.bodies, tables.fixtures, tables.shapes.grown.packed
        poses, boxes = space.bundle("fixtures", m, _arrays_of_fixtures)
        nearby.follow(tables)
        place(
            self._values, bodies.center, fixtures.body, fixtures.shape, packed.first, packed.n_vertices, packed.vertices, packed.radius,
            self._center, self._turned, poses, boxes,
        )  # fmt: skip
        nearby.update(boxes)
        old, pairs = memory.rows, nearby.pairs
        is_woken = self._is_woken
        kinds, shapes, poses_a, poses_b, *columns = space.bundle("pairs", len(pairs), _arrays_of_pairs)
        manifolds = ManifoldRows(*columns)
        ended = space.array("ended", (len(old),), np.int64)
        ends = Ends(
            bodies.ids,
            fixtures.ids,
            fixtures.body,
            tables.margin,
            fixtures.friction,
            fixtures.radius,
            self._is_moving,
            self._is_asleep,
            self._values,
            self._center,
            self._turned,
        )
        cores = Cores(fixtures.shape, packed.first, packed.n_vertices, packed.vertices, packed.ghosts, packed.has_ghost)
        while True:
            n_moving = mark_moving(
                self._values, self._awake, bodies.is_dynamic, bodies.is_static, bodies.is_active,
                self._is_moving, self._is_asleep, self._moves, self._drives,
            )  # fmt: skip
            n_solid, n_sensed, n_still = classify_pairs(pairs, boxes, poses, tables.kept, self._is_moving, kinds, shapes, poses_a, poses_b)
            fill_manifolds(tables, shapes[:n_solid], poses_a[:n_solid], poses_b[:n_solid], manifolds)
            capacity = int(np.count_nonzero(columns[0][:n_solid])) + n_still
            ints, floats = empty_rows(capacity)
            solved, began = space.array("solved", (capacity, SOLVED), np.int64), space.array("began", (capacity,), np.int64)
            is_woken.fill(False)
            n_rows, n_solved, n_began, n_ended, is_any_woken = match_contacts(
                pairs, kinds, Manifolds(*columns[:4]), ends, cores, self._joints.links,
                old.ints, old.floats, ints, floats, solved, began, ended, is_woken,
                self._settings.dt, self._settings.warm_starting,
            )  # fmt: skip
            if not is_any_woken:
                break
            self._wake(is_woken[:n])
        self.is_idle = n_moving == n_began == n_ended == 0
        rows = ContactRows(ints[:n_rows], floats[:n_rows])
        self._rows, self._solved = rows, solved[:n_solved]
        self._sensed = sensed_pairs(tables, pairs, kinds, poses) if n_sensed > 0 else NO_PAIRS
        self._began = self._events(rows, began[:n_began], without(self._sensed, memory.sensed))
        self._ended = self._events(old, ended[:n_ended], without(memory.sensed, self._sensed))
        for event in self._began:
            self._call(self._hooks.begin, event)
        if self._hooks.pre_solve is not None:
            self._let_pass(self._hooks.pre_solve)
        n_solved = drop_seams(self._solved, ints, floats, ends, cores, space.array("contacts of fixtures", (m,), np.int64))
        self._solved = self._solved[:n_solved]

    def _wake(self, woken: NDArray[np.bool_]) -> None:
        """Wake bodies and all of their islands."""
        woken = woken | (np.isin(self._island, self._island[woken]) & self._is_asleep[: self._n])
        self._awake[woken], self._island[woken], self._resting[woken] = True, -1, 0.0

    def _events(self, rows: ContactRows, which: IntArray, sensed: IntArray) -> tuple[PairEvent, ...]:
        """Return the events of some rows and of pairs with a sensor (n, 4), in ascending order of the fixtures."""
        if not self._is_reported or (len(which) == 0 and len(sensed) == 0):
            return ()
        events = pair_events(rows.ids_of(which), self._number) + pair_events(sensed, self._number, True)
        return tuple(sorted(events, key=lambda event: (event.fixture_a, event.fixture_b)))

    def _let_pass(self, hook: PreSolveHook) -> None:
        """Remove the contacts that the hook disables."""
        of_rows = self._solved[:, 0]
        events = pair_events(self._rows.ids_of(of_rows), self._number)
        passes = np.array([self._call(hook, event) is False for event in events], dtype=np.bool_)
        if passes.any():
            passing = of_rows[passes]
            self._rows.ints[passing, FLAGS] |= PASSES
            self._rows.floats[passing, IMPULSE : IMPULSE + 4] = 0.0
            self._solved = self._solved[~passes]

    # -- motion -------------------------------------------------------------------------------------------------------

    def solve(self) -> list[int]:
        """Solve contacts and joints, and move all bodies; return the ids of bodies with non-finite motion."""
        settings, tables, memory = self._settings, self._tables, self._old.memory
        options = _options(self._method, settings.solver_settings)
        h = settings.dt * self._method.warm_share(settings, options)
        warm = self._joints.carried_over(memory.joints, memory.joint_impulse)
        inverse = tables.bodies.inverse if len(warm) == 0 else np.where(self._drives[:, None], tables.bodies.inverse, 0.0)
        self._joined = self._joints.posed(
            self._center,
            self._turned,
            self._values,
            inverse,
            warm if settings.warm_starting else np.zeros_like(warm),
            settings.dt,
        )
        self.problem = Problem(
            settings, tables, self._values, self._center, self._moves, self._drives, memory.force,
            self._rows, self._solved, self._joined, self._joints.first, self._space,
            partial(_contacts_at, self._nearby, self._is_moving), memory.soft_h or h,
        )  # fmt: skip
        record(StepBegin(self.problem))
        self._values = self._method.solve(self.problem, options)
        change = math.exp(settings.dt / FOLLOWS)
        self._soft_h = min(self.problem.soft_h * change, h) if self.problem.soft_h < h else max(self.problem.soft_h / change, h)
        are_finite = np.isfinite(self._values)
        return [] if are_finite.all() else self._old.ids[~are_finite.all(axis=1)].tolist()

    def stop(self) -> None:
        """Move bodies back to where they first touched something during the step.

        One that nothing else touched gets the velocity of that moment, so that it has no speed from a fall that it did not fall.
        """
        if not self._settings.continuous:
            return
        values = self._values
        passes = None if self._hooks.pre_solve is None else self._passes
        stops = stop_at_first_touch(
            self._tables, self._old.values, values, self._moves, self._solved, self._rows, self._joints.pairs,
            self._were_in_contact, passes,
        )  # fmt: skip
        if stops is None:
            return
        stopped = np.flatnonzero(stops.fraction < 1.0)
        self.moments = self._tables.fixtures.ids[stops.met], stops.poses
        woken = stops.is_carried & ~self._awake
        self._awake[woken], self._island[woken], self._resting[woken] = True, -1, 0.0
        values[stopped, :3] = stops.end[stopped]
        free = stopped[stops.falls[stopped]]
        values[free, 3:] -= self.problem.push[free] * ((1.0 - stops.fraction[free]) * self._settings.dt)[:, None]
        passed = without(ids_of(self._tables, stops.passed), self._sensed)
        if len(passed) > 0:
            sensed = np.concatenate((self._sensed, passed))
            self._sensed = sensed[np.lexsort((sensed[:, 1], sensed[:, 0]))]
            began = tuple(pair_events(without(passed, self._old.memory.sensed), self._number, True))
            self._began += began
            self._ended = tuple(event for event in self._ended if not event.sensor or not _is_among(event, passed))
            for event in began:
                self._call(self._hooks.begin, event)

    def _were_in_contact(self, pairs: IntArray) -> NDArray[np.bool_]:
        ids, rows = self._tables.fixtures.ids, self._rows
        are_on = are_on_chains(self._tables, np.searchsorted(ids, rows.ids[:, :2]), pairs)
        return np.isin(key_of(*ids[pairs].T), rows.key) | are_on

    def _passes(self, pair: IntArray) -> bool:
        """Return True if the hook lets a pair of rows of fixtures through each other."""
        (event,) = pair_events(ids_of(self._tables, pair[None]), self._number)
        return self._call(self._hooks.pre_solve, event) is False

    # -- rest ---------------------------------------------------------------------------------------------------------

    def sleep(self) -> None:
        """Put islands that have rested long enough to sleep."""
        bodies = self._tables.bodies
        if not self._settings.sleeping:
            self._resting[:] = 0.0
            return
        parent, shortest, is_carried = self._for_islands
        settle(
            self._values, bodies.ids, self._awake, self._island, self._resting, self._moves, bodies.is_dynamic, bodies.may_sleep,
            self._solved, self._rows.ints, self._joints.links, parent, shortest, is_carried, SLOW, self._settings.dt, PATIENCE,
        )  # fmt: skip

    def finish(self) -> State:
        """Call the hooks of solved and ended contacts, and return the state after the step."""
        rows, old, n = self._rows, self._old.memory, self._n
        memory = Memory(
            force=_no_force(n),
            resting=self._resting,
            island=self._island,
            rows=rows,
            sensed=self._sensed,
            joints=self._joints,
            joint_impulse=self._joined.impulse,
            joint_total=self._joined.total,
            gear_sums=old.gear_sums,
            soft_h=self._soft_h,
        )
        contacts = self._old.contacts
        if self._is_reported:
            contacts = reported_contacts(self._number, rows, old.rows, self._began, self._ended)
        if self._hooks.post_solve is not None:
            touching = self._solved[rows.touches[self._solved[:, 0]], 0]
            for event, count, total in zip(
                pair_events(rows.ids_of(touching), self._number), rows.count[touching], rows.total[touching], strict=True
            ):
                normal, tangent = total[:count].T.tolist() if count > 0 else ([], [])
                self._call(self._hooks.post_solve, event, tuple(normal), tuple(tangent))
        for event in self._ended:
            self._call(self._hooks.end, event)
        return State(self._old.ids, self._values, self._awake, memory, contacts)


@lru_cache(maxsize=64)
def _options(method: Method, given: tuple[tuple[str, float | str], ...]) -> Mapping[str, float | str]:
    """Return the method's settings, which are the same in every step."""
    return method.options(given)


def _contacts_at(nearby: Nearby, is_moving: NDArray[np.bool_], problem: Problem, bodies: Bodies) -> Found:
    """Detect the contacts of the step's pairs with the bodies displaced by their shift."""
    tables, pairs, rows = problem.tables, nearby.pairs, problem.rows
    fixtures, packed = tables.fixtures, tables.shapes.grown.packed
    center, turned = np.empty_like(problem.center), np.empty_like(problem.center)
    poses, boxes = _arrays_of_fixtures(len(fixtures.ids))
    place(
        problem.moved(bodies), tables.bodies.center, fixtures.body, fixtures.shape, packed.first, packed.n_vertices, packed.vertices,
        packed.radius, center, turned, poses, boxes,
    )  # fmt: skip
    kinds, shapes, poses_a, poses_b, *columns = _arrays_of_pairs(len(pairs))
    n_solid, *_ = classify_pairs(pairs, boxes, poses, tables.kept, is_moving, kinds, shapes, poses_a, poses_b)
    manifolds = ManifoldRows(*columns)
    fill_manifolds(tables, shapes[:n_solid], poses_a[:n_solid], poses_b[:n_solid], manifolds)
    n_points, points, _, axis, reference = columns
    ids = key_of(*fixtures.ids[pairs[kinds == SOLID]].T)
    passing = rows.key[rows.ints[:, FLAGS] & PASSES != 0]
    which = np.flatnonzero((n_points[:n_solid] > 0) & ~np.isin(ids, passing))
    ends = pairs[kinds == SOLID][which]
    at, is_known = places_of(ids[which], rows.key[problem.solved[:, 0]])
    gaps = points[which, :, 2] + (tables.margin[ends[:, 0]] + tables.margin[ends[:, 1]])[:, None]
    floats = np.zeros((len(which), N_FLOATS))
    floats[:, NORMAL : NORMAL + 2], floats[:, POSITION : POSITION + 4] = axis[which, :2], points[which, :, :2].reshape(-1, 4)
    floats[:, SEPARATION : SEPARATION + 2], floats[:, POINTS] = gaps, n_points[which]
    floats[:, FRICTION], floats[:, RADII : RADII + 2] = np.sqrt(fixtures.friction[ends].prod(axis=1)), fixtures.radius[ends]
    contacts = contacts_of(np.column_stack((np.arange(len(which)), fixtures.body[ends], ends)), floats, center, problem.inverse)
    is_round = (packed.n_vertices[fixtures.shape[ends]] == 1).any(axis=1)
    plane = np.where(is_round & (axis[which, 3] > 0.0), -1, reference[which, 0])  # a disc beside a corner has no face to lie on
    return Found(contacts, np.where(is_known, at, -1), fixtures.restitution[ends].max(axis=1), plane)


def _is_among(event: PairEvent, pairs: IntArray) -> bool:
    return bool(((pairs[:, 0] == event.fixture_a) & (pairs[:, 1] == event.fixture_b)).any())


def _arrays_of_bodies(n: int) -> tuple[NDArray[Any], ...]:
    """Return centers, turns, five flags, and the scratch arrays of `settle`."""
    flags = (np.empty(n, dtype=np.bool_) for _ in range(5))
    return (
        np.empty((n, 2)), np.empty((n, 2)), *flags, np.empty(n, dtype=np.int64), np.empty(n), np.empty(n, dtype=np.bool_),
    )  # fmt: skip


def _arrays_of_fixtures(m: int) -> tuple[NDArray[Any], ...]:
    """Return poses and boxes."""
    return np.empty((m, 4)), np.empty((m, 4))


def _arrays_of_pairs(n: int) -> tuple[NDArray[Any], ...]:
    """Return the kinds of pairs, their shapes, both poses, and the columns of manifolds."""
    numbers = np.zeros((n, 2, 3)), np.zeros((n, 2), dtype=np.int64), np.zeros((n, 6)), np.zeros((n, 2), dtype=np.int64)
    manifolds = (np.zeros(n, dtype=np.int64), *numbers)
    return np.empty(n, dtype=np.int8), np.empty((n, 2), dtype=np.int64), *np.empty((2, n, 4)), *manifolds


@lru_cache(maxsize=16)
def _no_force(n: int) -> FloatArray:
    """Return the forces that wait after a step, which nobody writes into: states are immutable."""
    return np.zeros((n, 3))
