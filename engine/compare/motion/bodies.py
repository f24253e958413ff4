"""The bodies of a judged step: their data, their islands, and the size of differences."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.compare.motion.states import EngineStates, StepResult
from engine.compare.queries import Flags
from engine.dynamics._island_kernel import islands
from engine.dynamics.joints import rotated
from engine.dynamics.tables import Tables
from engine.world.joints.interface import linked_bodies
from engine.world.model import WorldModel

__all__ = ["JudgedBodies"]


class JudgedBodies:
    """Data of the bodies for the judgment, a row each in ascending order of ids."""

    def __init__(self, states: EngineStates) -> None:
        snapshot = states.ours
        model = WorldModel(snapshot.settings)
        model.take_over(snapshot)
        self.model, tables = model, Tables(model)
        self.ids, self.dt = model.body_ids, snapshot.settings.dt
        n = len(self.ids)
        self.is_judged = tables.bodies.is_dynamic[:n] & tables.bodies.is_active[:n]
        self.reach, self._center = tables.reach, tables.bodies.center[:n]
        values = np.ascontiguousarray(snapshot.motion.values, dtype=np.float64)
        self.pose, self.velocity = np.ascontiguousarray(values[:, :3]), np.ascontiguousarray(values[:, 3:])
        self.scale = np.hypot(self.pose[:, 0], self.pose[:, 1]) + self.reach
        self.gravity = float(np.hypot(*snapshot.settings.gravity))

    def size(self, change: FloatArray) -> FloatArray:
        """Return the size of velocities or poses (n, 3) as one number each."""
        sizes: FloatArray = np.hypot(change[:, 0], change[:, 1]) + self.reach * np.abs(change[:, 2])
        return sizes

    def speeds(self, *results: StepResult) -> FloatArray:
        """Return the largest speed of each body before and after, m/s."""
        most: FloatArray = np.max([self.size(self.velocity), *(self.size(result.velocity) for result in results)], axis=0)
        return most + self.gravity * self.dt

    def added(self, result: StepResult) -> FloatArray:
        """Return the displacement of centers of mass and angles beyond the new velocity times the step, (n, 3)."""
        displacement: FloatArray = self._centers(result.pose) - self._centers(self.pose) - self.dt * result.velocity
        return displacement

    def _centers(self, pose: FloatArray) -> FloatArray:
        return np.column_stack((pose[:, :2] + rotated(np.column_stack((np.cos(pose[:, 2]), np.sin(pose[:, 2]))), self._center), pose[:, 2]))

    def held(self, fixtures: IntArray) -> Flags:
        """Return which bodies (n,) have a contact among pairs of `fixtures`, or a joint."""
        is_constrained = np.zeros(len(self.ids), dtype=np.bool_)
        model = self.model
        is_constrained[[model.rows[model.fixtures[fixture].body] for fixture in fixtures.ravel().tolist()]] = True
        is_constrained[[model.rows[body] for joint in model.joints.values() for body in joint.bodies if body is not None]] = True
        return is_constrained

    def islands(self, fixtures: IntArray) -> IntArray:
        """Return an island number for each body, equal for bodies connected by contacts and joints."""
        rows, model = self.model.rows, self.model
        links = [(rows[model.fixtures[a].body], rows[model.fixtures[b].body]) for a, b in fixtures.tolist()]
        for joint in model.joints.values():
            ends = [rows[body] for body in linked_bodies(joint.spec, model.joints)]
            links += [(ends[0], end) for end in ends]
        island_ids: IntArray = islands(np.array(links, dtype=np.int64).reshape(-1, 2), self.is_judged.copy())
        return island_ids
