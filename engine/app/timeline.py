"""The past of a running demo: its present step in the history, and moving to another step.

Time is paused while the demo moves to another step. A long move takes several frames, so that the window stays responsive; an action
during the move first completes it (`finish`). If the demo fails, it is paused and the reason is shown (`failure`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter

from engine.app.clock import FixedClock
from engine.app.messages import Message, Messages
from engine.app.time_series import TimeSeries
from engine.common.errors import LabError
from engine.render import palette
from engine.sim.demo import Demo
from engine.sim.history import History
from engine.sim.ids import readable
from engine.sim.recordings.verifying import divergence_words
from engine.sim.state_log import Divergence

__all__ = ["Timeline"]


class Timeline:
    """A demo's history, and the demo's present step in it.

    Parameters
    ----------
    demo : Demo
    clock : FixedClock
        Paused during moves to another step.
    messages : Messages
        Receives messages about moves to another step.
    has_history : bool
        Keep a history, so that everything can be undone.

    Attributes
    ----------
    failure : str
        Why the demo stopped; empty without a failure.
    history : History[Demo] or None
        The demo's history; None if the demo is only viewed or cannot be rewound.
    series : TimeSeries or None
        Measurements of every step of the history; None without a history.
    watched : (stage, body) or None
        The body that plots and the log show: the index of its stage in the demo, and its id.
    longest_way : float
        Maximum time per frame for moving to another step, seconds; infinite in a headless run, which waits.
    """

    def __init__(self, demo: Demo, clock: FixedClock, messages: Messages, has_history: bool) -> None:
        self._demo, self._clock, self._messages = demo, clock, messages
        self.failure = ""
        self.history: History[Demo] | None = None
        self.series: TimeSeries | None = None
        self.watched: tuple[int, int] | None = None
        self.longest_way = math.inf
        self._way: tuple[int, int] | None = None
        """The step to which the demo is moving, and the one it has reached. Another move meanwhile, such as a film's, cancels it."""
        self._stop_at: int | None = None
        """The step at which the demo pauses once."""
        self._reported: Divergence | None = None
        self._nothing: Message | None = None
        """Message that there was nothing to undo or redo; true until the demo moves to another step."""
        if has_history:
            try:
                self.history = History(demo)
                self.series = TimeSeries(self.history)
            except LabError as error:
                self.history = None
                self.failure = str(error)

    @property
    def is_now(self) -> bool:
        """True if the demo is at the newest step."""
        return self.history is None or self.history.at_tip

    @property
    def clock_words(self) -> str:
        """Time and step of the first world since the last restart."""
        world, (start, first) = self._demo.stages[0].world, self._demo.clock_start
        return f"{world.time - start:.2f} s, step {world.step_index - first}"

    @property
    def moment(self) -> str:
        """`clock_words`, and the timeline's step if a restart makes it differ."""
        step = self._demo.stages[0].world.step_index - self._demo.clock_start[1]
        is_other = self.history is not None and self.history.now != step
        return f"{self.clock_words} ({self.history.now} on the timeline)" if self.history is not None and is_other else self.clock_words

    def seek(self, step: int) -> None:
        """Pause, and move to a past step; at a step from which time went on, the changes made there are included.

        A long move takes several frames, with `longest_way` seconds in each.
        """
        if self.history is not None:
            self._way = min(max(step, 0), self.history.last), self.history.now
            self._travel(self._go_a_part)

    def back(self) -> None:
        """Pause, and go back one step."""
        if self.history is not None:
            self.seek(self.history.now - 1)

    def play_from(self, step: int, end: int) -> None:
        """Play the history between two steps, and pause at the end; moving to the first begins in the next frame."""
        if self.history is not None:
            self._way, self._stop_at = (step, self.history.now), end
            self._clock.paused = False

    def limited(self, due: int) -> int:
        """Return how many of the due steps may be taken: none beyond the step at which to pause."""
        return due if self._stop_at is None or self.history is None else min(due, max(self._stop_at - self.history.now, 0))

    def stop_at_the_end(self) -> None:
        """Pause at the requested step, and show a message."""
        if self._stop_at is not None and self.history is not None and self.history.now >= self._stop_at:
            self._stop_at = None
            self._clock.paused = True
            unknown = " beyond the recorded steps" if self.is_now else ""
            self._messages.say(f"The recording ends here. Space continues{unknown}.")

    def to_the_end(self) -> None:
        """Move to the newest step, from which a running demo continues."""
        paused = self._clock.paused
        if self.history is not None:
            self.seek(self.history.last)
        self._clock.paused = paused

    def undo(self) -> None:
        """Pause, and move to the moment before the last action."""
        self.finish()
        if self.history is not None and self.history.can_undo:
            self._travel(History.undo)
            self._watch_what_is_there()
        else:
            self._nothing = self._messages.answer("There is nothing to undo.")

    def redo(self) -> None:
        """Pause, and return to where the last undo started."""
        self.finish()
        if self.history is not None and self.history.can_redo:
            self._travel(History.redo)
        else:
            self._nothing = self._messages.answer("There is nothing to redo.")

    def _travel(self, go: Callable[[History[Demo]], object]) -> None:
        """Move to another moment of the history; report if the repeated steps differ from the first time."""
        history = self.history
        if history is None:
            return
        self.failure = ""
        if self._nothing is not None:
            self._messages.take_back(self._nothing)
        self.guarded(lambda: go(history))
        self.catch_up()
        self._clock.reset()
        self._clock.paused = True

    def _watch_what_is_there(self) -> None:
        """Stop watching a body whose creation was undone, because a new body may get its id."""
        if self.watched is not None and not self._demo.sim.has_body(*self.watched):
            self.watched = None

    def _go_a_part(self, history: History[Demo]) -> None:
        """Continue moving, within a frame's time."""
        if self._way is None:
            return
        goal, start = self._way[0], perf_counter()
        self._way = None  # ends the move if it fails
        if history.seek(goal, lambda: perf_counter() - start > self.longest_way):
            self._messages.end_passing()
        else:
            self._way = goal, history.now
            self._messages.answer(f"Going to step {goal}; now at {history.now}", is_passing=True)

    def go_on(self) -> None:
        """Continue moving at the end of a frame; a pause requested meanwhile stays.

        A repeated step that came out differently is reported.
        """
        if self.is_on_the_way:
            paused = self._clock.paused
            self._travel(self._go_a_part)
            self._clock.paused = paused
        else:
            self.finish()
        divergence = None if self.history is None else self.history.divergence
        if divergence is not None and divergence is not self._reported:
            self._reported = divergence
            self._messages.say(readable(divergence_words(divergence)), palette.UNEXPLAINED)

    def finish(self) -> None:
        """Finish moving at once, because an action follows; this removes the message about it."""
        if self._way is None:
            return
        if self.is_on_the_way and self.history is not None:
            self.history.seek(self._way[0])
            self.catch_up()
        self._way = None
        self._messages.end_passing()

    @property
    def is_on_the_way(self) -> bool:
        """True while the demo is moving to another step."""
        return self._way is not None and self.history is not None and self.history.now == self._way[1]

    def catch_up(self) -> None:
        """Apply the actions recorded at the present step; only undo shows the state before them."""
        if self.history is not None:
            self.history.catch_up()

    def guarded(self, action: Callable[[], object]) -> bool:
        """Call a function of the demo that may fail; a rejection by the engine pauses the demo and is shown."""
        try:
            action()
        except LabError as error:
            self.failure = str(error)
            self._clock.paused = True
            if any(stage.world.is_lost for stage in self._demo.stages):
                self.failure += self._leave_what_is_lost()
            return False
        return True

    def _leave_what_is_lost(self) -> str:
        """Go back to before a failed step, and return where to, in words; without a history, restart the demo."""
        self._way = None
        if self.history is None:
            self._demo.restart()
            return "; the demo was restarted"
        self.history.leave_lost_worlds()
        self._watch_what_is_there()
        return f"; this is step {self.history.now}, where you can continue"
