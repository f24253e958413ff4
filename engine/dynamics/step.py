"""A step, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.broadphase import Automatic
from engine.common.arrays import FloatArray, IntArray
from engine.contracts import PairEvent
from engine.dynamics._contact_kernel import TOUCH
from engine.dynamics._island_kernel import islands, rest
from engine.dynamics._soft_step_kernel import soft_step
from engine.dynamics.contacts import Found, find_contacts, key_of, merged, pair_events, told, touching_pairs
from engine.dynamics.continuous import Motion, stop_at_first_touch
from engine.dynamics.joints import JointTable, rotated
from engine.dynamics.state import SoftStepMemory, State
from engine.dynamics.tables import Tables
from engine.geometry.kinds import POLYGON
from engine.world.hooks import StepHooks
from engine.world.specs import WorldSettings
from engine.world.step_pairs import Approach

__all__ = ["Step"]

SLOW = np.array([0.05, math.radians(2.0)])
"""m/s and rad/s below which a body counts as resting."""
PATIENCE = 0.5
"""Seconds for which an island must rest before it sleeps."""


class Step:
    """One step of a world under way.

    Parameters
    ----------
    number : int
    settings : WorldSettings
    tables : Tables
    joints : JointTable
    phase : Automatic
        The broad phase.
    state : State
        As the step begins.
    hooks : StepHooks
    call : callable
        Calls a hook, and keeps what it raises.

    Attributes
    ----------
    moving : bool (n,)
        Bodies that move as the step begins; from `find` on.
    approach : Approach
        How they do, for a check by another way.
    """

    def __init__(
        self,
        number: int,
        settings: WorldSettings,
        tables: Tables,
        joints: JointTable,
        phase: Automatic,
        state: State,
        hooks: StepHooks,
        call: Callable[..., object],
    ) -> None:
        self._number, self._settings, self._tables, self._joints = number, settings, tables, joints
        self._phase, self._old, self._hooks, self._call = phase, state, hooks, call
        n = len(state.ids)
        self._poses = np.ascontiguousarray(state.values[:, :3])
        self._angle = np.append(self._poses[:, 2], 0.0)
        self._turned = _turned(self._angle)
        origin = np.concatenate((self._poses[:, :2], np.zeros((1, 2))))
        self._center = origin + rotated(self._turned, tables.bodies.center)
        self._velocity = np.concatenate((state.values[:, 3:], np.zeros((1, 3))))
        self._awake, self._island, self._resting = state.awake.copy(), state.memory.island.copy(), state.memory.resting.copy()
        self._n = n

    @property
    def approach(self) -> Approach:
        n = self._n
        return Approach(self._old.values[:, 3:], self._center[:n].copy(), self._settings.dt, TOUCH)

    # -- contacts -----------------------------------------------------------------------------------------------------

    def find(self) -> None:
        """Find the contacts, tell which have begun, and let the hook say which may pass."""
        memory = self._old.memory
        self._found = self._with_all_awake()
        self._touching = touching_pairs(merged(self._found.rows, self._found.still), self._tables, self._found.sensed)
        self._began = self._touching.without(memory.touching, self._number)
        self._ended = memory.touching.without(self._touching, self._number)
        for event in self._began:
            self._call(self._hooks.begin, event)
        self._met = self._found.rows.key
        self._found = self._filtered(self._found)

    def _with_all_awake(self) -> Found:
        """Return the contacts, with all islands awake that a moving body touches, or that something has gone from."""
        bodies, n, old = self._tables.bodies, self._n, self._old.memory.rows
        while True:
            moving = self._awake & ~bodies.is_static[:n] & (bodies.is_dynamic[:n] | (self._velocity[:n] != 0.0).any(axis=1))
            self.moving = moving
            found = find_contacts(
                self._tables, self._phase, self._poses, self._center, self._velocity, np.append(moving, False), old, self._settings.dt
            )
            links = np.concatenate((found.ends[found.rows.touches], self._joints.links))
            asleep = bodies.is_dynamic[:n] & ~self._awake
            gone = old.touches & ~np.isin(old.key, np.concatenate((found.rows.key, found.still.key)))
            left = np.isin(bodies.ids, np.concatenate((old.body_a[gone], old.body_b[gone])))
            woken = (_touched(links, moving) | left) & asleep
            if not woken.any():
                return found
            woken |= np.isin(self._island, self._island[woken]) & asleep
            self._awake[woken], self._island[woken], self._resting[woken] = True, -1, 0.0

    def _filtered(self, found: Found) -> Found:
        """Return the contacts without those that the hook lets pass through each other."""
        hook = self._hooks.pre_solve
        if hook is None or len(found.rows.key) == 0:
            return found
        keep = np.array([self._call(hook, event) is not False for event in pair_events(found.rows, self._number)], dtype=np.bool_)
        return found if keep.all() else found.chosen(keep)

    # -- motion -------------------------------------------------------------------------------------------------------

    def solve(self) -> list[int]:
        """Solve contacts and joints, and move all bodies; return the ids of those that have left the finite numbers."""
        settings, bodies, fixtures, n = self._settings, self._tables.bodies, self._tables.fixtures, self._n
        found, memory = self._found, self._old.memory
        self._moves = np.append(self._awake, False) & bodies.is_active & ~bodies.is_static
        drives = (self._moves & bodies.is_dynamic)[:, None]
        inverse = np.where(drives, bodies.inverse, 0.0)
        push = np.zeros((n + 1, 3))
        push[:, :2] = np.asarray(settings.gravity) * bodies.gravity_scale[:, None]
        push[:n] += memory.force * inverse[:n][:, [0, 0, 1]]
        self._push = np.where(drives, push, 0.0)
        damping = np.where(drives, bodies.damping, 0.0)
        self._velocity[~self._moves] = 0.0
        shift, turn = np.zeros((n + 1, 3)), np.tile((1.0, 0.0), (n + 1, 1))
        first, second = found.fixtures.T
        friction = np.sqrt(fixtures.friction[first] * fixtures.friction[second])
        restitution = np.maximum(fixtures.restitution[first], fixtures.restitution[second])
        kinds = self._tables.shapes.grown.packed.kind[fixtures.shape[found.fixtures]]
        is_round = (found.rows.feature_id[:, 0] >> 16 == 0) & (kinds != POLYGON).all(axis=1)  # both features are corners, or centres
        impulse = found.rows.impulse.copy() if settings.warm_starting else np.zeros_like(found.rows.impulse)
        total = np.zeros_like(impulse)
        warm = self._joints.carried_over(memory.joints, memory.joint_impulse)
        self._joined = self._joints.posed(self._center, self._turned, self._angle, warm if settings.warm_starting else np.zeros_like(warm))
        soft_step(
            (self._velocity, shift, turn, inverse, self._push, damping),
            (found.ends, found.rows.count, found.rows.normal, found.arm, found.radius, found.gap, found.mass, friction, impulse, total),
            tuple(self._joined),
            restitution,
            is_round,
            settings.dt,
            settings.velocity_iterations,
            _bounces_above(settings),
        )
        angle = self._poses[:, 2] + shift[:n, 2]
        center = self._center[:n] + shift[:n, :2]
        self._values = np.column_stack((center - rotated(_turned(angle), bodies.center[:n]), angle, self._velocity[:n]))
        still = ~self._moves[:n]
        self._values[still] = self._old.values[still]
        self._found = replace(found, rows=replace(found.rows, impulse=impulse, total=total))
        finite = np.isfinite(self._values).all(axis=1)
        lost: list[int] = self._old.ids[~finite].tolist()
        return lost

    def stop(self) -> None:
        """Take bodies back to where they first touch something on their way.

        One that nothing else touched gets the velocity of that moment, so that it has no speed from a fall that it did not fall.
        """
        if not self._settings.continuous:
            return
        rows = self._found.rows
        motion = Motion(
            self._poses, np.ascontiguousarray(self._values[:, :3]), self._moves[: self._n], self._found.ends, rows.count, rows.separation
        )
        passes = None if self._hooks.pre_solve is None else self._passes
        stops = stop_at_first_touch(self._tables, motion, self._were_in_contact, passes)
        stopped = np.flatnonzero(stops.fraction < 1.0)
        woken = stops.is_carried & ~self._awake
        self._awake[woken], self._island[woken], self._resting[woken] = True, -1, 0.0
        self._values[stopped, :3] = stops.end[stopped]
        is_free = np.ones(self._n + 1, dtype=np.bool_)
        is_free[self._found.ends] = is_free[self._joints.links] = False
        free = stopped[is_free[stopped]]
        self._values[free, 3:] -= self._push[free] * ((1.0 - stops.fraction[free]) * self._settings.dt)[:, None]
        if len(stops.passed) > 0:
            passed = touching_pairs(
                merged(self._found.rows, self._found.still).chosen(np.zeros(0, dtype=np.int64)), self._tables, stops.passed
            )
            began = passed.without(self._touching, self._number)
            self._touching, self._began = self._touching.joined(passed), self._began + began
            for event in began:
                self._call(self._hooks.begin, event)

    def _were_in_contact(self, pairs: IntArray) -> NDArray[np.bool_]:
        return np.isin(key_of(*self._tables.fixtures.ids[pairs].T), self._met)

    def _passes(self, pair: IntArray) -> bool:
        """Tell whether the hook lets a pair of rows of fixtures through each other."""
        fixtures = self._tables.fixtures
        (a, b), (body_a, body_b) = fixtures.ids[pair].tolist(), self._tables.bodies.ids[fixtures.body[pair]].tolist()
        return self._call(self._hooks.pre_solve, PairEvent(self._number, a, b, body_a, body_b, False)) is False

    # -- rest ---------------------------------------------------------------------------------------------------------

    def sleep(self) -> None:
        """Put islands to sleep that have rested long enough."""
        bodies, n = self._tables.bodies, self._n
        if not self._settings.sleeping:
            self._resting[:] = 0.0
            return
        links = np.concatenate((self._found.ends[self._found.rows.touches], self._joints.links))
        dynamic = bodies.is_dynamic[:n]
        carries = ~dynamic & self._moves[:n] & (self._values[:, 3:] != 0.0).any(axis=1)
        can_sleep = self._awake & dynamic & bodies.may_sleep[:n] & ~_touched(links, carries)
        roots = islands(links, dynamic)
        velocity = np.ascontiguousarray(self._values[:, 3:])
        sleeps = rest(velocity, roots, can_sleep, SLOW, self._resting, self._settings.dt, PATIENCE)
        self._values[sleeps, 3:] = 0.0
        self._awake[sleeps] = False
        self._island[sleeps] = bodies.ids[roots[sleeps]]

    def finish(self) -> State:
        """Tell what has been solved and what has ended, and return the state after the step."""
        rows, old = merged(self._found.rows, self._found.still), self._old.memory
        contacts = told(rows, old.rows, self._number, self._began, self._ended)
        memory = SoftStepMemory(
            force=np.zeros((self._n, 3)),
            resting=self._resting,
            island=self._island,
            rows=rows,
            touching=self._touching,
            joints=self._joints,
            joint_impulse=self._joined.impulse,
            joint_total=self._joined.total,
            gear_sums=old.gear_sums,
        )
        if self._hooks.post_solve is not None:
            touching = rows.chosen(rows.touches & rows.evaluated)
            for event, count, total in zip(pair_events(touching, self._number), touching.count, touching.total, strict=True):
                normal, tangent = total[:count].T.tolist() if count > 0 else ([], [])
                self._call(self._hooks.post_solve, event, tuple(normal), tuple(tangent))
        for event in self._ended:
            self._call(self._hooks.end, event)
        return State(self._old.ids, self._values, self._awake, memory, contacts)


def _bounces_above(settings: WorldSettings) -> float:
    """Return the speed below which nothing bounces, m/s: what gravity adds in two steps is no impact, unless the settings say more."""
    given = settings.restitution_threshold
    return 2.0 * math.hypot(*settings.gravity) * settings.dt if given is None else given


def _turned(angle: FloatArray) -> FloatArray:
    """Return cosines and sines (n, 2)."""
    return np.column_stack((np.cos(angle), np.sin(angle)))


def _touched(links: IntArray, by: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which bodies a link joins with one of `by`."""
    found = np.zeros(len(by), dtype=np.bool_)
    first, second = links.T
    found[first[by[second]]] = True
    found[second[by[first]]] = True
    return found
