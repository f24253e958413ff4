"""The demo that shows an algorithm step by step on a given case: for the command ``step``, and for the doors of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.sim.registry import find_demo

if TYPE_CHECKING:
    from engine.sim.demo import Demo
    from engine.trace.cases import Case
    from engine.trace.own import Asking
    from engine.trace.quiz import Quiz

__all__ = ["stepper_of"]


def stepper_of(
    algorithm: str, case: Case, title: str = "", beside: str | None = None, quiz: Quiz | None = None, own: Asking | None = None
) -> type[Demo]:
    """Return the demo that begins with an algorithm on a case, asks a `quiz`, or has a user's function beside it.

    Raises
    ------
    InvalidInputError
        There is no such algorithm.
    """
    kind: Any = find_demo("stepper")
    made: type[Demo] = kind.of_case(algorithm, case, title, beside or "none", quiz, own)
    return made
