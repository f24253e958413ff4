"""The past of a demo: every input by step, the whole state at keyframes, and the way back, exact to the last bit.

    keyframe       keyframe       keyframe             tip
    |--i--i--------|---i----------|----------i---------|     i: inputs, in front of the next step
                                       now

A demo's state after a step is a function of the state before it and of the inputs in between: worlds are stepped by fixed
seconds, random numbers are part of the state, no clock is asked. So to go to a step, restore the last keyframe before it and give the
inputs and take the steps again. The demo brings its worlds into canonical form at every keyframe, or a world that came here by itself could
differ from one that was restored here in what a solver does not show (`World.canonicalize`).

Going back forgets nothing: what lies ahead is played again, until something else is done there; then a new branch begins, and the old
future is what `redo` returns to as long as nothing else was done since. A gesture, from the grip to the release, is undone as one.

Every step's hash is kept. A step taken again that has another hash is a fault of this program or of the demo: `divergence` says where
it was met first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from engine.common.checks import integer
from engine.common.errors import InvalidInputError, LabError
from engine.sim.action import Action, Input
from engine.sim.branch import Branch
from engine.sim.demo import Demo, DemoFaultError
from engine.sim.keyframes import Keyframes
from engine.sim.state_log import Divergence
from engine.world.solver import NamedValues

__all__ = ["History", "Start", "demo_hash", "repeat"]

_Demo = TypeVar("_Demo", bound=Demo)

_HASH_BYTES = 16
_NEAR = 120
"""Steps from a keyframe: twice as many as there mostly are between two, a tenth of a second of a hundred bodies."""


def demo_hash(demo: Demo) -> bytes:
    """Return a digest of all worlds of a demo, of the raw float bits of every body, of the parameters, and of what it keeps beside them."""
    digest = blake2b(digest_size=_HASH_BYTES)
    for stage in demo.stages:
        digest.update(stage.world.state_hash().encode())
    digest.update(repr(sorted(demo.values.items())).encode())
    digest.update(demo.beside_worlds())
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Start:
    """How a demo was made, at the beginning of its history.

    Attributes
    ----------
    values : dict
        Parameters.
    solver : str
        Solver of its worlds; of several, the first.
    chosen_solver, chosen_settings : str or None, pairs or None
        Solver, and its own settings, in place of those that the demo takes.
    keeps_solver_state : bool
        True if its worlds kept the whole state of their solver.
    waits : bool
        True if it waited for what comes in the background.
    is_shared : bool
        True if several users could come.
    """

    values: dict[str, float]
    solver: str
    chosen_solver: str | None
    chosen_settings: NamedValues | None
    keeps_solver_state: bool
    waits: bool
    is_shared: bool

    @classmethod
    def of(cls, demo: Demo) -> Start:
        """Return that of a demo as it stands."""
        sim = demo.sim
        return cls(
            dict(demo.values), sim.solvers[0], sim.solver, sim.solver_settings, sim.keeps_solver_state, bool(sim.waits), sim.is_shared
        )


@dataclass(frozen=True, slots=True)
class _Undone:
    """Start of an undo: a branch, and so many inputs after a step of it; and where the branch that it led to parts from that one."""

    branch: Branch
    step: int
    n_inputs: int
    parted: tuple[int, int]


class History(Generic[_Demo]):
    """Steps a demo, acts on it, and goes back and forth in what happened.

    Parameters
    ----------
    demo : Demo
        Between two steps. Everything that is done to it from now on goes through here.
    max_bytes : int or None
        Of keyframes; without, by the number of bodies (`engine.sim.keyframes`).

    Attributes
    ----------
    now : int
        Steps from the beginning of the history to where the demo stands.
    divergence : Divergence or None
    start : Start
    watchers : list of callable
        Called after every step, new or taken again: the demo stands after the step `now`.
    """

    def __init__(self, demo: _Demo, max_bytes: int | None = None) -> None:
        self.demo = demo
        self.now = 0
        self.start = Start.of(demo)
        self.divergence: Divergence | None = None
        self._branch = Branch()
        self._branch.states.note(demo, demo_hash(demo))
        self._n_applied = 0
        """Number of the inputs at `now` that have been applied."""
        self._keyframes = Keyframes(max_bytes)
        self._keyframes.add(0, demo)
        self._undone: list[_Undone] = []
        self.watchers: list[Callable[[History[_Demo]], object]] = []

    # -- reading ------------------------------------------------------------------------------------------------------

    @property
    def inputs_applied(self) -> int:
        """Number of the inputs at the step `now` that have been applied."""
        return self._n_applied

    @property
    def last(self) -> int:
        """The farthest step that happened."""
        return self._branch.last

    @property
    def branch(self) -> Branch:
        """The course of events; to be read, not to be changed. Another object after something was done in the past."""
        return self._branch

    @property
    def reached(self) -> int:
        """The farthest step that was taken here: less than `last` after `take_over`."""
        return self._branch.reached

    @property
    def at_tip(self) -> bool:
        """True if nothing lies ahead."""
        return self.now == self.last and self._n_applied == len(self._branch.inputs[self.now])

    @property
    def keyframes(self) -> Sequence[int]:
        """Steps from which others are reached."""
        return self._keyframes.steps

    @property
    def n_bytes(self) -> int:
        """Bytes of the keyframes."""
        return self._keyframes.n_bytes

    @property
    def inputs(self) -> tuple[tuple[Input, ...], ...]:
        """Everything done, by the number of steps taken before it."""
        return tuple(self._branch.inputs)

    def inputs_before(self, step: int) -> tuple[Input, ...]:
        """Return what was done right before a step, after the one before it."""
        return self._branch.inputs[self._checked(step) - 1] if step > 0 else ()

    @property
    def marks(self) -> tuple[int, ...]:
        """Steps before which something was begun: for a time line."""
        return tuple(self._branch.marks)

    @property
    def first_state(self) -> bytes:
        """The state at the beginning, compressed."""
        return self._keyframes.compressed(0)

    def hash_at(self, step: int) -> bytes:
        """Return the digest of the state right after a step."""
        return self._branch.states.hashes[self._checked(step)]

    def raw_at(self, step: int) -> bytes | None:
        """Return the raw float32 state of every body after a step that is a keyframe, or was one where it was recorded; else None."""
        raw = self._branch.states.raw.get(step)
        return self._keyframes.raw(step) if raw is None and step in self._keyframes else raw

    # -- going on -----------------------------------------------------------------------------------------------------

    def act(self, action: Action) -> Any:
        """Apply an action to the demo, now; return its result. What lay ahead is another branch from then on.

        One that changed nothing (False), such as a key that means nothing to the demo, is no part of the history.

        Raises
        ------
        InvalidInputError
            A field of the action is outside its range.
        LabError
            The demo refuses it. That is part of the history too, as is any other error of the demo: it fails again when applied again.
        """
        action = self.demo.sim.resolve(action)
        is_nothing = is_refused = False
        held = self.demo.grabbing
        try:
            result = self.demo.sim.act(action)
            is_nothing = result is False and self.demo.grabbing == held  # a grip at nothing lets go
        except Exception:
            is_refused = True
            raise
        finally:
            if not is_nothing:
                self._leave_ahead(action)
                self._branch.add(self.now, [Input(action, is_refused=is_refused)])
                self._n_applied += 1
        return result

    def follow(self, done: Input) -> LabError | None:
        """Apply what was done to another demo; return why this one refuses it, or None.

        It is part of the history in any case, even where it means nothing here: what was done there has its place here.
        """
        self._leave_ahead(done.action)
        self._branch.add(self.now, [done])
        self._n_applied += 1
        return repeat(self.demo, done)

    def step(self) -> None:
        """Take a step: the next of what lies ahead, or one that has not been yet.

        Raises
        ------
        LabError
            The demo's step failed; it counts as taken, and fails again when it is taken again. One that Ctrl-C breaks off does not:
            taken again it would go on to its end.
        """
        self.catch_up()
        try:
            self.demo.sim.step()
        except Exception:
            self._take_in(is_whole=False)
            raise
        self._take_in(is_whole=True)

    def catch_up(self) -> None:
        """Do what else was done at this step in the past: the demo stands as it did when time went on from here."""
        for done in self._branch.inputs[self.now][self._n_applied :]:
            repeat(self.demo, done)
        self._n_applied = len(self._branch.inputs[self.now])

    def _take_in(self, is_whole: bool) -> None:
        """Note what a step has come to, or compare it with what it came to before."""
        is_new = self.now == self.last
        self.now += 1
        self._n_applied = 0
        digest = demo_hash(self.demo)
        if is_new:
            self._branch.add_step()
            self._branch.states.note(self.demo, digest)
        elif digest != self._branch.states.hashes[self.now] and self.divergence is None:
            self.divergence = self._branch.states.divergence(self.now, self.demo)
        self._branch.reached = max(self._branch.reached, self.now)
        keyframes = self._keyframes
        if not self.demo.sim.is_keyframe:
            keyframes.tidy()
        elif is_whole and self.now not in keyframes and (is_new or keyframes.has_room()):
            keyframes.add(self.now, self.demo)  # broken off, it has not built its worlds anew
        for watch in self.watchers:
            watch(self)

    def take_over(self, branch: Branch) -> None:
        """Let what happened elsewhere, to a demo that began as this one, lie ahead.

        Raises
        ------
        InvalidInputError
            Something has happened here already.
        """
        if self.last > 0 or self._branch.inputs[0]:
            raise InvalidInputError("history", "one in which nothing has happened yet", self.last)
        if branch.states.hashes[0] != self._branch.states.hashes[0]:
            self.divergence = branch.states.divergence(0, self.demo)
        self._branch = branch
        self._n_applied = 0

    # -- going back ---------------------------------------------------------------------------------------------------

    def seek(self, step: int, on_step: Callable[[], object] | None = None) -> bool:
        """Go to a step that has been: the state right after it, before anything was done there; of the last one, after it.

        `on_step` is called after each step that is taken on the way: with True it stays there, for now. Return whether it has arrived.
        """
        return self._go(self._checked(step), None if step == self.last else 0, on_step)

    def go_to(self, step: int, n_inputs: int) -> None:
        """Go to a step that has been, with so many of the inputs there applied."""
        self._go(self._checked(step), n_inputs)

    def forget_ahead(self) -> None:
        """Leave what lies ahead: from here on another branch begins."""
        self._cut()

    def leave_lost_worlds(self) -> None:
        """Go back from worlds that were lost and could not be put back: to before the step or the input that did it, or to a keyframe."""
        here = min(self.now, self.last)
        keyframe = self._keyframes.latest(here)
        for step, n_inputs in ((here, None), (here, max(len(self._branch.inputs[here]) - 1, 0)), (keyframe, 0)):
            with contextlib.suppress(LabError):
                self._go_to_keyframe(keyframe)
                self._go(step, n_inputs)
            if not any(stage.world.is_lost for stage in self.demo.stages):
                break
        self._cut()

    def undo(self) -> bool:
        """Go back to before the last thing that was begun; False if there is none. It does not happen again unless `redo` asks for it."""
        for step in range(self.now, -1, -1):
            done = self._branch.inputs[step][: self._n_applied if step == self.now else None]
            for k in range(len(done) - 1, -1, -1):
                if done[k].begins:
                    self._undone.append(_Undone(self._branch, self.now, self._n_applied, (step, k)))
                    self._go(step, k)
                    self._cut()
                    return True
        return False

    def redo(self) -> bool:
        """Return to where the last `undo` started from; False if there is no such thing, or something else was done since."""
        if not self._undone:
            return False
        undone = self._undone.pop()
        if (self.now, self._n_applied) > undone.parted:  # time has gone on since: that is another course of events
            self._go_to_keyframe(self._keyframes.latest(undone.parted[0]))
        self._keyframes.cut(undone.parted[0])
        self._branch = undone.branch
        self._go(undone.step, undone.n_inputs)
        return True

    @property
    def can_undo(self) -> bool:
        """True if there is something to go back to before."""
        here = self._branch.inputs[self.now][: self._n_applied]
        return any(done.begins for done in here) or any(step < self.now for step in self._branch.marks[:1])

    @property
    def can_redo(self) -> bool:
        """True if `redo` has somewhere to go."""
        return bool(self._undone)

    def is_near(self, step: int) -> bool:
        """Return True if a step is soon reached: a keyframe is not far before it."""
        return step - self._keyframes.latest(step) <= _NEAR

    def visit(self, step: int, look: Callable[[], object]) -> None:
        """Go to where time went on from a step, with all that was done there, look, and come back."""
        here = self.now, self._n_applied
        try:
            self._go(self._checked(step), None)
            look()
        finally:
            self._go(*here)

    def verify(self) -> Divergence | None:
        """Play everything again from the beginning, without other keyframes, and return the first step that ends otherwise, if any."""
        here = self.now, self._n_applied
        self.divergence = None
        self._go_to_keyframe(0)
        with self.demo.sim.unchecked():
            while self.now < self.last:
                self._step_again()
        self.catch_up()
        self._go(*here)
        return self.divergence

    # -- inside -------------------------------------------------------------------------------------------------------

    def _checked(self, step: int) -> int:
        if not 0 <= integer("step", step, 0) <= self.last:
            raise InvalidInputError("step", f"from 0 to {self.last}", step)
        return step

    def _leave_ahead(self, action: Action) -> None:
        """Let what lies ahead be another branch; what was undone can be redone no more, unless the program has done this."""
        if not action.is_by_program:
            self._undone.clear()
        if not self.at_tip:
            self._cut()

    def _cut(self) -> None:
        """Leave what lies ahead: from here on another branch begins."""
        self._branch = self._branch.until(self.now, self._n_applied)
        self._keyframes.cut(self.now)

    def _go(self, step: int, n_inputs: int | None, on_step: Callable[[], object] | None = None) -> bool:
        """Go to a step with so many of the inputs there applied, or all; return True if it came so far."""
        n_inputs = len(self._branch.inputs[step]) if n_inputs is None else n_inputs
        nearest = self._keyframes.latest(step)
        if (self.now, self._n_applied) > (step, n_inputs) or nearest > self.now:
            self._go_to_keyframe(nearest)
        with self.demo.sim.unchecked():
            while self.now < step:
                self._step_again()
                if on_step is not None and on_step() is True and self.now < step:
                    break
        self.demo.sim.use_missing_referees()
        if self.now < step:
            return False
        for done in self._branch.inputs[step][self._n_applied : n_inputs]:
            repeat(self.demo, done)
        self._n_applied = n_inputs
        return True

    def _step_again(self) -> None:
        with contextlib.suppress(Exception):  # what failed fails again, in the same way; another end is a divergence
            self.step()

    def _go_to_keyframe(self, step: int) -> None:
        self._keyframes.restore(step, self.demo)
        self.now, self._n_applied = step, 0


def repeat(demo: Demo, done: Input) -> LabError | None:
    """Apply an input again; return why it fails, or None: a `DemoFaultError` if the demo itself raises another error."""
    try:
        demo.sim.act(done.action, done.user)
    except LabError as error:
        return error
    except Exception as error:
        return DemoFaultError(f"{type(error).__name__}: {error}")
    return None
