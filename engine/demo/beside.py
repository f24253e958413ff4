"""The same demo once more, driven by another solver, beside the first: two worlds at once.

    first     the demo that is watched: a `History` of it                   box2d       --i--|--i--|-----|
    second    the same class, seed and parameters, another solver           soft_step   --i--|--i--|-----|     i: the same inputs

The second has a history of its own, so its demo's code, hooks and controllers run on its own worlds. It gets every input that the
first gets, at the same step: parameters, restarts, keys, what is dropped, what the editor does. What the hand takes hold of in the
first, it takes hold of in the second, at the same point of the same body. Where the first goes back, the second goes back; where
something else is done in the first's past, the second forgets what was ahead. What the second refuses, for a body is not there, it does
without, and says so (`skipped`).

    history = History(find_demo("pyramid")())
    beside = Beside(history, "soft_step")
    history.step()                      # the second has taken it too: `beside` is a watcher of the history
    beside.demo.stages[0].world         # the second's world, beside history.demo.stages[0].world
    beside.follow()                     # after an input, an undo or a redo: once a frame is often enough
    beside.now, beside.pairs            # the step at which the second stands; the stages of both, in pairs: what a picture shows
    beside.distances                    # of every step: `metres`, `at(step)`, `parted` with its `reason`, `worst` (`engine.demo.apart`)
    beside.why()                        # why they parted: the referee of motion judges the steps before; some tenths of a second
    beside.energy()                     # both at the beginning and now, joules
    beside.skipped, beside.name(0, 3)   # what the second could not follow; what body 3 of stage 0 is called
    beside.close()                      # it follows no more

Both begin alike: the second is laid out for the first's solver, its gaps those of the first's skin (`DemoRun.built_for`). Two bodies are
one another's where stage and id are the same: worlds that are built by the same code give the same ids. A body that only one
world has is not compared, but counted (`distances.n_single`). The second's stages have the offsets of the first's, so that a point of the
picture means the same in both; who shows it elsewhere draws it moved.

A second that is made late plays all that has been: `longest_way` bounds what a call of `follow` may take, and `has_arrived` tells
whether it is there. What it is compared with on the way is the first played once more, to the bit as it was.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from engine.common.errors import LabError
from engine.demo.apart import TOLERANCE, Apart, Distances, Why
from engine.demo.base import Demo
from engine.demo.stage import Stage, StepPiece, WholeStep
from engine.demo.time_series import TimeSeries
from engine.history.branch import Branch
from engine.history.history import History, repeat
from engine.history.input_log import Input
from engine.world import World
from engine.world.solver import NamedValues

__all__ = ["Beside", "Energy", "Skipped"]


_MOST_JUDGED = 8
"""Steps before two bodies parted that the referee of motion judges: a step of a hundred bodies takes it a tenth of a second."""
_JUDGED = {"box2d", "soft_step"}
"""Between which solvers it judges."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something done to the first that the second refused, or could not follow; after `step` steps."""

    step: int
    action: str
    why: str


@dataclass(frozen=True, slots=True)
class Energy:
    """Joules of all worlds of a demo, of motion, spin and height, at the beginning of its history and where it stands."""

    start: float
    end: float


