"""Penalty springs; see `_penalty_kernel`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.dynamics.integrators import INTEGRATORS
from engine.dynamics.solvers._penalty_kernel import penalty_forces, slip
from engine.dynamics.solvers.protocol import Method, Problem, Setting
from engine.world.specs import WorldSettings

__all__ = ["METHOD", "Penalty"]


class Penalty(Method):
    """Springs and dampers push apart what overlaps; an integrator goes on from their forces."""

    title = "Penalty springs"
    settings = (
        Setting("sub_steps", "Sub-steps", 16, 1, 256, is_whole=True),
        Setting("stiffness", "Stiffness", 1e4, 1.0, 1e9, unit="N/m"),
        Setting("damping_ratio", "Damping ratio", 0.3, 0.0, 2.0),
        Setting("integrator", "Integrator", "semi_implicit_euler", choices=tuple(INTEGRATORS)),
        Setting("state", "State in", "velocities", choices=("velocities", "momenta")),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        n_steps, stiffness, ratio = options["sub_steps"], options["stiffness"], options["damping_ratio"]
        h, integrate = step.dt / n_steps, INTEGRATORS[options["integrator"]]
        bodies, contacts, joints, inverse = step.bodies(h), step.contacts, step.joints, step.inverse[:, [0, 0, 1]]
        contacts.total[:] = joints.total[:] = 0.0
        damping = np.minimum(ratio, _ratio_that_gives_back(step.restitution))
        stretch = -contacts.impulse[:, :, 1] / (stiffness * h)
        force, decay = np.zeros_like(bodies.shift), bodies.decay[:, [0, 0, 1]]
        driven = inverse > 0.0
        mass = np.where(driven, 1.0 / np.where(driven, inverse, 1.0), 1.0)  # what nothing drives moves on as if it had 1 kg
        by_momenta = options["state"] == "momenta"
        scale = mass if by_momenta else 1.0
        since, is_first = bodies.shift.copy(), True

        def rate(t: float, position: FloatArray, motion: FloatArray) -> FloatArray:
            nonlocal is_first
            bodies.shift[:], bodies.velocity[:] = position, motion / scale
            penalty_forces(bodies, contacts, joints, damping, ratio, since, stretch, stiffness, h, is_first, force, step.trace)
            is_first = False  # the first force of a sub-step is the one that is told
            gained: FloatArray = (bodies.push + force * inverse) * scale
            return gained

        for sub_step in range(n_steps):
            since[:], is_first = bodies.shift, True
            position, motion = integrate(rate, since, bodies.velocity * scale, h, 0.0, 1.0 / scale)
            bodies.shift[:], bodies.velocity[:] = position, motion / scale * decay
            slip(bodies, contacts, since, stretch, stiffness, h, sub_step, step.trace)
        return step.ended(bodies)

    def warm_share(self, settings: WorldSettings, options: Mapping[str, Any]) -> float:
        return 1.0 / int(options["sub_steps"])


METHOD = Penalty()


def _ratio_that_gives_back(restitution: FloatArray) -> FloatArray:
    """Return the damping ratio at which a spring gives back such a share of the speed; infinity where it is none."""
    given = np.log(np.clip(restitution, 1e-300, 1.0))
    found: FloatArray = np.where(restitution > 0.0, -given / np.hypot(math.pi, given), math.inf)
    return found
