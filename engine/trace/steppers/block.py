"""Blocks in place of rows: `engine.dynamics.solvers._block_kernel`."""

from __future__ import annotations

from engine.contracts.trace import TraceStep
from engine.trace._impulses import SolverStepper, stack
from engine.trace.scene_case import SceneCase
from engine.world import World

__all__ = ["ALGORITHM", "Block", "block"]


class Block(SolverStepper):
    """A step in sub-steps, in which both points of a contact are solved together."""

    title = "Block solver: both points of a contact at once"
    page = "solvers/block.md#two-points"
    method = "block"
    pseudo_code = (
        "repeat in each sub-step of h:",
        "  v = v + h (g + F / m)",
        "  apply the impulses of the last sub-step again",
        "  solve all joints, trees of them at once",
        "  for each contact, softly:",
        "    both points along the normal, together:",
        "      K x + b >= 0, x >= 0, and one of each is 0",
        "    a point alone: P = max(P - share m (rate + bias) - kept P, 0)",
        "    each point along the tangent: within +- mu P",
        "  x = x + h v",
        "  once more, without what pushes apart (relaxation)",
        "what was approached at v, and has pushed, leaves at -e v",
    )
    sweep_word = "Sub-step"
    lines = {"free": 1, "warm": 2, "joints": 3, "pair": 6, "normal": 7, "tangent": 8, "move": 9, "bounce": 11, "answer": 11}  # noqa: RUF012
    beside = ("soft_step", "pgs_ngs", "sequential_impulses")

    @property
    def example(self) -> SceneCase:
        return stack(self.method, {"sub_steps": 2})


ALGORITHM = Block()


def block(world: World) -> list[TraceStep]:
    """Return the steps of the next step of a world, by the block solver; the last has the states of all bodies after it."""
    return ALGORITHM.steps(SceneCase.of_world(world))
