"""Everything that was done to a demo, by step: a log into which an input may also be put at a step long past.

given[0]  given[1]         given[last]       given[k]: after step k, before the next
|---------|------- ... ---|
0         1                last
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["ACTIONS", "EDITS", "USER_ACTIONS", "Held", "Input", "InputLog"]

ACTIONS: dict[str, bool] = {
    "press": True,
    "release_key": False,
    "release_all": False,
    "set_parameter": True,
    "set_solver": True,
    "restart": True,
    "drop": True,
    "grab": True,
    "hold": True,
    "drag": False,
    "release": False,
    "turn": True,
    "on_wheel": True,
    "edit": True,
    "amend_edit": False,
    "amend_solver": False,
    "keep_solver_state": False,
    "resource_ready": False,
    "by": True,
    "go_alone": True,
}
"""What is done to a demo, and whether `undo` stops before it: a drag belongs to the grip before it, an `amend_edit` to the `edit`, an
`amend_solver`, as a slider moves on, to the `set_solver`."""

USER_ACTIONS = ("join", "leave", "drive", "pause", "set_speed", "undo_own")
"""What a user of a shared demo does beside `ACTIONS`, within "by"."""

_BEGUN_BY_A_USER = frozenset({"pause", "set_speed", "undo_own"})
"""Of these, what `undo` stops before."""

EDITS = (
    "create_body",
    "destroy_body",
    "create_fixture",
    "destroy_fixture",
    "create_joint",
    "destroy_joint",
    "set_pose",
    "set_velocity",
    "set_awake",
    "set_body",
    "set_fixture",
    "set_joint",
    "set_settings",
    "apply_impulse",
)
"""Methods of `World` that may be called on a running demo by hand."""

Held: TypeAlias = tuple[int, int, tuple[float, float]]
"""What a hand holds: the stage, the body, and the point of it, in its frame, metres."""


@dataclass(frozen=True, slots=True)
class Input:
    """Something done to a demo: one of `ACTIONS` with its arguments.

    `offsets` is where each stage lay in the picture then, if a point of the picture was given and a stage was elsewhere than at (0, 0).
    `held` is what a "grab" took hold of, `is_refused` whether the demo refused it, where that is known: it is not written down, for done
    again it is the same.
    """

    action: str
    arguments: tuple[Any, ...]
    offsets: tuple[tuple[float, float], ...] = ()
    held: Held | None = None
    is_refused: bool = False

    @property
    def own(self) -> Input:
        """What was done, by whomever: of "by", what that user did."""
        own: Input = self.arguments[1] if self.action == "by" else self
        return own

    @property
    def begins(self) -> bool:
        """Whether `undo` stops before it."""
        own = self.own.action
        return ACTIONS.get(own, own in _BEGUN_BY_A_USER)


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
