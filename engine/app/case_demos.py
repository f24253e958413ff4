"""Demos that are made for a given case: an algorithm step by step, and a pair from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.sim.registry import find_demo

if TYPE_CHECKING:
    from engine.compare.pair.file import Pair
    from engine.sim.demo import Demo
    from engine.trace.cases import Case
    from engine.trace.own import Asking
    from engine.trace.quiz import Quiz

__all__ = ["inspector_of", "stepper_of"]


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


def inspector_of(file: str) -> tuple[Pair, type[Demo]]:
    """Return the pair of a file and the demo that shows it; errors as `load_pair`."""
    from engine.compare.pair.file import load_pair

    pair = load_pair(file)
    kind: Any = find_demo("pair")
    return pair, kind.of_file(pair, file)
