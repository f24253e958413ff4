"""The referee of motion: both engines take one step from equal states, and the causes of the difference are removed one by one.

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

Each line includes the changes of those above it, except for lines in brackets: removing inherited impulses makes the later lines worse if
they are not the cause, and friction is removed only if Box2D's own sweeps do not converge. In the last line both engines solve the same
problem, Box2D in float32 and `engine.dynamics.hard_step` in float64, so the remaining difference must be float32 rounding; otherwise the
body is unexplained. The cause of a body is the one whose removal reduced its difference most; it counts as shown if the last line, or one
before it, left no more than rounding may.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from engine.compare.allowances import pose_allowance, velocity_allowance
from engine.compare.motion.bodies import JudgedBodies
from engine.compare.motion.ladder import Ladder, Rung
from engine.compare.motion.states import EngineStates, StepResult, engine_states
from engine.compare.motion.verdict import MotionVerdict
from engine.world import World
from engine.world.hooks import PreSolveHook
from engine.world.snapshot import WorldSnapshot

__all__ = ["PoseCauses", "judge_states", "judge_step"]

_SHARE = 0.1
"""Maximum share of a difference of poses that may remain after its cause is removed."""

_PATIENCE = (1, 6)
"""Number of repetitions for initially unexplained differences, because large piles converge slowly."""


def judge_step(world: World | WorldSnapshot, pre_solve: PreSolveHook | None = None, solver: str | None = None) -> MotionVerdict:
    """Take one step of a world with each engine, and find why the results differ; the world itself is not changed.

    Parameters
    ----------
    world : World or WorldSnapshot
        World between two steps, with either engine.
    pre_solve : callable, optional
        Hook of the snapshot's world.
    solver : str, optional
        Which of our solvers is judged; see `engine_states`.

    Raises
    ------
    InvalidInputError
        Box2D does not support one of its shapes or joints.
    """
    return judge_states(engine_states(world, pre_solve, solver))


def judge_states(states: EngineStates) -> MotionVerdict:
    """Judge the step of two worlds whose states count as equal."""
    bodies = JudgedBodies(states)
    theirs, ours = states.steps()
    apart = theirs.velocity - ours.velocity
    base = velocity_allowance(bodies.speeds(theirs, ours), bodies.scale)
    differs = bodies.is_judged & (bodies.size(apart) > base)
    step, compared = states.box2d.step_index + 1, int(bodies.is_judged.sum())
    ways = PoseCauses(states, bodies, theirs, ours)
    if not differs.any():
        return MotionVerdict(step, compared, compared, (), ways.counts)
    ladder, bodies_verdicts = Ladder(states, bodies, Rung("", apart)), []
    for patience in _PATIENCE:
        ladder.descend(patience)
        verdicts = [(row, ladder.verdict(row, base)) for row in np.flatnonzero(differs).tolist()]
        bodies_verdicts = [replace(body_verdict, moved=float(ways.moved[row]), moved_by=ways.of(row)) for row, body_verdict in verdicts]
        if all(body_verdict.cause != "unexplained" for body_verdict in bodies_verdicts):
            break
    return MotionVerdict(step, compared, compared - len(bodies_verdicts), tuple(bodies_verdicts), ways.counts)


class PoseCauses:
    """Why the poses of bodies differ more than their velocities imply."""

    def __init__(self, states: EngineStates, bodies: JudgedBodies, theirs: StepResult, ours: StepResult) -> None:
        self.moved = bodies.size(theirs.pose - ours.pose)
        allowed = pose_allowance(bodies.speeds(theirs, ours), bodies.scale, bodies.dt)
        added = bodies.added(theirs) - bodies.added(ours)
        beyond = bodies.size(added)
        is_beyond = bodies.is_judged & (beyond > np.maximum(allowed, _SHARE * self.moved))
        self._names = np.where(bodies.is_judged & (self.moved > allowed), "velocity", "").astype(object)
        for cause, change in (("sleeping", EngineStates.all_awake), ("continuous", lambda states: states.with_settings(continuous=False))):
            if not is_beyond.any():
                return
            states = change(states)
            theirs, ours = states.steps()
            added = bodies.added(theirs) - bodies.added(ours)
            gone = is_beyond & (bodies.size(added) <= np.maximum(allowed, _SHARE * beyond))
            self._names[gone] = cause
            is_beyond &= ~gone
        held = bodies.held(np.concatenate([result.hard_contacts(False).fixtures for result in (theirs, ours)]))
        self._names[is_beyond & held] = "position_correction"
        mean = 0.5 * bodies.dt * (ours.velocity - bodies.velocity)
        is_mean = bodies.size(added - mean) <= np.maximum(allowed, _SHARE * bodies.size(added))
        self._names[is_beyond & ~held] = "unexplained"
        self._names[is_beyond & ~held & is_mean] = "integrator"

    def of(self, row: int) -> str:
        return str(self._names[row])

    @property
    def counts(self) -> Counter[str]:
        return Counter(name for name in self._names.tolist() if name)
