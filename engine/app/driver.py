"""Drivers of a session's actions and time: a local simulation with a history, or a client's copy of a shared simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, Protocol

from engine.app.clock import FixedClock
from engine.app.messages import Messages
from engine.app.timeline import Timeline
from engine.common.arrays import FloatArray
from engine.sim.actions import Action, GoAlone, KeepSolverState, PressKey, Release, ReleaseAll, ReleaseKey
from engine.sim.comparison import Comparison
from engine.sim.demo import Demo
from engine.sim.ids import called
from engine.sim.stage import Stage, StepTimes

__all__ = ["Driver", "LocalDriver"]

_STEPPING_BUDGET = 0.040
"""Maximum time spent on steps per frame, seconds; remaining steps are dropped, so that the window stays responsive."""
_MAX_FRAME_SECONDS = 1.0 / 15.0
"""Maximum simulated time per frame, seconds."""
_HAND = "the hand"
"""Name of the grabbed body in the set of keys to release."""


class Driver(Protocol):
    """Applies actions to a demo and advances it in time.

    Attributes
    ----------
    demo : Demo
    clock : FixedClock
    messages : Messages
        Receives messages about rejected actions and other events.
    timeline : Timeline
        The demo's past; without a history if the demo cannot be rewound.
    times : sequence of StepTimes
        Costs of the steps of the last `advance`.
    is_shared : bool
        True if other users share the world and its time.
    no_past : str
        Why the demo cannot be rewound; empty if it can.
    maker : str
        Prefix of the names of bodies created by hand: the user's name in a shared world, otherwise empty.
    """

    demo: Demo
    clock: FixedClock
    messages: Messages
    timeline: Timeline
    times: Sequence[StepTimes]

    @property
    def is_shared(self) -> bool: ...

    @property
    def no_past(self) -> str: ...

    @property
    def maker(self) -> str: ...

    @property
    def now(self) -> int:
        """Number of steps taken so far; -1 if steps are not counted."""

    def act(self, action: Action) -> Any:
        """Apply an action with undo; return its result."""

    def release_key(self, key: str) -> None:
        """Release a key of the demo."""

    def release(self) -> None:
        """Release the grabbed body."""

    def release_all(self) -> None:
        """Release all keys and the grabbed body."""

    def undo(self) -> None:
        """Undo the user's last action."""

    def advance(self, elapsed: float) -> int:
        """Take the steps due after `elapsed` real seconds; return their number."""

    def steps_between(self, n_edits: int) -> int:
        """Return the minimum number of steps between two changes of `n` edits each during a drag."""

    def called(self, kind: str, number: int) -> str:
        """Return the name of a body, fixture or joint."""

    def drawn(self, stage: Stage, poses: FloatArray) -> FloatArray:
        """Return the poses at which a stage's bodies are drawn."""


class LocalDriver:
    """Drives a local simulation.

    Parameters
    ----------
    demo : Demo
    clock : FixedClock
    has_history : bool
        Keep a history, so that everything can be undone.
    beside : callable
        Returns the comparison, if any, which must catch up before time advances.
    """

    is_shared = False
    no_past = "this demo has no history"
    maker = ""

    def __init__(self, demo: Demo, clock: FixedClock, has_history: bool, beside: Callable[[], Comparison | None]) -> None:
        self.demo, self.clock = demo, clock
        self.messages = Messages()
        self.timeline = Timeline(demo, clock, self.messages, has_history)
        self.times: Sequence[StepTimes] = ()
        self._beside = beside
        self._release_later: set[str] = set()

    @property
    def now(self) -> int:
        return -1 if self.timeline.history is None else self.timeline.history.now

    def act(self, action: Action) -> Any:
        """Apply an action with undo; return its result.

        An action in the past replaces the future, including the releases of keys held then; so these keys are released first.
        """
        history = self.timeline.history
        if isinstance(action, PressKey):
            self._release_later.discard(action.key)
        if history is None:
            return self.demo.sim.act(self.demo.sim.resolve(action))
        self.timeline.finish()
        if action.begins:
            self._go_alone()
        if action.begins and not history.at_tip and (self.demo.held or self.demo.grabbing):
            history.act(ReleaseAll())
        return history.act(action)

    def undo(self) -> None:
        self.timeline.undo()

    def release_key(self, key: str) -> None:
        """Release a key. A key held in the past stays held there, although the user no longer holds it: see `_release_at_the_end`."""
        if not self.timeline.is_now:
            self._release_later.add(key)
        elif key in self.demo.held:
            self.act(ReleaseKey(key))

    def release(self) -> None:
        if self.timeline.is_now:
            self.act(Release())
        else:
            self._release_later.add(_HAND)

    def release_all(self) -> None:
        if not self.timeline.is_now:
            self._release_later |= {*self.demo.held, _HAND}
        elif self.demo.held or self.demo.grabbing:
            self.act(ReleaseAll())

    def advance(self, elapsed: float) -> int:
        self._keep_solver_state()
        self._release_at_the_end()
        self.times = self._take_steps(self._due(elapsed), perf_counter()) if self.demo.sim.has_kernels else ()
        self.timeline.go_on()
        self.timeline.catch_up()
        return len(self.times)

    def steps_between(self, n_edits: int) -> int:
        return 0

    def called(self, kind: str, number: int) -> str:
        return called(kind, number)

    def drawn(self, stage: Stage, poses: FloatArray) -> FloatArray:
        return poses

    # -- inside -------------------------------------------------------------------------------------------------------

    def _go_alone(self) -> None:
        """Continue alone with a recording of a demo that several users shared."""
        if self.timeline.history is not None and self.demo.sim.is_shared:
            self.timeline.history.act(GoAlone())

    def _keep_solver_state(self) -> None:
        """Start keeping the solver's complete state once that becomes possible."""
        if not self.demo.sim.keeps_solver_state and self.demo.sim.has_whole_states and self.timeline.is_now:
            self.act(KeepSolverState())

    def _release_at_the_end(self) -> None:
        """At the end of the history, release what was released while the demo was in the past.

        A release in the past would replace the future and discard the later steps. This happens if the user rewinds with a key down, or
        leaves the window.
        """
        if self._release_later and self.timeline.is_now:
            for key in sorted(self._release_later & self.demo.held):
                self.act(ReleaseKey(key))
            if _HAND in self._release_later and self.demo.grabbing:
                self.act(Release())
            self._release_later.clear()

    def _due(self, elapsed: float) -> int:
        clock = self.clock
        clock.step_seconds = self.demo.step_seconds
        clock.max_steps = max(4, round(_MAX_FRAME_SECONDS * max(clock.speed, 1.0) / self.demo.step_seconds))
        beside = self._beside()
        is_waiting = self.timeline.is_on_the_way or not (beside is None or beside.is_caught_up)
        return self.timeline.limited(clock.advance(elapsed) if not is_waiting else 0)

    def _take_steps(self, due: int, start: float) -> list[StepTimes]:
        """Take steps until one fails or the frame that started at `start` has lasted too long; return their costs."""
        times: list[StepTimes] = []
        if due > 0 and self.timeline.is_now:
            self._go_alone()
        step = self.demo.sim.step if self.timeline.history is None else self.timeline.history.step
        while len(times) < due and self.timeline.guarded(step):
            other = self._beside()
            times.append(replace(self.demo.sim.times, beside=0.0 if other is None else other.demo.sim.times.step))
            if len(times) < due and perf_counter() - start > _STEPPING_BUDGET:
                self.clock.forgive(due - len(times))
                break
        return times
