"""Sequential impulses, the method that Solver2D calls PGS; see `_sequential_impulses_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.events import traced
from engine.common.limits import MAX_ITERATIONS
from engine.dynamics.methods._sequential_impulses_kernel import sequential_impulses
from engine.dynamics.methods.protocol import SLOP, Method, Problem, Setting
from engine.dynamics.model import Bodies, Contacts

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
        self.advance(step, bodies, options)
        return step.ended(bodies)

    def advance(self, step: Problem, bodies: Bodies, options: Mapping[str, Any], which: NDArray[np.bool_] | None = None) -> None:
        """Advance `bodies` by the step with all joints and the contacts `which`, bool (n,), and write their impulses; default: all."""
        contacts, restitution = step.contacts, step.restitution
        if which is not None:
            contacts, restitution = Contacts._make(column[which] for column in contacts), restitution[which]
        share = options["share"] * min(step.dt / step.soft_h, 1.0)
        run = traced(sequential_impulses) if which is None else sequential_impulses
        run(
            bodies, contacts, step.joints, restitution, step.threshold, step.dt, options["iterations"], share, options["slop"],
        )  # fmt: skip
        if which is not None:
            step.contacts.total[which] = contacts.total


METHOD = SequentialImpulses()
