"""Hooks: callables that a world calls in the middle of a step.

Hooks get plain ids, never a Box2D object. They may call any method of the world: creation and destruction wait until the
step ends. An exception in a hook does not stop the step (Box2D would abort the interpreter or stay locked for good);
it is raised by `World.step` once the step is whole.
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
    """Callables for one world; any may stay None.

    Parameters
    ----------
    begin, end : callable(PairEvent)
        Two fixtures began, or ceased, to touch.
    pre_solve : callable(PairEvent) -> bool
        Called for each touching pair before it is solved, several times in one step where continuous physics
        sub-steps; False lets the pair pass through each other this time. Must depend on the world's state only, or a
        replay will differ.
    post_solve : callable(PairEvent, normal_impulses, tangent_impulses)
        Called for each solved pair, impulses in N s, one number a point.
    """

    begin: PairHook | None = None
    end: PairHook | None = None
    pre_solve: PreSolveHook | None = None
    post_solve: SolvedHook | None = None

    def __post_init__(self) -> None:
        for name in ("begin", "end", "pre_solve", "post_solve"):
            hook = getattr(self, name)
            if hook is not None and not callable(hook):
                raise InvalidInputError(name, "something that can be called, or None", hook)
