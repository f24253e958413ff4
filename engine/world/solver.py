"""What drives a world: the table of solvers. Each is a plug-in of its own package, found by name and loaded when a world wants it."""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeVar

from engine.common.errors import InvalidInputError

__all__ = ["DEFAULT", "accept", "load_solver", "solvers"]

_T = TypeVar("_T")

DEFAULT = "box2d"
"""What drives a world of which nobody says what shall."""

_ENTRIES = {"box2d": "engine.box2d.solver"}
"""The module of each solver, by the solver's name."""


def solvers() -> tuple[str, ...]:
    """Return the names of the solvers there are.

    Examples
    --------
    >>> solvers()
    ('box2d',)
    """
    return tuple(_ENTRIES)


def load_solver(name: str) -> Any:
    """Load a solver.

    Raises
    ------
    InvalidInputError
        There is none of that name.
    """
    if name not in _ENTRIES:
        raise InvalidInputError("solver", "one of " + ", ".join(_ENTRIES), name)
    return import_module(_ENTRIES[name])


def accept(spec: _T, solver: str = DEFAULT) -> _T:
    """Return a specification as a solver holds it, its numbers rounded to the solver's; a world does so with all that it is given.

    Raises
    ------
    InvalidInputError
        The solver cannot take it.
    """
    accepted: _T = load_solver(solver).accept(spec)
    return accepted
