"""Penalty springs, force by force: `engine.dynamics.solvers._penalty_kernel`."""

from __future__ import annotations

from engine.contracts.trace import View
from engine.trace._impulses import SolverStepper, stack
from engine.trace.protocol import PLANE
from engine.trace.scene_case import SceneCase

__all__ = ["ALGORITHM", "PenaltySprings"]


class PenaltySprings(SolverStepper):
    """A step of springs and dampers."""

    title = "Penalty springs"
    page = "solvers/penalty.md#derivation"
    method = "penalty"
    pseudo_code = (
        "repeat in each sub-step of h:",
        "  for each contact, each point that overlaps by d:",
        "    F = max(k d - c d', 0)",
        "    F_t = -k stretch - c_t slip, within +- mu F",
        "    pull the joints together by springs",
        "  v = v + h (g + F / m), x = x + h v, or another integrator",
        "  limit the energy returned to e^2 of the energy absorbed",
    )
    views = (PLANE, View("impulses", "normal forces, both points", x="step", y="N"))
    sweep_word = "Sub-step"
    lines = {"force": 2, "move": 5, "restored": 6, "answer": 6}  # noqa: RUF012
    beside = ("sequential_impulses", "xpbd", "avbd")

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {"sub_steps": 5})


ALGORITHM = PenaltySprings()
