"""The same demo once more, driven by another solver, beside the first: two worlds at once, or more of them.

    first     the demo that is watched: a `History` of it                   box2d       --i--|--i--|-----|
    second    the same class, seed and parameters, another solver           soft_step   --i--|--i--|-----|     i: the same inputs
    third     the same, from a state of the first on                        box2d ------i--> soft_step --|

From the beginning the second is laid out for the first's solver and driven by its own. From a later state (`since`) it is the first once
more, to the bit, up to there, and then changes its solver, as an input of its own (`set_solver`): whatever its demo's code keeps beside the
worlds is as in the first. Its solver and that solver's settings are its own from there on; all else that is done to the first it follows.

The second has a history of its own, so its demo's code, hooks and controllers run on its own worlds. It gets every input that the
first gets, at the same step: parameters, restarts, keys, what is dropped, what the editor does. What the hand takes hold of in the
first, it takes hold of in the second, at the same point of the same body. Where the first goes back, the second goes back; where
something else is done in the first's past, the second forgets what was ahead. What the second refuses, for a body is not there, it does
without, and says so (`skipped`).

    history = History(find_demo("pyramid")())
    beside = Comparison(history, "soft_step")
    history.step()                      # the second has taken it too: `beside` is a watcher of the history
    beside.demo.stages[0].world         # the second's world, beside history.demo.stages[0].world
    beside.follow()                     # after an input, an undo or a redo: once a frame is often enough
    beside.now, beside.pairs            # the step at which the second stands; the stages of both, in pairs: what a picture shows
    beside.distances                    # of every step: `meters`, `at(step)`, `parted` with its `reason`, `worst` (`engine.sim.distances`)
    beside.why()                        # why they parted: the referee of motion judges the steps before; some tenths of a second
    beside.figures(), beside.first_figures()                # energy, overlap, what is out of place, a step's cost: of the second, the first
    beside.set_solver("soft_step", {"name": 1.0})           # of the second alone
    beside.skipped, beside.name(0, 3)   # what the second could not follow; what body 3 of stage 0 is called
    beside.close()                      # it follows no more

Both begin alike: the second is laid out for the skin of the first's solver (`Simulation.built_for`). Where something
else is done before the state from which they part, they part from there. Two bodies are
one another's where stage and id are the same: worlds that are built by the same code give the same ids. A body that only one
world has is not compared, but counted (`distances.n_single`). The second's stages have the offsets of the first's, so that a point of the
picture means the same in both; who shows it elsewhere draws it moved.

A second that is made late plays all that has been: `longest_way` bounds what a call of `follow` may take, and `is_caught_up` says
whether it is there. What it is compared with on the way is the first played once more, to the bit as it was.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TypeAlias

from engine.sim.actions import Action, Input, SetSolver
from engine.sim.branch import Branch
from engine.sim.demo import Demo
from engine.sim.distances import TOLERANCE, Apart, Distances, Why
from engine.sim.figures import Figures, demo_motion
from engine.sim.history import History, repeat
from engine.sim.ids import called
from engine.sim.motion_sums import Motion
from engine.sim.stage import Stage, StepPiece, WholeStep
from engine.world import World
from engine.world.fields import named_values
from engine.world.solver import NamedValues

__all__ = ["Comparison", "Skipped"]

_MAX_JUDGED = 8
"""Steps before two bodies parted that the referee of motion judges: a step of a hundred bodies takes it a tenth of a second."""
_JUDGED = {"box2d", "soft_step"}
"""Between which solvers it judges."""
_COSTS = 60
"""Steps over which the median of their times is taken."""
Settings: TypeAlias = Mapping[str, float | str] | NamedValues


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something done to the first that the second refused, or could not follow; after `step` steps."""

    step: int
    action: str
    why: str