class Beside:
    """A second demo that follows a history; see the module.

    Parameters
    ----------
    first : History[Demo]
        Of a demo, from its beginning on; gets this as a watcher.
    solver : str
        What drives the second, one of `engine.world.solvers`.
    tolerance : float
        Metres from which on the two are said to have parted.
    series : TimeSeries, optional
        What is measured of the first, where somebody measures it already.
    solver_settings : pairs of str and float or str, optional
        Settings of the second's solver's own.

    Attributes
    ----------
    demo : Demo
        The second.
    history : History[Demo]
        Its history: to be read, not to be acted on.
    series : TimeSeries
        What is measured at every step of it.
    first_series : TimeSeries
        What is measured of the first.
    distances : Distances
        How far apart the two were after every step.
    longest_way : float
        Seconds that a call of `follow` may take, where the second is far behind; one step is always taken.

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
        series: TimeSeries | None = None,
        solver_settings: NamedValues | None = None,
    ) -> None:
        self.first = first
        self.solver = solver
        self.demo = _anew(first, solver, solver_settings)
        self.history = History(self.demo)
        self.series = TimeSeries(self.history)
        self.first_series = series if series is not None else TimeSeries(first)
        self._skipped: list[tuple[int, Skipped]] = []
        """What was skipped, with its place among what was done at its step; -1 of a step."""
        self.longest_way = math.inf
        self._branch = first.branch
        self._sources: list[list[Input]] = [[]]
        """What was done to the first, by step, as far as it has been done to the second; an input there for each here."""
        self.distances = Distances(tolerance)
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
    def has_arrived(self) -> bool:
        """Whether the second stands where the first stands."""
        first, history = self.first, self.history
        return first.branch is self._branch and (history.now, history.given) == (first.now, first.given)

    def follow(self) -> bool:
        """Bring the second to where the first stands; return whether it has arrived: a long way is gone in several calls."""
        first, history, start = self.first, self.history, perf_counter()
        if first.branch is not self._branch:
            self._leave_what_is_other(first.branch)
        if (history.now, history.given) > (first.now, first.given):
            history.go_to(first.now, first.given)
        while True:
            self._give(first.given if history.now == first.now else None)
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

    def _stepped(self, _: object) -> None:
        self.follow()

    def _leave_what_is_other(self, branch: Branch) -> None:
        """Forget what was done after the place up to which the first's course of events is the one that was followed."""
        step, given = _parting(self._sources, branch)
        self._branch, self._pace = branch, None
        if (step, given) == (len(self._sources) - 1, len(self._sources[-1])):
            return
        self.history.go_to(step, given)
        self.history.forget_ahead()
        del self._sources[step + 1 :]
        del self._sources[step][given:]
        self.distances.cut(step)
        self._skipped = [(k, one) for k, one in self._skipped if (one.step, k) < (step, given)]

    def _give(self, given: int | None) -> None:
        """Do what was done to the first at the step where the second stands: so much of it, or all."""
        history, step = self.history, self.history.now
        wanted, known = self._branch.inputs[step][:given], self._sources[step]
        if history.given < min(len(known), len(wanted)):
            history.go_to(step, min(len(known), len(wanted)))
        for one in wanted[len(known) :]:
            why = history.follow(_for_the_second(one))
            if why is not None and not one.is_refused:
                self._skipped.append((len(known), Skipped(step, one.action, str(why))))
            known.append(one)

    def _step(self) -> None:
        step, history = self.history.now + 1, self.history
        is_new = step == len(self._sources)
        try:
            history.step()
        except LabError as error:
            if is_new and not (self._skipped and self._skipped[-1][1].why == str(error)):
                self._skipped.append((-1, Skipped(step, "step", str(error))))
        if is_new:
            self._sources.append([])
        if step == len(self.distances):
            self._compare(step)

    def _compare(self, step: int) -> None:
        """Note how far apart the two are right after a step."""
        is_beside = self.first.now == step and not self.first.given
        self.distances.note(self.first.demo if is_beside else self._paced(step), self.demo)

    def _paced(self, step: int) -> Demo:
        """Return the first as it was right after a step."""
        if self._pace is None or self._pace_steps > step:
            self._pace, self._pace_steps = _anew(self.first, self.first.chosen_solver, self.first.chosen_settings), 0
        for k in range(self._pace_steps, step):
            for one in self._branch.inputs[k]:
                repeat(self._pace, one)
            with contextlib.suppress(LabError):  # as then
                self._pace.run.step()
        self._pace_steps = step
        return self._pace

    def _lay_out(self) -> None:
        """Let the second's worlds lie in the picture where the first's lie: a point of the picture is one of both."""
        for mine, theirs in self.pairs:
            theirs.offset, theirs.window = mine.offset, mine.window

    # -- what came of it ----------------------------------------------------------------------------------------------

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What the second refused, and the first did not; of a failure that lasts the first step."""
        return tuple(one for _, one in self._skipped)

    @property
    def pairs(self) -> Sequence[tuple[Stage, Stage]]:
        """The stages of both, in pairs: the first's, the second's."""
        return tuple(zip(self.first.demo.stages, self.demo.stages, strict=False))

    def name(self, stage: int, body: int) -> str:
        """Return what a body is called."""
        return self.first_series.name(stage, body)

    def why(self) -> Why | None:
        """Return why the two parted; None if they did not.

        The referee of motion judges the steps of the first up to there, `_MOST_JUDGED` at the most, each from equal states, with what
        was done to it and what the demo did before the step. Of those that leave the body with another velocity the one is taken that
        moves it farthest apart. Where there is none, or the two are not driven by the solvers that the referee knows, it is what the
        contacts show.
        """
        parted = self.distances.parted
        if parted is None:
            return None
        told = self._judged(parted) if {*self.first.demo.run.solvers, *self.demo.run.solvers} == _JUDGED else None
        return told if told is not None else self.distances.why

    def _judged(self, parted: Apart) -> Why | None:
        from engine.demo.judged_step import judged_step

        found: list[tuple[float, Why]] = []

        def judge(world: World) -> None:
            told = judged_step(world, parted.body)
            if told is not None:
                found.append(told)

        demo = _anew(self.first, self.first.chosen_solver, self.first.chosen_settings)
        for step in range(1, parted.step + 1):
            for one in self._branch.inputs[step - 1]:
                repeat(demo, one)
            if step > parted.step - _MOST_JUDGED and parted.stage < len(demo.stages):
                _before_its_step(demo.stages[parted.stage], judge)
            with contextlib.suppress(LabError):  # as then, or Box2D cannot take what is there
                demo.run.step()
        return max(found, key=lambda one: one[0])[1] if found else None

    def energy(self) -> tuple[Energy, Energy]:
        """Return the energy of all worlds of the first, and of the second, at the beginning and where they stand."""
        return _energy(self.first_series, self.first), _energy(self.series, self.history)


def _anew(first: History[Demo], solver: str | None, settings: NamedValues | None) -> Demo:
    """Return the demo of a history as it was at the beginning, laid out as that one and driven by `solver` with settings of its own."""
    built_for = first.demo.run.built_for or first.first_solver
    demo = type(first.demo)(first.demo.seed, first.first_values, solver=solver, built_for=built_for, solver_settings=settings)
    if solver == first.chosen_solver and demo.run.keeps_solver_state and not first.kept_solver_state:
        demo.run.keeps_solver_state = False
        demo.restart()
    demo.run.waits = first.waited
    demo.viewer.interactive = first.demo.viewer.interactive
    return demo


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


def _for_the_second(one: Input) -> Input:
    """Return what is to be done to the second: what the hand took hold of, it takes hold of, wherever that is now.

    What drives the first is no concern of the second's: in place of a change of that nothing is done, for each input has one here.
    """
    if one.action == "set_solver":
        return replace(one, action="release_key", arguments=("",))
    if one.held is None:
        return one
    return replace(one, action="hold", arguments=(*one.held, *one.arguments))


def _parting(known: Sequence[Sequence[Input]], branch: Branch) -> tuple[int, int]:
    """Return up to which step, and how many of the inputs there, what is known of a course of events is another one too."""
    for step, given in enumerate(known):
        theirs = branch.inputs[step]
        same = next((k for k, (a, b) in enumerate(zip(given, theirs, strict=False)) if a is not b), min(len(given), len(theirs)))
        if step == branch.last or same < max(len(given), len(theirs)):
            return step, same
    return len(known) - 1, len(known[-1])


def _energy(series: TimeSeries, history: History[Demo]) -> Energy:
    totals = [0.0, 0.0]
    for stage in range(len(history.demo.stages)):
        found = series.sums(stage)["total"]
        while len(found) <= min(history.now, series.last):  # of some steps at a time
            found = series.sums(stage)["total"]
        for k, step in enumerate((0, history.now)):
            totals[k] += 0.0 if math.isnan(found[step]) else float(found[step])
    return Energy(*totals)
