"""Penalty springs; see `_penalty_kernel`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import record, traced
from engine.dynamics.integrators import INTEGRATORS, ORDERS
from engine.dynamics.methods._penalty_kernel import give_back, penalty_forces, slip
from engine.dynamics.methods.protocol import Method, Problem, Setting
from engine.dynamics.solver_events import FREE, Stage
from engine.world.specs import WorldSettings

__all__ = ["METHOD", "Penalty"]


class Penalty(Method):
    """Springs and dampers push overlapping bodies apart; an integrator advances the bodies by their forces."""

    title = "Penalty springs"
    settings = (
        Setting("sub_steps", "Sub-steps", 16, 1, 256, is_whole=True, help="Number of parts into which a step is divided."),
        Setting("stiffness", "Stiffness", 1e4, 1.0, 1e9, unit="N/m", help="Spring constant of each contact point."),
        Setting("damping_ratio", "Damping ratio", 0.3, 0.0, 2.0, help="Damping of the springs; 1 is critical damping."),
        Setting(
            "integrator",
            "Integrator",
            "semi_implicit_euler",
            choices=tuple(INTEGRATORS),
            help="Method by which positions and velocities advance in a sub-step.",
        ),
        Setting(
            "state",
            "Integrated state",
            "velocities",
            choices=("velocities", "momenta"),
            help="Whether velocities or momenta are integrated; the results differ only by rounding.",
        ),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        n_steps, stiffness, ratio = options["sub_steps"], options["stiffness"], options["damping_ratio"]
        h, integrate = step.dt / n_steps, INTEGRATORS[options["integrator"]]
        bodies, contacts, joints, inverse = step.bodies(h), step.contacts, step.joints, step.inverse[:, [0, 0, 1]]
        contacts.total[:] = joints.total[:] = 0.0
        damping = np.minimum(ratio, _ratio_that_gives_back(step.restitution))
        stretch = -contacts.impulse[:, :, 1] / (stiffness * h)
        force, decay = np.zeros_like(bodies.shift), bodies.decay[:, [0, 0, 1]]
        of_points, of_rows = np.zeros_like(contacts.total), np.zeros_like(joints.total)
        driven = inverse > 0.0
        mass = np.where(driven, 1.0 / np.where(driven, inverse, 1.0), 1.0)  # bodies that are not driven move as if they had 1 kg
        scale = mass if options["state"] == "momenta" else np.ones_like(mass)
        is_euler = ORDERS[options["integrator"]] == 1
        since, before, is_first = bodies.shift.copy(), bodies.velocity.copy(), True
        n, no_impulses = bodies.shift.size, np.zeros(of_points.size + of_rows.size)

        def rate(t: float, position: FloatArray, motion: FloatArray) -> FloatArray:
            nonlocal is_first
            bodies.shift[:], bodies.velocity[:] = position[:n].reshape(-1, 3), motion[:n].reshape(-1, 3) / scale
            traced(penalty_forces)(
                bodies, contacts, joints, damping, ratio, since, stretch, stiffness, h, step.dt, force, of_points, of_rows, is_first,
            )  # fmt: skip
            is_first = False
            gained = (bodies.push + force * inverse) * scale
            return np.concatenate((gained, of_points, of_rows), axis=None)

        inverse_scale = np.concatenate((1.0 / scale, no_impulses), axis=None)
        for sub_step in range(n_steps):
            since[:], before[:], is_first = bodies.shift, bodies.velocity, True
            # impulses are integrated together with the motion to which they contribute; they have no position
            start, motion = np.append(since, no_impulses), np.concatenate((bodies.velocity * scale, no_impulses), axis=None)
            position, motion = integrate(rate, start, motion, h, 0.0, inverse_scale)
            moved, after = position[:n].reshape(-1, 3), motion[:n].reshape(-1, 3) / scale * decay
            impulses, given_rows = np.split(motion[n:], [of_points.size])
            contacts.impulse[:], joints.impulse[:] = impulses.reshape(of_points.shape), given_rows.reshape(of_rows.shape)
            contacts.total[:] += contacts.impulse
            joints.total[:] += joints.impulse
            record(Stage(FREE, sub_step, after, since))
            bodies.shift[:], bodies.velocity[:] = since if is_euler else 0.5 * (since + moved), after  # where the forces acted
            traced(give_back)(bodies, contacts, before, step.restitution, step.threshold, step.stiffness)
            bodies.shift[:] = np.where(bodies.velocity == after, moved, since + h * bodies.velocity)
            traced(slip)(bodies, contacts, since, stretch, stiffness, h, sub_step)
        return step.ended(bodies)

    def warm_share(self, settings: WorldSettings, options: Mapping[str, Any]) -> float:
        return 1.0 / int(options["sub_steps"])


METHOD = Penalty()


_RATIOS = np.linspace(0.0, 2.0, 2000)
"""Damping ratios up to the maximum setting, excluding 1."""
_ANGLES = np.arcsin(_RATIOS + 0.0j)
_GIVEN_BACK = np.exp(-((math.pi - 2.0 * _ANGLES) * np.tan(_ANGLES)).real)
"""Fraction of the speed that a spring returns for each of them; see `_penalty_kernel`."""


def _ratio_that_gives_back(restitution: FloatArray) -> FloatArray:
    """Return the damping ratio at which a spring returns this fraction of the speed, at most 2."""
    ratio: FloatArray = np.interp(-restitution, -_GIVEN_BACK, _RATIOS)
    return ratio
