"""The past of a demo that runs: where it stands in what has happened, and the way to another step.

Time stands still while the demo is brought elsewhere. A long way is gone in several frames, so that the window stays alive; an action on
the way is preceded by the rest of it (`finish`). What the demo refuses pauses it and is shown (`failure`).
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
    """A demo's history, and where in it the demo stands.

    Parameters
    ----------
    demo : Demo
    clock : FixedClock
        Paused where time stands still.
    messages : Messages
        Messages about the way to another step.
    has_history : bool
        Keep a history, so that everything can be taken back.

    Attributes
    ----------
    failure : str
        Why the demo stopped; empty while all is well.
    history : History[Demo] or None
        What has happened; None of a demo that is only looked at, or that cannot be rewound.
    series : TimeSeries or None
        What is measured at every step of the history; None where there is none.
    watched : (stage, body) or None
        The body that plots and the log are about: its stage's place among the demo's, and its id.
    longest_way : float
        Seconds of a frame that going elsewhere in the past may take; without limit in a headless run, which waits.
    """

    def __init__(self, demo: Demo, clock: FixedClock, messages: Messages, has_history: bool) -> None:
        self._demo, self._clock, self._messages = demo, clock, messages
        self.failure = ""
        self.history: History[Demo] | None = None
        self.series: TimeSeries | None = None
        self.watched: tuple[int, int] | None = None
        self.longest_way = math.inf
        self._way: tuple[int, int] | None = None
        """The step on the way to which it is, and the one that it has come to. Going elsewhere meanwhile, as a film does, ends it."""
        self._stop_at: int | None = None
        """The step at which it pauses by itself, once."""
        self._reported: Divergence | None = None
        self._nothing: Message | None = None
        """Message that there was nothing to undo or redo: true until the demo stands elsewhere."""
        if has_history:
            try:
                self.history = History(demo)
                self.series = TimeSeries(self.history)
            except LabError as error:
                self.history = None
                self.failure = str(error)

    @property
    def is_now(self) -> bool:
        """True if nothing lies ahead."""
        return self.history is None or self.history.at_tip

    @property
    def moment(self) -> str:
        """Time and step of the first world; where the timeline counts others, for it goes on through a restart, that one too."""
        world = self._demo.stages[0].world
        words = f"{world.time:.2f} s, step {world.step_index}"
        if self.history is None or self.history.now == world.step_index:
            return words
        return f"{words} ({self.history.now} on the timeline)"

    def seek(self, step: int) -> None:
        """Pause, and go to a step that has been: to where time went on from it, so that what was built there stands there.

        A long way is gone in several frames, `longest_way` seconds in each.
        """
        if self.history is not None:
            self._way = min(max(step, 0), self.history.last), self.history.now
            self._travel(self._go_a_part)

    def back(self) -> None:
        """Pause, and go one step back."""
        if self.history is not None:
            self.seek(self.history.now - 1)

    def play_from(self, step: int, end: int) -> None:
        """Play what is known, from a step to another, and pause there; the way to the first begins in the next frame."""
        if self.history is not None:
            self._way, self._stop_at = (step, self.history.now), end
            self._clock.paused = False

    def limited(self, due: int) -> int:
        """Return how many of the steps due are to be taken: none past where it is to pause."""
        return due if self._stop_at is None or self.history is None else min(due, max(self._stop_at - self.history.now, 0))

    def stop_at_the_end(self) -> None:
        """Pause where it is to pause, and say so."""
        if self._stop_at is not None and self.history is not None and self.history.now >= self._stop_at:
            self._stop_at = None
            self._clock.paused = True
            unknown = " beyond the recorded steps" if self.is_now else ""
            self._messages.say(f"The recording ends here. Space continues{unknown}.")

    def to_the_end(self) -> None:
        """Go to the newest step; a running demo goes on from there."""
        paused = self._clock.paused
        if self.history is not None:
            self.seek(self.history.last)
        self._clock.paused = paused

    def undo(self) -> None:
        """Pause, and go to before the last thing that was done."""
        self.finish()
        if self.history is not None and self.history.can_undo:
            self._travel(History.undo)
            self._watch_what_is_there()
        else:
            self._nothing = self._messages.answer("There is nothing to undo.")

    def redo(self) -> None:
        """Pause, and return to where the last undo started from."""
        self.finish()
        if self.history is not None and self.history.can_redo:
            self._travel(History.redo)
        else:
            self._nothing = self._messages.answer("There is nothing to redo.")

    def _travel(self, go: Callable[[History[Demo]], object]) -> None:
        """Go elsewhere in what has happened, and say so if the demo did not come out as it did the first time."""
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
        """Watch no body whose making was undone: its number is the next one's."""
        if self.watched is not None and not self._demo.sim.has_body(*self.watched):
            self.watched = None

    def _go_a_part(self, history: History[Demo]) -> None:
        """Go as much of the way as a frame has time for."""
        if self._way is None:
            return
        goal, start = self._way[0], perf_counter()
        self._way = None  # it ends here if it cannot be gone
        if history.seek(goal, lambda: perf_counter() - start > self.longest_way):
            self._messages.end_passing()
        else:
            self._way = goal, history.now
            self._messages.answer(f"Going to step {goal}; now at {history.now}", is_passing=True)

    def go_on(self) -> None:
        """Go a part of the way, if there is one, at the end of a frame; a pause that was asked for meanwhile stays.

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
        """Go the rest of the way at once: something is to be done there. A message about the way goes."""
        if self._way is None:
            return
        if self.is_on_the_way and self.history is not None:
            self.history.seek(self._way[0])
            self.catch_up()
        self._way = None
        self._messages.end_passing()

    @property
    def is_on_the_way(self) -> bool:
        """True if it goes somewhere else and has not arrived yet."""
        return self._way is not None and self.history is not None and self.history.now == self._way[1]

    def catch_up(self) -> None:
        """Do what was done where the demo stands in the past: to see the step before that, one has to undo it."""
        if self.history is not None:
            self.history.catch_up()

    def guarded(self, action: Callable[[], object]) -> bool:
        """Do what a demo may fail at; a refusal of the engine pauses the demo and is shown, it does not end the window."""
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
        """Go back to before a world that cannot be used any more, and return where to, in words; without a history the demo begins anew."""
        self._way = None
        if self.history is None:
            self._demo.restart()
            return "; the demo was restarted"
        self.history.leave_lost_worlds()
        self._watch_what_is_there()
        return f"; this is step {self.history.now}, where you can continue"
