"""Hooks: callables that a world calls during a step.

Hooks receive ids, never Box2D objects. They may read and change the world; changes are deferred to the end of the step. An exception in a
hook does not stop the step (Box2D would abort the interpreter or stay locked): `World.step` raises it when the step is complete.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from engine.common.errors import InvalidInputError
from engine.contracts import PairEvent

__all__ = ["PairHook", "PreSolveHook", "SolvedHook", "StepHooks"]

PairHook: TypeAlias = Callable[[PairEvent], object]
PreSolveHook: TypeAlias = Callable[[PairEvent], bool]
SolvedHook: TypeAlias = Callable[[PairEvent, tuple[float, ...], tuple[float, ...]], object]


@dataclass(slots=True)
class StepHooks:
    """Hooks of a world; any may be None.

    Parameters
    ----------
    begin, end : callable(PairEvent)
        Called when two fixtures begin or stop touching.
    pre_solve : callable(PairEvent) -> bool
        Called for each touching pair before it is solved, several times per step if continuous physics sub-steps. If it returns False, the
        contact is disabled for this solve. The result must depend only on the world's state, or replays will differ.
    post_solve : callable(PairEvent, normal_impulses, tangent_impulses)
        Called for each solved pair with its impulses, N s, one per contact point.
    """

    begin: PairHook | None = None
    end: PairHook | None = None
    pre_solve: PreSolveHook | None = None
    post_solve: SolvedHook | None = None

    def __post_init__(self) -> None:
        for name in ("begin", "end", "pre_solve", "post_solve"):
            hook = getattr(self, name)
            if hook is not None and not callable(hook):
                raise InvalidInputError(name, "callable or None", hook)
