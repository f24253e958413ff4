"""The demo that shows an algorithm step by step on a given case: for the command ``step``, and for the doors of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.demo.registry import find_demo
from engine.trace.cases import Case

if TYPE_CHECKING:
    from engine.demo.base import Demo

__all__ = ["stepper_of"]


def stepper_of(algorithm: str, case: Case, beside: str | None = None, at: int = 1) -> type[Demo]:
    """Return the demo of an algorithm on a case; it begins at step `at`, from 1."""
    kind: Any = find_demo("stepper")
    made: type[Demo] = kind.of_case(algorithm, case, beside, at - 1)
    return made
