"""A branch of a demo's history: the inputs by step, and the resulting states.

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
        Inputs applied after each step. Most are the shared empty tuple: a list per step would make garbage collection slow after an hour.
    states : StateLog
    reached : int
        Last step that was computed here; may be less than `last` for a branch recorded elsewhere.
    marks : list of int
        Steps after which an undoable action was applied, ascending.
    """

    inputs: list[tuple[Input, ...]] = field(default_factory=lambda: [()])
    states: StateLog = field(default_factory=StateLog)
    reached: int = 0
    marks: list[int] = field(default_factory=list)

    @property
    def last(self) -> int:
        """Number of the last step."""
        return len(self.inputs) - 1

    def add_step(self) -> None:
        """Append a step without inputs."""
        self.inputs.append(())

    def add(self, step: int, inputs: Iterable[Input]) -> None:
        """Append inputs at a step."""
        added = tuple(inputs)
        self.inputs[step] += added
        if any(new.begins for new in added) and step not in self.marks[-1:] and step not in self.marks:
            insort(self.marks, step)

    def cut(self, step: int, n_inputs: int) -> None:
        """Remove all steps after `step`, and all but its first `n_inputs` inputs."""
        del self.inputs[step + 1 :]
        self.inputs[step] = self.inputs[step][:n_inputs]
        self.states.cut(step)
        self.reached = min(self.reached, step)
        self.marks = [mark for mark in self.marks if mark < step or (mark == step and any(kept.begins for kept in self.inputs[step]))]

    def until(self, step: int, n_inputs: int) -> Branch:
        """Return a copy that ends at `step`, with its first `n_inputs` inputs."""
        branch = Branch(self.inputs[: step + 1], self.states.stretch(0, step), self.reached, self.marks)
        branch.cut(step, n_inputs)
        return branch

    def parting(self, other: Branch) -> tuple[int, int]:
        """Return the step, and the number of its inputs, up to which two branches have identical input objects and equal states."""
        last = min(self.last, other.last)
        for step in range(last + 1):
            ours, theirs = self.inputs[step], other.inputs[step]
            same = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a is not b), min(len(ours), len(theirs)))
            if step == last or same < max(len(ours), len(theirs)) or self.states.hashes[step + 1] != other.states.hashes[step + 1]:
                break
        return step, same
