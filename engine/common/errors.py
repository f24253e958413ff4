"""The one tree of errors.

A caller's mistake is an `InvalidInputError`, whose message always names field, requirement and value:
``radius must be > 0 m, got -1.0``. What the geometry answers is a status in a result, never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

from engine.common.words import brief, shown

__all__ = [
    "DeadHandleError",
    "Described",
    "InvalidInputError",
    "InvalidShapeError",
    "LabError",
    "WorldLostError",
    "WrongThreadError",
    "renamed",
    "shortened",
]


class LabError(Exception):
    """Root of every error this project raises on purpose. What a file or a path brings into its message is shown escaped, and cut off."""

    def __str__(self) -> str:
        return shown(brief(super().__str__(), _LONGEST_MESSAGE), in_lines=True)


class InvalidInputError(LabError, ValueError):
    """The caller gave a value outside its range.

    Parameters
    ----------
    field : str
        The name the caller knows the value by, such as ``radius`` or ``vertices[3]``.
    requirement : str
        What would have been right, with its unit: ``> 0 m``.
    value : object
        What was given.
    """

    def __init__(self, field: str, requirement: str, value: object) -> None:
        super().__init__(f"{brief(field, _LONGEST_FIELD)} must be {brief(requirement, _LONGEST_REQUIREMENT)}, got {shortened(value)}")
        self.field = field
        self.requirement = requirement
        self.value = value

    def __reduce__(self) -> tuple[type[InvalidInputError], tuple[str, str, object]]:
        return type(self), (self.field, self.requirement, self.value)


class InvalidShapeError(InvalidInputError):
    """The vertices or radii given do not make a shape."""


class DeadHandleError(LabError, LookupError):
    """An id names a body, fixture or joint that does not exist, or no longer does."""


class WorldLostError(LabError, RuntimeError):
    """Box2D broke off in the middle of a step or a command; says whether the world behind a `World` was put back as it stood."""


@contextmanager
def renamed(name_of: Callable[[str], str]) -> Iterator[None]:
    """Tell a mistake in what is done inside by another name of its field: with its place in a file."""
    try:
        yield
    except InvalidInputError as error:
        raise type(error)(name_of(error.field), error.requirement, error.value) from None


_LONGEST_MESSAGE, _LONGEST_FIELD, _LONGEST_REQUIREMENT, _LONGEST_VALUE = 12_000, 5_000, 5_000, 80
"""Characters. A path may have 4,096, and a field has that of its file in front; a name in a file may have millions."""


class WrongThreadError(LabError, RuntimeError):
    """A world was used from another thread than the one that made it: Box2D knows no locks."""


class Described(str):
    """A description of a value, shown as it stands where the value itself would say nothing ("shape (3,)")."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def shortened(value: object) -> str:
    """Return a value as it is shown in a message, whatever it is: not all of it where it is long, its kind where it cannot be shown.

    Examples
    --------
    >>> shortened(10**5000), shortened("a" * 100)[-9:]
    ('a whole number of 16610 bits', 'aaaaaa...')
    """
    if type(value) is str or type(value) is list:  # of what a file holds, by no more than is shown: the whole may be some 10 MB
        value = value[:_LONGEST_VALUE]
    elif type(value) is dict:
        value = dict(islice(value.items(), _LONGEST_VALUE))
    try:
        return brief(repr(value), _LONGEST_VALUE)
    except Exception:  # its own fault, or more digits than Python writes out
        return f"a whole number of {value.bit_length()} bits" if type(value) is int else f"an object of the class {type(value).__name__}"
