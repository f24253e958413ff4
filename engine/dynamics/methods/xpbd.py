"""Extended position-based dynamics; see `_xpbd_kernel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.common.arrays import FloatArray
from engine.common.events import traced
from engine.dynamics.methods._xpbd_kernel import xpbd
from engine.dynamics.methods.protocol import Method, Problem, Setting
from engine.world.specs import WorldSettings

__all__ = ["METHOD", "Xpbd"]


class Xpbd(Method):
    """Corrects positions, from which velocities follow."""

    title = "XPBD"
    settings = (
        Setting("sub_steps", "Sub-steps", 8, 1, 64, is_whole=True, help="Number of parts into which a step is divided."),
        Setting("iterations", "Iterations", 1, 1, 64, is_whole=True, help="Sweeps over all constraints in a sub-step."),
        Setting("contact_compliance", "Contact compliance", 1e-5, 0.0, 1e-2, unit="m/N", help="Inverse stiffness of contacts; 0 is rigid."),
        Setting("joint_compliance", "Joint compliance", 0.0, 0.0, 1e-2, unit="m/N", help="Inverse stiffness of joints; 0 is rigid."),
        Setting(
            "static_ratio",
            "Static / sliding friction",
            1.0,
            0.0,
            10.0,
            help="Ratio of static friction to the fixtures' friction, which acts while they slide.",
        ),
    )

    def solve(self, step: Problem, options: Mapping[str, Any]) -> FloatArray:
        n_steps = options["sub_steps"]
        bodies = step.bodies(step.dt / n_steps)
        traced(xpbd)(
            bodies, step.contacts, step.joints, step.restitution, step.threshold, step.dt, n_steps, options["iterations"],
            options["contact_compliance"], options["joint_compliance"], options["static_ratio"],
        )  # fmt: skip
        return step.ended(bodies)

    def warm_share(self, settings: WorldSettings, options: Mapping[str, Any]) -> float:
        return 1.0 / int(options["sub_steps"])


METHOD = Xpbd()
