"""Why one step from equal states leaves a body otherwise in one world than in the other, as the referee of motion shows it."""

from __future__ import annotations

import math

from engine.compare.motion import CAUSES
from engine.compare.motion.judge import judge_twins
from engine.compare.motion.states import Twins, twins_of
from engine.demo.apart import Why
from engine.world import World

__all__ = ["judged_step"]

_SHARE = 0.1
"""Of a distance: a cause without which more than this is left is not shown."""


def judged_step(world: World, body: int) -> tuple[float, Why] | None:
    """Return by how much the next step moves a body apart, metres, and why; None where it does not, or that is not shown.

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
    twins, step = twins_of(world), world.step_index + 1
    verdict = judge_twins(twins).of(body)
    if verdict is not None:
        left = dict(verdict.left).get(verdict.cause)
        without = "" if left is None else f", {left:.2g} m/s without that"
        about = f"{CAUSES[verdict.cause]} From equal states step {step} leaves it {verdict.size:.2g} m/s apart{without}."
        return verdict.moved, Why(verdict.cause, about, step)
    row, fall = world.row_of(body), math.hypot(*world.settings.gravity) * world.settings.dt**2
    away = _away(twins, row)
    left_over = _away(twins.with_settings(continuous=False), row)
    if left_over > max(_SHARE * away, fall):
        return None
    about = f"{CAUSES['continuous']} From equal states step {step} leaves it {away:.2g} m apart, {left_over:.2g} m without that."
    return (away, Why("continuous", about, step)) if away > 2.0 * fall + left_over else None


def _away(twins: Twins, row: int) -> float:
    """Return how far apart the step leaves a body, metres."""
    theirs, ours = twins.steps()
    return float(math.hypot(*(theirs.pose[row, :2] - ours.pose[row, :2])))
