"""PGS with NGS, the solver of Box2D 2.3, on contacts without skins; see `_pgs_ngs_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.limits import MAX_ITERATIONS
from engine.dynamics._island_kernel import islands
from engine.dynamics.methods._pgs_ngs_kernel import Planes, pgs_ngs
from engine.dynamics.methods.protocol import SLOP, Method, Problem, Setting
from engine.dynamics.model import SUM, Contacts, Joints

__all__ = ["METHOD", "PgsNgs", "joined"]


class PgsNgs(Method):
    """Velocity sweeps, then position sweeps, as in Box2D 2.3."""

    title = "PGS with NGS"
    settings = (
        Setting(
            "velocity_iterations", "Velocity iterations", 8, 1, MAX_ITERATIONS, is_whole=True, help="Sweeps over the velocities in a step."
        ),
        Setting(
            "position_iterations",
            "Position iterations",
            3,
            0,
            MAX_ITERATIONS,
            is_whole=True,
            help="Sweeps that correct positions after the velocities.",
        ),
        Setting("share", "Overlap corrected per sweep", 0.2, 0.0, 1.0, help="Fraction of an overlap that a sweep corrects."),
        SLOP,
        Setting("most", "Maximum correction per sweep", 0.2, 0.0, 10.0, unit="m", help="Largest correction of a sweep."),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        bodies, contacts, joints = step.bodies(step.dt), step.contacts, step.joints
        gap = step.rows.separation[step.solved[:, 0]]
        planes = _planes(contacts, gap)
        is_driven = np.ascontiguousarray((bodies.inverse > 0.0).any(axis=1))
        links = np.concatenate((contacts.bodies, joined(joints)))
        pgs_ngs(
            bodies, contacts, planes, np.maximum(gap, 0.0), step.restitution, joints, step.first_rows,
            islands(links, is_driven), step.threshold, step.dt,
            options["velocity_iterations"], options["position_iterations"], options["share"], options["slop"], options["most"],
            step.trace,
        )  # fmt: skip
        return step.ended(bodies)


def joined(joints: Joints) -> IntArray:
    """Return the rows of bodies connected by joints, int64 (n, 2); for gears and pulleys, those of body B of their terms."""
    is_sum = joints.kind == SUM
    return np.concatenate((joints.bodies[~is_sum], joints.bodies[joints.bodies[is_sum]][:, :, 1]))


def _planes(contacts: Contacts, gap: FloatArray) -> Planes:
    """Return the position constraints of contacts without skins; normals are those at the start of the step, except for round shapes."""
    out = contacts.radius[:, :, None] + 0.5 * gap[:, None, :]  # of A and B, per point: from the middle to the core
    along = contacts.normal[:, None, :]
    on_a, on_b = contacts.arm[:, :, :2] - out[:, 0, :, None] * along, contacts.arm[:, :, 2:] + out[:, 1, :, None] * along
    is_round = (contacts.n_points == 1) & (contacts.radius > 0.0).all(axis=1)
    apart = contacts.arm[:, 0, :2] - contacts.arm[:, 0, 2:]
    return Planes(is_round, contacts.n_points.copy(), contacts.normal, on_a, on_b, apart, contacts.radius.sum(axis=1))


METHOD = PgsNgs()
