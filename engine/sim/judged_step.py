"""Why two solvers differ after one step from equal states, as judged by the motion referee."""

from __future__ import annotations

from engine.compare.motion.bodies import JudgedBodies
from engine.compare.motion.judge import PoseCauses, judge_states
from engine.compare.motion.states import engine_states
from engine.compare.motion.verdict import CAUSES, POSE_CAUSES
from engine.sim.distances import Why
from engine.world import World

__all__ = ["judged_step"]

_BY_VELOCITY = "velocity"


def judged_step(world: World, body: int) -> tuple[float, Why] | None:
    """Return the distance between a body's positions after the next step in both solvers, meters, and its cause; None if it is only
    rounding.

    Parameters
    ----------
    world : World
        World between two steps, with Box2D or the soft step solver; not modified.
    body : int
        Id of the body.

    Raises
    ------
    LabError
        The body does not exist, or Box2D does not support the contents of the world.
    """
    states, step, row = engine_states(world), world.step_index + 1, world.row_of(body)
    causes = PoseCauses(states, JudgedBodies(states), *states.steps())
    away, cause = float(causes.moved[row]), causes.of(row)
    if not cause:
        return None
    about = f"Both solvers start step {step} from the same state, and their results are {away:.2g} m apart."
    verdict = judge_states(states).of(body) if cause == _BY_VELOCITY else None
    if verdict is not None:
        return away, Why(verdict.cause, f"{CAUSES[verdict.cause]} {about} {verdict.evidence}.", step)
    return away, Why(cause, f"{POSE_CAUSES[cause]} {about}", step)
