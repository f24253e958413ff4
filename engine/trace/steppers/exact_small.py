"""Exact impulses of small scenes, set by set: `engine.dynamics.solvers.exact_small`."""

from __future__ import annotations

from engine.contracts.trace import TraceStep
from engine.trace._impulses import SolverStepper, stack
from engine.trace.scene_case import SceneCase
from engine.world import World

__all__ = ["ALGORITHM", "ExactSmall", "exact_small"]


class ExactSmall(SolverStepper):
    """A step whose constraints are solved without rounding."""

    title = "Exact, small scenes: sets of free rows"
    page = "solvers/exact_small.md#how-it-works"
    method = "exact_small"
    pseudo_code = (
        "v = v + dt (g + F / m)",
        "guess which rows are free, and which at a bound",
        "repeat:",
        "  solve in fractions: free rows neither approach nor slip",
        "  all pushes >= 0, frictions within mu P, none approaches:",
        "    that is the answer",
        "  else the next set, with as few changes as can be",
        "v = v + M^-1 J^T P",
        "x = x + dt v",
    )
    lines = {"free": 0, "set": 4, "applied": 7, "answer": 8}  # noqa: RUF012
    beside = ("sequential_impulses", "contact_forces")

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {})


ALGORITHM = ExactSmall()


def exact_small(world: World) -> list[TraceStep]:
    """Return the steps of the next step of a world, by exact impulses; the last has the states of all bodies after it."""
    return ALGORITHM.steps(SceneCase.of_world(world))
