"""History of a demo: inputs by step and full states at keyframes, for bit-exact rewinding.

    keyframe       keyframe       keyframe             tip
    |--i--i--------|---i----------|----------i---------|     i: inputs, applied before the next step
                                       now

A demo's state after a step depends only on the state before it and the inputs between: time steps are fixed, random generators are part of
the state, and no clock is read. To go to a step, the history restores the latest keyframe before it, then repeats the inputs and steps.
The demo canonicalizes its worlds at every keyframe; otherwise a world that was stepped there could differ from one that was restored there
in hidden solver state (`World.canonicalize`).

Rewinding discards nothing: later steps are replayed until a different action is applied. Then a new branch begins, and `redo` returns to
the old one until another action is performed. A gesture, from grab to release, is undone as a whole.

The hash of every step is stored. If a repeated step has a different hash, which is a bug in this program or in the demo, `divergence`
records the first such step.
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
"""A step counts as near up to this many steps after a keyframe. This is twice the usual interval; replaying it takes 0.1 s with 100
bodies.
"""


def demo_hash(demo: Demo) -> bytes:
    """Return a digest of a demo that covers the exact state of its worlds, its parameters, and `Demo.beside_worlds`."""
    digest = blake2b(digest_size=_HASH_BYTES)
    for stage in demo.stages:
        digest.update(stage.world.state_hash().encode())
    digest.update(repr(sorted(demo.values.items())).encode())
    digest.update(demo.beside_worlds())
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Start:
    """Configuration of a demo at the beginning of its history.

    Attributes
    ----------
    values : dict
        Parameters.
    solver : str
        Solver of its worlds; if they differ, that of the first world.
    chosen_solver, chosen_settings : str or None, pairs or None
        Solver and solver-specific settings that replace the demo's defaults.
    keeps_solver_state : bool
        True if its worlds preserve the complete solver state.
    is_shared : bool
        True if several users can join.
    """

    values: dict[str, float]
    solver: str
    chosen_solver: str | None
    chosen_settings: NamedValues | None
    keeps_solver_state: bool
    is_shared: bool

    @classmethod
    def of(cls, demo: Demo) -> Start:
        """Return the configuration of a demo in its current state."""
        sim = demo.sim
        return cls(dict(demo.values), sim.solvers[0], sim.solver, sim.solver_settings, sim.keeps_solver_state, sim.is_shared)


@dataclass(frozen=True, slots=True)
class _Undone:
    """Position before an undo, for `redo`; `parted` is the (step, number of inputs) at which the new branch starts."""

    branch: Branch
    step: int
    n_inputs: int
    parted: tuple[int, int]


class History(Generic[_Demo]):
    """Steps a demo, applies actions to it, and moves backward and forward in its history.

    Parameters
    ----------
    demo : Demo
        The demo, between two steps. From now on, it must only be changed through the history.

    Attributes
    ----------
    now : int
        Number of the current step; 0 is the beginning of the history.
    divergence : Divergence or None
        First repeated step with a different result.
    start : Start
    watchers : list of callable
        Called with the history after every step, new or repeated.
    """

    def __init__(self, demo: _Demo) -> None:
        self.demo = demo
        self.now = 0
        self.start = Start.of(demo)
        self.divergence: Divergence | None = None
        self._branch = Branch()
        self._branch.states.note(demo, demo_hash(demo))
        self._n_applied = 0
        """Number of the inputs at `now` that have been applied."""
        self._keyframes = Keyframes()
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
        """Number of the last step in the history."""
        return self._branch.last

    @property
    def branch(self) -> Branch:
        """The current branch, read-only. It is replaced by a new object if an action is applied at an earlier step."""
        return self._branch

    @property
    def reached(self) -> int:
        """Last step that was computed here; may be less than `last` after `take_over`."""
        return self._branch.reached

    @property
    def at_tip(self) -> bool:
        """True if there are no later steps or inputs."""
        return self.now == self.last and self._n_applied == len(self._branch.inputs[self.now])

    @property
    def keyframes(self) -> Sequence[int]:
        """Steps of the keyframes, ascending."""
        return self._keyframes.steps

    @property
    def n_bytes(self) -> int:
        """Total size of the keyframes, bytes."""
        return self._keyframes.n_bytes

    @property
    def inputs(self) -> tuple[tuple[Input, ...], ...]:
        """All inputs; item k holds those applied after step k."""
        return tuple(self._branch.inputs)

    def inputs_before(self, step: int) -> tuple[Input, ...]:
        """Return the inputs applied between step ``step - 1`` and `step`."""
        return self._branch.inputs[self._checked(step) - 1] if step > 0 else ()

    @property
    def marks(self) -> tuple[int, ...]:
        """Steps after which an undoable action was applied; for the timeline."""
        return tuple(self._branch.marks)

    @property
    def first_state(self) -> bytes:
        """The compressed initial state."""
        return self._keyframes.compressed(0)

    def hash_at(self, step: int) -> bytes:
        """Return the digest of the state right after a step."""
        return self._branch.states.hashes[self._checked(step)]

    def raw_at(self, step: int) -> bytes | None:
        """Return the raw float32 state of all bodies after a step, or None if the step has no keyframe here or in the recording."""
        raw = self._branch.states.raw.get(step)
        return self._keyframes.raw(step) if raw is None and step in self._keyframes else raw

    # -- going forward ------------------------------------------------------------------------------------------------

    def act(self, action: Action) -> Any:
        """Apply an action to the demo at the current step and return its result. If there are later steps, a new branch begins.

        An action whose result is False, such as a key that the demo does not use, changes nothing and is not added to the history.

        Raises
        ------
        InvalidInputError
            A field of the action is out of range.
        LabError
            The demo rejects the action. Failed actions are part of the history too, and fail again when repeated.
        """
        action = self.demo.sim.resolve(action)
        is_nothing = is_refused = False
        held = self.demo.grabbing
        try:
            result = self.demo.sim.act(action)
            is_nothing = result is False and self.demo.grabbing == held  # grabbing at an empty point releases
        except Exception:
            is_refused = True
            raise
        finally:
            if not is_nothing:
                self._leave_ahead()
                self._branch.add(self.now, [Input(action, is_refused=is_refused)])
                self._n_applied += 1
        return result

    def follow(self, done: Input) -> LabError | None:
        """Apply an input of another history; return the error if this demo rejects it, or None.

        The input is added to this history in any case, so that the inputs of both correspond.
        """
        self._leave_ahead()
        self._branch.add(self.now, [done])
        self._n_applied += 1
        return repeat(self.demo, done)

    def step(self) -> None:
        """Advance by one step, repeating the next recorded step if there is one.

        Raises
        ------
        LabError
            The demo's step failed. It counts as a step, and fails again when repeated. A step interrupted by Ctrl-C does not count, because
            it would complete when repeated.
        """
        self.catch_up()
        try:
            self.demo.sim.step()
        except Exception:
            self._take_in(is_whole=False)
            raise
        self._take_in(is_whole=True)

    def catch_up(self) -> None:
        """Apply the remaining inputs of the current step, as they were applied before the next step."""
        for done in self._branch.inputs[self.now][self._n_applied :]:
            repeat(self.demo, done)
        self._n_applied = len(self._branch.inputs[self.now])

    def _take_in(self, is_whole: bool) -> None:
        """Record the result of a new step, or compare a repeated step's result with the recorded one."""
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
            keyframes.add(self.now, self.demo)  # after a failed step, worlds were not canonicalized
        for watch in self.watchers:
            watch(self)

    def take_over(self, branch: Branch) -> None:
        """Use a branch recorded elsewhere, from a demo with the same initial state, as the future of this history.

        Raises
        ------
        InvalidInputError
            This history already has steps or inputs.
        """
        if self.last > 0 or self._branch.inputs[0]:
            raise InvalidInputError("history", "a new history without steps or inputs", self.last)
        if branch.states.hashes[0] != self._branch.states.hashes[0]:
            self.divergence = branch.states.divergence(0, self.demo)
        self._branch = branch
        self._n_applied = 0

    # -- going back ---------------------------------------------------------------------------------------------------

    def seek(self, step: int, on_step: Callable[[], object] | None = None) -> bool:
        """Go to the state right after a step in the history, before its inputs; for the last step, after its inputs.

        `on_step` is called after each repeated step; if it returns True, the history stops there. Returns True if the step was reached.
        """
        return self._go(self._checked(step), None if step == self.last else 0, on_step)

    def go_to(self, step: int, n_inputs: int) -> None:
        """Go to a step in the history, with its first `n_inputs` inputs applied."""
        self._go(self._checked(step), n_inputs)

    def forget_ahead(self) -> None:
        """Discard later steps and inputs, and begin a new branch here."""
        self._cut()

    def leave_lost_worlds(self) -> None:
        """Recover from lost worlds by going back to the state before the failed step or input, or to the latest keyframe."""
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
        """Undo the last undoable action: go back to the state before it, and begin a new branch. Returns False if there is none."""
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
        """Return to the position before the last `undo`; False if there was no undo, or another action has been applied after it."""
        if not self._undone:
            return False
        undone = self._undone.pop()
        if (self.now, self._n_applied) > undone.parted:  # steps have been taken since the undo, on the new branch
            self._go_to_keyframe(self._keyframes.latest(undone.parted[0]))
        self._keyframes.cut(undone.parted[0])
        self._branch = undone.branch
        self._go(undone.step, undone.n_inputs)
        return True

    @property
    def can_undo(self) -> bool:
        """True if there is an action to undo."""
        here = self._branch.inputs[self.now][: self._n_applied]
        return any(done.begins for done in here) or any(step < self.now for step in self._branch.marks[:1])

    @property
    def can_redo(self) -> bool:
        """True if there is an undo to revert."""
        return bool(self._undone)

    def is_near(self, step: int) -> bool:
        """Return True if a step can be reached quickly, because a keyframe is shortly before it."""
        return step - self._keyframes.latest(step) <= _NEAR

    def visit(self, step: int, look: Callable[[], object]) -> None:
        """Go to a step with all of its inputs applied, call `look`, and return to the current position."""
        here = self.now, self._n_applied
        try:
            self._go(self._checked(step), None)
            look()
        finally:
            self._go(*here)

    def verify(self) -> Divergence | None:
        """Replay everything from the beginning, without keyframes; return the first step with a different result, or None."""
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

    def _leave_ahead(self) -> None:
        """Begin a new branch if there are later steps, and clear the redo stack."""
        self._undone.clear()
        if not self.at_tip:
            self._cut()

    def _cut(self) -> None:
        """Begin a new branch at the current position, without the later steps and keyframes."""
        self._branch = self._branch.until(self.now, self._n_applied)
        self._keyframes.cut(self.now)

    def _go(self, step: int, n_inputs: int | None, on_step: Callable[[], object] | None = None) -> bool:
        """Go to a step with its first `n_inputs` inputs applied, None for all; return True if it was reached."""
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
        with contextlib.suppress(Exception):  # a failed step fails again; a different result is a divergence
            self.step()

    def _go_to_keyframe(self, step: int) -> None:
        self._keyframes.restore(step, self.demo)
        self.now, self._n_applied = step, 0


def repeat(demo: Demo, done: Input) -> LabError | None:
    """Apply an input; return its error, or None. Exceptions other than `LabError` become a `DemoFaultError`."""
    try:
        demo.sim.act(done.action, done.user)
    except LabError as error:
        return error
    except Exception as error:
        return DemoFaultError(f"{type(error).__name__}: {error}")
    return None
