"""The tree of errors.

A caller's mistake is an `InvalidInputError`, whose message always names field, requirement and value:
``radius must be > 0 m, got -1.0``. An answer of the geometry is a status in a result, never an error.
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
    """Root of every error that this project raises on purpose. Text from a file or path is escaped and shortened in its message."""

    def __str__(self) -> str:
        return shown(brief(super().__str__(), _MAX_MESSAGE), in_lines=True)


class InvalidInputError(LabError, ValueError):
    """The caller gave a value outside its range.

    Parameters
    ----------
    field : str
        The name the caller knows the value by, such as ``radius`` or ``vertices[3]``.
    requirement : str
        The requirement, with its unit: ``> 0 m``.
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
    """The given vertices or radii do not make a shape."""


class DeadHandleError(LabError, LookupError):
    """An id names a body, fixture or joint that does not exist, or no longer does."""


class WorldLostError(LabError, RuntimeError):
    """Box2D failed within a step or a command; the message says whether the world behind a `World` was restored."""


@contextmanager
def renamed(name_of: Callable[[str], str]) -> Iterator[None]:
    """Rename the field of an `InvalidInputError` raised inside, usually to its place in a file."""
    try:
        yield
    except InvalidInputError as error:
        raise type(error)(name_of(error.field), error.requirement, error.value) from None


_MAX_MESSAGE, _MAX_FIELD, _MAX_REQUIREMENT, _MAX_VALUE = 12_000, 5_000, 5_000, 80
"""Characters. A path may have 4,096, and a field has that of its file in front; a name in a file may have millions."""


class WrongThreadError(LabError, RuntimeError):
    """A world was used from another thread than the one that made it: Box2D knows no locks."""


class Described(str):
    """A description in place of a value that would say nothing itself ("shape (3,)"); shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def shortened(value: object) -> str:
    """Return a value as a message shows it: cut off where it is long, its kind where it cannot be shown.

    Examples
    --------
    >>> shortened(10**5000), shortened("a" * 100)[-9:]
    ('a whole number of 16610 bits', 'aaaaaa...')
    """
    if type(value) is str or type(value) is list:  # no more than is shown: a value from a file may have 10 MB
        value = value[:_MAX_VALUE]
    elif type(value) is dict:
        value = dict(islice(value.items(), _MAX_VALUE))
    try:
        return brief(repr(value), _MAX_VALUE)
    except Exception:  # the value's own `__repr__` fails, or it has more digits than Python writes
        return f"a whole number of {value.bit_length()} bits" if type(value) is int else f"an object of the class {type(value).__name__}"
