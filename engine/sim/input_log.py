"""Everything that was done to a demo, by step: a log into which an input may also be put at a step long past.

given[0]  given[1]         given[last]       given[k]: after step k, before the next
|---------|------- ... ---|
0         1                last
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator

from engine.sim.action import Input

__all__ = ["InputLog"]


class InputLog:
    """Inputs by the number of steps taken before them; the log of a demo that was just built has a place for those before the first step.

    Parameters
    ----------
    given : iterable of tuples of Input, optional
    """

    def __init__(self, given: Iterable[tuple[Input, ...]] | None = None) -> None:
        self._given: list[tuple[Input, ...]] = [()] if given is None else list(given)
        """Most are empty, and one object: a list for each step of an hour would make the collector of garbage walk them in a frame."""
        self._begun: list[int] = []
        """Steps below `_scanned` before which something was begun."""
        self._scanned = 0

    def __getitem__(self, step: int) -> tuple[Input, ...]:
        return self._given[step]

    def __iter__(self) -> Iterator[tuple[Input, ...]]:
        return iter(self._given)

    @property
    def last(self) -> int:
        """The farthest step."""
        return len(self._given) - 1

    @property
    def marks(self) -> tuple[int, ...]:
        """Steps before which something was begun; those before the last are looked at once."""
        for step in range(self._scanned, self.last):
            if self._begins(step):
                self._begun.append(step)
        self._scanned = max(self._scanned, self.last)
        return (*self._begun, *((self.last,) if self._begins(self.last) else ()))

    def add_step(self, given: Iterable[Input] = ()) -> None:
        """Note that a step was taken; what was done after it is known only of one that was recorded."""
        self._given.append(tuple(given))

    def extend(self, given: Iterable[Input]) -> None:
        """Put inputs behind all others at the last step."""
        self._given[-1] += tuple(given)

    def insert(self, step: int, one: Input, at: int | None = None) -> None:
        """Put an input at a step, behind all others there or at a place among them; what came of later steps is not looked at here."""
        given = list(self._given[step])
        given.insert(len(given) if at is None else at, one)
        self._given[step] = tuple(given)
        if step < self._scanned and one.begins and step not in self._begun:
            insort(self._begun, step)

    def cut(self, step: int, given: int) -> None:
        """Forget, in this log itself, the steps after one, and of the inputs there all but so many."""
        del self._given[step + 1 :]
        self._given[step] = self._given[step][:given]
        self._scanned = min(self._scanned, step)
        self._begun = [begun for begun in self._begun if begun < step]

    def until(self, step: int, given: int) -> InputLog:
        """Return the beginning of the log: as far as a step, and so many of the inputs there."""
        return InputLog([*self._given[:step], self._given[step][:given]])

    def is_same_at(self, step: int, other: InputLog) -> bool:
        """Tell whether both have the very same inputs at a step: the objects themselves, which branches share as far as they are one."""
        ours, theirs = self._given[step], other[step]
        return len(ours) == len(theirs) and all(one is another for one, another in zip(ours, theirs, strict=True))

    def _begins(self, step: int) -> bool:
        return any(one.begins for one in self._given[step])
