"""Checked conversion of single values at the public boundary: each function returns a plain value or raises an error that names the
field."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from itertools import islice
from numbers import Integral, Real

from engine.common.errors import InvalidInputError

__all__ = [
    "boolean",
    "choice",
    "finite",
    "integer",
    "measured",
    "non_negative",
    "pair",
    "point",
    "positive",
    "seed_number",
    "text",
    "within",
]

_MAX_SEED = 2**63 - 1
"""Largest signed 64-bit integer: recordings and pair files store the seed as one."""


def finite(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a finite float; bool, text, NaN and infinities are rejected."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInputError(field, measured("a finite number", unit), value)
    try:
        number = float(value)
    except Exception:  # too large, or raised by a foreign type
        raise InvalidInputError(field, measured("a finite number", unit), value) from None
    if not math.isfinite(number):
        raise InvalidInputError(field, measured("a finite number", unit), value)
    return number


def positive(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a float greater than 0."""
    number = finite(field, value, unit)
    if number <= 0.0:
        raise InvalidInputError(field, _with_unit("> 0", unit), value)
    return number


def non_negative(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a float of at least 0."""
    number = finite(field, value, unit)
    if number < 0.0:
        raise InvalidInputError(field, _with_unit(">= 0", unit), value)
    return number


def within(field: str, value: object, low: float, high: float, unit: str = "") -> float:
    """Return `value` as a float within ``[low, high]``; NaN is rejected."""
    requirement = f"from {low:g} to {high:g}" + (f" {unit}" if unit else "")
    try:
        number = finite(field, value)
    except InvalidInputError:
        raise InvalidInputError(field, requirement, value) from None
    if not low <= number <= high:
        raise InvalidInputError(field, requirement, value)
    return number


def integer(field: str, value: object, low: int | None = None, high: int | None = None) -> int:
    """Return `value` as an int within ``[low, high]``; bool is rejected."""
    if type(value) is int and (low is None or value >= low) and (high is None or value <= high):
        return value
    requirement = "a whole number"
    if low is not None and high is not None:
        requirement += f" from {low} to {high}"
    elif low is not None:
        requirement += f" >= {low}"
    elif high is not None:
        requirement += f" <= {high}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidInputError(field, requirement, value)
    try:
        number = int(value)
    except Exception:
        raise InvalidInputError(field, requirement, value) from None
    if (low is not None and number < low) or (high is not None and number > high):
        raise InvalidInputError(field, requirement, value)
    return number


def seed_number(field: str, value: object) -> int:
    """Return `value` if it is a valid seed: a non-negative integer that fits into a signed 64-bit integer."""
    return integer(field, value, 0, _MAX_SEED)


def boolean(field: str, value: object) -> bool:
    """Return `value` if it is a bool."""
    if not isinstance(value, bool):
        raise InvalidInputError(field, "True or False", value)
    return value


def text(field: str, value: object, most: int | None = None) -> str:
    r"""Return `value` as a plain str that UTF-8 can encode: an unpaired surrogate becomes its escape, ``\ud800``.

    Raises
    ------
    InvalidInputError
        It is not a str, or has more than `most` characters.
    """
    if not isinstance(value, str):
        raise InvalidInputError(field, "text", value)
    plain = str.__str__(value)
    if most is not None and len(plain) > most:
        raise InvalidInputError(field, f"text of at most {most} characters", value)
    return plain if plain.isascii() else plain.encode("utf-8", "backslashreplace").decode("utf-8")


def choice(field: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the `allowed` words."""
    words = tuple(allowed)
    if not isinstance(value, str) or str.__str__(value) not in words:
        raise InvalidInputError(field, "one of " + ", ".join(words), value)
    return str.__str__(value)


def pair(field: str, value: object, requirement: str) -> tuple[object, object]:
    """Return the two elements of an ordered pair; text, sets and mappings are rejected."""
    if isinstance(value, str | bytes | bytearray | Set | Mapping) or not isinstance(value, Iterable):
        raise InvalidInputError(field, requirement, value)
    try:
        parts = list(islice(value, 3))  # it may be infinite
    except Exception:  # such as a zero-dimensional array, or an iterator that raises
        raise InvalidInputError(field, requirement, value) from None
    if len(parts) != 2:
        raise InvalidInputError(field, requirement, value)
    return parts[0], parts[1]


def point(field: str, value: object, unit: str = "m") -> tuple[float, float]:
    """Return `value` as two finite floats."""
    requirement = measured("two finite numbers", unit)
    x, y = pair(field, value, requirement)
    try:
        return finite(field, x, unit), finite(field, y, unit)
    except InvalidInputError:
        raise InvalidInputError(field, requirement, value) from None


def _with_unit(text: str, unit: str) -> str:
    return f"{text} {unit}" if unit else text


def measured(text: str, unit: str) -> str:
    """Return `text` with its unit, if any: "a finite number in m"."""
    return f"{text} in {unit}" if unit else text
