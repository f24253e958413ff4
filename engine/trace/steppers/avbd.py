"""AVBD, body by body: `engine.dynamics.solvers._avbd_kernel`."""

from __future__ import annotations

from engine.trace._impulses import SolverStepper, stack
from engine.trace.scene_case import SceneCase

__all__ = ["ALGORITHM", "Avbd"]


class Avbd(SolverStepper):
    """A step as a minimum of energy."""

    title = "AVBD: minimizing the energy, body by body"
    page = "solvers/avbd.md#derivation"
    method = "avbd"
    pseudo_code = (
        "y = where all bodies would be without contacts and joints",
        "start there, less the gravity carried by contacts",
        "repeat:",
        "  for each body alone, the others fixed:",
        "    Newton: (M / h^2 + sum k J^T J) dx = residual force",
        "  for each contact, each point:",
        "    f = max(f - k C, 0); friction within +- mu f",
        "    k = k + beta |C|, if it pushes",
        "v = (x - x before) / h",
        "apply restitution",
    )
    sweep_word = "Iteration"
    lines = {"free": 0, "fly": 1, "descent": 4, "dual": 6, "velocities": 8, "restored": 9, "answer": 8}  # noqa: RUF012
    beside = ("xpbd", "penalty", "sequential_impulses")

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {"iterations": 3})


ALGORITHM = Avbd()