class Comparison:
    """A second demo that follows a history; see the module.

    Parameters
    ----------
    first : History[Demo]
        Of a demo, from its beginning on; gets this as a watcher.
    solver : str
        What drives the second, one of `engine.world.solvers`.
    tolerance : float
        Meters from which on the two are said to have parted.
    since : (step, given), optional
        The state from which the second has its own solver: after a step that has been, with so many of the things done there. From
        the beginning without.
    solver_settings : mapping or pairs of str and float or str, optional
        Settings of that solver's own.

    Attributes
    ----------
    demo : Demo
        The second.
    history : History[Demo]
        Its history: to be read, not to be acted on.
    distances : Distances
        How far apart the two were after every step.
    longest_way : float
        Seconds that a call of `follow` may take, where the second is far behind; one step is always taken.
    since : (step, given)
        From which state on the second has its own solver.

    Raises
    ------
    LabError
        The solver cannot take the demo's worlds, or there is none of that name; the demo cannot be rewound.
    """

    def __init__(
        self,
        first: History[Demo],
        solver: str,
        tolerance: float = TOLERANCE,
        since: tuple[int, int] | None = None,
        solver_settings: Settings | None = None,
    ) -> None:
        self.first = first
        self.since = since if since is not None else (0, 0)
        self._own: list[tuple[int, int, Input]] = []
        """Inputs of the second alone: each with its step, and the number of inputs of the first there before it."""
        if since is not None:
            self._own.append((*self.since, Input(_switch(solver, solver_settings))))
        self._is_built = since is None
        """True if its worlds are its own solver's from the beginning."""
        self._built_by = solver
        built = (solver, _pairs(solver_settings)) if since is None else (first.start.chosen_solver, first.start.chosen_settings)
        self.demo = _anew(first, *built)
        self.history = History(self.demo)
        self._start: tuple[list[Motion], list[Motion]] | None = None
        """Motion of the first and of the second in the state from which they are compared; None while it has not been reached."""
        self._stopped = ""
        """Why its last step could not be taken."""
        self._skipped: list[tuple[int, Skipped]] = []
        """Skipped inputs, each with its place among the inputs of its step; -1 for a step."""
        self.longest_way = math.inf
        self._branch = first.branch
        self._sources: list[list[Input]] = [[]]
        """Inputs of the first, by step, as far as they have been applied to the second; an input there for each here."""
        self.distances = Distances(tolerance)
        self._costs: tuple[deque[float], deque[float]] = deque(maxlen=_COSTS), deque(maxlen=_COSTS)
        """Milliseconds of the last steps, of the first and of the second."""
        self._pace: Demo | None = None
        """The first once more, on a way that it has gone before the second: what the second's steps there are compared with."""
        self._pace_steps = 0
        self._compare(0)
        first.watchers.append(self._stepped)

    # -- following ----------------------------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        """Steps from the beginning of the history to where the second stands."""
        return self.history.now

    @property
    def is_caught_up(self) -> bool:
        """True if the second stands where the first stands."""
        first, history = self.first, self.history
        return first.branch is self._branch and (history.now, history.inputs_applied) == self._goal

    @property
    def _goal(self) -> tuple[int, int]:
        """Place at which the second must stand: after so many of its own inputs at the first's step."""
        return self.first.now, len(self._needed(self.first.now, self.first.inputs_applied))

    def follow(self) -> bool:
        """Bring the second to where the first stands; return whether it has arrived: a long way is gone in several calls."""
        first, history, start = self.first, self.history, perf_counter()
        if first.branch is not self._branch:
            self._leave_what_is_other(first.branch)
        if (history.now, history.inputs_applied) > self._goal:
            history.go_to(*self._goal)
        while True:
            self._apply(first.inputs_applied if history.now == first.now else None)
            if history.now == first.now:
                break
            self._step()
            if perf_counter() - start > self.longest_way and history.now < first.now:
                return False
        self._pace = None
        self._lay_out()
        return True

    def close(self) -> None:
        """Follow no more."""
        self.first.watchers.remove(self._stepped)

    def set_solver(self, solver: str, solver_settings: Settings | None = None) -> None:
        """Let another solver drive the second, or the same one with other settings; see `act`."""
        self.act(_switch(solver, solver_settings))

    def act(self, action: Action) -> None:
        """Apply an action to the second alone, where the first stands, or where they part if that lies ahead; `follow` does it.

        What was so done later is forgotten, and at the same place what this one takes the place of: the same setting's other value.
        """
        if self.first.branch is not self._branch:
            self._leave_what_is_other(self.first.branch)
        here = max((self.first.now, self.first.inputs_applied), self.since)
        earlier = [row for row in self._own if row[:2] < here]
        same_place = [row for row in self._own if row[:2] == here]
        self._own = [*earlier, *(row for row in same_place if action.target is None or row[2].action.target != action.target)]
        self._own.append((*here, Input(action)))
        self._forget_from(here[0])

    @property
    def solver(self) -> str:
        """Solver that drives the second from `since` on, as far as the first has come."""
        here = self.first.now, self.first.inputs_applied
        own = [done.action for *place, done in self._own if tuple(place) <= here or tuple(place) == self.since]
        names = [action.solver for action in own if isinstance(action, SetSolver)]
        return names[-1] if names else self._built_by

    def _stepped(self, _: object) -> None:
        self._costs[0].append(self.first.demo.sim.times.step)
        self.follow()

    def _leave_what_is_other(self, branch: Branch) -> None:
        """Forget what was done after the place up to which the first's course of events is the one that was followed."""
        last = len(self._sources) - 1
        parting = min(self._branch.parting(branch), (last, len(self._branch.inputs[last])))
        self._branch, self._pace = branch, None
        if parting < self.since:
            self._own = [(*parting, row[2]) for row in self._own if row[:2] == self.since]
            self.since, self._start = parting, None
        else:
            self._own = [row for row in self._own if row[:2] <= parting]
        self._forget_from(parting[0])

    def _forget_from(self, first_step: int) -> None:
        """Forget all that is no more as it is wanted, which is so from a step on."""
        for step in range(first_step, len(self._sources)):
            known, needed = self._sources[step], self._needed(step)
            same = next((k for k, (a, b) in enumerate(zip(known, needed, strict=False)) if a is not b), min(len(known), len(needed)))
            if step == self._branch.last or same < max(len(known), len(needed)):
                break
        else:
            return
        if (step, same) == (len(self._sources) - 1, len(known)):
            return
        self.history.go_to(step, same)
        self.history.forget_ahead()
        del self._sources[step + 1 :]
        del self._sources[step][same:]
        self.distances.cut(step)
        self._skipped = [(k, skipped) for k, skipped in self._skipped if (skipped.step, k) < (step, same)]

    def _needed(self, step: int, n_inputs: int | None = None) -> list[Input]:
        """Return what is to be done to the second at a step, after so many, or all, of the inputs of the first there."""
        firsts, needed = self._branch.inputs[step][:n_inputs], []
        own = [(k, done) for at, k, done in self._own if at == step]
        for k in range(len(firsts) + 1):
            needed += [done for place, done in own if place == k]
            if k < len(firsts) and (not isinstance(firsts[k].action, SetSolver) or (step, k) < self.since):
                needed.append(firsts[k])
        return needed

    def _apply(self, n_inputs: int | None) -> None:
        """Apply what follows, at the step where the second stands, from so many of the first's inputs, or from all."""
        history, step = self.history, self.history.now
        needed, known = self._needed(step, n_inputs), self._sources[step]
        if history.inputs_applied < min(len(known), len(needed)):
            history.go_to(step, min(len(known), len(needed)))
        for done in needed[len(known) :]:
            why = history.follow(done)
            if why is not None and not done.is_refused:
                self._skipped.append((len(known), Skipped(step, type(done.action).__name__, str(why))))
            known.append(done)

    def _step(self) -> None:
        step, history = self.history.now + 1, self.history
        is_new = step == len(self._sources)
        self._stopped = ""
        try:
            history.step()
        except Exception as error:  # the second's own; the first goes on
            self._stopped = str(error)
            if is_new and not (self._skipped and self._skipped[-1][1].why == str(error)):
                self._skipped.append((-1, Skipped(step, "step", str(error))))
        if is_new:
            self._sources.append([])
            self._costs[1].append(self.demo.sim.times.step)
        if step == len(self.distances):
            self._compare(step)

    def _compare(self, step: int) -> None:
        """Note how far apart the two are right after a step; before they part they are one."""
        if not self._is_built and step <= self.since[0]:
            first = self.demo
        else:
            first = self.first.demo if self.first.now == step and not self.first.inputs_applied else self._paced(step)
        self.distances.note(first, self.demo)
        if step == self.since[0]:
            self._start = demo_motion(first), demo_motion(self.demo)

    def _paced(self, step: int) -> Demo:
        """Return the first as it was right after a step."""
        if self._pace is None or self._pace_steps > step:
            self._pace, self._pace_steps = _anew(self.first, self.first.start.chosen_solver, self.first.start.chosen_settings), 0
        for k in range(self._pace_steps, step):
            _repeat_step(self._pace, self._branch.inputs[k])
        self._pace_steps = step
        return self._pace

    def _lay_out(self) -> None:
        """Let the second's worlds lie in the picture where the first's lie: a point of the picture is one of both."""
        for mine, theirs in self.pairs:
            theirs.offset, theirs.window = mine.offset, mine.window

    # -- what came of it ----------------------------------------------------------------------------------------------

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Inputs that the second refused and the first did not; of a failure that lasts, the first step."""
        return tuple(skipped for _, skipped in self._skipped)

    @property
    def pairs(self) -> Sequence[tuple[Stage, Stage]]:
        """The stages of both, in pairs: the first's, the second's."""
        return tuple(zip(self.first.demo.stages, self.demo.stages, strict=False))

    def name(self, stage: int, body: int) -> str:
        """Return the name of a body."""
        return self.distances.names.get((stage, body)) or called("body", body)

    def why(self) -> Why | None:
        """Return why the two parted; None if they did not.

        The referee of motion judges the steps of the first up to there, `_MAX_JUDGED` at the most, each from equal states, with what
        was done to it and what the demo did before the step. Of those that leave the body with another velocity the one is taken that
        moves it farthest apart. Where there is none, or the two are not driven by the solvers that the referee knows, it is what the
        contacts show.
        """
        parted = self.distances.parted
        if parted is None:
            return None
        is_judged = {*self.first.demo.sim.solvers, *self.demo.sim.solvers} == _JUDGED
        return (self._judged(parted) if is_judged else None) or self.distances.why

    def _judged(self, parted: Apart) -> Why | None:
        from engine.sim.judged_step import judged_step

        verdicts: list[tuple[float, Why]] = []

        def judge(world: World) -> None:
            verdict = judged_step(world, parted.body)
            if verdict is not None:
                verdicts.append(verdict)

        demo = _anew(self.first, self.first.start.chosen_solver, self.first.start.chosen_settings)
        for step in range(1, parted.step + 1):
            looks = step > max(parted.step - _MAX_JUDGED, self.since[0])
            _repeat_step(demo, self._branch.inputs[step - 1], (parted.stage, judge) if looks else None)
        return max(verdicts, key=lambda verdict: verdict[0])[1] if verdicts else None

    def figures(self) -> Figures:
        """Return the figures of the second."""
        return Figures.of(self.demo, self._starts[1], median(self._costs[1] or (0.0,)), self._stopped)

    def first_figures(self) -> Figures:
        """Return those of the first."""
        return Figures.of(self.first.demo, self._starts[0], median(self._costs[0] or (0.0,)))

    @property
    def _starts(self) -> tuple[list[Motion], list[Motion]]:
        if self._start is None:  # the second is the first up to there
            step = min(self.since[0], self.first.now)
            motion = demo_motion(self.first.demo if step == self.first.now else self._paced(step))
            return motion, motion
        return self._start


def _anew(first: History[Demo], solver: str | None, settings: NamedValues | None) -> Demo:
    """Return the demo of a history as it was at the beginning, laid out as that one and driven by `solver` with settings of its own."""
    start = first.start
    built_for = first.demo.sim.built_for or start.solver
    demo = type(first.demo)(first.demo.seed, start.values, solver=solver, built_for=built_for, solver_settings=settings)
    if solver == start.chosen_solver and demo.sim.keeps_solver_state and not start.keeps_solver_state:
        demo.sim.keeps_solver_state = False
        demo.restart()
    demo.sim.waits = start.waits
    if start.is_shared:
        demo.sim.users.open()
    demo.viewer.interactive = first.demo.viewer.interactive
    return demo


def _repeat_step(demo: Demo, inputs: Sequence[Input], look: tuple[int, Callable[[World], object]] | None = None) -> None:
    """Apply inputs, `look` at the world of a stage when it is about to step, and take the step; what failed before fails again."""
    for done in inputs:
        repeat(demo, done)
    if look is not None and look[0] < len(demo.stages):
        _before_its_step(demo.stages[look[0]], look[1])
    with contextlib.suppress(Exception):
        demo.sim.step()


def _before_its_step(stage: Stage, look: Callable[[World], object]) -> None:
    """Let the world of a stage be looked at once, when it is about to take its next step."""
    own = stage.stepper

    def pieces() -> Iterator[StepPiece]:
        stage.stepper = own
        look(stage.world)
        if own is not None:
            yield from own()
        else:
            yield WholeStep(stage.world.step())

    stage.stepper = pieces


def _switch(solver: str, solver_settings: Settings | None) -> SetSolver:
    return SetSolver(solver, _pairs(solver_settings))


def _pairs(solver_settings: Settings | None) -> NamedValues:
    return named_values("solver_settings", () if solver_settings is None else solver_settings)
