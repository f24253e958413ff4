"""PGS with NGS, row by row: `engine.dynamics.solvers._pgs_ngs_kernel`."""

from __future__ import annotations

from engine.trace._impulses import SolverStepper, stack
from engine.trace.scene_case import SceneCase

__all__ = ["ALGORITHM", "PgsNgs"]


class PgsNgs(SolverStepper):
    """The step of Box2D 2.3, on contacts without skins."""

    title = "PGS with NGS: velocities, then positions"
    page = "solvers/pgs_ngs.md#how-it-works"
    method = "pgs_ngs"
    pseudo_code = (
        "v = v + dt (g + F / m)",
        "reapply the last step's impulses",
        "repeat velocity_iterations times:",
        "  solve all joints",
        "  for each contact:",
        "    each point, along the tangent: within +- mu P",
        "    two points along the normal, together:",
        "      K x + b >= 0, x >= 0, and in each row one is 0",
        "    a point alone: P = max(P - m (rate + bias), 0)",
        "x = x + dt v",
        "repeat position_iterations times, or until nothing overlaps much:",
        "  for each contact, each point: the current gap s",
        "    if deeper than the slop: move both apart by a fraction",
    )
    lines = {"free": 0, "warm": 1, "joints": 3, "tangent": 5, "pair": 7, "normal": 8, "move": 9, "apart": 12, "answer": 10}  # noqa: RUF012
    beside = ("sequential_impulses", "soft_step")

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {"velocity_iterations": 3, "position_iterations": 1})


ALGORITHM = PgsNgs()
