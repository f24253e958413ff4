"""Blocks in place of rows, in sub-steps; see `_block_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.common.arrays import FloatArray
from engine.common.limits import MAX_ITERATIONS
from engine.dynamics.solvers._block_kernel import block_step
from engine.dynamics.solvers.protocol import Method, Problem, Setting
from engine.world.specs import WorldSettings

__all__ = ["METHOD", "BlockSolver"]


class BlockSolver(Method):
    """A contact's two points together, joints in trees all at once."""

    title = "Block solver"
    settings = (
        Setting("sub_steps", "Sub-steps", 8, 1, MAX_ITERATIONS, is_whole=True),
        Setting("iterations", "Iterations a sub-step", 1, 1, MAX_ITERATIONS, is_whole=True),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        n_steps = options["sub_steps"]
        bodies = step.bodies(step.dt / n_steps)
        block_step(
            bodies, step.contacts, step.joints, step.first_rows, step.restitution, step.threshold, step.dt, n_steps, options["iterations"],
            step.trace,
        )  # fmt: skip
        return step.ended(bodies)

    def warm_share(self, settings: WorldSettings, options: Mapping[str, Any]) -> float:
        return 1.0 / float(options["sub_steps"])


METHOD = BlockSolver()
