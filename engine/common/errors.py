"""Exception classes.

An invalid value raises `InvalidInputError`, whose message names the field, the requirement and the value:
``radius must be > 0 m, got -1.0``. The outcome of a geometric query is a status in its result, never an exception.
"""

from __future__ import annotations

import re
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
    """Base class of all exceptions that this project raises deliberately. Text from files and paths is escaped and shortened in the
    message."""

    def __str__(self) -> str:
        return shown(brief(super().__str__(), _MAX_MESSAGE), in_lines=True)


class InvalidInputError(LabError, ValueError):
    """The caller passed a value outside its valid range.

    Parameters
    ----------
    field : str
        Name by which the caller knows the value, such as ``radius`` or ``vertices[3]``.
    requirement : str
        Requirement with its unit, such as ``> 0 m``.
    value : object
        The rejected value.
    """

    def __init__(self, field: str, requirement: str, value: object) -> None:
        super().__init__(f"{brief(field, _MAX_FIELD)} must be {brief(requirement, _MAX_REQUIREMENT)}, got {shortened(value)}")
        self.field = field
        self.requirement = requirement
        self.value = value

    def __reduce__(self) -> tuple[type[InvalidInputError], tuple[str, str, object]]:
        return type(self), (self.field, self.requirement, self.value)


class InvalidShapeError(InvalidInputError):
    """The given vertices or radii do not form a valid shape."""


class DeadHandleError(LabError, LookupError):
    """An id refers to a body, fixture or joint that does not exist or no longer exists."""


class WorldLostError(LabError, RuntimeError):
    """The solver failed during a step or a command; the message says whether the `World` was restored."""


@contextmanager
def renamed(name_of: Callable[[str], str]) -> Iterator[None]:
    """Rename the field of an `InvalidInputError` raised in the with block, usually to its path in a file."""
    try:
        yield
    except InvalidInputError as error:
        raise type(error)(name_of(error.field), error.requirement, error.value) from None


_LINE_BREAK = re.compile(r"\s*\n\s*")
"""Arrays have them in their representation."""
_MAX_MESSAGE, _MAX_FIELD, _MAX_REQUIREMENT, _MAX_VALUE = 12_000, 5_000, 5_000, 80
"""Maximum lengths in messages, characters. A path may have 4,096, and a field may begin with the path of its file; a name in a file may
have millions."""


class WrongThreadError(LabError, RuntimeError):
    """A world was used on a thread other than the one that created it; worlds are not thread-safe."""


class Described(str):
    """A description, shown without quotes, in place of a value that would not be informative ("shape (3,)")."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def shortened(value: object) -> str:
    """Return a value as shown in a message: in one line, truncated if it is long, its class if it has no representation.

    Examples
    --------
    >>> shortened(10**5000), shortened("a" * 100)[-9:]
    ('a whole number of 16610 bits', 'aaaaaa...')
    """
    if type(value) is str or type(value) is list:  # sliced first: a value from a file may have 10 MB
        value = value[:_MAX_VALUE]
    elif type(value) is dict:
        value = dict(islice(value.items(), _MAX_VALUE))
    try:
        return brief(_LINE_BREAK.sub(" ", repr(value)), _MAX_VALUE)
    except Exception:  # `__repr__` fails, or the integer has more digits than Python converts
        return f"a whole number of {value.bit_length()} bits" if type(value) is int else f"an object of the class {type(value).__name__}"
