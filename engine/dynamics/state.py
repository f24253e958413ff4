"""Everything on which the next step depends, as immutable arrays; a change creates another state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.contracts import StepContacts, no_contacts
from engine.dynamics.contacts import ContactRows, rows_without_points, touching_pairs
from engine.dynamics.joints import JointTable, no_joints
from engine.dynamics.model import IMPULSE, STIFFNESS

__all__ = ["GearSums", "Memory", "State", "cold_memory", "empty_state"]

GearSums: TypeAlias = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Memory:
    """All state other than poses and velocities, as immutable arrays with one row per body unless stated otherwise.

    Attributes
    ----------
    force : float64 (n, 3)
        Force and torque to be applied in the next step, N and N m.
    resting : float64 (n,)
        Time for which each body has been slow, s.
    island : int64 (n,)
        Id of the body that identifies a sleeping body's island; -1 for a body that is awake.
    rows : ContactRows
    sensed : int64 (k, 4)
        Touching pairs with a sensor: fixtures A and B, bodies A and B, in ascending order of the fixtures.
    joints : JointTable
    joint_impulse, joint_total : float64 (m, 2)
        Impulses of the joints' rows, N s or N m s: in the last sub-step, and over the step.
    gear_sums : tuple of (joint id, float)
        Sum of the coordinates of each gear joint when it was created.
    soft_h : float
        Duration, s, of the steps or sub-steps whose stiffness soft constraints have (`Problem.soft_h`); 0: that of the next one.
    """

    force: FloatArray
    resting: FloatArray
    island: IntArray
    rows: ContactRows
    sensed: IntArray
    joints: JointTable
    joint_impulse: FloatArray
    joint_total: FloatArray
    gear_sums: GearSums
    soft_h: float = 0.0

    @property
    def touching(self) -> IntArray:
        """All touching pairs, in the format of `sensed`."""
        return touching_pairs(self.rows, self.sensed)

    def scaled(self, share: float, is_stiff: bool = True) -> Memory:
        """Return the memory with its warm-starting impulses multiplied by `share`; unless `is_stiff`, without the stiffness of points."""
        floats = self.rows.floats.copy()
        floats[:, IMPULSE : IMPULSE + 4] *= share
        floats[:, STIFFNESS : STIFFNESS + 2] *= is_stiff
        return replace(self, rows=ContactRows(self.rows.ints, floats), joint_impulse=share * self.joint_impulse)


@dataclass(frozen=True)
class State:
    """Immutable state at a step boundary; a change creates another state."""

    ids: IntArray
    values: FloatArray
    awake: NDArray[np.bool_]
    memory: Memory
    contacts: StepContacts

    def at(self, body: int) -> int:
        return int(np.searchsorted(self.ids, body))

    def with_row(self, body: int, values: tuple[float, ...] | None = None, awake: bool | None = None) -> State:
        """Return the state with other values of one body, or with the body asleep or awake."""
        row, moved, awakened, memory = self.at(body), self.values, self.awake, self.memory
        if values is not None:
            moved = moved.copy()
            moved[row] = values
        if awake is not None and bool(awakened[row]) != awake:
            awakened, resting, island = awakened.copy(), memory.resting.copy(), memory.island.copy()
            awakened[row], resting[row], island[row] = awake, 0.0, -1 if awake else body
            memory = replace(memory, resting=resting, island=island)
            if not awake:
                moved = moved.copy()
                moved[row, 3:] = 0.0
                force = memory.force.copy()
                force[row] = 0.0
                memory = replace(memory, force=force)
        return replace(self, values=moved, awake=awakened, memory=memory)

    def pushed(self, body: int, force: tuple[float, float, float]) -> State:
        """Return the state with an additional force and torque on one body."""
        waiting = self.memory.force.copy()
        waiting[self.at(body)] += force
        return replace(self, memory=replace(self.memory, force=waiting))

    def with_body(self, body: int, values: tuple[float, ...], awake: bool) -> State:
        """Return the state with an additional body."""
        at, memory = self.at(body), self.memory
        return replace(
            self,
            ids=np.insert(self.ids, at, body),
            values=np.insert(self.values, at, values, axis=0),
            awake=np.insert(self.awake, at, awake),
            memory=replace(
                memory,
                force=np.insert(memory.force, at, 0.0, axis=0),
                resting=np.insert(memory.resting, at, 0.0),
                island=np.insert(memory.island, at, -1 if awake else body),
            ),
        )

    def without_body(self, body: int) -> State:
        """Return the state without a body."""
        at, memory = self.at(body), self.memory
        return replace(
            self,
            ids=np.delete(self.ids, at),
            values=np.delete(self.values, at, axis=0),
            awake=np.delete(self.awake, at),
            memory=replace(
                memory,
                force=np.delete(memory.force, at, axis=0),
                resting=np.delete(memory.resting, at),
                island=np.delete(memory.island, at),
            ),
        )


def cold_memory(
    ids: IntArray,
    awake: NDArray[np.bool_],
    force: FloatArray,
    resting: FloatArray,
    touching: IntArray,
    sensed: IntArray,
    gear_sums: GearSums,
) -> Memory:
    """Return the memory of bodies that another solver has moved until now: the touching pairs, without impulses.

    Parameters
    ----------
    ids, awake : int64 (n,), bool (n,)
        Bodies, ascending.
    touching, sensed : int64 (k, 4)
        Touching pairs, and those with a sensor: fixtures A and B, bodies A and B, in ascending order of the fixtures.
    """
    no_impulse = np.zeros((0, 2))
    island = np.where(awake, -1, ids)
    force = np.ascontiguousarray(force)  # non-contiguous columns would compile the solvers once more
    return Memory(force, resting, island, rows_without_points(touching), sensed, no_joints(), no_impulse, no_impulse, gear_sums)


def empty_state() -> State:
    """Return the state of a world without bodies, before its first step."""
    none, flags, no_pairs = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_), np.zeros((0, 4), dtype=np.int64)
    memory = cold_memory(none, flags, np.zeros((0, 3)), np.zeros(0), no_pairs, no_pairs, ())
    return State(none, np.zeros((0, 6)), flags, memory, no_contacts(0))
