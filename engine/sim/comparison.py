"""Runs a second copy of a demo alongside the first, with the same inputs but another solver.

    first     the observed demo, a `History`                                box2d       --i--|--i--|-----|
    second    same class, seed and parameters, another solver               soft_step   --i--|--i--|-----|     i: the same inputs

The second has its own history, so the demo's code, hooks and controllers run on its own worlds. It gets every input of the first at the
same step, but changes of the solver: parameters, restarts, keys, drops, edits. A grab in the first grabs the same body at the same point
in the second. If the first rewinds, so does the second; if the first starts a new branch, the second discards its later steps. Inputs that
the second rejects, such as those that refer to a missing body, are listed in `skipped`.

    history = History(find_demo("pyramid")())
    beside = Comparison(history, "soft_step")
    history.step()                      # steps the second too: `beside` is a watcher of the history
    beside.demo.stages[0].world         # the second's counterpart of history.demo.stages[0].world
    beside.follow()                     # call it after an input, an undo or a redo; once per frame is enough
    beside.now, beside.pairs            # the second's current step; pairs of corresponding stages, for drawing
    beside.distances                    # per step: `meters`, `at(step)`, `run(step)`: where and why they parted (`engine.sim.distances`)
    beside.apart                        # the body that is farthest from its counterpart now
    beside.why()                        # cause of the divergence, from the motion referee; takes some tenths of a second
    beside.figures(), beside.first_figures()                # energy, overlap, displaced bodies, step cost: of the second, of the first
    beside.skipped, beside.name(0, 3)   # inputs that failed in the second; the name of body 3 of stage 0
    beside.close()                      # stop following

Both start from the same layout, which assumes the polygon skin of the first's solver (`Simulation.built_for`). Bodies correspond if stage
and id are equal: the same code creates bodies with the same ids. A body that only one demo has is not compared, but counted
(`distances.n_single`). The second's stages have the same offsets as the first's, so that a point in the view is the same world point in
both.

A comparison created late must replay the past; `longest_way` limits the time of each `follow` call, and `is_caught_up` is True once the
second has reached the first. While the second catches up, it is compared with a bit-exact replay of the first.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from engine.sim.actions import Input, SetSolver
from engine.sim.branch import Branch
from engine.sim.demo import Demo
from engine.sim.distances import Apart, Distances, Why, farthest
from engine.sim.figures import Figures, demo_motion
from engine.sim.history import History, repeat
from engine.sim.ids import called
from engine.sim.motion_sums import Motion
from engine.sim.stage import Stage, StepPiece, WholeStep
from engine.world import World
from engine.world.solver import NamedValues

__all__ = ["Comparison", "Skipped"]

_MAX_JUDGED = 8
"""Number of steps before the divergence that the motion referee judges; it needs 0.1 s for a step with a hundred bodies."""
_JUDGED = {"box2d", "soft_step"}
"""The two solvers that the motion referee supports."""
_COSTS = 60
"""Number of most recent steps over which the median step time is computed."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """An input that, after `step` steps, succeeded in the first but failed in the second; or a failed step (`action` is "step")."""

    step: int
    action: str
    why: str


class Comparison:
    """A second demo that follows a history; see the module.

    Parameters
    ----------
    first : History[Demo]
        History to follow; the comparison is added to its watchers.
    solver : str
        Solver of the second, one of `engine.world.solvers`.

    Attributes
    ----------
    demo : Demo
        The second demo.
    history : History[Demo]
        The second's history, read-only.
    distances : Distances
        Distances between corresponding bodies after every step.
    longest_way : float
        Time limit of a `follow` call while catching up, seconds; at least one step is always taken.
    solver : str
        Solver of the second.

    Raises
    ------
    LabError
        The solver is unknown or does not support the demo's worlds, or the demo cannot be rewound.
    """

    def __init__(self, first: History[Demo], solver: str) -> None:
        self.first, self.solver = first, solver
        self.demo = _anew(first, solver, ())
        self.history = History(self.demo)
        self._start: tuple[list[Motion], list[Motion]] | None = None
        """Motion of the first and of the second at the start; None until they are compared."""
        self._stopped = ""
        """Error message of the second's latest step; empty if it succeeded."""
        self._skipped: list[tuple[int, Skipped]] = []
        """Skipped inputs, each with its index among the inputs of its step; -1 for a failed step."""
        self.longest_way = math.inf
        self._branch = first.branch
        self._sources: list[list[Input]] = [[]]
        """Inputs already passed to the second, by step; they correspond one-to-one to the inputs of its history."""
        self.distances = Distances()
        self._costs: tuple[deque[float], deque[float]] = deque(maxlen=_COSTS), deque(maxlen=_COSTS)
        """Durations of the latest steps of the first and of the second, milliseconds."""
        self._pace: Demo | None = None
        """A replay of the first; while the second catches up, it is compared with this replay."""
        self._pace_steps = 0
        self._compare(0)
        first.watchers.append(self._stepped)

    # -- following ----------------------------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        """Current step of the second."""
        return self.history.now

    @property
    def is_caught_up(self) -> bool:
        """True if the second has reached the first's step and inputs."""
        first, history = self.first, self.history
        return first.branch is self._branch and (history.now, history.inputs_applied) == self._goal

    @property
    def _goal(self) -> tuple[int, int]:
        """Target position of the second: the first's step, and the number of the second's inputs there."""
        return self.first.now, len(self._needed(self.first.now, self.first.inputs_applied))

    def follow(self) -> bool:
        """Advance or rewind the second to the first's position; return False if more calls are needed (`longest_way`)."""
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
        """Stop following the first."""
        self.first.watchers.remove(self._stepped)

    def _stepped(self, _: object) -> None:
        self._costs[0].append(self.first.demo.sim.times.step)
        self.follow()

    def _leave_what_is_other(self, branch: Branch) -> None:
        """Switch to another branch of the first: discard the second's steps and inputs after the last shared position."""
        last = len(self._sources) - 1
        parting = min(self._branch.parting(branch), (last, len(self._branch.inputs[last])))
        self._branch, self._pace = branch, None
        self._forget_from(parting[0])

    def _forget_from(self, first_step: int) -> None:
        """Discard the second's history from its first outdated input on, searching from `first_step`."""
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
        """Return the inputs of the second at a step, given the first `n_inputs` inputs of the first demo there; None means all."""
        return [done for done in self._branch.inputs[step][:n_inputs] if not isinstance(done.action, SetSolver)]

    def _apply(self, n_inputs: int | None) -> None:
        """Apply the pending inputs at the second's current step, given `n_inputs` inputs of the first there; None means all."""
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
        except Exception as error:  # the error is the second's only; the first continues
            self._stopped = str(error)
            if is_new and not (self._skipped and self._skipped[-1][1].why == str(error)):
                self._skipped.append((-1, Skipped(step, "step", str(error))))
        if is_new:
            self._sources.append([])
            self._costs[1].append(self.demo.sim.times.step)
        if step == len(self.distances):
            self._compare(step)

    def _compare(self, step: int) -> None:
        """Record the distances right after a step."""
        first = self.first.demo if self.first.now == step and not self.first.inputs_applied else self._paced(step)
        self.distances.note(first, self.demo)
        if step == 0:
            self._start = demo_motion(first), demo_motion(self.demo)

    def _paced(self, step: int) -> Demo:
        """Return a replay of the first at the state right after a step."""
        if self._pace is None or self._pace_steps > step:
            self._pace, self._pace_steps = _anew(self.first, self.first.start.chosen_solver, self.first.start.chosen_settings), 0
        for k in range(self._pace_steps, step):
            _repeat_step(self._pace, self._branch.inputs[k])
        self._pace_steps = step
        return self._pace

    def _lay_out(self) -> None:
        """Copy stage offsets and windows from the first to the second, so that a point in the view is the same world point in both."""
        for mine, theirs in self.pairs:
            theirs.offset, theirs.window = mine.offset, mine.window

    # -- results ------------------------------------------------------------------------------------------------------

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Inputs that failed only in the second, and its failed steps; consecutive steps with the same error are listed once."""
        return tuple(skipped for _, skipped in self._skipped)

    @property
    def pairs(self) -> Sequence[tuple[Stage, Stage]]:
        """Pairs of corresponding stages, each consisting of the first's and the second's."""
        return tuple(zip(self.first.demo.stages, self.demo.stages, strict=False))

    def name(self, stage: int, body: int) -> str:
        """Return the name of a body for display."""
        return self.distances.names.get((stage, body)) or called("body", body)

    @property
    def apart(self) -> Apart | None:
        """The body that is farthest from its counterpart now; None while the second catches up, or if no bodies correspond."""
        return farthest(self.first.demo, self.demo, self.now) if self.is_caught_up else None

    def why(self) -> Why | None:
        """Return the cause of the divergence since the last restart; None if the two have not diverged.

        The motion referee judges up to `_MAX_JUDGED` of the first's steps before the divergence, each from equal states, including inputs
        and the demo's hooks. The step that moves the body farthest apart determines the cause. If no step does, or the referee does not
        support the solvers, the cause is what the distances show.
        """
        run = self.distances.run(self.now)
        if run.parted is None:
            return None
        is_judged = {*self.first.demo.sim.solvers, *self.demo.sim.solvers} == _JUDGED
        return (self._judged(run.parted, run.start) if is_judged else None) or run.why

    def _judged(self, parted: Apart, start: int) -> Why | None:
        from engine.sim.judged_step import judged_step

        verdicts: list[tuple[float, Why]] = []

        def judge(world: World) -> None:
            verdict = judged_step(world, parted.body)
            if verdict is not None:
                verdicts.append(verdict)

        demo = _anew(self.first, self.first.start.chosen_solver, self.first.start.chosen_settings)
        for step in range(1, parted.step + 1):
            looks = step > max(parted.step - _MAX_JUDGED, start)
            _repeat_step(demo, self._branch.inputs[step - 1], (parted.stage, judge) if looks else None)
        return max(verdicts, key=lambda verdict: verdict[0])[1] if verdicts else None

    def figures(self) -> Figures:
        """Return the second's figures."""
        return Figures.of(self.demo, self._starts[1], median(self._costs[1] or (0.0,)), self._stopped)

    def first_figures(self) -> Figures:
        """Return the first's figures."""
        return Figures.of(self.first.demo, self._starts[0], median(self._costs[0] or (0.0,)))

    @property
    def _starts(self) -> tuple[list[Motion], list[Motion]]:
        assert self._start is not None
        return self._start


