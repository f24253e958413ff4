"""Augmented vertex block descent; see `_avbd_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import traced
from engine.dynamics._island_kernel import islands
from engine.dynamics.methods._avbd_kernel import avbd
from engine.dynamics.methods.protocol import Method, Problem, Setting
from engine.dynamics.model import READ, SUM, Bodies

__all__ = ["METHOD", "Avbd"]


class Avbd(Method):
    """Minimizes the energy of a step body by body, while forces and stiffness grow."""

    title = "AVBD"
    settings = (
        Setting("iterations", "Iterations", 10, 1, 200, is_whole=True, help="Sweeps over all bodies in a step."),
        Setting("alpha", "Error kept per step (alpha)", 0.99, 0.0, 1.0, help="Fraction of a position error that remains after a step."),
        Setting("beta", "Stiffening (beta)", 1e5, 0.0, 1e9, unit="N/m^2", help="Rate at which violated constraints stiffen."),
        Setting(
            "gamma",
            "Kept from step to step (gamma)",
            0.99,
            0.0,
            1.0,
            help="Fraction of stiffness and forces carried over to the next step.",
        ),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        bodies = step.bodies(step.dt)
        stiffness = step.stiffness.view(np.float32).reshape(-1, 2, 2)  # eight bytes per point: one value for each of its two rows
        traced(avbd)(
            bodies, step.contacts, step.joints, stiffness, step.restitution, step.threshold, step.dt, options["iterations"],
            options["alpha"], options["beta"], options["gamma"],
        )  # fmt: skip
        self._keep_momentum(step, bodies)
        return step.ended(bodies)

    @staticmethod
    def _keep_momentum(step: Problem, bodies: Bodies) -> None:
        """Move islands that nothing holds so that their centers of mass move as without inner forces.

        Sweeps from body to body end before what two bodies give each other is equal and opposite.
        """
        moves, contacts, joints = step.inverse[:, 0] > 0.0, step.contacts, step.joints
        links = np.concatenate((contacts.bodies, joints.bodies[(joints.kind != SUM) & (joints.mode != READ)]))
        if len(links) == 0:
            return
        island, mass = islands(links, moves), np.where(moves, 1.0 / np.where(moves, step.inverse[:, 0], 1.0), 0.0)
        is_held = ~moves[links].all(axis=1)
        held = island[links[is_held]].ravel()
        total = np.bincount(island, mass, len(island))
        total[held] = np.inf
        total[total == 0.0] = np.inf
        before = step.bodies(step.dt)
        free = (before.velocity[:, :2] + step.dt * step.push[:, :2]) * before.decay[:, :1]
        for axis in range(2):
            off = np.bincount(island, mass * (bodies.velocity[:, axis] - free[:, axis]), len(island)) / total
            bodies.velocity[:, axis] -= np.where(moves, off[island], 0.0)
            bodies.shift[:, axis] -= np.where(moves, step.dt * off[island], 0.0)


METHOD = Avbd()
