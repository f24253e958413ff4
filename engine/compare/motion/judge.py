"""The referee of motion: from equal states both engines take one step, and the causes of the difference are removed, one by one.

::

    Box2D                             ours
    as it is                          as it is
    all awake, nobody sleeps          the same                              sleeping
    no continuous collision           the same                              continuous
    .                                 cut as Box2D cuts                     speed_cap
    nothing bounces                   the same                              restitution
    (no impulse inherited             the same                              warm_starting)
    sweeps until they agree           one step, sweeps until they agree     iterations
    .                                 damping as Box2D has it               integrator
    .                                 without pairs that Box2D has not      speculative
    .                                 Box2D's points, where axes agree      skin
    .                                 Box2D's contacts                      contacts
    .                                 limits and springs of joints as there joints
    .                                 one point of two that say the same    one_point
    .                                 sweeps that begin where Box2D's end   several_answers
    (no friction                      no friction                           unsettled)

Each line stands on those above it, but for those in brackets: without inherited impulses what follows is worse where they are not the
cause; and friction is taken away only where Box2D's own sweeps come to no end. In the last line both solve the same problem, Box2D in
float32 and `engine.dynamics.hard_step` in float64, and what is left must be float32's: else the body is unexplained. The cause of
a body is what took most of its difference away; that it was shown means that the last line, or one before it, left no more than rounding
may.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.compare.allowances import velocity_allowance
from engine.compare.motion.bodies import JudgedBodies
from engine.compare.motion.ladder import Ladder, Rung
from engine.compare.motion.poses import PoseCauses
from engine.compare.motion.states import Twins, twins_of
from engine.compare.motion.verdict import MotionVerdict
from engine.world import World
from engine.world.hooks import PreSolveHook
from engine.world.snapshot import WorldSnapshot

__all__ = ["judge_step", "judge_twins"]

_PATIENCE = (1, 6)
"""How many times that both may take: what stays unexplained at first is looked at again, for large piles settle slowly."""


def judge_step(world: World | WorldSnapshot, pre_solve: PreSolveHook | None = None, solver: str | None = None) -> MotionVerdict:
    """Let both engines take one step from where a world stands, and find why they part; the world stays as it is.

    Parameters
    ----------
    world : World or WorldSnapshot
        Between two steps, driven by either engine.
    pre_solve : callable, optional
        Of a snapshot's world.
    solver : str, optional
        Which of ours is judged; see `twins_of`.

    Raises
    ------
    InvalidInputError
        Box2D cannot take a shape or a joint of it.
    """
    return judge_twins(twins_of(world, pre_solve, solver))


def judge_twins(twins: Twins) -> MotionVerdict:
    """Judge the step of two worlds whose states count as equal."""
    bodies = JudgedBodies(twins)
    theirs, ours = twins.steps()
    apart = theirs.velocity - ours.velocity
    base = velocity_allowance(bodies.speeds(theirs, ours), bodies.scale)
    differs = bodies.is_judged & (bodies.size(apart) > base)
    step, compared = twins.box2d.step_index + 1, int(bodies.is_judged.sum())
    ways = PoseCauses(twins, bodies, theirs, ours)
    if not differs.any():
        return MotionVerdict(step, compared, compared, (), ways.counts)
    ladder, bodies_verdicts = Ladder(twins, bodies, Rung("", apart)), []
    for patience in _PATIENCE:
        ladder.descend(patience)
        verdicts = [(row, ladder.verdict(row, base)) for row in np.flatnonzero(differs).tolist()]
        bodies_verdicts = [replace(body_verdict, moved=float(ways.moved[row]), moved_by=ways.of(row)) for row, body_verdict in verdicts]
        if all(body_verdict.cause != "unexplained" for body_verdict in bodies_verdicts):
            break
    return MotionVerdict(step, compared, compared - len(bodies_verdicts), tuple(bodies_verdicts), ways.counts)
