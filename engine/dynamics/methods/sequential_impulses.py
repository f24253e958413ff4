"""Sequential impulses, the method that Solver2D calls PGS; see `_sequential_impulses_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.common.arrays import FloatArray
from engine.common.limits import MAX_ITERATIONS
from engine.dynamics.methods._sequential_impulses_kernel import sequential_impulses
from engine.dynamics.methods.protocol import SLOP, Method, Problem, Setting

__all__ = ["METHOD", "SequentialImpulses"]


class SequentialImpulses(Method):
    """Projected Gauss-Seidel on impulses, with warm starting and Baumgarte's correction."""

    title = "Sequential impulses"
    settings = (
        Setting("iterations", "Iterations", 10, 1, MAX_ITERATIONS, is_whole=True, help="Sweeps over all joints and contacts in a step."),
        Setting(
            "share",
            "Error corrected per step",
            0.2,
            0.0,
            1.0,
            help="Fraction of a position error that a step corrects, through velocities.",
        ),
        SLOP,
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        bodies = step.bodies(step.dt)
        sequential_impulses(
            bodies, step.contacts, step.joints, step.restitution, step.threshold, step.dt,
            options["iterations"], options["share"], options["slop"], step.trace,
        )  # fmt: skip
        return step.ended(bodies)


METHOD = SequentialImpulses()
