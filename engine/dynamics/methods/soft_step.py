"""The soft step, for the whole world in one kernel; see `_soft_step_kernel`. `WorldSettings.velocity_iterations` are its sub-steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import traced
from engine.dynamics._impact_kernel import Impacts
from engine.dynamics.methods._soft_step_kernel import soft_step
from engine.dynamics.methods.protocol import Method, Problem
from engine.world.specs import WorldSettings

__all__ = ["METHOD", "SoftStep"]


class SoftStep(Method):
    """Sub-steps with soft contacts and relaxation."""

    title = "Soft step"

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        n_steps, n = step.settings.velocity_iterations, len(step.center)
        bodies = step.bodies(step.dt / n_steps)
        impacts = Impacts(step.restitution, step.is_round, np.empty(n), np.zeros((n, 3)))
        traced(soft_step)(bodies, step.contacts, step.joints, impacts, step.threshold, step.dt, n_steps, step.soft_h)
        return step.ended(bodies)

    def warm_share(self, settings: WorldSettings, options: Mapping[str, Any]) -> float:
        return 1.0 / settings.velocity_iterations


METHOD = SoftStep()
