"""Baraff's contact forces: `engine.dynamics.solvers.contact_forces`."""

from __future__ import annotations

from engine.contracts.trace import View
from engine.trace._impulses import SolverStepper, stack
from engine.trace.protocol import PLANE
from engine.trace.scene_case import SceneCase

__all__ = ["ALGORITHM", "ContactForces"]


class ContactForces(SolverStepper):
    """Sub-steps between collisions, with the forces of resting contacts."""

    title = "Contact forces: collisions in time, forces by pivoting"
    page = "solvers/contact_forces.md#how-it-works"
    method = "contact_forces"
    pseudo_code = (
        "until the step is over:",
        "  impulses where touching points approach",
        "  integrate, at each stage of RK4:",
        "    forces: a = A f + b >= 0, f >= 0, f a = 0",
        "      grow the next force, until a row",
        "      reaches its bound or is free: a pivot",
        "  if that makes anything overlap: halve the time and retry",
        "  move there",
    )
    views = (PLANE, View("impulses", "normal forces, both points", x="step", y="N"))
    lines = {"collision": 1, "forces": 3, "pivot": 4, "move": 7, "answer": 0, "free": 0, "warm": 0, "joints": 0, "normal": 1, "tangent": 1}  # noqa: RUF012
    beside = ("sequential_impulses",)

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {})


ALGORITHM = ContactForces()
