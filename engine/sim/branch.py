"""One course of events in a demo: the inputs by step, and the states that followed.

inputs[0]  inputs[1]         inputs[last]       inputs[k]: after step k, before the next
|----------|------- ... -----|
0          1                 last
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.sim.action import Input
from engine.sim.state_log import StateLog

__all__ = ["Branch"]


@dataclass(slots=True)
class Branch:
    """Inputs and states by step.

    Attributes
    ----------
    inputs : list of tuple of Input
        By the number of steps taken before them. Most are empty, and one object: a list for each step of an hour would make the collector
        of garbage walk them in a frame.
    states : StateLog
    reached : int
        The farthest step that was taken here; less than `last` of a branch that was recorded elsewhere.
    marks : list of int
        Steps before which something was begun, ascending.
    """

    inputs: list[tuple[Input, ...]] = field(default_factory=lambda: [()])
    states: StateLog = field(default_factory=StateLog)
    reached: int = 0
    marks: list[int] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The farthest step."""
        return len(self.inputs) - 1

    def add_step(self) -> None:
        """Add a step."""
        self.inputs.append(())

    def add(self, step: int, inputs: Iterable[Input]) -> None:
        """Add inputs behind all others at a step."""
        added = tuple(inputs)
        self.inputs[step] += added
        if any(new.begins for new in added) and step not in self.marks[-1:] and step not in self.marks:
            insort(self.marks, step)

    def cut(self, step: int, n_inputs: int) -> None:
        """Remove the steps after one, and all but so many of the inputs there."""
        del self.inputs[step + 1 :]
        self.inputs[step] = self.inputs[step][:n_inputs]
        self.states.cut(step)
        self.reached = min(self.reached, step)
        self.marks = [mark for mark in self.marks if mark < step or (mark == step and any(kept.begins for kept in self.inputs[step]))]

    def until(self, step: int, n_inputs: int) -> Branch:
        """Return its beginning: as far as a step, and so many of the inputs there."""
        branch = Branch(self.inputs[: step + 1], self.states.until(step), self.reached, self.marks)
        branch.cut(step, n_inputs)
        return branch

    def parting(self, other: Branch) -> tuple[int, int]:
        """Return up to which step, and how many inputs there, two branches are the same: the very same objects, and the same states."""
        last = min(self.last, other.last)
        for step in range(last + 1):
            ours, theirs = self.inputs[step], other.inputs[step]
            same = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a is not b), min(len(ours), len(theirs)))
            if step == last or same < max(len(ours), len(theirs)) or self.states.hashes[step + 1] != other.states.hashes[step + 1]:
                break
        return step, same
