"""Shock propagation, pair by pair: `engine.dynamics.solvers._shock_propagation_kernel`."""

from __future__ import annotations

from engine.trace._impulses import SolverStepper, stack
from engine.trace.scene_case import SceneCase

__all__ = ["ALGORITHM", "ShockPropagation"]


class ShockPropagation(SolverStepper):
    """Impulses pair by pair, and layers that freeze from the ground up."""

    title = "Shock propagation"
    page = "solvers/shock_propagation.md#a-step"
    method = "shock_propagation"
    pseudo_code = (
        "collide pairs that would overlap, with the old velocities",
        "v = v + dt (g + F / m)",
        "repeat, e rising from -0.8 to 0:",
        "  solve all joints",
        "  for each contact from the ground up:",
        "    both points: K P = -(1 + e) u, neither pulls",
        "    friction: static if within the cone, else mu P",
        "layer by layer from the ground up: the same,",
        "  with infinite mass below each pair",
        "x = x + dt v",
        "move overlapping bodies apart, velocities unchanged",
    )
    lines = {"free": 1, "joints": 3, "collide": 5, "move": 9, "apart": 10, "answer": 10}  # noqa: RUF012
    beside = ("sequential_impulses",)

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {"sweeps": 3, "push_sweeps": 1})


ALGORITHM = ShockPropagation()
