"""Many copies of one world, in the arrays of one step.

Bodies, fixtures, contacts and joints of all copies are stored world after world, and one step advances them all. No pair has fixtures of
two worlds (`_pairs_kernel`, `continuous`), so worlds do not interact, and each keeps the order of its pairs, contacts and joints. Each
world has the same bits as if it were stepped alone:

- Contacts are solved in the order of their rows, first those between two movable bodies; those of a world stay in order.
- Impacts are solved in passes over all pairs until a pass changes nothing; further passes do not change a world that has converged. First
  touches within a step are handled in order of time, and each changes two bodies.
- All copies share the world's own static body, the last row. Nothing moves it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray, any_of_rows
from engine.common.errors import InvalidInputError
from engine.contracts import no_contacts
from engine.dynamics.contacts import ContactRows, Nearby, key_of
from engine.dynamics.joints import JointTable
from engine.dynamics.methods.protocol import Method
from engine.dynamics.model import BODIES, KEY, KEY_BITS
from engine.dynamics.pipeline import Step
from engine.dynamics.state import Memory, State
from engine.dynamics.tables import Tables, repeated
from engine.dynamics.workspace import Workspace
from engine.world.hooks import StepHooks
from engine.world.records import MAX_MOTION
from engine.world.specs import WorldSettings

__all__ = ["WorldCopies"]

_HOOKS = StepHooks()


class WorldCopies:
    """The bodies of `n` copies of a world; see `engine.world.solver.Copies`.

    Parameters
    ----------
    n : int
    settings : WorldSettings
    method : Method
    tables : Tables
    joints : JointTable
    state : State
        State of one world.
    """

    def __init__(self, n: int, settings: WorldSettings, method: Method, tables: Tables, joints: JointTable, state: State) -> None:
        memory, self._n_bodies = state.memory, len(state.ids)
        ids = memory.rows.ids
        bodies = np.unique(np.concatenate((state.ids, memory.island[memory.island >= 0], ids[:, 2:].ravel(), memory.sensed[:, 2:].ravel())))
        fixtures = np.unique(np.concatenate((tables.fixtures.ids, ids[:, :2].ravel(), memory.sensed[:, :2].ravel())))
        self._n_body_ids, self._n_fixture_ids = len(bodies), len(fixtures)
        if n * max(len(bodies), len(fixtures)) >= 1 << KEY_BITS:
            raise InvalidInputError("n", f"small enough that all worlds together have fewer than {1 << KEY_BITS} bodies and fixtures", n)
        body_ids = repeated(np.searchsorted(bodies, state.ids), n, len(bodies))
        self._tables = tables.copies(n, body_ids, repeated(np.searchsorted(fixtures, tables.fixtures.ids), n, len(fixtures)))
        self._joints, self._settings, self._method = joints.copies(n, self._n_bodies), settings, method
        self._nearby, self._space = Nearby(), Workspace()
        pairs = [repeated(np.searchsorted(fixtures, ids[:, k]), n, len(fixtures)) for k in range(2)]
        ends = [repeated(np.searchsorted(bodies, ids[:, k]), n, len(bodies)) for k in range(2, 4)]
        ints = repeated(memory.rows.ints, n)
        ints[:, KEY], ints[:, BODIES] = key_of(*pairs), key_of(*ends)
        island = repeated(np.where(memory.island >= 0, np.searchsorted(bodies, memory.island), 0), n, len(bodies))
        sensed = [
            repeated(np.searchsorted(of, memory.sensed[:, k]), n, len(of)) for k, of in enumerate((fixtures, fixtures, bodies, bodies))
        ]
        self._first = self._state = State(
            body_ids,
            repeated(state.values, n),
            repeated(state.awake, n),
            Memory(
                force=repeated(memory.force, n),
                resting=repeated(memory.resting, n),
                island=np.where(repeated(memory.island, n) >= 0, island, -1),
                rows=ContactRows(ints, repeated(memory.rows.floats, n)),
                sensed=np.column_stack(sensed),
                joints=self._joints,
                joint_impulse=repeated(joints.carried_over(memory.joints, memory.joint_impulse), n),
                joint_total=repeated(joints.carried_over(memory.joints, memory.joint_total), n),
                gear_sums=(),
                soft_h=memory.soft_h,
            ),
            no_contacts(0),
        )
        self.is_lost = np.zeros(n, dtype=np.bool_)

    @property
    def values(self) -> FloatArray:
        """x, y, angle, vx, vy, omega, float64 (n, bodies, 6)."""
        return self._state.values.reshape(len(self.is_lost), self._n_bodies, 6)

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Whether each body is awake, bool (n, bodies)."""
        return self._state.awake.reshape(len(self.is_lost), self._n_bodies)

    def step(self) -> None:
        """Advance all worlds by one step, except those that are lost."""
        lost: list[int] = [0]
        while lost:
            step = Step(
                0, self._settings, self._tables, self._joints, self._nearby, self._space, self._state, _HOOKS, _no_call, self._method,
                is_reported=False,
            )  # fmt: skip
            step.find()
            lost = step.solve()
            if lost:  # once more, without the worlds in which a number is not finite
                are_lost = np.zeros_like(self.is_lost)
                are_lost[np.array(lost) // self._n_body_ids] = True
                self._lose(are_lost)
        step.stop()
        step.sleep()
        self._state = step.finish()
        size = np.abs(self._state.values)
        if size.max(initial=0.0) > MAX_MOTION.min():
            is_out = (size > MAX_MOTION) & self._tables.bodies.is_active[:-1, None]
            self._lose(any_of_rows(is_out.reshape(len(self.is_lost), -1)))

    def _lose(self, worlds: NDArray[np.bool_]) -> None:
        """Put all bodies of the worlds that are marked (n,) to sleep, without contacts, until they are reset."""
        is_new = worlds & ~self.is_lost
        if is_new.any():
            self.is_lost, state, of_body = self.is_lost | is_new, self._state, np.repeat(is_new, self._n_bodies)
            memory = replace(state.memory, force=np.where(of_body[:, None], 0.0, state.memory.force), **self._pairs_without(is_new))
            self._state = replace(state, awake=state.awake & ~of_body, memory=memory)

    def _pairs_without(self, worlds: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the contacts and the pairs with sensors of all but some worlds."""
        memory = self._state.memory
        rows, sensed = memory.rows, memory.sensed
        stays = ~worlds[rows.fixture_a // self._n_fixture_ids]
        return {"rows": ContactRows(rows.ints[stays], rows.floats[stays]), "sensed": sensed[~worlds[sensed[:, 0] // self._n_fixture_ids]]}

    def push(self, worlds: IntArray, bodies: IntArray, force: FloatArray) -> None:
        """Add forces and torques (w, k, 3), N and N m, on rows of bodies (k,) of worlds (w,) in the next step, and wake these bodies."""
        rows, force = self._rows(worlds, bodies, force)
        waiting = self._state.memory.force.copy()
        waiting[rows] += force
        self._state = replace(self._state, memory=replace(self._state.memory, force=waiting))
        self._wake(rows)

    def set_velocities(self, worlds: IntArray, bodies: IntArray, velocities: FloatArray) -> None:
        """Set velocities (w, k, 3), m/s and rad/s, of rows of bodies (k,) of worlds (w,), and wake those whose velocity is not 0."""
        rows, velocities = self._rows(worlds, bodies, velocities)
        values = self._state.values.copy()
        values[rows, 3:] = velocities
        self._state = replace(self._state, values=values)
        self._wake(rows[velocities.any(axis=1)])

    def _rows(self, worlds: IntArray, bodies: IntArray, given: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the rows (m,) of bodies of the worlds that are not lost, and their numbers (m, 3)."""
        is_there = ~self.is_lost[worlds]
        return (worlds[is_there, None] * self._n_bodies + bodies).ravel(), given[is_there].reshape(-1, 3)

    def _wake(self, rows: IntArray) -> None:
        state = self._state
        woken = rows[~state.awake[rows] & self._tables.bodies.is_active[rows]]
        if len(woken) > 0:
            awake, resting, island = state.awake.copy(), state.memory.resting.copy(), state.memory.island.copy()
            awake[woken], resting[woken], island[woken] = True, 0.0, -1
            self._state = replace(state, awake=awake, memory=replace(state.memory, resting=resting, island=island))

    def reset(self, worlds: NDArray[np.bool_]) -> None:
        """Put the worlds that are marked (n,) back into their first state."""
        self.is_lost = self.is_lost & ~worlds
        if worlds.all():
            self._state = self._first
            return
        now, first = self._state, self._first
        old, new, others = now.memory, first.memory, self._pairs_without(worlds)
        of_body, of_row = np.repeat(worlds, self._n_bodies), np.repeat(worlds, len(self._joints.kind) // len(worlds))
        again = worlds[new.rows.fixture_a // self._n_fixture_ids]
        key = np.concatenate((others["rows"].key, new.rows.key[again]))
        order = np.argsort(key, kind="stable")
        ints = np.concatenate((others["rows"].ints, new.rows.ints[again]))[order]
        floats = np.concatenate((others["rows"].floats, new.rows.floats[again]))[order]
        sensed = np.concatenate((others["sensed"], new.sensed[worlds[new.sensed[:, 0] // self._n_fixture_ids]]))
        memory = replace(
            old,
            force=np.where(of_body[:, None], new.force, old.force),
            resting=np.where(of_body, new.resting, old.resting),
            island=np.where(of_body, new.island, old.island),
            rows=ContactRows(ints, floats),
            sensed=sensed[np.lexsort((sensed[:, 1], sensed[:, 0]))],
            joint_impulse=np.where(of_row[:, None], new.joint_impulse, old.joint_impulse),
            joint_total=np.where(of_row[:, None], new.joint_total, old.joint_total),
        )
        values, awake = np.where(of_body[:, None], first.values, now.values), np.where(of_body, first.awake, now.awake)
        self._state = replace(now, values=values, awake=awake, memory=memory)


def _no_call(*_: object) -> None:
    return None
