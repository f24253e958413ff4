"""XPBD, position by position: `engine.dynamics.solvers._xpbd_kernel`."""

from __future__ import annotations

from engine.trace._impulses import SolverStepper, stack
from engine.trace.scene_case import SceneCase

__all__ = ["ALGORITHM", "Xpbd"]


class Xpbd(SolverStepper):
    """A step that corrects positions."""

    title = "XPBD: positions first, velocities from them"
    page = "solvers/xpbd.md#derivation"
    method = "xpbd"
    pseudo_code = (
        "repeat in each sub-step of h:",
        "  v = v + h (g + F / m)",
        "  x = x + h v",
        "  solve all joints",
        "  for each contact, each point:",
        "    overlaps by C: P = P - (C / h + s P) / (w + s), P >= 0",
        "    move the bodies apart by h P / m",
        "    if it has slid: move it back if that takes at most mu P",
        "  v = (x - x before) / h",
        "  for each point that was pushed:",
        "    its normal velocity is set by restitution",
        "    sliding friction slows it, by at most mu P",
    )
    sweep_word = "Sub-step"
    lines = {"free": 1, "fly": 2, "joints": 3, "placed": 5, "held": 7, "velocities": 8, "restored": 10, "slid": 11, "answer": 11}  # noqa: RUF012
    beside = ("avbd", "soft_step", "sequential_impulses")

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {"sub_steps": 2}, with_disc=False)


ALGORITHM = Xpbd()
