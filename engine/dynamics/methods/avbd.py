"""Augmented vertex block descent; see `_avbd_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import traced
from engine.dynamics.methods._avbd_kernel import avbd
from engine.dynamics.methods.protocol import Method, Problem, Setting

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
        return step.ended(bodies)


METHOD = Avbd()
