"""Algorithms, step by step: what their kernels did, decoded.

>>> from engine import trace
>>> from engine.geometry import Circle, Polygon, Transform
>>> steps = trace.gjk(Polygon.box(0.5, 0.5), Transform(), Circle(0.5), Transform((2.0, 0.0)))
>>> steps[-1].result.separation
1.0

`algorithms` has the names; each is a function of this module that takes what its query takes and returns a list of `TraceStep`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.common.errors import InvalidInputError
from engine.common.words import meant
from engine.contracts.trace import Feature, Mark, Question, TraceStep, View

if TYPE_CHECKING:
    from engine.trace.protocol import Algorithm

__all__ = ["Feature", "Mark", "Question", "TraceStep", "View", "algorithm", "algorithms"]

_STEPPERS = "engine.trace.steppers"


@cache
def algorithms() -> tuple[str, ...]:
    """Return the names of all algorithms that can be watched, in the order of the alphabet."""
    folder = Path(__file__).parent / "steppers"
    return tuple(sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")))


@cache
def algorithm(name: str) -> Algorithm[Any]:
    """Return an algorithm by its name.

    Raises
    ------
    InvalidInputError
        There is none of that name.
    """
    if name not in algorithms():
        raise InvalidInputError("algorithm", "one of " + ", ".join(algorithms()) + meant(str(name), algorithms()), name)
    found: Algorithm[Any] = import_module(f"{_STEPPERS}.{name}").ALGORITHM
    found.name = name
    return found


def __getattr__(name: str) -> Callable[..., list[TraceStep]]:
    if name.startswith("_") or name not in algorithms():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function: Callable[..., list[TraceStep]] = getattr(import_module(f"{_STEPPERS}.{name}"), name)
    return function
