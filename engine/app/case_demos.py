"""Demos that are created for given input: an algorithm step by step, or a pair from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.sim.registry import find_demo

if TYPE_CHECKING:
    from engine.compare.pair.file import Pair
    from engine.sim.demo import Demo
    from engine.trace.cases import Case
    from engine.trace.quiz import Quiz

__all__ = ["inspector_of", "stepper_of"]


def stepper_of(algorithm: str, case: Case, title: str = "", beside: str | None = None, quiz: Quiz | None = None) -> type[Demo]:
    """Return a stepper demo that starts with an algorithm on a case, or in a `quiz`.

    Raises
    ------
    InvalidInputError
        There is no such algorithm.
    """
    kind: Any = find_demo("stepper")
    made: type[Demo] = kind.of_case(algorithm, case, title, beside or "none", quiz)
    return made


def inspector_of(file: str) -> tuple[Pair, type[Demo]]:
    """Load a pair file; return the pair and the demo that shows it. Errors as `load_pair`."""
    from engine.compare.pair.file import load_pair

    pair = load_pair(file)
    kind: Any = find_demo("pair")
    return pair, kind.of_file(pair, file)
