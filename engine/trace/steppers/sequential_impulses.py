"""Sequential impulses, row by row: `engine.dynamics.solvers._sequential_impulses_kernel`."""

from __future__ import annotations

from engine.trace._impulses import SolverStepper, stack
from engine.trace.scene_case import SceneCase

__all__ = ["ALGORITHM", "SequentialImpulses"]


class SequentialImpulses(SolverStepper):
    """A step of Box2D-Lite."""

    title = "Sequential impulses: one impulse after the other"
    page = "solvers/sequential_impulses.md#how-it-works"
    method = "sequential_impulses"
    pseudo_code = (
        "v = v + dt (g + F / m)",
        "reapply the last step's impulses",
        "repeat:",
        "  solve all joints",
        "  for each contact, each point, along the normal:",
        "    P = max(P - m (rate + bias), 0)",
        "    apply the change of P to B, the opposite to A",
        "  for each point of it, along the tangent:",
        "    P_t = P_t - m_t rate, within +- mu P",
        "x = x + dt v",
    )
    lines = {"free": 0, "warm": 1, "joints": 3, "normal": 5, "tangent": 8, "answer": 9}  # noqa: RUF012
    beside = ("pgs_ngs", "soft_step", "xpbd")

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {"iterations": 3})


ALGORITHM = SequentialImpulses()
