"""One course of events in a demo: what was done, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.sim.input_log import InputLog
from engine.sim.state_log import StateLog

__all__ = ["Branch"]


@dataclass(slots=True)
class Branch:
    """A log of inputs and the log of states that follow from them."""

    inputs: InputLog = field(default_factory=InputLog)
    states: StateLog = field(default_factory=StateLog)
    reached: int = 0
    """How far it has really been gone; less than `last` of one that was recorded elsewhere."""

    @property
    def last(self) -> int:
        """The farthest step."""
        return self.inputs.last

    def same_until(self, other: Branch) -> int:
        """Return the last step up to which another branch has had the same inputs and come to the same."""
        ours, theirs = self.states.hashes, other.states.hashes
        last = min(len(ours), len(theirs)) - 1
        for step in range(last + 1):
            if ours[step] != theirs[step] or (step > 0 and not self.inputs.is_same_at(step - 1, other.inputs)):
                return step - 1
        return last

    def until(self, step: int, given: int) -> Branch:
        """Return its beginning: as far as a step, and so many of the inputs there."""
        return Branch(self.inputs.until(step, given), self.states.until(step), min(self.reached, step))

    def cut(self, step: int, given: int) -> None:
        """Forget, in this branch itself, all that `until` leaves out."""
        self.inputs.cut(step, given)
        self.states.cut(step)
