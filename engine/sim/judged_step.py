"""Why one step from equal states leaves a body elsewhere in one world than in the other, as the referee of motion shows it."""

from __future__ import annotations

from engine.compare.motion.bodies import JudgedBodies
from engine.compare.motion.judge import judge_twins
from engine.compare.motion.poses import PoseCauses
from engine.compare.motion.states import twins_of
from engine.compare.motion.verdict import CAUSES, WAYS
from engine.sim.distances import Why
from engine.world import World

__all__ = ["judged_step"]

_BY_VELOCITY = "velocity"


def judged_step(world: World, body: int) -> tuple[float, Why] | None:
    """Return by how much the next step moves a body apart, meters, and why; None where both leave it where rounding may.

    Parameters
    ----------
    world : World
        Between two steps, driven by Box2D or by the soft step; it stays as it is.
    body : int
        Its id.

    Raises
    ------
    LabError
        There is no such body, or Box2D cannot take what is in the world.
    """
    twins, step, row = twins_of(world), world.step_index + 1, world.row_of(body)
    ways = PoseCauses(twins, JudgedBodies(twins), *twins.steps())
    away, cause = float(ways.moved[row]), ways.of(row)
    if not cause:
        return None
    about = f"From equal states step {step} leaves it {away:.2g} m apart."
    verdict = judge_twins(twins).of(body) if cause == _BY_VELOCITY else None
    if verdict is not None:
        return away, Why(verdict.cause, f"{CAUSES[verdict.cause]} {about} {verdict.evidence}.", step)
    return away, Why(cause, f"{WAYS[cause]} {about}", step)