def _anew(first: History[Demo], solver: str | None, settings: NamedValues | None) -> Demo:
    """Return a new copy of a history's demo, in its initial state and layout but with another solver and other settings."""
    start = first.start
    built_for = first.demo.sim.built_for or start.solver
    demo = type(first.demo)(first.demo.seed, start.values, solver=solver, built_for=built_for, solver_settings=settings)
    if solver == start.chosen_solver and demo.sim.keeps_solver_state and not start.keeps_solver_state:
        demo.sim.keeps_solver_state = False
        demo.restart()
    if start.is_shared:
        demo.sim.users.open()
    demo.viewer.interactive = first.demo.viewer.interactive
    return demo


def _repeat_step(demo: Demo, inputs: Sequence[Input], look: tuple[int, Callable[[World], object]] | None = None) -> None:
    """Apply inputs and step, ignoring errors. `look` is (stage, callable); it is called with that stage's world just before the step."""
    for done in inputs:
        repeat(demo, done)
    if look is not None and look[0] < len(demo.stages):
        _before_its_step(demo.stages[look[0]], look[1])
    with contextlib.suppress(Exception):
        demo.sim.step()


def _before_its_step(stage: Stage, look: Callable[[World], object]) -> None:
    """Call `look` with the world of a stage once, just before its next step."""
    own = stage.stepper

    def pieces() -> Iterator[StepPiece]:
        stage.stepper = own
        look(stage.world)
        if own is not None:
            yield from own()
        else:
            yield WholeStep(stage.world.step())

    stage.stepper = pieces
